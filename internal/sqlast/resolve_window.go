package sqlast

// window resolves a window. The engine looks up names of windows: they cannot mean
// anything else.
func (r *resolver) window(w *Window) {
	for _, o := range w.OrderBy {
		c, ok := o.Expr.(*Column)
		if ok && c.Table == "" && r.flavor.ServersVary && r.scope != nil && r.isEither(c, r.scope) {
			r.fail(AmbiguousColumn, c.Pos, c.Name, "'%s' in ORDER BY of a window is a column and a select alias, of which "+
				"servers take one or the other: qualify the column, or rename the alias", c.Name)
		}
	}
	windowSlots(w, r.visit)
	if r.flavor.ServersVary && r.scope != nil {
		add := func(e *Expr) { r.scope.windows = append(r.scope.windows, e) }
		listSlots(w.PartitionBy, add)
		orderSlots(w.OrderBy, add)
	}
}
