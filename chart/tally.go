package chart

import (
	"math"
	"slices"
)

// A tally sums up the rows at one position.
type tally struct {
	rows     int     // with a value
	sum, low float64 // low is the rounding error of sum
	min, max float64
	all      []float64 // for the median
}

func (t *tally) add(v float64, keep bool) {
	if t.rows == 0 || v < t.min {
		t.min = v
	}
	if t.rows == 0 || v > t.max {
		t.max = v
	}
	t.rows++
	sum := t.sum + v // Neumaier's summation
	if math.Abs(t.sum) >= math.Abs(v) {
		t.low += t.sum - sum + v
	} else {
		t.low += v - sum + t.sum
	}
	t.sum = sum
	if keep {
		t.all = append(t.all, v)
	}
}

// total returns the sum, which may be infinite.
func (t *tally) total() float64 {
	if math.IsInf(t.sum, 0) {
		return t.sum
	}
	return t.sum + t.low
}

// value returns the aggregate of the rows. ok is false if there are none, or if it
// is beyond float64.
func (t *tally) value(a Aggregate) (float64, bool) {
	if a == Count {
		return float64(t.rows), true
	}
	if t.rows == 0 {
		return 0, false
	}
	var v float64
	switch a {
	case Mean:
		v = t.total() / float64(t.rows)
	case Median:
		slices.Sort(t.all)
		n := len(t.all)
		v = t.all[n/2]
		if n%2 == 0 {
			v = t.all[n/2-1]/2 + v/2
		}
	case Min:
		v = t.min
	case Max:
		v = t.max
	default:
		v = t.total()
	}
	return v, !math.IsInf(v, 0) && !math.IsNaN(v)
}
