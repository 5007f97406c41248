package tabular_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed/analyst/tabular"
)

// What the lines of a file are is shown by the types of the columns, not guessed.
func TestShape(t *testing.T) {
	type kinds = []tabular.WarningKind
	header, mixed := tabular.Header, tabular.Mixed
	for _, test := range []struct {
		name, text string
		opt        tabular.Options
		names      []string
		rows       [][]any
		warns      kinds
	}{
		{"no header", "2026-01-01,Berlin,10\n2026-01-02,Ulm,12\n", tabular.Options{}, []string{"column_1", "column_2", "column_3"},
			[][]any{{"2026-01-01", "Berlin", int64(10)}, {"2026-01-02", "Ulm", int64(12)}}, kinds{header}},
		{"no header, texts that recur", "Berlin,DE\nUlm,DE\n", tabular.Options{}, []string{"column_1", "column_2"},
			[][]any{{"Berlin", "DE"}, {"Ulm", "DE"}}, kinds{header}},
		{"texts alone", "city,country\nUlm,DE\n", tabular.Options{}, []string{"city", "country"}, [][]any{{"Ulm", "DE"}}, nil},
		{"years as names", "country,2019,2020\nA,1.5,2.5\nB,3.5,4.5\n", tabular.Options{}, []string{"country", "2019", "2020"},
			[][]any{{"A", 1.5, 2.5}, {"B", 3.5, 4.5}}, nil},
		{"counted names", "0,1,2\n5,6,7\n", tabular.Options{}, []string{"0", "1", "2"}, [][]any{{int64(5), int64(6), int64(7)}}, kinds{header}},
		{"a year in a row", "2019,5\n2020,6\n", tabular.Options{}, []string{"column_1", "column_2"},
			[][]any{{int64(2019), int64(5)}, {int64(2020), int64(6)}}, kinds{header}},
		{"no header, another decimal sign in the first line", "x,\"17.925.648\"\ny,4\n", tabular.Options{}, []string{"column_1", "column_2"},
			[][]any{{"x", int64(17925648)}, {"y", int64(4)}}, kinds{header, tabular.Converted}},
		{"no header, codes", "08336,x\n00354,y\n", tabular.Options{}, []string{"column_1", "column_2"}, [][]any{{"08336", "x"}, {"00354", "y"}}, kinds{header}},
		{"no header, a number among texts", "1.5,x\n2.5,y\n3.5,z\n4.5,z\ntbd,z\n", tabular.Options{}, []string{"column_1", "column_2"},
			[][]any{{"1.5", "x"}, {"2.5", "y"}, {"3.5", "z"}, {"4.5", "z"}, {"tbd", "z"}}, kinds{header, mixed}},
		{"no header, no value below", "5.25,x\n,y\n", tabular.Options{}, []string{"column_1", "column_2"}, [][]any{{5.25, "x"}, {nil, "y"}}, kinds{header}},
		{"no header, tabs and decimal commas", "1,5\t2,25\n3,5\t4,5\n", tabular.Options{}, []string{"column_1", "column_2"},
			[][]any{{1.5, 2.25}, {3.5, 4.5}}, kinds{tabular.Delimiter, header, tabular.Converted, tabular.Converted}},
		{"dates as names", "city,2026-01-31,2026-02-28\nUlm,1,2\n", tabular.Options{}, []string{"city", "2026-01-31", "2026-02-28"}, [][]any{{"Ulm", int64(1), int64(2)}}, nil},
		{"seasons as names", "team,2022/23,2023/24\nUlm,3:1,2:0\n", tabular.Options{}, []string{"team", "2022/23", "2023/24"}, [][]any{{"Ulm", "3:1", "2:0"}}, nil},
		{"classes as names", "city,0-17,18-64\nUlm,4,5\n", tabular.Options{}, []string{"city", "0-17", "18-64"}, [][]any{{"Ulm", int64(4), int64(5)}}, nil},
		{"years as names of texts", "city,2019,2020\nUlm,high,low\n", tabular.Options{}, []string{"city", "2019", "2020"}, [][]any{{"Ulm", "high", "low"}}, nil},
		{"empty cells between tabs", "a\tb\tc\n\t\t1\n2\t\t3\n", tabular.Options{}, []string{"a", "b", "c"}, [][]any{{nil, nil, int64(1)}, {int64(2), nil, int64(3)}}, kinds{tabular.Delimiter}},
		{"an empty first cell before a tab", "\tb\nx\t1\ny\t2\n", tabular.Options{}, []string{"column_1", "b"}, [][]any{{"x", int64(1)}, {"y", int64(2)}}, kinds{tabular.Delimiter, header}},
		{"quotes and empty cells between tabs", "a\tb\tc\n5\" x\t\t1\n\t\t3\n", tabular.Options{}, []string{"a", "b", "c"}, [][]any{{"5\" x", nil, int64(1)}, {nil, nil, int64(3)}}, kinds{tabular.Delimiter, tabular.Quotes}},
		{"title", "Report: Sales 2026\n\nregion,units\nN,1\nS,2\n", tabular.Options{}, []string{"region", "units"},
			[][]any{{"N", int64(1)}, {"S", int64(2)}}, kinds{header}},
		{"bank", "\"Konto:\";\"100200\"\n\"\"\n\"Stand:\";\"1.204,33 EUR\"\n\"Tag\";\"Text\";\"Betrag\"\n\"23.03.2026\";\"Miete\";\"-830,78\"\n\"24.03.2026\";\"Strom\";\"-30,70\"\n",
			tabular.Options{}, []string{"Tag", "Text", "Betrag"}, [][]any{{"2026-03-23", "Miete", -830.78}, {"2026-03-24", "Strom", -30.7}},
			kinds{tabular.Delimiter, header, tabular.Converted, tabular.Converted}},
		{"a long report above a short table", "A:,x\nB:,y\nC:,z\nday,n,m\n2026-01-02,1,2\n", tabular.Options{}, []string{"day", "n", "m"}, [][]any{{"2026-01-02", int64(1), int64(2)}}, kinds{header}},
		{"header chosen", "a,b\nx,y\n1,2\n", tabular.Options{HeaderLine: 2}, []string{"x", "y"}, [][]any{{int64(1), int64(2)}}, nil},
		{"no header chosen", "a,b\nx,y\n", tabular.Options{HeaderLine: -1}, []string{"column_1", "column_2"}, [][]any{{"a", "b"}, {"x", "y"}}, nil},
		{"units", "time,temp\ns,degC\n0,20.5\n1,20.6\n", tabular.Options{}, []string{"time", "temp"}, [][]any{{int64(0), 20.5}, {int64(1), 20.6}}, kinds{header}},
		{"units in brackets", "site,temp\n,[°C]\nA,20.5\nB,20.6\n", tabular.Options{}, []string{"site", "temp"}, [][]any{{"A", 20.5}, {"B", 20.6}}, kinds{header}},
		{"no units", "n,m\ntbd,1\n1,2\n2,3\n", tabular.Options{}, []string{"n", "m"}, [][]any{{"tbd", int64(1)}, {"1", int64(2)}, {"2", int64(3)}}, kinds{mixed}},
		{"names in two lines", ",2019,,2020,\nregion,q1,q2,q1,q2\nN,1,2,3,4\nS,5,6,7,8\n", tabular.Options{}, []string{"region", "2019 q1", "2019 q2", "2020 q1", "2020 q2"},
			[][]any{{"N", int64(1), int64(2), int64(3), int64(4)}, {"S", int64(5), int64(6), int64(7), int64(8)}}, kinds{header}},
		{"header again", "a,b\n1,2\na,b\n3,4\n", tabular.Options{}, []string{"a", "b"}, [][]any{{int64(1), int64(2)}, {int64(3), int64(4)}}, kinds{header}},
		{"totals", "r,n\nN,1\nTotal,1\n", tabular.Options{}, []string{"r", "n"}, [][]any{{"N", int64(1)}, {"Total", int64(1)}}, kinds{tabular.Totals}},
		{"totals left out", "r,m,n\nN,Jan,1\nN,Zwischensumme:,1\nSumme,,1\n", tabular.Options{SkipTotals: true}, []string{"r", "m", "n"}, [][]any{{"N", "Jan", int64(1)}}, kinds{tabular.Totals}},
		{"totals of groups", "r,n\nNorth,1\nNorth Total,1\nSüd,2\nSüd Ergebnis,2\nSur,3\nTotal Sur,3\nGesamtergebnis,6\n", tabular.Options{SkipTotals: true}, []string{"r", "n"},
			[][]any{{"North", int64(1)}, {"Süd", int64(2)}, {"Sur", int64(3)}}, kinds{tabular.Totals}},
		{"no totals of groups", "r,n\nNorth,1\nSouth Total,1\nWine,2\nTotal Recall,2\nErgebnis,3\nSum,4\nSum 41,5\n", tabular.Options{SkipTotals: true}, []string{"r", "n"},
			[][]any{{"North", int64(1)}, {"South Total", int64(1)}, {"Wine", int64(2)}, {"Total Recall", int64(2)}, {"Ergebnis", int64(3)}, {"Sum 41", int64(5)}}, kinds{tabular.Totals}},
		{"a word of a text", "r,n\nTotal Wine,1\n", tabular.Options{}, []string{"r", "n"}, [][]any{{"Total Wine", int64(1)}}, nil},
		{"blank before a quote", "id, name, v\n1, \"Smith, J\", 3\n", tabular.Options{}, []string{"id", "name", "v"}, [][]any{{int64(1), "Smith, J", int64(3)}}, kinds{tabular.Quotes}},
		{"quotes of inches", "id,pipe\n1,5\" pipe\n2,\"a \"b\" c\"\n", tabular.Options{}, []string{"id", "pipe"}, [][]any{{int64(1), "5\" pipe"}, {int64(2), "a \"b\" c"}}, kinds{tabular.Quotes}},
		{"texts by a formula", "id,zip\n1,=\"0012\"\n2,\"=\"\"12\"\"\"\n", tabular.Options{}, []string{"id", "zip"}, [][]any{{int64(1), "0012"}, {int64(2), "12"}}, kinds{tabular.Quotes}},
	} {
		t.Run(test.name, func(t *testing.T) {
			d, err := load(t, test.text, &test.opt)
			if err != nil {
				t.Fatal(err)
			}
			var names []string
			for _, c := range d.Columns {
				names = append(names, c.Name)
			}
			var warns kinds
			for _, w := range d.Warnings {
				warns = append(warns, w.Kind)
			}
			if diff := cmp.Diff(test.names, names) + cmp.Diff(test.rows, d.rows) + cmp.Diff(test.warns, warns); diff != "" {
				t.Errorf("%s%v", diff, d.Warnings)
			}
		})
	}
}

// A file is refused where nothing shows what its lines are.
func TestShapeRefuses(t *testing.T) {
	for name, text := range map[string]string{
		"decimal commas without quotes":   "a,b\n1,5,2\n1,5,3\n",
		"a quote left open":               "a,b\n\"x,1\ny\",2,3\n4,\"5\" 6\n",
		"an open quote at the end":        "a,b\n1,2\n3,\"4\n5,6\n",
		"lines above texts that stay so":  "Title\nx,y\nu,v\n",
		"a quote left open over two rows": "a,b\n1,5\" pipe\n2,\"x\n3,y\n4,z\" w\n",
	} {
		t.Run(name, func(t *testing.T) {
			if d, err := load(t, text, nil); !errors.Is(err, tabular.ErrFormat) {
				t.Errorf("%v", err)
				if err == nil {
					t.Error(d.rows, d.Warnings)
				}
			}
		})
	}
}
