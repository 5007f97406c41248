package chart

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/qedkit/qed/chart/internal/vegalite"
	"github.com/qedkit/qed/internal/prompt"
)

// A scale has the categories, dates or numbers along one axis, or of the colors.
type scale struct {
	column *field
	field  string // name in the data
	cells  []any  // by row; nil: the row is left out
	values []any  // different values, in order
	order  map[any]int
	rest   bool      // the last value stands for several others
	unit   *timeUnit // nil: each date is drawn alone
}

// newScale orders the values of a column. Texts are in table order, other values ascend.
// Rows without a text get a category of their own.
func (d *drawing) newScale(col *field) *scale {
	s := &scale{column: col, cells: col.cells}
	if col.typ == vegalite.Nominal && col.values < len(col.cells) {
		none := col.unused(d.texts.None)
		s.cells = make([]any, len(col.cells))
		for i, cell := range col.cells {
			s.cells[i] = cell
			if cell == nil {
				s.cells[i] = none
			}
		}
	}
	s.index()
	return s
}

// unused returns a name, changed so that no cell has it.
func (c *field) unused(name string) string {
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
	if s.column.typ != vegalite.Nominal {
		slices.SortFunc(s.values, compare)
		s.renumber()
	}
}

func (s *scale) renumber() {
	clear(s.order)
	for i, v := range s.values {
		s.order[v] = i
	}
}

// keep drops all values but the given ones. Rows with other values are drawn as
// rest, or not at all if rest is empty.
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

// compare orders values. Texts that are numbers come first, by their number.
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

// asNumber returns the number that a text of digits is, and infinity for others.
func asNumber(s string) float64 {
	if strings.Trim(s, "-.0123456789") == "" {
		if v, err := strconv.ParseFloat(s, 64); err == nil {
			return v
		}
	}
	return math.Inf(1)
}

// data returns a value as it is written into the data.
func (s *scale) data(v any) any {
	switch v := v.(type) {
	case time.Time:
		if s.column.byDay || s.unit != nil && s.unit.step >= 24*time.Hour {
			return v.Format(time.DateOnly)
		}
		return v.Format("2006-01-02T15:04:05.999Z07:00")
	case float64:
		if s.rest { // whose name is a text, and Vega-Lite sorts values of one type
			return strconv.FormatFloat(v, 'f', -1, 64)
		}
	case string:
		if len(v) > vegalite.MaxText { // the number distinguishes texts with the same beginning
			return prompt.Clip(v, vegalite.MaxText) + " #" + strconv.Itoa(s.order[v]+1)
		}
	}
	return v
}
