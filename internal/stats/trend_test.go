package stats_test

import (
	"encoding/json"
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/qedkit/qed/internal/stats"
)

func trendOf(t *testing.T, step string, values []float64) *stats.Trend {
	t.Helper()
	var at []string
	switch step {
	case "day":
		at = dates("2025-01-06", len(values), 0, 0, 1)
	case "month":
		at = dates("1949-01-01", len(values), 0, 1, 0)
	case "year":
		at = dates("1871-01-01", len(values), 1, 0, 0)
	}
	return must[*stats.Series](t)(stats.NewSeries(table(t, "at", at, "v", values), "at", "v", nil)).Trend()
}

// The figures are those of SciPy 1.17 (theilslopes, and kendalltau for exact
// p-values) and pymannkendall 1.4 (original_test, and hamed_rao_modification_test
// with a quarter of the lags).
func TestTrendKnown(t *testing.T) {
	for _, tt := range []struct {
		name, step string
		values     []float64
		want       stats.Trend
	}{
		{"Nile", "year", nile, stats.Trend{
			Direction: stats.Falling, Period: stats.Year, N: 100, Slope: -2.6, SlopeLow: -4.322033898305085, SlopeHigh: -0.7142857142857143,
			Tau: -1387.0 / 4950, P: 0.009068166970294111, Correction: 2.5025778323535874}},
		{"airline", "month", airline, stats.Trend{
			Direction: stats.Rising, Period: stats.Month, N: 144, Slope: 2.451216287678477, SlopeLow: 2.243478260869565, SlopeHigh: 2.7051282051282053,
			Tau: 8327.0 / 10296, P: 0, Correction: 1.973129779473327}},
		{"six that rise", "day", numbers("1 2 3 4 5 6"), stats.Trend{
			Direction: stats.Rising, Period: stats.Day, N: 6, Slope: 1, SlopeLow: 1, SlopeHigh: 1, Tau: 1, P: 2.0 / 720, Correction: 1}},
		{"seven in disorder", "day", numbers("3 1 4 2 6 5 7"), stats.Trend{
			Direction: stats.Flat, Period: stats.Day, N: 7, Tau: 13.0 / 21, P: 0.06904761904761905, Correction: 1}},
		{"ten that fall", "day", numbers("10 9 8 7 6 5 4 3 2 1"), stats.Trend{
			Direction: stats.Falling, Period: stats.Day, N: 10, Slope: -1, SlopeLow: -1, SlopeHigh: -1, Tau: -1, P: 5.511463844797178e-07, Correction: 1}},
		{"ten in disorder", "day", numbers("5 1 9 2 6 8 4 10 3 7"), stats.Trend{
			Direction: stats.Flat, Period: stats.Day, N: 10, Tau: 0.2, P: 0.4843127204585538, Correction: 1}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := trendOf(t, tt.step, tt.values)
			ignored := []string{"Start", "End"}
			if tt.want.Direction == stats.Flat {
				ignored = append(ignored, "Slope", "SlopeLow", "SlopeHigh")
			}
			diff(t, "trend", &tt.want, got, cmpopts.IgnoreFields(stats.Trend{}, ignored...))
		})
	}
}

func TestTrendUnclear(t *testing.T) {
	for name, values := range map[string][]float64{"none": {}, "one": {1}, "five that rise": {1, 2, 3, 4, 5}} {
		got := trendOf(t, "day", values)
		if got.Direction != stats.Unknown || got.Unclear == "" || got.P != 1 || got.N != len(values) {
			t.Errorf("%s: %+v", name, got)
		}
	}
	if got := trendOf(t, "day", make([]float64, 30)); got.Direction != stats.Flat || got.Slope != 0 {
		t.Errorf("a constant: %+v", got)
	}
}

func TestTrendInvariance(t *testing.T) {
	base := mapped(noise(2, 60), func(i int, v float64) float64 { return math.Round(1024*v) + 30*float64(i) })
	a := trendOf(t, "day", base)
	moved := trendOf(t, "day", mapped(base, func(_ int, v float64) float64 { return v + 1<<20 }))
	scaled := trendOf(t, "day", mapped(base, func(_ int, v float64) float64 { return v * 0x1p-900 }))
	turned := trendOf(t, "day", mapped(base, func(_ int, v float64) float64 { return -v }))
	if !sameBits(a.P, moved.P) || !sameBits(a.P, scaled.P) || math.Abs(a.P-turned.P) > 1e-12 {
		t.Errorf("p-values %g, moved %g, scaled %g, turned %g", a.P, moved.P, scaled.P, turned.P)
	}
	diff(t, "slopes", []float64{a.Slope, a.Slope, -a.Slope}, []float64{moved.Slope, scaled.Slope * 0x1p900, turned.Slope})
	diff(t, "ends", []float64{a.Start + 1<<20, a.End + 1<<20}, []float64{moved.Start, moved.End})
}

// A single extreme value must neither create nor hide a trend, as it does with
// least squares.
func TestTrendWildValue(t *testing.T) {
	rising := mapped(noise(3, 40), func(i int, v float64) float64 { return float64(i) + v })
	rising[39] = -1e6
	if got := trendOf(t, "day", rising); got.Direction != stats.Rising || math.Abs(got.Slope-1) > 0.1 {
		t.Errorf("a trend of 1 a day with a wild value: %s, %g", got.Direction, got.Slope)
	}
	flat := noise(4, 40)
	flat[39] = 1e6
	if got := trendOf(t, "day", flat); got.Direction != stats.Flat {
		t.Errorf("noise with a wild value: %s", got.Direction)
	}
}

// Noise must rarely be reported as a trend: in 5 % of the cases if values are
// independent, and not much more often if they are autocorrelated.
func TestTrendFalseAlarms(t *testing.T) {
	for _, tt := range []struct {
		name  string
		phi   float64 // how much of a value stays in the next one
		limit int     // of 200
	}{{"independent", 0, 20}, {"alike", 0.5, 30}} {
		alarms := 0
		for seed := range uint64(200) {
			y := noise(seed+1000, 80)
			for i := 1; i < len(y); i++ {
				y[i] += tt.phi * y[i-1]
			}
			if trendOf(t, "day", y).Direction != stats.Flat {
				alarms++
			}
		}
		if t.Logf("%s: %d of 200", tt.name, alarms); alarms > tt.limit {
			t.Errorf("%s values: a trend in %d of 200, want at most %d", tt.name, alarms, tt.limit)
		}
	}
}

func TestTrendExtremes(t *testing.T) {
	y := mapped(noise(5, 20), func(i int, v float64) float64 { return math.MaxFloat64 * math.Pow(-1, float64(i)) })
	got := trendOf(t, "day", y)
	if _, err := json.Marshal(got); err != nil || got.Direction != stats.Flat {
		t.Errorf("%+v, %v", got, err)
	}
	slices.Sort(y)
	if _, err := json.Marshal(trendOf(t, "day", y)); err != nil {
		t.Error(err)
	}
}
