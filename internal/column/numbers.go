package column

import (
	"cmp"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Scaled returns x divided by a power of two, so that squares of it stay within
// float64, and the exponent. The division does not round. NaN stays NaN.
func Scaled(x []float64) ([]float64, int) {
	_, exp := math.Frexp(Largest(x))
	if exp > -250 && exp < 250 {
		return x, 0
	}
	out := make([]float64, len(x))
	for i, v := range x {
		out[i] = math.Ldexp(v, -exp)
	}
	return out, exp
}

// Unscale multiplies v by the power of two that [Scaled] divided by.
func Unscale(v float64, exp int) float64 { return Finite(math.Ldexp(v, exp)) }

// Finite limits v to the range of float64.
func Finite(v float64) float64 {
	return max(-math.MaxFloat64, min(math.MaxFloat64, v))
}

// Largest returns the largest absolute value of x. It ignores NaN.
func Largest(x []float64) float64 {
	var most float64
	for _, v := range x {
		if !math.IsNaN(v) {
			most = max(most, math.Abs(v))
		}
	}
	return most
}

// IsConstant reports whether all values of x are the same.
func IsConstant(x []float64) bool {
	for _, v := range x {
		if v != x[0] {
			return false
		}
	}
	return true
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

// sum adds up x with a correction for what each addition rounds (Neumaier, 1974).
func sum(x []float64) float64 {
	var total, lost float64
	for _, v := range x {
		next := total + v
		if math.Abs(total) >= math.Abs(v) {
			lost += (total - next) + v
		} else {
			lost += (v - next) + total
		}
		total = next
	}
	return total + lost
}

// float64 has every whole number up to maxExactInt.
const maxExactInt = 1 << 53

// addLarge records a number that float64 may round. A number of more digits than
// anybody writes out is recorded as rounded.
func (c *Column) addLarge(cell any, number float64) {
	text := strconv.FormatFloat(number, 'g', -1, 64)
	if math.Abs(number) < 1e40 {
		var exact big.Rat
		switch cell := cell.(type) {
		case int64:
			exact.SetInt64(cell)
		case float64:
			exact.SetFloat64(cell)
		case string:
			exact.SetString(strings.TrimSpace(cell)) // Read took it for a number
		}
		text = exact.RatString()
	}
	if c.large == nil {
		c.large = map[string]bool{}
	}
	c.large[text] = true
}

// Large returns how many different numbers c has that float64 may round.
func (c *Column) Large() int { return len(c.large) }

// A Count is a text and the number of its rows.
type Count struct {
	Text string
	Rows int
}

// Counts returns the different texts of c: the most frequent first, then by text.
func (c *Column) Counts() []Count {
	rows := map[string]int{}
	for _, text := range c.Texts {
		rows[text]++
	}
	all := make([]Count, 0, len(rows))
	for text, n := range rows {
		all = append(all, Count{text, n})
	}
	slices.SortFunc(all, func(a, b Count) int {
		return cmp.Or(cmp.Compare(b.Rows, a.Rows), cmp.Compare(a.Text, b.Text))
	})
	return all
}

// DistinctNumbers returns how many different numbers c has.
func (c *Column) DistinctNumbers() int {
	small := map[float64]bool{}
	for _, x := range c.Numbers {
		if c.large == nil || math.Abs(x) < maxExactInt {
			small[x] = true
		}
	}
	return len(small) + len(c.large)
}

// SortedTimes returns the different times of c, the earliest first. Equal times of
// two zones are one.
func (c *Column) SortedTimes() []time.Time {
	sorted := slices.SortedStableFunc(slices.Values(c.Times), time.Time.Compare)
	return slices.CompactFunc(sorted, time.Time.Equal)
}
