// Package numeric has the arithmetic on samples of float64 that the packages of
// statistics share: none of it overflows, and ties are found despite rounding.
package numeric

import (
	"cmp"
	"math"
	"slices"

	"github.com/qedkit/qed/internal/lists"
)

// Scaled returns x divided by a power of two, so that squares of it stay within
// float64, and the exponent. The division does not round. NaN stays NaN.
func Scaled(x []float64) ([]float64, int) {
	all, exp := ScaledAll(x)
	return all[0], exp
}

// ScaledAll is [Scaled] with one power of two for all samples.
func ScaledAll(samples ...[]float64) ([][]float64, int) {
	_, exp := math.Frexp(Largest(samples...))
	if exp > -250 && exp < 250 {
		return samples, 0
	}
	return lists.Map(samples, func(x []float64) []float64 {
		return lists.Map(x, func(v float64) float64 { return math.Ldexp(v, -exp) })
	}), exp
}

// Unscale multiplies v by the power of two that [Scaled] divided by.
func Unscale(v float64, exp int) float64 { return Finite(math.Ldexp(v, exp)) }

// Finite limits v to the range of float64.
func Finite(v float64) float64 {
	return max(-math.MaxFloat64, min(math.MaxFloat64, v))
}

// Sum returns the sum of x, limited to the range of float64.
func Sum(x []float64) float64 {
	small, exp := Scaled(x)
	return Unscale(sum(small), exp)
}

// Mean returns the mean of x, which must not be empty.
func Mean(x []float64) float64 {
	if IsConstant(x) {
		return x[0]
	}
	small, exp := Scaled(x)
	return Unscale(sum(small)/float64(len(x)), exp)
}

// sum adds up x.
func sum(x []float64) float64 {
	var a adder
	for _, v := range x {
		a.add(v)
	}
	return a.sum()
}

// An adder adds up numbers with a correction for what each addition rounds
// (Neumaier, 1974).
type adder struct{ total, lost float64 }

func (a *adder) add(v float64) {
	next := a.total + v
	if math.Abs(a.total) >= math.Abs(v) {
		a.lost += (a.total - next) + v
	} else {
		a.lost += (v - next) + a.total
	}
	a.total = next
}

func (a *adder) sum() float64 { return a.total + a.lost }

// A Stream computes the mean of numbers that are not kept. The zero Stream has
// none.
type Stream struct {
	n            int
	small, large adder // large has numbers divided by 2^largeExp
}

const largeExp = 100

// Add adds a finite number some times.
func (s *Stream) Add(v float64, times int) {
	s.n += times
	if math.Abs(v) < 0x1p900 {
		s.small.add(v * float64(times))
	} else {
		s.large.add(math.Ldexp(v, -largeExp) * float64(times))
	}
}

// Sum returns the sum, limited to the range of float64.
func (s *Stream) Sum() float64 {
	return Finite(s.small.sum() + Unscale(s.large.sum(), largeExp))
}

// Mean returns the mean, which is NaN if nothing was added.
func (s *Stream) Mean() float64 {
	n := float64(s.n)
	return s.small.sum()/n + Unscale(s.large.sum()/n, largeExp)
}

// MeanStdDev returns the mean and the sample standard deviation of x, which is 0
// for fewer than two values. x must not be empty. The sum of the squares is corrected
// for the rounding of the mean (Chan, Golub and LeVeque, 1983).
func MeanStdDev(x []float64) (mean, sd float64) {
	mean = Mean(x)
	if len(x) < 2 || IsConstant(x) {
		return mean, 0
	}
	small, exp := Scaled(x)
	center := sum(small) / float64(len(x))
	squares, distances := make([]float64, len(x)), make([]float64, len(x))
	for i, v := range small {
		distances[i] = v - center
		squares[i] = distances[i] * distances[i]
	}
	n, off := float64(len(x)), sum(distances)
	return mean, Unscale(math.Sqrt((sum(squares)-off*off/n)/(n-1)), exp)
}

// IsConstant reports whether all values of x are the same.
func IsConstant(x []float64) bool {
	return !slices.ContainsFunc(x, func(v float64) bool { return v != x[0] })
}

// Quantile returns the p-quantile of sorted values, interpolated between the two
// nearest ones. It is definition 7 of Hyndman and Fan (1996), as in spreadsheets,
// NumPy, R and SQL's percentile_cont. gonum's stat.Quantile uses definition 4, in
// which the median of 1, 2, 3 and 4 is 2.
func Quantile(p float64, sorted []float64) float64 {
	h := p * float64(len(sorted)-1)
	i := int(h)
	if i+1 >= len(sorted) {
		return sorted[len(sorted)-1]
	}
	a, b, part := sorted[i], sorted[i+1], h-float64(i)
	if a == b || part == 0 {
		return a
	}
	return a*(1-part) + b*part // a + (b-a)*part could be beyond float64
}

// Median sorts x.
func Median(x []float64) float64 {
	slices.Sort(x)
	return Quantile(0.5, x)
}

// Aggregate returns the count, mean, median, min or max of x, or the sum for another name.
// x must not be empty. Aggregate may sort it.
func Aggregate(name string, x []float64) float64 {
	switch name {
	case "count":
		return float64(len(x))
	case "mean":
		return Mean(x)
	case "median":
		return Median(x)
	case "min":
		return slices.Min(x)
	case "max":
		return slices.Max(x)
	}
	return Sum(x)
}

// order returns the indexes of x by ascending value, equal values by index.
func order(x []float64) []int {
	places := lists.Indexes(len(x))
	slices.SortFunc(places, func(a, b int) int { return cmp.Or(cmp.Compare(x[a], x[b]), cmp.Compare(a, b)) })
	return places
}

// Ranks returns the ranks of x from 1, and the size of each set of equal values.
// Equal values share the mean of their ranks.
func Ranks(x []float64) (rank []float64, ties []float64) {
	places := order(x)
	rank = make([]float64, len(x))
	for i := 0; i < len(places); {
		j := i + 1
		for j < len(places) && x[places[j]] == x[places[i]] {
			j++
		}
		for _, p := range places[i:j] {
			rank[p] = float64(i+j+1) / 2
		}
		if j-i > 1 {
			ties = append(ties, float64(j-i))
		}
		i = j
	}
	return rank, ties
}
