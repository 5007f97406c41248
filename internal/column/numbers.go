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
	return SortedCounts(rows)
}

// SortedCounts returns numbers of rows by text in the order of [Column.Counts].
func SortedCounts(rows map[string]int) []Count {
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

// ByRow returns the numbers by row, and NaN for rows without one.
func (c *Column) ByRow() []float64 {
	all := slices.Repeat([]float64{math.NaN()}, c.Rows)
	for i, row := range c.At {
		all[row] = c.Numbers[i]
	}
	return all
}

// InBoth returns the numbers of the rows that have one in both columns, and the rows.
func InBoth(a, b *Column) (x, y []float64, at []int) {
	for i, j := 0, 0; i < len(a.At) && j < len(b.At); {
		switch {
		case a.At[i] < b.At[j]:
			i++
		case a.At[i] > b.At[j]:
			j++
		default:
			x, y, at = append(x, a.Numbers[i]), append(y, b.Numbers[j]), append(at, a.At[i])
			i, j = i+1, j+1
		}
	}
	return x, y, at
}
