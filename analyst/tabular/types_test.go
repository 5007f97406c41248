package tabular_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed/analyst/tabular"
)

// The decimal sign of numbers is never guessed: a wrong one would change them by
// a factor of 1000.
func TestNumbers(t *testing.T) {
	type kinds = []tabular.WarningKind
	signs, converted := tabular.DecimalSign, tabular.Converted
	for _, test := range []struct {
		name    string
		text    string
		decimal rune
		column  string
		want    tabular.Type
		cells   []any
		warns   kinds // about the column
	}{
		{"points alone", "n\n1.234\n2.500\n", 0, "n", tabular.Text, []any{"1.234", "2.500"}, kinds{signs}},
		{"commas alone", "n\n\"1,234\"\n7\n", 0, "n", tabular.Text, []any{"1,234", "7"}, kinds{signs}},
		{"points as chosen", "n\n1.234\n2.500\n", '.', "n", tabular.Decimal, []any{1.234, 2.5}, nil},
		{"points as chosen for thousands", "n\n1.234\n2.500\n", ',', "n", tabular.Integer, []any{int64(1234), int64(2500)}, kinds{converted}},
		{"commas as chosen", "n\n\"1,234\"\n7\n", ',', "n", tabular.Decimal, []any{1.234, 7.0}, kinds{converted}},
		{"commas as chosen for thousands", "n\n\"1,234\"\n7\n", '.', "n", tabular.Integer, []any{int64(1234), int64(7)}, kinds{converted}},
		{"a semicolon proves nothing", "n;m\n1.234;x\n2.500;y\n", 0, "n", tabular.Text, []any{"1.234", "2.500"}, kinds{signs}},
		{"nor for commas", "n;m\n1,234;x\n2,500;y\n", 0, "n", tabular.Text, []any{"1,234", "2,500"}, kinds{signs}},
		{"latitudes beside a whole number", "n;m\n52.517;1234\n", 0, "n", tabular.Text, []any{"52.517"}, kinds{signs}},
		{"a point in another column", "n;m\n1.234;0.5\n2.500;0.7\n", 0, "n", tabular.Decimal, []any{1.234, 2.5}, nil},
		{"a comma in another column", "n,m\n1.234,\"0,5\"\n2.500,\"0,7\"\n", 0, "n", tabular.Integer, []any{int64(1234), int64(2500)}, kinds{converted}},
		{"columns that contradict", "n;m;o\n1.234;0.5;0,5\n", 0, "n", tabular.Text, []any{"1.234"}, kinds{signs}},
		{"two digits after the comma", "n\n\"1,234\"\n\"1,50\"\n", 0, "n", tabular.Decimal, []any{1.234, 1.5}, kinds{converted}},
		{"two digits after the point", "n\n1.234\n1.50\n", 0, "n", tabular.Decimal, []any{1.234, 1.5}, nil},
		{"both signs", "n\n\"1,234\"\n\"1,234.5\"\n", 0, "n", tabular.Decimal, []any{1234.0, 1234.5}, kinds{converted}},
		{"both signs, German", "n\n1.234\n\"-1.234,5\"\n", 0, "n", tabular.Decimal, []any{1234.0, -1234.5}, kinds{converted}},
		{"two separators", "n\n\"1,234,567\"\n\"1,234\"\n", 0, "n", tabular.Integer, []any{int64(1234567), int64(1234)}, kinds{converted}},
		{"a zero before the point", "n\n0.125\n1.234\n", 0, "n", tabular.Decimal, []any{0.125, 1.234}, nil},
		{"signs that contradict", "n\n1.5\n\"1,5\"\n", 0, "n", tabular.Text, []any{"1.5", "1,5"}, kinds{tabular.Mixed}},
		{"against the choice", "n\n1.5\n2.5\n", ',', "n", tabular.Text, []any{"1.5", "2.5"}, kinds{signs}},
		{"wrong groups", "n\n\"12,3,567\"\n", 0, "n", tabular.Text, []any{"12,3,567"}, nil},
		{"Indian groups", "n\n\"12,34,567\"\n", 0, "n", tabular.Integer, []any{int64(1234567)}, kinds{converted}},
		{"apostrophes", "n\n1'234.50\n12’345\n", 0, "n", tabular.Decimal, []any{1234.5, 12345.0}, kinds{converted}},
		{"spaces that do not break", "n\n\"1\u202f234,5\"\n\"12\u00a0345,25\"\n", 0, "n", tabular.Decimal, []any{1234.5, 12345.25}, kinds{converted}},
		{"blanks between thousands", "n\n1 234\n12 345\n7\n", 0, "n", tabular.Integer, []any{int64(1234), int64(12345), int64(7)}, kinds{converted}},
		{"blanks in groups of one length", "n\n123 456\n789 012\n", 0, "n", tabular.Text, []any{"123 456", "789 012"}, kinds{tabular.Doubtful}},
		{"brackets and dollars", "n\n\"$1,234.56\"\n($987.65)\n-$12.00\n$-3\n", 0, "n", tabular.Decimal, []any{1234.56, -987.65, -12.0, -3.0}, kinds{converted}},
		{"euros at the end", "n;m\n1.234,50 €;x\n-7,25 €;y\n", 0, "n", tabular.Decimal, []any{1234.5, -7.25}, kinds{converted}},
		{"codes of currencies", "n\nEUR 12.50\nEUR 7\n", 0, "n", tabular.Decimal, []any{12.5, 7.0}, kinds{converted}},
		{"two currencies", "n\n$12.50\n€7.25\n", 0, "n", tabular.Text, []any{"$12.50", "€7.25"}, kinds{tabular.Doubtful}},
		{"percent and none", "n\n5%\n0.05\n", 0, "n", tabular.Text, []any{"5%", "0.05"}, kinds{tabular.Doubtful}},
		{"minus at the end", "n\n12.5-\n7.5\n", 0, "n", tabular.Decimal, []any{-12.5, 7.5}, kinds{converted}},
		{"minus of typography", "n\n−12.5\n7.5\n", 0, "n", tabular.Decimal, []any{-12.5, 7.5}, kinds{converted}},
		{"brackets alone", "n\n(1)\n(2)\n", 0, "n", tabular.Text, []any{"(1)", "(2)"}, kinds{tabular.Doubtful}},
		{"plus and minus", "n\n+5\n-3\n", 0, "n", tabular.Integer, []any{int64(5), int64(-3)}, kinds{converted}},
		{"codes with an E", "n\n1E5\n2E6\n", 0, "n", tabular.Text, []any{"1E5", "2E6"}, kinds{tabular.Doubtful}},
		{"JSON", `[{"n":1.234},{"n":2}]`, 0, "n", tabular.Decimal, []any{1.234, 2.0}, nil},
		{"JSON, another choice", `[{"n":1.234},{"n":"1,5"}]`, ',', "n", tabular.Decimal, []any{1.234, 1.5}, kinds{converted}},
		{"JSON strings", `[{"n":"1.234"},{"n":"2"}]`, 0, "n", tabular.Text, []any{"1.234", "2"}, kinds{signs}},
		{"JSON strings like cells", `[{"n":"1.5"},{"n":2},{"n":"N/A"}]`, 0, "n", tabular.Decimal, []any{1.5, 2.0, nil}, kinds{tabular.Missing}},

		{"placeholders", "n,m\n1,x\nN/A,y\n ,z\n-,z\n", 0, "n", tabular.Integer, []any{int64(1), nil, nil, nil}, kinds{tabular.Missing}},
		{"placeholders of texts", "n\nx\nN/A\n", 0, "n", tabular.Text, []any{"x", "N/A"}, nil},
		{"placeholders alone", "n\nN/A\n", 0, "n", tabular.Text, []any{"N/A"}, nil},
		{"placeholders of dates", "n\n2024-01-31\n0000-00-00\n", 0, "n", tabular.Date, []any{"2024-01-31", nil}, kinds{tabular.Missing}},
		{"leading zeros", "n\n007\n008\n", 0, "n", tabular.Text, []any{"007", "008"}, nil},
		{"versions", "App Version\n1.9\n1.10\n", 0, "App Version", tabular.Text, []any{"1.9", "1.10"}, kinds{tabular.Doubtful}},
		{"versions of JSON", `[{"version":1.9},{"version":1.11}]`, 0, "version", tabular.Text, []any{"1.9", "1.11"}, kinds{tabular.Doubtful}},
		{"whole versions", "version\n1\n12\n", 0, "version", tabular.Integer, []any{int64(1), int64(12)}, nil},
		{"amounts of versions", "version\n1.9 EUR\n1.10 EUR\n", 0, "version", tabular.Decimal, []any{1.9, 1.1}, kinds{converted}},
		{"no versions", "version_price\n1.9\n1.10\n", 0, "version_price", tabular.Decimal, []any{1.9, 1.1}, nil},
		{"plus sign", "n\n+49\n", 0, "n", tabular.Text, []any{"+49"}, kinds{tabular.Doubtful}},
		{"spaces around", "n\n 1\n2 \n", 0, "n", tabular.Integer, []any{int64(1), int64(2)}, nil},
		{"exponents", "n\n1e3\n-2E-1\n", 0, "n", tabular.Decimal, []any{1000.0, -0.2}, nil},
		{"64 bits", "n\n9223372036854775807\n", 0, "n", tabular.Integer, []any{int64(9223372036854775807)}, nil},
		{"more than 64 bits", "n\n9223372036854775808\n", 0, "n", tabular.Text, []any{"9223372036854775808"}, nil},
		{"beyond float64", "n\n1e999\n", 0, "n", tabular.Text, []any{"1e999"}, nil},
		{"percent", "n\n12.5%\n-3 %\n", 0, "n", tabular.Decimal, []any{12.5, -3.0}, kinds{converted}},
		{"slashed dates", "n\n2024/02/29\n", 0, "n", tabular.Date, []any{"2024-02-29"}, kinds{converted}},
		{"two digits of years", "n\n23.04.14\n01.12.69\n", 0, "n", tabular.Date, []any{"2014-04-23", "1969-12-01"}, kinds{converted, tabular.DayMonth}},
		{"two digits in two orders", "n\n01/02/24\n03/04/25\n", 0, "n", tabular.Text, []any{"01/02/24", "03/04/25"}, kinds{tabular.DayMonth}},
		{"no dates", "n\n1-2-3\n4-5-6\n", 0, "n", tabular.Text, []any{"1-2-3", "4-5-6"}, nil},
		{"months by name", "n\n3-Apr-26\n14-Dez-26\n1. März 2026\n", 0, "n", tabular.Date, []any{"2026-04-03", "2026-12-14", "2026-03-01"}, kinds{converted}},
		{"months first", "n\n\"April 3, 2026\"\n\"Sept. 14th, 2026\"\n", 0, "n", tabular.Date, []any{"2026-04-03", "2026-09-14"}, kinds{converted}},
		{"French and Spanish months", "n\n3 février 2026\n14 de abril de 2026\n", 0, "n", tabular.Date, []any{"2026-02-03", "2026-04-14"}, kinds{converted}},
		{"Italian and Dutch months", "n\n3 maggio 2026\n14 augustus 2026\n", 0, "n", tabular.Date, []any{"2026-05-03", "2026-08-14"}, kinds{converted}},
		{"Spanish and French abbreviations", "n\n3-ago-2026\n14 févr 2026\n1 dic 2026\n", 0, "n", tabular.Date, []any{"2026-08-03", "2026-02-14", "2026-12-01"}, kinds{converted}},
		{"no months", "n\n3 apples 2026\n14 days 2026\n", 0, "n", tabular.Text, []any{"3 apples 2026", "14 days 2026"}, nil},
		{"afternoons", "n\n4/13/2026 3:05 PM\n4/1/2026 12:00 AM\n", 0, "n", tabular.Time, []any{"2026-04-13 15:05:00", "2026-04-01 00:00:00"}, kinds{converted}},
		{"times in two orders", "n\n4/3/2026 15:05\n", 0, "n", tabular.Text, []any{"4/3/2026 15:05"}, kinds{tabular.DayMonth}},
		{"zones", "n\n2026-03-04T10:00:00Z\n2026-03-04T13:00:00+05:00\n", 0, "n", tabular.Time, []any{"2026-03-04T10:00:00Z", "2026-03-04T08:00:00Z"}, kinds{converted}},
		{"zones and fractions", "n\n2026-03-04T10:00:00.25Z\n2026-03-04T13:00:00+05:00\n", 0, "n", tabular.Time, []any{"2026-03-04T10:00:00.25Z", "2026-03-04T08:00:00.00Z"}, kinds{converted}},
		{"zones and none", "n\n2026-03-04T10:00:00Z\n2026-03-04 13:00:00\n", 0, "n", tabular.Text, []any{"2026-03-04T10:00:00Z", "2026-03-04 13:00:00"}, kinds{tabular.Doubtful}},
		{"nanoseconds", "n\n2026-03-04 10:00:00.123456789\n", 0, "n", tabular.Text, []any{"2026-03-04 10:00:00.123456789"}, kinds{tabular.Doubtful}},
		{"a date among zones", "n\n2026-03-04T10:00:00Z\n2026-03-05\n", 0, "n", tabular.Text, []any{"2026-03-04T10:00:00Z", "2026-03-05"}, kinds{tabular.Doubtful}},
		{"times of e-mail", "n\n\"Mon, 02 Mar 2026 15:04:05 GMT\"\n\"Wed, 04 Feb 2026 15:04:05 GMT\"\n", 0, "n", tabular.Time, []any{"2026-03-02T15:04:05Z", "2026-02-04T15:04:05Z"}, kinds{converted}},
		{"one zone", "n\n2026-03-04T10:00:00+01:00\n2026-03-04T13:00:00+01:00\n", 0, "n", tabular.Time, []any{"2026-03-04T10:00:00+01:00", "2026-03-04T13:00:00+01:00"}, nil},
		{"two shapes", "n\n2026-03-04 10:00\n2026-03-04 10:00:30\n", 0, "n", tabular.Time, []any{"2026-03-04 10:00:00", "2026-03-04 10:00:30"}, kinds{converted}},
		{"no such day", "n\n2023-02-29\n", 0, "n", tabular.Text, []any{"2023-02-29"}, nil},
		{"points in the time of the day", "n\n20.12.2027 09.07\n18.2.1996 3.34\n", 0, "n", tabular.Time, []any{"2027-12-20 09:07:00", "1996-02-18 03:34:00"}, kinds{converted}},
		{"days of the week", "n\n\"Tue, 16 Jul 2019\"\n\"Dienstag, 23. Juli 2019\"\nmiércoles 24 de julio de 2019\n", 0, "n", tabular.Date, []any{"2019-07-16", "2019-07-23", "2019-07-24"}, kinds{converted}},
		{"days without signs, with times", "n\n20060627 19:47\n19960810T20:50:00\n", 0, "n", tabular.Time, []any{"2006-06-27 19:47:00", "1996-08-10 20:50:00"}, kinds{converted}},
		{"days without signs", "n\n20060627\n19960810\n", 0, "n", tabular.Integer, []any{int64(20060627), int64(19960810)}, kinds{tabular.Doubtful}},
		{"no days without signs", "n\n20060627\n20061310\n", 0, "n", tabular.Integer, []any{int64(20060627), int64(20061310)}, nil},
		{"a number after a date", "n\n20.12.2027 9.7\n", 0, "n", tabular.Text, []any{"20.12.2027 9.7"}, nil},
		{"errors of spreadsheets", "n\n1\n#N/A\n#DIV/0!\n", 0, "n", tabular.Integer, []any{int64(1), nil, nil}, kinds{tabular.Missing}},
		{"dates and times", "n\n2024-02-29\n2024-02-29 10:00\n", 0, "n", tabular.Time, []any{"2024-02-29", "2024-02-29 10:00"}, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			d, err := load(t, test.text, &tabular.Options{Decimal: test.decimal})
			if err != nil {
				t.Fatal(err)
			}
			var warns kinds
			for _, w := range d.Warnings {
				if w.Column == test.column {
					warns = append(warns, w.Kind)
				}
			}
			var cells []any
			for _, row := range d.rows {
				cells = append(cells, row[0])
			}
			if diff := cmp.Diff(test.want, d.Columns[0].Type) + cmp.Diff(test.cells, cells) + cmp.Diff(test.warns, warns); diff != "" {
				t.Errorf("%s%v", diff, d.Warnings)
			}
		})
	}
}

func TestSeparator(t *testing.T) {
	for _, test := range []struct {
		name, text string
		opt        tabular.Options
		headers    []string
	}{
		{"quoted commas", "\"a,b,c\";\"d,e\"\n1;2\n", tabular.Options{}, []string{"a,b,c", "d,e"}},
		{"commas of decimals", "a;b\n1,5;2,5\n1,5;2,5\n", tabular.Options{}, []string{"a", "b"}},
		{"semicolons of a text", "a,b\nx;y;z,1\n", tabular.Options{}, []string{"a", "b"}},
		{"semicolons of a header", "a;x;y,b\n1,2\n3,4\n", tabular.Options{}, []string{"a;x;y", "b"}},
		{"line break in quotes", "a|\"b\n,,,\"|c\n1|2|3\n", tabular.Options{}, []string{"a", "b\n,,,", "c"}},
		{"one column", "a\n1\n", tabular.Options{}, []string{"a"}},
		{"chosen", "a:b\n1:2\n", tabular.Options{Separator: ':'}, []string{"a", "b"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			d, err := load(t, test.text, &test.opt)
			if err != nil {
				t.Fatal(err)
			}
			var headers []string
			for _, c := range d.Columns {
				headers = append(headers, c.Header)
			}
			if diff := cmp.Diff(test.headers, headers); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestWarningsAreBounded(t *testing.T) {
	for _, columns := range []int{100, 1000} {
		d, err := load(t, strings.Repeat(",", columns-1)+"\n"+strings.Repeat("=x,", columns-1)+"1\n", nil)
		if err != nil {
			t.Fatal(err)
		}
		last := d.Warnings[len(d.Warnings)-1]
		// Each column has a new name, and all but one have a formula.
		if want := 2*columns - 1 - 100; len(d.Warnings) != 101 || last.Kind != tabular.Omitted || last.Count != want {
			t.Errorf("%d warnings, %d left out, want %d", len(d.Warnings), last.Count, want)
		}
	}
}

// Equal headers must not take long.
func TestManyEqualHeaders(t *testing.T) {
	d, err := load(t, strings.Repeat("a,", 999)+"a\n"+strings.Repeat("1,", 999)+"1\n", nil)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := d.Columns[999].Name, "a_1000"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
