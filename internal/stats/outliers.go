package stats

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"github.com/qedkit/qed/internal/numeric"
)

// Outliers are the values of a column that are far from the rest, by one of two
// robust rules:
//
//   - the fences of Tukey (Exploratory Data Analysis, 1977), which are 1.5
//     interquartile ranges outside of the quartiles;
//   - a modified z-score above 3.5 (Iglewicz and Hoaglin, How to Detect and Handle
//     Outliers, 1993): 0.6745 times the distance from the median in median
//     absolute deviations. If more than half of the values are equal, that
//     deviation is 0 and the mean absolute deviation times 1.253314 replaces it.
//
// In a skewed column, such as amounts, both rules find the long tail, which is
// not an error in the data.
type Outliers struct {
	Column string  `json:"column"`
	N      int     `json:"n"`
	Median float64 `json:"median"`
	MAD    float64 `json:"mad"` // median absolute deviation from the median
	Q1     float64 `json:"q1"`
	Q3     float64 `json:"q3"`

	LowFence  float64 `json:"low_fence"`
	HighFence float64 `json:"high_fence"`

	BeyondFences int `json:"beyond_fences"` // values outside of the fences
	BeyondScore  int `json:"beyond_score"`  // values with a score above 3.5
	BeyondBoth   int `json:"beyond_both"`

	// Found has the values that one of the rules finds, the farthest first.
	Found []Outlier `json:"found"`

	Unclear string `json:"unclear,omitempty"` // why nothing is claimed
}

// An Outlier is a value that one of the rules finds.
type Outlier struct {
	Row          int     `json:"row"` // index in the table's Rows
	Value        float64 `json:"value"`
	Score        float64 `json:"score"`         // modified z-score
	BeyondFences bool    `json:"beyond_fences"` // it is outside of the fences
}

func (c *variable) outliers() *Outliers {
	o := Outlying(c.Numbers)
	o.Column = c.Name
	for i, found := range o.Found {
		o.Found[i].Row = c.At[found.Row]
	}
	switch {
	case o.N < numeric.MinOutlierValues:
		o.Unclear = tooFew(o.N, "value", numeric.MinOutlierValues)
	case numeric.IsConstant(numeric.MergeRounded(c.Numbers)):
		o.Unclear = c.allEqual(fmt.Sprintf("all %d values", o.N))
	}
	return o
}

// Outlying returns the outliers of values, whose rows are their indexes. Of values that are
// too few or equal none is one.
func Outlying(values []float64) *Outliers {
	o := &Outliers{N: len(values), Found: []Outlier{}}
	same := numeric.MergeRounded(values)
	if o.N < numeric.MinOutlierValues || numeric.IsConstant(same) {
		return o
	}
	x, exp := numeric.Scaled(same)
	sorted := slices.Sorted(slices.Values(x))
	q1, mid, q3 := numeric.Quantile(0.25, sorted), numeric.Quantile(0.5, sorted), numeric.Quantile(0.75, sorted)
	low, high := numeric.Fences(q1, q3)
	away := make([]float64, len(x))
	for i, v := range x {
		away[i] = math.Abs(v - mid)
	}
	mean := stat.Mean(away, nil)
	mad := numeric.Median(away)
	unit := numeric.ScoreUnit(mad, mean)
	for i, v := range x {
		score := numeric.Finite((v - mid) / unit)
		beyond, far := q3 > q1 && (v < low || v > high), math.Abs(score) > numeric.MaxScore
		if beyond {
			o.BeyondFences++
		}
		if far {
			o.BeyondScore++
		}
		if beyond && far {
			o.BeyondBoth++
		}
		if beyond || far {
			o.Found = append(o.Found, Outlier{Row: i, Value: values[i], Score: score, BeyondFences: beyond})
		}
	}
	slices.SortStableFunc(o.Found, func(a, b Outlier) int {
		return cmp.Compare(math.Abs(b.Score), math.Abs(a.Score))
	})
	o.Median, o.MAD, o.Q1, o.Q3 = numeric.Unscale(mid, exp), numeric.Unscale(mad, exp), numeric.Unscale(q1, exp), numeric.Unscale(q3, exp)
	o.LowFence, o.HighFence = numeric.Unscale(low, exp), numeric.Unscale(high, exp)
	return o
}

// tooFew is the reason that there are not enough of what.
func tooFew(n int, what string, needed int) string {
	return fmt.Sprintf("%s, and at least %d are needed", countOf(n, what), needed)
}

// countOf is a number with what it counts, such as "3 rows".
func countOf(n int, what string) string {
	switch n {
	case 0:
		return "no " + what
	case 1:
		return "1 " + what
	}
	return fmt.Sprintf("%s %ss", grouped(n), what)
}
