package sqlast

// selectBlock resolves a block in the order in which its names become visible.
func (r *resolver) selectBlock(sel *Select) *scope {
	outer := r.scope
	s := &scope{outer: outer, distinct: sel.Distinct, rollup: sel.Rollup}
	r.scope = s
	if !r.checkWidth(sel.Pos, len(sel.Items)) {
		return s
	}
	r.from(sel.From, s)
	s.clause = inItems
	bound := r.expand(sel, s)
	r.checkWidth(sel.Pos, len(sel.Items))
	s.items = sel.Items
	r.itemList(sel, bound)
	for _, w := range sel.Windows {
		r.window(w)
	}
	s.clause = inWhere
	r.optional(&sel.Where)
	s.clause = inGroupBy
	all := r.groupByAll(sel, s)
	for i := range sel.GroupBy {
		if _, several := sel.GroupBy[i].(*GroupingSet); several || sel.Rollup {
			r.resolution.Plain = false
		}
		r.term(&sel.GroupBy[i], s)
	}
	if sel.Rollup {
		r.rollup(sel)
	}
	if r.flavor.GroupsAsWritten {
		r.groupingSets(sel, s)
	}
	s.clause = inDistinctOn
	for i := range sel.DistinctOn {
		r.term(&sel.DistinctOn[i], s)
	}
	s.groupBy, s.clause = sel.GroupBy, inHaving
	r.optional(&sel.Having)
	if all {
		r.havingOfAll(sel)
	}
	s.clause = inQualify
	r.optional(&sel.Qualify)
	if r.flavor.ServersVary && (sel.GroupBy != nil || sel.Having != nil || s.windowed) {
		r.distinguish(s)
	}
	r.scope = outer
	return s
}

// itemList resolves the select list. An item that was a column and becomes
// something else, or gets another spelling, keeps its name as an alias. Columns of
// stars are bound already.
func (r *resolver) itemList(sel *Select, bound []bool) {
	s := r.scope
	for i := range sel.Items {
		s.done = i
		if bound != nil && bound[i] {
			continue
		}
		it := &sel.Items[i]
		name := itemName(it)
		r.expr(&it.Expr)
		if itemName(it) != name {
			it.Alias = name
		}
	}
	s.done = len(sel.Items)
}
