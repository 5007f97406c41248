package sqlast

import "slices"

// window resolves a window. The engine looks up names of windows: they cannot mean
// anything else.
func (r *resolver) window(w *Window) {
	for _, o := range w.OrderBy {
		c, ok := o.Expr.(*Column)
		if ok && c.Table == "" && c.Path == nil && r.scope != nil && r.isEither(c, r.scope) {
			r.failAlias(c.Pos, c.Name, "ORDER BY of a window")
		}
	}
	windowSlots(w, r.visit)
	if r.flavor.ServersVary && r.scope != nil {
		r.scope.windowed = true
		windowSlots(w, func(e *Expr) { r.refuseConcat(*e) })
	}
}

// isEither reports whether a name is a column of s and the alias of an item that is not a
// column with this name.
func (r *resolver) isEither(c *Column, s *scope) bool {
	r.work += 4 * len(s.items)
	isOther := func(it Item) bool {
		column, isColumn := it.Expr.(*Column)
		return it.Alias != "" && r.fold(it.Alias, c.Name) && !(isColumn && r.fold(column.Name, c.Name))
	}
	return slices.ContainsFunc(s.items, isOther) && len(r.tablesWith(s, s.lo, s.hi, c.Name)) > 0
}
