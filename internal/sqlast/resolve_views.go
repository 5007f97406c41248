package sqlast

import "slices"

// MySQL and MariaDB know a column of a view, or of a derived table that they merge, by the
// table that this reads. If C is one that reads a table called A, they take A.x, which is a
// column of another table or of C itself, for C.x in some clauses. A view usually has the
// table's own name in the policy, so A is compared with that.

// namesVary checks the columns of a block for which MySQL may take an item: the terms of
// windows, which it sorts by coalesce(column) then, and those of GROUP BY and HAVING outside
// of its aggregates and subqueries, which are refused.
func (r *resolver) namesVary(sel *Select) {
	for _, e := range r.scope.windows {
		r.distinguish(e)
	}
	for _, e := range sel.GroupBy {
		r.refuseTaken(e)
	}
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
			r.refuseTaken(n)
		}
		return true
	})
}

func (r *resolver) refuseTaken(e Expr) {
	if c, ok := e.(*Column); ok && r.taken(c) != noTable {
		r.failTaken(c)
	}
}

func (r *resolver) failTaken(c *Column) {
	r.fail(AmbiguousColumn, c.Pos, c.Name, "'%s.%s' and another column of the select list have the same names, of which servers "+
		"take one or the other: give the columns aliases, or '%s' another alias", c.Table, c.Name, c.Table)
}

// taken reports whether MySQL takes A.x for an item C.y that is called x, unless A.x is an
// item, too: it returns how C reads a table called A.
func (r *resolver) taken(c *Column) reading {
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
// an item for it. It refuses the column if the server does so in the statement as it is
// written. MariaDB also takes an expression of A.x for an item that is the same expression
// of C.x.
func (r *resolver) distinguish(e *Expr) {
	if c, ok := (*e).(*Column); ok {
		r.distinguishAs(e, c, r.taken(c))
		return
	}
	if r.concatTaken(*e) {
		r.fail(Unsupported, (*e).At(), "group_concat", "GROUP_CONCAT in ORDER BY is not supported next to another one of the same "+
			"values, of which servers take one or the other: give it an alias in the select list, and order by that")
		return
	}
	if len(r.scope.tables) > 1 && !slices.ContainsFunc(r.scope.items, func(it Item) bool { return equalExpr(it.Expr, *e) }) {
		r.distinguishParts(*e)
	}
}

// concatTaken reports whether MySQL takes a GROUP_CONCAT for an item that has another
// DISTINCT, ORDER BY or SEPARATOR.
func (r *resolver) concatTaken(e Expr) bool {
	call, ok := e.(*Call)
	if !ok || call.Name != "group_concat" {
		return false
	}
	i := slices.IndexFunc(r.scope.items, func(it Item) bool {
		c, ok := it.Expr.(*Call)
		return ok && c.Name == call.Name && equalExprs(c.Args, call.Args)
	})
	return i >= 0 && !equalExpr(r.scope.items[i].Expr, e)
}

func (r *resolver) distinguishParts(e Expr) {
	slots(e, func(part *Expr) {
		if c, ok := (*part).(*Column); ok {
			r.distinguishAs(part, c, r.takenPart(c))
		} else {
			r.distinguishParts(*part)
		}
	})
}

func (r *resolver) distinguishAs(e *Expr, c *Column, how reading) {
	switch how {
	case asView:
		*e = valueOf(c)
	case asWritten:
		r.failTaken(c)
	}
}

// takenPart returns how a table C reads a table called A, if a column C.x in an item has the
// name of A.x.
func (r *resolver) takenPart(c *Column) reading {
	found := noTable
	for i := range r.scope.tables {
		b := &r.scope.tables[i]
		if r.fold(b.alias, c.Table) || r.column(b, c.Name) < 0 {
			continue
		}
		if how := r.readsName(b.alias, c.Table); how > found && r.isItemPart(b.alias, c.Name) {
			found = how
		}
	}
	return found
}

// isItemPart reports whether an item has a column.
func (r *resolver) isItemPart(alias, name string) bool {
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

// splitWindows replaces a column C.x next to a window function, or as its argument, in an
// item or a term of ORDER BY by coalesce(C.x), if A.x is a term of a window. MariaDB selects
// such a column on its own, and may take A.x for it. If A.x is also a term of ORDER BY or
// GROUP BY, it is ambiguous or ends a server of version 10.11.
func (r *resolver) splitWindows(items []Item, orderBy []Order) {
	if len(r.scope.windows) == 0 || r.err != nil {
		return
	}
	for i := range items {
		r.splitWindow(&items[i].Expr)
	}
	for i := range orderBy {
		r.splitWindow(&orderBy[i].Expr)
	}
}

func (r *resolver) splitWindow(e *Expr) {
	if !hasWindow(*e) {
		return
	}
	slots(*e, func(part *Expr) {
		c, ok := (*part).(*Column)
		if !ok {
			r.splitWindow(part)
			return
		}
		r.work += len(r.scope.windows)
		if slices.ContainsFunc(r.scope.windows, func(e *Expr) bool {
			term, ok := (*e).(*Column)
			return ok && r.fold(term.Name, c.Name) && r.readsName(c.Table, term.Table) != noTable
		}) {
			*part = valueOf(c)
		}
	})
}

// A reading is how a table of a block reads a table with a name.
type reading int

const (
	noTable   reading = iota
	asView            // through a view, which is a table in the statement as it is written
	asWritten         // in its query
)

// readsName returns how a table of the current block, which is a view, a derived table or a
// common table expression, reads a table with this name.
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

// valueOf returns coalesce(c), which servers take for no other column.
func valueOf(c *Column) *Call { return &Call{Pos: c.Pos, Name: "coalesce", Args: []Expr{c}} }
