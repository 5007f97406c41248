package duckdb_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	driver "github.com/duckdb/duckdb-go/v2"

	"github.com/qedkit/qed/joinpath"
	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/sqldb"
	"github.com/qedkit/qed/sqldb/duckdb"
)

// A view's condition is applied before anything of the statement: an error, the
// time or a row must not tell what the view hides. The code of the hidden row is no
// number, so that a cast of it fails.
func TestViewsHideRows(t *testing.T) {
	path, _ := newShop(t)
	db := open(t, path, nil)
	g := newGuard(t, policy)
	for _, test := range []struct {
		query string
		want  [][]any
	}{
		{"SELECT name FROM employee ORDER BY id", [][]any{{"Ann"}, {"Bob"}}},
		{"SELECT name FROM employee WHERE code::INTEGER > 7", [][]any{{"Bob"}}},
		{"SELECT count(*) FROM employee WHERE 1 / (id - 3) < 5", [][]any{{int64(2)}}},
		{"SELECT e.name FROM employee e JOIN employee f ON e.code::INTEGER = f.code::INTEGER ORDER BY 1", [][]any{{"Ann"}, {"Bob"}}},
		{"SELECT max(code::INTEGER) FROM employee", [][]any{{int64(8)}}},
		{"SELECT name FROM (SELECT * FROM employee) WHERE code::INTEGER = 7", [][]any{{"Ann"}}},
		{"WITH e AS (SELECT * FROM employee) SELECT name FROM e WHERE code::INTEGER = 7 AND id > 0", [][]any{{"Ann"}}},
		{"SELECT name FROM employee QUALIFY row_number() OVER (ORDER BY code::INTEGER) = 1", [][]any{{"Ann"}}},
		{"SELECT count(*) FROM customers WHERE EXISTS (SELECT 1 FROM employee WHERE code::INTEGER > 100)", [][]any{{int64(0)}}},
		{"SELECT name FROM employee ORDER BY code::INTEGER DESC LIMIT 1", [][]any{{"Bob"}}},
	} {
		table, err := ask(db, g, test.query)
		if err != nil {
			t.Errorf("%s\n%v", test.query, err)
			continue
		}
		if diff := cmp.Diff(test.want, table.Rows); diff != "" {
			t.Errorf("%s\nrows (-want +got):\n%s", test.query, diff)
		}
	}
}

// DuckDB's loop for small ASOF joins fails for columns of different types.
func TestAsofJoinOfTypes(t *testing.T) {
	path, _ := newShop(t)
	table, err := ask(open(t, path, nil), newGuard(t, policy), `SELECT n.id, p.v FROM nodes n
		ASOF JOIN (SELECT id FROM nodes EXCEPT SELECT 99::BIGINT) p(v) ON n.id >= p.v ORDER BY n.id`)
	if err != nil {
		t.Fatal(err)
	}
	want := [][]string{{"1", "1"}, {"2", "2"}, {"3", "3"}, {"4", "4"}}
	got := [][]string{}
	for _, row := range table.Rows {
		got = append(got, texts(row))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestIntrospect(t *testing.T) {
	path, _ := newShop(t)
	db := open(t, path, nil)
	schema, err := db.Introspect(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]joinpath.Table{
		"nodes": {Columns: []string{"id", "parent"}, Types: map[string]string{"id": "INTEGER", "parent": "INTEGER"},
			PrimaryKey: []string{"id"}, UniqueColumns: []string{"id"}, NotNull: []string{"id"}},
		"customers": {Columns: []string{"name", "country"}, Types: map[string]string{"name": "VARCHAR", "country": "VARCHAR"},
			PrimaryKey: []string{"name"}, UniqueColumns: []string{"name"}, NotNull: []string{"name", "country"}},
		"secure_employee": {Columns: []string{"id", "name", "code"}, View: true, Reads: []string{"employee"}, Uses: []joinpath.Use{},
			Types: map[string]string{"id": "INTEGER", "name": "VARCHAR", "code": "VARCHAR"}},
		"names": {Columns: []string{"name"}, View: true, Reads: []string{"employee"}, Types: map[string]string{"name": "VARCHAR"}},
	}
	for name, table := range want {
		if diff := cmp.Diff(table, schema.Tables[name]); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	var found []string
	for _, r := range schema.Relationships {
		found = append(found, r.FromTable+"."+r.FromColumn+" -> "+r.ToTable+"."+r.ToColumn)
	}
	if diff := cmp.Diff([]string{"nodes.parent -> nodes.id"}, found); diff != "" {
		t.Errorf("relationships (-want +got):\n%s", diff)
	}
}

// A policy has no column and no view that may show a secret under another name.
func TestUses(t *testing.T) {
	path := filepath.Join(t.TempDir(), "uses.duckdb")
	raw, err := sql.Open("duckdb", path)
	if err != nil {
		t.Fatal(err)
	}
	_, err = raw.Exec(`CREATE TABLE login(id INT DEFAULT 7, token VARCHAR, hint VARCHAR AS (left(token, 2)), twice INT AS (id * 2));
		CREATE VIEW ids AS SELECT id, twice FROM login; CREATE VIEW renamed AS SELECT token AS x FROM login;
		CREATE VIEW listed(a, b, c, d) AS SELECT * FROM login; CREATE VIEW shown AS SELECT id, token FROM login;
		CREATE VIEW row AS SELECT l FROM login l; CREATE VIEW counted AS SELECT count(*) AS n FROM login WHERE id > 0;
		CREATE VIEW most AS SELECT * EXCLUDE (token, hint) FROM login; CREATE VIEW whole AS SELECT * FROM ids;
		CREATE MACRO mask(s) AS left(s, 1); CREATE MACRO later(n) AS n + 1; CREATE VIEW masked AS SELECT id, mask(token) AS t FROM login;
		CREATE VIEW next AS SELECT id, later(id) AS after FROM login; INSERT INTO login VALUES (1, 'secret');`)
	if err := errors.Join(err, raw.Close()); err != nil {
		t.Fatal(err)
	}
	schema, err := open(t, path, nil).Introspect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	policy, _, err := sqldb.PolicyFor(schema, nil)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string][]string{"login": {"id", "twice"}, "ids": {"id", "twice"}, "shown": {"id"}, "next": {"id", "after"},
		"counted": {"n"}, "most": {"id", "twice"}, "whole": {"id", "twice"}}, policy.Tables); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestCheck(t *testing.T) {
	path, _ := newShop(t)
	db := open(t, path, nil)
	if err := db.Check(context.Background(), policy); err != nil {
		t.Errorf("a policy that fits: %v", err)
	}
	wrong := &secureview.Policy{Dialect: "duckdb", Tables: map[string][]string{"order": {"id"}, "orders": {"id", "amout"}}}
	err := db.Check(context.Background(), wrong)
	var e *sqldb.Error
	if !errors.As(err, &e) || e.Kind != sqldb.ErrAccount || len(e.Findings) != 2 {
		t.Fatalf("a policy with two mistakes: %v", err)
	}
	for _, f := range e.Findings {
		if len(f.Candidates) == 0 {
			t.Errorf("%s has no candidates", f.Message)
		}
	}
}

// A guard whose policy lists less than its catalog says makes statements that read
// more than they declare. The engine compares them with DuckDB's plan.
func TestSecondReading(t *testing.T) {
	path, _ := newShop(t)
	db := open(t, path, nil)
	locked, _ := newShop(t)
	view := &secureview.Policy{Dialect: "duckdb", Tables: map[string][]string{"secure_employee": {"id", "name", "code"}}}
	if _, err := ask(db, newGuard(t, view), "SELECT name FROM secure_employee"); err != nil {
		t.Errorf("what a view reads: %v", err)
	}
	for _, query := range []string{"SELECT k FROM secret", "SELECT hidden FROM orders", "SELECT value FROM duckdb_settings()",
		"SELECT * FROM range(3), secret", "SELECT id FROM orders WHERE id IN (SELECT v FROM secret)"} {
		if err := duckdb.Admit(locked, query, sqldb.Object{Name: "orders", Columns: []string{"id"}}); !errors.Is(err, sqldb.ErrDenied) {
			t.Errorf("%s\nerror %v, want one of kind %q", query, err, sqldb.ErrDenied)
		}
	}
	if err := duckdb.Admit(locked, "SELECT id FROM orders WHERE id > 3", sqldb.Object{Name: "Orders", Columns: []string{"ID"}}); err != nil {
		t.Errorf("what is declared: %v", err)
	}
}

// A locked database does not leave its file, even without a guard.
func TestLocked(t *testing.T) {
	path, _ := newShop(t)
	for _, query := range []string{
		"SELECT * FROM read_text('/etc/passwd')", "SET memory_limit = '9GB'", "INSTALL httpfs", "COPY (SELECT 1) TO '/tmp/qed-x.csv'",
		"ATTACH '/tmp/qed-x.duckdb'", "CREATE TABLE x AS SELECT 1", "DELETE FROM orders",
	} {
		if err := duckdb.ExecLocked(path, query); err == nil {
			t.Errorf("%s\nruns on a locked database", query)
		}
	}
}

func TestOpenRefuses(t *testing.T) {
	text := filepath.Join(t.TempDir(), "x.duckdb")
	if err := os.WriteFile(text, []byte(strings.Repeat("no database ", 1000)), 0o600); err != nil {
		t.Fatal(err)
	}
	path, _ := newShop(t)
	opened, _ := newShop(t)
	open(t, opened, nil)
	for _, test := range []struct {
		name, path string
		opt        *duckdb.Options
		kind       sqldb.Kind
	}{
		{"no path", "", nil, sqldb.ErrArgument},
		{"no file", filepath.Join(t.TempDir(), "x.duckdb"), nil, sqldb.ErrMissing},
		{"no database", text, nil, sqldb.ErrNotDatabase},
		{"a file that is open", opened, nil, sqldb.ErrUnavailable},
		{"a negative limit", path, &duckdb.Options{MemoryLimit: -1}, sqldb.ErrArgument},
	} {
		db, err := duckdb.Open(context.Background(), test.path, test.opt)
		if err == nil {
			db.Close()
		}
		if !errors.Is(err, test.kind) {
			t.Errorf("%s: error %v, want kind %q", test.name, err, test.kind)
		}
	}
	sessions := open(t, path, &duckdb.Options{Options: sqldb.Options{
		Session: func(context.Context) (*sqldb.Session, error) { return &sqldb.Session{Role: "r"}, nil }}})
	if _, err := ask(sessions, newGuard(t, policy), "SELECT 1"); !errors.Is(err, sqldb.ErrArgument) {
		t.Errorf("a session: %v", err)
	}
}

// Values have the form in which DuckDB writes them.
func TestValues(t *testing.T) {
	path, _ := newShop(t)
	db := open(t, path, nil)
	for expression, want := range map[string]any{
		"DATE '2024-02-29'":                                  "2024-02-29",
		"TIMESTAMP '2024-01-01 10:00:00.5'":                  "2024-01-01 10:00:00.5",
		"TIME '10:30:00'":                                    "10:30:00",
		"INTERVAL '1 year 2 days 3 seconds'":                 "1 year 2 days 00:00:03",
		"INTERVAL (-1) MONTH":                                "-1 month",
		"1.50::DECIMAL(10, 2)":                               "1.50",
		"'170141183460469231731687303715884105727'::HUGEINT": "170141183460469231731687303715884105727",
		"5::HUGEINT":                                         int64(5),
		"200::UTINYINT":                                      int64(200),
		"1.5::DOUBLE":                                        1.5,
		"'NaN'::DOUBLE":                                      "NaN",
		"true":                                               true,
		"NULL":                                               nil,
		"[1, NULL, 3]":                                       "[1,null,3]",
		"{'a': [DATE '2024-01-01'], 'b': 1.5}":               `{"a":["2024-01-01"],"b":1.5}`,
		"MAP {'k': 1}":                                       `{"k":1}`,
		"MAP {[1]: 2, [3]: NULL}":                            `{"[1]":2,"[3]":null}`,
		"[MAP {DATE '2024-01-01': {'a': 1.5}}]":              `[{"2024-01-01":{"a":1.5}}]`,
		"'00000000-0000-0000-0000-00000000000a'::UUID":       "00000000-0000-0000-0000-00000000000a",
		"'ä'": "ä",
	} {
		table, err := ask(db, newGuard(t, policy), "SELECT "+expression)
		if err != nil {
			t.Errorf("%s: %v", expression, err)
			continue
		}
		if diff := cmp.Diff([][]any{{want}}, table.Rows); diff != "" {
			t.Errorf("%s (-want +got):\n%s", expression, diff)
		}
	}
}

// An error of DuckDB itself says what to do, without a call stack or what was read.
func TestDuckDBFails(t *testing.T) {
	for _, kind := range []driver.ErrorType{driver.ErrorTypeInternal, driver.ErrorTypeFatal} {
		cause := &driver.Error{Type: kind, Msg: "INTERNAL Error: value 'Ann' is wrong\n\nStack Trace:\n/usr/lib/libduckdb.so(+0x1)"}
		err := duckdb.Classify(fmt.Errorf("query: %w", cause))
		if !errors.Is(err, sqldb.ErrUnreadable) || !errors.Is(err, cause) {
			t.Errorf("%v is %v", kind, err)
		}
		for _, hidden := range []string{"Ann", "Stack", "libduckdb"} {
			if strings.Contains(err.Error(), hidden) {
				t.Errorf("%q is in %v", hidden, err)
			}
		}
	}
}
