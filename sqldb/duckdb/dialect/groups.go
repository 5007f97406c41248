package dialect

import (
	"github.com/qedkit/qed/internal/sqlast"
	"github.com/qedkit/qed/internal/sqlread"
)

// sketches are aggregates that need some 10 KB for each group or window, which DuckDB
// does not count against its memory limit.
var sketches = sqlread.Words("approx_quantile approx_top_k")

// checkGroups refuses them in a query with GROUP BY, and as window functions.
func (r *reader) checkGroups(q *sqlast.Query) {
	sqlast.Walk(q, func(n sqlast.Node) bool {
		switch n := n.(type) {
		case *sqlast.Query:
			if s, ok := n.Body.(*sqlast.Select); ok && len(s.GroupBy) > 0 {
				for _, order := range n.OrderBy {
					r.checkSketches(order.Expr)
				}
			}
		case *sqlast.Select:
			if len(n.GroupBy) > 0 {
				for _, item := range n.Items {
					r.checkSketches(item.Expr)
				}
				r.checkSketches(n.Having)
				r.checkSketches(n.Qualify)
			}
		case *sqlast.Call:
			if n.Over != nil && sketches[n.Name] {
				r.refuseSketch(n)
			}
		}
		return r.err == nil
	})
}

// checkSketches refuses sketches in an expression of a query with groups.
func (r *reader) checkSketches(e sqlast.Expr) {
	if e == nil {
		return
	}
	sqlast.Walk(e, func(n sqlast.Node) bool {
		switch n := n.(type) {
		case *sqlast.Query:
			return false // it has groups of its own
		case *sqlast.Call:
			if sketches[n.Name] {
				r.refuseSketch(n)
			}
		}
		return r.err == nil
	})
}

func (r *reader) refuseSketch(c *sqlast.Call) {
	r.fail(sqlast.TooCostly, c.Pos, c.Name, c.Name+" needs much memory for each group: use it without GROUP BY and OVER, "+
		"or use quantile_cont, or count with ORDER BY and LIMIT")
}
