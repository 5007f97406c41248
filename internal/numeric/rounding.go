package numeric

import (
	"math"
	"slices"
)

// Values that differ by less than these bits are treated as equal: the difference
// is a rounding error, such as that of a sum over thousands of rows in a database.
const (
	valueBits  = 42 // of the values themselves
	spreadBits = 20 // of the range of the column, unless all of the range is below valueBits
)

// MergeRounded returns x with one value in place of those that differ only by rounding
// errors. Ranks and deviations would report such a difference as a finding: 0.1 +
// 0.2 is not exactly 0.3. Whole numbers are exact and stay unchanged, and so do
// large values whose distances are all small. It returns x itself if nothing
// changes.
func MergeRounded(x []float64) []float64 {
	if len(x) < 2 || IsConstant(x) || isWhole(x) {
		return x
	}
	places := order(x)
	least, most := x[places[0]], x[places[len(places)-1]]
	spread := most/2 - least/2 // half of it: the whole may be beyond float64
	step := math.Ldexp(spread, 1-spreadBits)
	if spread <= math.Ldexp(max(math.Abs(least), math.Abs(most)), -1-valueBits) {
		step = math.Inf(1)
	}
	var out []float64
	first := least
	for _, i := range places {
		v := x[i]
		near := math.Ldexp(max(math.Abs(first), math.Abs(v)), -valueBits)
		if v == first || v-first > min(step, near) || v == math.Trunc(v) && first == math.Trunc(first) {
			first = v
			continue
		}
		if out == nil {
			out = slices.Clone(x)
		}
		out[i] = first
	}
	if out == nil {
		return x
	}
	return out
}

func isWhole(x []float64) bool {
	return !slices.ContainsFunc(x, func(v float64) bool { return v != math.Trunc(v) })
}

// Largest returns the largest absolute value of the samples. It ignores NaN.
func Largest(samples ...[]float64) float64 {
	var most float64
	for _, x := range samples {
		for _, v := range x {
			if !math.IsNaN(v) {
				most = max(most, math.Abs(v))
			}
		}
	}
	return most
}
