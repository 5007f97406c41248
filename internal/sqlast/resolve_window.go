package sqlast

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
