package duckdb_test

import (
	"bytes"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/qedkit/qed/internal/peakmem"
	"github.com/qedkit/qed/sqldb"
	"github.com/qedkit/qed/sqldb/duckdb"
)

// loaded returns the names of the columns of a file and the number of its rows.
func loaded(t *testing.T, path, table string) (columns []string, rows int, err error) {
	t.Helper()
	opt := &duckdb.Options{MaxTempBytes: 64 << 20, Options: sqldb.Options{Timeout: 30 * time.Second}}
	db, _, err := duckdb.Load(t.Context(), []duckdb.File{{Path: path, Table: table}}, opt)
	if err != nil {
		return nil, 0, err
	}
	defer db.Close()
	schema, err := db.Introspect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if table == "" {
		table = duckdb.DefaultTable
	}
	return schema.Tables[table].Columns, int(schema.Tables[table].Rows), nil
}

// A hostile file is read, or refused with a typed error of one line.
func TestHostileFiles(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	names := make([]string, 10_000)
	for i := range names {
		names[i] = fmt.Sprintf("c%d", i)
	}
	wide := strings.Join(names, ",") + "\n" + strings.Repeat("1,", 9_999) + "1\n"
	pipe := filepath.Join(t.TempDir(), "pipe.csv")
	if err := exec.Command("mkfifo", pipe).Run(); err != nil {
		t.Log(err)
		pipe = t.TempDir()
	}
	link := filepath.Join(t.TempDir(), "link.csv")
	if err := os.Symlink("/dev/zero", link); err != nil {
		t.Fatal(err)
	}
	good := filepath.Join(t.TempDir(), "good.csv")
	if err := os.Symlink(write(t, "x.csv", "a,b\n1,2\n"), good); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name, path, table string
		columns           int        // 0 means that the file is refused
		kind              sqldb.Kind // of the error
	}{
		{"10,000 columns", write(t, "x.csv", wide), "", 10_000, ""},
		{"a line of 64 MB", write(t, "x.csv", "a,b\n1,"+strings.Repeat("x", 64<<20)+"\n"), "", 0, sqldb.ErrTooLarge},
		{"a header of 64 MB", write(t, "x.csv", strings.Repeat("x", 64<<20)), "", 0, sqldb.ErrTooLarge},
		{"UTF-16", write(t, "x.csv", "\xff\xfea\x00,\x00b\x00\n\x00"), "", 0, sqldb.ErrNotDatabase},
		{"names that differ in case", write(t, "x.csv", "Name,NAME,name\n1,2,3\n"), "", 3, ""},
		{"keywords and functions", write(t, "x.csv", "select,count,rowid,from,*,\"a\"\"b\",''\n1,2,3,4,5,6,7\n"), "", 7, ""},
		{"a table that is a keyword", write(t, "x.csv", "a,b\n1,2\n"), `select "x"; --`, 2, ""},
		{"a name with quotes and a line end", write(t, "it's \"x\"\n.csv", "a,b\n1,2\n"), "", 2, ""},
		{"a name that is SQL", write(t, "x'); DROP TABLE t; --.csv", "a,b\n1,2\n"), "", 2, ""},
		{"a named pipe", pipe, "", 0, sqldb.ErrUnreadable},
		{"a device", link, "", 0, sqldb.ErrUnreadable},
		{"a link to a file", good, "", 2, ""},
		{"JSON with a key twice", write(t, "x.json", `[{"a": 1, "a": 2}]`), "", 0, sqldb.ErrNotDatabase},
		{"JSON with keys that differ in case", write(t, "x.json", `[{"a": 1, "A": 2}]`), "", 2, ""},
		{"JSON that is nested deeply", write(t, "x.json", strings.Repeat(`{"a":[`, 100_000)), "", 0, sqldb.ErrNotDatabase},
		{"JSON of 64 MB in one value", write(t, "x.json", `[{"a": "`+strings.Repeat("x", 64<<20)+`"}]`), "", 0, sqldb.ErrTooLarge},
		{"JSON of scalars", write(t, "x.json", "1\n2\n"), "", 0, sqldb.ErrNotDatabase},
		{"JSON whose value is nested deeply", write(t, "x.json", `[{"a":`+strings.Repeat("[", 100_000)+strings.Repeat("]", 100_000)+`}]`), "", 0, sqldb.ErrNotDatabase},
		{"JSON with a value of some depth", write(t, "x.json", `[{"a":`+strings.Repeat("[", 900)+strings.Repeat("]", 900)+`}]`), "", 1, ""},
		{"JSON with brackets in texts", write(t, "x.json", `[{"a":"\"`+strings.Repeat("[", 2000)+`"}]`), "", 1, ""},
		{"blank lines", write(t, "x.csv", "\n \n"), "", 0, sqldb.ErrNotDatabase},
		{"a byte order mark alone", write(t, "x.csv", "\ufeff"), "", 0, sqldb.ErrNotDatabase},
		{"HTML", write(t, "x.csv", "<html><body>Sign in</body></html>\n"), "", 0, sqldb.ErrNotDatabase},
		{"PDF", write(t, "x.csv", "%PDF-1.4\n"), "", 0, sqldb.ErrNotDatabase},
		{"PNG", write(t, "x.csv", "\x89PNG\r\n\x1a\n"), "", 0, sqldb.ErrNotDatabase},
		{"gzip without its ending", write(t, "x.csv", "\x1f\x8brest"), "", 0, sqldb.ErrNotDatabase},
		{"JSON of UTF-16", write(t, "x.json", "\xff\xfe[\x00]\x00"), "", 0, sqldb.ErrNotDatabase},
		{"Windows-1252", write(t, "x.csv", "a,b\n1,\x805\n"), "", 2, ""},
		{"lines above the names", write(t, "x.csv", "Report\n\na,b\n1,2\n"), "", 2, ""},
		{"a first row that is longer", write(t, "x.csv", "a,b\n1,2\n3,4,5\n"), "", 0, sqldb.ErrNotDatabase},
		{"no gzip", write(t, "x.csv.gz", "a,b\n1,2\n"), "", 2, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			columns, _, err := loaded(t, test.path, test.table)
			var known *sqldb.Error
			switch {
			case test.columns > 0 && (err != nil || len(columns) != test.columns):
				t.Errorf("%d columns, error %v", len(columns), err)
			case test.columns == 0 && (!errors.As(err, &known) || known.Kind != test.kind):
				t.Errorf("error %v, want kind %q", err, test.kind)
			case err != nil && (strings.Contains(err.Error(), "\n") || len(err.Error()) > 1000):
				t.Errorf("the error is long: %.2000q", err.Error())
			}
		})
	}
	if left, err := os.ReadDir(os.TempDir()); err != nil || len(left) > 0 {
		t.Errorf("%v is left, %v", left, err)
	}
}

// A small file that becomes large is refused within the limits of memory and disk.
func TestLargeParquet(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.parquet")
	raw, err := sql.Open("duckdb", "")
	if err != nil {
		t.Fatal(err)
	}
	defer raw.Close()
	if _, err := raw.Exec("COPY (SELECT i || repeat('x', 1000) AS a FROM range(400000) r(i)) TO '" + path + "' (COMPRESSION zstd)"); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || info.Size() > 16<<20 {
		t.Fatalf("the file is not small: %v, %v", info, err)
	}
	t.Setenv("TMPDIR", t.TempDir())
	grown := peakmem.Start(t)
	_, _, err = duckdb.Load(t.Context(), []duckdb.File{{Path: path}}, &duckdb.Options{MemoryLimit: 64 << 20, MaxTempBytes: 32 << 20, Threads: 2})
	if !errors.Is(err, sqldb.ErrTooLarge) || !strings.Contains(err.Error(), "MaxTempBytes") {
		t.Errorf("error %v", err)
	}
	if n := grown(); n > 256<<20 {
		t.Errorf("%d MB of memory", n>>20)
	}
	if left, err := os.ReadDir(os.TempDir()); err != nil || len(left) > 0 {
		t.Errorf("%v is left, %v", left, err)
	}
}

// A Parquet file with wrong bytes is read, or refused with a typed error.
func TestDamagedParquet(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.parquet")
	raw, err := sql.Open("duckdb", "")
	if err != nil {
		t.Fatal(err)
	}
	defer raw.Close()
	if _, err := raw.Exec("COPY (SELECT i AS a, 'x' || i AS b, [i] AS c FROM range(1000) r(i)) TO '" + path + "'"); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(19, 7))
	refused := 0
	for range 150 {
		damaged := bytes.Clone(whole)
		for range 1 + rng.IntN(3) { // most lies are in the footer
			at := len(damaged) - 1 - rng.IntN(min(len(damaged), 600))
			damaged[at] = byte(rng.IntN(256))
		}
		if err := os.WriteFile(path, damaged, 0o600); err != nil {
			t.Fatal(err)
		}
		_, _, err := loaded(t, path, "")
		var known *sqldb.Error
		if err != nil && !errors.As(err, &known) {
			t.Errorf("error %v", err)
		}
		if err != nil {
			refused++
		}
	}
	t.Logf("%d of 150 files are refused", refused)
}
