package chart

import (
	"cmp"
	"math"
	"slices"
)

// place is one of a chart: the places of its values on x and among the colours.
type place struct{ x, by int }

// shared reports whether two rows with a number have one place.
func (d *drawing) shared(x, by *scale, number *column) bool {
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

// tallies adds up the rows of each place.
func (d *drawing) tallies(x, by *scale, number *column) map[place]*tally {
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
		if number == nil {
			t.rows++
			continue
		}
		switch v := number.cells[i].(type) {
		case nil:
		case float64:
			t.add(v, d.aggregate == Median)
		default:
			t.rows++ // a text or a date that is counted
		}
	}
	return out
}

// seconds is how many colours there may be, or values on y.
func (d *drawing) seconds() int {
	if d.kind == Heatmap {
		return max(1, min(maxBars, int(math.Sqrt(float64(d.rows)))))
	}
	return min(d.categories, d.rows)
}

// firsts is how many values there may be on x.
func (d *drawing) firsts(x, by *scale) int {
	most := maxBars
	switch {
	case d.kind == Pie:
		most = d.categories
	case d.kind == Heatmap:
		return d.seconds()
	case d.kind == Line || d.kind == Area:
		most = d.rows
		if x.column.typ == nominal || x.column.typ == ordinal {
			most = maxPoints
		}
	}
	if by != nil {
		return max(1, min(most, d.rows/max(1, len(by.values))))
	}
	return min(most, d.rows)
}

// fewer leaves at most n values of a scale, or as many as Limit says. The rest is drawn
// as one where it can be added up.
func (d *drawing) fewer(s *scale, tallies map[place]*tally, n int, additive, onX bool) bool {
	asked := onX && d.limit > 0 && d.limit <= n
	if asked {
		n = d.limit
	}
	if len(s.values) <= n {
		return false
	}
	if onX && !asked && (s.column.typ == quantitative || s.column.typ == temporal) {
		kept := make([]any, 0, n)
		for _, i := range evenly(len(s.values), n) {
			kept = append(kept, s.values[i])
		}
		d.note("Of the %d values of %s, %d are drawn, taken evenly.", len(s.values), s.column.name, len(kept))
		s.keep(kept, "")
		return true
	}
	together := additive && !asked && n > 1 && s.column.typ != temporal
	by, size := ByYDesc, totals(s, tallies, d.aggregate, onX)
	if onX && d.sort != "" && !together { // the smallest are drawn together, in any order
		by = d.sort
	} else {
		for i, v := range size { // a large loss is large
			size[i] = math.Abs(v)
		}
	}
	ranked := slices.Clone(s.values)
	slices.SortFunc(ranked, s.comparison(by, size))
	rest := ""
	if together {
		n--
		rest = s.column.unused(otherParts)
		d.note("The %d smallest of the %d values of %s are drawn as %s.", len(s.values)-n, len(s.values), s.column.name, rest)
	} else {
		d.note("%d of the %d values of %s are drawn.", n, len(s.values), s.column.name)
	}
	first := map[any]bool{}
	for _, v := range ranked[:n] {
		first[v] = true
	}
	s.keep(slices.DeleteFunc(slices.Clone(s.values), func(v any) bool { return !first[v] }), rest)
	return true
}

// totals is what each value of a scale comes to.
func totals(s *scale, tallies map[place]*tally, a Aggregate, onX bool) []float64 {
	size := make([]float64, len(s.values))
	at := make([]place, 0, len(tallies))
	for p := range tallies {
		at = append(at, p)
	}
	slices.SortFunc(at, func(a, b place) int { return cmp.Or(cmp.Compare(a.x, b.x), cmp.Compare(a.by, b.by)) })
	for _, p := range at {
		i := p.by
		if onX {
			i = p.x
		}
		if v, ok := tallies[p].value(a); ok {
			size[i] += v
		}
	}
	return size
}
