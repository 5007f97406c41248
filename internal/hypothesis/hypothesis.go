// Package hypothesis has statistical tests on samples and counts.
//
// The results equal those of SciPy and statsmodels to six digits, with their
// defaults unless a function documents another choice. Samples may have any finite
// values, also equal ones. Package stats computes the same statistics for the
// columns of a qed.Table.
//
// No result is NaN or infinite. If a statistic does not exist, such as the
// correlation with a constant, the error matches [ErrTooFew], [ErrConstant] or
// [ErrInvalid].
//
// All functions are deterministic, do not change their arguments and are safe for
// concurrent use.
package hypothesis

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mathext"
	"gonum.org/v1/gonum/stat/distuv"
)

// The errors of this package, as targets of errors.Is.
var (
	ErrTooFew   = errors.New("too few values")
	ErrConstant = errors.New("the values do not differ")
	ErrInvalid  = errors.New("invalid argument")
)

func fail(err error, format string, args ...any) error {
	return fmt.Errorf("hypothesis: %w: %s", err, fmt.Sprintf(format, args...))
}

// check returns an error if a sample has fewer than least values, or one that is
// not finite.
func check(least int, samples ...[]float64) error {
	for i, x := range samples {
		if len(x) < least {
			return fail(ErrTooFew, "sample %d has %d, and at least %d are needed", i+1, len(x), least)
		}
		for j, v := range x {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return fail(ErrInvalid, "value %d of sample %d is %v; leave such values out", j+1, i+1, v)
			}
		}
	}
	return nil
}

// An Interval is a confidence interval.
type Interval struct {
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// WilsonInterval returns the score interval of Wilson (1927) for a share, count of n,
// without correction for continuity. confidence is between 0 and 1, such as 0.95.
func WilsonInterval(count, n int, confidence float64) (Interval, error) {
	switch {
	case n < 1:
		return Interval{}, fail(ErrTooFew, "the share of no rows")
	case count < 0 || count > n:
		return Interval{}, fail(ErrInvalid, "%d of %d rows", count, n)
	case !(confidence > 0 && confidence < 1):
		return Interval{}, fail(ErrInvalid, "the confidence is %v, not between 0 and 1", confidence)
	}
	z := distuv.UnitNormal.Quantile(0.5 + confidence/2)
	size, share := float64(n), float64(count)/float64(n)
	width := 1 + z*z/size
	mid := (share + z*z/(2*size)) / width
	half := z / width * math.Sqrt(share*(1-share)/size+z*z/(4*size*size))
	i := Interval{Low: max(0, mid-half), High: min(1, mid+half)}
	if count == 0 {
		i.Low = 0
	}
	if count == n {
		i.High = 1
	}
	return i, nil
}

// studentP is the two-sided p-value of Student's t. It keeps its digits in the
// tails, where 1 minus the distribution function would be 0.
func studentP(t, df float64) float64 {
	if t == 0 {
		return 1
	}
	if t*t > math.MaxFloat64 {
		return 0
	}
	return mathext.RegIncBeta(df/2, 0.5, df/(df+t*t))
}

// fisherP is the upper tail of Fisher's F.
func fisherP(f, df1, df2 float64) float64 {
	if f <= 0 {
		return 1
	}
	if df1*f > math.MaxFloat64 {
		return 0
	}
	return mathext.RegIncBeta(df2/2, df1/2, df2/(df2+df1*f))
}

func chiSquareP(x, df float64) float64 { return distuv.ChiSquared{K: df}.Survival(x) }
