package integration_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	_ "modernc.org/sqlite"

	"github.com/qedkit/qed/internal/corpora"
	"github.com/qedkit/qed/internal/sqlast"
	"github.com/qedkit/qed/secureview/dialect"
	"github.com/qedkit/qed/secureview/dialect/sqlite"
)

// sqliteCorpus is a schema and the statements for it.
type sqliteCorpus struct {
	tables     map[string][]string
	statements []string
}

// sqliteCorpora returns the gold statements by database.
func sqliteCorpora(t *testing.T) map[string]*sqliteCorpus {
	t.Helper()
	gold := corpora.Find(t)
	out := map[string]*sqliteCorpus{}
	for _, s := range gold.Schemas {
		out[s.DB] = &sqliteCorpus{tables: s.Tables}
	}
	for _, s := range gold.Statements {
		out[s.DB].statements = append(out[s.DB].statements, s.SQL)
	}
	return out
}

// reprint parses a text and prints it.
func reprint(d dialect.Dialect, text string) (string, error) {
	q, err := d.Read(text)
	if err != nil {
		return "", fmt.Errorf("Read(%s): %w", text, err)
	}
	printed, err := d.Append(nil, q, false)
	if err != nil {
		return "", fmt.Errorf("Append(%s): %w", text, err)
	}
	return string(printed), nil
}

func openSQLite(t *testing.T) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	db.SetMaxOpenConns(1)
	return db
}

func mustExec(t testing.TB, db *sql.DB, text string, args ...any) {
	t.Helper()
	if _, err := db.Exec(text, args...); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
}

var (
	sqliteTypes = []string{"INTEGER", "TEXT", "REAL", "NUMERIC", "", "VARCHAR(20)", "TEXT COLLATE NOCASE"}
	literal     = regexp.MustCompile(`'[^']*'|"[^"]*"|\b[0-9]+(?:\.[0-9]+)?\b`)
)

// fill creates the tables with rows of every storage class. Values are taken
// from a small set, so that joins match, and from the literals of the
// statements, so that conditions are true. With hidden set, each table has
// further columns that the schema does not list.
func fill(t *testing.T, db *sql.DB, c *sqliteCorpus, rng *rand.Rand, hidden bool) {
	t.Helper()
	var d sqlite.Dialect
	pool := []any{nil, nil, int64(0), int64(1), int64(2), int64(-3), 2.5, -0.5, "", "a", "A", "Zoë", "日本", "it's", `q"q`, "1", "2.0", []byte{0, 255}}
	for _, s := range c.statements {
		for _, l := range literal.FindAllString(s, -1) {
			pool = append(pool, strings.Trim(l, `'"`))
		}
	}
	for _, table := range sorted(c.tables) {
		if table == "sqlite_sequence" { // created by the engine with the first AUTOINCREMENT
			mustExec(t, db, `CREATE TABLE "counted" (id INTEGER PRIMARY KEY AUTOINCREMENT)`)
			continue
		}
		columns := c.tables[table]
		defs := make([]string, len(columns))
		into := make([]string, len(columns))
		for i, column := range columns {
			into[i] = d.Quote(column)
			defs[i] = into[i] + " " + sqliteTypes[rng.IntN(len(sqliteTypes))]
		}
		if hidden {
			for _, column := range hiddenColumns(c, columns) {
				defs = append(defs, d.Quote(column)+" DEFAULT 'leak'")
			}
		}
		mustExec(t, db, "CREATE TABLE "+d.Quote(table)+" ("+strings.Join(defs, ", ")+")")
		insert := "INSERT INTO " + d.Quote(table) + " (" + strings.Join(into, ", ") + ") VALUES (?" + strings.Repeat(", ?", len(columns)-1) + ")"
		for range 12 {
			row := make([]any, len(columns))
			for i := range row {
				if rng.IntN(2) == 0 {
					row[i] = int64(rng.IntN(4))
				} else {
					row[i] = pool[rng.IntN(len(pool))]
				}
			}
			mustExec(t, db, insert, row...)
		}
	}
}

func sorted(tables map[string][]string) []string {
	var names []string
	for name := range tables {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// A result is the names of the columns and the rows of a statement, in order.
type result struct {
	Columns []string
	Rows    [][]any
}

func run(db *sql.DB, text string) (result, error) { return runContext(context.Background(), db, text) }

func runContext(ctx context.Context, db *sql.DB, text string) (result, error) {
	rows, err := db.QueryContext(ctx, text)
	if err != nil {
		return result{}, err
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		return result{}, err
	}
	out := result{Columns: columns}
	for rows.Next() {
		row := make([]any, len(columns))
		into := make([]any, len(columns))
		for i := range row {
			into[i] = &row[i]
		}
		if err := rows.Scan(into...); err != nil {
			return result{}, err
		}
		out.Rows = append(out.Rows, row)
	}
	return out, rows.Err()
}

// A printed statement has the same result as the original.
func TestSQLiteCorpus(t *testing.T) {
	var d sqlite.Dialect
	var same, filled, failed int
	for name, corpus := range sqliteCorpora(t) {
		rng := rand.New(rand.NewPCG(1, uint64(len(name))))
		db := openSQLite(t)
		fill(t, db, corpus, rng, false)
		for _, text := range corpus.statements {
			q, err := d.Read(text)
			if err != nil {
				if _, err := run(db, text); err == nil {
					t.Errorf("%s: %s is refused, and the engine runs it: %v", name, text, err)
				}
				continue
			}
			printed, err := d.Append(nil, q, false)
			if err != nil {
				t.Errorf("%s: %s: %v", name, text, err)
				continue
			}
			want, err := run(db, text)
			got, gotErr := run(db, string(printed))
			switch {
			case err != nil && gotErr != nil:
				failed++
			case err != nil || gotErr != nil:
				t.Errorf("%s: %s: %v\nprinted as %s: %v", name, text, err, printed, gotErr)
			case !reflect.DeepEqual(got, want):
				t.Errorf("%s: %s: %v\nprinted as %s: %v", name, text, want, printed, got)
			default:
				same++
				if len(want.Rows) > 0 {
					filled++
				}
			}
		}
		db.Close()
	}
	t.Logf("%d statements answer the same, %d of them with rows; %d fail before and after", same, filled, failed)
	if failed > 5 {
		t.Errorf("%d statements fail on the engine", failed)
	}
}

// sqliteStatements run on the tables of openStatements.
var sqliteStatements = []string{
	"SELECT 'order'.\"select\", `from`.[group by], `from`.`a``b`, 'order'.\"c\"\"d\" FROM \"from\", \"from\" AS 'order'",
	`SELECT "no such column", "a""b" AS 'x''y', true, FALSE, 'true' FROM t`,
	`SELECT 'a\b', 'it''s', "dq ""x""", '日本 🎉 ſ', '--', '/*', ';' FROM t`,
	"SELECT count(*) /* of all */, max(n)\t-- the most\n, [S], \"s\" FROM t ; ",
	`SELECT S, T.N, (n), +n, n COLLATE nocase, -n, n||s FROM t`,
	`SELECT * FROM (SELECT s COLLATE NOCASE, count(*), n+1, 'x' FROM t GROUP BY s) WHERE s IS NOT NULL ORDER BY "count(*)", 1`,
	`SELECT 9223372036854775807, 9223372036854775808, -9223372036854775808, - -9223372036854775808, 0x7fffffffffffffff, 1e999, -1e999, 1_000.5, .5, 5., 1e-400`,
	`SELECT 99999999999999999999999999999999999999999999999999999999999999999999999999999999999999, typeof(-9223372036854775808), typeof(-(9223372036854775808))`,
	`SELECT x'00ff', typeof(X''), hex('é'), quote(x'41')`,
	`SELECT 1 + 2 * 3 - 4 / 2 % 3, (1 + 2) * 3, 2 - (3 - 4), 1 << 2 + 1, 7 & 3 | 8, ~1 + 1, - - 1, NOT 1 = 2, NOT (1) + 1`,
	`SELECT 'a' || 'b' COLLATE nocase = 'AB', -'5' || 'x', 1 || 2 * 3, 'a' < 'b' = 1, 1 < 2 < 3, 1 = 1 IS 1`,
	`SELECT n FROM t WHERE n IS NULL OR s ISNULL OR n IS NOT 2 AND s NOTNULL AND n NOT NULL ORDER BY n DESC NULLS LAST, s NULLS FIRST`,
	`SELECT n IS 1, n IS NOT NULL, n IS DISTINCT FROM 2, n IS NOT DISTINCT FROM NULL, n IS TRUE, n IS NOT FALSE, n IS (1 = 1) FROM t`,
	`SELECT true, (SELECT count(*) FROM t WHERE true AND NOT false), TRUE + 1, x'31' IS true`,
	`SELECT n FROM t WHERE n BETWEEN 1 AND 1 + 1 AND s NOT BETWEEN 'a' AND 'b' OR n IN (1, '2') OR n IN () OR (n, s) IN (VALUES (1, 'a')) OR (n, s) = (3, 'c')`,
	`SELECT n FROM t WHERE n IN u AND s NOT IN main.v`,
	`SELECT s FROM t WHERE s LIKE 'A%' OR s LIKE '%\_%' ESCAPE '\' OR s NOT LIKE '%' || 'e' OR s GLOB '[a-c]*' OR s NOT GLOB 'x*'`,
	`SELECT CASE n WHEN 1 THEN 'one' WHEN 2 THEN 'two' ELSE 'many' END, CASE WHEN n > 1 THEN s END, iif(n, 1, 2), coalesce(n, s, 0) FROM t`,
	`SELECT n, sum(n) OVER w, rank() OVER (w ROWS 1 PRECEDING), lag(s, 1, '-') OVER (PARTITION BY n % 2 ORDER BY n DESC), count(*) FILTER (WHERE n > 1) OVER (ORDER BY n GROUPS BETWEEN 1 PRECEDING AND UNBOUNDED FOLLOWING EXCLUDE TIES) FROM t WINDOW w AS (ORDER BY n)`,
	`SELECT group_concat(s, '-' ORDER BY s DESC), group_concat(DISTINCT s), total(n), count(DISTINCT n), sum(n) FILTER (WHERE s > 'a') FROM t`,
	`SELECT max(n), s FROM t GROUP BY n % 2 HAVING count(*) > 1 ORDER BY 1`,
	`SELECT n FROM t UNION ALL SELECT a FROM u EXCEPT SELECT 2 INTERSECT SELECT n FROM t ORDER BY 1 DESC LIMIT 1, 3`,
	`SELECT 1 UNION SELECT 2 EXCEPT SELECT 2 UNION ALL VALUES (3), (1) UNION ALL SELECT 0 ORDER BY 1 LIMIT 9 OFFSET 1`,
	`VALUES (1, 'a'), (NULL, x'00')`,
	`SELECT column1, column2 FROM (VALUES (1, 'a'), (2, 'b')) ORDER BY column1 DESC`,
	`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5), m AS NOT MATERIALIZED (SELECT i * i q FROM n) SELECT i, q FROM n JOIN m ON q = i`,
	`WITH b AS MATERIALIZED (SELECT n FROM t), a AS (SELECT * FROM b) SELECT count(*), max(n) FROM a`,
	`SELECT * FROM (SELECT s COLLATE NOCASE, n FROM t ORDER BY s LIMIT 3) ORDER BY n`,
	`SELECT * FROM t, u`,
	`SELECT * FROM t NATURAL JOIN (SELECT n, s AS r FROM t) LEFT JOIN u ON u.a = n CROSS JOIN v ORDER BY 1, 2, 3, 4, 5`,
	`SELECT * FROM t LEFT JOIN (u JOIN v ON u.a = v.b) ON t.n = u.a ORDER BY 1, 2, 3, 4`,
	`SELECT * FROM t RIGHT JOIN u ON n = a FULL OUTER JOIN v ON b = s ORDER BY 1, 2, 3, 4`,
	`SELECT * FROM t AS x INNER JOIN t AS y USING (n) ORDER BY 1, 2, 3`,
	`SELECT * FROM ((t) JOIN (u)) JOIN (v) AS w ON w.b = a ORDER BY 1, 2, 3, 4`,
	`SELECT (SELECT max(a) FROM u WHERE a > t.n), EXISTS (SELECT 1 FROM v), NOT EXISTS (SELECT * FROM u WHERE a = n) FROM t`,
	`SELECT '{"a": [1, {"b": 2}]}' -> '$.a' ->> 1, '{"a": 3}' ->> 'a' + 1, json_extract('[1,2]', '$[1]')`,
	`SELECT printf('%5.2f|%-4s|%%', 1.5, 'é'), replace('aXb', 'X', ''), substr('日本語', 2, 1), typeof(CURRENT_DATE), length(CURRENT_TIMESTAMP)`,
	`SELECT main.t.n, t.rowid, _rowid_ FROM main.t ORDER BY oid`,
	`SELECT n AS true, s AS "null" FROM t ORDER BY true, "null" DESC LIMIT -1`,
	`SELECT DISTINCT n + 1 AS m FROM t WHERE m > 1 GROUP BY m ORDER BY m`,
	`SELECT n FROM t LIMIT (SELECT count(*) FROM u) OFFSET 1`,
	`SELECT n, s COLLATE NOCASE AS k FROM t WHERE s COLLATE NOCASE > 'A' AND NOT length(s) = 9 ORDER BY s COLLATE NOCASE BETWEEN 'B' AND 'C', k, n`,
	`SELECT count(*), min(s) COLLATE NOCASE AS k FROM t GROUP BY n HAVING min(s) COLLATE NOCASE = 'A' OR min(s) COLLATE NOCASE >= 'B' ORDER BY n`,
}

// openStatements creates the tables for sqliteStatements.
func openStatements(t *testing.T) *sql.DB {
	t.Helper()
	db := openSQLite(t)
	mustExec(t, db, `CREATE TABLE t (n INTEGER, s TEXT)`)
	mustExec(t, db, `INSERT INTO t VALUES (1, 'a'), (2, 'b'), (2, 'A_e'), (3, 'c'), (NULL, 'É'), (4, NULL), (5, '日本')`)
	mustExec(t, db, `CREATE TABLE u (a); CREATE TABLE v (b)`)
	mustExec(t, db, `INSERT INTO u VALUES (1), (2), ('2'), (NULL), (2.0); INSERT INTO v VALUES ('a'), (2), ('日本')`)
	mustExec(t, db, "CREATE TABLE \"from\" (\"select\", \"group by\", \"a`b\", \"c\"\"d\")")
	mustExec(t, db, `INSERT INTO "from" VALUES (1, 'x', NULL, 2.5), ('y', x'00', 3, 4)`)
	return db
}

func TestSQLiteStatements(t *testing.T) {
	db := openStatements(t)
	var d sqlite.Dialect
	for _, text := range sqliteStatements {
		want, err := run(db, text)
		if err != nil {
			t.Errorf("%s: the engine: %v", text, err)
			continue
		}
		printed, err := reprint(d, text)
		if err != nil {
			t.Error(err)
			continue
		}
		got, err := run(db, printed)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s\n%v\nprinted as %s\n%v, %v", text, want, printed, got, err)
		}
	}
}

// A type has the affinity of its canonical name.
func TestSQLiteCasts(t *testing.T) {
	db := openSQLite(t)
	var d sqlite.Dialect
	for _, name := range []string{
		"INT", "INTEGER", "TINYINT", "SMALLINT", "MEDIUMINT", "BIGINT", "UNSIGNED BIG INT", "INT2", "INT4", "INT8",
		"UNSIGNED INTEGER", "SIGNED INTEGER", "TEXT", "CHAR(3)", "CHARACTER(20)", "VARCHAR(255)", "NCHAR(5)", "NVARCHAR(100)",
		"VARYING CHARACTER", "CHARACTER VARYING(9)", "NATIVE CHARACTER(70)", "CLOB", "REAL", "FLOAT", "DOUBLE", "DOUBLE PRECISION",
		"NUMERIC", "DECIMAL(10, 5)", "NUMBER", "BOOLEAN", "BOOL", "DATE", "TIME", "DATETIME", "TIMESTAMP", "STRING", "SIGNED",
		"UNSIGNED", "BLOB",
	} {
		for _, value := range []string{"'12.5abc'", "'7'", "'1e3'", "'2024-01-31'", "3.75", "12", "x'3132'", "NULL", "'日'"} {
			text := "SELECT typeof(CAST(" + value + " AS " + name + ")) AS a, CAST(" + value + " AS " + name + ") AS b"
			q, err := d.Read(text)
			if err != nil {
				t.Errorf("Read(%s): %v", text, err)
				continue
			}
			printed, err := d.Append(nil, q, false)
			if err != nil {
				t.Fatal(err)
			}
			want, err := run(db, text)
			got, gotErr := run(db, string(printed))
			if err != nil || gotErr != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("%s: %v, %v\nprinted as %s: %v, %v", text, want, err, printed, got, gotErr)
			}
		}
	}
}

// A call of a safe function reads no table and has no side effect. Functions with a
// side effect are not safe.
func TestSQLiteSafeFunctions(t *testing.T) {
	db := openSQLite(t)
	rows, err := run(db, `SELECT DISTINCT name FROM pragma_function_list`)
	if err != nil {
		t.Fatal(err)
	}
	var d sqlite.Dialect
	safe := 0
	for _, row := range rows.Rows {
		name := row[0].(string)
		if d.Safe(name) {
			safe++
			for _, word := range []string{"sqlite", "load", "file", "fts", "tokenizer", "blob", "changes", "insert_rowid"} {
				if strings.Contains(name, word) {
					t.Errorf("%s is called safe", name)
				}
			}
		}
	}
	if safe < 100 {
		t.Errorf("%d functions of the engine are safe", safe)
	}
}

// Random operators without parentheses are parsed with the precedence of the engine,
// and printed so that the precedence cannot change.
func TestSQLiteExpressions(t *testing.T) {
	db := openExpressions(t)
	var d sqlite.Dialect
	rng := rand.New(rand.NewPCG(7, 7))
	answered := 0
	for range 20_000 {
		text := `SELECT ` + randomExpr(rng, 1+rng.IntN(6)) + ` AS x, s FROM t`
		want, err := run(db, text)
		q, readErr := d.Read(text)
		if err != nil || readErr != nil {
			var e *sqlast.Error
			ambiguous := errors.As(readErr, &e) && e.Name == "NOT NULL"
			if err == nil && !ambiguous {
				t.Errorf("Read(%s): %v", text, readErr)
			}
			continue
		}
		printed, err := d.Append(nil, q, false)
		if err != nil {
			t.Errorf("Append(%s): %v", text, err)
			continue
		}
		got, err := run(db, string(printed))
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s\n%v\nprinted as %s\n%v, %v", text, want, printed, got, err)
			continue
		}
		answered++
	}
	if answered < 15_000 {
		t.Errorf("%d expressions ran on the engine", answered)
	}
}

// openExpressions creates the table for random expressions.
func openExpressions(t *testing.T) *sql.DB {
	t.Helper()
	db := openSQLite(t)
	mustExec(t, db, `CREATE TABLE t (n INTEGER, s TEXT COLLATE NOCASE, r REAL)`)
	mustExec(t, db, `INSERT INTO t VALUES (1, 'a', 0.5), (NULL, 'B', -2), (3, NULL, NULL), (-4, '5', 7)`)
	return db
}

func randomExpr(rng *rand.Rand, length int) string {
	pick := func(list ...string) string { return list[rng.IntN(len(list))] }
	operand := func() string {
		prefix := pick("", "", "", "", "-", "+", "~", "NOT ", "- -")
		return prefix + pick("n", "s", "r", "1", "2", "0", "'a'", "'5'", "NULL", "2.5", "t.n", "true", "x'35'",
			"(n + 1)", "(NOT s)", "abs(r)", "CASE n WHEN 1 THEN 2 END", "(SELECT 1)", "CAST(r AS TEXT)", `"nothing"`)
	}
	var b strings.Builder
	b.WriteString(operand())
	for range length {
		switch rng.IntN(8) {
		case 0:
			b.WriteString(pick(" IS NULL", " ISNULL", " NOTNULL", " NOT NULL", " COLLATE NOCASE", " COLLATE binary"))
		case 1:
			b.WriteString(pick(" BETWEEN ", " NOT BETWEEN ") + operand() + " AND " + operand())
		case 2:
			b.WriteString(pick(" IN ", " NOT IN ") + pick("()", "(1, 'a')", "(SELECT n FROM t)", "(NULL)"))
		case 3:
			b.WriteString(pick(" LIKE ", " NOT LIKE ", " GLOB ") + operand() + pick("", "", " ESCAPE 'x'"))
		default:
			b.WriteString(pick(" + ", " - ", " * ", " / ", " % ", " || ", " & ", " | ", " << ", " >> ", " = ", " == ", " <> ",
				" < ", " <= ", " > ", " >= ", " AND ", " OR ", " IS ", " IS NOT ", " IS DISTINCT FROM ", " IS NOT DISTINCT FROM ", " ->> "))
			b.WriteString(operand())
		}
	}
	return b.String()
}
