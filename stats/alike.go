package stats

import (
	"math"
	"slices"
)

// Values that differ by less than these bits tell are the same but for what reckoning rounded
// off, such as the sum or the average that a database made of thousands.
const (
	valueBits  = 42 // of their own
	spreadBits = 20 // of the distance of the largest from the least; none, where that is so small itself
)

// alike returns x with one value in the place of those that are the same but for what reckoning
// rounds off. Ranks and deviations would see a difference in them, and tell it as a finding:
// 0.1 + 0.2 is not 0.3. Whole numbers are exact and stay what they are, and so do large values
// whose distances are all small. It returns x where nothing changes.
func alike(x []float64) []float64 {
	if len(x) < 2 || isConstant(x) || isWhole(x) {
		return x
	}
	places := order(x)
	least, most := x[places[0]], x[places[len(places)-1]]
	spread := most/2 - least/2 // half of it: all of it may be beyond float64
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

// rounded rounds what was reckoned from values of which the largest is largest, so that what
// reckoning rounds off does not tell equal ones apart.
func rounded(x []float64, largest float64) {
	_, exp := math.Frexp(largest)
	for i, v := range x {
		x[i] = math.Ldexp(math.Round(math.Ldexp(v, averageBits-exp)), exp-averageBits)
	}
}

// largest returns the largest absolute value of x, in which NaN is unknown.
func largest(x []float64) float64 {
	var most float64
	for _, v := range x {
		if !math.IsNaN(v) {
			most = max(most, math.Abs(v))
		}
	}
	return most
}
