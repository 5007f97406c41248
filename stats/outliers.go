package stats

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"github.com/qedkit/qed"
)

// Outliers are the values of a column that lie far from the rest, by two robust rules: the
// fences of Tukey (Exploratory Data Analysis, 1977), 1.5 interquartile ranges outside of the
// quartiles, and the modified z-score of Iglewicz and Hoaglin (How to Detect and Handle
// Outliers, 1993), 0.6745 times the distance from the median in median absolute deviations,
// beyond 3.5. Where more than half of the values are equal, that deviation is 0, and the
// mean absolute deviation stands in, 1.253314 of which are one unit of the score.
//
// Of skewed values, such as amounts, either rule finds the long tail. That is no error in
// the data.
type Outliers struct {
	Column string  `json:"column"`
	N      int     `json:"n"`
	Median float64 `json:"median"`
	MAD    float64 `json:"mad"` // the median absolute deviation from the median
	Q1     float64 `json:"q1"`
	Q3     float64 `json:"q3"`
	Low    float64 `json:"low_fence"`
	High   float64 `json:"high_fence"`

	Beyond int `json:"beyond_fences"` // how many lie outside of the fences
	Scored int `json:"beyond_score"`  // how many have a score beyond 3.5
	Both   int `json:"beyond_both"`

	// Found are those of either rule, the farthest first.
	Found []Outlier `json:"found"`

	Unclear string `json:"unclear,omitempty"` // why nothing can be said
}

// An Outlier is one of the values that [FindOutliers] found.
type Outlier struct {
	Row    int     `json:"row"` // its index in the table's Rows
	Value  float64 `json:"value"`
	Score  float64 `json:"score"`         // the modified z-score
	Beyond bool    `json:"beyond_fences"` // it lies outside of the fences
}

const (
	minOutlierValues = 8 // a quartile rests on two values at least
	fenceRanges      = 1.5
	maxScore         = 3.5
)

// FindOutliers returns the outliers of a column of numbers. A column that t does not have or
// that has no numbers is a [*ColumnError].
func FindOutliers(t *qed.Table, name string) (*Outliers, error) {
	c, err := numeric(t, name)
	if err != nil {
		return nil, err
	}
	return c.outliers(), nil
}

func (c *column) outliers() *Outliers {
	o := &Outliers{Column: c.name, N: len(c.numbers), Found: []Outlier{}}
	same := alike(c.numbers)
	switch {
	case o.N < minOutlierValues:
		o.Unclear = tooFew(o.N, "value", minOutlierValues)
		return o
	case isConstant(same):
		o.Unclear = c.same(fmt.Sprintf("all %d values", o.N))
		return o
	}
	x, exp := scaled(same)
	sorted := slices.Sorted(slices.Values(x))
	q1, mid, q3 := quantile(0.25, sorted), quantile(0.5, sorted), quantile(0.75, sorted)
	low, high := q1-fenceRanges*(q3-q1), q3+fenceRanges*(q3-q1)
	away := make([]float64, len(x))
	for i, v := range x {
		away[i] = math.Abs(v - mid)
	}
	mean := stat.Mean(away, nil)
	mad := median(away)
	unit := mad / 0.6745
	if mad == 0 {
		unit = 1.253314 * mean
	}
	for i, v := range x {
		score := finite((v - mid) / unit)
		beyond, far := q3 > q1 && (v < low || v > high), math.Abs(score) > maxScore
		if beyond {
			o.Beyond++
		}
		if far {
			o.Scored++
		}
		if beyond && far {
			o.Both++
		}
		if beyond || far {
			o.Found = append(o.Found, Outlier{c.at[i], c.numbers[i], score, beyond})
		}
	}
	slices.SortStableFunc(o.Found, func(a, b Outlier) int {
		return cmp.Compare(math.Abs(b.Score), math.Abs(a.Score))
	})
	o.Median, o.MAD, o.Q1, o.Q3 = unscale(mid, exp), unscale(mad, exp), unscale(q1, exp), unscale(q3, exp)
	o.Low, o.High = unscale(low, exp), unscale(high, exp)
	return o
}

// tooFew says that there are not enough of something.
func tooFew(n int, what string, needed int) string {
	return fmt.Sprintf("%s, and at least %d are needed", countOf(n, what), needed)
}

// countOf is a number and what there is so many of.
func countOf(n int, what string) string {
	switch n {
	case 0:
		return "no " + what
	case 1:
		return "1 " + what
	}
	return fmt.Sprintf("%s %ss", grouped(n), what)
}
