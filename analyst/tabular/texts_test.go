package tabular_test

import (
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

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
			if w.Message = german.Warnings[i].Message; !cmp.Equal(w, german.Warnings[i]) {
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

// Each option that a warning or an error names is a field, and all but the limits can be set by
// a flag.
func TestNamedOptions(t *testing.T) {
	var opt tabular.Options
	flags := flag.NewFlagSet("", flag.ContinueOnError)
	opt.Flags(flags)
	named := regexp.MustCompile(`(?:Option: |Option = |optionf\(|argument\()"(\w+)"`)
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, match := range named.FindAllStringSubmatch(string(text), -1) {
			found++
			if _, ok := reflect.TypeOf(opt).FieldByName(match[1]); !ok {
				t.Errorf("%s: there is no field %s", file, match[1])
			}
			if limit := strings.HasPrefix(match[1], "Max"); limit == (flags.Lookup(strings.ToLower(match[1])) != nil) {
				t.Errorf("%s: %s is a flag although it is a limit, or not a flag", file, match[1])
			}
		}
	}
	if found < 20 {
		t.Errorf("%d options are named", found)
	}
	for name, value := range map[string]string{
		"separator": ";", "decimal": ",", "dateorder": "dmy", "encoding": "macintosh", "headerline": "-1", "sheet": "B", "skiptotals": "true",
	} {
		if err := flags.Set(name, value); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	want := tabular.Options{Separator: ';', Decimal: ',', DateOrder: "dmy", Encoding: "macintosh", HeaderLine: -1, Sheet: "B", SkipTotals: true}
	if diff := cmp.Diff(want, opt); diff != "" {
		t.Error(diff)
	}
	for _, value := range []string{"", ";;", "\xff"} {
		err := flags.Set("separator", value)
		if _, readErr := load(t, "a\n1\n", &opt); err == nil && readErr == nil && value != "" {
			t.Errorf("the separator %q is accepted", value)
		}
	}
}

// A warning says which option decides, and with it the cells have their type.
func TestDeciding(t *testing.T) {
	for _, test := range []struct {
		name, text, option, value string
		want                      any // the first cell
	}{
		{"decimal comma", "n\n1.234\n2.500\n", "decimal", ",", int64(1234)},
		{"decimal point", "n\n1.234\n2.500\n", "decimal", ".", 1.234},
		{"day first", "d\n03/04/2026\n05/06/2026\n", "dateorder", "dmy", "2026-04-03"},
		{"month first", "d\n03/04/2026\n05/06/2026\n", "dateorder", "mdy", "2026-03-04"},
		{"month first, in capitals", "d\n03/04/2026\n05/06/2026\n", "dateorder", "MDY", "2026-03-04"},
		{"short years, day first", "d\n01/02/03\n04/05/06\n", "dateorder", "dmy", "2003-02-01"},
		{"short years first", "d\n01/02/03\n04/05/06\n", "dateorder", "ymd", "2001-02-03"},
		{"with a time", "d\n3/4/2026 3:05 PM\n4/4/2026 1:00 AM\n", "dateorder", "mdy", "2026-03-04 15:05:00"},
		{"header", "1,x\n2,x\n", "headerline", "1", int64(2)},
		{"totals", "a,n\nx,1\nTotal,1\n", "skiptotals", "true", "x"},
	} {
		t.Run(test.name, func(t *testing.T) {
			d, err := load(t, test.text, nil)
			if err != nil {
				t.Fatal(err)
			}
			named := func(w tabular.Warning) bool {
				return strings.ToLower(w.Option) == test.option && strings.Contains(w.Message, "option "+test.option)
			}
			if !slices.ContainsFunc(d.Warnings, named) {
				t.Errorf("no warning names the option: %v", d.Warnings)
			}
			var opt tabular.Options
			flags := flag.NewFlagSet("", flag.ContinueOnError)
			opt.Flags(flags)
			if err := flags.Set(test.option, test.value); err != nil {
				t.Fatal(err)
			}
			if d, err = load(t, test.text, &opt); err != nil {
				t.Fatal(err)
			}
			if got := d.rows[0][0]; got != test.want || slices.ContainsFunc(d.Warnings, named) {
				t.Errorf("%v, want %v; %v", got, test.want, d.Warnings)
			}
		})
	}
}

// Another column shows the order of dates, unless columns differ.
func TestOrderOfOtherColumns(t *testing.T) {
	for _, test := range []struct {
		text, order string
		want        any
	}{
		{"a,b\n03/04/2026,13/04/2026\n", "", "2026-04-03"},
		{"a,b\n03/04/2026,04/13/2026\n", "", "2026-03-04"},
		{"a,b,c\n03/04/2026,04/13/2026,13/04/2026\n", "", "03/04/2026"},
		{"a,b\n03/04/2026,13.04.2026\n", "", "2026-04-03"},
		{"a,b\n03/04/2026,2026/04/13\n", "", "03/04/2026"},
		{"a,b\n03/04/2026,13/04/2026\n", "mdy", "2026-03-04"},
		{"a\n13/04/2026\n", "mdy", "2026-04-13"}, // which the chosen order does not fit
	} {
		d, err := load(t, test.text, &tabular.Options{DateOrder: test.order})
		if err != nil {
			t.Fatal(err)
		}
		if got := d.rows[0][0]; got != test.want {
			t.Errorf("%q is %v, want %v", test.text, got, test.want)
		}
	}
}
