package stats

import "math"

// rounded rounds computed values, so that rounding errors do not make equal ones
// different. largest is the largest value that they were computed from.
func rounded(x []float64, largest float64) {
	_, exp := math.Frexp(largest)
	for i, v := range x {
		x[i] = math.Ldexp(math.Round(math.Ldexp(v, averageBits-exp)), exp-averageBits)
	}
}
