package sqlast

import "slices"

// MySQL and MariaDB know a column of a view, or of a derived table that they merge, by
// the table that the view or derived table reads. Let C be one that reads a table called
// A. In some clauses the servers take A.x, which is a column of another table of the
// block, for C.x, and MariaDB 10.11 may end. A view usually has the table's own name in
// the policy, so A is compared with that. Such a column is refused, except next to a window.

// checkViewColumns refuses columns of a block that a server may take for others: as terms
// of windows and of GROUP BY, and in HAVING outside of its aggregates and subqueries.
func (r *resolver) checkViewColumns(sel *Select) {
	for _, e := range r.scope.windows {
		r.checkOrder(*e)
	}
	for _, e := range sel.GroupBy {
		if c, ok := e.(*Column); ok {
			r.checkItemColumn(c)
		}
	}
	havingColumns(sel, r.checkItemColumn)
}

func (r *resolver) failTaken(c *Column) {
	r.fail(AmbiguousColumn, c.Pos, c.Name,
		"'%s.%s' may also mean a column of the select list, of which servers take one or "+
			"the other: give that column an alias, or '%s' another one", c.Table, c.Name, c.Table)
}

// checkItemColumn refuses the column A.x if MySQL takes it for an item C.y that is called
// x. It does not if A.x is an item, too.
func (r *resolver) checkItemColumn(c *Column) {
	if c.Table == "" {
		return
	}
	r.work += 4 * len(r.scope.items)
	taken := false
	for i := range r.scope.items {
		it := &r.scope.items[i]
		column, ok := it.Expr.(*Column)
		if ok && EqualExpr(column, c) {
			return
		}
		taken = taken || ok && r.fold(itemName(it), c.Name) && r.readsTable(column.Table, c.Table)
	}
	if taken {
		r.failTaken(c)
	}
}

// checkOrder refuses an expression that orders rows if a server may take it for an item.
// MariaDB also takes an expression of A.x for an item that is the same expression of C.x.
func (r *resolver) checkOrder(e Expr) {
	if c, ok := e.(*Column); ok {
		r.checkItemColumn(c)
		return
	}
	if r.concatTaken(e) {
		r.fail(Unsupported, e.At(), "group_concat",
			"GROUP_CONCAT in ORDER BY is not supported next to another one of the "+
				"same values, of which servers take one or the other: give it an alias in the select list, and order by that")
		return
	}
	isTerm := func(it Item) bool { return EqualExpr(it.Expr, e) }
	if len(r.scope.tables) > 1 && !slices.ContainsFunc(r.scope.items, isTerm) {
		r.checkParts(e)
	}
}

// concatTaken reports whether MySQL takes a GROUP_CONCAT for an item that has another
// DISTINCT, ORDER BY or SEPARATOR. Without GROUP BY there is only one row to sort.
func (r *resolver) concatTaken(e Expr) bool {
	call, ok := e.(*Call)
	if !ok || call.Name != "group_concat" || !r.scope.grouped {
		return false
	}
	i := slices.IndexFunc(r.scope.items, func(it Item) bool {
		c, ok := it.Expr.(*Call)
		return ok && c.Name == call.Name && equalExprs(c.Args, call.Args)
	})
	return i >= 0 && !EqualExpr(r.scope.items[i].Expr, e)
}

// checkParts refuses a column A.x in an expression if an item has the column C.x.
func (r *resolver) checkParts(e Expr) {
	slots(e, func(part *Expr) {
		c, ok := (*part).(*Column)
		if !ok {
			r.checkParts(*part)
			return
		}
		for i := range r.scope.tables {
			b := &r.scope.tables[i]
			if !r.fold(b.alias, c.Table) && r.column(b, c.Name) >= 0 && r.readsTable(b.alias, c.Table) && r.isInItem(b.alias, c.Name) {
				r.failTaken(c)
			}
		}
	})
}

// isInItem reports whether an item has a column.
func (r *resolver) isInItem(alias, name string) bool {
	found := false
	for i := range r.scope.items {
		Walk(r.scope.items[i].Expr, func(n Node) bool {
			c, ok := n.(*Column)
			r.work++
			found = found || ok && c.Table == alias && r.fold(c.Name, name)
			return !found
		})
	}
	return found
}

// distinguishNearWindows replaces a column C.x by coalesce(C.x) next to a window function
// or as its argument, in an item or a term of ORDER BY, if A.x is a term of a window.
// MariaDB selects such a column on its own, and may take A.x for it. If A.x is also a term
// of ORDER BY or GROUP BY, it is ambiguous or ends a server of version 10.11.
func (r *resolver) distinguishNearWindows(items []Item, orderBy []Order) {
	if len(r.scope.windows) == 0 || r.err != nil {
		return
	}
	for i := range items {
		r.distinguishNearWindow(&items[i].Expr)
	}
	for i := range orderBy {
		r.distinguishNearWindow(&orderBy[i].Expr)
	}
}

func (r *resolver) distinguishNearWindow(e *Expr) {
	if !HasWindow(*e) {
		return
	}
	slots(*e, func(part *Expr) {
		c, ok := (*part).(*Column)
		if !ok {
			r.distinguishNearWindow(part)
			return
		}
		r.work += len(r.scope.windows)
		if slices.ContainsFunc(r.scope.windows, func(e *Expr) bool {
			term, ok := (*e).(*Column)
			return ok && r.fold(term.Name, c.Name) && r.readsTable(c.Table, term.Table)
		}) {
			*part = &Call{Pos: c.Pos, Name: "coalesce", Args: []Expr{c}} // which has the value of c
		}
	})
}

// readsTable reports whether the table of the current block with an alias is a view, a
// derived table or a common table expression that reads a table with the name.
func (r *resolver) readsTable(alias, name string) bool {
	i := r.byAlias(r.scope, "", alias)
	if i < 0 || name == "" {
		return false
	}
	b := &r.scope.tables[i]
	isView := func(o *Object) bool {
		return o != nil && (o.Filter != nil || o.Name != o.Logical) && r.fold(o.Logical, name)
	}
	found := isView(b.object)
	if b.query != nil && !found {
		Walk(b.query, func(n Node) bool {
			r.work++
			t, ok := n.(*Table)
			found = found || ok && (r.fold(t.Alias, name) || isView(t.Object))
			return !found
		})
	}
	return found
}
