package duckdb_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed/analyst/tabular"
	"github.com/qedkit/qed/internal/xlsx/xlsxtest"
	"github.com/qedkit/qed/joinpath"
	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/sqldb"
	"github.com/qedkit/qed/sqldb/duckdb"
)

func write(t testing.TB, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestLoad(t *testing.T) {
	parquet := filepath.Join(t.TempDir(), "x.parquet")
	raw, err := sql.Open("duckdb", "")
	if err != nil {
		t.Fatal(err)
	}
	defer raw.Close()
	if _, err := raw.Exec("COPY (SELECT 1 AS a, 'x' AS b) TO '" + parquet + "'"); err != nil {
		t.Fatal(err)
	}
	late := "a,b\n" + strings.Repeat("1,x\n", 30_000) + "no number,y\n"
	tests := []struct {
		name, path string
		columns    []string
		types      map[string]string
		rows       int64
	}{
		{"CSV", write(t, "x.csv", "a,b\n1,x\n2,y\n"), []string{"a", "b"}, map[string]string{"a": "BIGINT", "b": "VARCHAR"}, 2},
		{"a type that the last row decides", write(t, "x.csv", late), []string{"a", "b"}, map[string]string{"a": "VARCHAR", "b": "VARCHAR"}, 30_001},
		{"byte order mark", write(t, "x.csv", "\ufeffa,b\n1,x\n"), []string{"a", "b"}, map[string]string{"a": "BIGINT", "b": "VARCHAR"}, 1},
		{"Latin-1", write(t, "x.csv", "name,b\nM\xfcller,x\nJos\xe9,y\n"), []string{"name", "b"}, map[string]string{"name": "VARCHAR", "b": "VARCHAR"}, 2},
		{"semicolons", write(t, "x.csv", "a;b\n1;x\n2;y\n"), []string{"a", "b"}, map[string]string{"a": "BIGINT", "b": "VARCHAR"}, 2},
		{"tabs", write(t, "x.tsv", "a\tb\n1\tx\n"), []string{"a", "b"}, map[string]string{"a": "BIGINT", "b": "VARCHAR"}, 1},
		{"duplicate headers", write(t, "x.csv", "a,a,a\n1,2,3\n"), []string{"a", "a_2", "a_3"}, map[string]string{"a": "BIGINT", "a_2": "BIGINT", "a_3": "BIGINT"}, 1},
		{"formulas are texts", write(t, "x.csv", "a,b\n=1+1,x\n=cmd(),y\n"), []string{"a", "b"}, map[string]string{"a": "VARCHAR", "b": "VARCHAR"}, 2},
		{"dates", write(t, "x.csv", "d\n2024-01-31\n2024-02-01\n"), []string{"d"}, map[string]string{"d": "DATE"}, 2},
		{"types that late rows decide", write(t, "x.csv", "n,m,d,b,x\n"+strings.Repeat("1,1,31/12/2024,true,1.5\n", 30_000)+"2.5,x,30/12/2024,maybe,12345678901234567890\n"),
			[]string{"n", "m", "d", "b", "x"}, map[string]string{"n": "DOUBLE", "m": "VARCHAR", "d": "DATE", "b": "VARCHAR", "x": "VARCHAR"}, 30_001},
		{"identifiers of 20 digits", write(t, "x.csv", "id,x\n12345678901234567890,1e30\n12345678901234567891,2\n"), []string{"id", "x"}, map[string]string{"id": "VARCHAR", "x": "VARCHAR"}, 2},
		{"numbers of 10,000 digits", write(t, "x.csv", "a,b\n"+strings.Repeat("9", 10_000)+",1e999999\n1,2\n"), []string{"a", "b"}, map[string]string{"a": "VARCHAR", "b": "VARCHAR"}, 2},
		{"infinite numbers are NULL", write(t, "x.csv", "a\nNaN\ninf\n1\n"), []string{"a"}, map[string]string{"a": "BIGINT"}, 3},
		{"number signs", write(t, "x.csv", "a,b\n1,2\n#3,4\n5,6\n"), []string{"a", "b"}, map[string]string{"a": "VARCHAR", "b": "BIGINT"}, 3},
		{"a line that names the separator", write(t, "x.csv", "sep=;\na;b\n1;x,y\n"), []string{"a", "b"}, map[string]string{"a": "BIGINT", "b": "VARCHAR"}, 1},
		{"Excel", write(t, "x.xlsx", string(xlsxtest.Book(xlsxtest.Row("d", "n")+xlsxtest.Row(xlsxtest.Number("46085", xlsxtest.Day), xlsxtest.Number("1.5", 0))))),
			[]string{"d", "n"}, map[string]string{"d": "DATE", "n": "DOUBLE"}, 1},
		{"texts with commas", write(t, "x.csv", "a\n\"x, y\"\n"), []string{"a"}, map[string]string{"a": "VARCHAR"}, 1},
		{"JSON with a byte order mark", write(t, "x.json", "\ufeff[{\"a\": 1}, {\"a\": 2}]"), []string{"a"}, map[string]string{"a": "BIGINT"}, 2},
		{"JSON", write(t, "x.json", `[{"a": 1, "b": "x"}, {"a": 2, "b": null}]`), []string{"a", "b"}, map[string]string{"a": "BIGINT", "b": "VARCHAR"}, 2},
		{"JSON lines", write(t, "x.jsonl", "{\"a\": 1}\n{\"a\": 2}\n"), []string{"a"}, map[string]string{"a": "BIGINT"}, 2},
		{"Parquet decimals of 38 digits", "testdata/decimal38.parquet", []string{"id", "v"}, map[string]string{"id": "BIGINT", "v": "DECIMAL(38,2)"}, 2},
		{"Parquet", parquet, []string{"a", "b"}, map[string]string{"a": "INTEGER", "b": "VARCHAR"}, 1},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			db, _, err := duckdb.Load(context.Background(), []duckdb.File{{Path: test.path}}, nil)
			if err != nil {
				t.Fatal(err)
			}
			defer db.Close()
			schema, err := db.Introspect(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			want := map[string]joinpath.Table{duckdb.DefaultTable: {Columns: test.columns, Types: test.types}}
			if diff := cmp.Diff(want, schema.Tables); diff != "" {
				t.Errorf("schema (-want +got):\n%s", diff)
			}
			g := newGuard(t, &secureview.Policy{Dialect: "duckdb", Tables: map[string][]string{duckdb.DefaultTable: test.columns}})
			table, err := ask(db, g, "SELECT count(*) FROM t_parsed")
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff([][]any{{test.rows}}, table.Rows); diff != "" {
				t.Errorf("rows (-want +got):\n%s", diff)
			}
		})
	}
}

// Columns of a Parquet file that get another name are said, in the language of the options.
func TestParquetNames(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.parquet")
	raw, err := sql.Open("duckdb", "")
	if err != nil {
		t.Fatal(err)
	}
	defer raw.Close()
	if _, err := raw.Exec("COPY (SELECT 1 AS a, 2 AS x, {'b': 3} AS s) TO '" + path + "'"); err != nil {
		t.Fatal(err)
	}
	file, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ name, language, says string }{
		{"x", "", ""}, {"A", "", "Column 2 is named A_1"}, {"A", "de", "Spalte 2 heißt A_1"},
	} {
		// The name of the second column is one byte in the file.
		text := strings.ReplaceAll(string(file), "\x01x", "\x01"+test.name)
		db, reports, err := duckdb.Load(t.Context(), []duckdb.File{{Path: write(t, "x.parquet", text), Options: tabular.Options{Language: test.language}}}, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		notes := strings.Join(reports[0].Notes(), " ")
		if reports[0].Rows != 1 || len(reports[0].Columns) != 3 || (test.says == "") != (notes == "") || !strings.Contains(notes, test.says) {
			t.Errorf("%+v", reports[0])
		}
	}
}

func TestLoadRefuses(t *testing.T) {
	good := write(t, "good.csv", "a\n1\n")
	tests := []struct {
		name  string
		files []duckdb.File
		kind  sqldb.Kind
		says  string
	}{
		{"no files", nil, sqldb.ErrArgument, "no files"},
		{"no such file", []duckdb.File{{Path: filepath.Join(t.TempDir(), "x.csv")}}, sqldb.ErrMissing, "x.csv"},
		{"a directory", []duckdb.File{{Path: t.TempDir()}}, sqldb.ErrUnreadable, "regular file"},
		{"a URL", []duckdb.File{{Path: "https://example.com/x.csv"}}, sqldb.ErrArgument, "URL"},
		{"a pattern", []duckdb.File{{Path: "/tmp/*.csv"}}, sqldb.ErrArgument, "pattern"},
		{"an unknown ending", []duckdb.File{{Path: write(t, "x.xls", "PK")}}, sqldb.ErrArgument, ".parquet"},
		{"two files, one table", []duckdb.File{{Path: good}, {Path: good, Table: "T_PARSED"}}, sqldb.ErrArgument, "File.Table"},
		{"an open quote", []duckdb.File{{Path: write(t, "x.csv", "a,b\n1,\"SECRET\n"+strings.Repeat("2,y\n", 50))}}, sqldb.ErrNotDatabase, "x.csv"},
		{"rows of other lengths", []duckdb.File{{Path: write(t, "x.csv", "a,b\n"+strings.Repeat("1,SECRET\n", 30)+"1,2,3,4\n"+strings.Repeat("1,2\n", 30000)+"1,SECRET,9\n")}}, sqldb.ErrNotDatabase, "x.csv"},
		{"bytes that are no CSV", []duckdb.File{{Path: write(t, "x.csv", "\x00\x01\x02SECRET\x00\xff\xfe")}}, sqldb.ErrNotDatabase, "x.csv"},
		{"no rows", []duckdb.File{{Path: write(t, "x.csv", "a,b\n")}}, sqldb.ErrNotDatabase, "at least one row"},
		{"an empty CSV file", []duckdb.File{{Path: write(t, "x.csv", "")}}, sqldb.ErrNotDatabase, "empty"},
		{"an empty file", []duckdb.File{{Path: write(t, "x.parquet", "")}}, sqldb.ErrNotDatabase, "x.parquet"},
		{"Parquet decimals of 40 digits", []duckdb.File{{Path: "testdata/decimal40.parquet"}}, sqldb.ErrNotDatabase, "more than 38 digits"},
		{"no Parquet", []duckdb.File{{Path: write(t, "x.parquet", "SECRET,SECRET,SECRET\n")}}, sqldb.ErrNotDatabase, "x.parquet"},
		{"no JSON", []duckdb.File{{Path: write(t, "x.json", `[{"a": SECRET`)}}, sqldb.ErrNotDatabase, "x.json"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			db, _, err := duckdb.Load(context.Background(), test.files, nil)
			if err == nil {
				db.Close()
				t.Fatal("the files are accepted")
			}
			if !errors.Is(err, test.kind) || !strings.Contains(err.Error(), test.says) {
				t.Errorf("the error is %v, want kind %q and %q", err, test.kind, test.says)
			}
			if strings.Contains(err.Error(), "SECRET") || strings.Contains(err.Error(), "\n") {
				t.Errorf("the error shows data or has several lines: %q", err)
			}
		})
	}
}

// The temporary directory exists while the database is open, and not afterwards.
func TestTemporaryDirectory(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	count := func() int {
		entries, err := os.ReadDir(os.TempDir())
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
		return len(entries)
	}
	file := filepath.Join(t.TempDir(), "x.csv")
	var text strings.Builder
	text.WriteString("a,b\n")
	for i := range 300_000 {
		fmt.Fprintf(&text, "%d,%s\n", i*7919%300_007, strings.Repeat("x", i%40))
	}
	if err := os.WriteFile(file, []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	opt := &duckdb.Options{MemoryLimit: 64 << 20, Threads: 2, Options: sqldb.Options{Timeout: 60 * time.Second}}
	db, _, err := duckdb.Load(context.Background(), []duckdb.File{{Path: file}}, opt)
	if err != nil {
		t.Fatal(err)
	}
	if count() != 2 { // the directory and its lock
		t.Errorf("%d temporary files while the database is open", count())
	}
	g := newGuard(t, parsed)
	if _, err := ask(db, g, "SELECT a, b, row_number() OVER (ORDER BY b, a) AS n FROM t_parsed QUALIFY n > 299990 ORDER BY n"); err != nil &&
		!errors.Is(err, sqldb.ErrTooLarge) {
		t.Errorf("a sort that is larger than the memory: %v", err)
	}
	if err := db.Close(); err != nil {
		t.Error(err)
	}
	if count() != 0 {
		t.Errorf("%d temporary directories after Close", count())
	}
	if _, _, err := duckdb.Load(context.Background(), []duckdb.File{{Path: write(t, "x.json", "{")}}, nil); err == nil || count() != 0 {
		t.Errorf("error %v, and %d temporary directories after a failure", err, count())
	}
}

var parsed = &secureview.Policy{Dialect: "duckdb", Tables: map[string][]string{"t_parsed": {"a", "b"}}, RowLimit: 100_000}

func loadNumbers(t testing.TB, opt *duckdb.Options) *sqldb.DB {
	t.Helper()
	var text strings.Builder
	text.WriteString("a,b\n")
	for i := range 20_000 {
		fmt.Fprintf(&text, "%d,x%d\n", i, i)
	}
	db, _, err := duckdb.Load(context.Background(), []duckdb.File{{Path: write(t, "x.csv", text.String())}}, opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

// endless takes far longer than any limit of the tests.
const endless = `SELECT count(*) FROM t_parsed x, t_parsed y, t_parsed z WHERE x.a * y.a + z.a = 12345677`

func TestTimeLimit(t *testing.T) {
	db := loadNumbers(t, &duckdb.Options{Options: sqldb.Options{Timeout: 300 * time.Millisecond}})
	g := newGuard(t, parsed)
	for _, query := range []string{
		endless,
		`SELECT max(levenshtein(x.b || y.b, y.b || x.b)) FROM t_parsed x, t_parsed y`,
		`SELECT count(*) FROM t_parsed x, t_parsed y WHERE regexp_matches(x.b || y.b, '(x|9)*z')`,
		`SELECT max(len(list_transform(range(1000), lambda i: i + x.a))) FROM t_parsed x, t_parsed y WHERE y.a < x.a`,
	} {
		start := time.Now()
		_, err := ask(db, g, query)
		if !errors.Is(err, sqldb.ErrTimeout) {
			t.Errorf("%s\nerror %v, want a timeout", query, err)
		}
		if took := time.Since(start); took > 1300*time.Millisecond {
			t.Logf("%s\nended after %v", query, took)
		}
	}
	if _, err := ask(db, g, "SELECT count(*) FROM t_parsed"); err != nil {
		t.Errorf("after the limit: %v", err)
	}
}

// A MAP of many keys is read within the time limit.
func TestLargeMap(t *testing.T) {
	db := loadNumbers(t, &duckdb.Options{Options: sqldb.Options{Timeout: 60 * time.Second}})
	table, err := ask(db, newGuard(t, parsed), "SELECT count(*) AS n, histogram(x.a * 20 + y.a) AS h FROM t_parsed x, t_parsed y WHERE y.a < 20")
	if err != nil {
		t.Fatal(err)
	}
	if text := fmt.Sprint(table.Rows[0][1]); table.Rows[0][0] != int64(400_000) || !strings.HasPrefix(text, `{"0":1,"1":1,`) {
		t.Errorf("%v rows, and the MAP begins with %.40s", table.Rows[0][0], text)
	}
	if table.Columns[1].Name != "h" {
		t.Errorf("the column has the name %s", table.Columns[1].Name)
	}
}

// A query with a MAP keeps the order of its rows and the names of its columns.
func TestMapsKeepOrder(t *testing.T) {
	db := loadNumbers(t, nil)
	table, err := ask(db, newGuard(t, parsed), `SELECT a, MAP {a: 'x'} AS "a map" FROM t_parsed ORDER BY a % 7, a DESC`)
	if err != nil {
		t.Fatal(err)
	}
	if len(table.Rows) < 100 || table.Columns[1].Name != "a map" {
		t.Fatalf("%d rows, columns %v", len(table.Rows), table.Columns)
	}
	for i, row := range table.Rows {
		a := row[0].(int64)
		if row[1] != fmt.Sprintf(`{"%d":"x"}`, a) {
			t.Fatalf("row %d is %v", i, row)
		}
		if i > 0 {
			if before := table.Rows[i-1][0].(int64); before%7 > a%7 || before%7 == a%7 && before < a {
				t.Fatalf("row %d is %d after %d", i, a, before)
			}
		}
	}
}

func TestCancellation(t *testing.T) {
	db := loadNumbers(t, nil)
	stmt, err := newGuard(t, parsed).Rewrite(context.Background(), endless)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	timer := time.AfterFunc(50*time.Millisecond, cancel)
	defer timer.Stop()
	if _, err := db.Query(ctx, stmt); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want a cancellation", err)
	}
}

func TestLimits(t *testing.T) {
	db := loadNumbers(t, &duckdb.Options{MemoryLimit: 64 << 20, MaxTempBytes: 1 << 20,
		Options: sqldb.Options{MaxRows: 10, MaxBytes: 1000, MaxCellBytes: 40}})
	g := newGuard(t, parsed)
	table, err := ask(db, g, "SELECT a FROM t_parsed ORDER BY a")
	if err != nil || len(table.Rows) != 10 || !table.Truncated {
		t.Errorf("%d rows, error %v", len(table.Rows), err)
	}
	table, err = ask(db, g, "SELECT repeat('x', 100) FROM t_parsed LIMIT 1")
	if err != nil || !strings.Contains(fmt.Sprint(table.Rows), "cut: 100 bytes") {
		t.Errorf("rows %v, error %v", table, err)
	}
	_, err = ask(db, g, "SELECT list(x.b || y.b) FROM t_parsed x, t_parsed y")
	if !errors.Is(err, sqldb.ErrTooLarge) {
		t.Errorf("more than the memory: error %v", err)
	}
}
