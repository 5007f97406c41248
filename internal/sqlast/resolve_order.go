package sqlast

import (
	"slices"
	"strconv"
)

// orderBy resolves the ORDER BY of a query in scope s.
func (r *resolver) orderBy(q *Query, s *scope) {
	s.clause = inOrderBy
	if len(q.OrderBy) == 1 {
		if star, ok := q.OrderBy[0].Expr.(*Star); ok {
			order := q.OrderBy[0]
			q.OrderBy = nil
			for i := range len(s.items) + len(s.names) {
				order.Expr = &Number{Pos: star.Pos, Text: strconv.Itoa(i + 1)}
				q.OrderBy = append(q.OrderBy, order)
			}
			return
		}
	}
	if sel, ok := q.Body.(*Select); ok && r.flavor.GroupsByPosition {
		r.groupDistinct(sel, q.OrderBy, s)
	}
	for i := range q.OrderBy {
		if r.term(&q.OrderBy[i].Expr, s); r.flavor.ServersVary {
			r.distinguish(&q.OrderBy[i].Expr)
		}
	}
	if r.flavor.ServersVary {
		r.distinguishNearWindows(s.items, q.OrderBy)
	}
	// A constant orders nothing, and DuckDB refuses it.
	q.OrderBy = slices.DeleteFunc(q.OrderBy, func(o Order) bool { _, null := o.Expr.(*Null); return null })
}

// groupDistinct replaces SELECT DISTINCT of a block by GROUP BY of its items, if an
// expression of ORDER BY has an alias. Next to DISTINCT, MySQL accepts the alias, but not
// its expression, which replaces the alias.
func (r *resolver) groupDistinct(sel *Select, order []Order, s *scope) {
	if !sel.Distinct || len(sel.GroupBy) > 0 ||
		!slices.ContainsFunc(order, func(o Order) bool { return r.usesAlias(o.Expr, s) }) ||
		slices.ContainsFunc(sel.Items, func(it Item) bool { return hasCall(it.Expr, isOfRows) }) ||
		slices.ContainsFunc(order, func(o Order) bool { return hasCall(o.Expr, isOfRows) }) {
		return
	}
	for i := range sel.Items {
		if e := sel.Items[i].Expr; !isConstant(e) {
			sel.GroupBy = append(sel.GroupBy, &Number{Pos: e.At(), Text: strconv.Itoa(i + 1)})
		}
	}
	sel.Distinct, s.distinct, s.groupBy = false, false, sel.GroupBy
}

// usesAlias reports whether a term of ORDER BY is an expression that has the alias of an
// item, outside of its subqueries, and the item is neither a column nor constant.
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

// hasOnlyItems reports whether all columns of an expression are items.
func (r *resolver) hasOnlyItems(e Expr, s *scope) bool {
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

// positions replaces the terms of a set operation's ORDER BY that repeat an item of
// one of its arms by the position of that item, as SQLite does.
func (r *resolver) positions(q *Query) {
	if !r.flavor.NamesRepeat {
		return
	}
	for i := range q.OrderBy {
		e := &q.OrderBy[i].Expr
		if _, ok := position(*e); ok {
			continue
		}
		if r.spent(q.Pos) {
			return
		}
		if n := r.repeats(q.Body, *e); n > 0 {
			*e = &Number{Pos: (*e).At(), Text: strconv.Itoa(n)}
		}
	}
}

// repeats returns the position of the first item of a body, arm after arm, that has
// the alias e, or else the one that equals e, or 0.
func (r *resolver) repeats(b Body, e Expr) int {
	switch b := b.(type) {
	case *SetOp:
		if n := r.repeats(b.Left, e); n > 0 {
			return n
		}
		return r.repeats(b.Right, e)
	case *Select:
		r.work += 8 * len(b.Items)
		c, isColumn := e.(*Column)
		if isColumn && c.Table == "" {
			if i := slices.IndexFunc(b.Items, func(it Item) bool { return meansItem(c, &it, r.fold) }); i >= 0 {
				return i + 1
			}
		}
		for i := range b.Items {
			it := &b.Items[i]
			if _, star := it.Expr.(*Star); star {
				break
			}
			if equalExpr(it.Expr, e) || isColumn && meansItem(c, it, r.fold) {
				return i + 1
			}
		}
	}
	return 0
}

// meansItem reports whether a column of an ORDER BY means the item.
func meansItem(c *Column, it *Item, fold func(a, b string) bool) bool {
	if c.Table == "" {
		return it.Alias != "" && fold(it.Alias, c.Name)
	}
	column, ok := it.Expr.(*Column)
	return ok && fold(column.Name, c.Name) && (column.Table == "" || fold(column.Table, c.Table))
}
