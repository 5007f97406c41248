package tabular_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed/analyst/tabular"
	"github.com/qedkit/qed/internal/peakmem"
	"github.com/qedkit/qed/internal/usertext/usertexttest"
)

// A loaded file has its rows.
type loaded struct {
	*tabular.File
	rows [][]any
}

func load(t *testing.T, text string, opt *tabular.Options) (*loaded, error) {
	t.Helper()
	var o tabular.Options
	if opt != nil {
		o = *opt
	}
	o.TempDir = t.TempDir()
	d, err := readAll(t, strings.NewReader(text), o)
	if left, err := os.ReadDir(o.TempDir); err != nil || len(left) > 0 {
		t.Errorf("left after Close: %v, %v", left, err)
	}
	return d, err
}

// readAll reads all rows, and closes the file.
func readAll(t *testing.T, r io.Reader, o tabular.Options) (*loaded, error) {
	f, err := tabular.Read(t.Context(), r, &o)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}()
	d := &loaded{File: f}
	return d, f.Each(t.Context(), func(values []any) error {
		d.rows = append(d.rows, slices.Clone(values))
		return nil
	})
}

func TestLoad(t *testing.T) {
	for _, test := range []struct {
		name, text string
		types      map[string]tabular.Type
		rows       [][]any
		warnings   []tabular.WarningKind
	}{
		{"types", "id,zip,price,ok,day,at\n1,01067,1.5,true,2024-02-29,2024-02-29 10:00:00\n2,80331,2,FALSE,2024-03-01,2024-03-01 10:00:00\n",
			map[string]tabular.Type{"id": "integer", "zip": "text", "price": "decimal", "ok": "boolean", "day": "date", "at": "time"},
			[][]any{{int64(1), "01067", 1.5, true, "2024-02-29", "2024-02-29 10:00:00"}, {int64(2), "80331", 2.0, false, "2024-03-01", "2024-03-01 10:00:00"}},
			[]tabular.WarningKind{tabular.Mixed}},
		{"mixed", "n\n1\n2\nx\n", map[string]tabular.Type{"n": "text"}, [][]any{{"1"}, {"2"}, {"x"}}, []tabular.WarningKind{tabular.Mixed}},
		{"BOM", "\xef\xbb\xbfa,b\n1,2\n", map[string]tabular.Type{"a": "integer", "b": "integer"}, [][]any{{int64(1), int64(2)}}, nil},
		{"Latin-1", "name\nM\xfcller\n", map[string]tabular.Type{"name": "text"}, [][]any{{"Müller"}}, []tabular.WarningKind{tabular.Encoding}},
		{"UTF-16", "\xff\xfea\x00\n\x001\x00\n\x00", map[string]tabular.Type{"a": "integer"}, [][]any{{int64(1)}}, []tabular.WarningKind{tabular.Encoding}},
		{"headers", "a,A,,b\n1,2,3,4\n", map[string]tabular.Type{"a": "integer", "A_2": "integer", "column_3": "integer", "b": "integer"},
			[][]any{{int64(1), int64(2), int64(3), int64(4)}}, []tabular.WarningKind{tabular.Header, tabular.Header}},
		{"formula", "a\n=cmd|' /C calc'!A0\nx\n", map[string]tabular.Type{"a": "text"}, [][]any{{"=cmd|' /C calc'!A0"}, {"x"}}, []tabular.WarningKind{tabular.Formula}},
		{"German", "tag;preis\n31.12.2024;1.234,50\n01.01.2025;7\n", map[string]tabular.Type{"tag": "date", "preis": "decimal"},
			[][]any{{"2024-12-31", 1234.5}, {"2025-01-01", 7.0}}, []tabular.WarningKind{tabular.Delimiter, tabular.Converted, tabular.Converted}},
		{"tab", "a\tb\n1\t2\n", map[string]tabular.Type{"a": "integer", "b": "integer"}, [][]any{{int64(1), int64(2)}}, []tabular.WarningKind{tabular.Delimiter}},
		{"line that names the separator", "sep=;\r\na;b,c\r\n1;2\r\n", map[string]tabular.Type{"a": "integer", "b,c": "integer"}, [][]any{{int64(1), int64(2)}}, []tabular.WarningKind{tabular.Delimiter}},
		{"separator that a header names", "sep=;x,b\n1,2\n", map[string]tabular.Type{"sep=;x": "integer", "b": "integer"}, [][]any{{int64(1), int64(2)}}, nil},
		{"carriage returns", "a,b\r1,2\r3,4\r", map[string]tabular.Type{"a": "integer", "b": "integer"}, [][]any{{int64(1), int64(2)}, {int64(3), int64(4)}}, nil},
		{"carriage return in a cell", "a\n\"x\ry\"\n", map[string]tabular.Type{"a": "text"}, [][]any{{"x\ry"}}, nil},
		{"no header", "1,2\n3,4\n", map[string]tabular.Type{"1": "integer", "2": "integer"}, [][]any{{int64(3), int64(4)}}, []tabular.WarningKind{tabular.Header}},
		{"years", "name,2023\nx,4\n", map[string]tabular.Type{"name": "text", "2023": "integer"}, [][]any{{"x", int64(4)}}, []tabular.WarningKind{tabular.Header}},
		{"years among names", "name,2023,2024\nx,4,5\n", map[string]tabular.Type{"name": "text", "2023": "integer", "2024": "integer"}, [][]any{{"x", int64(4), int64(5)}}, nil},
		{"a number like a year in the first row", "1,2021-06-17,2038\n2,2021-05-14,743\n", map[string]tabular.Type{"column_1": "integer", "column_2": "date", "column_3": "integer"},
			[][]any{{int64(1), "2021-06-17", int64(2038)}, {int64(2), "2021-05-14", int64(743)}}, []tabular.WarningKind{tabular.Header}},
		{"serial numbers of days stay numbers", "day,n\n46085,1\n46086,2\n", map[string]tabular.Type{"day": "integer", "n": "integer"}, [][]any{{int64(46085), int64(1)}, {int64(46086), int64(2)}}, nil},
		{"decimal commas in quotes", "amount\n\"1,5\"\n\"2,25\"\n", map[string]tabular.Type{"amount": "decimal"}, [][]any{{1.5}, {2.25}}, []tabular.WarningKind{tabular.Converted}},
		{"decimal commas below sep=;", "sep=;\namount\n1,5\n2,25\n", map[string]tabular.Type{"amount": "decimal"}, [][]any{{1.5}, {2.25}}, []tabular.WarningKind{tabular.Delimiter, tabular.Converted}},
		{"direction of text", "a\u202eb,\u2067c\n1,2\n", map[string]tabular.Type{"a b": "integer", "c": "integer"}, [][]any{{int64(1), int64(2)}}, []tabular.WarningKind{tabular.Header, tabular.Header}},
		{"digits", "a\n" + strings.Repeat("9", 10_000) + "\n1e999999\n", map[string]tabular.Type{"a": "text"}, [][]any{{strings.Repeat("9", 10_000)}, {"1e999999"}}, nil},
		{"JSON digits", `[{"a":` + strings.Repeat("9", 10_000) + `},{"a":1e999999}]`, map[string]tabular.Type{"a": "text"}, [][]any{{strings.Repeat("9", 10_000)}, {"1e999999"}}, nil},
		{"ragged", "a,b\n1\n2,3\n", map[string]tabular.Type{"a": "integer", "b": "integer"}, [][]any{{int64(1), nil}, {int64(2), int64(3)}}, []tabular.WarningKind{tabular.Ragged}},
		{"NUL", "a\nx\x00y\n", map[string]tabular.Type{"a": "text"}, [][]any{{"xy"}}, []tabular.WarningKind{tabular.Dropped}},
		{"day or month", "d\n01/02/2024\n", map[string]tabular.Type{"d": "text"}, [][]any{{"01/02/2024"}}, []tabular.WarningKind{tabular.DayMonth}},
		{"day first", "d\n13/02/2024\n01/02/2024\n", map[string]tabular.Type{"d": "date"}, [][]any{{"2024-02-13"}, {"2024-02-01"}}, []tabular.WarningKind{tabular.Converted}},
		{"JSON", `[{"a":1,"b":"x"},{"b":null,"c":"007","a":2.5}]`, map[string]tabular.Type{"a": "decimal", "b": "text", "c": "text"},
			[][]any{{1.0, "x", nil}, {2.5, nil, "007"}}, nil},
		{"JSON lines", "{\"a\":true}\n{\"a\":false}\n", map[string]tabular.Type{"a": "boolean"}, [][]any{{true}, {false}}, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			d, err := load(t, test.text, nil)
			if err != nil {
				t.Fatal(err)
			}
			types := map[string]tabular.Type{}
			for _, c := range d.Columns {
				types[c.Name] = c.Type
			}
			var kinds []tabular.WarningKind
			for _, w := range d.Warnings {
				kinds = append(kinds, w.Kind)
			}
			if diff := cmp.Diff(test.types, types) + cmp.Diff(test.rows, d.rows) + cmp.Diff(test.warnings, kinds); diff != "" {
				t.Error(diff)
			}
			if d.Rows != len(test.rows) {
				t.Errorf("%d rows", d.Rows)
			}
		})
	}
}

func TestRefused(t *testing.T) {
	wide := strings.Repeat("c,", 9999) + "c\n"
	for _, test := range []struct {
		name, text string
		opt        tabular.Options
		want       tabular.Kind
		line       int
	}{
		{"quotes", "a,b\n1,2\n\"x\"y,3\n", tabular.Options{}, tabular.ErrFormat, 3},
		{"open quote", "a,b\n1,\"2\n3,4\n", tabular.Options{}, tabular.ErrFormat, 2},
		{"long row", "a\n1\n2,3\n", tabular.Options{}, tabular.ErrFormat, 3},
		{"wide", wide, tabular.Options{}, tabular.ErrTooLarge, 1},
		{"no rows", "a,b\n", tabular.Options{}, tabular.ErrEmpty, 0},
		{"nothing", "", tabular.Options{}, tabular.ErrEmpty, 0},
		{"XLSX", "PK\x03\x04rest", tabular.Options{}, tabular.ErrFormat, 0},
		{"HTML", "<!DOCTYPE html><html></html>", tabular.Options{}, tabular.ErrFormat, 0},
		{"binary", "\x01\x02\x03\x00\x05\x06", tabular.Options{}, tabular.ErrFormat, 0},
		{"gzip", "\x1f\x8brest", tabular.Options{}, tabular.ErrFormat, 0},
		{"gzip that is cut off", zipped("a,b\n" + strings.Repeat("1,2\n", 1000))[:40], tabular.Options{}, tabular.ErrFormat, 0},
		{"gzip without its last bytes", strings.TrimSuffix(zipped("a,b\n1,2\n"), "\x00"), tabular.Options{}, tabular.ErrFormat, 0},
		{"gzip bomb", zipped("a\n" + strings.Repeat("1\n", 1<<20)), tabular.Options{MaxBytes: 1 << 20}, tabular.ErrTooLarge, 0},
		{"JSON in gzip that is cut off", zipped("[" + strings.Repeat("{\"a\":1},", 1000))[:40], tabular.Options{}, tabular.ErrFormat, 0},
		{"date order", "a\n1\n", tabular.Options{DateOrder: "day"}, tabular.ErrArgument, 0},
		{"encoding", "a\nM\xfc\n", tabular.Options{Encoding: "klingon"}, tabular.ErrArgument, 0},
		{"PNG", "\x89PNG\r\n", tabular.Options{}, tabular.ErrFormat, 0},
		{"Parquet", "PAR1rest", tabular.Options{}, tabular.ErrFormat, 0},
		{"UTF-32", "\xff\xfe\x00\x00a\x00\x00\x00\n\x00\x00\x001\x00\x00\x00", tabular.Options{}, tabular.ErrFormat, 0},
		{"UTF-16 without a mark", "a\x00\n\x001\x00\n\x00", tabular.Options{}, tabular.ErrFormat, 0},
		{"blank", "\n \n\r\n", tabular.Options{}, tabular.ErrEmpty, 0},
		{"JSON that is nested deeply", `[{"a":` + strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000) + `}]`, tabular.Options{}, tabular.ErrFormat, 1},
		{"JSON objects that are nested deeply", strings.Repeat(`{"a":`, 100_000), tabular.Options{}, tabular.ErrFormat, 1},
		{"JSON without rows", "[]", tabular.Options{}, tabular.ErrEmpty, 0},
		{"JSON", "[{\"a\":1},\n{\"a\":]", tabular.Options{}, tabular.ErrFormat, 2},
		{"JSON lines", "{\"a\":1}\n\n{\"a\":\"x\"}\n{\"a\" 1}\n{\"a\":2}\n", tabular.Options{}, tabular.ErrFormat, 4},
		{"JSON numbers", `[1,2]`, tabular.Options{}, tabular.ErrFormat, 1},
		{"JSON of columns", `{"a":[1,2],"b":["x","y"]}`, tabular.Options{}, tabular.ErrFormat, 1},
		{"JSON of columns and rows", `{"columns":["a"],"index":[0],"data":[[1]]}`, tabular.Options{}, tabular.ErrFormat, 1},
		{"JSON of named columns and rows", `{"columns":[{"text":"a"}],"rows":[[1]]}`, tabular.Options{}, tabular.ErrFormat, 1},
		{"JSON and more", `[{"a":1}] x`, tabular.Options{}, tabular.ErrFormat, 1},
		{"JSON cut short", `[{"a":1}`, tabular.Options{}, tabular.ErrFormat, 1},
		{"JSON number after objects", "{\"a\":1}\n2\n", tabular.Options{}, tabular.ErrFormat, 2},
		{"JSON key twice", "[{\"a\":1},\n {\"b\":1,\"a\":2,\n\"b\":3}]", tabular.Options{}, tabular.ErrFormat, 2},
		{"row", "a,b\n1,2\n" + strings.Repeat("x", 20) + "," + strings.Repeat("x", 20) + "\n", tabular.Options{MaxRowBytes: 40}, tabular.ErrTooLarge, 3},
		{"JSON row", "{\"a\":\"" + strings.Repeat("x", 40) + "\"}", tabular.Options{MaxRowBytes: 40}, tabular.ErrTooLarge, 1},
		{"separator", "a;b\n1;2,3,4\n", tabular.Options{Separator: ','}, tabular.ErrFormat, 2},
		{"separator that is none", "a\n1\n", tabular.Options{Separator: '"'}, tabular.ErrArgument, 0},
		{"decimal sign", "a\n1\n", tabular.Options{Decimal: ';'}, tabular.ErrArgument, 0},
		{"negative", "a\n1\n", tabular.Options{MaxRowBytes: -1}, tabular.ErrArgument, 0},
		{"row limit", "a\n1\n", tabular.Options{MaxRowBytes: 1 << 30}, tabular.ErrArgument, 0},
		{"rows", "a\n1\n2\n3\n", tabular.Options{MaxRows: 2}, tabular.ErrTooLarge, 4},
		{"cell", "a\nlong\n", tabular.Options{MaxCellBytes: 3}, tabular.ErrTooLarge, 2},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := load(t, test.text, &test.opt)
			var failed *tabular.Error
			if !errors.As(err, &failed) || !errors.Is(err, test.want) || failed.Line != test.line {
				t.Fatalf("%v, want %v in line %d", err, test.want, test.line)
			}
			if failed.User == "" { // an error of the program, and not of the file
				return
			}
			test.opt.Language = "de"
			_, err = load(t, test.text, &test.opt)
			german := new(tabular.Error)
			if !errors.As(err, &german) || german.Message != failed.Message || german.User == failed.User {
				t.Errorf("%v: in English %q, in German %q", err, failed.User, german.User)
			}
			usertexttest.Text(t, "English", failed.User)
			usertexttest.Text(t, "German", german.User)
		})
	}
}

func zipped(text string) string {
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	_, err := w.Write([]byte(text))
	if err = errors.Join(err, w.Close()); err != nil {
		panic(err) // not reached: the memory has it
	}
	return out.String()
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
	_, err := tabular.Read(t.Context(), io.LimitReader(r, 2<<30), &tabular.Options{MaxBytes: 1 << 20, TempDir: t.TempDir()})
	if !errors.Is(err, tabular.ErrTooLarge) || r.read > 2<<20 {
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
				_, err := tabular.Read(t.Context(), r, &tabular.Options{TempDir: t.TempDir()})
				if !errors.Is(err, tabular.ErrTooLarge) {
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
	d, err := tabular.Open(t.Context(), path, &tabular.Options{TempDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if d.Rows != 1 || d.Columns[0].Type != tabular.Integer {
		t.Errorf("%d rows of %v", d.Rows, d.Columns)
	}
	_, err = tabular.Open(t.Context(), path+".missing", nil)
	if !errors.Is(err, tabular.ErrRead) || !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	if _, err := tabular.Open(t.Context(), filepath.Dir(path), nil); !errors.Is(err, tabular.ErrRead) {
		t.Error(err)
	}
	if _, err := tabular.Open(t.Context(), os.DevNull, nil); !errors.Is(err, tabular.ErrRead) {
		t.Error(err)
	}
}

// A named pipe is refused at once: to open it would wait for a writer.
// A column of decimal commas is refused with what to do about it, and so is JSON without objects.
func TestRemedies(t *testing.T) {
	_, err := load(t, "amount\n1,5\n2,25\n3,75\n", nil)
	own, ok := errors.AsType[*tabular.Error](err)
	if !ok || own.Kind != tabular.ErrFormat || own.Option != "Separator" || !strings.Contains(own.ForUser(), "sep=;") {
		t.Error(err)
	}
	d, err := load(t, "amount\n1,5\n2,25\n3,75\n", &tabular.Options{Separator: ';'})
	if err != nil || d.Columns[0].Type != tabular.Decimal {
		t.Error(err)
	}
	for name, text := range map[string]string{"x.json": "1\n2\n", "x.ndjson.gz": "a\nb\n", "x.JSONL": `"a"`} {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := tabular.Open(t.Context(), path, nil)
		if !errors.Is(err, tabular.ErrFormat) && !errors.Is(err, tabular.ErrEmpty) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

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
	if _, err := tabular.Open(t.Context(), pipe, nil); !errors.Is(err, tabular.ErrRead) {
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
	d, err := tabular.Open(t.Context(), path+".link", &tabular.Options{TempDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if d.Rows != 1 {
		t.Errorf("%d rows", d.Rows)
	}
}

func TestCanceled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := tabular.Read(ctx, &endless{}, &tabular.Options{TempDir: t.TempDir()}); !errors.Is(err, context.Canceled) {
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
	if _, err := tabular.Read(ctx, text, &tabular.Options{TempDir: dir}); !errors.Is(err, context.Canceled) {
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
	if _, err := tabular.Read(t.Context(), half, &tabular.Options{TempDir: dir}); !errors.Is(err, tabular.ErrRead) || !errors.Is(err, broken) {
		t.Error(err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left %v, %v", left, err)
	}
	_, err := tabular.Read(t.Context(), strings.NewReader("a\n1\n"), &tabular.Options{TempDir: filepath.Join(dir, "none")})
	if !errors.Is(err, tabular.ErrStorage) || !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	path := filepath.Join(dir, "large.csv")
	if err := os.WriteFile(path, []byte("a\n1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, 1<<40); err != nil {
		t.Skip(err) // the file system has no files with holes
	}
	if _, err := tabular.Open(t.Context(), path, &tabular.Options{TempDir: dir}); !errors.Is(err, tabular.ErrTooLarge) {
		t.Error(err)
	}
}

func Example() {
	f, err := tabular.Read(context.Background(), strings.NewReader("city;price\nBerlin;1,50 €\nBonn;2,75 €\n"), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer f.Close()
	for _, c := range f.Columns {
		fmt.Printf("%s %s %q\n", c.Name, c.Type, c.Unit)
	}
	err = f.Each(context.Background(), func(values []any) error {
		fmt.Println(values...)
		return nil
	})
	if err != nil {
		fmt.Println(err)
	}
	// Output:
	// city text ""
	// price decimal "€"
	// Berlin 1.5
	// Bonn 2.75
}

// The report shows of each column what it is made of, and the cell that decides how it is read.
func TestColumns(t *testing.T) {
	at := func(cell string, line int) *tabular.Evidence { return &tabular.Evidence{Cell: cell, Line: line} }
	for name, tt := range map[string]struct {
		input string
		want  tabular.Column
	}{
		"a sign":            {"n\n7\n1.5\n2\n7", tabular.Column{Type: tabular.Decimal, Examples: []string{"7", "1.5", "2"}, Evidence: at("1.5", 3)}},
		"placeholders":      {"n;m\n1,5;\nn/a;x\n;y", tabular.Column{Type: tabular.Decimal, Missing: 2, Examples: []string{"1,5", "n/a"}, Evidence: at("1,5", 2)}},
		"an order":          {"n\n03/04/2026\n31/12/2026\n", tabular.Column{Type: tabular.Date, Examples: []string{"03/04/2026", "31/12/2026"}, Evidence: at("31/12/2026", 3)}},
		"a sign of another": {"n;m\n1.234;1,5\n2.500;7,5\n", tabular.Column{Type: tabular.Integer, Examples: []string{"1.234", "2.500"}}},
		"one way only":      {"n\n1\n2\n", tabular.Column{Type: tabular.Integer, Examples: []string{"1", "2"}}},
		"no type":           {"n\n1\n2\nx y\n", tabular.Column{Type: tabular.Text, Examples: []string{"1", "2", "x y"}, Evidence: at("x y", 4)}},
		"words":             {"n\na\n\"\"\nb\n", tabular.Column{Type: tabular.Text, Missing: 1, Examples: []string{"a", "b"}}},
		"a long cell":       {"n\n" + strings.Repeat("ä", 100) + "\n", tabular.Column{Type: tabular.Text, Examples: []string{strings.Repeat("ä", 32) + "..."}}},
	} {
		f, err := tabular.Read(t.Context(), strings.NewReader(tt.input), nil)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		tt.want.Name, tt.want.Header = "n", "n"
		if diff := cmp.Diff(tt.want, f.Columns[0]); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}
}
