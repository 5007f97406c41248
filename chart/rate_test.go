package chart_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/qedkit/qed/chart"
)

// TestRates checks that averages, and shares of different wholes, are neither added up nor
// stacked.
func TestRates(t *testing.T) {
	rows := table(t, "port|type|avg_delay|share_pct|of_all_pct|n",
		[]any{"A", "x", 4, 60, 20, 1}, []any{"A", "y", 8, 65, 30, 2}, []any{"B", "x", 6, 50, 10, 3}, []any{"B", "y", 2, 50, 40, 4})
	for name, tt := range map[string]struct {
		opt     chart.Options
		kind    chart.Kind // empty: refused
		numbers []float64
	}{
		"averages of a port":      {chart.Options{Kind: chart.Bar, Y: "avg_delay"}, chart.Bar, []float64{6, 4}},
		"a sum of averages":       {chart.Options{Kind: chart.Bar, Y: "avg_delay", Aggregate: chart.Sum}, "", nil},
		"a line of sums":          {chart.Options{Kind: chart.Line, Y: "avg_delay", Aggregate: chart.Sum}, "", nil},
		"averages by type":        {chart.Options{Kind: chart.Bar, Y: "avg_delay", Color: "type"}, chart.GroupedBar, []float64{4, 8, 6, 2}},
		"stacked averages":        {chart.Options{Kind: chart.StackedBar, Y: "avg_delay", Color: "type"}, "", nil},
		"areas of averages":       {chart.Options{Kind: chart.Area, Y: "avg_delay", Color: "type"}, "", nil},
		"slices of averages":      {chart.Options{Kind: chart.Pie, Y: "avg_delay"}, "", nil},
		"shares of more than all": {chart.Options{Kind: chart.Bar, Y: "share_pct", Color: "type"}, chart.GroupedBar, []float64{60, 65, 50, 50}},
		"stacked shares of more":  {chart.Options{Kind: chart.StackedBar, Y: "share_pct", Color: "type"}, "", nil},
		"shares of one whole":     {chart.Options{Kind: chart.StackedBar, Y: "of_all_pct", Color: "type"}, chart.StackedBar, []float64{20, 30, 10, 40}},
		"a sum of one whole":      {chart.Options{Kind: chart.Bar, Y: "of_all_pct", Aggregate: chart.Sum}, chart.Bar, []float64{50, 50}},
		"slices of one whole":     {chart.Options{Kind: chart.Pie, Y: "of_all_pct"}, chart.Pie, []float64{50, 50}},
		"counts":                  {chart.Options{Kind: chart.StackedBar, Y: "n", Color: "type"}, chart.StackedBar, []float64{1, 2, 3, 4}},
	} {
		t.Run(name, func(t *testing.T) {
			tt.opt.X, tt.opt.Sort = "port", chart.ByX
			s, err := chart.New(t.Context(), rows, &tt.opt)
			if tt.kind == "" {
				if err == nil || codes(t, err)[0] != chart.ErrAggregateType {
					t.Errorf("it is %v", err)
				}
				return
			}
			if err != nil || s.Kind != tt.kind {
				t.Fatalf("it is a %v, %v", s, err)
			}
			d := read(t, s)
			field := d.Encoding["y"].Field
			if s.Kind == chart.Pie {
				field = d.Encoding["theta"].Field
			}
			var got []float64
			for _, row := range d.Data.Values {
				got = append(got, row[field].(float64))
			}
			if fmt.Sprint(got) != fmt.Sprint(tt.numbers) {
				t.Errorf("it draws %v, want %v", got, tt.numbers)
			}
		})
	}
}

// TestLanguage checks what a reader sees in German, with the names of columns of the host.
func TestLanguage(t *testing.T) {
	s := build(t, delays(t), &chart.Options{
		Kind: chart.Bar, X: "port", Y: "delay", Language: "de-AT", Labels: map[string]string{"port": "Hafen", "delay": "Verspätung (h)"},
	})
	d := read(t, s)
	if s.Title != "Summe: Verspätung (h) nach Hafen" || d.Encoding["x"].Title != "Hafen" || d.Encoding["y"].Title != "Summe: Verspätung (h)" {
		t.Errorf("%q, %q, %q", s.Title, d.Encoding["x"].Title, d.Encoding["y"].Title)
	}
	if !hasNote(s, "Mehrere Zeilen haben denselben Platz, daher ist Verspätung (h) summiert.") || !strings.Contains(string(s.JSON), `"(ohne)"`) ||
		!strings.Contains(string(s.JSON), `"shortMonths":["Jan.","Feb.","März"`) {
		t.Errorf("%q in %s", s.Notes, s.JSON)
	}
	s = build(t, delays(t), &chart.Options{Kind: chart.Bar, X: "port", Y: "delay", Language: "fr"})
	if s.Title != "Sum of delay by port" || strings.Contains(string(s.JSON), "shortMonths") {
		t.Errorf("another language: %q", s.Title)
	}
}

// TestManyRows draws 100,000 rows.
func TestManyRows(t *testing.T) {
	if testing.Short() {
		t.Skip("draws 100,000 rows eight times")
	}
	rows := table(t, "day|port|delay|ship")
	for i := range 100_000 {
		if err := rows.Append(fmt.Sprintf("2025-%02d-%02d", 1+i%12, 1+i%28), fmt.Sprint("port ", i%300), i%37, fmt.Sprint("ship ", i)); err != nil {
			t.Fatal(err)
		}
	}
	for _, o := range []chart.Options{{}, {Kind: chart.Bar, X: "port"}, {Kind: chart.Bar, X: "ship", Y: "delay"},
		{Kind: chart.StackedBar, X: "port", Y: "delay", Color: "ship"}, {Kind: chart.Box, X: "day", Y: "delay"}, {Kind: chart.Histogram, X: "delay"},
		{Kind: chart.Heatmap, X: "day", Y: "port", Color: "delay"}, {Kind: chart.Scatter, X: "day", Y: "delay"}} {
		s := build(t, rows, &o)
		if d := read(t, s); len(d.Data.Values) == 0 || len(d.Data.Values) > 5000 || len(s.JSON) > 512<<10 {
			t.Errorf("%s: %d rows, %d bytes", s.Kind, len(d.Data.Values), len(s.JSON))
		}
		if o.X == "ship" && !hasNote(s, "100000 values of ship") {
			t.Errorf("%s: the notes do not say that ships are left out: %q", s.Kind, s.Notes)
		}
	}
}
