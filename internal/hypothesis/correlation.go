package hypothesis

import (
	"math"

	"gonum.org/v1/gonum/stat"

	"github.com/qedkit/qed/internal/numeric"
)

// A CorrelationTest is the result of [Pearson] and [Spearman].
type CorrelationTest struct {
	R float64 `json:"r"` // -1 to 1
	P float64 `json:"p"` // of an R at least as far from 0 by chance, two-sided
}

// Pearson correlates the values of two samples of the same length, at least three. It
// measures how close the pairs are to a straight line.
func Pearson(x, y []float64) (*CorrelationTest, error) {
	if len(x) != len(y) {
		return nil, fail(ErrInvalid, "%d and %d values are not pairs", len(x), len(y))
	}
	if err := check(3, x, y); err != nil {
		return nil, err
	}
	if numeric.IsConstant(x) || numeric.IsConstant(y) {
		return nil, fail(ErrConstant, "a constant correlates with nothing")
	}
	x, _ = numeric.Scaled(x)
	y, _ = numeric.Scaled(y)
	r := max(-1, min(1, stat.Correlation(x, y, nil)))
	if math.IsNaN(r) {
		return nil, fail(ErrConstant, "the differences are too small to be squared")
	}
	if math.Abs(r) == 1 {
		return &CorrelationTest{R: r}, nil
	}
	df := float64(len(x) - 2)
	return &CorrelationTest{R: r, P: studentP(r*math.Sqrt(df/((1-r)*(1+r))), df)}, nil
}

// Spearman correlates the ranks of two samples of the same length, at least
// three: any rising or falling curve counts, and outliers do not. P is by
// Student's distribution, which is close from ten pairs on.
func Spearman(x, y []float64) (*CorrelationTest, error) {
	if err := check(0, x, y); err != nil {
		return nil, err
	}
	rx, _ := numeric.Ranks(x)
	ry, _ := numeric.Ranks(y)
	return Pearson(rx, ry)
}
