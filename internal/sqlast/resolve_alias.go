package sqlast

import (
	"slices"
	"strconv"
)

// having resolves an unqualified name in HAVING for engines that look it up in
// GROUP BY and the select list before the tables. Inside an aggregate or a
// subquery they look it up in the tables first.
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

// ownColumn replaces a name in HAVING by the column that the block groups by or selects.
// If that belongs to an enclosing query, MySQL may find it only as a bare name.
func (r *resolver) ownColumn(slot *Expr, c, column *Column) {
	if r.flavor.HavingSkipsTables && r.byAlias(r.scope, "", column.Table) < 0 && r.fold(column.Name, c.Name) {
		column = bare(column)
	}
	*slot = column
}

// bare returns a column that is printed without its table.
func bare(c *Column) *Column {
	b := *c
	b.Bare = true
	return &b
}

// outerItem binds a name in HAVING of a subquery to an item of the select list of an
// enclosing block s, whose aliases come before the columns of its tables there. In HAVING
// of that block, its groups come first.
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

// ofOuter prints the column that a name in HAVING of a subquery means in an enclosing block
// s so that servers find it. If HAVING of s has the subquery and s groups, MySQL does not
// find a qualified column, except in a subquery of its own or in the groups of the block.
func (r *resolver) ofOuter(slot *Expr, s *scope) {
	c, ok := (*slot).(*Column)
	if !ok || s == r.scope || r.scope.clause != inHaving || r.scope.aggregate != nil || !r.flavor.HavingSkipsTables || len(s.groupBy) == 0 && !s.rollup {
		return
	}
	r.work += len(r.scope.groupBy)
	switch isSame := func(e Expr) bool { return equalExpr(e, c) }; {
	case s.clause == inHaving && slices.ContainsFunc(r.scope.groupBy, isSame):
		*slot = bare(c)
	case s.clause == inHaving:
		*slot = selectOf(c)
	case s.rollup && (s.clause == inItems || s.clause == inOrderBy):
		r.fail(AmbiguousColumn, c.Pos, c.Name, "'%s' in HAVING of a subquery is a column of a query WITH ROLLUP, of which servers "+
			"take one or the other value in a total: qualify it with its table", c.Name)
	}
}

// checkHaving refuses a column in HAVING that the block neither selects nor groups by. In a
// derived table, MySQL would take a column of an enclosing query for the name.
func (r *resolver) checkHaving(slot *Expr, s *scope) {
	c, ok := (*slot).(*Column)
	if !ok || r.err != nil || c.Table == "" || s.clause != inHaving || s != r.scope || s.outer != nil || r.scope.aggregate != nil || !r.flavor.HavingSkipsTables {
		return
	}
	r.work += len(s.items) + len(s.groupBy)
	isSame := func(e Expr) bool { return equalExpr(e, c) }
	if !slices.ContainsFunc(s.groupBy, isSame) && !slices.ContainsFunc(s.items, func(it Item) bool { return isSame(it.Expr) }) {
		r.fail(Misplaced, c.Pos, c.Name, "'%s' in HAVING is neither in GROUP BY nor in the select list: add it, or filter in WHERE", c.Name)
	}
}

// selectOf returns (SELECT c).
func selectOf(c *Column) *Subquery {
	return &Subquery{Pos: c.Pos, Query: &Query{Pos: c.Pos, Body: &Select{Pos: c.Pos, Items: []Item{{Expr: c}}}}}
}

// skipsTables reports whether an unqualified name in HAVING means a column of a query
// that encloses s, although a table of s has a column with that name.
func (r *resolver) skipsTables(c *Column, s *scope) bool {
	if !r.flavor.HavingSkipsTables || r.scope.clause != inHaving || r.scope.aggregate != nil || s.clause != inHaving || r.groupsBy(c, s) ||
		s != r.scope && len(s.groupBy) == 0 {
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

// isLaterItem reports whether a qualified column of HAVING in a subquery is an item of
// the enclosing select list outer that comes later. MariaDB looks for such a column in
// that list first, and refuses an item that it has not read yet. In a query of its own
// it means the column of the table.
func (r *resolver) isLaterItem(c *Column, outer *scope) bool {
	if !r.flavor.HavingSkipsTables || r.scope.clause != inHaving || r.scope.aggregate != nil || outer == r.scope || outer.clause != inItems {
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

// alias binds an unqualified name to an item of the select list that has it as its
// alias. The expression of the item replaces the name: an engine looks for a column
// first and could find a hidden one.
func (r *resolver) alias(slot *Expr, c *Column, s *scope) bool {
	switch s.clause {
	case inWhere:
		if !r.flavor.AliasInWhere {
			return false
		}
	case inItems:
		if !r.flavor.AliasInItems {
			return false
		}
	case inQualify:
	case inGroupBy, inHaving, inOrderBy, inDistinctOn:
		if r.flavor.AliasAlone {
			return false
		}
	default:
		return false
	}
	i := r.item(c, s)
	if i < 0 || r.err != nil {
		return r.err != nil
	}
	rows := s.outer
	if r.enclosingFirst(i, s) {
		if r.lookUp(slot, c, s.outer) {
			return true
		}
		rows = nil
	}
	if r.checkRow(c, rows); r.err == nil {
		r.copyItem(slot, c, s, i)
	}
	return true
}

// enclosingFirst reports whether DuckDB looks up the alias of item i of s in the
// enclosing queries first:
//
//   - in the arguments of an aggregate function
//   - in an expression of GROUP BY, and in an item that is a term of GROUP BY
//   - in another item and in an expression of ORDER BY or DISTINCT ON, if item i itself
//     names a column of an enclosing query
//
// In WHERE, HAVING and QUALIFY, and as a whole term of a clause, the alias is the item.
// DuckDB has no other meaning for the name than that of the enclosing queries. If they
// have none, it refuses the statement, and the resolver takes the item.
func (r *resolver) enclosingFirst(i int, s *scope) bool {
	if !r.flavor.AliasInItems {
		return false
	}
	switch s.clause {
	case inGroupBy:
		return true
	case inItems, inOrderBy, inDistinctOn:
		if slices.Contains(s.outward, i) {
			return true
		}
	}
	return r.isAggregated(s)
}

// checkRow refuses a name that is also the name of a table of the scopes before end,
// where that means the row of the table.
func (r *resolver) checkRow(c *Column, end *scope) {
	if !r.flavor.RowBeforeAlias {
		return
	}
	for inner := r.scope; inner != end; inner = inner.outer {
		if r.qualifies(inner, "", c.Name) >= 0 {
			r.fail(AmbiguousName, c.Pos, c.Name, "'%s' is also the name of a table, whose row it means here: rename the alias, or "+
				"qualify the column", c.Name)
		}
	}
}

// copyItem replaces an alias by the expression of item i.
func (r *resolver) copyItem(slot *Expr, c *Column, s *scope, i int) {
	e := s.items[i].Expr
	if i >= s.done {
		r.fail(Misplaced, c.Pos, c.Name, "select alias '%s' is used before it is defined: move its item to the left", c.Name)
		return
	}
	if s != r.scope && !r.portable(e, s) {
		r.fail(Misplaced, c.Pos, c.Name,
			"select alias '%s' cannot be used in a subquery: repeat its expression, or put the block into a WITH",
			c.Name)
		return
	}
	if _, isColumn := e.(*Column); isColumn && s != r.scope && r.scope.aggregate != nil && r.flavor.ServersVary {
		r.fail(Misplaced, c.Pos, c.Name, "select alias '%s' cannot be used in an aggregate of a subquery, which would aggregate "+
			"the rows of the outer query: use the alias without the aggregate, or put the block into a WITH", c.Name)
		return
	}
	aggregate, collated := false, false
	Walk(e, func(n Node) bool {
		r.weight++
		switch n := n.(type) {
		case *Call:
			aggregate = aggregate || IsAggregate(n)
		case *Collate:
			collated = true
		case *Column:
			r.weigh(len(n.Table) + len(n.Name))
		case *String:
			r.weigh(len(n.Value))
		case *Bytes:
			r.weigh(2 * len(n.Value))
		case *Number:
			r.weigh(len(n.Text))
		}
		return true
	})
	if r.spent(c.Pos) {
		return
	}
	if collated && r.flavor.AliasHidesCollate {
		r.fail(Unsupported, c.Pos, c.Name, "select alias '%s' stands for an expression with COLLATE, which SQLite ignores around "+
			"the alias: repeat the expression, or sort by the alias alone", c.Name)
		return
	}
	if aggregate && s.clause == inWhere && s.outer == nil {
		r.fail(Misplaced, c.Pos, c.Name,
			"'%s' is an aggregate and is not allowed in WHERE: filter groups in HAVING", c.Name)
		return
	}
	if aggregate && r.scope.aggregate != nil {
		r.fail(Misplaced, c.Pos, c.Name, "'%s' is an aggregate and is not allowed inside another one", c.Name)
		return
	}
	if s.clause == inOrderBy && s == r.scope && r.scope.aggregate == nil && r.flavor.GroupsByPosition {
		switch {
		case r.isGroup(i, s):
			e = &Call{Pos: c.Pos, Name: "max", Args: []Expr{e}} // of equal values
		case s.distinct && (aggregate || !hasWindow(e) && !r.hasItems(e, s)):
			r.fail(Unsupported, c.Pos, c.Name, "select alias '%s' in an expression of ORDER BY is not supported next to DISTINCT and "+
				"GROUP BY or a window: order by '%s' alone, or put the block into a WITH", c.Name, c.Name)
			return
		}
	}
	if s.aliased = append(s.aliased, i); slices.Contains(s.twice, i) {
		r.fail(Unsupported, c.Pos, c.Name, "ROLLUP, CUBE or GROUPING SETS has '%s' and its expression: write it the same way each time", c.Name)
		return
	}
	*slot = e
}

// groupDistinct replaces SELECT DISTINCT of a block by GROUP BY of its items, if an expression
// of ORDER BY has an alias: next to DISTINCT, MySQL accepts the alias, but not its expression.
func (r *resolver) groupDistinct(sel *Select, order []Order, s *scope) {
	if !sel.Distinct || len(sel.GroupBy) > 0 || !slices.ContainsFunc(order, func(o Order) bool { return r.usesAlias(o.Expr, s) }) ||
		slices.ContainsFunc(sel.Items, func(it Item) bool { return hasCall(it.Expr, isOfGroup) }) ||
		slices.ContainsFunc(order, func(o Order) bool { return hasCall(o.Expr, isOfGroup) }) {
		return
	}
	for i := range sel.Items {
		if e := sel.Items[i].Expr; !isConstant(e) {
			sel.GroupBy = append(sel.GroupBy, &Number{Pos: e.At(), Text: strconv.Itoa(i + 1)})
		}
	}
	sel.Distinct, s.distinct, s.groupBy = false, false, sel.GroupBy
}

// usesAlias reports whether a term of ORDER BY that is not a name has the alias of an
// expression in it.
func (r *resolver) usesAlias(term Expr, s *scope) bool {
	if _, isColumn := term.(*Column); isColumn {
		return false
	}
	found := false
	Walk(term, func(n Node) bool {
		if c, ok := n.(*Column); ok && c.Table == "" && !found && len(r.tablesWith(s, s.lo, s.hi, c.Name)) == 0 {
			r.work += 4 * len(s.items)
			found = slices.ContainsFunc(s.items, func(it Item) bool {
				_, isColumn := it.Expr.(*Column)
				return !isColumn && r.fold(it.Alias, c.Name) && !isConstant(it.Expr)
			})
		}
		_, isQuery := n.(*Query)
		return !isQuery && !found
	})
	return found
}

// isOfGroup reports whether a call computes its value from several rows.
func isOfGroup(c *Call) bool { return c.Over != nil || IsAggregate(c) }

// hasItems reports whether all columns of an expression are items.
func (r *resolver) hasItems(e Expr, s *scope) bool {
	all := true
	Walk(e, func(n Node) bool {
		if c, ok := n.(*Column); ok {
			r.work += len(s.items)
			all = all && slices.ContainsFunc(s.items, func(it Item) bool { return equalExpr(it.Expr, c) })
		}
		return all
	})
	return all
}

// isGroup reports whether the block groups by the expression of an item, which is neither
// a column nor constant. WITH ROLLUP the item is NULL in a total.
func (r *resolver) isGroup(i int, s *scope) bool {
	e := s.items[i].Expr
	if _, isColumn := e.(*Column); isColumn || s.rollup || isConstant(e) {
		return false
	}
	r.work += len(s.groupBy)
	return slices.ContainsFunc(s.groupBy, func(term Expr) bool {
		if n, ok := itemOf(term, s.items); ok {
			term = s.items[n].Expr
		}
		return equalExpr(term, e)
	})
}

// portable reports whether an expression means the same in an inner scope. HAVING of
// MySQL could not name the columns of a computed one.
func (r *resolver) portable(e Expr, s *scope) bool {
	_, isColumn := e.(*Column)
	is := isColumn || isConstant(e) || r.flavor.AliasInItems
	Walk(e, func(n Node) bool {
		switch n := n.(type) {
		case *Column:
			is = is && !r.hidden(n.Table, s)
		case *Call:
			is = is && n.Over == nil && !IsAggregate(n)
		case *Query:
			is = false
		}
		return is
	})
	return is
}
