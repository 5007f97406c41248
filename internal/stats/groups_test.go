package stats_test

import (
	"math"
	"testing"

	"github.com/qedkit/qed/internal/stats"
)

// plants are the weights of plants under a control and two treatments: Dobson, An
// Introduction to Statistical Modelling (1983), R's PlantGrowth.
var (
	plants = numbers(`4.17 5.58 5.18 6.11 4.50 4.61 5.17 4.53 5.33 5.14 4.81 4.17 4.41 3.59 5.87
		3.83 6.03 4.89 4.32 4.69 6.31 5.12 5.54 5.50 5.37 5.29 4.92 6.15 5.80 5.26`)
	treatments = func() []string {
		var out []string
		for _, name := range []string{"ctrl", "trt1", "trt2"} {
			for range 10 {
				out = append(out, name)
			}
		}
		return out
	}()
)

// R: kruskal.test(weight ~ group, data = PlantGrowth) gives 7.9882, 2, 0.01842.
func TestCompareGroupsKnown(t *testing.T) {
	c := must[*stats.Comparison](t)(stats.CompareGroups(table(t, "w", plants, "g", treatments), "w", "g"))
	if !c.Differ || c.DF != 2 || c.N != 30 || c.Tested != 3 {
		t.Errorf("%+v", c)
	}
	diff(t, "H, P, effect", []float64{7.988228749443715, 0.018423755731471966, 0.22178624997939686}, []float64{c.H, c.P, c.Effect})
	diff(t, "the first group", stats.Group{Name: "trt2", N: 10, Sum: 55.26, Mean: 5.526, Median: 5.435, Min: 4.92, Max: 6.31,
		StdDev: ptr(0.44257328331227747)}, c.Groups[0])
	if c.Groups[1].Name != "ctrl" || c.Groups[2].Name != "trt1" {
		t.Errorf("groups %v", c.Groups)
	}
}

func TestCompareGroupsCases(t *testing.T) {
	repeat := func(values ...any) []any {
		var out []any
		for i := range 12 {
			out = append(out, values[i%len(values)])
		}
		return out
	}
	count := []any{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}
	for _, tt := range []struct {
		name           string
		value, by      []any
		groups, tested int
		unclear        bool
	}{
		{"two groups", count, repeat("a", "b"), 2, 2, false},
		{"small groups", count, count, 12, 0, true},
		{"one group", count, repeat("a"), 1, 1, true},
		{"one small group next to two", count, []any{"a", "a", "a", "a", "a", "b", "b", "b", "b", "b", "c", "c"}, 3, 2, false},
		{"equal values", repeat(7), repeat("a", "b"), 2, 2, true},
		{"no value", repeat(nil), repeat("a", "b"), 0, 0, true},
		{"no group", count, repeat(nil, ""), 0, 0, true},
		{"a number in three forms is one group", count, repeat(1, 1.0, "1", true), 2, 1, true},
		{"booleans", count, repeat(true, false), 2, 2, false},
	} {
		c := must[*stats.Comparison](t)(stats.CompareGroups(table(t, "v", tt.value, "g", tt.by), "v", "g"))
		diff(t, tt.name, []any{tt.groups, tt.tested, tt.unclear}, []any{len(c.Groups), c.Tested, c.Unclear != ""})
		if tt.unclear && (c.Differ || c.P != 1) {
			t.Errorf("%s: %+v", tt.name, c)
		}
		if c.N+c.Missing != 12 {
			t.Errorf("%s: %d rows and %d missing of 12", tt.name, c.N, c.Missing)
		}
	}
}

// Ranks do not depend on units: any increasing function of the values gives the
// same test.
func TestCompareGroupsInvariance(t *testing.T) {
	of := func(f func(int, float64) float64) *stats.Comparison {
		return must[*stats.Comparison](t)(stats.CompareGroups(table(t, "w", mapped(plants, f), "g", treatments), "w", "g"))
	}
	a := of(func(_ int, v float64) float64 { return v })
	for name, f := range map[string]func(int, float64) float64{
		"moved": func(_ int, v float64) float64 { return v + 100 }, "scaled": func(_ int, v float64) float64 { return v * 1e300 },
		"curved": func(_ int, v float64) float64 { return math.Exp(v) },
	} {
		if b := of(f); !sameBits(a.H, b.H) || !sameBits(a.P, b.P) || b.Groups[0].Name != "trt2" {
			t.Errorf("%s: H %v and %v", name, a.H, b.H)
		}
	}
}
