package integration

import (
	"database/sql"
	"path/filepath"
	"testing"

	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/secureview/dialect/sqlite"
)

// A subquery of a condition does not show, by its error, the values of rows that a
// view hides.
func TestSQLiteSubqueriesOfHiddenRows(t *testing.T) {
	g, err := secureview.New(&secureview.Policy{
		Tables: map[string][]string{"secure_emp": {"id", "salary"}, "x": {"n"}},
		Views:  map[string]string{"emp": "secure_emp"},
	}, sqlite.Dialect{})
	if err != nil {
		t.Fatal(err)
	}
	fails := func(t *testing.T, hidden int, query string) bool {
		db, err := sql.Open("sqlite", filepath.Join(t.TempDir(), "hidden.db"))
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		for _, stmt := range []string{
			"CREATE TABLE emp (id INTEGER PRIMARY KEY, owner INT, salary INT)",
			"CREATE TABLE owner (id INT, name TEXT)",
			"CREATE TABLE x (n INT)",
			"INSERT INTO x VALUES (1), (2)",
			"INSERT INTO owner VALUES (1, 'me'), (2, 'you')",
			"INSERT INTO emp VALUES (1, 1, 1)",
			"CREATE VIEW secure_emp AS SELECT e.id, salary FROM emp e CROSS JOIN owner o WHERE o.id = owner AND name = 'me'",
		} {
			if _, err := db.ExecContext(t.Context(), stmt); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := db.ExecContext(t.Context(), "INSERT INTO emp VALUES (2, 2, ?)", hidden); err != nil {
			t.Fatal(err)
		}
		var n int
		return db.QueryRowContext(t.Context(), "SELECT count(*) FROM ("+query+")").Scan(&n) != nil
	}
	for _, text := range []string{
		"SELECT id FROM emp WHERE salary > 100 AND (SELECT sum(9223372036854775807) FROM x WHERE x.n > 0) > 0",
		"SELECT id FROM emp e WHERE (SELECT sum(9223372036854775807) FROM x WHERE x.n <= e.salary) > 0",
		"SELECT id FROM emp e JOIN x ON x.n = 1 AND (SELECT sum(9223372036854775807) FROM x y WHERE y.n <= e.salary) > 0",
		"SELECT id FROM emp e WHERE (SELECT ntile(e.salary) OVER () FROM x WHERE x.n = 1) > 0",
		"SELECT id FROM emp e WHERE (SELECT nth_value(n, e.salary) OVER () FROM x WHERE x.n = 1) > 0",
		"WITH c AS (SELECT sum(9223372036854775807) AS n FROM x) SELECT id FROM emp WHERE salary > 100 AND (SELECT n FROM c) > 0",
	} {
		stmt, err := g.Rewrite(t.Context(), text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		for _, hidden := range []int{-5, 0, 1, 2, 200} {
			if fails(t, hidden, stmt.SQL()) {
				t.Errorf("%s fails with the hidden value %d", stmt.SQL(), hidden)
			}
		}
	}
}
