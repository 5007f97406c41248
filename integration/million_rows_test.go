package integration_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/qedkit/qed/internal/peakmem"
	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/secureview/dialect"
	"github.com/qedkit/qed/secureview/dialect/mysql"
	"github.com/qedkit/qed/secureview/dialect/postgres"
	"github.com/qedkit/qed/sqldb"
	"github.com/qedkit/qed/sqldb/postgresdb"
)

// A million rows of a server are read with the memory of a few. When a loop
// ends early, nothing of its statement runs on the server any more.
func TestMillionRows(t *testing.T) {
	opt := &sqldb.Options{Timeout: 5 * time.Minute}
	t.Run("MariaDB", func(t *testing.T) {
		m := newMaria(t, mariaServer(t), "million", `
			CREATE TABLE t(id BIGINT PRIMARY KEY, note TEXT, born DATE);
			INSERT INTO t SELECT seq, concat('a note about number ', seq), '2024-01-02' FROM seq_1_to_1000000`)
		m.grant(t, "SELECT ON t")
		testMillionRows(t, mysql.Dialect{}, "million", m.open(t, opt), func() int { return len(m.running(t)) })
	})
	t.Run("PostgreSQL", func(t *testing.T) {
		p := newPostgres(t, pgServer(t), "million", `
			CREATE TABLE t(id BIGINT PRIMARY KEY, note TEXT, born DATE);
			INSERT INTO t SELECT x, 'a note about number ' || x, '2024-01-02' FROM generate_series(1, 1000000) AS x;
			GRANT SELECT ON t TO million`)
		testMillionRows(t, postgres.Dialect{}, "public", p.open(t, &postgresdb.Options{Options: *opt}), func() int { return pgRunning(t, p.admin) })
	})
}

func testMillionRows(t *testing.T, d dialect.Dialect, schema string, db *sqldb.DB, running func() int) {
	const million = 1_000_000
	guard, err := secureview.New(&secureview.Policy{
		Schema: schema, Tables: map[string][]string{"t": {"id", "note", "born"}}, RowLimit: million + 1,
	}, d)
	if err != nil {
		t.Fatal(err)
	}
	stmt, err := guard.Rewrite(t.Context(), "SELECT id, note, born FROM t ORDER BY id")
	if err != nil {
		t.Fatal(err)
	}
	unlimited := sqldb.RowsOptions{MaxRows: -1, MaxBytes: -1}
	n := 0
	grown := peakmem.Growth(t, func() {
		for row, err := range db.Rows(t.Context(), stmt, unlimited) {
			if n++; err != nil || row[0] != int64(n) || row[2] != "2024-01-02" {
				t.Fatal(row, err)
			}
		}
	})
	if t.Logf("the memory grows by %d MB", grown>>20); n != million || grown > raceFactor*32<<20 {
		t.Errorf("%d rows, %d MB", n, grown>>20)
	}

	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	for name, body := range map[string]func() bool{
		"break":  func() bool { return false },
		"cancel": func() bool { cancel(); return true },
		"panic":  func() bool { panic("a bug of the loop") },
	} {
		var last error
		func() {
			defer func() { recover() }()
			ctx := ctx
			if name != "cancel" {
				ctx = t.Context()
			}
			for _, err := range db.Rows(ctx, stmt, unlimited) {
				if last = err; err == nil && !body() {
					break
				}
			}
		}()
		if left := running(); left > 0 {
			t.Errorf("%s: %d statements are still running", name, left)
		}
		if want := map[bool]error{true: sqldb.ErrCanceled}[name == "cancel"]; !errors.Is(last, want) {
			t.Errorf("%s: got %v, want %v", name, last, want)
		}
	}
	for name, opt := range map[string]sqldb.RowsOptions{"rows": {MaxRows: 10, MaxBytes: -1}, "bytes": {MaxRows: -1, MaxBytes: 1000}} {
		var last error
		for _, err := range db.Rows(t.Context(), stmt, opt) {
			last = err
		}
		if left := running(); !errors.Is(last, sqldb.ErrTooLarge) || left > 0 {
			t.Errorf("a limit of %s: %v, %d statements are still running", name, last, left)
		}
	}
}
