package tabular_test

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed/analyst/tabular"
	"github.com/qedkit/qed/internal/peakmem"
	"github.com/qedkit/qed/internal/xlsx/xlsxtest"
)

// Files that two other libraries wrote: openpyxl, and XlsxWriter with dates from 1904.
func TestExcelFiles(t *testing.T) {
	for _, test := range []struct {
		file     string
		rows     [][]any
		warnings []tabular.WarningKind
	}{
		{"orders.xlsx", [][]any{
			{int64(1), "2026-03-04", "2026-03-04 10:30:00", 0.0, 1234.5, "00", false, "Grüße\n0"},
			{int64(2), "2026-03-05", "2026-03-04 10:30:01", 12.5, 1235.5, "01", true, nil},
			{int64(3), "2026-03-06", "2026-03-04 10:30:02", 25.0, 1236.5, "02", false, "Grüße\n2"},
		}, []tabular.WarningKind{"uncomputed", "other_sheets", "conversion", "conversion"}},
		{"sales1904.xlsx", [][]any{
			{"N", "2026-01-02", 10.5, "30:00:00", 21.0}, {"S", "2026-01-03", 1e6, "54:00:00", 2e6}, {"W", "2026-12-31", -3.0, "78:00:00", -6.0},
		}, []tabular.WarningKind{"hidden", "conversion", "header", "conversion"}},
	} {
		file, err := os.ReadFile(filepath.Join("testdata", test.file))
		if err != nil {
			t.Fatal(err)
		}
		var zipped bytes.Buffer
		w := gzip.NewWriter(&zipped)
		_, err = w.Write(file)
		if err = errors.Join(err, w.Close()); err != nil {
			t.Fatal(err)
		}
		for _, text := range []string{string(file), zipped.String()} {
			d, err := load(t, text, nil)
			if err != nil {
				t.Fatal(err)
			}
			var kinds []tabular.WarningKind
			for _, w := range d.Warnings {
				kinds = append(kinds, w.Kind)
			}
			if diff := cmp.Diff(test.rows, d.rows) + cmp.Diff(test.warnings, kinds); diff != "" {
				t.Errorf("%s: %s", test.file, diff)
			}
		}
	}
}

// Cells have the values that Excel shows, and what it hides is said.
func TestExcelCells(t *testing.T) {
	num, row := xlsxtest.Number, xlsxtest.Row
	for _, test := range []struct {
		name, rows, after string
		want              [][]any
		types             string
		warnings          []tabular.WarningKind
	}{
		{"numbers are certain", row("n", "m") + row(num("1.234", 0), num("1E5", 0)) + row(num("2.500", 0), num("2e6", 0)), "",
			[][]any{{1.234, 1e5}, {2.5, 2e6}}, "decimal decimal", nil},
		{"texts are those of CSV", row("a", "b", "c") + row("0012", "1.234", "4711") + row("12", "2.500", "4712"), "",
			[][]any{{"0012", "1.234", int64(4711)}, {"12", "2.500", int64(4712)}}, "text text integer", []tabular.WarningKind{"mixed", "decimal_sign"}},
		{"dates", row("d", "t") + row(num("1", 1), num("46085.4375", 2)) + row(num("61", 1), num("46085.999999999", 2)), "",
			[][]any{{"1900-01-01", "2026-03-04 10:30:00"}, {"1900-03-01", "2026-03-05"}}, "date time", nil},
		{"a day that did not exist", row("d", "n") + row(num("60", 1), num("1", 0)) + row(num("61", 1), num("2", 0)), "",
			[][]any{{"60", int64(1)}, {"1900-03-01", int64(2)}}, "text integer", []tabular.WarningKind{"mixed"}},
		{"times without a date", row("t", "u") + row(num("0.5", 5), num("1.5", 6)) + row(num("0.25", 2), num("0.001", 6)), "",
			[][]any{{"12:00:00", "36:00:00"}, {"06:00:00", "00:01:26.400"}}, "text text", []tabular.WarningKind{"conversion"}},
		{"percents", row("p", "q") + row(num("0.07", 3), num("0.1", 3)) + row(num("1.2345", 3), num("3", 0)), "",
			[][]any{{7.0, "10 %"}, {123.45, "3"}}, "decimal text", []tabular.WarningKind{"conversion", "doubtful"}},
		{"amounts", row("a") + row(num("1.5", 4)) + row(num("-2", 4)), "", [][]any{{1.5}, {-2.0}}, "decimal", []tabular.WarningKind{"conversion"}},
		{"booleans, errors and formulas", row("b", "e", "f") + row(`<c t="b"><v>1</v></c>`, `<c t="e"><v>#N/A</v></c>`, `<c><f>A1</f></c>`) +
			row(`<c t="b"><v>0</v></c>`, num("2", 0), `<c><f>1+2</f><v>3</v></c>`), "",
			[][]any{{true, nil, nil}, {false, int64(2), int64(3)}}, "boolean integer integer", []tabular.WarningKind{"uncomputed", "missing"}},
		{"rich texts, without the pronunciation", row("t", "n") +
			row(`<c t="inlineStr"><is><r><t>東</t></r><r><t xml:space="preserve"> 京_x000D_</t></r><rPh><t>トウ</t></rPh></is></c>`, num("1", 0)), "",
			[][]any{{"東 京\n", int64(1)}}, "text integer", nil},
		{"a table in the middle of a sheet", `<row r="3"><c r="C3" t="str"><v>a</v></c><c r="D3" t="str"><v>b</v></c></row><row r="7" hidden="1"><c r="C7"><v>1</v></c><c r="E7"><v>2</v></c></row>`, "",
			[][]any{{int64(1), nil, int64(2)}}, "integer text integer", []tabular.WarningKind{"hidden", "header"}},
		{"a header of merged cells", row("", "2025", "", "2026", "") + row("region", "units", "EUR", "units", "EUR") + row("N", num("1", 0), num("2", 0), num("3", 0), num("4", 0)) +
			row("S", num("5", 0), num("6", 0), num("7", 0), num("8", 0)), `<mergeCells><mergeCell ref="B1:C1"/><mergeCell ref="D1:E1"/><mergeCell ref="A3:A4"/></mergeCells>`,
			[][]any{{"N", int64(1), int64(2), int64(3), int64(4)}, {"S", int64(5), int64(6), int64(7), int64(8)}}, "text integer integer integer integer", []tabular.WarningKind{"merged", "header"}},
		{"units, repeated headers and totals", row("t", "x") + row("s", "kg") + row(num("1", 0), num("2", 0)) + row("t", "x") + row(num("3", 0), num("4", 0)), "",
			[][]any{{int64(1), int64(2)}, {int64(3), int64(4)}}, "integer integer", []tabular.WarningKind{"header", "header"}},
		{"totals", row("r", "x") + row("N", num("2", 0)) + row("Total", num("2", 0)), "",
			[][]any{{"N", int64(2)}, {"Total", int64(2)}}, "text integer", []tabular.WarningKind{"totals"}},
		{"no header", row(num("46085", 1), "Ulm", num("5", 0)) + row(num("46086", 1), "Ulm", num("6", 0)), "",
			[][]any{{"2026-03-04", "Ulm", int64(5)}, {"2026-03-05", "Ulm", int64(6)}}, "date text integer", []tabular.WarningKind{"header"}},
		{"quotes and separators", row(`a,"b`, "c;d") + row(`x "y", z`, "=1+1"), "", [][]any{{`x "y", z`, "=1+1"}}, "text text", []tabular.WarningKind{"formula"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			file := xlsxtest.Zip(xlsxtest.Parts(false, nil, xlsxtest.Sheet{Name: "Data", Rows: test.rows, After: test.after}))
			d, err := load(t, string(file), nil)
			if err != nil {
				t.Fatal(err)
			}
			var kinds []tabular.WarningKind
			for _, w := range d.Warnings {
				kinds = append(kinds, w.Kind)
			}
			var types []string
			for _, c := range d.Columns {
				types = append(types, string(c.Type))
			}
			if diff := cmp.Diff(test.want, d.rows) + cmp.Diff(test.warnings, kinds) + cmp.Diff(test.types, strings.Join(types, " ")); diff != "" {
				t.Errorf("%s%v", diff, d.Warnings)
			}
		})
	}
}

func TestExcelSheets(t *testing.T) {
	rows := xlsxtest.Row("a") + xlsxtest.Row(xlsxtest.Number("1", 0))
	shared := `<row><c t="s"><v>1</v></c></row><row><c t="s"><v>0</v></c></row>`
	file := string(xlsxtest.Zip(xlsxtest.Parts(false, []string{"<t>x</t>", "<t>b</t>"},
		xlsxtest.Sheet{Name: "Secret", State: "hidden", Rows: rows}, xlsxtest.Sheet{Name: "Cover"},
		xlsxtest.Sheet{Name: "Data", Rows: rows}, xlsxtest.Sheet{Name: "Texts", Rows: shared})))
	for _, test := range []struct {
		sheet, column, message string
	}{
		{"", "a", `The rows are those of the sheet "Data"; not read are "Secret" (hidden), "Cover", "Texts"`},
		{"Texts", "b", ""},
		{"Secret", "a", ""},
	} {
		d, err := load(t, file, &tabular.Options{Sheet: test.sheet})
		if err != nil {
			t.Fatal(err)
		}
		if notes := strings.Join(d.Notes(), " "); d.Columns[0].Name != test.column || !strings.Contains(notes, test.message) {
			t.Errorf("%q: %v, %s", test.sheet, d.Columns, notes)
		}
	}
	_, err := load(t, file, &tabular.Options{Sheet: "Date"})
	if !errors.Is(err, tabular.ErrArgument) || !strings.Contains(err.Error(), `"Data"`) {
		t.Error(err)
	}
}

// Programs write the same workbook in several ways.
func TestExcelVariants(t *testing.T) {
	parts := xlsxtest.Parts(false, []string{"<t>x</t>"}, xlsxtest.Sheet{Name: "Data", Rows: xlsxtest.Row("a", "b") + xlsxtest.Row(xlsxtest.Number("1", 0), `<c t="s"><v>0</v></c>`)})
	const sheet = "xl/worksheets/sheet1.xml"
	prefixed := strings.NewReplacer("</", "</x:", "<", "<x:")
	for name, change := range map[string]func(parts map[string]string){
		"as it is": func(map[string]string) {},
		"prefixes": func(p map[string]string) {
			p[sheet], p["xl/sharedStrings.xml"] = prefixed.Replace(p[sheet]), prefixed.Replace(p["xl/sharedStrings.xml"])
		},
		"a declaration, comments and CDATA": func(p map[string]string) {
			p[sheet] = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>` + "\r\n<!-- c -->" + strings.Replace(p[sheet], "<v>1</v>", "<v><![CDATA[1]]></v><extLst/>", 1)
		},
		"names with backslashes and capitals": func(p map[string]string) {
			p[`XL\Worksheets\Sheet1.xml`] = p[sheet]
			delete(p, sheet)
		},
		"no styles": func(p map[string]string) { delete(p, "xl/styles.xml") },
		"the strict format": func(p map[string]string) {
			for _, part := range []string{"_rels/.rels", "xl/_rels/workbook.xml.rels", "xl/workbook.xml"} {
				p[part] = strings.ReplaceAll(p[part], "http://schemas.openxmlformats.org/officeDocument/2006", "http://purl.oclc.org/ooxml/officeDocument")
			}
		},
	} {
		changed := maps.Clone(parts)
		change(changed)
		d, err := load(t, string(xlsxtest.Zip(changed)), nil)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if diff := cmp.Diff([][]any{{int64(1), "x"}}, d.rows); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// What cannot be read wholly is refused with a remedy.
func TestExcelRefused(t *testing.T) {
	good := xlsxtest.Row("a", "b") + xlsxtest.Row(xlsxtest.Number("1", 0), "x")
	changed := func(name, text string) string {
		parts := xlsxtest.Parts(false, nil, xlsxtest.Sheet{Name: "Data", Rows: good})
		parts[name] = text
		return string(xlsxtest.Zip(parts))
	}
	const sheet = "xl/worksheets/sheet1.xml"
	broken := []byte(changed(sheet, strings.Repeat(" ", 1000)+"<worksheet><sheetData>"+good+"</sheetData></worksheet>"))
	at := bytes.Index(broken, []byte(sheet)) + len(sheet) + 10
	broken[at] ^= 0xff
	other := xlsxtest.Parts(false, nil)
	maps.DeleteFunc(other, func(name, _ string) bool { return strings.HasPrefix(name, "xl/") })
	for _, test := range []struct {
		name, file string
		kind       tabular.Kind
		remedy     string
	}{
		{"a password", "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + strings.Repeat("\x00", 600), tabular.ErrFormat, "remove the password"},
		{"another archive", string(xlsxtest.Zip(other)), tabular.ErrFormat, "unpack it"},
		{"a document of another program", changed("xl/workbook.xml", "<document/>"), tabular.ErrFormat, "save it as one"},
		{"a binary workbook", changed("_rels/.rels", `<Relationships><Relationship Type="x/officeDocument" Target="xl/workbook.bin"/></Relationships>`), tabular.ErrFormat, "save it as one"},
		{"cut off", changed(sheet, "x")[:900], tabular.ErrFormat, "save it again"},
		{"XML that is cut off", changed(sheet, "<worksheet><sheetData>"+good), tabular.ErrFormat, "save it again"},
		{"XML that is cut off within a cell", changed(sheet, "<worksheet><sheetData>"+good+"<row><c><v>1"), tabular.ErrFormat, "save it again"},
		{"broken data", string(broken), tabular.ErrFormat, "save it again"},
		{"a number that is none", string(xlsxtest.Book(good + xlsxtest.Row(xlsxtest.Number("0x1p3", 0)))), tabular.ErrFormat, "save it again"},
		{"a text that does not exist", string(xlsxtest.Book(good + xlsxtest.Row(`<c t="s"><v>7</v></c>`))), tabular.ErrFormat, "save it again"},
		{"rows in no order", changed(sheet, `<worksheet><sheetData><row r="2"/><row r="1"/></sheetData></worksheet>`), tabular.ErrFormat, "save it again"},
		{"no cells", string(xlsxtest.Book("")), tabular.ErrEmpty, `the file: "Data"`},
		{"a cell far to the right", string(xlsxtest.Book(good + `<row r="9"><c r="XFD9"><v>1</v></c></row>`)), tabular.ErrTooLarge, "delete what is not needed"},
		{"a cell of 15 MB", string(xlsxtest.Book(good + xlsxtest.Row(strings.Repeat("x", 15<<20)))), tabular.ErrTooLarge, "as CSV"},
		{"an attribute of 15 MB", changed(sheet, `<worksheet a="`+strings.Repeat("x", 15<<20)+`"/>`), tabular.ErrTooLarge, "as CSV"},
		{"a bomb of blanks", changed(sheet, "<worksheet>"+strings.Repeat(strings.Repeat(" ", 1<<16)+"<a/>", 400)+"</worksheet>"), tabular.ErrTooLarge, "as CSV"},
		{"a bomb of texts", string(xlsxtest.Zip(xlsxtest.Parts(false, slices.Repeat([]string{"<t>" + strings.Repeat("x", 1000) + "</t>"}, 2000), xlsxtest.Sheet{Name: "Data", Rows: good}))), tabular.ErrTooLarge, "as CSV"},
		{"a bomb of rows", string(xlsxtest.Book(good + strings.Repeat(xlsxtest.Row(strings.Repeat("x", 1000)), 2000))), tabular.ErrTooLarge, "load a part"},
		{"styles of 40 MB", changed("xl/styles.xml", "<styleSheet>"+strings.Repeat(" ", 40<<20)), tabular.ErrTooLarge, "as CSV"},
		{"a list of parts of 20 MB", manyParts(400_000), tabular.ErrTooLarge, "as CSV"},
	} {
		t.Run(test.name, func(t *testing.T) {
			opt := &tabular.Options{MaxBytes: 1 << 20}
			if len(test.file) > 1<<20 {
				opt = nil
			}
			var err error
			grown := peakmem.Growth(t, func() { _, err = load(t, test.file, opt) })
			own, ok := errors.AsType[*tabular.Error](err)
			if !ok || own.Kind != test.kind || !strings.Contains(own.ForUser(), test.remedy) {
				t.Errorf("%v", err)
			}
			if grown > 64<<20 {
				t.Errorf("the memory grew by %d MB", grown>>20)
			}
		})
	}
}

// manyParts returns a ZIP archive whose list has many parts of no size.
func manyParts(n int) string {
	var file bytes.Buffer
	file.WriteString("PK\x03\x04" + strings.Repeat("\x00", 26))
	start := file.Len()
	for range n {
		file.WriteString("PK\x01\x02" + strings.Repeat("\x00", 24) + "\x01\x00" + strings.Repeat("\x00", 16) + "x")
	}
	size := file.Len() - start
	file.WriteString("PK\x05\x06\x00\x00\x00\x00")
	for range 2 {
		file.Write(binary.LittleEndian.AppendUint16(nil, uint16(n)))
	}
	file.Write(binary.LittleEndian.AppendUint32(nil, uint32(size)))
	file.Write(binary.LittleEndian.AppendUint32(nil, uint32(start)))
	file.WriteString("\x00\x00")
	return file.String()
}

// The memory does not depend on the number of rows, and the rows that Excel can have are read.
func TestExcelMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("reads many rows")
	}
	var rows strings.Builder
	rows.WriteString(xlsxtest.Row("id", "name", "text"))
	text := strings.Repeat("x", 2000)
	for i := range 50_000 {
		fmt.Fprintf(&rows, `<row><c><v>%d</v></c><c t="s"><v>%d</v></c><c t="str"><v>%s</v></c></row>`, i, i%3, text)
	}
	rows.WriteString(`<row r="1048576"><c><v>7</v></c></row>`)
	path := filepath.Join(t.TempDir(), "x.xlsx")
	file := xlsxtest.Zip(xlsxtest.Parts(false, []string{"<t>a</t>", "<t>b</t>", "<t>c</t>"}, xlsxtest.Sheet{Name: "Data", Rows: rows.String()}))
	rows.Reset()
	if err := os.WriteFile(path, file, 0o600); err != nil {
		t.Fatal(err)
	}
	file = nil
	grown := peakmem.Growth(t, func() {
		f, err := tabular.Open(t.Context(), path, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if f.Rows != 50_001 {
			t.Errorf("%d rows", f.Rows)
		}
	})
	if grown > 64<<20 { // the XML has 100 MB
		t.Errorf("the memory grew by %d MB", grown>>20)
	}
}
