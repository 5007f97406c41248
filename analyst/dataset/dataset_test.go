package dataset_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed/analyst/dataset"
	"github.com/qedkit/qed/internal/peakmem"
)

func load(t *testing.T, text string, opt *dataset.Options) (*dataset.Dataset, error) {
	t.Helper()
	var o dataset.Options
	if opt != nil {
		o = *opt
	}
	o.TempDir = t.TempDir()
	d, err := dataset.Load(t.Context(), strings.NewReader(text), &o)
	if err == nil {
		t.Cleanup(func() {
			if err := d.Close(); err != nil {
				t.Error(err)
			}
			if left, err := os.ReadDir(o.TempDir); err != nil || len(left) > 0 {
				t.Errorf("left after Close: %v, %v", left, err)
			}
		})
	} else if left, _ := os.ReadDir(o.TempDir); len(left) > 0 {
		t.Errorf("left after an error: %v", left)
	}
	return d, err
}

func TestLoad(t *testing.T) {
	for _, test := range []struct {
		name, text string
		types      map[string]dataset.Type
		rows       [][]any
		warnings   []dataset.WarningKind
	}{
		{"types", "id,zip,price,ok,day,at\n1,01067,1.5,true,2024-02-29,2024-02-29 10:00:00\n2,80331,2,FALSE,2024-03-01,2024-03-01 10:00:00\n",
			map[string]dataset.Type{"id": "integer", "zip": "text", "price": "decimal", "ok": "boolean", "day": "date", "at": "time"},
			[][]any{{int64(1), "01067", 1.5, int64(1), "2024-02-29", "2024-02-29 10:00:00"}, {int64(2), "80331", 2.0, int64(0), "2024-03-01", "2024-03-01 10:00:00"}},
			[]dataset.WarningKind{dataset.Mixed}},
		{"mixed", "n\n1\n2\nx\n", map[string]dataset.Type{"n": "text"}, [][]any{{"1"}, {"2"}, {"x"}}, []dataset.WarningKind{dataset.Mixed}},
		{"BOM", "\xef\xbb\xbfa,b\n1,2\n", map[string]dataset.Type{"a": "integer", "b": "integer"}, [][]any{{int64(1), int64(2)}}, nil},
		{"Latin-1", "name\nM\xfcller\n", map[string]dataset.Type{"name": "text"}, [][]any{{"Müller"}}, []dataset.WarningKind{dataset.Encoding}},
		{"UTF-16", "\xff\xfea\x00\n\x001\x00\n\x00", map[string]dataset.Type{"a": "integer"}, [][]any{{int64(1)}}, []dataset.WarningKind{dataset.Encoding}},
		{"headers", "a,A,,b\n1,2,3,4\n", map[string]dataset.Type{"a": "integer", "A_2": "integer", "column_3": "integer", "b": "integer"},
			[][]any{{int64(1), int64(2), int64(3), int64(4)}}, []dataset.WarningKind{dataset.Header, dataset.Header}},
		{"formula", "a\n=cmd|' /C calc'!A0\nx\n", map[string]dataset.Type{"a": "text"}, [][]any{{"=cmd|' /C calc'!A0"}, {"x"}}, []dataset.WarningKind{dataset.Formula}},
		{"German", "tag;preis\n31.12.2024;1.234,50\n01.01.2025;7\n", map[string]dataset.Type{"tag": "date", "preis": "decimal"},
			[][]any{{"2024-12-31", 1234.5}, {"2025-01-01", 7.0}}, []dataset.WarningKind{dataset.Delimiter, dataset.Converted, dataset.Converted}},
		{"tab", "a\tb\n1\t2\n", map[string]dataset.Type{"a": "integer", "b": "integer"}, [][]any{{int64(1), int64(2)}}, []dataset.WarningKind{dataset.Delimiter}},
		{"line that names the separator", "sep=;\r\na;b,c\r\n1;2\r\n", map[string]dataset.Type{"a": "integer", "b,c": "integer"}, [][]any{{int64(1), int64(2)}}, []dataset.WarningKind{dataset.Delimiter}},
		{"separator that a header names", "sep=;x,b\n1,2\n", map[string]dataset.Type{"sep=;x": "integer", "b": "integer"}, [][]any{{int64(1), int64(2)}}, nil},
		{"carriage returns", "a,b\r1,2\r3,4\r", map[string]dataset.Type{"a": "integer", "b": "integer"}, [][]any{{int64(1), int64(2)}, {int64(3), int64(4)}}, nil},
		{"carriage return in a cell", "a\n\"x\ry\"\n", map[string]dataset.Type{"a": "text"}, [][]any{{"x\ry"}}, nil},
		{"no header", "1,2\n3,4\n", map[string]dataset.Type{"1": "integer", "2": "integer"}, [][]any{{int64(3), int64(4)}}, []dataset.WarningKind{dataset.Header}},
		{"years", "name,2023\nx,4\n", map[string]dataset.Type{"name": "text", "2023": "integer"}, [][]any{{"x", int64(4)}}, nil},
		{"direction of text", "a\u202eb,\u2067c\n1,2\n", map[string]dataset.Type{"a b": "integer", "c": "integer"}, [][]any{{int64(1), int64(2)}}, []dataset.WarningKind{dataset.Header, dataset.Header}},
		{"digits", "a\n" + strings.Repeat("9", 10_000) + "\n1e999999\n", map[string]dataset.Type{"a": "text"}, [][]any{{strings.Repeat("9", 10_000)}, {"1e999999"}}, nil},
		{"JSON digits", `[{"a":` + strings.Repeat("9", 10_000) + `},{"a":1e999999}]`, map[string]dataset.Type{"a": "text"}, [][]any{{strings.Repeat("9", 10_000)}, {"1e999999"}}, nil},
		{"ragged", "a,b\n1\n2,3\n", map[string]dataset.Type{"a": "integer", "b": "integer"}, [][]any{{int64(1), nil}, {int64(2), int64(3)}}, []dataset.WarningKind{dataset.Ragged}},
		{"NUL", "a\nx\x00y\n", map[string]dataset.Type{"a": "text"}, [][]any{{"xy"}}, []dataset.WarningKind{dataset.Dropped}},
		{"day or month", "d\n01/02/2024\n", map[string]dataset.Type{"d": "text"}, [][]any{{"01/02/2024"}}, []dataset.WarningKind{dataset.DayMonth}},
		{"day first", "d\n13/02/2024\n01/02/2024\n", map[string]dataset.Type{"d": "date"}, [][]any{{"2024-02-13"}, {"2024-02-01"}}, []dataset.WarningKind{dataset.Converted}},
		{"JSON", `[{"a":1,"b":"x"},{"b":null,"c":"007","a":2.5}]`, map[string]dataset.Type{"a": "decimal", "b": "text", "c": "text"},
			[][]any{{1.0, "x", nil}, {2.5, nil, "007"}}, nil},
		{"JSON lines", "{\"a\":true}\n{\"a\":false}\n", map[string]dataset.Type{"a": "boolean"}, [][]any{{int64(1)}, {int64(0)}}, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			d, err := load(t, test.text, nil)
			if err != nil {
				t.Fatal(err)
			}
			types := map[string]dataset.Type{}
			for _, c := range d.Columns {
				types[c.Name] = c.Type
			}
			var kinds []dataset.WarningKind
			for _, w := range d.Warnings {
				kinds = append(kinds, w.Kind)
			}
			if diff := cmp.Diff(test.types, types) + cmp.Diff(test.rows, d.Sample.Rows) + cmp.Diff(test.warnings, kinds); diff != "" {
				t.Error(diff)
			}
			if d.Rows != len(test.rows) || len(d.Schema.Tables["t_parsed"].Columns) != len(test.types) {
				t.Errorf("%d rows, schema %v", d.Rows, d.Schema.Tables)
			}
		})
	}
}

func TestRefused(t *testing.T) {
	wide := strings.Repeat("c,", 9999) + "c\n"
	for _, test := range []struct {
		name, text string
		opt        dataset.Options
		want       dataset.Kind
		line       int
	}{
		{"quotes", "a,b\n1,2\n\"x\"y,3\n", dataset.Options{}, dataset.ErrFormat, 3},
		{"open quote", "a,b\n1,\"2\n3,4\n", dataset.Options{}, dataset.ErrFormat, 2},
		{"long row", "a\n1\n2,3\n", dataset.Options{}, dataset.ErrFormat, 3},
		{"wide", wide, dataset.Options{}, dataset.ErrTooLarge, 1},
		{"no rows", "a,b\n", dataset.Options{}, dataset.ErrEmpty, 0},
		{"nothing", "", dataset.Options{}, dataset.ErrEmpty, 0},
		{"XLSX", "PK\x03\x04rest", dataset.Options{}, dataset.ErrFormat, 0},
		{"HTML", "<!DOCTYPE html><html></html>", dataset.Options{}, dataset.ErrFormat, 0},
		{"binary", "\x01\x02\x03\x00\x05\x06", dataset.Options{}, dataset.ErrFormat, 0},
		{"gzip", "\x1f\x8brest", dataset.Options{}, dataset.ErrFormat, 0},
		{"PNG", "\x89PNG\r\n", dataset.Options{}, dataset.ErrFormat, 0},
		{"Parquet", "PAR1rest", dataset.Options{}, dataset.ErrFormat, 0},
		{"UTF-32", "\xff\xfe\x00\x00a\x00\x00\x00\n\x00\x00\x001\x00\x00\x00", dataset.Options{}, dataset.ErrFormat, 0},
		{"UTF-16 without a mark", "a\x00\n\x001\x00\n\x00", dataset.Options{}, dataset.ErrFormat, 0},
		{"blank", "\n \n\r\n", dataset.Options{}, dataset.ErrEmpty, 0},
		{"JSON that is nested deeply", `[{"a":` + strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000) + `}]`, dataset.Options{}, dataset.ErrFormat, 1},
		{"JSON objects that are nested deeply", strings.Repeat(`{"a":`, 100_000), dataset.Options{}, dataset.ErrFormat, 1},
		{"JSON without rows", "[]", dataset.Options{}, dataset.ErrEmpty, 0},
		{"JSON", "[{\"a\":1},\n{\"a\":]", dataset.Options{}, dataset.ErrFormat, 2},
		{"JSON lines", "{\"a\":1}\n\n{\"a\":\"x\"}\n{\"a\" 1}\n{\"a\":2}\n", dataset.Options{}, dataset.ErrFormat, 4},
		{"JSON numbers", `[1,2]`, dataset.Options{}, dataset.ErrFormat, 1},
		{"JSON and more", `[{"a":1}] x`, dataset.Options{}, dataset.ErrFormat, 1},
		{"JSON cut short", `[{"a":1}`, dataset.Options{}, dataset.ErrFormat, 1},
		{"JSON number after objects", "{\"a\":1}\n2\n", dataset.Options{}, dataset.ErrFormat, 2},
		{"JSON key twice", "[{\"a\":1},\n {\"b\":1,\"a\":2,\n\"b\":3}]", dataset.Options{}, dataset.ErrFormat, 2},
		{"row", "a,b\n1,2\n" + strings.Repeat("x", 20) + "," + strings.Repeat("x", 20) + "\n", dataset.Options{MaxRowBytes: 40}, dataset.ErrTooLarge, 3},
		{"JSON row", "{\"a\":\"" + strings.Repeat("x", 40) + "\"}", dataset.Options{MaxRowBytes: 40}, dataset.ErrTooLarge, 1},
		{"separator", "a;b\n1;2,3,4\n", dataset.Options{Separator: ','}, dataset.ErrFormat, 2},
		{"separator that is none", "a\n1\n", dataset.Options{Separator: '"'}, dataset.ErrArgument, 0},
		{"decimal sign", "a\n1\n", dataset.Options{Decimal: ';'}, dataset.ErrArgument, 0},
		{"negative", "a\n1\n", dataset.Options{MaxRowBytes: -1}, dataset.ErrArgument, 0},
		{"row limit", "a\n1\n", dataset.Options{MaxRowBytes: 1 << 30}, dataset.ErrArgument, 0},
		{"rows", "a\n1\n2\n3\n", dataset.Options{MaxRows: 2}, dataset.ErrTooLarge, 4},
		{"cell", "a\nlong\n", dataset.Options{MaxCellBytes: 3}, dataset.ErrTooLarge, 2},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := load(t, test.text, &test.opt)
			var failed *dataset.Error
			if !errors.As(err, &failed) || !errors.Is(err, test.want) || failed.Line != test.line {
				t.Fatalf("%v, want %v in line %d", err, test.want, test.line)
			}
		})
	}
}

// endless is a CSV without an end.
type endless struct{ read int64 }

func (e *endless) Read(p []byte) (int, error) {
	n := copy(p, bytes.Repeat([]byte("1,2\n"), len(p)/4+1))
	e.read += int64(n)
	return n, nil
}

func TestTooManyBytes(t *testing.T) {
	r := &endless{}
	_, err := dataset.Load(t.Context(), io.LimitReader(r, 2<<30), &dataset.Options{MaxBytes: 1 << 20, TempDir: t.TempDir()})
	if !errors.Is(err, dataset.ErrTooLarge) || r.read > 2<<20 {
		t.Fatalf("%v after %d bytes", err, r.read)
	}
}

// A quote or bracket that is never closed is refused before the memory has all of
// it.
func TestHugeRecord(t *testing.T) {
	if testing.Short() {
		t.Skip("loads records of 64 MB")
	}
	for name, start := range map[string]string{"CSV": "a,b\n1,\"", "line": "a,b\n1,", "JSON string": `[{"a":"`, "JSON value": `[{"a":[`, "JSON object": "{\"a\":1}\n{"} {
		t.Run(name, func(t *testing.T) {
			r := io.MultiReader(strings.NewReader(start), io.LimitReader(filler('x'), 64<<20))
			if strings.HasSuffix(start, "[") || strings.HasSuffix(start, "{") {
				r = io.MultiReader(strings.NewReader(start), io.LimitReader(filler(' '), 64<<20))
			}
			peak := peakmem.Growth(t, func() {
				_, err := dataset.Load(t.Context(), r, &dataset.Options{TempDir: t.TempDir()})
				if !errors.Is(err, dataset.ErrTooLarge) {
					t.Error(err)
				}
			})
			if peak > 24<<20 {
				t.Errorf("%d MiB of memory", peak>>20)
			}
		})
	}
}

// A filler is one byte without an end.
type filler byte

func (f filler) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = byte(f)
	}
	return len(p), nil
}

func TestOpen(t *testing.T) {
	path := filepath.Join(t.TempDir(), "data.csv")
	if err := os.WriteFile(path, []byte("a\n1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	d, err := dataset.Open(t.Context(), path, &dataset.Options{TempDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	rows, err := d.DB.QueryText(t.Context(), d.Guard, "SELECT a FROM T_PARSED")
	if err != nil || rows.Rows[0][0] != int64(1) {
		t.Errorf("%v, %v", rows, err)
	}
	_, err = dataset.Open(t.Context(), path+".missing", nil)
	if !errors.Is(err, dataset.ErrRead) || !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	if _, err := dataset.Open(t.Context(), filepath.Dir(path), nil); !errors.Is(err, dataset.ErrRead) {
		t.Error(err)
	}
	if _, err := dataset.Open(t.Context(), os.DevNull, nil); !errors.Is(err, dataset.ErrRead) {
		t.Error(err)
	}
}

// A named pipe is refused at once: to open it would wait for a writer.
func TestOpenNamedPipe(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe.csv")
	if err := exec.Command("mkfifo", pipe).Run(); err != nil {
		t.Logf("%v: a socket is opened instead", err)
		socket, err := net.Listen("unix", pipe)
		if err != nil {
			t.Fatal(err)
		}
		defer socket.Close()
	}
	if _, err := dataset.Open(t.Context(), pipe, nil); !errors.Is(err, dataset.ErrRead) {
		t.Error(err)
	}
}

// A link to a regular file is loaded as the file is.
func TestOpenLink(t *testing.T) {
	path := filepath.Join(t.TempDir(), "data.csv")
	if err := os.WriteFile(path, []byte("a\n1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(path, path+".link"); err != nil {
		t.Fatal(err)
	}
	d, err := dataset.Open(t.Context(), path+".link", &dataset.Options{TempDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if d.Rows != 1 {
		t.Errorf("%d rows", d.Rows)
	}
}

// BenchmarkLoad loads 100,000 rows of 20 columns.
func BenchmarkLoad(b *testing.B) {
	var text bytes.Buffer
	for i := range 20 {
		fmt.Fprintf(&text, "c%d%s", i, map[bool]string{true: "\n", false: ","}[i == 19])
	}
	for row := range 100_000 {
		for i := range 20 {
			switch i % 5 {
			case 0:
				fmt.Fprint(&text, row*i)
			case 1:
				fmt.Fprintf(&text, "%d.%02d", row%977, (row+i)%100)
			case 2:
				fmt.Fprintf(&text, "customer %d", row%5000)
			case 3:
				fmt.Fprintf(&text, "2024-%02d-%02d", row%12+1, row%28+1)
			case 4:
				text.WriteString([]string{"true", "false", ""}[row%3])
			}
			text.WriteByte(",\n"[i/19])
		}
	}
	b.SetBytes(int64(text.Len()))
	b.ReportAllocs()
	dir := b.TempDir()
	peak := 0
	for b.Loop() {
		peak = max(peak, peakmem.Growth(b, func() {
			d, err := dataset.Load(b.Context(), bytes.NewReader(text.Bytes()), &dataset.Options{TempDir: dir})
			if err != nil {
				b.Fatal(err)
			}
			d.Close()
		}))
	}
	b.ReportMetric(float64(peak)/(1<<20), "peak-MiB")
}

func TestCanceled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := dataset.Load(ctx, &endless{}, &dataset.Options{TempDir: t.TempDir()}); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
}

// A context that ends after the input was read ends the loading, and leaves nothing.
func TestCanceledWhileLoading(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	dir := t.TempDir()
	text := io.MultiReader(strings.NewReader("a,b\n"+strings.Repeat("1,2\n", 50_000)), readerFunc(func([]byte) (int, error) {
		cancel()
		return 0, io.EOF
	}))
	if _, err := dataset.Load(ctx, text, &dataset.Options{TempDir: dir}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left %v, %v", left, err)
	}
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// What cannot be read or stored is an error of its kind.
func TestBrokenInputAndStorage(t *testing.T) {
	broken := errors.New("the disk is broken")
	half := io.MultiReader(strings.NewReader("a\n1\n"), readerFunc(func([]byte) (int, error) { return 0, broken }))
	dir := t.TempDir()
	if _, err := dataset.Load(t.Context(), half, &dataset.Options{TempDir: dir}); !errors.Is(err, dataset.ErrRead) || !errors.Is(err, broken) {
		t.Error(err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left %v, %v", left, err)
	}
	_, err := dataset.Load(t.Context(), strings.NewReader("a\n1\n"), &dataset.Options{TempDir: filepath.Join(dir, "none")})
	if !errors.Is(err, dataset.ErrStorage) || !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	path := filepath.Join(dir, "large.csv")
	if err := os.WriteFile(path, []byte("a\n1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, 1<<40); err != nil {
		t.Skip(err) // the file system has no files with holes
	}
	if _, err := dataset.Open(t.Context(), path, &dataset.Options{TempDir: dir}); !errors.Is(err, dataset.ErrTooLarge) {
		t.Error(err)
	}
}

// Only the table can be read, and nothing written.
func TestGuarded(t *testing.T) {
	d, err := load(t, "a\n1\n", nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"DELETE FROM t_parsed", "SELECT * FROM sqlite_schema", "SELECT 1; SELECT 2"} {
		if _, err := d.Guard.Rewrite(t.Context(), text); err == nil {
			t.Errorf("%s is accepted", text)
		}
	}
}

func Example() {
	d, err := dataset.Load(context.Background(), strings.NewReader("city;price\nBerlin;1,50\nBonn;2,75\n"), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer d.Close()
	stmt, err := d.Guard.Rewrite(context.Background(), "SELECT SUM(price) FROM t_parsed")
	if err != nil {
		fmt.Println(err)
		return
	}
	table, err := d.DB.Query(context.Background(), stmt)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(d.Rows, d.Columns[1].Type, table.Rows[0][0])
	// Output: 2 decimal 4.25
}
