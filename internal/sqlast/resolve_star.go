package sqlast

import "slices"

// expand replaces the stars of a select list by the columns that they stand for,
// and tells which items those are; nil: none.
func (r *resolver) expand(sel *Select, s *scope) (bound []bool) {
	if !slices.ContainsFunc(sel.Items, func(it Item) bool { _, ok := it.Expr.(*Star); return ok }) {
		return nil
	}
	items := make([]Item, 0, len(sel.Items)+16)
	for _, it := range sel.Items {
		star, ok := it.Expr.(*Star)
		if !ok {
			items, bound = append(items, it), append(bound, false)
			continue
		}
		before := len(items)
		items = r.star(star, sel, s, items)
		if r.stars += len(items) - before; r.stars > maxStars {
			r.fail(TooComplex, star.Pos, "*", "the stars of the statement stand for more than %d columns", maxStars)
		}
		if r.err != nil {
			return nil
		}
		for len(bound) < len(items) {
			bound = append(bound, true)
		}
	}
	sel.Items = items
	return bound
}

func (r *resolver) star(star *Star, sel *Select, s *scope, items []Item) []Item {
	switch {
	case star.Table != "":
		i := r.byAlias(s, star.Schema, star.Table)
		if i < 0 {
			r.unknownQualifier(star.Pos, star.Table, s)
			return items
		}
		return r.allOf(star.Pos, &s.tables[i], items)
	case len(s.tables) == 0:
		r.fail(Misplaced, star.Pos, "*", "* needs a FROM")
		return items
	case len(s.merged) == 0:
		for i := range s.tables {
			items = r.allOf(star.Pos, &s.tables[i], items)
		}
		return items
	}
	columns, _ := r.starColumns(sel.From, s, 0)
	for i := range columns {
		m := &columns[i]
		items = append(items, Item{Expr: r.mergedValue(star.Pos, s, m), Alias: m.name})
	}
	return items
}

// allOf appends all columns of a table.
func (r *resolver) allOf(at Pos, b *binding, items []Item) []Item {
	if len(items)+len(b.columns) > maxColumns {
		r.fail(TooComplex, at, "*", "a select list has more than %d columns", maxColumns)
		return items
	}
	columns := make([]Column, len(b.columns))
	for i := range columns {
		columns[i].Pos = at
		r.point(&columns[i], b, i)
		it := Item{Expr: &columns[i]}
		if name := b.names()[i]; name != columns[i].Name {
			it.Alias = name
		}
		items = append(items, it)
	}
	return items
}

// starColumns is what * stands for where columns were merged: those of a
// relation in the engine's order, and the number after its last table.
func (r *resolver) starColumns(rel Relation, s *scope, next int) ([]merged, int) {
	j, ok := rel.(*Join)
	if !ok {
		b := &s.tables[next]
		columns := make([]merged, len(b.columns))
		for i, name := range b.names() {
			columns[i] = merged{name: name, members: []int{next}, value: []int{next}, place: i + 1}
		}
		return columns, next + 1
	}
	left, middle := r.starColumns(j.Left, s, next)
	right, end := r.starColumns(j.Right, s, middle)
	if r.spent(j.Pos) {
		return nil, end
	}
	if j.Kind == RightJoin && !r.flavor.UsingInPlace && !r.flavor.UsingKeepsSides {
		left, right = right, left
	}
	// shared answers the column of this join that c went into.
	shared := func(c *merged) *merged {
		r.work += len(s.merged)
		for i := range s.merged {
			m := &s.merged[i]
			if m.join == j && r.fold(m.name, c.name) && slices.Contains(m.members, c.members[0]) {
				return m
			}
		}
		return nil
	}
	var common, rest []merged
	for i := range left {
		switch m := shared(&left[i]); {
		case m == nil:
			rest = append(rest, left[i])
		case !r.flavor.UsingInPlace:
			common = append(common, *m)
		default:
			rest = append(rest, *m)
		}
	}
	for i := range right {
		if shared(&right[i]) == nil {
			rest = append(rest, right[i])
		}
	}
	if len(common)+len(rest) > maxColumns {
		r.fail(TooComplex, j.Pos, "*", "a select list has more than %d columns", maxColumns)
		return nil, end
	}
	return append(common, rest...), end
}
