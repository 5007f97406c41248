package analyst

import (
	"context"
	"database/sql"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	_ "modernc.org/sqlite"

	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/secureview/dialect/sqlite"
)

func sourceGuard(t *testing.T) *secureview.Guard {
	t.Helper()
	guard, err := secureview.New(&secureview.Policy{
		Tables: map[string][]string{"t": {"a", "b", "v"}}, RowLimit: 1000,
	}, sqlite.Dialect{})
	if err != nil {
		t.Fatal(err)
	}
	return guard
}

// What a statement says about rows is what the source says: its aggregates over the
// source are those of the statement itself.
func TestSourceHasTheAggregates(t *testing.T) {
	db, err := sql.Open("sqlite", "file:/source?vfs=memdb")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	if _, err := db.Exec(`CREATE TABLE t(a TEXT, b TEXT, v REAL);
		WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 199)
		INSERT INTO t SELECT char(97 + i % 4), char(107 + i % 3), CASE WHEN i % 11 = 0 THEN NULL ELSE (i * i) % 37 END FROM n`); err != nil {
		t.Fatal(err)
	}
	rows := func(query string) [][]any {
		t.Helper()
		found, err := db.Query(query)
		if err != nil {
			t.Fatalf("%s: %v", query, err)
		}
		defer found.Close()
		names, err := found.Columns()
		if err != nil {
			t.Fatal(err)
		}
		all := [][]any{}
		for found.Next() {
			row := make([]any, len(names))
			to := make([]any, len(names))
			for i := range row {
				to[i] = &row[i]
			}
			if err := found.Scan(to...); err != nil {
				t.Fatal(err)
			}
			all = append(all, row)
		}
		if err := found.Err(); err != nil {
			t.Fatal(err)
		}
		return all
	}
	const wide = `SELECT "t"."a" AS "a", "t"."b" AS "b", "t"."v" AS "v" FROM "main"."t"`
	for _, test := range []struct{ sql, over, want string }{
		{"SELECT a, avg(v) FROM t GROUP BY a HAVING count(*) > 1 ORDER BY 2 LIMIT 3", "SELECT a, avg(v) FROM s GROUP BY a HAVING count(*) > 1 ORDER BY 2 LIMIT 3", wide + " LIMIT 1000"},
		{"SELECT count(*) FROM t WHERE b = 'k'", "SELECT count(*) FROM s", wide + ` WHERE "t"."b" = 'k' LIMIT 1000`},
		{"SELECT DISTINCT b FROM t", "SELECT DISTINCT b FROM s", wide + " LIMIT 1000"},
		{"SELECT upper(a) AS u, sum(v) FROM t GROUP BY u", "SELECT u, sum(v) FROM s GROUP BY u", ""},
		{"SELECT CASE WHEN v > 10 THEN 'high' ELSE 'low' END AS size, count(*) FROM t WHERE size = 'high' GROUP BY 1", "SELECT size, count(*) FROM s GROUP BY size", ""},
		// Rows that are selected, and then aggregated: also the columns that are not selected.
		{"SELECT avg(w) FROM (SELECT v * 2 AS w FROM t WHERE a = 'a') WHERE w > 5", "SELECT avg(w) FROM s WHERE a = 'a'", ""},
		{"WITH x AS (SELECT a, v FROM t WHERE b = 'k') SELECT a, max(v) FROM x WHERE v > 3 GROUP BY a", "SELECT a, max(v) FROM s WHERE b = 'k' GROUP BY a", ""},
		{"WITH x AS (SELECT * FROM t WHERE b = 'k'), y AS (SELECT a, v FROM x WHERE v > 3) SELECT a, count(*) FROM y GROUP BY a", "SELECT a, count(*) FROM s GROUP BY a", ""},
		// Groups that are only selected: the rows in them.
		{"SELECT n FROM (SELECT a, count(*) AS n FROM t GROUP BY a)", "SELECT count(*) FROM s GROUP BY a", wide + " LIMIT 1000"},
		{"WITH g AS (SELECT a, avg(v) AS m FROM t WHERE b = 'k' GROUP BY a) SELECT a, m FROM g WHERE m > 0 ORDER BY m DESC", "SELECT a, avg(v) AS m FROM s GROUP BY a HAVING m > 0 ORDER BY m DESC", wide + ` WHERE "t"."b" = 'k' LIMIT 1000`},
		{"WITH g AS (SELECT a, avg(v) AS m FROM t GROUP BY a) SELECT a, rank() OVER (ORDER BY m) AS r FROM g", "SELECT a, rank() OVER (ORDER BY avg(v)) AS r FROM s GROUP BY a", ""},
		// Groups that are aggregated again are the rows.
		{"SELECT avg(n) FROM (SELECT a, count(*) AS n FROM t GROUP BY a) WHERE n > 3", "SELECT avg(n) FROM s", ""},
		{"WITH g AS (SELECT a, b, sum(v) AS n FROM t GROUP BY a, b) SELECT a, max(n) FROM g GROUP BY a", "SELECT a, max(n) FROM s GROUP BY a", ""},
		// Limits and windows of a subquery stay.
		{"SELECT sum(v) FROM (SELECT v FROM t ORDER BY v DESC, a, b LIMIT 7)", "SELECT sum(v) FROM s", ""},
		{"SELECT count(*) FROM (SELECT DISTINCT a, b FROM t)", "SELECT count(*) FROM s", ""},
		{"SELECT a, avg(v) FROM (SELECT a, v, row_number() OVER (PARTITION BY a ORDER BY v) AS n FROM t) WHERE n = 5 GROUP BY a", "SELECT a, avg(v) FROM s GROUP BY a", ""},
		{"SELECT count(*) FROM t WHERE v > (SELECT avg(v) FROM t)", "SELECT count(*) FROM s", ""},
		{"WITH x AS (SELECT a, v FROM t), m AS (SELECT avg(v) AS m FROM t) SELECT count(*) FROM x WHERE v > (SELECT m FROM m)", "SELECT count(*) FROM s", ""},
		{"WITH g AS (SELECT a, avg(v) AS m FROM t GROUP BY a) SELECT sum(t.v - g.m) FROM t JOIN g ON g.a = t.a", "SELECT sum(v - m) FROM s", ""},
		{"SELECT count(*) FROM (SELECT v FROM t UNION ALL SELECT v FROM t)", "SELECT count(*) FROM s", ""},
	} {
		stmt, err := rewriteSource(t.Context(), sourceGuard(t), sqlite.Dialect{}, test.sql)
		if err != nil {
			t.Errorf("%s: %v", test.sql, err)
			continue
		}
		if test.want != "" && stmt.SQL() != test.want {
			t.Errorf("%s:\n%s", test.sql, cmp.Diff(test.want, stmt.SQL()))
		}
		over := "WITH s AS (" + strings.TrimSuffix(stmt.SQL(), " LIMIT 1000") + ") " + test.over
		if diff := cmp.Diff(rows(test.sql), rows(over)); diff != "" {
			t.Errorf("%s: the source is %s\n%s", test.sql, stmt.SQL(), diff)
		}
	}
}

func TestSourceIsRefused(t *testing.T) {
	for sql, want := range map[string]error{
		"SELECT a FROM t UNION SELECT b FROM t": secureview.ErrUnsupported,
		"SELECT 1":                              secureview.ErrUnsupported,
		"SELECT upper(a) AS a, count(*) FROM t GROUP BY 1":                                                 secureview.ErrUnsupported,
		"WITH g AS (SELECT a, count(*) AS n FROM t GROUP BY a) SELECT t.b, g.n FROM t JOIN g ON g.a = t.a": secureview.ErrUnsupported,
		"WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < 3) SELECT n FROM r":      secureview.ErrUnsupported,
		"SELECT secret FROM t":                      secureview.ErrUnknownColumn,
		"SELECT max(n) FROM (SELECT c AS n FROM t)": secureview.ErrUnknownColumn,
		"SELECT a FROM other":                       secureview.ErrUnknownTable,
		"DELETE FROM t":                             secureview.ErrNotSelect,
	} {
		if stmt, err := rewriteSource(context.Background(), sourceGuard(t), sqlite.Dialect{}, sql); !errors.Is(err, want) {
			t.Errorf("%s: %v, %v, want %v", sql, stmt, err, want)
		}
	}
}
