package hypothesis

import (
	"math"

	"gonum.org/v1/gonum/stat/combin"
)

// A ChiSquareTest is the result of [ChiSquare]: whether the rows and the columns
// of a contingency table are independent.
type ChiSquareTest struct {
	ChiSquare float64 `json:"chi_square"` // without correction for continuity
	DF        int     `json:"df"`
	P         float64 `json:"p"` // by the chi-squared distribution

	// CramersV is Cramer's V, 0 to 1, without correction for bias.
	CramersV float64 `json:"cramers_v"`

	// MinExpected is the smallest count that would be expected if rows and
	// columns were independent. Below 5 the p-value is inexact.
	MinExpected float64 `json:"min_expected"`
}

// ChiSquare tests a contingency table by the test of Pearson (1900). All rows must
// have the same length, and no row or column may be all 0.
func ChiSquare(counts [][]int) (*ChiSquareTest, error) {
	if len(counts) < 2 || len(counts[0]) < 2 {
		return nil, fail(ErrTooFew, "a table of counts needs two rows and two columns")
	}
	rows, columns := make([]float64, len(counts)), make([]float64, len(counts[0]))
	var n float64
	for i, row := range counts {
		if len(row) != len(columns) {
			return nil, fail(ErrInvalid, "row %d has %d counts, not %d", i+1, len(row), len(columns))
		}
		for j, c := range row {
			if c < 0 {
				return nil, fail(ErrInvalid, "a count is %d", c)
			}
			rows[i] += float64(c)
			columns[j] += float64(c)
			n += float64(c)
		}
	}
	for i, sum := range rows {
		if sum == 0 {
			return nil, fail(ErrTooFew, "row %d has no counts", i+1)
		}
	}
	for j, sum := range columns {
		if sum == 0 {
			return nil, fail(ErrTooFew, "column %d has no counts", j+1)
		}
	}
	t := &ChiSquareTest{DF: (len(rows) - 1) * (len(columns) - 1), MinExpected: n}
	for i, row := range counts {
		for j, c := range row {
			expected := rows[i] / n * columns[j]
			d := float64(c) - expected
			t.ChiSquare += d * d / expected
			t.MinExpected = min(t.MinExpected, expected)
		}
	}
	t.P = chiSquareP(t.ChiSquare, float64(t.DF))
	t.CramersV = min(1, math.Sqrt(t.ChiSquare/n/float64(min(len(rows), len(columns))-1)))
	return t, nil
}

// A Table2x2 is a contingency table of two groups, its rows: each has the counts
// with and without an outcome.
type Table2x2 [2][2]int

func (t Table2x2) check() error {
	for _, row := range t {
		for _, c := range row {
			if c < 0 {
				return fail(ErrInvalid, "a count is %d", c)
			}
		}
	}
	return nil
}

// OddsRatio returns the odds of the first row divided by those of the second. It
// is nil if that is a division by 0.
func (t Table2x2) OddsRatio() *float64 {
	return ratio(float64(t[0][0])*float64(t[1][1]), float64(t[0][1])*float64(t[1][0]))
}

func ratio(a, b float64) *float64 {
	if b == 0 {
		return nil
	}
	r := a / b
	return &r
}

// FisherExact returns the two-sided p-value of the exact test of Fisher (1922). It adds
// up the probabilities of all tables that have the same sums of rows and columns as t
// and are at most as probable as t. The time is linear in the smallest sum.
func FisherExact(t Table2x2) (p float64, err error) {
	if err := t.check(); err != nil {
		return 0, err
	}
	row, column := t[0][0]+t[0][1], t[0][0]+t[1][0]
	n := row + t[1][0] + t[1][1]
	if row == 0 || column == 0 || row == n || column == n {
		return 1, nil
	}
	log := func(k int) float64 {
		return combin.LogGeneralizedBinomial(float64(column), float64(k)) +
			combin.LogGeneralizedBinomial(float64(n-column), float64(row-k)) -
			combin.LogGeneralizedBinomial(float64(n), float64(row))
	}
	// Logarithms of equal probabilities differ by rounding.
	limit := log(t[0][0]) + 1e-9
	for k := max(0, row+column-n); k <= min(row, column); k++ {
		if l := log(k); l <= limit {
			p += math.Exp(l)
		}
	}
	return min(1, p), nil
}

// A MantelHaenszelTest is the result of [MantelHaenszel].
type MantelHaenszelTest struct {
	// OddsRatio is the common odds ratio of Mantel and Haenszel (1959). It is nil if
	// that is a division by 0.
	OddsRatio *float64 `json:"odds_ratio,omitempty"`

	// RiskDifference is the common difference of the shares with the outcome, first
	// group less second, each stratum weighted by n1*n2/n.
	RiskDifference float64 `json:"risk_difference"`

	ChiSquare float64 `json:"chi_square"` // of Cochran, Mantel and Haenszel, without correction for continuity
	P         float64 `json:"p"`
	Strata    int     `json:"strata"` // strata with both groups; the others are ignored
}

// MantelHaenszel compares the outcome of two groups within strata, so that a
// stratum in which one group is larger does not distort the comparison. At least
// one stratum must have both groups, and both outcomes.
func MantelHaenszel(strata []Table2x2) (*MantelHaenszelTest, error) {
	t := &MantelHaenszelTest{}
	var ad, bc, difference, weight, excess, variance float64
	for _, f := range strata {
		if err := f.check(); err != nil {
			return nil, err
		}
		a, b, c, d := float64(f[0][0]), float64(f[0][1]), float64(f[1][0]), float64(f[1][1])
		n := a + b + c + d
		if a+b == 0 || c+d == 0 {
			continue
		}
		t.Strata++
		ad += a * d / n
		bc += b * c / n
		w := (a + b) / n * (c + d)
		difference += w * (a/(a+b) - c/(c+d))
		weight += w
		excess += a - (a+b)/n*(a+c)
		if n > 1 {
			variance += (a + b) / n * (c + d) / n * (a + c) / (n - 1) * (b + d)
		}
	}
	switch {
	case t.Strata == 0:
		return nil, fail(ErrTooFew, "no stratum has both groups")
	case variance == 0:
		return nil, fail(ErrConstant, "no stratum has both groups and both outcomes")
	}
	t.OddsRatio, t.RiskDifference = ratio(ad, bc), difference/weight
	t.ChiSquare = excess * excess / variance
	t.P = chiSquareP(t.ChiSquare, 1)
	return t, nil
}
