package secureview_test

import (
	"context"
	"strings"
	"testing"

	"github.com/qedkit/qed/secureview/dialect/sqlite"
)

// SQLite reads a view behind a barrier unless the statement only compares, adds and counts.
func TestSQLiteBarrier(t *testing.T) {
	const barrier = "(SELECT secure_employee.id, secure_employee.name FROM main.secure_employee LIMIT -1) AS "
	tests := []struct {
		text string
		want bool
	}{
		{`SELECT id FROM employee WHERE abs(id) > 1 AND name = 'x'`, true},
		{`SELECT id FROM employee WHERE name || id = 'x1'`, true},
		{`SELECT id FROM employee WHERE name -> 'x' = id`, true},
		{`SELECT id FROM employee WHERE 'x' LIKE name`, true},
		{`SELECT id FROM employee WHERE name LIKE 'x' ESCAPE name`, true},
		{`SELECT id FROM employee WHERE full_name(id) = name`, true},
		{`SELECT id, count(*) FROM employee GROUP BY id, name HAVING abs(id) > 1`, true},
		{`SELECT e.id FROM employee e JOIN dept d ON abs(e.id) = d.id WHERE e.name > ''`, true},
		{`SELECT n FROM (SELECT abs(id) AS n, name FROM employee) WHERE name = 'x'`, true},
		{`WITH c AS (SELECT json(name) AS n, id FROM employee) SELECT n FROM c WHERE id = 1`, true},
		{`SELECT name FROM dept WHERE EXISTS (SELECT 1 FROM employee e WHERE abs(e.id) = dept.id AND e.name = '')`, true},
		{`SELECT (SELECT abs(e.id) FROM employee e WHERE e.name = 'x')`, true},
		{`SELECT abs(id) FROM employee WHERE name = 'x' UNION SELECT 1`, true},
		{`SELECT id FROM employee e WHERE (SELECT sum(9223372036854775807) FROM dept WHERE dept.id <= e.id) > 0 AND name = ''`, true},
		{`SELECT id FROM employee WHERE name = '' AND id IN (SELECT sum(dept.id) FROM dept)`, true},
		{`SELECT id FROM employee e WHERE name = '' AND EXISTS (SELECT 1 FROM dept GROUP BY id HAVING sum(e.id) > 1)`, true},
		{`SELECT id FROM employee e WHERE (SELECT ntile(e.id) OVER () FROM dept) > 0 AND name = ''`, true},
		{`WITH c AS (SELECT sum(id) AS n FROM dept) SELECT id FROM employee WHERE name > 'x' AND (SELECT n FROM c) > 0`, true},
		{`SELECT id FROM employee WHERE name = '' AND id IN (SELECT sum(id) FROM dept) UNION SELECT 1`, true},

		{`SELECT (SELECT sum(dept.id) FROM dept WHERE dept.id = e.id) AS n FROM employee e WHERE name = 'x'`, true},
		{`SELECT sum(id) FROM employee WHERE name = '' AND id IN (SELECT max(id) FROM dept WHERE id > 1)`, true},
		{`SELECT e.id, d.name FROM employee e LEFT JOIN dept d ON d.id = e.id WHERE e.name = 'x' ORDER BY e.name`, false},
		{`SELECT CASE WHEN id > 1 THEN 'a' END AS n, count(*), max(name) FROM employee GROUP BY 1 HAVING count(*) > 1`, false},
		{`SELECT sum(id), name FROM employee GROUP BY name UNION SELECT sum(id), 'x' FROM dept`, false},
		{`WITH c AS (SELECT name, sum(id) AS n FROM employee GROUP BY name) SELECT n FROM c WHERE n > 3`, true},
		{`SELECT abs(id), name || '!' AS n FROM employee WHERE id = 1 ORDER BY abs(id)`, true},
		{`SELECT sum(abs(id)) AS n, json(name) FROM employee WHERE id > 1 GROUP BY json(name)`, true},
		{`SELECT id FROM employee WHERE name LIKE 'x%' AND id IN (1, 2) AND id + 1 BETWEEN 1 AND 3`, false},
		{`SELECT name FROM (SELECT name, sum(id) AS n FROM employee GROUP BY name) WHERE n > 3`, true},
		{`SELECT id FROM employee WHERE strftime('%Y', name) = '2020'`, true},
		{`SELECT abs(employee.id) FROM dept JOIN employee USING (id, name) WHERE dept.id = 1`, true},
	}
	g := guard(t, sqlite.Dialect{})
	for _, tt := range tests {
		stmt, err := g.Rewrite(context.Background(), tt.text)
		if err != nil {
			t.Errorf("%s: %v", tt.text, err)
			continue
		}
		if got := plain(stmt.SQL()); strings.Contains(got, barrier) != tt.want || strings.Contains(got, "LIMIT -1") != tt.want {
			t.Errorf("%s\nis printed as %s", tt.text, got)
		}
	}
	stmt, err := g.Rewrite(context.Background(), `SELECT abs(count(*)) FROM employee, dept WHERE abs(dept.id) = 1`)
	if err != nil {
		t.Fatal(err)
	}
	const none = `FROM (SELECT 1 FROM main.secure_employee LIMIT -1) AS employee JOIN main.dept WHERE`
	if got := plain(stmt.SQL()); !strings.Contains(got, none) {
		t.Errorf("no column of a view is named: %s", got)
	}
}
