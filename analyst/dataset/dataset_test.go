package dataset_test

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed/analyst/dataset"
	"github.com/qedkit/qed/analyst/tabular"
	"github.com/qedkit/qed/internal/peakmem"
)

func TestLoad(t *testing.T) {
	dir := t.TempDir()
	text := "id,ok,name,at\n1,true,x,31.12.2026\n2,false,,1.1.2027\n"
	d, err := dataset.Load(t.Context(), strings.NewReader(text), &tabular.Options{TempDir: dir})
	if err != nil {
		t.Fatal(err)
	}
	want := [][]any{{int64(1), int64(1), "x", "2026-12-31"}, {int64(2), int64(0), nil, "2027-01-01"}}
	if diff := cmp.Diff(want, d.Sample.Rows); diff != "" || d.Rows != 2 || len(d.Columns) != 4 || len(d.Warnings) != 1 {
		t.Errorf("%s%d rows of %v, %v", diff, d.Rows, d.Columns, d.Warnings)
	}
	if n := len(d.Schema.Tables[d.Table].Columns); n != 4 {
		t.Errorf("the schema has %d columns", n)
	}
	// Only the table can be read, and nothing written.
	for _, text := range []string{"DELETE FROM t_parsed", "SELECT * FROM sqlite_schema", "SELECT 1; SELECT 2"} {
		if _, err := d.Guard.Rewrite(t.Context(), text); err == nil {
			t.Errorf("%s is accepted", text)
		}
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left %v, %v", left, err)
	}
}

// What a dataset has a place for can be queried.
func TestLargeRows(t *testing.T) {
	const cells, size = 40, 60_000
	cell := strings.Repeat("x", size)
	text := strings.Repeat("c,", cells-1) + "c\n" + strings.Repeat(cell+",", cells-1) + cell + "\n"
	load := func(text string, opt tabular.Options) (*dataset.Dataset, error) {
		opt.TempDir = t.TempDir()
		d, err := dataset.Load(t.Context(), strings.NewReader(text), &opt)
		if err == nil {
			t.Cleanup(func() { d.Close() })
		}
		return d, err
	}
	if _, err := load(text, tabular.Options{}); err == nil {
		t.Error("a row of 2.4 MB is accepted")
	}
	d, err := load(text, tabular.Options{MaxRowBytes: 3 << 20})
	if err != nil {
		t.Fatal(err)
	}
	rows, err := d.DB.QueryText(t.Context(), d.Guard, "SELECT * FROM t_parsed")
	if err != nil {
		t.Fatal(err)
	}
	for i := range cells {
		if rows.Rows[0][i] != cell {
			t.Fatalf("cell %d has %d bytes", i, len(fmt.Sprint(rows.Rows[0][i])))
		}
	}
	large := strings.Repeat("x", 200_000)
	if d, err = load("a\n"+large+"\n", tabular.Options{MaxCellBytes: 200_000}); err != nil {
		t.Fatal(err)
	}
	if d.Sample.Rows[0][0] != large {
		t.Error("a large cell is cut")
	}
}

func TestErrors(t *testing.T) {
	dir := t.TempDir()
	opt := &tabular.Options{TempDir: dir}
	if _, err := dataset.Load(t.Context(), strings.NewReader(""), opt); !errors.Is(err, tabular.ErrEmpty) {
		t.Error(err)
	}
	if _, err := dataset.Open(t.Context(), dir+"/none.csv", opt); !errors.Is(err, tabular.ErrRead) {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	text := io.MultiReader(strings.NewReader("a,b\n"+strings.Repeat("1,2\n", 50_000)), readerFunc(func([]byte) (int, error) {
		cancel()
		return 0, io.EOF
	}))
	if _, err := dataset.Load(ctx, text, opt); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left %v, %v", left, err)
	}
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

var benchRows = flag.Int("rows", 100_000, "number of rows of BenchmarkLoad")

// BenchmarkLoad loads rows of 20 columns.
func BenchmarkLoad(b *testing.B) {
	var text bytes.Buffer
	for i := range 20 {
		fmt.Fprintf(&text, "c%d%s", i, map[bool]string{true: "\n", false: ","}[i == 19])
	}
	for row := range *benchRows {
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
			d, err := dataset.Load(b.Context(), bytes.NewReader(text.Bytes()), &tabular.Options{TempDir: dir})
			if err != nil {
				b.Fatal(err)
			}
			d.Close()
		}))
	}
	b.ReportMetric(float64(peak)/(1<<20), "peak-MiB")
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
