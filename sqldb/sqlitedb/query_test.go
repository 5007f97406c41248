package sqlitedb_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	_ "modernc.org/sqlite"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/poll"
	"github.com/qedkit/qed/refusal"
	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/secureview/dialect/mysql"
	"github.com/qedkit/qed/secureview/dialect/sqlite"
	"github.com/qedkit/qed/sqldb"
	"github.com/qedkit/qed/sqldb/sqlitedb"
)

// create writes a database file with the general driver.
func create(t testing.TB, script string) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "company.db")
	host, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer host.Close()
	if _, err := host.Exec(script); err != nil {
		t.Fatal(err)
	}
	return path
}

func open(t testing.TB, path string, opt *sqlitedb.Options) *sqldb.DB {
	t.Helper()
	db, err := sqlitedb.Open(path, opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

// guard allows everything in the database to be read, through views if there
// are any.
func guard(t testing.TB, db *sqldb.DB, rowLimit int, views map[string]string) *secureview.Guard {
	t.Helper()
	schema, err := db.Introspect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	policy := &secureview.Policy{Dialect: "sqlite", Tables: map[string][]string{}, Views: views, RowLimit: rowLimit, Functions: []string{"randomblob", "zeroblob"}}
	for name, table := range schema.Tables {
		policy.Tables[name] = table.Columns
	}
	for table := range views {
		delete(policy.Tables, table)
	}
	g, err := secureview.New(policy, sqlite.Dialect{})
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func rewrite(t testing.TB, g *secureview.Guard, text string) *secureview.Statement {
	t.Helper()
	stmt, err := g.Rewrite(t.Context(), text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return stmt
}

const company = `
	CREATE TABLE employee(id INTEGER PRIMARY KEY, name TEXT, ssn TEXT, hired DATETIME);
	CREATE VIEW secure_employee AS SELECT id, name, hired FROM employee;
	CREATE TABLE n(x INTEGER);
	INSERT INTO employee VALUES (1, 'Ann', '111-11', '2020-01-02'), (2, 'Bob', '222-22', '2020-01-02 03:04:05');
	INSERT INTO n WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < 1000) SELECT x FROM c;`

func TestQueryThroughViews(t *testing.T) {
	db := open(t, create(t, company), nil)
	g := guard(t, db, 0, map[string]string{"employee": "secure_employee"})
	got, err := db.Query(t.Context(), rewrite(t, g, `SELECT employee.name, hired FROM employee ORDER BY id`))
	if err != nil {
		t.Fatal(err)
	}
	want := &qed.Table{
		Columns: []qed.Column{{Name: "name", Type: "TEXT"}, {Name: "hired", Type: "DATETIME"}},
		Rows:    [][]any{{"Ann", "2020-01-02"}, {"Bob", "2020-01-02 03:04:05"}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestCells(t *testing.T) {
	db := open(t, create(t, `
		CREATE TABLE v(n INTEGER, what TEXT, d DATE, b BOOLEAN, x);
		INSERT INTO v VALUES
			(1, 'largest', '2020-01-02', 1, 9223372036854775807),
			(2, 'smallest', '02/01/2020', 0, -9223372036854775808),
			(3, 'infinite', NULL, NULL, 9e999),
			(4, 'not a number', NULL, NULL, 9e999 - 9e999),
			(5, 'float', 20200102, NULL, 0.1),
			(6, 'text in bytes', NULL, NULL, CAST('grün' AS BLOB)),
			(7, 'bytes', NULL, NULL, x'00ff'),
			(8, 'no bytes', NULL, NULL, x''),
			(9, 'broken text', NULL, NULL, CAST(x'61ff' AS TEXT)),
			(10, 'NUL in text', NULL, NULL, CAST(x'610062' AS TEXT)),
			(11, 'whole float', NULL, NULL, 3.0);`), nil)
	got, err := db.Query(t.Context(), rewrite(t, guard(t, db, 0, nil), `SELECT d, b, x FROM v ORDER BY n`))
	if err != nil {
		t.Fatal(err)
	}
	want := [][]any{
		{"2020-01-02", int64(1), int64(math.MaxInt64)},
		{"02/01/2020", int64(0), int64(math.MinInt64)},
		{nil, nil, "+Inf"},
		{nil, nil, nil},
		{int64(20200102), nil, 0.1},
		{nil, nil, "grün"},
		{nil, nil, "0x00ff"},
		{nil, nil, ""},
		{nil, nil, "0x61ff"},
		{nil, nil, "a\x00b"},
		{nil, nil, 3.0},
	}
	if diff := cmp.Diff(want, got.Rows); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestRowLimits(t *testing.T) {
	path := create(t, company)
	for _, test := range []struct {
		name              string
		maxRows, rowLimit int
		sql               string
		rows              int
		truncated         bool
	}{
		{"default", 0, 5000, `SELECT x FROM n UNION ALL SELECT x FROM n`, 1000, true},
		{"as many as the default", 0, 5000, `SELECT x FROM n`, 1000, false},
		{"exactly as many", 1000, 5000, `SELECT x FROM n`, 1000, false},
		{"one fewer", 999, 5000, `SELECT x FROM n`, 999, true},
		{"its own limit", 100, 0, `SELECT x FROM n LIMIT 7`, 7, false},
		{"its own limit, as many as are shown", 100, 0, `SELECT x FROM n LIMIT 100`, 100, false},
		{"the guard's limit", 100, 50, `SELECT x FROM n`, 50, true},
		{"fewer than the guard's limit", 100, 50, `SELECT x FROM n WHERE x < 10`, 9, false},
		{"none", 0, 0, `SELECT x FROM n WHERE x < 0`, 0, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			db := open(t, path, &sqlitedb.Options{Options: sqldb.Options{MaxRows: test.maxRows}})
			got, err := db.Query(t.Context(), rewrite(t, guard(t, db, test.rowLimit, nil), test.sql))
			if err != nil {
				t.Fatal(err)
			}
			if len(got.Rows) != test.rows || got.Truncated != test.truncated {
				t.Errorf("%d rows, truncated %v; want %d, %v", len(got.Rows), got.Truncated, test.rows, test.truncated)
			}
		})
	}
}

func TestWrongStatements(t *testing.T) {
	db := open(t, create(t, company), nil)
	g, err := secureview.New(&secureview.Policy{Dialect: "mysql", Schema: "app", Tables: map[string][]string{"n": {"x"}}}, mysql.Dialect{})
	if err != nil {
		t.Fatal(err)
	}
	for name, stmt := range map[string]*secureview.Statement{
		"nil":             nil,
		"zero":            new(secureview.Statement),
		"another dialect": rewrite(t, g, `SELECT x FROM n`),
	} {
		if _, err := db.Query(t.Context(), stmt); !errors.Is(err, sqldb.ErrArgument) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestQueryErrors(t *testing.T) {
	path := create(t, company+`INSERT INTO employee VALUES (3, '{"secret-value', NULL, NULL);
		CREATE TABLE large AS SELECT zeroblob(2000000) AS v;`)
	for _, test := range []struct {
		name, sql string
		opt       sqlitedb.Options
		want      sqldb.Kind
	}{
		{"time limit", `SELECT count(*) FROM n AS a, n AS b, n AS c, n AS d`, sqlitedb.Options{Options: sqldb.Options{Timeout: 50 * time.Millisecond}}, sqldb.ErrTimeout},
		{"a value too large", `SELECT v FROM large`, sqlitedb.Options{}, sqldb.ErrTooLarge},
		{"a row too large", `SELECT randomblob(10000)`, sqlitedb.Options{Options: sqldb.Options{MaxBytes: 1000}}, sqldb.ErrTooLarge},
		{"a failure while it runs", `SELECT json_extract(name, '$.a') FROM employee WHERE id = 3`, sqlitedb.Options{}, sqldb.ErrExecution},
		{"a misused aggregate", `SELECT sum(sum(x)) FROM n`, sqlitedb.Options{}, sqldb.ErrExecution},
	} {
		t.Run(test.name, func(t *testing.T) {
			db := open(t, path, &test.opt)
			stmt := rewrite(t, guard(t, open(t, path, nil), 0, nil), test.sql)
			_, err := db.Query(t.Context(), stmt)
			if !errors.Is(err, test.want) {
				t.Errorf("got %v, want %v", err, test.want)
			}
			if err != nil && (strings.Contains(err.Error(), "secret-value") || strings.Contains(err.Error(), path)) {
				t.Errorf("a value or a path in the error: %v", err)
			}
		})
	}
}

func TestByteLimits(t *testing.T) {
	path := create(t, `CREATE TABLE d(id INTEGER PRIMARY KEY, body);
		INSERT INTO d WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < 50) SELECT i, printf('%.*c', 1000, 'x') FROM c;
		INSERT INTO d VALUES (100, 'ä' || printf('%.*c', 999, 'x')), (101, randomblob(5000) || x'ff');`)
	t.Run("result", func(t *testing.T) {
		db := open(t, path, &sqlitedb.Options{Options: sqldb.Options{MaxBytes: 10_500}})
		got, err := db.Query(t.Context(), rewrite(t, guard(t, db, 0, nil), `SELECT body FROM d ORDER BY id`))
		if err != nil || len(got.Rows) != 10 || !got.Truncated {
			t.Errorf("%d rows, truncated %v, %v", len(got.Rows), got.Truncated, err)
		}
	})
	t.Run("cell", func(t *testing.T) {
		db := open(t, path, &sqlitedb.Options{Options: sqldb.Options{MaxCellBytes: 1000}})
		got, err := db.Query(t.Context(), rewrite(t, guard(t, db, 0, nil), `SELECT body FROM d WHERE id = 1 OR id >= 100 ORDER BY id`))
		if err != nil || got.Truncated {
			t.Fatal(err, got.Truncated)
		}
		if whole := got.Rows[0][0].(string); len(whole) != 1000 {
			t.Errorf("a cell of the limit was cut to %d bytes", len(whole))
		}
		if cut := got.Rows[1][0].(string); !strings.HasPrefix(cut, "äx") || !strings.HasSuffix(cut, "x… (cut: 1001 bytes)") || len(cut) > 1030 {
			t.Errorf("a cell of one byte more became %d bytes ending in %q", len(cut), cut[len(cut)-30:])
		}
		if cut := got.Rows[2][0].(string); !strings.HasPrefix(cut, "0x") || !strings.HasSuffix(cut, "(cut: 5001 bytes)") || len(cut) > 1030 {
			t.Errorf("a cell of bytes became %d bytes ending in %q", len(cut), cut[len(cut)-30:])
		}
	})
}

func TestCanceled(t *testing.T) {
	db := open(t, create(t, company), &sqlitedb.Options{Options: sqldb.Options{MaxOpenConns: 1}})
	g := guard(t, db, 0, nil)
	slow, quick := rewrite(t, g, `SELECT a.x FROM n AS a, n AS b, n AS c, n AS d WHERE a.x + b.x + c.x + d.x = 4 OR a.x = -1`), rewrite(t, g, `SELECT 1 AS one`)
	before := runtime.NumGoroutine()
	for _, delay := range []time.Duration{0, time.Microsecond, time.Millisecond, 30 * time.Millisecond} {
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(delay, cancel)
		start := time.Now()
		_, err := db.Query(ctx, slow)
		if !errors.Is(err, sqldb.ErrCanceled) || !errors.Is(err, context.Canceled) {
			t.Errorf("after %v: %v", delay, err)
		}
		if took := time.Since(start); took > 5*time.Second {
			t.Errorf("it took %v to stop", took)
		}
		if _, err := db.Query(t.Context(), quick); err != nil {
			t.Errorf("afterwards: %v", err)
		}
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := db.Query(ended, quick); !errors.Is(err, sqldb.ErrCanceled) {
		t.Errorf("with a context that has ended: %v", err)
	}
	if err := db.Check(ended, nil); !errors.Is(err, sqldb.ErrCanceled) {
		t.Errorf("Check: %v", err)
	}
	if _, err := db.Introspect(ended); !errors.Is(err, sqldb.ErrCanceled) {
		t.Errorf("Introspect: %v", err)
	}
	poll.Goroutines(t, before)
}

func TestQueryText(t *testing.T) {
	path := create(t, `CREATE TABLE crew(name TEXT); INSERT INTO crew VALUES ('North'); CREATE TABLE secret(v TEXT)`)
	db := open(t, path, nil)
	g, err := secureview.New(&secureview.Policy{Dialect: "sqlite", Tables: map[string][]string{"crew": {"name"}}}, sqlite.Dialect{})
	if err != nil {
		t.Fatal(err)
	}
	table, err := db.QueryText(t.Context(), g, "SELECT name FROM crew")
	if err != nil || len(table.Rows) != 1 || table.Rows[0][0] != "North" {
		t.Errorf("%+v, %v", table, err)
	}
	for _, text := range []string{"SELECT v FROM secret", "DELETE FROM crew", "SELECT 1; SELECT 2", "nonsense"} {
		table, err := db.QueryText(t.Context(), g, text)
		if _, refused := errors.AsType[*refusal.Error](err); !refused || table != nil {
			t.Errorf("%s: %+v, %v", text, table, err)
		}
	}
	if _, err := db.QueryText(t.Context(), g, "SELECT abs(-9223372036854775807 - 1) FROM crew"); err == nil {
		t.Error("a statement that the database refuses has no error")
	} else if _, ok := errors.AsType[*sqldb.Error](err); !ok {
		t.Errorf("the error is %T", err)
	}
}

func TestConcurrent(t *testing.T) {
	path := create(t, company)
	before := runtime.NumGoroutine()
	db, err := sqlitedb.Open(path, &sqlitedb.Options{Options: sqldb.Options{MaxOpenConns: 3}})
	if err != nil {
		t.Fatal(err)
	}
	g := guard(t, db, 0, map[string]string{"employee": "secure_employee"})
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for j := range 20 {
				stmt, err := g.Rewrite(t.Context(), fmt.Sprintf(`SELECT x, name FROM n JOIN employee ON id = 1 WHERE x = %d`, i*20+j+1))
				if err != nil {
					t.Error(err)
					return
				}
				ctx, cancel := context.WithCancel(t.Context())
				if j%5 == 4 {
					cancel()
				}
				got, err := db.Query(ctx, stmt)
				cancel()
				if j%5 == 4 {
					if !errors.Is(err, sqldb.ErrCanceled) {
						t.Errorf("canceled: %v", err)
					}
				} else if err != nil || len(got.Rows) != 1 || got.Rows[0][0] != int64(i*20+j+1) {
					t.Errorf("%v, %v", got, err)
				}
			}
		})
	}
	all.Wait()
	if err := db.Close(); err != nil {
		t.Error(err)
	}
	poll.Goroutines(t, before)
}

// Another program that writes does not block readers forever, and a reader sees
// what was committed.
func TestConcurrentWriter(t *testing.T) {
	for _, mode := range []string{"DELETE", "WAL"} {
		t.Run(mode, func(t *testing.T) {
			path := create(t, `PRAGMA journal_mode = `+mode+`;`+company)
			host, err := sql.Open("sqlite", path)
			if err != nil {
				t.Fatal(err)
			}
			defer host.Close()
			host.SetMaxOpenConns(1)
			db := open(t, path, &sqlitedb.Options{Options: sqldb.Options{Timeout: 200 * time.Millisecond}})
			count := rewrite(t, guard(t, db, 0, nil), `SELECT count(*) AS c FROM n`)
			for _, step := range []struct {
				host string
				want any // a count, or the kind of an error
			}{
				{`INSERT INTO n VALUES (1001)`, int64(1001)},
				{`BEGIN EXCLUSIVE; INSERT INTO n VALUES (1002)`, map[string]any{"DELETE": sqldb.ErrTimeout, "WAL": int64(1001)}[mode]},
				{`COMMIT`, int64(1002)},
			} {
				if _, err := host.Exec(step.host); err != nil {
					t.Fatal(err)
				}
				got, err := db.Query(t.Context(), count)
				if kind, ok := step.want.(sqldb.Kind); ok {
					if !errors.Is(err, kind) {
						t.Errorf("after %s: %v", step.host, err)
					}
				} else if err != nil || got.Rows[0][0] != step.want {
					t.Errorf("after %s: %v, %v", step.host, got, err)
				}
			}
		})
	}
}

// SQLite has no sessions: a session that is not empty is an error.
func TestSession(t *testing.T) {
	path := create(t, company)
	for _, test := range []struct {
		name    string
		session *sqldb.Session
		want    error
	}{
		{"none", nil, nil},
		{"an empty one", &sqldb.Session{Settings: map[string]any{}}, nil},
		{"a setting", &sqldb.Session{Settings: map[string]any{"tenant": nil}}, sqldb.ErrArgument},
		{"a role", &sqldb.Session{Role: "reader"}, sqldb.ErrArgument},
		{"a search path", &sqldb.Session{SearchPath: []string{"main"}}, sqldb.ErrArgument},
	} {
		t.Run(test.name, func(t *testing.T) {
			db := open(t, path, &sqlitedb.Options{Options: sqldb.Options{
				Session: func(context.Context) (*sqldb.Session, error) { return test.session, nil },
			}})
			_, err := db.Query(t.Context(), rewrite(t, guard(t, db, 0, nil), `SELECT count(*) AS c FROM n`))
			if test.want == nil && err != nil || !errors.Is(err, test.want) {
				t.Errorf("got %v, want %v", err, test.want)
			}
		})
	}
}
