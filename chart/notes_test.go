package chart_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/chart"
)

// hasNote reports whether a note has all of the words.
func hasNote(s *chart.Spec, words ...string) bool {
	for _, note := range s.Notes {
		all := true
		for _, w := range words {
			all = all && strings.Contains(note, w)
		}
		if all {
			return true
		}
	}
	return false
}

// TestStack checks that parts are stacked only if they add up, and that a spec does
// not depend on Vega-Lite's default.
func TestStack(t *testing.T) {
	rows := table(t, "port|type|delay",
		[]any{"A", "x", 3}, []any{"A", "y", 7}, []any{"A", "y", 1}, []any{"B", "x", 5}, []any{"C", "x", 2}, []any{"C", "y", 2})
	for name, tt := range map[string]struct {
		opt   chart.Options
		kind  chart.Kind
		stack any
	}{
		"a bar of means":            {chart.Options{Kind: chart.Bar, Color: "type", Aggregate: chart.Mean}, chart.GroupedBar, false},
		"a bar of medians":          {chart.Options{Kind: chart.Bar, Color: "type", Aggregate: chart.Median}, chart.GroupedBar, false},
		"a bar of the least":        {chart.Options{Kind: chart.Bar, Color: "type", Aggregate: chart.Min}, chart.GroupedBar, false},
		"a bar of the largest":      {chart.Options{Color: "type", Aggregate: chart.Max}, chart.GroupedBar, false},
		"a bar of sums":             {chart.Options{Kind: chart.Bar, Color: "type", Aggregate: chart.Sum}, chart.Bar, "zero"},
		"a bar of counts":           {chart.Options{Kind: chart.Bar, Color: "type", Aggregate: chart.Count}, chart.Bar, "zero"},
		"a bar, nothing said":       {chart.Options{Kind: chart.Bar, Color: "type"}, chart.Bar, "zero"},
		"a bar of means, no colour": {chart.Options{Kind: chart.Bar, Aggregate: chart.Mean}, chart.Bar, false},
		"each bar in its colour":    {chart.Options{Kind: chart.Bar, Color: "port", Aggregate: chart.Mean}, chart.Bar, false},
		"groups":                    {chart.Options{Kind: chart.GroupedBar, Color: "type"}, chart.GroupedBar, false},
		"areas of sums":             {chart.Options{Kind: chart.Area, Color: "type"}, chart.Area, "zero"},
		"an area of means":          {chart.Options{Kind: chart.Area, Aggregate: chart.Mean}, chart.Area, false},
	} {
		t.Run(name, func(t *testing.T) {
			tt.opt.X, tt.opt.Y = "port", "delay"
			s := build(t, rows, &tt.opt)
			if got := read(t, s).Encoding["y"].Stack; s.Kind != tt.kind || got != tt.stack {
				t.Errorf("it is a %s, stacked %v", s.Kind, got)
			}
		})
	}
	for _, kind := range []chart.Kind{chart.Area, chart.StackedBar} {
		for _, a := range []chart.Aggregate{chart.Mean, chart.Median, chart.Min, chart.Max} {
			_, err := chart.New(t.Context(), rows, &chart.Options{Kind: kind, X: "port", Y: "delay", Color: "type", Aggregate: a})
			if err == nil || codes(t, err)[0] != chart.ErrAggregateType {
				t.Errorf("%s of %s: %v", kind, a, err)
			}
		}
	}
}

// TestSizeOfTheWhole checks that a category with several colors is ordered by the
// aggregate of all its rows, and not by the sum of its parts.
func TestSizeOfTheWhole(t *testing.T) {
	rows := table(t, "port|type|delay",
		[]any{"A", "x", 5}, []any{"A", "y", 5}, []any{"A", "z", 5}, []any{"B", "x", 10}, []any{"C", "x", -20}, []any{"C", "y", 1})
	for name, tt := range map[string]struct {
		opt  chart.Options
		want string // ports, in their order
	}{
		"the largest":          {chart.Options{Aggregate: chart.Max}, "BAC"},
		"the largest, first":   {chart.Options{Aggregate: chart.Max, Top: 1}, "B"},
		"the means":            {chart.Options{Aggregate: chart.Mean}, "BAC"}, // 10, 5, -9.5
		"the means, two":       {chart.Options{Aggregate: chart.Mean, Top: 2}, "BA"},
		"the medians, first":   {chart.Options{Aggregate: chart.Median, Top: 1}, "B"},
		"the least":            {chart.Options{Aggregate: chart.Min, Sort: chart.ByY}, "CAB"},
		"the sums":             {chart.Options{Aggregate: chart.Sum}, "ABC"},       // 15, 10, -19
		"the largest of sums":  {chart.Options{Aggregate: chart.Sum, Top: 1}, "A"}, // no loss is the largest
		"the smallest of sums": {chart.Options{Aggregate: chart.Sum, Sort: chart.ByY, Top: 1}, "C"},
		"the counts":           {chart.Options{Aggregate: chart.Count}, "ACB"},
	} {
		t.Run(name, func(t *testing.T) {
			tt.opt.Kind, tt.opt.X, tt.opt.Y, tt.opt.Color = chart.GroupedBar, "port", "delay", "type"
			s := build(t, rows, &tt.opt)
			got := ""
			for _, row := range read(t, s).Data.Values {
				if port := row["port"].(string); !strings.Contains(got, port) {
					got += port
				}
			}
			if got != tt.want {
				t.Errorf("the bars are %s, want %s", got, tt.want)
			}
			if tt.opt.Top > 0 && !hasNote(s, "of the 3 values of port", string(tt.opt.Aggregate)+" of delay") {
				t.Errorf("nothing says what was taken: %q", s.Notes)
			}
		})
	}
}

// TestNegativeSlices checks that small slices, which are drawn together, can be
// negative slices too.
func TestNegativeSlices(t *testing.T) {
	pie := func(low float64, opt chart.Options) error {
		rows := table(t, "c|v")
		for i := range 30 {
			v := float64(100 - i)
			if i > 22 {
				v = low
			}
			if err := rows.Append(fmt.Sprintf("cat%02d", i), v); err != nil {
				t.Fatal(err)
			}
		}
		opt.Kind = chart.Pie
		_, err := chart.New(t.Context(), rows, &opt)
		return err
	}
	for name, opt := range map[string]chart.Options{"nothing said": {}, "the first five": {Top: 5}, "sums": {Aggregate: chart.Sum}} {
		if err := pie(-4, opt); err == nil || codes(t, err)[0] != chart.ErrFieldType {
			t.Errorf("%s: %v", name, err)
		}
		if err := pie(4, opt); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := pie(-4, chart.Options{Aggregate: chart.Count}); err != nil { // how many rows there are is not negative
		t.Error(err)
	}
}

// TestWithoutANumber checks the note on categories that have no number at all.
func TestWithoutANumber(t *testing.T) {
	rows := table(t, "port|type|delay", []any{"A", "x", 5}, []any{"A", "y", nil}, []any{"B", "x", nil}, []any{"C", "x", "NaN"}, []any{"D", "x", -1})
	whole := table(t, "port|type|delay", []any{"A", "x", 5}, []any{"B", "x", 0})
	for name, opt := range map[string]chart.Options{
		"bars":    {Kind: chart.Bar, X: "port", Y: "delay"},
		"groups":  {Kind: chart.GroupedBar, X: "port", Y: "delay", Color: "type"},
		"a line":  {Kind: chart.Line, X: "port", Y: "delay"},
		"a map":   {Kind: chart.Heatmap, X: "port", Y: "type", Color: "delay"},
		"the top": {Kind: chart.Bar, X: "port", Y: "delay", Top: 2}, // of those that have a number
		"the low": {Kind: chart.Bar, X: "port", Y: "delay", Sort: chart.ByY},
	} {
		t.Run(name, func(t *testing.T) {
			s := build(t, rows, &opt)
			if !hasNote(s, "3 rows", "delay", "2 of the 4 values of port") {
				t.Errorf("the notes are %q", s.Notes)
			}
			ports := map[any]bool{}
			for _, row := range read(t, s).Data.Values {
				ports[row["port"]] = true
			}
			if diff := cmp.Diff(map[any]bool{"A": true, "D": true}, ports); diff != "" {
				t.Error(diff)
			}
			if opt.Color != "type" {
				if s := build(t, whole, &opt); len(s.Notes) > 0 {
					t.Errorf("of all rows it says %q", s.Notes)
				}
			}
		})
	}
	counted := build(t, rows, &chart.Options{Kind: chart.Bar, X: "port", Y: "delay", Aggregate: chart.Count})
	if n := len(read(t, counted).Data.Values); n != 4 || len(counted.Notes) > 0 {
		t.Errorf("%d bars are counted: %q", n, counted.Notes)
	}
}

// TestMostlyDates checks that a few other cells do not change the type of a column
// of dates, and that a column with fewer dates is one of texts.
func TestMostlyDates(t *testing.T) {
	for name, tt := range map[string]struct {
		dates, texts int
		want         string
		note         []string
	}{
		"all are dates":     {20, 0, "temporal", nil},
		"nine of ten":       {18, 2, "temporal", []string{"2 of the 20 values of when", "has dates"}},
		"less than nine":    {17, 3, "nominal", nil},
		"a few are dates":   {2, 8, "nominal", nil},
		"none of them is":   {0, 5, "nominal", nil},
		"one text, no date": {0, 1, "nominal", nil},
	} {
		t.Run(name, func(t *testing.T) {
			rows := &qed.Table{Columns: []qed.Column{{Name: "when"}, {Name: "v"}}}
			for i := range tt.texts {
				rows.Rows = append(rows.Rows, []any{fmt.Sprint("unknown ", i), 1.0})
			}
			for i := range tt.dates {
				rows.Rows = append(rows.Rows, []any{fmt.Sprintf("2025-01-%02d", tt.dates-i), 3.0})
			}
			s := build(t, rows, &chart.Options{Kind: chart.Line, X: "when", Y: "v"})
			d := read(t, s)
			if got := d.Encoding["x"].Type; got != tt.want {
				t.Errorf("it is drawn as %s", got)
			}
			if tt.note != nil && !hasNote(s, tt.note...) || tt.note == nil && len(s.Notes) > 0 {
				t.Errorf("the notes are %q", s.Notes)
			}
			if first := d.Data.Values[0]["when"]; tt.want == "temporal" && first != "2025-01-01" {
				t.Errorf("the first is %v", first)
			}
			if rows.Rows[0][0] == nil {
				t.Error("the table was changed")
			}
		})
	}
}

func TestNumbersThatAreTexts(t *testing.T) {
	rows := table(t, "size|v", []any{"10", 3}, []any{"9", 3}, []any{"100", 3}, []any{"-2.5", 3}, []any{"9b", 3}, []any{"XL", 3}, []any{"--", 3})
	for sort, want := range map[chart.Sort]string{chart.ByX: "-2.5 9 10 100 -- 9b XL", chart.ByXDesc: "XL 9b -- 100 10 9 -2.5", chart.ByY: "-2.5 9 10 100 -- 9b XL"} {
		var got []string
		for _, row := range read(t, build(t, rows, &chart.Options{Kind: chart.Bar, X: "size", Sort: sort})).Data.Values {
			got = append(got, row["size"].(string))
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %q, want %q", sort, got, want)
		}
	}
}

// A language of the host's reaches the titles, the notes and the numbers of a chart.
func TestTextsOfTheHost(t *testing.T) {
	texts, err := qed.ReadTexts(fstest.MapFS{"fr.json": {Data: []byte(`{"chart": {
		"NumberOfRows": "nombre de lignes", "None": "(sans)", "MoreRows": "Il y a plus de lignes.", "Decimal": ","
	}}`)}})
	if err != nil {
		t.Fatal(err)
	}
	rows := &qed.Table{Columns: []qed.Column{{Name: "port"}}, Rows: [][]any{{"Oslo"}, {"Kiel"}, {"Kiel"}, {nil}, {nil}}, Truncated: true}
	opt := &chart.Options{Kind: chart.Bar, X: "port", Aggregate: chart.Count, Language: "fr"}
	s, err := chart.New(qed.WithTexts(t.Context(), texts), rows, opt)
	if err != nil {
		t.Fatal(err)
	}
	spec := string(s.JSON)
	if !strings.Contains(spec, `"title":"Nombre de lignes"`) || !strings.Contains(spec, `"decimal":","`) ||
		!strings.Contains(spec, `"port":"(sans)"`) || !hasNote(s, "Il y a plus de lignes.") {
		t.Errorf("%q, %s", s.Notes, spec)
	}
	if s, err = chart.New(t.Context(), rows, opt); err != nil || !strings.Contains(string(s.JSON), `"title":"Number of rows"`) {
		t.Errorf("without the texts: %v, %s", err, s.JSON)
	}
}
