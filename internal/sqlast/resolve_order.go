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
	for i := range q.OrderBy {
		if r.term(&q.OrderBy[i].Expr, s); r.flavor.ServersVary {
			r.refuseConcat(q.OrderBy[i].Expr)
		}
	}
	if r.flavor.ServersVary {
		r.distinguish(s)
	}
	// A constant orders nothing, and DuckDB refuses it.
	q.OrderBy = slices.DeleteFunc(q.OrderBy, func(o Order) bool { _, null := o.Expr.(*Null); return null })
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
		return EqualExpr(term, e)
	})
}
