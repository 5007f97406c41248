package integration_test

import (
	"database/sql"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/secureview/dialect"
	"github.com/qedkit/qed/secureview/dialect/postgres"
	"github.com/qedkit/qed/secureview/dialect/sqlite"
	"github.com/qedkit/qed/sqldb"
	"github.com/qedkit/qed/sqldb/postgresdb"
	"github.com/qedkit/qed/sqldb/sqlitedb"
)

// recursionScript creates numbers at which a recursion ends, and a hierarchy with a
// cycle.
const recursionScript = `
	CREATE TABLE stop (name VARCHAR(20) PRIMARY KEY, n INT);
	CREATE TABLE emp (id INT PRIMARY KEY, boss INT, row INT);
	INSERT INTO stop VALUES ('small', 5), ('at', 1000000), ('above', 1000001), ('far', 2000000000);
	INSERT INTO emp VALUES (1, 3, 10), (2, 1, 20), (3, 2, 30), (4, 1, 40);`

var recursionTables = map[string][]string{"stop": {"name", "n"}, "emp": {"id", "boss", "row"}}

// counted is a recursion with as many rows as a stop has.
func counted(stop string) string {
	return "WITH RECURSIVE r AS (SELECT 1 AS i UNION ALL SELECT r.i + 1 FROM r JOIN stop s ON r.i < s.n WHERE s.name = '" + stop + "') "
}

// cycle is a recursion that follows the hierarchy, which never ends.
const cycle = "WITH RECURSIVE r(i, row, row_) AS (SELECT id, row, 7 FROM emp WHERE id = 4 UNION ALL " +
	"SELECT e.id, e.row, r.row_ FROM emp e JOIN r ON e.id = (SELECT x.boss FROM emp x WHERE x.id = r.i)) "

// A recursion whose end stored data decides has at most a million rows. A statement
// that needs more of them is an error, and never a shorter result.
var recursionCases = []struct {
	text string
	want []any // the first row; nil: sqldb.ErrTooLarge
}{
	{counted("small") + "SELECT count(*), sum(i) FROM r", []any{5, 15}},
	{counted("at") + "SELECT count(*), max(i) FROM r", []any{1_000_000, 1_000_000}},
	{counted("above") + "SELECT count(*), max(i) FROM r", nil},
	{counted("far") + "SELECT i FROM r ORDER BY i LIMIT 1", nil},
	{counted("far") + "SELECT (SELECT count(*) FROM r) AS n", nil},
	{counted("far") + "SELECT count(*) FROM r a JOIN r b ON a.i = b.i", nil},
	{counted("far") + ", d AS (SELECT i + 1 AS j FROM r) SELECT count(*) FROM d WHERE j < 3", nil},
	{"SELECT s.name FROM stop s WHERE EXISTS (" + counted("far") + "SELECT 1 FROM r WHERE i < 0)", nil},
	{cycle + "SELECT sum(row) FROM r WHERE i = 99", nil},
	{cycle + ", q AS (SELECT 2 AS k UNION ALL SELECT q.k + 1 FROM q JOIN r ON r.i = q.k AND r.i > 99) SELECT count(*) FROM q", nil},
	{"WITH RECURSIVE r AS (SELECT id FROM emp WHERE id = 4 UNION SELECT e.boss FROM emp e JOIN r ON e.id = r.id) SELECT count(*) FROM r", []any{4}},

	// What needs only the first rows is right, however many there are.
	{counted("far") + "SELECT i FROM r LIMIT 3", []any{1}},
	{counted("far") + "SELECT i FROM r WHERE i > 4 LIMIT 2", []any{5}},
	{cycle + "SELECT i, row, row_ FROM r LIMIT 5", []any{4, 40, 7}},
	{counted("far") + "SELECT count(*) FROM (SELECT i FROM r LIMIT 1000000) AS d", []any{1_000_000}},
}

// recursionsInSQLite have a LIMIT, which only SQLite allows there.
var recursionsInSQLite = []struct {
	text string
	want []any
}{
	{strings.Replace(counted("far"), "'far'", "'far' LIMIT 6", 1) + "SELECT count(*) FROM r", []any{6}},
	{strings.Replace(counted("far"), "'far'", "'far' LIMIT 1000001", 1) + "SELECT count(*) FROM r", nil},
	{strings.Replace(counted("far"), "'far'", "'far' LIMIT 6 OFFSET 5", 1) + "SELECT count(*), min(i) FROM r", []any{6, 6}},
	{strings.Replace(counted("small"), "'small'", "'small' LIMIT -1 OFFSET 2", 1) + "SELECT count(*), min(i) FROM r", []any{3, 3}},
	{strings.Replace(counted("far"), "'far'", "'far' LIMIT -1 OFFSET 2", 1) + "SELECT count(*) FROM r", nil},
}

func TestRecursion(t *testing.T) {
	t.Parallel()
	opt := sqldb.Options{Timeout: time.Minute}
	const remedy = "write UNION instead of UNION ALL"
	check := func(t *testing.T, db *sqldb.DB, d dialect.Dialect, schema string, text string, want []any) {
		t.Helper()
		stmt := recursionStatement(t, d, schema, text)
		var row []any
		for _, n := range want {
			row = append(row, int64(n.(int)))
		}
		table, err := db.Query(t.Context(), stmt)
		if want == nil {
			if !errors.Is(err, sqldb.ErrTooLarge) || !strings.Contains(err.Error(), remedy) {
				t.Errorf("%s\nexecuted as %s\n%v, %v", text, stmt.SQL(), table, err)
			}
			return
		}
		if err != nil || len(table.Rows) == 0 || !cmp.Equal(table.Rows[0], row) {
			t.Errorf("%s\nexecuted as %s\n%v, %v; want %v", text, stmt.SQL(), table, err, want)
		}
	}
	t.Run("sqlite", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "recursion.db")
		raw, err := sql.Open("sqlite", path)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { raw.Close() })
		mustExec(t, raw, recursionScript)
		db, err := sqlitedb.Open(path, &sqlitedb.Options{Options: opt})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { db.Close() })
		for _, tt := range append(recursionCases, recursionsInSQLite...) {
			t.Run("", func(t *testing.T) {
				t.Parallel()
				check(t, db, sqlite.Dialect{}, "main", tt.text, tt.want)
			})
		}
		// A program that executes a statement without package sqldb has the error as well.
		stmt := recursionStatement(t, sqlite.Dialect{}, "main", cycle+"SELECT count(*) FROM r")
		if _, err := run(raw, stmt.SQL()); err == nil || !strings.Contains(err.Error(), remedy) {
			t.Errorf("without sqldb: %v", err)
		}
	})
	t.Run("postgresql", func(t *testing.T) {
		p := newPostgres(t, pgServer(t), "recursion", recursionScript+"GRANT SELECT ON stop, emp TO recursion")
		db := p.open(t, &postgresdb.Options{Options: opt})
		for _, tt := range recursionCases {
			t.Run("", func(t *testing.T) {
				t.Parallel()
				check(t, db, postgres.Dialect{}, "public", tt.text, tt.want)
			})
		}
		stmt := recursionStatement(t, postgres.Dialect{}, "public", cycle+"SELECT count(*) FROM r")
		if _, err := run(p.admin, stmt.SQL()); err == nil || !strings.Contains(err.Error(), remedy) {
			t.Errorf("without sqldb: %v", err)
		}
	})
}

func recursionStatement(t *testing.T, d dialect.Dialect, schema, text string) *secureview.Statement {
	t.Helper()
	guard, err := secureview.New(&secureview.Policy{Schema: schema, Tables: recursionTables}, d)
	if err != nil {
		t.Fatal(err)
	}
	stmt, err := guard.Rewrite(t.Context(), text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return stmt
}
