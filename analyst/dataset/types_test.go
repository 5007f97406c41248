package dataset_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed/analyst/dataset"
)

// The decimal sign of numbers is never guessed: a wrong one would change them by
// a factor of 1000.
func TestNumbers(t *testing.T) {
	type kinds = []dataset.WarningKind
	signs, converted := dataset.DecimalSign, dataset.Converted
	for _, test := range []struct {
		name    string
		text    string
		decimal rune
		column  string
		want    dataset.Type
		cells   []any
		warns   kinds // about the column
	}{
		{"points alone", "n\n1.234\n2.500\n", 0, "n", dataset.Text, []any{"1.234", "2.500"}, kinds{signs}},
		{"commas alone", "n\n\"1,234\"\n7\n", 0, "n", dataset.Text, []any{"1,234", "7"}, kinds{signs}},
		{"points as chosen", "n\n1.234\n2.500\n", '.', "n", dataset.Decimal, []any{1.234, 2.5}, nil},
		{"points as chosen for thousands", "n\n1.234\n2.500\n", ',', "n", dataset.Integer, []any{int64(1234), int64(2500)}, kinds{converted}},
		{"commas as chosen", "n\n\"1,234\"\n7\n", ',', "n", dataset.Decimal, []any{1.234, 7.0}, kinds{converted}},
		{"commas as chosen for thousands", "n\n\"1,234\"\n7\n", '.', "n", dataset.Integer, []any{int64(1234), int64(7)}, kinds{converted}},
		{"semicolon", "n;m\n1.234;x\n2.500;y\n", 0, "n", dataset.Integer, []any{int64(1234), int64(2500)}, kinds{converted}},
		{"semicolon and comma", "n;m\n1,234;x\n2,500;y\n", 0, "n", dataset.Decimal, []any{1.234, 2.5}, kinds{converted}},
		{"a point in another column", "n;m\n1.234;0.5\n2.500;0.7\n", 0, "n", dataset.Decimal, []any{1.234, 2.5}, nil},
		{"a comma in another column", "n,m\n1.234,\"0,5\"\n2.500,\"0,7\"\n", 0, "n", dataset.Integer, []any{int64(1234), int64(2500)}, kinds{converted}},
		{"columns that contradict", "n;m;o\n1.234;0.5;0,5\n", 0, "n", dataset.Text, []any{"1.234"}, kinds{signs}},
		{"two digits after the comma", "n\n\"1,234\"\n\"1,50\"\n", 0, "n", dataset.Decimal, []any{1.234, 1.5}, kinds{converted}},
		{"two digits after the point", "n\n1.234\n1.50\n", 0, "n", dataset.Decimal, []any{1.234, 1.5}, nil},
		{"both signs", "n\n\"1,234\"\n\"1,234.5\"\n", 0, "n", dataset.Decimal, []any{1234.0, 1234.5}, kinds{converted}},
		{"both signs, German", "n\n1.234\n\"-1.234,5\"\n", 0, "n", dataset.Decimal, []any{1234.0, -1234.5}, kinds{converted}},
		{"two separators", "n\n\"1,234,567\"\n\"1,234\"\n", 0, "n", dataset.Integer, []any{int64(1234567), int64(1234)}, kinds{converted}},
		{"a zero before the point", "n\n0.125\n1.234\n", 0, "n", dataset.Decimal, []any{0.125, 1.234}, nil},
		{"signs that contradict", "n\n1.5\n\"1,5\"\n", 0, "n", dataset.Text, []any{"1.5", "1,5"}, kinds{dataset.Mixed}},
		{"against the choice", "n\n1.5\n2.5\n", ',', "n", dataset.Text, []any{"1.5", "2.5"}, kinds{signs}},
		{"wrong groups", "n\n\"12,34,567\"\n", 0, "n", dataset.Text, []any{"12,34,567"}, nil},
		{"JSON", `[{"n":1.234},{"n":2}]`, 0, "n", dataset.Decimal, []any{1.234, 2.0}, nil},
		{"JSON, another choice", `[{"n":1.234},{"n":"1,5"}]`, ',', "n", dataset.Decimal, []any{1.234, 1.5}, kinds{converted}},
		{"JSON strings", `[{"n":"1.234"},{"n":"2"}]`, 0, "n", dataset.Text, []any{"1.234", "2"}, kinds{signs}},
		{"JSON strings like cells", `[{"n":"1.5"},{"n":2},{"n":"N/A"}]`, 0, "n", dataset.Decimal, []any{1.5, 2.0, nil}, kinds{dataset.Missing}},

		{"placeholders", "n,m\n1,x\nN/A,y\n ,z\n-,z\n", 0, "n", dataset.Integer, []any{int64(1), nil, nil, nil}, kinds{dataset.Missing}},
		{"placeholders of texts", "n\nx\nN/A\n", 0, "n", dataset.Text, []any{"x", "N/A"}, nil},
		{"placeholders alone", "n\nN/A\n", 0, "n", dataset.Text, []any{"N/A"}, nil},
		{"placeholders of dates", "n\n2024-01-31\n0000-00-00\n", 0, "n", dataset.Date, []any{"2024-01-31", nil}, kinds{dataset.Missing}},
		{"leading zeros", "n\n007\n008\n", 0, "n", dataset.Text, []any{"007", "008"}, nil},
		{"plus sign", "n\n+49\n", 0, "n", dataset.Text, []any{"+49"}, kinds{dataset.Formula}},
		{"spaces around", "n\n 1\n2 \n", 0, "n", dataset.Integer, []any{int64(1), int64(2)}, nil},
		{"exponents", "n\n1e3\n-2E-1\n", 0, "n", dataset.Decimal, []any{1000.0, -0.2}, nil},
		{"64 bits", "n\n9223372036854775807\n", 0, "n", dataset.Integer, []any{int64(9223372036854775807)}, nil},
		{"more than 64 bits", "n\n9223372036854775808\n", 0, "n", dataset.Text, []any{"9223372036854775808"}, nil},
		{"beyond float64", "n\n1e999\n", 0, "n", dataset.Text, []any{"1e999"}, nil},
		{"percent", "n\n5%\n", 0, "n", dataset.Text, []any{"5%"}, nil},
		{"slashed dates", "n\n2024/02/29\n", 0, "n", dataset.Date, []any{"2024-02-29"}, kinds{converted}},
		{"no such day", "n\n2023-02-29\n", 0, "n", dataset.Text, []any{"2023-02-29"}, nil},
		{"dates and times", "n\n2024-02-29\n2024-02-29 10:00\n", 0, "n", dataset.Time, []any{"2024-02-29", "2024-02-29 10:00"}, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			d, err := load(t, test.text, &dataset.Options{Decimal: test.decimal})
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
			for _, row := range d.Sample.Rows {
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
		opt        dataset.Options
		headers    []string
	}{
		{"quoted commas", "\"a,b,c\";\"d,e\"\n1;2\n", dataset.Options{}, []string{"a,b,c", "d,e"}},
		{"commas of decimals", "a;b\n1,5;2,5\n1,5;2,5\n", dataset.Options{}, []string{"a", "b"}},
		{"semicolons of a text", "a,b\nx;y;z,1\n", dataset.Options{}, []string{"a", "b"}},
		{"semicolons of a header", "a;x;y,b\n1,2\n3,4\n", dataset.Options{}, []string{"a;x;y", "b"}},
		{"line break in quotes", "a|\"b\n,,,\"|c\n1|2|3\n", dataset.Options{}, []string{"a", "b\n,,,", "c"}},
		{"one column", "a\n1\n", dataset.Options{}, []string{"a"}},
		{"chosen", "a:b\n1:2\n", dataset.Options{Separator: ':'}, []string{"a", "b"}},
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
		if want := 2*columns - 1 - 100; len(d.Warnings) != 101 || last.Kind != dataset.Omitted || last.Count != want {
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

// What a dataset has a place for can be queried.
func TestLargeRows(t *testing.T) {
	const cells, size = 40, 60_000
	cell := strings.Repeat("x", size)
	text := strings.Repeat("c,", cells-1) + "c\n" + strings.Repeat(cell+",", cells-1) + cell + "\n"
	if _, err := load(t, text, nil); err == nil {
		t.Error("a row of 2.4 MB is accepted")
	}
	d, err := load(t, text, &dataset.Options{MaxRowBytes: 3 << 20})
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
	if d, err = load(t, "a\n"+large+"\n", &dataset.Options{MaxCellBytes: 200_000}); err != nil {
		t.Fatal(err)
	}
	if d.Sample.Rows[0][0] != large {
		t.Error("a large cell is cut")
	}
}
