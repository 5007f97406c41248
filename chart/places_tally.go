package chart

import (
	"cmp"
	"math"
	"slices"

	"github.com/qedkit/qed/chart/internal/vegalite"
	"github.com/qedkit/qed/internal/usertext"
)

// A place is where a number is drawn: indexes of a value on x and of a color.
type place struct{ x, by int }

// shared reports whether several rows with a number have the same place.
func (d *drawing) shared(x, by *scale, number *field) bool {
	seen := map[place]bool{}
	for i, cell := range number.cells {
		at, ok := placeOf(x, by, i)
		if !ok || cell == nil {
			continue
		}
		if seen[at] {
			return true
		}
		seen[at] = true
	}
	return false
}

func placeOf(x, by *scale, row int) (place, bool) {
	at, ok := x.order[x.cells[row]]
	p := place{x: at}
	if ok && by != nil {
		p.by, ok = by.order[by.cells[row]]
	}
	return p, ok
}

// tallies sums up the rows of each place.
func (d *drawing) tallies(x, by *scale, number *field) map[place]*tally {
	out := map[place]*tally{}
	for i := range x.cells {
		at, ok := placeOf(x, by, i)
		if !ok {
			continue
		}
		t := out[at]
		if t == nil {
			t = &tally{}
			out[at] = t
		}
		d.tally(t, number, i)
	}
	return out
}

// tally adds a row to a tally.
func (d *drawing) tally(t *tally, number *field, row int) {
	if number == nil {
		t.rows++
		return
	}
	cell := number.cells[row]
	if cell == nil {
		return
	}
	t.rows++
	if v, ok := cell.(float64); ok && d.aggregate != Count { // a text or a date is counted
		t.numbers = append(t.numbers, v)
	}
}

// sizes returns the aggregate of all rows of each value of s, which is x or by. It
// is computed from the rows, because means and maxima of parts do not add up.
func (d *drawing) sizes(s, x, by *scale, number *field) []float64 {
	tallies := make([]tally, len(s.values))
	for i := range x.cells {
		at, ok := placeOf(x, by, i)
		if !ok {
			continue
		}
		of := at.x
		if s != x {
			of = at.by
		}
		d.tally(&tallies[of], number, i)
	}
	size := make([]float64, len(tallies))
	for i := range tallies {
		size[i], _ = tallies[i].value(d.aggregate)
	}
	return size
}

// seconds returns the maximum number of colors, or of values on y.
func (d *drawing) seconds() int {
	if d.kind == Heatmap {
		return max(1, min(maxBars, int(math.Sqrt(float64(d.rows)))))
	}
	return min(vegalite.MaxCategories, d.rows)
}

// firsts returns the maximum number of values on x.
func (d *drawing) firsts(x, by *scale) int {
	most := maxBars
	switch {
	case d.kind == Pie:
		most = vegalite.MaxCategories
	case d.kind == Heatmap:
		return d.seconds()
	case d.kind == Line || d.kind == Area:
		most = d.rows
		if x.column.typ == vegalite.Nominal || x.column.typ == vegalite.Ordinal {
			most = maxPoints
		}
	}
	if by != nil {
		return max(1, min(most, d.rows/max(1, len(by.values))))
	}
	return min(most, d.rows)
}

// basis is the part of a note that names the number by which values were selected.
func (d *drawing) basis(by Sort) string {
	number := d.y
	if d.kind == Heatmap {
		number = d.by
	}
	what := d.texts.NumberOfRows
	if number != nil {
		what = d.texts.Aggregated(string(cmp.Or(d.aggregate, Sum)), number.label)
	}
	switch by {
	case ByYDesc:
		return usertext.Fill(d.texts.Largest, "what", what)
	case ByY:
		return usertext.Fill(d.texts.Smallest, "what", what)
	}
	return ""
}

// fewer keeps at most n values of a scale, or as many as Top asks for; size has
// the aggregate of each. The rest is drawn as one value if the numbers add up.
func (d *drawing) fewer(s *scale, size []float64, n int, additive, onX bool) {
	asked := onX && d.limit > 0 && d.limit <= n
	if asked {
		n = d.limit
	}
	if len(s.values) <= n {
		return
	}
	if onX && !asked && (s.column.typ == vegalite.Quantitative || s.column.typ == vegalite.Temporal) {
		kept := make([]any, 0, n)
		for _, i := range evenly(len(s.values), n) {
			kept = append(kept, s.values[i])
		}
		d.note(d.texts.Evenly, "all", len(s.values), "column", s.column.label, "n", len(kept))
		s.keep(kept, "")
		return
	}
	together := additive && !asked && n > 1 && s.column.typ != vegalite.Temporal
	by := ByYDesc
	if onX && d.sort != "" && !together { // the smallest are drawn together, in any order
		by = d.sort
	} else if !asked {
		for i, v := range size { // a large loss is large
			size[i] = math.Abs(v)
		}
	}
	ranked := slices.Clone(s.values)
	slices.SortFunc(ranked, s.comparison(by, size))
	rest := ""
	if together {
		n--
		rest = s.column.unused(d.texts.Other)
		d.note(d.texts.Together, "n", len(s.values)-n, "all", len(s.values), "column", s.column.label, "rest", rest)
	} else {
		d.note(d.texts.Selected, "n", n, "all", len(s.values), "column", s.column.label, "basis", d.basis(by))
	}
	first := map[any]bool{}
	for _, v := range ranked[:n] {
		first[v] = true
	}
	s.keep(slices.DeleteFunc(slices.Clone(s.values), func(v any) bool { return !first[v] }), rest)
}
