package tabular_test

import (
	"bytes"
	"errors"
	"testing"

	"github.com/qedkit/qed/analyst/tabular"
	"github.com/qedkit/qed/internal/xlsx/xlsxtest"
)

// FuzzRead: each input is refused with an error of this package, or has the rows that the
// report says, with values of the types of the columns.
func FuzzRead(f *testing.F) {
	for _, seed := range []string{
		"a,b\n1,2\n", "a;b\n1,5;x\n", "sep=;\na;b\n1;2\n", "T\n\na,b\n1,2\n", "a,b\ns,kg\n1,2\n2,3\n", ",x,\na,b,c\n1,2,3\n2,3,4\n",
		"a,b\n1,=\"0012\"\n", "n\n(5)\n$3\n1 234\n", "d\n3-Apr-26\n", "d\n4/13/2026 3:05 PM\n", "t\n2026-03-04T10:00:00Z\n2026-03-04T10:00:00+05:00\n",
		`{"data":[{"a":1}]}`, `[{"a":{"b":NaN}}]`, `{"a":{"$date":{"$numberLong":"1"}}}`, "{\"a\":1}\n{\"a\":", "n\nM\xfcller\n", "\x1f\x8b\x08\x00",
		string(xlsxtest.Book(xlsxtest.Row("a", "b") + xlsxtest.Row(xlsxtest.Number("46085.5", 2), "x"))),
	} {
		f.Add([]byte(seed))
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, data []byte) { readAny(t, data, dir) })
}

// FuzzSheet is FuzzRead for the XML of the rows of a sheet.
func FuzzSheet(f *testing.F) {
	for _, rows := range []string{
		xlsxtest.Row("a", "b") + xlsxtest.Row(xlsxtest.Number("46085.5", xlsxtest.Moment), "x"), `<row r="3"><c r="C3" t="str"><f>1</f><v>_x000D_</v></c></row><row r="7"><c r="C7"><v>1e5</v></c></row>`,
		xlsxtest.Row(`<c t="b"><v>1</v></c>`, `<c t="e"><v>#N/A</v></c>`, `<c><f>A1</f></c>`), xlsxtest.Row("p") + xlsxtest.Row(xlsxtest.Number("0.07", xlsxtest.Percent)) + xlsxtest.Row(xlsxtest.Number("60", xlsxtest.Day)),
	} {
		f.Add(rows)
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, rows string) { readAny(t, xlsxtest.Book(rows), dir) })
}

// readAny reads a file. Its rows have values of the types of the columns.
func readAny(t *testing.T, data []byte, dir string) {
	file, err := tabular.Read(t.Context(), bytes.NewReader(data), &tabular.Options{TempDir: dir})
	if err != nil {
		if _, ok := errors.AsType[*tabular.Error](err); !ok {
			t.Errorf("%T: %v", err, err)
		}
		return
	}
	rows := 0
	err = file.Each(t.Context(), func(values []any) error {
		rows++
		for i, v := range values {
			ok := v == nil
			switch file.Columns[i].Type {
			case tabular.Integer:
				_, is := v.(int64)
				ok = ok || is
			case tabular.Decimal:
				_, is := v.(float64)
				ok = ok || is
			case tabular.Boolean:
				_, is := v.(bool)
				ok = ok || is
			default:
				_, is := v.(string)
				ok = ok || is
			}
			if !ok {
				t.Errorf("%v is no %s", v, file.Columns[i].Type)
			}
		}
		return nil
	})
	if err != nil || rows != file.Rows {
		t.Errorf("%d rows, want %d: %v", rows, file.Rows, err)
	}
	if err := file.Close(); err != nil {
		t.Error(err)
	}
}
