package numeric

import "math"

// units are the factors between units that are mixed up in data: cents, thousands and
// millions.
var units = []float64{100, 1000, 1e6}

const (
	minMixed    = 20   // values that are examined
	leastMixed  = 0.01 // share of the values that the smaller unit or the larger has at least
	unitGap     = 3    // factor between the values of the two units
	unitMargin  = 0.4  // of the logarithm of the factor between their medians
	minDominant = 30   // values that are examined
	dominant    = 0.2  // share of the sum that one value has at least
)

// MixedUnits reports whether sorted values are of two units: there is a gap, and the
// values above are about 100, 1000 or a million times those below. fewer is how many
// there are of the rarer unit. Without mixed units factor is 0. rows has the number of
// rows of each value, nil means 1.
func MixedUnits(sorted []float64, rows []int) (factor float64, fewer int) {
	var positive []float64
	var upTo []int // rows up to each value
	total := 0
	for i, v := range sorted {
		if v <= 0 {
			continue
		}
		total += rowsOf(rows, i)
		positive, upTo = append(positive, v), append(upTo, total)
	}
	if total < minMixed {
		return 0, 0
	}
	least := max(3, int(leastMixed*float64(total)))
	gap, at := 0.0, 0
	for i := 1; i < len(positive); i++ {
		if upTo[i-1] < least || total-upTo[i-1] < least {
			continue
		}
		if g := positive[i] / positive[i-1]; g > gap {
			gap, at = g, i
		}
	}
	if gap < unitGap {
		return 0, 0
	}
	median := func(rank int) float64 {
		for i, n := range upTo {
			if n > rank {
				return positive[i]
			}
		}
		return positive[len(positive)-1]
	}
	below := upTo[at-1]
	ratio := median((below+total)/2) / median(below/2)
	for _, f := range units {
		if math.Abs(math.Log(ratio/f)) <= unitMargin {
			return f, min(below, total-below)
		}
	}
	return 0, 0
}

// Dominant returns the share that the value with the largest magnitude has in the sum of
// all magnitudes, if it is so large that the value makes the mean, and 0 otherwise.
func Dominant(sorted []float64, rows []int) float64 {
	if len(sorted) == 0 {
		return 0
	}
	n, sum := 0, 0.0
	largest := math.Max(-sorted[0], sorted[len(sorted)-1])
	for i, v := range sorted {
		n += rowsOf(rows, i)
		sum += math.Abs(v) / largest * float64(rowsOf(rows, i))
	}
	if n < minDominant || !(1/sum >= dominant) {
		return 0
	}
	return 1 / sum
}

// OutOfLine reports whether a number is far from both its neighbours, by a factor. All
// must be above 0.
func OutOfLine(before, v, after, factor float64) bool {
	return before > 0 && v > 0 && after > 0 && (v < min(before, after)/factor || v > max(before, after)*factor)
}

func rowsOf(rows []int, i int) int {
	if rows == nil {
		return 1
	}
	return rows[i]
}
