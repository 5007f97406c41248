package sqlitedb

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	_ "modernc.org/sqlite"

	"github.com/qedkit/qed/sqldb"
)

// These tests give the engine statements that no guard would print, and examine
// what the authorizer does.

const company = `
	CREATE TABLE employee(id INTEGER PRIMARY KEY, name TEXT, ssn TEXT, grade INTEGER, double AS (grade * 2));
	CREATE TABLE crew(id INTEGER PRIMARY KEY, lead INTEGER REFERENCES employee);
	CREATE TABLE vault(secret TEXT);
	CREATE TABLE t(x);
	CREATE TABLE json_tree(value);
	INSERT INTO json_tree VALUES ('hidden');
	CREATE INDEX t_x ON t(x);
	CREATE VIEW secure_employee AS SELECT id, name FROM employee WHERE grade < 5;
	CREATE VIEW nested AS SELECT s.id, s.name, d.n FROM secure_employee AS s, (SELECT count(*) AS n FROM crew) AS d;
	CREATE VIEW with_cte AS WITH c AS (SELECT lead FROM crew) SELECT e.name FROM employee AS e JOIN c ON c.lead = e.id;
	CREATE VIEW quoted AS SELECT id, "a string" AS note FROM employee;
	CREATE VIEW sly AS SELECT load_extension('x') AS x FROM employee;
	INSERT INTO employee VALUES (1, 'Ann', '111-11', 1), (2, 'Bob', '222-22', 9), (3, NULL, '333-33', 2);
	INSERT INTO crew VALUES (1, 1), (2, 3);
	INSERT INTO vault VALUES ('hidden');
	INSERT INTO t VALUES (1), (2);`

// create writes a database file with the general driver.
func create(t testing.TB, script string) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "company.db")
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec(script); err != nil {
		t.Fatal(err)
	}
	return path
}

func pool(t testing.TB, path string, opt Options) *sql.DB {
	t.Helper()
	if opt.MaxValueBytes == 0 {
		opt.MaxValueBytes = 1 << 20
	}
	c, err := newConnector(path, &opt)
	if err != nil {
		t.Fatal(err)
	}
	p := sql.OpenDB(c)
	t.Cleanup(func() { p.Close() })
	return p
}

func object(name string, columns ...string) sqldb.Object {
	return sqldb.Object{Schema: "main", Name: name, Columns: columns}
}

// read runs a statement like sqldb. objects are what the guard saw.
func read(ctx context.Context, p *sql.DB, statement string, objects ...sqldb.Object) (cells [][]any, err error) {
	conn, err := p.Conn(ctx)
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	release, err := engine{}.Admit(ctx, conn, &sqldb.Query{SQL: statement, Objects: objects, Session: &sqldb.Session{}})
	if err != nil {
		return nil, err
	}
	defer release(context.WithoutCancel(ctx))
	rows, err := conn.QueryContext(ctx, statement)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		return nil, err
	}
	for rows.Next() {
		row, scan := make([]any, len(columns)), make([]any, len(columns))
		for i := range row {
			scan[i] = &row[i]
		}
		if err := rows.Scan(scan...); err != nil {
			return nil, err
		}
		for i := range row {
			if text, ok := row[i].([]byte); ok {
				row[i] = string(text)
			}
		}
		cells = append(cells, row)
	}
	return cells, rows.Err()
}

func TestSecondReaderAccepts(t *testing.T) {
	p := pool(t, create(t, company), Options{})
	employee := object("secure_employee", "id", "name")
	for _, test := range []struct {
		name, sql string
		objects   []sqldb.Object
		want      [][]any
	}{
		{"columns", `SELECT e.id, e.name FROM main.secure_employee AS e ORDER BY e.id`, []sqldb.Object{employee}, [][]any{{int64(1), "Ann"}, {int64(3), nil}}},
		{"other case", `SELECT E.ID FROM main.SECURE_EMPLOYEE AS E LIMIT 1`, []sqldb.Object{employee}, [][]any{{int64(1)}}},
		{"count of a view", `SELECT count(*) FROM main.secure_employee AS e`, []sqldb.Object{employee}, [][]any{{int64(2)}}},
		{"count of a table", `SELECT count(*) FROM main.t AS t`, []sqldb.Object{object("t")}, [][]any{{int64(2)}}},
		{"product", `SELECT a.x FROM main.t AS a, main.crew AS b LIMIT 1`, []sqldb.Object{object("t", "x"), object("crew")}, [][]any{{int64(1)}}},
		{"count of a CTE", `WITH c AS (SELECT x FROM main.t) SELECT count(*) FROM c`, []sqldb.Object{object("t", "x")}, [][]any{{int64(2)}}},
		{"recursive", `WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 5) SELECT sum(n) FROM c`, nil, [][]any{{int64(15)}}},
		{"unused CTE", `WITH c AS (SELECT e.id FROM main.secure_employee AS e) SELECT 1`, []sqldb.Object{employee}, [][]any{{int64(1)}}},
		{"nested view", `SELECT n.name, n.n FROM main.nested AS n WHERE n.id = 1`, []sqldb.Object{object("nested", "id", "name", "n")}, [][]any{{"Ann", int64(2)}}},
		{"count of a nested view", `SELECT count(*) FROM main.nested AS n`, []sqldb.Object{object("nested")}, [][]any{{int64(2)}}},
		{"CTE in a view", `SELECT w.name FROM main.with_cte AS w WHERE w.name IS NOT NULL`, []sqldb.Object{object("with_cte", "name")}, [][]any{{"Ann"}}},
		{"string in a view", `SELECT q.note FROM main.quoted AS q LIMIT 1`, []sqldb.Object{object("quoted", "note")}, [][]any{{"a string"}}},
		{"generated column", `SELECT e.double FROM main.employee AS e WHERE e.id = 1`, []sqldb.Object{object("employee", "id", "double")}, [][]any{{int64(2)}}},
		{"correlated", `SELECT (SELECT count(*) FROM main.crew AS c WHERE c.lead = e.id) FROM main.secure_employee AS e WHERE e.id = 1`, []sqldb.Object{employee, object("crew", "lead")}, [][]any{{int64(1)}}},
		{"window", `SELECT row_number() OVER (ORDER BY t.x DESC) FROM main.t AS t`, []sqldb.Object{object("t", "x")}, [][]any{{int64(1)}, {int64(2)}}},
		{"functions", `SELECT upper('a') || json_extract('{"a":1}', '$.a') || strftime('%Y', '2020-01-01') || printf('%d', 3)`, nil, [][]any{{"A120203"}}},
		{"no table", `SELECT CURRENT_DATE IS NOT NULL, 'a' LIKE 'A', 'a' GLOB 'a'`, nil, [][]any{{int64(1), int64(1), int64(1)}}},
		{"join in parentheses", `SELECT c.id, "e"."name" FROM main.crew AS c LEFT JOIN ("main"."secure_employee" AS "e" JOIN "main"."t" AS "t" ON "t"."x" = "e"."id") ON "e"."id" = c.id`,
			[]sqldb.Object{object("crew", "id"), object("secure_employee", "id", "name"), object("t", "x")}, [][]any{{int64(1), "Ann"}, {int64(2), nil}}},
		{"another column inside a join in parentheses", `SELECT "e"."ssn", "e"."id" FROM main.t AS t JOIN ("main"."employee" AS "e" JOIN "main"."crew" AS "c" ON 1) ON 1 LIMIT 1`,
			[]sqldb.Object{object("t"), object("employee", "id"), object("crew")}, [][]any{{nil, int64(1)}}},
		{"union of both", `SELECT x FROM main.t UNION ALL SELECT e.id FROM main.secure_employee AS e LIMIT 1`, []sqldb.Object{object("t", "x"), employee}, [][]any{{int64(1)}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, err := read(t.Context(), p, test.sql, test.objects...)
			if err != nil {
				t.Fatalf("refused: %v (%v)", err, classify(err))
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("rows (-want +got):\n%s", diff)
			}
		})
	}
}

func TestSecondReaderRefuses(t *testing.T) {
	path := create(t, company)
	p := pool(t, path, Options{})
	employee, crew := object("secure_employee", "id", "name"), object("crew", "id")
	for _, test := range []struct{ name, sql string }{
		{"another table", `SELECT v.secret FROM main.vault AS v`},
		{"another table, counted", `SELECT count(*) FROM main.vault AS v`},
		{"another table, counted, without schema", `SELECT count(*) FROM vault`},
		{"another table in other case", `SELECT count(*) FROM VAULT`},
		{"another column", `SELECT c.lead FROM main.crew AS c`},
		{"another column in a condition", `SELECT c.id FROM main.crew AS c WHERE c.lead = 1`},
		{"another column by its place", `SELECT c.id FROM main.crew AS c ORDER BY c.lead`},
		{"another table in a join in parentheses", `SELECT c.id FROM main.crew AS c JOIN ("main"."vault" AS "v" JOIN "main"."crew" AS "d" ON 1) ON 1`},
		{"base table under a view in a join in parentheses", `SELECT c.id FROM main.crew AS c JOIN ("main"."employee" AS "e" JOIN "main"."secure_employee" AS "d" ON 1) ON 1`},
		{"rowid of a table without a key", `SELECT rowid FROM main.t`},
		{"all columns", `SELECT * FROM main.crew`},
		{"base table under a view", `SELECT e.ssn FROM main.employee AS e`},
		{"column that the view reads too", `SELECT e.name FROM main.employee AS e`},
		{"base table in a subquery", `SELECT s.id FROM main.secure_employee AS s WHERE s.id IN (SELECT id FROM main.employee)`},
		{"base table under a CTE of another name", `WITH c AS (SELECT ssn FROM main.employee) SELECT * FROM c`},
		{"hidden column under a CTE named like the view", `WITH secure_employee AS (SELECT ssn FROM main.employee) SELECT * FROM secure_employee`},
		{"sqlite_master", `SELECT sql FROM sqlite_master`},
		{"sqlite_schema", `SELECT count(*) FROM main.sqlite_schema`},
		{"sqlite_temp_master", `SELECT name FROM sqlite_temp_master`},
		{"table named like a table function", `SELECT value FROM json_tree`},
		{"the same with its schema", `SELECT json_tree.value FROM main.json_tree`},
		{"pragma function", `SELECT name FROM pragma_table_list`},
		{"pragma function counted", `SELECT count(*) FROM pragma_database_list`},
		{"database pages", `SELECT data FROM sqlite_dbpage`},
		{"database statistics", `SELECT * FROM dbstat`},
		{"load_extension", `SELECT load_extension('/tmp/x.so')`},
		{"sqlite_log", `SELECT sqlite_log(1, 'x')`},
		{"ATTACH", `ATTACH DATABASE '` + filepath.Join(filepath.Dir(path), "new.db") + `' AS n`},
		{"ATTACH in memory", `ATTACH ':memory:' AS n`},
		{"DETACH", `DETACH main`},
		{"PRAGMA that writes", `PRAGMA writable_schema = ON`},
		{"PRAGMA that allows writing", `PRAGMA query_only = OFF`},
		{"PRAGMA that reads", `PRAGMA table_info(employee)`},
		{"PRAGMA with a file", `PRAGMA temp_store_directory = '/tmp'`},
		{"INSERT", `INSERT INTO t VALUES (3)`},
		{"INSERT RETURNING", `INSERT INTO t VALUES (3) RETURNING x`},
		{"UPDATE", `UPDATE t SET x = 1`},
		{"DELETE", `DELETE FROM t`},
		{"REPLACE", `REPLACE INTO t VALUES (1)`},
		{"CREATE TABLE", `CREATE TABLE y(a)`},
		{"CREATE TEMP TABLE", `CREATE TEMP TABLE y(a)`},
		{"CREATE TEMP TABLE AS", `CREATE TEMP TABLE y AS SELECT 1`},
		{"CREATE TEMP VIEW", `CREATE TEMP VIEW secure_crew AS SELECT * FROM vault`},
		{"CREATE TEMP TRIGGER", `CREATE TEMP TRIGGER y AFTER INSERT ON t BEGIN SELECT 1; END`},
		{"CREATE VIRTUAL TABLE", `CREATE VIRTUAL TABLE temp.y USING fts5(a)`},
		{"DROP", `DROP TABLE t`},
		{"ALTER", `ALTER TABLE t RENAME TO u`},
		{"VACUUM INTO", `VACUUM INTO '` + filepath.Join(filepath.Dir(path), "copy.db") + `'`},
		{"ANALYZE", `ANALYZE`},
		{"REINDEX", `REINDEX`},
		{"BEGIN", `BEGIN`},
		{"BEGIN IMMEDIATE", `BEGIN IMMEDIATE`},
		{"SAVEPOINT", `SAVEPOINT s`},
		{"COMMIT", `COMMIT`},
		{"EXPLAIN", `EXPLAIN SELECT secret FROM vault`},
		{"two statements", `SELECT 1; SELECT 2`},
		{"a second one that attaches", `SELECT 1; ATTACH ':memory:' AS n`},
		{"nothing", ``},
		{"only a comment", `-- nothing`},
		{"a NUL byte", "SELECT 1 \x00 FROM vault"},
	} {
		t.Run(test.name, func(t *testing.T) {
			rows, err := read(t.Context(), p, test.sql, employee, crew)
			if err == nil {
				t.Fatalf("allowed: %v", rows)
			}
			if len(rows) > 0 {
				t.Errorf("rows before the refusal: %v", rows)
			}
			if e := classify(err); e == nil {
				t.Errorf("an error without a kind: %v", err)
			} else if strings.Contains(e.Error(), "hidden") || strings.Contains(e.Error(), "111-11") {
				t.Errorf("a value in the error: %v", e)
			}
		})
	}
	// The attempts changed nothing.
	got, err := read(t.Context(), p, `SELECT t.x FROM main.t AS t`, object("t", "x"))
	if diff := cmp.Diff([][]any{{int64(1)}, {int64(2)}}, got); err != nil || diff != "" {
		t.Errorf("afterwards: %v, %s", err, diff)
	}
	files, _ := os.ReadDir(filepath.Dir(path))
	if len(files) != 1 {
		t.Errorf("files afterwards: %v", files)
	}
}

// A view may not do more than a statement.
func TestViewsAreBoundToo(t *testing.T) {
	p := pool(t, create(t, company), Options{})
	_, err := read(t.Context(), p, `SELECT s.x FROM main.sly AS s`, object("sly", "x")) // refused by SQLite itself
	if e := classify(err); e == nil || e.Kind != sqldb.ErrExecution || !strings.Contains(e.Message, "load_extension") {
		t.Errorf("a view that loads an extension: %v, %v", err, e)
	}
}

func TestFunctionsOfViewsAreHarmless(t *testing.T) {
	p := pool(t, create(t, `CREATE TABLE a(x); CREATE VIEW tree AS SELECT rtreedepth(x) AS d FROM a;`), Options{})
	_, err := read(t.Context(), p, `SELECT t.d FROM main.tree AS t`, object("tree", "d"))
	if e := classify(err); e == nil {
		t.Errorf("a function that SQLite does not mark as innocuous: %v", err)
	}
}

// Between statements, nothing is allowed on a connection.
func TestConnectionAtRest(t *testing.T) {
	p := pool(t, create(t, company), Options{})
	if _, err := read(t.Context(), p, `SELECT 1`); err != nil {
		t.Fatal(err)
	}
	for _, statement := range []string{`SELECT 1`, `SELECT x FROM main.t`, `PRAGMA query_only`} {
		if rows, err := p.QueryContext(t.Context(), statement); err == nil {
			rows.Close()
			t.Errorf("%s: allowed", statement)
		}
	}
	if _, err := p.ExecContext(t.Context(), `DELETE FROM t`); !errors.Is(err, errNotGuarded) {
		t.Errorf("Exec: %v", err)
	}
	if _, err := p.BeginTx(t.Context(), nil); !errors.Is(err, errNotGuarded) {
		t.Errorf("BeginTx: %v", err)
	}
	if _, err := p.PrepareContext(t.Context(), `SELECT 1`); !errors.Is(err, errNotGuarded) {
		t.Errorf("Prepare: %v", err)
	}
}

// A grant ends with its statement. The next statement on the connection has its
// own.
func TestGrantsDoNotAddUp(t *testing.T) {
	p := pool(t, create(t, company), Options{})
	p.SetMaxOpenConns(1)
	if _, err := read(t.Context(), p, `SELECT secret FROM main.vault`, object("vault", "secret")); err != nil {
		t.Fatal(err)
	}
	if _, err := read(t.Context(), p, `SELECT secret FROM main.vault`, object("t", "x")); err == nil {
		t.Error("the grant of an earlier statement still applies")
	}
}

// SQLite compiles a statement again when the schema has changed, and calls the
// authorizer again.
func TestSchemaChangesBetween(t *testing.T) {
	path := create(t, company)
	p := pool(t, path, Options{})
	p.SetMaxOpenConns(1)
	host, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer host.Close()
	statement, employee := `SELECT e.name FROM main.secure_employee AS e WHERE e.id = 1`, object("secure_employee", "id", "name")
	for _, change := range []string{
		`SELECT 1`,
		`DROP VIEW secure_employee; CREATE VIEW secure_employee AS SELECT id, upper(name) AS name FROM employee WHERE ssn <> ''`,
		`ALTER TABLE employee ADD COLUMN extra`,
	} {
		if _, err := host.Exec(change); err != nil {
			t.Fatal(err)
		}
		if rows, err := read(t.Context(), p, statement, employee); err != nil || len(rows) != 1 {
			t.Errorf("after %s: %v, %v", change, rows, err)
		}
	}
}

func TestStopsInEveryPhase(t *testing.T) {
	path := create(t, company)
	const forever = `WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 100000000000) `
	for _, test := range []struct{ name, sql string }{
		{"before the first row", forever + `SELECT count(*) FROM c`},
		{"after the first row", forever + `SELECT n FROM c WHERE n = 1 OR n = 100000000000`},
		{"while sorting", forever + `SELECT n FROM c ORDER BY n DESC`},
		{"while grouping", forever + `SELECT n % 1000, count(*) FROM c GROUP BY 1`},
		{"in a product", `WITH c AS (SELECT 1 UNION ALL SELECT 2), d AS (SELECT 1 FROM c, c AS c2, c AS c3, c AS c4, c AS c5, c AS c6, c AS c7), ` +
			`e AS (SELECT 1 FROM d, d AS d2, d AS d3) SELECT count(*) FROM e, e AS e2`},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := pool(t, path, Options{})
			p.SetMaxOpenConns(1)
			for _, how := range []struct {
				name string
				ctx  func(context.Context) (context.Context, context.CancelFunc)
				want error
			}{
				{"cancelled", func(ctx context.Context) (context.Context, context.CancelFunc) {
					ctx, cancel := context.WithCancel(ctx)
					time.AfterFunc(50*time.Millisecond, cancel)
					return ctx, cancel
				}, context.Canceled},
				{"out of time", func(ctx context.Context) (context.Context, context.CancelFunc) {
					return context.WithTimeout(ctx, 50*time.Millisecond)
				}, context.DeadlineExceeded},
			} {
				ctx, cancel := how.ctx(t.Context())
				_, err := read(ctx, p, test.sql)
				cancel()
				if !errors.Is(err, how.want) {
					t.Errorf("%s: %v", how.name, err)
				}
				// The connection can be used again, or was replaced.
				if rows, err := read(t.Context(), p, `SELECT 1`); err != nil || len(rows) != 1 {
					t.Errorf("afterwards: %v, %v", rows, err)
				}
			}
		})
	}
}

func TestBombs(t *testing.T) {
	p := pool(t, create(t, company), Options{})
	for _, test := range []struct {
		name, sql string
		want      sqldb.Kind
	}{
		{"zeroblob", `SELECT zeroblob(900000000)`, sqldb.ErrTooLarge},
		{"randomblob", `SELECT hex(randomblob(900000000))`, sqldb.ErrTooLarge},
		{"printf", `SELECT printf('%.*c', 900000000, 'x')`, sqldb.ErrTooLarge},
		{"replace", `SELECT replace(hex(zeroblob(100000)), '0', hex(zeroblob(100000)))`, sqldb.ErrTooLarge},
		{"group_concat", `WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c LIMIT 200000) SELECT group_concat(n) FROM c`, sqldb.ErrTooLarge},
		{"doubling", `WITH RECURSIVE c(s) AS (SELECT 'x' UNION ALL SELECT s || s FROM c LIMIT 100) SELECT max(length(s)) FROM c`, sqldb.ErrTooLarge},
		{"pattern", `SELECT 'a' LIKE printf('%.*c', 5000, '%')`, sqldb.ErrExecution},
		{"deep expression", `SELECT ` + strings.Repeat("(", 5000) + "1" + strings.Repeat(")", 5000), sqldb.ErrExecution},
		{"many arms", `SELECT 1` + strings.Repeat(" UNION ALL SELECT 1", 1000), sqldb.ErrExecution},
	} {
		t.Run(test.name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 60*time.Second)
			defer cancel()
			start := time.Now()
			_, err := read(ctx, p, test.sql)
			t.Logf("%v after %v", err, time.Since(start))
			if err == nil {
				t.Fatal("allowed")
			}
			if e := classify(err); e == nil || e.Kind != test.want {
				t.Errorf("got %v, want %v", e, test.want)
			}
		})
	}
}
