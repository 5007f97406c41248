package chart

import (
	"math"

	"github.com/qedkit/qed/internal/numeric"
)

// A tally has the rows at one position.
type tally struct {
	rows    int       // with a value
	numbers []float64 // of the rows, unless they are counted only
}

// value returns the aggregate of the rows. ok is false if there are none, or if it
// is beyond float64.
func (t *tally) value(a Aggregate) (v float64, ok bool) {
	if a == Count {
		return float64(t.rows), true
	}
	if len(t.numbers) == 0 {
		return 0, false
	}
	v = numeric.Aggregate(string(a), t.numbers)
	return v, math.Abs(v) < math.MaxFloat64
}
