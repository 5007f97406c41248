package sqlast

import "slices"

// inHavingOfMySQL reports whether the resolver is in HAVING of MySQL, outside of an
// aggregate function. There servers look for a column in the select list, in GROUP BY and
// in the enclosing queries, and not in the tables of the block.
func (r *resolver) inHavingOfMySQL() bool {
	return r.flavor.ServersVary && r.scope != nil && r.scope.clause == inHaving && r.scope.aggregate == nil
}

// havingItem binds the alias of an item in HAVING of MySQL.
func (r *resolver) havingItem(slot *Expr, c *Column, it *Item) {
	// WITH ROLLUP an item is NULL in a total, and its column is not.
	if column, ok := it.Expr.(*Column); ok && !r.scope.rollup {
		*slot = column
		return
	}
	// The expression could name columns that are not grouped by, which such engines
	// refuse. They look up the alias first, as this resolver does.
	c.Schema, c.Name, c.DoubleQuoted = "", it.Alias, false
}

// meansTotal reports whether a name in HAVING of MySQL means item i, an aggregate, although a
// table has a column of that name, as in sum(total) AS total .. HAVING total > 9. The servers
// look for it in the select list, and prefer a column that is grouped by.
func (r *resolver) meansTotal(s *scope, i int, name string) bool {
	named := func(e Expr) bool { return Any(e, func(c *Column) bool { return r.fold(c.Name, name) }) }
	isColumn := func(it Item) bool { _, ok := it.Expr.(*Column); return ok && named(it.Expr) }
	e := s.items[i].Expr
	outside := HasQuery(e) || HasWindow(e)
	havingColumns(&Select{Having: e}, func(*Column) { outside = true })
	return s == r.scope && r.inHavingOfMySQL() && HasAggregate(e) && !outside &&
		!slices.ContainsFunc(s.groupBy, named) && !slices.ContainsFunc(s.items, isColumn)
}

// checkHaving refuses an unqualified name in HAVING of MySQL for which servers would look
// in an enclosing query: one of an enclosing query, and a column of the block that it
// neither selects nor groups by.
func (r *resolver) checkHaving(slot *Expr, at Pos, name string, s *scope) {
	c, ok := (*slot).(*Column)
	if !ok || r.err != nil || c.Table == "" || !r.inHavingOfMySQL() {
		return
	}
	if s != r.scope {
		r.fail(AmbiguousColumn, at, name,
			"'%s' in HAVING of a subquery is a name of an enclosing query: qualify it", name)
		return
	}
	r.work += len(s.items) + len(s.groupBy)
	isSame := func(e Expr) bool { return EqualExpr(e, c) }
	isItem := slices.ContainsFunc(s.items, func(it Item) bool { return isSame(it.Expr) })
	if !isItem && !slices.ContainsFunc(s.groupBy, isSame) {
		r.fail(Misplaced, at, name, "'%s' in HAVING is neither in GROUP BY nor in the select list: add it, or filter "+
			"in WHERE", name)
	}
}

// outerInHaving replaces a column of the enclosing scope s in HAVING of MySQL by
// (SELECT column). Servers would look for the column itself among items that they have not
// read yet, and MariaDB 10.11 ends if the block groups by it. In HAVING of a query WITH
// ROLLUP the column has two values for a total.
func (r *resolver) outerInHaving(slot *Expr, s *scope) {
	c, ok := (*slot).(*Column)
	if !ok || s == r.scope || !r.inHavingOfMySQL() || r.scope.rollup {
		return
	}
	for o := r.scope.outer; o != nil; o = o.outer {
		if o.rollup && o.clause == inHaving {
			r.fail(AmbiguousColumn, c.Pos, c.Name, "'%s' in HAVING of a subquery is a column of an enclosing query, in HAVING of "+
				"a query WITH ROLLUP: filter in WHERE of the subquery", c.Name)
		}
	}
	*slot = &Subquery{Pos: c.Pos, Query: &Query{Pos: c.Pos, Body: &Select{Pos: c.Pos, Items: []Item{{Expr: c}}}}}
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
