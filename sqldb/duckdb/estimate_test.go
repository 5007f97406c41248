package duckdb_test

import (
	"database/sql"
	"path/filepath"
	"testing"

	"github.com/qedkit/qed/secureview"
)

// TestEstimate: what DuckDB expects of statements on a table of a million rows.
func TestEstimate(t *testing.T) {
	path := filepath.Join(t.TempDir(), "estimate.duckdb")
	raw, err := sql.Open("duckdb", path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := raw.Exec("CREATE TABLE event AS SELECT i AS id, i % 10 AS kind, 'x' AS note, [i] AS l FROM range(1000000) t(i); " +
		"CREATE VIEW own AS SELECT id FROM event WHERE kind < 5"); err != nil {
		t.Fatal(err)
	}
	raw.Close()
	db := open(t, path, nil)
	g := newGuard(t, &secureview.Policy{Tables: map[string][]string{"event": {"id", "kind", "note", "l"}, "own": {"id"}}})
	for _, test := range []struct {
		sql         string
		least, most float64
	}{
		{"SELECT 1", 0, 1},
		{"SELECT note FROM event", 1, 2000}, // the guard's LIMIT ends the reading
		{"SELECT l, {'a': id} FROM event LIMIT 3", 1, 6},
		{"SELECT kind, count(*) FROM event GROUP BY kind", 800_000, 1.2e6},
		{"SELECT note FROM event ORDER BY note LIMIT 3", 800_000, 1.2e6},
		{"SELECT count(*) FROM event a JOIN event b ON a.kind < b.kind", 1e9, 1e13},
		{"SELECT count(*) FROM own", 100_000, 1.2e6},
	} {
		stmt, err := g.Rewrite(t.Context(), test.sql)
		if err != nil {
			t.Fatal(err)
		}
		if rows, err := db.Estimate(t.Context(), stmt); err != nil || rows < test.least || rows > test.most {
			t.Errorf("%s: %.0f rows, want %.0f to %.0f (%v)", test.sql, rows, test.least, test.most, err)
		}
	}
}
