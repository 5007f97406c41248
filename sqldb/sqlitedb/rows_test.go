package sqlitedb_test

import (
	"errors"
	"testing"
	"time"

	"github.com/qedkit/qed/internal/peakmem"
	"github.com/qedkit/qed/sqldb"
	"github.com/qedkit/qed/sqldb/sqlitedb"
)

// A million rows are read with the memory of a few.
func TestMillionRows(t *testing.T) {
	if testing.Short() {
		t.Skip("reads a million rows")
	}
	const million = 1_000_000
	db := open(t, create(t, `
		CREATE TABLE t(id INTEGER PRIMARY KEY, note TEXT);
		WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < 1000000)
		INSERT INTO t SELECT x, 'a note about number ' || x FROM c`), &sqlitedb.Options{Options: sqldb.Options{MaxOpenConns: 1, Timeout: 5 * time.Minute}})
	g := guard(t, db, million+1, nil)
	stmt, err := g.Rewrite(t.Context(), "SELECT id, note FROM t")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	grown := peakmem.Growth(t, func() {
		for row, err := range db.Rows(t.Context(), stmt, sqldb.RowsOptions{MaxRows: million, MaxBytes: -1}) {
			if n++; err != nil || len(row) != 2 || row[0] != int64(n) {
				t.Fatal(row, err)
			}
		}
	})
	if t.Logf("the memory grows by %d MB", grown>>20); n != million || grown > 32<<20 {
		t.Errorf("%d rows, %d MB", n, grown>>20)
	}
	last := error(nil)
	for _, err := range db.Rows(t.Context(), stmt, sqldb.RowsOptions{MaxRows: million - 1, MaxBytes: -1}) {
		last = err
	}
	if !errors.Is(last, sqldb.ErrTooLarge) {
		t.Errorf("one row too many: %v", last)
	}
	for range db.Rows(t.Context(), stmt, sqldb.RowsOptions{MaxRows: -1, MaxBytes: -1}) {
		break
	}
	if _, err := db.Query(t.Context(), stmt); err != nil { // on the one connection
		t.Errorf("after a loop that was left: %v", err)
	}
}
