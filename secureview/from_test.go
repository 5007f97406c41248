package secureview_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed/secureview/dialect/postgres"
)

// FromClauses has the tables that conditions connect, and those that none does.
func TestFromClauses(t *testing.T) {
	for sql, want := range map[string]string{
		"SELECT id FROM crew":                                                                                                                   "[]",
		"SELECT c.id FROM crew c, dept d":                                                                                                       "[[[main.crew] [main.dept]]]",
		"SELECT c.id FROM crew c CROSS JOIN dept d":                                                                                             "[[[main.crew] [main.dept]]]",
		"SELECT c.id FROM crew c, dept d WHERE c.id = 1 AND d.id = 1":                                                                           "[[[main.crew] [main.dept]]]",
		"SELECT c.id FROM crew c, dept d WHERE d.id = c.id":                                                                                     "[[[main.crew main.dept]]]",
		"SELECT c.id FROM crew c JOIN employeeCrew e ON e.crewId = c.id, dept d":                                                                "[[[main.crew main.employeeCrew] [main.dept]]]",
		"SELECT c.id FROM crew c JOIN dept d USING (id)":                                                                                        "[[[main.crew main.dept]]]",
		"SELECT a.id FROM crew a, crew b":                                                                                                       "[[[main.crew] [main.crew]]]",
		"SELECT c.id FROM crew c, (SELECT count(*) AS n FROM dept) d":                                                                           "[[[main.crew]]]",
		"SELECT c.id FROM crew c, (SELECT id FROM dept LIMIT 1) d":                                                                              "[[[main.crew]]]",
		"SELECT c.id FROM crew c, (SELECT id FROM dept GROUP BY id) d":                                                                          "[[[main.crew] [main.dept]]]",
		"WITH x AS (SELECT id FROM dept) SELECT c.id FROM crew c, x":                                                                            "[[[main.crew] [main.dept]]]",
		"WITH x AS (SELECT id FROM dept) SELECT c.id FROM crew c JOIN x ON x.id = c.id":                                                         "[[[main.crew main.dept]]]",
		"SELECT c.id FROM crew c WHERE c.id IN (SELECT e.crewId FROM employeeCrew e, dept d)":                                                   "[[[main.employeeCrew] [main.dept]]]",
		"SELECT c.id FROM crew c, dept d WHERE EXISTS (SELECT 1 FROM employeeCrew e WHERE e.crewId = c.id + d.id)":                              "[[[main.crew main.dept]]]",
		"SELECT c.id FROM crew c, dept d WHERE EXISTS (SELECT 1 FROM crew c JOIN dept d ON d.id = c.id)":                                        "[[[main.crew] [main.dept]] [[main.crew main.dept]]]",
		"SELECT c.id FROM crew c, dept d WHERE EXISTS (SELECT 1 FROM dept x WHERE x.id = c.id AND x.id = d.id)":                                 "[[[main.crew main.dept]]]",
		"SELECT (SELECT count(*) FROM crew) AS a, (SELECT count(*) FROM dept) AS b":                                                             "[]",
		"SELECT id FROM crew UNION ALL SELECT id FROM dept":                                                                                     "[]",
		"SELECT o.id FROM workOrder o, customer c":                                                                                              "[[[main.workOrder] [main.customer]]]",
		"WITH RECURSIVE r(id) AS (SELECT id FROM crew UNION SELECT r.id + 1 FROM r JOIN dept d ON d.id = r.id WHERE r.id < 9) SELECT id FROM r": "[[[main.crew main.dept]]]",
	} {
		for _, d := range dialects {
			stmt, err := guard(t, d).Rewrite(t.Context(), sql)
			if err != nil {
				t.Errorf("%s: %s: %v", d.Name(), sql, err)
				continue
			}
			got := []any{}
			for _, from := range stmt.FromClauses() {
				if len(from.Groups) > 0 {
					got = append(got, from.Groups)
				}
			}
			if diff := cmp.Diff(want, fmt.Sprint(got)); diff != "" {
				t.Errorf("%s: %s: %s", d.Name(), sql, diff)
			}
		}
	}
}

// The query that bounds the rows of WITH TIES is no FROM clause of the statement.
func TestFromClausesOfTies(t *testing.T) {
	stmt, err := guard(t, postgres.Dialect{}).Rewrite(t.Context(),
		"SELECT c.id FROM crew c, dept d ORDER BY 1 FETCH FIRST 2 ROWS WITH TIES")
	if err != nil {
		t.Fatal(err)
	}
	if got := stmt.FromClauses(); len(got) != 1 || fmt.Sprint(got[0].Groups) != "[[main.crew] [main.dept]]" {
		t.Error(got)
	}
}
