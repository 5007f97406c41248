package sqlitedb_test

import (
	"database/sql"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed/internal/peakmem"
	"github.com/qedkit/qed/refusal"
	"github.com/qedkit/qed/sqldb"
	"github.com/qedkit/qed/sqldb/sqlitedb"
)

const jsonRows = `
	CREATE TABLE t(k, v, n INTEGER);
	INSERT INTO t VALUES ('a', 1, 1), (NULL, 2, 1), (3, 2.5, 1), ('q"x', NULL, 1), ('n', 9e999, 2), ('j', '{"a": 1}', 2),
		('big', 12345678901234567, 2), ('e', '', 2), ('c', char(10) || char(1) || 'é😀', 3), ('null', -0.0, 3), ('null', 7, 3);`

// A JSON aggregate has the value that SQLite's own has.
func TestJSONAggregates(t *testing.T) {
	path := create(t, jsonRows)
	host, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer host.Close()
	db := open(t, path, nil)
	g := guard(t, db, 0, nil)
	for _, text := range []string{
		`SELECT json_group_array(v) FROM t`,
		`SELECT json_group_array(v) FROM t WHERE n > 5`,
		`SELECT json_group_array(json(v)) FROM t WHERE k = 'j'`,
		`SELECT json_group_array(v ORDER BY k DESC, v) FROM t`,
		`SELECT json_group_array(v) FILTER (WHERE v > 1) FROM t`,
		`SELECT json_group_array(DISTINCT n) FROM t`,
		`SELECT json_group_array(x) FROM (SELECT DISTINCT n % 2 AS x FROM t)`,
		`SELECT json_group_object(k, v) FROM t`,
		`SELECT json_group_object(k, v) FROM t WHERE k IS NULL`,
		`SELECT json_group_object(k, v ORDER BY v) FROM t WHERE n = 3`,
		`SELECT hex(jsonb_group_array(v)), hex(jsonb_group_object(k, v)) FROM t`,
		`SELECT json_object('a', json_group_array(v), 'o', json_group_object(k, v)) FROM t`,
		`SELECT n, json_group_array(json_object('k', k, 'v', json_array(v))) FROM t GROUP BY n HAVING json_group_array(v) <> '[]' ORDER BY json_group_array(v)`,
		`SELECT k, json_group_array(v) OVER (ORDER BY k, v ROWS 2 PRECEDING) FROM t`,
		`SELECT n, (SELECT json_group_array(x.k) FROM t AS x WHERE x.n = t.n) FROM t`,
		`SELECT json_array(d.x) FROM (SELECT json_group_array(v) AS x FROM t) AS d`,
		`SELECT json_extract(json_group_array(v), '$[1]'), json_group_array(v) ->> 2, json_array_length(jsonb_group_array(v)) FROM t`,
	} {
		want := values(t, host, text)
		table, err := db.Query(t.Context(), rewrite(t, g, text))
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if diff := cmp.Diff(want, table.Rows); diff != "" {
			t.Errorf("%s:\n%s", text, diff)
		}
	}
	for _, text := range []string{
		`SELECT json_group_array(DISTINCT k || v) FROM t`,
		`SELECT json_group_array(DISTINCT x) FROM (SELECT a.k || b.k AS x FROM t AS a, t AS b) AS d`,
		`WITH d AS (SELECT a.k || b.k AS x FROM t AS a, t AS b) SELECT jsonb_group_array(DISTINCT d.x) FROM d`,
	} {
		var refused *refusal.Error
		if _, err := g.Rewrite(t.Context(), text); !errors.As(err, &refused) {
			t.Errorf("%s: %v, want a refusal", text, err)
		}
	}
}

// values returns what SQLite itself returns for a statement.
func values(t *testing.T, host *sql.DB, text string) (out [][]any) {
	t.Helper()
	rows, err := host.QueryContext(t.Context(), text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		t.Fatal(err)
	}
	for rows.Next() {
		row, to := make([]any, len(columns)), make([]any, len(columns))
		for i := range row {
			to[i] = &row[i]
		}
		if err := rows.Scan(to...); err != nil {
			t.Fatal(err)
		}
		out = append(out, row)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return out
}

// The memory of aggregates that collect the rows of a product is bounded.
func TestAggregatesOfProducts(t *testing.T) {
	if testing.Short() {
		t.Skip("aggregates until the time limit")
	}
	db := open(t, create(t, `CREATE TABLE t(k TEXT);
		INSERT INTO t WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < 300)
			SELECT x || replace(hex(zeroblob(500)), '0', 'a') FROM c;`),
		&sqlitedb.Options{Options: sqldb.Options{Timeout: 2 * time.Second}})
	g := guard(t, db, 0, nil)
	for _, aggregate := range []string{"json_group_array(a.k)", "json_group_object(a.k, b.k)", "jsonb_group_array(c.k)",
		"group_concat(a.k)", "json_group_array(a.k ORDER BY b.k)", "json_group_array(DISTINCT a.k)"} {
		stmt := rewrite(t, g, "SELECT length("+aggregate+") FROM t AS a, t AS b, t AS c LIMIT 1")
		var err error
		grown := peakmem.Growth(t, func() { _, err = db.Query(t.Context(), stmt) })
		if grown >= 68<<20 {
			t.Errorf("%s: the memory grows by %d MB: %v", aggregate, grown>>20, err)
		}
		var e *sqldb.Error
		if err != nil && !errors.As(err, &e) {
			t.Errorf("%s: %v", aggregate, err)
		}
	}
}
