package chart

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/qedkit/qed/internal/prompt"
)

// A scale is the categories, dates or numbers along one side of a chart, or its colours.
type scale struct {
	column *column
	field  string // in the data
	cells  []any  // of each row; nil: the row is left out
	values []any  // the different ones, in their order
	order  map[any]int
	rest   bool      // the last value is what others are drawn as
	unit   *timeUnit // how dates are drawn together; nil: they are not
}

// newScale puts the values of a column in order: texts as they come, those that are dates before
// the others where most are; all others ascending.
// Texts get a category for the rows that have none.
func newScale(col *column) *scale {
	s := &scale{column: col, cells: col.cells}
	if col.typ == nominal && col.values < len(col.cells) {
		none := col.unused("(none)")
		s.cells = make([]any, len(col.cells))
		for i, cell := range col.cells {
			if s.cells[i] = cell; cell == nil {
				s.cells[i] = none
			}
		}
	}
	s.index()
	return s
}

// unused returns a name that no cell has.
func (c *column) unused(name string) string {
	for slices.Contains(c.cells, any(name)) {
		name += "'"
	}
	return name
}

// index lists the different values.
func (s *scale) index() {
	s.values, s.order = nil, map[any]int{}
	for _, cell := range s.cells {
		if _, known := s.order[cell]; !known && cell != nil {
			s.order[cell] = len(s.values)
			s.values = append(s.values, cell)
		}
	}
	switch {
	case s.column.typ != nominal:
		slices.SortFunc(s.values, compare)
	case s.column.someDates:
		slices.SortStableFunc(s.values, byDate)
	default:
		return
	}
	s.renumber()
}

func (s *scale) renumber() {
	clear(s.order)
	for i, v := range s.values {
		s.order[v] = i
	}
}

// keep leaves only some of the values; rows with others are drawn as rest, or not at all
// where that is empty.
func (s *scale) keep(values []any, rest string) {
	s.values = values
	s.renumber()
	if rest == "" {
		return
	}
	kept := make([]any, len(s.cells))
	for i, cell := range s.cells {
		kept[i] = cell
		if _, known := s.order[cell]; !known && cell != nil {
			kept[i] = rest
		}
	}
	s.cells = kept
	s.order[rest] = len(s.values)
	s.values, s.rest = append(slices.Clone(s.values), rest), true
}

// compare puts texts that are numbers before the others, by what they come to.
func compare(a, b any) int {
	switch a := a.(type) {
	case float64:
		return cmp.Compare(a, b.(float64))
	case time.Time:
		return a.Compare(b.(time.Time))
	}
	x, y := a.(string), b.(string)
	return cmp.Or(cmp.Compare(asNumber(x), asNumber(y)), strings.Compare(x, y))
}

// asNumber is what a text of digits comes to, and infinite for another one.
func asNumber(s string) float64 {
	if strings.Trim(s, "-.0123456789") == "" {
		if v, err := strconv.ParseFloat(s, 64); err == nil {
			return v
		}
	}
	return math.Inf(1)
}

// byDate compares texts by the dates that they are; those that are none come last.
func byDate(a, b any) int {
	x, isX := readTime(a.(string))
	y, isY := readTime(b.(string))
	switch {
	case isX && isY:
		return x.Compare(y)
	case isX:
		return -1
	case isY:
		return 1
	}
	return 0
}

const maxText = 200 // bytes of a category

// data is how a value stands in the data.
func (s *scale) data(v any) any {
	switch v := v.(type) {
	case time.Time:
		if s.column.byDay || s.unit != nil && s.unit.step >= 24*time.Hour {
			return v.Format(time.DateOnly)
		}
		return v.Format("2006-01-02T15:04:05.999Z07:00")
	case string:
		if len(v) > maxText { // the number keeps it apart from another one that begins alike
			return prompt.Clip(v, maxText) + " #" + strconv.Itoa(s.order[v]+1)
		}
	}
	return v
}

// A tally is what rows of one place come to.
type tally struct {
	rows     int     // with a value
	sum, low float64 // low is what sum rounded off
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

// total is the sum; beyond what a float64 holds it is infinite, and value says so.
func (t *tally) total() float64 {
	if math.IsInf(t.sum, 0) {
		return t.sum
	}
	return t.sum + t.low
}

// value is what the rows come to; false where there are none, or it is no number.
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
