package stats_test

import (
	"encoding/json"
	"math"
	"slices"
	"testing"

	"github.com/qedkit/qed/internal/stats"
)

func TestOutliersKnown(t *testing.T) {
	// Computed by hand. The ordinary z-scores of the two large values are 1.87 and
	// 1.91, because the values hide each other.
	values := numbers("2.1 2.6 2.4 2.5 2.3 2.1 2.3 2.6 8.2 8.3")
	o := must[*stats.Outliers](t)(stats.FindOutliers(table(t, "v", values), "v"))
	diff(t, "outliers", &stats.Outliers{
		Column: "v", N: 10, Median: 2.45, MAD: 0.15, Q1: 2.3, Q3: 2.6, LowFence: 1.85, HighFence: 3.05, BeyondFences: 2, BeyondScore: 2, BeyondBoth: 2,
		Found: []stats.Outlier{
			{Row: 9, Value: 8.3, Score: 0.6745 * 5.85 / 0.15, BeyondFences: true},
			{Row: 8, Value: 8.2, Score: 0.6745 * 5.75 / 0.15, BeyondFences: true},
		},
	}, o)
}

func TestOutliersCases(t *testing.T) {
	for _, tt := range []struct {
		name    string
		cells   []any
		rows    []int
		unclear bool
	}{
		{"too few", []any{1, 1, 1, 1, 1, 1, 100}, nil, true},
		{"none", []any{1, 2, 3, 4, 5, 6, 7, 8}, nil, false},
		{"constant", []any{5, 5, 5, 5, 5, 5, 5, 5, 5}, nil, true},
		{"most are equal", []any{5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 90}, []int{10}, false},
		{"rows of missing cells count", []any{nil, "NaN", 1, 2, 3, 4, 5, 6, 7, 8, "-1000"}, []int{10}, false},
		{"equal ones by row", []any{50, 1, 2, 3, 4, 5, 6, 7, 8, 50}, []int{0, 9}, false},
		{"nothing", []any{nil, nil}, nil, true},
	} {
		o := must[*stats.Outliers](t)(stats.FindOutliers(table(t, "v", tt.cells), "v"))
		var rows []int
		for _, found := range o.Found {
			rows = append(rows, found.Row)
		}
		if !slices.Equal(rows, tt.rows) || (o.Unclear != "") != tt.unclear {
			t.Errorf("%s: rows %v, unclear %q; want %v, %v", tt.name, rows, o.Unclear, tt.rows, tt.unclear)
		}
	}
}

func TestOutliersInvariance(t *testing.T) {
	base := append(mapped(noise(9, 200), func(_ int, v float64) float64 { return math.Round(v * 1024) }), 9000, -7000)
	find := func(f func(int, float64) float64) *stats.Outliers {
		return must[*stats.Outliers](t)(stats.FindOutliers(table(t, "v", mapped(base, f)), "v"))
	}
	a := find(func(_ int, v float64) float64 { return v })
	for name, b := range map[string]*stats.Outliers{
		"scaled": find(func(_ int, v float64) float64 { return v * 0x1p990 }),
		"tiny":   find(func(_ int, v float64) float64 { return v * 0x1p-990 }),
		"moved":  find(func(_ int, v float64) float64 { return v + 1<<20 }),
	} {
		if len(a.Found) == 0 || len(a.Found) != len(b.Found) {
			t.Fatalf("%s: %d and %d", name, len(a.Found), len(b.Found))
		}
		for i := range a.Found {
			if a.Found[i].Row != b.Found[i].Row || !sameBits(a.Found[i].Score, b.Found[i].Score) {
				t.Errorf("%s: %+v and %+v", name, a.Found[i], b.Found[i])
			}
		}
	}
}

func TestOutliersBeyondFloat64(t *testing.T) {
	values := []float64{-math.MaxFloat64, -math.MaxFloat64, -math.MaxFloat64, 0, 1, math.MaxFloat64, math.MaxFloat64, math.MaxFloat64}
	o := must[*stats.Outliers](t)(stats.FindOutliers(table(t, "v", values), "v"))
	if _, err := json.Marshal(o); err != nil || o.HighFence != math.MaxFloat64 || o.LowFence != -math.MaxFloat64 {
		t.Errorf("%+v, %v", o, err)
	}
	mixed := []float64{1, 2, 3, 4, 5, 6, 7, math.MaxFloat64}
	if o := must[*stats.Outliers](t)(stats.FindOutliers(table(t, "v", mixed), "v")); len(o.Found) != 1 || o.Found[0].Row != 7 {
		t.Errorf("1 to 7 and the largest number: %+v", o)
	}
}
