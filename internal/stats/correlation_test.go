package stats_test

import (
	"math"
	"testing"

	"github.com/qedkit/qed/internal/stats"
)

// TestCorrelateAnscombe has the four data sets of Anscombe, Graphs in Statistical
// Analysis (1973), which have the same Pearson coefficient and different Spearman
// coefficients. The p-values are SciPy's.
func TestCorrelateAnscombe(t *testing.T) {
	x := numbers("10 8 13 9 11 14 6 4 12 7 5")
	for i, tt := range []struct {
		x, y    []float64
		want    []float64 // Pearson, its p, Spearman, its p
		related bool
	}{
		{x, numbers("8.04 6.95 7.58 8.81 8.33 9.96 7.24 4.26 10.84 4.82 5.68"),
			[]float64{0.8164205163448395, 0.0021696288730788152, 0.8181818181818182, 0.0020831448404786917}, true},
		{x, numbers("9.14 8.14 8.74 8.77 9.26 8.10 6.13 3.10 9.13 7.26 4.74"),
			[]float64{0.8162365060002424, 0.002178816236910809, 0.690909090909091, 0.01856503338159501}, false},
		{x, numbers("7.46 6.77 12.74 7.11 7.81 8.84 6.08 5.39 8.15 6.42 5.73"),
			[]float64{0.8162867394895981, 0.0021763052792280312, 0.990909090909091, 3.762571807085397e-09}, true},
		{numbers("8 8 8 8 8 8 8 19 8 8 8"), numbers("6.58 5.76 7.71 8.84 8.47 7.04 5.25 12.50 5.56 7.91 6.89"),
			[]float64{0.8165214368885028, 0.002164602347197224, 0.5, 0.11730680301423817}, false},
	} {
		c := must[*stats.Correlation](t)(stats.Correlate(table(t, "x", tt.x, "y", tt.y), "x", "y"))
		diff(t, "coefficients", tt.want, []float64{c.Pearson, c.PearsonP, c.Spearman, c.SpearmanP})
		if c.N != 11 || c.Related != tt.related {
			t.Errorf("set %d: n %d, related %v", i+1, c.N, c.Related)
		}
	}
}

func TestCorrelateCases(t *testing.T) {
	count := []any{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, nil, 12}
	for _, tt := range []struct {
		name    string
		y       []any
		n       int
		unclear bool
		want    float64 // Spearman
	}{
		{"itself", count, 11, false, 1},
		{"turned", []any{-1, -2, -3, -4, -5, -6, -7, -8, -9, "-10", 4, -12}, 11, false, -1},
		{"constant", []any{3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 4}, 11, false, 0.5}, // but for one
		{"all the same", []any{3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 4, 3}, 11, true, 0},
		{"too few", []any{1, 2, 3, 4, 5, 6, 7, 8, 9, nil, 11, nil}, 9, true, 0},
		{"none", []any{nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, 1, nil}, 0, true, 0},
	} {
		c := must[*stats.Correlation](t)(stats.Correlate(table(t, "x", count, "y", tt.y), "x", "y"))
		if c.N != tt.n || (c.Unclear != "") != tt.unclear || math.Abs(c.Spearman-tt.want) > 1e-9 {
			t.Errorf("%s: %+v", tt.name, c)
		}
		if tt.unclear && (c.Related || c.PearsonP != 1 || c.SpearmanP != 1) {
			t.Errorf("%s: claims %+v", tt.name, c)
		}
	}
}

func TestCorrelateInvariance(t *testing.T) {
	x, y := noise(11, 100), noise(12, 100)
	y = mapped(y, func(i int, v float64) float64 { return v + x[i] })
	of := func(f func(int, float64) float64) *stats.Correlation {
		return must[*stats.Correlation](t)(stats.Correlate(table(t, "x", mapped(x, f), "y", y), "x", "y"))
	}
	a := of(func(_ int, v float64) float64 { return v })
	for name, f := range map[string]func(int, float64) float64{
		"moved": func(_ int, v float64) float64 { return v + 50 }, "huge": func(_ int, v float64) float64 { return v * 1e307 },
		"tiny": func(_ int, v float64) float64 { return v * 1e-280 },
	} {
		b := of(f)
		diff(t, name, []float64{a.Pearson, a.Spearman, a.SpearmanP}, []float64{b.Pearson, b.Spearman, b.SpearmanP})
	}
	if b := must[*stats.Correlation](t)(stats.Correlate(table(t, "x", x, "y", y), "y", "x")); math.Abs(a.Pearson-b.Pearson) > 1e-12 || !sameBits(a.Spearman, b.Spearman) {
		t.Errorf("the other way round: %v and %v", a, b)
	}
}
