package hypothesis

import (
	"cmp"
	"math"
	"slices"
)

// BenjaminiHochberg adjusts p-values for the number of tests by the procedure of
// Benjamini and Hochberg (1995). If the tests whose adjusted value is at most q are
// taken as significant, the expected share of false ones among them is at most q, for
// independent tests. The result has the order of p.
func BenjaminiHochberg(p []float64) ([]float64, error) {
	by, err := ascending(p)
	if err != nil {
		return nil, err
	}
	adjusted, least := make([]float64, len(p)), 1.0
	for i, at := range slices.Backward(by) {
		least = min(least, p[at]*float64(len(p))/float64(i+1))
		adjusted[at] = least
	}
	return adjusted, nil
}

// Holm adjusts p-values for the number of tests by the procedure of Holm (1979): if
// the tests whose adjusted value is at most q are called significant, the probability
// that any of them is a false positive is at most q. The result has the order of p.
func Holm(p []float64) ([]float64, error) {
	by, err := ascending(p)
	if err != nil {
		return nil, err
	}
	adjusted, most := make([]float64, len(p)), 0.0
	for i, at := range by {
		most = max(most, min(1, p[at]*float64(len(p)-i)))
		adjusted[at] = most
	}
	return adjusted, nil
}

// ascending returns the indexes of p by ascending p-value.
func ascending(p []float64) ([]int, error) {
	by := make([]int, len(p))
	for i, v := range p {
		if math.IsNaN(v) || v < 0 || v > 1 {
			return nil, fail(ErrInvalid, "p-value %d is %v, not between 0 and 1", i+1, v)
		}
		by[i] = i
	}
	slices.SortStableFunc(by, func(a, b int) int { return cmp.Compare(p[a], p[b]) })
	return by, nil
}
