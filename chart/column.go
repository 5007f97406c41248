package chart

import (
	"math"
	"time"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/chart/internal/vegalite"
	"github.com/qedkit/qed/internal/column"
	"github.com/qedkit/qed/refusal"
)

// A field is a column with its cells as they are drawn: nil, float64, time.Time
// in UTC, or string.
type field struct {
	table *qed.Table
	index int

	name  string
	label string // for a reader
	typ   vegalite.Measure
	cells []any

	distinct int  // different cells, without nil
	values   int  // cells, without nil
	whole    bool // all numbers are whole
	byDay    bool // all times are midnight

	other int // cells that are not of the type, and not drawn
}

// numeric reports whether the cells are numbers, even if they identify things.
func (f *field) numeric() bool { return f.typ == vegalite.Quantitative || f.typ == vegalite.Ordinal }

// read returns the columns of t.
func read(t *qed.Table) ([]*field, error) {
	fields := make([]*field, len(t.Columns))
	for i, head := range t.Columns {
		fields[i] = &field{table: t, index: i, name: head.Name}
		if err := fields[i].read(""); err != nil {
			return nil, err
		}
	}
	return fields, nil
}

// readNumbers reads the column again if it has decimals as text, because the
// caller needs numbers.
func (f *field) readNumbers() error {
	if f.typ != vegalite.Nominal {
		return nil
	}
	return f.read(column.Numbers)
}

// read reads the column; want is as in [column.Read].
func (f *field) read(want column.Kind) error {
	c, err := column.Read(f.table, f.index, want)
	if err != nil {
		return refuse(refusal.Problem{Code: ErrMalformed, Message: err.Error()})
	}
	f.cells, f.other = make([]any, c.Rows), c.Other
	switch c.Kind {
	case column.Numbers:
		f.setNumbers(c, want)
	case column.Times:
		f.setTimes(c)
	default:
		f.typ = vegalite.Nominal
		for i, text := range c.Texts {
			f.cells[c.At[i]] = text
		}
	}
	f.values = 0
	seen := map[any]bool{}
	for _, cell := range f.cells {
		if cell != nil {
			f.values++
			seen[cell] = true
		}
	}
	f.distinct = len(seen)
	return nil
}

const (
	// maxNumber is the largest number that can be drawn: the distance between
	// larger ones is beyond float64. Larger ones are treated as missing.
	maxNumber = 1e300

	maxExactInt = 1 << 53 // a browser rounds larger numbers
)

func (f *field) setNumbers(c *column.Column, want column.Kind) {
	f.typ, f.whole = vegalite.Quantitative, true
	if want == "" && merges(c) {
		f.setAsText() // or rows of different things would share a bar
		return
	}
	identifier := column.IsIdentifier(f.name)
	for i, row := range c.At {
		v := c.Numbers[i]
		if identifier && math.Abs(v) > maxExactInt {
			f.setAsText()
			return
		}
		if math.Abs(v) <= maxNumber {
			f.cells[row] = v
			f.whole = f.whole && v == math.Trunc(v)
		}
	}
	if f.whole && (identifier || column.IsCalendar(f.name)) {
		f.typ = vegalite.Ordinal
	}
}

// merges reports whether different numbers are the same for a browser.
func merges(c *column.Column) bool {
	if c.Large() < 2 {
		return false
	}
	seen := map[float64]bool{}
	for _, v := range c.Numbers {
		seen[v] = true
	}
	return c.DistinctNumbers() > len(seen)
}

// setAsText keeps the digits of identifiers.
func (f *field) setAsText() {
	f.typ, f.other = vegalite.Nominal, 0
	for row, cells := range f.table.Rows {
		f.cells[row] = nil
		if text, ok := column.Text(cells[f.index]); ok {
			f.cells[row] = text
		}
	}
}

func (f *field) setTimes(c *column.Column) {
	f.typ, f.byDay = vegalite.Temporal, true
	for i, at := range c.WallTimes() {
		at = at.Truncate(time.Millisecond)
		f.byDay = f.byDay && at.Equal(at.Truncate(24*time.Hour))
		f.cells[c.At[i]] = at
	}
}
