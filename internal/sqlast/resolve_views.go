package sqlast

import "slices"

// MySQL and MariaDB know a column of a view, or of a derived table that they merge, by
// the table that the view or derived table reads. Let C be one that reads a table called
// A. In some clauses the servers take A.x, which is a column of another table or of C
// itself, for C.x. A view usually has the table's own name in the policy, so A is compared
// with that.

// checkViewColumns looks for columns of a block that MySQL may take for an item. The terms
// of windows are then printed as coalesce(column). Those of GROUP BY are refused, and so
// are columns of HAVING outside of its aggregates and subqueries.
func (r *resolver) checkViewColumns(sel *Select) {
	for _, e := range r.scope.windows {
		r.distinguish(e)
	}
	for _, e := range sel.GroupBy {
		r.refuseTaken(e)
	}
	havingColumns(sel, func(c *Column) { r.refuseTaken(c) })
}

func (r *resolver) refuseTaken(e Expr) {
	if c, ok := e.(*Column); ok && r.takenItem(c) != noTable {
		r.failTaken(c)
	}
}

func (r *resolver) failTaken(c *Column) {
	r.fail(AmbiguousColumn, c.Pos, c.Name,
		"'%s.%s' may also mean a column of the select list, of which servers take one or "+
			"the other: give that column an alias, or '%s' another one", c.Table, c.Name, c.Table)
}

// takenItem returns how C reads a table called A, if MySQL takes the column A.x for an item
// C.y that is called x. It does not if A.x is an item, too.
func (r *resolver) takenItem(c *Column) reading {
	if c.Table == "" {
		return noTable
	}
	r.work += 4 * len(r.scope.items)
	found := noTable
	for i := range r.scope.items {
		it := &r.scope.items[i]
		column, ok := it.Expr.(*Column)
		if ok && equalExpr(column, c) {
			return noTable
		}
		if ok && r.fold(itemName(it), c.Name) {
			found = max(found, r.readsName(column.Table, c.Table))
		}
	}
	return found
}

// distinguish replaces a column that orders rows by coalesce(column), if a server may take
// it for an item. It refuses the column if the server would also do so in the statement as
// it is written. MariaDB also takes an expression of A.x for an item that is the same
// expression of C.x.
func (r *resolver) distinguish(e *Expr) {
	if c, ok := (*e).(*Column); ok {
		r.distinguishAs(e, c, r.takenItem(c))
		return
	}
	if r.concatTaken(*e) {
		r.fail(Unsupported, (*e).At(), "group_concat",
			"GROUP_CONCAT in ORDER BY is not supported next to another one of the "+
				"same values, of which servers take one or the other: give it an alias in the select list, and order by that")
		return
	}
	isTerm := func(it Item) bool { return equalExpr(it.Expr, *e) }
	if len(r.scope.tables) > 1 && !slices.ContainsFunc(r.scope.items, isTerm) {
		r.distinguishParts(*e)
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
	return i >= 0 && !equalExpr(r.scope.items[i].Expr, e)
}

// distinguishParts replaces or refuses the columns in an expression that a server may take
// for those of an item.
func (r *resolver) distinguishParts(e Expr) {
	slots(e, func(part *Expr) {
		if c, ok := (*part).(*Column); ok {
			r.distinguishAs(part, c, r.takenColumn(c))
		} else {
			r.distinguishParts(*part)
		}
	})
}

// distinguishAs replaces or refuses a column at e, by how the other table reads its table.
func (r *resolver) distinguishAs(e *Expr, c *Column, how reading) {
	switch how {
	case asView:
		*e = coalesce(c)
	case asWritten:
		r.failTaken(c)
	}
}

// takenColumn returns how a table C reads a table called A, if an item has the column C.x,
// which a server may take for A.x.
func (r *resolver) takenColumn(c *Column) reading {
	found := noTable
	for i := range r.scope.tables {
		b := &r.scope.tables[i]
		if r.fold(b.alias, c.Table) || r.column(b, c.Name) < 0 {
			continue
		}
		if how := r.readsName(b.alias, c.Table); how > found && r.isInItem(b.alias, c.Name) {
			found = how
		}
	}
	return found
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
			return ok && r.fold(term.Name, c.Name) && r.readsName(c.Table, term.Table) != noTable
		}) {
			*part = coalesce(c)
		}
	})
}

// A reading is how a view, a derived table or a common table expression reads a table.
type reading int

const (
	noTable   reading = iota
	asView            // through a view, which is a table in the statement as it is written
	asWritten         // in a query of the statement
)

// readsName returns how the table of the current block with this alias reads a table with
// this name.
func (r *resolver) readsName(alias, name string) reading {
	i := r.byAlias(r.scope, "", alias)
	if i < 0 || name == "" {
		return noTable
	}
	b := &r.scope.tables[i]
	found := noTable
	isView := func(o *Object) bool { return o != nil && o.Name != o.Logical && r.fold(o.Logical, name) }
	if isView(b.object) {
		found = asView
	}
	if b.query != nil {
		Walk(b.query, func(n Node) bool {
			r.work++
			if t, ok := n.(*Table); ok && r.fold(t.Alias, name) {
				found = asWritten
			} else if ok && isView(t.Object) {
				found = max(found, asView)
			}
			return true
		})
	}
	return found
}

// coalesce returns coalesce(e), which has the value of e and no engine takes for e.
func coalesce(e Expr) *Call { return &Call{Pos: e.At(), Name: "coalesce", Args: []Expr{e}} }
