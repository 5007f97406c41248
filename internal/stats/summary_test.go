package stats_test

import (
	"encoding/json"
	"errors"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/stats"
	"github.com/qedkit/qed/refusal"
)

func describe(t *testing.T, cells any) stats.Summary {
	t.Helper()
	return must[[]stats.Summary](t)(stats.Describe(table(t, "c", cells)))[0]
}

// The values are certified by NIST's Statistical Reference Datasets (univariate).
// Naive formulas fail on NumAcc3 and NumAcc4.
func TestDescribeCertified(t *testing.T) {
	alternating := func(first, a, b float64) []float64 {
		out := []float64{first}
		for range 500 {
			out = append(out, a, b)
		}
		return out
	}
	for _, tt := range []struct {
		name     string
		values   []float64
		mean, sd float64
	}{
		{"NumAcc1", []float64{10000001, 10000003, 10000002}, 10000002, 1},
		{"NumAcc2", alternating(1.2, 1.1, 1.3), 1.2, 0.1},
		{"NumAcc3", alternating(1000000.2, 1000000.1, 1000000.3), 1000000.2, 0.1},
		{"NumAcc4", alternating(10000000.2, 10000000.1, 10000000.3), 10000000.2, 0.1},
		{"Michelso", mapped(michelson, func(_ int, v float64) float64 { return 299 + v/1000 }), 299.852400, 0.0790105478190518},
	} {
		n := describe(t, tt.values).Numbers
		if math.Abs(n.Mean/tt.mean-1) > 1e-14 || math.Abs(*n.StdDev/tt.sd-1) > 1e-7 {
			t.Errorf("%s: mean %.15g, standard deviation %.15g; certified are %.15g and %.15g", tt.name, n.Mean, *n.StdDev, tt.mean, tt.sd)
		}
	}
}

func ptr(v float64) *float64 { return &v }

func TestDescribeNumbers(t *testing.T) {
	for _, tt := range []struct {
		name     string
		cells    any
		distinct int
		want     *stats.NumberSummary
	}{
		// Quartiles by definition 7 of Hyndman and Fan, as in NumPy and R.
		{"ten", numbers("3 6 7 8 8 10 13 15 16 20"), 9, &stats.NumberSummary{
			Sum: 106, Mean: 10.6, Min: 3, Q1: 7.25, Median: 9, Q3: 14.5, Max: 20, StdDev: ptr(5.253570214625479), Skew: ptr(0.44897004433432947)}},
		// R: summary(Nile), sd(Nile); SciPy: skew(x, bias=False).
		{"Nile", nile, 85, &stats.NumberSummary{
			Sum: 91935, Mean: 919.35, Min: 456, Q1: 798.5, Median: 893.5, Q3: 1032.5, Max: 1370,
			StdDev: ptr(169.22750063065095), Skew: ptr(0.327299778999177)}},
		{"one", []float64{7}, 1, &stats.NumberSummary{Sum: 7, Mean: 7, Min: 7, Q1: 7, Median: 7, Q3: 7, Max: 7}},
		{"two", []float64{1, 2}, 2, &stats.NumberSummary{
			Sum: 3, Mean: 1.5, Min: 1, Q1: 1.25, Median: 1.5, Q3: 1.75, Max: 2, StdDev: ptr(math.Sqrt2 / 2)}},
		{"constant", []float64{0.1, 0.1, 0.1}, 1, &stats.NumberSummary{
			Sum: 0.3, Mean: 0.1, Min: 0.1, Q1: 0.1, Median: 0.1, Q3: 0.1, Max: 0.1, StdDev: ptr(0)}},
		{"huge", []float64{1e308, 1.5e308, -1e308}, 3, &stats.NumberSummary{
			Sum: 1.5e308, Mean: 0.5e308, Min: -1e308, Q1: 0, Median: 1e308, Q3: 1.25e308, Max: 1.5e308,
			StdDev: ptr(1.3228756555322954e308), Skew: ptr(-1.4578629673213048)}},
		{"tiny", []float64{1e-300, 2e-300, 3e-300}, 3, &stats.NumberSummary{
			Sum: 6e-300, Mean: 2e-300, Min: 1e-300, Q1: 1.5e-300, Median: 2e-300, Q3: 2.5e-300, Max: 3e-300,
			StdDev: ptr(1e-300), Skew: ptr(0)}},
		{"beyond float64", []float64{math.MaxFloat64, -math.MaxFloat64, math.MaxFloat64, math.MaxFloat64}, 2, &stats.NumberSummary{
			Sum: math.MaxFloat64, Mean: math.MaxFloat64 / 2, Min: -math.MaxFloat64, Q1: math.MaxFloat64 / 2,
			Median: math.MaxFloat64, Q3: math.MaxFloat64, Max: math.MaxFloat64, StdDev: ptr(math.MaxFloat64), Skew: ptr(-2)}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := describe(t, tt.cells)
			if s.Kind != stats.Numbers || s.Distinct != tt.distinct {
				t.Errorf("kind %s, %d distinct, want numbers, %d", s.Kind, s.Distinct, tt.distinct)
			}
			diff(t, "figures", tt.want, s.Numbers)
			if _, err := json.Marshal(s); err != nil {
				t.Error(err)
			}
			if tt.name == "tiny" && math.Abs(*s.Numbers.StdDev/1e-300-1) > 1e-12 { // near holds all tiny numbers for equal
				t.Errorf("standard deviation %g", *s.Numbers.StdDev)
			}
		})
	}
}

func TestDescribeKinds(t *testing.T) {
	for _, tt := range []struct {
		name                  string
		cells                 []any
		kind                  stats.Kind
		count, missing, other int
	}{
		{"no row", []any{}, stats.Empty, 0, 0, 0},
		{"nulls and blanks", []any{nil, "", "  "}, stats.Empty, 0, 3, 0},
		{"numeric strings", []any{"1", "-2.5", " 3e2 ", ".5"}, stats.Numbers, 4, 0, 0},
		{"NaN as text", []any{int64(1), "NaN", "null", "N/A", "-", "+Inf", 2.5}, stats.Numbers, 2, 5, 0},
		{"one stray cell of eleven", []any{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, "unknown"}, stats.Numbers, 10, 0, 1},
		{"half numbers", []any{1, "a", 2, "b"}, stats.Texts, 4, 0, 0},
		{"numbers and booleans", []any{1, true, false}, stats.Texts, 3, 0, 0},
		{"booleans", []any{true, false, nil}, stats.Booleans, 2, 1, 0},
		{"placeholders among texts are texts", []any{"NA", "FR", nil}, stats.Texts, 2, 1, 0},
		{"placeholders alone", []any{"NA", "-"}, stats.Texts, 2, 0, 0},
		{"identifiers are no numbers", []any{"00412", "+4930", "1,000", "0x10", "1_000", "Infinity1"}, stats.Texts, 6, 0, 0},
		{"zero", []any{"0", "0.5", "-0"}, stats.Numbers, 3, 0, 0},
		{"times", []any{"2025-01-08", "2025-01-08T10:00:00Z", nil, "NULL"}, stats.Times, 2, 2, 0},
		{"never", []any{"2025-01-08", "0001-01-01T00:00:00Z", "9999-12-31"}, stats.Times, 1, 2, 0},
		{"ambiguous dates", []any{"01/02/2025", "03.04.2025"}, stats.Texts, 2, 0, 0},
		{"years are numbers", []any{2024, 2025}, stats.Numbers, 2, 0, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := must[[]stats.Summary](t)(stats.Describe(table(t, "c", tt.cells)))[0]
			got := []any{s.Kind, s.Rows, s.Count, s.Missing, s.Other}
			diff(t, "kind, rows, count, missing, other", []any{tt.kind, len(tt.cells), tt.count, tt.missing, tt.other}, got)
			if s.Count+s.Missing+s.Other != s.Rows {
				t.Error("some rows are nowhere")
			}
		})
	}
}

func TestDescribeTexts(t *testing.T) {
	s := describe(t, []string{"b", "a", "c", "a", "b", "d", "e", "f", "g", "h", "i", "j", "k", "l"})
	if s.Distinct != 12 || len(s.Texts.Top) != 10 || s.Texts.Rest != 2 {
		t.Errorf("%d distinct, %d at the top, %d rest", s.Distinct, len(s.Texts.Top), s.Texts.Rest)
	}
	want := []stats.ValueCount{{Value: "a", Count: 2, Share: 2.0 / 14}, {Value: "b", Count: 2, Share: 2.0 / 14}, {Value: "c", Count: 1, Share: 1.0 / 14}}
	diff(t, "top", want, s.Texts.Top[:3])
}

func TestDescribeTimes(t *testing.T) {
	s := describe(t, []string{"2025-01-14 12:00:00", "1700-01-08", "2025-01-14T13:00:00+01:00"})
	want := &stats.TimeSummary{
		First: time.Date(1700, 1, 8, 0, 0, 0, 0, time.UTC), Last: time.Date(2025, 1, 14, 12, 0, 0, 0, time.UTC), Days: 118710.5,
	}
	diff(t, "span", want, s.Times)
	if s.Distinct != 2 {
		t.Errorf("%d distinct times, want 2: the same moment in two zones is one", s.Distinct)
	}
}

func TestColumnErrors(t *testing.T) {
	tab := table(t, "delay", []float64{1}, "port", []string{"Miami"})
	_, err := stats.Describe(tab, "delays")
	var missing *refusal.Error
	if !errors.As(err, &missing) || !errors.Is(err, stats.ErrUnknownField) || missing.Problems[0].Name != "delays" ||
		!slices.Contains(missing.Problems[0].Candidates, "delay") {
		t.Errorf("a column that is not there: %v", err)
	}
	var wrong *refusal.Error
	if _, err := stats.FindOutliers(tab, "port"); !errors.Is(err, stats.ErrFieldType) || !errors.As(err, &wrong) || wrong.Problems[0].Name != "port" {
		t.Errorf("outliers of texts: %v", err)
	}
	twice := &qed.Table{Columns: []qed.Column{{Name: "id"}, {Name: "id"}}}
	if _, err := stats.Describe(twice, "id"); !errors.Is(err, stats.ErrAmbiguousColumn) {
		t.Error("a name that two columns have is accepted")
	}
	if all := must[[]stats.Summary](t)(stats.Describe(twice)); len(all) != 2 {
		t.Errorf("%d summaries of two columns of one name", len(all))
	}
	for _, bad := range []*qed.Table{
		{Columns: []qed.Column{{Name: "c"}}, Rows: [][]any{{}}},
		{Columns: []qed.Column{{Name: "c"}}, Rows: [][]any{{[]int{1}}}},
	} {
		if _, err := stats.Describe(bad); err == nil {
			t.Errorf("%v is accepted", bad.Rows)
		}
	}
	for _, names := range [][]string{nil, {"c"}} {
		if _, err := stats.Describe(nil, names...); err == nil {
			t.Errorf("no table is accepted, of columns %q", names)
		}
	}
}

// Adding a constant moves the location and keeps the spread; a factor scales both.
// Powers of two do not round, so the figures must be equal to the last bit.
func TestDescribeInvariance(t *testing.T) {
	base := mapped(noise(1, 500), func(_ int, v float64) float64 { return math.Round(v * 1024) })
	a := describe(t, base).Numbers
	b := describe(t, mapped(base, func(_ int, v float64) float64 { return v * 0x1p900 })).Numbers
	if !sameBits(*a.StdDev*0x1p900, *b.StdDev) || !sameBits(*a.Skew, *b.Skew) || !sameBits(a.Q1*0x1p900, b.Q1) {
		t.Errorf("scaled by 2^900: %v and %v", a, b)
	}
	c := describe(t, mapped(base, func(_ int, v float64) float64 { return v + 4096 })).Numbers
	diff(t, "moved by 4096", []float64{a.Mean + 4096, a.Median + 4096, *a.StdDev, *a.Skew}, []float64{c.Mean, c.Median, *c.StdDev, *c.Skew})
	shuffled := slices.Clone(base)
	slices.Reverse(shuffled)
	if d := cmp.Diff(a, describe(t, shuffled).Numbers); d != "" {
		t.Errorf("the order of the rows matters:\n%s", d)
	}
}
