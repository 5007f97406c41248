package stats

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"github.com/qedkit/qed"

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

// An Outlier is a value that [FindOutliers] found.
type Outlier struct {
	Row          int     `json:"row"` // index in the table's Rows
	Value        float64 `json:"value"`
	Score        float64 `json:"score"`         // modified z-score
	BeyondFences bool    `json:"beyond_fences"` // it is outside of the fences
}

// FindOutliers returns the outliers of a column of numbers. The errors.Is targets
// are ErrUnknownField, ErrAmbiguousColumn and ErrFieldType.
func FindOutliers(t *qed.Table, name string) (*Outliers, error) {
	c, err := numbered(t, name)
	if err != nil {
		return nil, err
	}
	return c.outliers(), nil
}

func (c *variable) outliers() *Outliers {
	o := &Outliers{Column: c.Name, N: len(c.Numbers), Found: []Outlier{}}
	same := numeric.MergeRounded(c.Numbers)
	switch {
	case o.N < numeric.MinOutlierValues:
		o.Unclear = tooFew(o.N, "value", numeric.MinOutlierValues)
		return o
	case numeric.IsConstant(same):
		o.Unclear = c.allEqual(fmt.Sprintf("all %d values", o.N))
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
			o.Found = append(o.Found, Outlier{Row: c.At[i], Value: c.Numbers[i], Score: score, BeyondFences: beyond})
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
