package sqlast

import "slices"

// window resolves a window. The engine looks up names of windows: they cannot mean
// anything else.
func (r *resolver) window(w *Window) {
	for _, o := range w.OrderBy {
		if c, ok := o.Expr.(*Column); ok && c.Table == "" && r.flavor.ServersVary && r.scope != nil {
			r.aliasVaries(c, r.scope)
		}
	}
	windowSlots(w, r.visit)
	if r.flavor.ServersVary && r.scope != nil {
		add := func(e *Expr) { r.scope.windows = append(r.scope.windows, e) }
		listSlots(w.PartitionBy, add)
		orderSlots(w.OrderBy, add)
	}
}

// aliasVaries refuses a name that is a column and the alias of something else.
func (r *resolver) aliasVaries(c *Column, s *scope) {
	r.work += 4 * len(s.items)
	for i := range s.items {
		it := &s.items[i]
		column, isColumn := it.Expr.(*Column)
		isSame := isColumn && r.fold(column.Name, c.Name)
		if it.Alias != "" && r.fold(it.Alias, c.Name) && !isSame && len(r.tablesWith(s, s.lo, s.hi, c.Name)) > 0 {
			r.fail(AmbiguousColumn, c.Pos, c.Name, "'%s' in ORDER BY of a window is a column and a select alias, of which "+
				"servers take one or the other: qualify the column, or rename the alias", c.Name)
		}
	}
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

// hasWindow reports whether an expression calls a window function of its own block.
func hasWindow(e Expr) bool { return hasCall(e, func(c *Call) bool { return c.Over != nil }) }

// hasCall reports whether an expression has a call of its own block for which is returns true.
func hasCall(e Expr, is func(*Call) bool) bool {
	found := false
	Walk(e, func(n Node) bool {
		if c, ok := n.(*Call); ok {
			found = found || is(c)
		}
		_, isQuery := n.(*Query)
		return !isQuery && !found
	})
	return found
}
