package stats_test

import (
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/qedkit/qed/internal/stats"
)

// tenths is 0.3, computed in two ways: 0.1 + 0.2 is the next larger float64.
func tenths(other bool) float64 {
	a, b := 0.1, 0.2
	if other {
		return a + b
	}
	return 0.3
}

// TestRounding checks that rounding errors are not reported as findings. The
// expected statistics are those of SciPy for the values rounded to nine digits.
func TestRounding(t *testing.T) {
	if tenths(true) == tenths(false) {
		t.Fatal("0.1 + 0.2 is 0.3")
	}
	var same, steps, one, ports, days []any
	for i := range 40 {
		other := i < 20
		same = append(same, tenths(other))
		ports = append(ports, []string{"B", "A"}[btoi(other)])
		step := float64(i % 5)
		if !other && i%20%4 == 0 {
			step++
		}
		steps = append(steps, tenths(other)+0.01*step)
	}
	for i := range 51 {
		one = append(one, tenths(i >= 30))
	}
	one[50] = 0.9
	for _, d := range dates("2025-01-06", 40, 0, 0, 1) {
		days = append(days, d)
	}
	t.Run("groups", func(t *testing.T) {
		c := must[*stats.Comparison](t)(stats.CompareGroups(table(t, "v", same, "port", ports), "v", "port"))
		if c.Differ || c.Unclear == "" || c.Groups[0].Median != tenths(true) {
			t.Errorf("equal values: %+v", c)
		}
		c = must[*stats.Comparison](t)(stats.CompareGroups(table(t, "v", steps, "port", ports), "v", "port"))
		diff(t, "values in steps", []float64{0.2461238800155946, 0.6198176945163114}, []float64{c.H, c.P})
		apart := mapped(noise(3, 40), func(i int, _ float64) float64 { return 0.3 + float64(btoi(i < 20))*1e-9 })
		c = must[*stats.Comparison](t)(stats.CompareGroups(table(t, "v", apart, "port", ports), "v", "port"))
		if !c.Differ || c.Effect != 1 {
			t.Errorf("values that do differ, by little: %+v", c)
		}
	})
	t.Run("outliers", func(t *testing.T) {
		o := must[*stats.Outliers](t)(stats.FindOutliers(table(t, "v", same), "v"))
		if len(o.Found) > 0 || o.Unclear == "" {
			t.Errorf("equal values: %+v", o)
		}
		o = must[*stats.Outliers](t)(stats.FindOutliers(table(t, "v", one), "v"))
		if len(o.Found) != 1 || o.Found[0].Row != 50 || o.Found[0].Value != 0.9 {
			t.Fatalf("one that lies far: %+v", o.Found)
		}
		diff(t, "its score", []float64{40.69211705925251, 0}, []float64{o.Found[0].Score, o.MAD})
	})
	t.Run("correlation", func(t *testing.T) {
		rising := mapped(make([]float64, 40), func(i int, _ float64) float64 { return float64(i) })
		c := must[*stats.Correlation](t)(stats.Correlate(table(t, "a", same, "b", rising), "a", "b"))
		if c.Related || c.Unclear == "" {
			t.Errorf("equal values: %+v", c)
		}
		little := mapped(rising, func(_ int, v float64) float64 { return 0.3 + v*1e-9 })
		c = must[*stats.Correlation](t)(stats.Correlate(table(t, "a", little, "b", rising), "a", "b"))
		if !c.Related || c.Spearman != 1 {
			t.Errorf("values that rise by little: %+v", c)
		}
	})
	t.Run("trend", func(t *testing.T) {
		trend := func(values any) *stats.Trend {
			return must[*stats.Series](t)(stats.NewSeries(table(t, "day", days, "v", values), "day", "v", nil)).Trend()
		}
		if got := trend(same); got.Direction != stats.Flat || got.Slope != 0 {
			t.Errorf("equal values: %+v", got)
		}
		falls := make([]any, 40)
		for i := range falls {
			falls[i] = 0.3 - float64(i)*1e-9
		}
		if got := trend(falls); got.Direction != stats.Falling {
			t.Errorf("values that fall by little: %+v", got)
		}
	})
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// TestRoundingKeeps checks that different values stay different, however close
// they are relative to their size or to the largest value.
func TestRoundingKeeps(t *testing.T) {
	var near, whole, ports []any
	for i := range 40 {
		v := 1e12 + 0.1*float64((i*37)%101)
		if i >= 20 {
			v = 1e12 + 0.1*float64(((i-20)*53)%97) + 2
		}
		near, ports = append(near, v), append(ports, []string{"A", "B"}[i/20])
		whole = append(whole, int64(1e15)+int64(i/20))
	}
	c := must[*stats.Comparison](t)(stats.CompareGroups(table(t, "v", near, "port", ports), "v", "port"))
	diff(t, "large values near to each other", []float64{1.793707179727845, 0.18047513174217106}, []float64{c.H, c.P})
	c = must[*stats.Comparison](t)(stats.CompareGroups(table(t, "v", whole, "port", ports), "v", "port"))
	if !c.Differ {
		t.Errorf("whole numbers: %+v", c)
	}
	tiny := mapped(make([]float64, 20), func(i int, _ float64) float64 { return math.Pow(10, -float64(i)) })
	rank := mapped(tiny, func(i int, _ float64) float64 { return -float64(i) })
	if r := must[*stats.Correlation](t)(stats.Correlate(table(t, "a", tiny, "b", rank), "a", "b")); r.Spearman != 1 {
		t.Errorf("values of all sizes: %+v", r)
	}
}

// TestSkewOfLargeValues checks that the distance from 0 does not change the skew.
// The expected skew is computed with exact fractions.
func TestSkewOfLargeValues(t *testing.T) {
	x := []float64{0.25, 0.5, 0.125, 0.75, 3.5, 0.375, 0.625, 1.25, 0.875, 0.5}
	for _, offset := range []float64{0, 1e6, 1e12} {
		s := describe(t, mapped(x, func(_ int, v float64) float64 { return v + offset }))
		diff(t, "skew", 2.5642231612588415, *s.Numbers.Skew)
	}
	if s := describe(t, []float64{tenths(true), tenths(false), tenths(false), tenths(false)}); s.Numbers.Skew != nil {
		t.Errorf("the skew of equal values is %g", *s.Numbers.Skew)
	}
}

// TestLargeWholeNumbers checks that numbers are counted before float64 rounds them.
func TestLargeWholeNumbers(t *testing.T) {
	var ints, texts, again, few []any
	for i := range 50 {
		n := int64(340000000000000000) + int64(i)
		ints, texts, again = append(ints, n), append(texts, strconv.FormatInt(n, 10)), append(again, int64(340000000000000001))
		few = append(few, 340000000000000000+int64(i%30)) // one float64
	}
	for name, tt := range map[string]struct {
		cells    []any
		distinct int
		says     string
	}{
		"numbers":         {ints, 50, ""},
		"texts":           {texts, 50, ""},
		"both":            {append(append([]any{}, ints...), texts...), 50, ""},
		"near ones":       {few, 30, "first 12 digits"},
		"one of them":     {again, 1, "are the same"},
		"with small ones": {append(append([]any{}, ints...), int64(1), 1.0, "1"), 51, ""},
		"beyond writing":  {[]any{1e300, "1e300", 1e300, 1e300, 1e300, 1e300, 1e300, 1e300}, 1, "are the same"},
	} {
		t.Run(name, func(t *testing.T) {
			if s := describe(t, tt.cells); s.Kind != stats.Numbers || s.Distinct != tt.distinct {
				t.Errorf("%s, %d different ones, want %d", s.Kind, s.Distinct, tt.distinct)
			}
			o := must[*stats.Outliers](t)(stats.FindOutliers(table(t, "c", tt.cells), "c"))
			if tt.says != "" && !strings.Contains(o.Unclear, tt.says) || tt.distinct == 1 && strings.Contains(o.Unclear, "digits") {
				t.Errorf("it says %q", o.Unclear)
			}
		})
	}
}
