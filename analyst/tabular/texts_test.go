package tabular_test

import (
	"strings"
	"testing"

	"github.com/qedkit/qed/analyst/tabular"
	"github.com/qedkit/qed/internal/usertext/usertexttest"
	"github.com/qedkit/qed/internal/xlsx/xlsxtest"
)

// Each warning has its text in the language of the options, with all values.
func TestLanguages(t *testing.T) {
	seen := map[tabular.WarningKind]bool{}
	many := strings.Repeat("a,", 120) + "b\n" + strings.Repeat("1,", 120) + "2\n"
	num := xlsxtest.Number
	for _, text := range []string{
		"Report\n\nid;x;d;p;n\n1;1.234;01/02/24;(5);7\n2;2.500;02/03/24;(6);8\nTotal;3;;;9\n", many,
		"t,n,f\n2026-03-04T10:00:00Z,N/A,=x\n2026-03-04T10:00:00.5Z,1,-y\n", "t\n2026-03-04 10:00:00\n2026-03-04T10:00:00Z\n",
		"a,b\ns,kg\n1,2\n2,3\n", ",2019,\nr,x,y\nN,1,2\nS,3,4\n", "1,x\n2,x\n", "a,b\n1,2\na,b\n3\n", "0,1\na,2\n", "name,2023\nx,4\n",
		"n\nM\xfcller\n", "\xff\xfea\x00\n\x001\x00\n\x00", "a\nx\x00y\n", "a,b\n1,5\" pipe\n2,x\n",
		"a,b,c,d\n1E5,+49,1 200,€ 1\n2E6,+33,1 300,$ 1\n", "d;m\n23.04.14;2026-01\n24.04.14;2026-02\n", "n;p\n1'000;7 €\n2'000;8 €\n", "n\n1\nx\n",
		"t,u\n2026-03-04 10:00:00.123456789,2026-03-04 10:00\n2026-03-04 10:00:01.123456789,2026-03-04 10:00:01\n",
		`{"data":[{"a":NaN}]}`, "{\"a\":1}\n{\"a\":2}\n{\"a\":",
		string(xlsxtest.Zip(xlsxtest.Parts(false, nil, xlsxtest.Sheet{Name: "A", Rows: xlsxtest.Row("a", "b") + `<row hidden="1">` + num("0.5", xlsxtest.Clock) + `<c t="e"><v>#N/A</v></c></row>` +
			xlsxtest.Row(`<c><f>1</f></c>`, num("1", 0)), After: `<mergeCells><mergeCell ref="A2:A3"/></mergeCells>`}, xlsxtest.Sheet{Name: "B", State: "hidden"}))),
	} {
		english, err := load(t, text, nil)
		if err != nil {
			t.Fatalf("%.60q: %v", text, err)
		}
		german, err := load(t, text, &tabular.Options{Language: "de-CH"})
		if err != nil || len(german.Warnings) != len(english.Warnings) {
			t.Fatalf("%.60q: %v, %v, %v", text, err, english.Warnings, german.Warnings)
		}
		for i, w := range english.Warnings {
			seen[w.Kind] = true
			usertexttest.Text(t, "English", w.Message)
			usertexttest.Text(t, "German", german.Warnings[i].Message)
			if w.Message == german.Warnings[i].Message {
				t.Errorf("the German text is in English: %s", w.Message)
			}
			if w.Message = german.Warnings[i].Message; w != german.Warnings[i] {
				t.Errorf("%+v, in English %+v", german.Warnings[i], w)
			}
		}
	}
	for _, kind := range []tabular.WarningKind{
		tabular.Encoding, tabular.Delimiter, tabular.Header, tabular.Mixed, tabular.Formula, tabular.Ragged, tabular.Totals, tabular.Quotes, tabular.Dropped,
		tabular.DayMonth, tabular.Converted, tabular.Missing, tabular.DecimalSign, tabular.Doubtful, tabular.OtherSheets, tabular.Hidden, tabular.Merged,
		tabular.Uncomputed, tabular.Omitted,
	} {
		if !seen[kind] {
			t.Errorf("no input has a warning of kind %s", kind)
		}
	}
}
