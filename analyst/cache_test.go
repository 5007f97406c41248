package analyst

import (
	"database/sql"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/secureview/dialect/sqlite"
	"github.com/qedkit/qed/sqldb/sqlitedb"
)

// A statement runs once in a session that has its own data, and once in a turn if the
// database is shared.
func TestCache(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.db")
	writer, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer writer.Close()
	write := func(statement string) {
		t.Helper()
		if _, err := writer.Exec(statement); err != nil {
			t.Fatal(err)
		}
	}
	write("CREATE TABLE t_parsed(n INTEGER); INSERT INTO t_parsed VALUES (1)")
	db, err := sqlitedb.Open(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	opt, err := (*Options)(nil).withDefaults()
	if err != nil {
		t.Fatal(err)
	}
	d, err := newData(Data{DB: db, Policy: &secureview.Policy{Tables: map[string][]string{"t_parsed": {"n"}}}, Dialect: sqlite.Dialect{}}, opt)
	if err != nil {
		t.Fatal(err)
	}
	read := func(d *data, query string) any {
		t.Helper()
		rows, _, err := d.read(t.Context(), query)
		if err != nil {
			t.Fatal(err)
		}
		return rows.Rows[0][0]
	}
	const sum = "SELECT sum(n) FROM t_parsed"
	shared := &Analyst{shared: d}
	turn := shared.forTurn(d)
	if own, first := read(d, sum), read(turn, sum); own != int64(1) || first != int64(1) {
		t.Fatalf("sums %v and %v", own, first)
	}
	write("INSERT INTO t_parsed VALUES (2)")
	if got := read(d, sum); got != int64(1) {
		t.Errorf("a session reads %v, want its first result", got)
	}
	if got := read(turn, sum); got != int64(1) {
		t.Errorf("the same turn reads %v, want its first result", got)
	}
	if got := read(shared.forTurn(d), sum); got != int64(3) {
		t.Errorf("the next turn reads %v, want the new sum", got)
	}
	if d, again := d, (&Analyst{}).forTurn(d); d != again {
		t.Error("the results of a session with its own data are kept for a turn only")
	}
	for i := range 32 {
		read(d, fmt.Sprintf("SELECT n + %d FROM t_parsed", i))
	}
	if got := read(d, sum); got != int64(3) {
		t.Errorf("after 32 other statements: %v", got)
	}
}
