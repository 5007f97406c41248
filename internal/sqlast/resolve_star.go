package sqlast

import "slices"

// expand replaces the stars of a select list by their columns. It returns which
// items are columns of stars, or nil if there are no stars.
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
		replaced := map[int]bool{}
		if star.Exclude != nil || star.Replace != nil {
			items = append(items[:before], r.changed(star, items[before:], replaced)...)
		}
		if r.stars += len(items) - before; r.stars > maxStars {
			r.fail(TooComplex, star.Pos, "*",
				"the stars of the statement expand to more than %d columns", maxStars)
		}
		if r.err != nil {
			return nil
		}
		for len(bound) < len(items) {
			bound = append(bound, !replaced[len(bound)-before])
		}
	}
	sel.Items = items
	return bound
}

// changed applies EXCLUDE and REPLACE of a star to its columns. It returns
// which columns are replaced, by their index.
func (r *resolver) changed(star *Star, items []Item, replaced map[int]bool) []Item {
	find := func(name string) int {
		r.work += 4 * len(items)
		return slices.IndexFunc(items, func(it Item) bool { return r.fold(itemName(&it), name) })
	}
	found := func(name string) int {
		i := find(name)
		if i < 0 {
			r.fail(UnknownColumn, star.Pos, name, "the star has no column '%s' that EXCLUDE or REPLACE names", name)
		}
		return i
	}
	for _, name := range star.Exclude {
		for i := found(name); i >= 0; i = find(name) {
			items = slices.Delete(items, i, i+1)
		}
	}
	for _, it := range star.Replace {
		i := found(it.Alias)
		if i < 0 {
			continue
		}
		// DuckDB treats the second column of a name otherwise than the first.
		if slices.ContainsFunc(items[i+1:], func(other Item) bool { return r.fold(itemName(&other), it.Alias) }) {
			r.fail(AmbiguousColumn, star.Pos, it.Alias, "the star has several columns '%s': name the columns", it.Alias)
		}
		items[i], replaced[i] = it, true
	}
	if len(items) == 0 {
		r.fail(ColumnCount, star.Pos, "*", "EXCLUDE leaves no column of the star")
	}
	return items
}

func (r *resolver) star(star *Star, sel *Select, s *scope, items []Item) []Item {
	switch {
	case star.Table != "":
		o, i := r.tableOf(s, star.Schema, star.Table)
		if o != s {
			r.unknownQualifier(star.Pos, star.Table, s)
			return items
		}
		return r.allOf(star.Pos, &s.tables[i], items)
	case len(s.tables) == 0:
		r.fail(Misplaced, star.Pos, "*", "* needs a FROM")
		return items
	case len(s.merging) == 0:
		for i := range s.hi {
			items = r.allOf(star.Pos, &s.tables[i], items)
		}
		return items
	}
	columns, _ := r.starColumns(sel.From, s, 0, false)
	for i := range columns {
		m := &columns[i]
		items = append(items, Item{Expr: r.mergedValue(star.Pos, s, m), Alias: m.name})
	}
	return items
}

// allOf appends all columns of a table.
func (r *resolver) allOf(at Pos, b *binding, items []Item) []Item {
	if !r.checkWidth(at, len(items)+len(b.columns)) {
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

// starColumns returns the columns of * for a relation with merged columns, in the
// order of the engine, and the number after its last table. Inside reports whether a
// join with USING or a NATURAL JOIN contains the relation.
func (r *resolver) starColumns(rel Relation, s *scope, next int, inside bool) ([]merged, int) {
	j, ok := rel.(*Join)
	if !ok {
		b := &s.tables[next]
		columns := make([]merged, len(b.columns))
		for i, name := range b.names() {
			columns[i] = merged{name: name, members: []int{next}, value: []int{next}, number: i + 1}
		}
		return columns, next + 1
	}
	merging := slices.Contains(s.merging, j)
	if j.Kind == RightJoin && inside && !merging && r.flavor.ServersVary {
		r.fail(AmbiguousColumn, j.Pos, "*",
			"the columns of * have another order on MySQL than on MariaDB, for a RIGHT JOIN inside "+
				"a join with USING or a NATURAL JOIN: name the columns, or swap its tables and write LEFT JOIN")
	}
	left, middle := r.starColumns(j.Left, s, next, inside || merging)
	right, end := r.starColumns(j.Right, s, middle, inside || merging)
	if r.work += 16 * (len(left) + len(right)); r.spent(j.Pos) {
		return nil, end
	}
	if j.Kind == RightJoin && merging && !r.flavor.UsingInPlace && !r.flavor.UsingKeepsSides {
		left, right = right, left
	}
	// shared returns the column of this join that c is merged into, or nil.
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
	if r.flavor.UsingKeepsSides {
		slices.SortStableFunc(common, func(a, b merged) int { return a.listed - b.listed })
	}
	if !r.checkWidth(j.Pos, len(common)+len(rest)) {
		return nil, end
	}
	return append(common, rest...), end
}

// row binds an unqualified name that no column has to the row of the table with
// that name. The row of a table function with a single column is the value of that
// column. Any other row can only be the argument of a call; it is printed as a
// qualified star, which cannot mean anything else.
func (r *resolver) row(slot *Expr, c *Column) bool {
	b := r.rowOf(c.Schema, c.Name)
	switch {
	case b == nil:
		return false
	case b.scalar:
		r.point(c, b, 0)
		return true
	case b.named != nil || !r.isArgument(slot):
		return false
	}
	*slot = &Star{Pos: c.Pos, Table: b.alias, Row: true, Of: b.rel}
	return true
}

// wholeRow resolves t.* that is used as a value.
func (r *resolver) wholeRow(s *Star) {
	if s.Row && s.Table != "" && r.flavor.RowByAlias {
		if b := r.rowOf(s.Schema, s.Table); b != nil && b.named == nil {
			s.Table, s.Of = b.alias, b.rel
			return
		}
		r.noRow(s.Pos, s.Table)
	}
	r.fail(Misplaced, s.Pos, "*", "* is only allowed in a select list")
}

// noRow refuses the row of a table, which may have columns that must not be read.
func (r *resolver) noRow(at Pos, table string) {
	r.fail(Misplaced, at, table, "the row of '%s' cannot be used as one value: name its columns, count rows with count(*), "+
		"and those that an outer join finds with count(%s.x) of a column that is never NULL, or read the columns from a subquery, as in FROM (SELECT a, b FROM t) AS t", table, table)
}

// rowOf returns the table whose row a name means. It returns nil if there is none,
// and for a table of the catalog, whose row has columns that must not be read.
func (r *resolver) rowOf(schema, name string) *binding {
	s, i := r.tableOf(r.scope, schema, name)
	if s == nil {
		return nil
	}
	if b := &s.tables[i]; b.object == nil && s.lo <= i && i < s.hi {
		return b
	}
	return nil
}

// isArgument reports whether slot is an argument of the enclosing call.
func (r *resolver) isArgument(slot *Expr) bool {
	for i := range r.args {
		if &r.args[i] == slot {
			return true
		}
	}
	return false
}
