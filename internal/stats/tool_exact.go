package stats

import (
	"math"
	"strings"
	"time"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/column"
	"github.com/qedkit/qed/internal/numeric"
)

// exact has the figures of a column that need no rows in memory.
type exact struct {
	reader      column.Reader
	cells       [column.Classes]int
	sum         numeric.Stream
	min, max    float64
	first, last time.Time
	texts       map[string]int // rows by text; nil if there are many
}

const maxTexts = 1000 // different texts of a column that are counted

func newExact(columns []qed.Column) []*exact {
	all := make([]*exact, len(columns))
	for i, c := range columns {
		all[i] = &exact{reader: column.NewReader(c.Type, ""), min: math.Inf(1), max: math.Inf(-1), texts: map[string]int{}}
	}
	return all
}

func (e *exact) add(cell any) error {
	class, number, at, err := e.reader.Classify(cell)
	if err != nil {
		return err
	}
	e.cells[class]++
	switch class {
	case column.CellNumber:
		e.sum.Add(number, 1)
		e.min, e.max = min(e.min, number), max(e.max, number)
	case column.CellTime:
		if e.first.IsZero() || at.Before(e.first) {
			e.first = at
		}
		if at.After(e.last) {
			e.last = at
		}
	}
	// Of most columns of numbers or times, there soon are too many.
	if class != column.CellMissing && e.texts != nil {
		e.count(cell)
	}
	return nil
}

func (e *exact) count(cell any) {
	text, _ := column.Text(cell)
	if e.texts[text] == 0 {
		text = strings.Clone(text) // cells may share the memory of their row
	}
	if e.texts[text]++; len(e.texts) > maxTexts {
		e.texts = nil
	}
}

// complete replaces the figures of a sample by those of all rows, as far as they are
// known.
func (e *exact) complete(s *Summary) {
	kind, missing, other := column.Decide(e.cells)
	if Kind(kind) != s.Kind || s.Texts != nil && e.texts == nil {
		return
	}
	s.Rows = 0
	for _, n := range e.cells {
		s.Rows += n
	}
	s.Missing, s.Other = missing, other
	s.Count = s.Rows - missing - other
	switch {
	case s.Numbers != nil:
		s.Numbers.Sum, s.Numbers.Mean = e.sum.Sum(), e.sum.Mean()
		s.Numbers.Min, s.Numbers.Max = e.min, e.max
	case s.Times != nil:
		s.Times, _ = summariseTimes([]time.Time{e.first, e.last})
	case s.Texts != nil:
		s.Texts, s.Distinct = summariseTexts(column.SortedCounts(e.texts), s.Count)
	}
}
