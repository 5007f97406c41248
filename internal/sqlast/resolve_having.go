package sqlast

import "slices"

// having resolves an unqualified name in HAVING for engines that look it up in
// GROUP BY and the select list before the tables. Inside an aggregate they look it
// up in the tables first, and so they do in a subquery, except for MySQL: see
// outerItem.
func (r *resolver) having(slot *Expr, c *Column, s *scope) bool {
	if r.scope.clause != inHaving || r.flavor.HavingTakesColumn || r.scope.aggregate != nil {
		return false
	}
	if s != r.scope {
		return r.flavor.HavingSkipsTables && r.outerItem(slot, c, s)
	}
	if g := r.groupedColumn(c, s); g != nil {
		if r.flavor.ServersVary && r.isDerived(g) && slices.ContainsFunc(s.items, func(it Item) bool {
			return it.Alias != "" && r.fold(it.Alias, c.Name) && !equalExpr(it.Expr, g)
		}) {
			r.fail(AmbiguousColumn, c.Pos, c.Name, "'%s' in HAVING is a column and the alias of another item, of which "+
				"servers take one or the other: qualify the column, or rename the alias", c.Name)
		}
		r.ownColumn(slot, c, g)
		return true
	}
	i := r.item(c, s)
	if i < 0 && r.flavor.AmbiguousMeansItem && !r.groupsBy(c, s) {
		i = r.firstNamed(c, s)
	}
	if i < 0 || r.err != nil {
		return r.err != nil
	}
	if r.flavor.AliasInItems { // an alias stands for its expression everywhere
		r.copyItem(slot, c, s, i)
		return true
	}
	// WITH ROLLUP an item is NULL in a total, and its column is not.
	if column, ok := s.items[i].Expr.(*Column); ok && (!s.rollup || s.items[i].Alias == "") {
		r.ownColumn(slot, c, column)
		return true
	}
	// The expression could name columns that are not grouped by, which such engines
	// refuse. They look up the alias first, as this resolver does.
	c.Schema, c.Name, c.DoubleQuoted = "", s.items[i].Alias, false
	return true
}

// inHavingOfMySQL reports whether the resolver is in HAVING of MySQL, outside of an
// aggregate function.
func (r *resolver) inHavingOfMySQL() bool {
	return r.flavor.HavingSkipsTables && r.scope.clause == inHaving && r.scope.aggregate == nil
}

// ownColumn replaces a name in HAVING by the column that the block groups by or
// selects. If the column belongs to an enclosing query, MySQL may find it only by
// its name without the table.
func (r *resolver) ownColumn(slot *Expr, c, column *Column) {
	if r.flavor.HavingSkipsTables && r.byAlias(r.scope, "", column.Table) < 0 && r.fold(column.Name, c.Name) {
		column = bare(column)
	}
	*slot = column
}

// outerGroup replaces a column in HAVING by (SELECT column) if the block groups by the
// column, the column belongs to an enclosing query, and the block is in HAVING of an
// enclosing query. MariaDB 10.11 moves a condition with such a column to WHERE and ends
// there. It does not move conditions of a block WITH ROLLUP, where the column is NULL in a
// total. If that HAVING is of a query WITH ROLLUP, outerGroup refuses the column.
func (r *resolver) outerGroup(slot *Expr) {
	c, ok := (*slot).(*Column)
	if !ok || !r.inHavingOfMySQL() || r.scope.rollup || r.byAlias(r.scope, "", c.Table) >= 0 {
		return
	}
	inside, totals := false, false
	for o := r.scope.outer; o != nil; o = o.outer {
		inside = inside || o.clause == inHaving
		totals = totals || o.clause == inHaving && o.rollup
	}
	isSame := func(e Expr) bool { return equalExpr(e, c) }
	switch {
	case !inside || !slices.ContainsFunc(r.groupColumns(r.scope.groupBy, r.scope.items), isSame):
	case totals:
		r.fail(AmbiguousColumn, c.Pos, c.Name, "'%s' in HAVING of a subquery that groups by it is a column of an outer "+
			"query. In HAVING of a query WITH ROLLUP it has two values for a total, of which servers take one or the other: "+
			"do not group the subquery by it", c.Name)
	default:
		*slot = selectOf(c)
	}
}

// bare returns a copy of a column that is printed without its table.
func bare(c *Column) *Column {
	b := *c
	b.Bare = true
	return &b
}

// outerItem binds a name in HAVING of a subquery to an item of the enclosing block s.
// The aliases of s come before the columns of its tables there. If HAVING of s has the
// subquery, the groups of s come first.
func (r *resolver) outerItem(slot *Expr, c *Column, s *scope) bool {
	switch {
	case s.clause == inHaving && r.groupsBy(c, s), s.clause == inFrom, s.clause == inOn, s.clause == inWhere:
		return false
	}
	i := r.item(c, s)
	if i >= 0 && r.err == nil && (s.clause != inItems || i < s.done) {
		r.copyItem(slot, c, s, i)
		return true
	}
	return r.err != nil
}

// outerColumn prepares a column of the enclosing block s that a name in HAVING of a
// subquery means, so that servers find it. If HAVING of s has the subquery and s
// groups, MySQL does not find the column with its table, unless it is in one more
// subquery. If the subquery groups by the column, its name alone is found.
func (r *resolver) outerColumn(slot *Expr, s *scope) {
	c, ok := (*slot).(*Column)
	if !ok || s == r.scope || !r.inHavingOfMySQL() || len(s.groupBy) == 0 && !s.rollup {
		return
	}
	r.work += len(r.scope.groupBy)
	switch isSame := func(e Expr) bool { return equalExpr(e, c) }; {
	case s.clause == inHaving && slices.ContainsFunc(r.scope.groupBy, isSame):
		*slot = bare(c)
	case s.clause == inHaving:
		*slot = selectOf(c)
	case s.rollup && (s.clause == inItems || s.clause == inOrderBy):
		r.fail(AmbiguousColumn, c.Pos, c.Name, "'%s' in HAVING of a subquery is a column of a query WITH ROLLUP, of which "+
			"servers take one or the other value in a total: qualify it with its table", c.Name)
	}
}

// selectOf returns (SELECT c).
func selectOf(c *Column) *Subquery {
	qualified := *c
	qualified.Bare = false
	return &Subquery{Pos: c.Pos, Query: &Query{Pos: c.Pos, Body: &Select{Pos: c.Pos, Items: []Item{{Expr: &qualified}}}}}
}

// checkHaving refuses a column in HAVING that the block neither selects nor groups by. In a
// derived table, MySQL would take a column of an enclosing query for the name.
func (r *resolver) checkHaving(slot *Expr, s *scope) {
	c, ok := (*slot).(*Column)
	if !ok || r.err != nil || c.Table == "" || s != r.scope || s.outer != nil || !r.inHavingOfMySQL() {
		return
	}
	r.work += len(s.items) + len(s.groupBy)
	isSame := func(e Expr) bool { return equalExpr(e, c) }
	isItem := slices.ContainsFunc(s.items, func(it Item) bool { return isSame(it.Expr) })
	if !isItem && !slices.ContainsFunc(s.groupBy, isSame) {
		r.fail(Misplaced, c.Pos, c.Name, "'%s' in HAVING is neither in GROUP BY nor in the select list: add it, or filter "+
			"in WHERE", c.Name)
	}
}

// skipsTables reports whether an unqualified name in HAVING means a column of a query
// that encloses s, although a table of s has a column with that name.
func (r *resolver) skipsTables(c *Column, s *scope) bool {
	if !r.inHavingOfMySQL() || s.clause != inHaving || r.groupsBy(c, s) || s != r.scope && len(s.groupBy) == 0 {
		return false
	}
	r.work += 4 * len(s.items)
	if slices.ContainsFunc(s.items, func(it Item) bool { return r.fold(itemName(&it), c.Name) }) {
		return false
	}
	for o := s.outer; o != nil; o = o.outer {
		if len(r.tablesWith(o, o.lo, o.hi, c.Name)) > 0 {
			return true
		}
	}
	return false
}

// isLaterItem reports whether a qualified column in HAVING of a subquery is a later item
// of the enclosing block outer, whose select list has the subquery. MariaDB looks for such
// a column in that list first, and refuses an item that it has not read yet. In one more
// subquery it means the column of the table.
func (r *resolver) isLaterItem(c *Column, outer *scope) bool {
	if !r.inHavingOfMySQL() || outer == r.scope || outer.clause != inItems {
		return false
	}
	later := outer.items[min(outer.done+1, len(outer.items)):]
	r.work += 4 * len(later)
	return slices.ContainsFunc(later, func(it Item) bool {
		column, ok := it.Expr.(*Column)
		return ok && r.fold(column.Name, c.Name) && (column.Table == "" || r.fold(column.Table, c.Table))
	})
}

// groupedColumn returns the column with this name that the block groups by, or nil
// if there is none or more than one.
func (r *resolver) groupedColumn(c *Column, s *scope) *Column {
	groups := s.groupBy
	if r.flavor.GroupsAsWritten {
		groups = r.groupColumns(groups, s.items)
	}
	var found *Column
	for _, e := range groups {
		if g, ok := e.(*Column); ok && r.fold(g.Name, c.Name) {
			if found != nil && !equalExpr(found, g) {
				return nil
			}
			found = g
		}
	}
	return found
}

// groupsBy reports whether the block groups by a column with this name.
func (r *resolver) groupsBy(c *Column, s *scope) bool {
	return slices.ContainsFunc(s.groupBy, func(e Expr) bool {
		g, ok := e.(*Column)
		return ok && r.fold(g.Name, c.Name)
	})
}

// havingColumns calls visit for each column in HAVING of a block, outside of its
// aggregates and subqueries.
func havingColumns(sel *Select, visit func(*Column)) {
	if sel.Having == nil {
		return
	}
	Walk(sel.Having, func(n Node) bool {
		switch n := n.(type) {
		case *Query:
			return false
		case *Call:
			return !IsAggregate(n)
		case *Column:
			visit(n)
		}
		return true
	})
}
