package sqlast

import (
	"slices"
	"strconv"
)

// groupByAll replaces GROUP BY ALL by the positions of the items that have a column
// of the block and no aggregate, which are DuckDB's groups. It reports whether there
// was one.
func (r *resolver) groupByAll(sel *Select, s *scope) bool {
	if len(sel.GroupBy) != 1 {
		return false
	}
	star, ok := sel.GroupBy[0].(*Star)
	if !ok {
		return false
	}
	sel.GroupBy = nil
	for i, it := range sel.Items {
		own, below := r.ownColumns(it.Expr, s)
		if below {
			r.fail(Unsupported, it.Expr.At(), "GROUP BY ALL", "GROUP BY ALL next to a subquery that names a column of the block "+
				"is not supported: write the groups instead of ALL")
		}
		if own && !HasAggregate(it.Expr) {
			sel.GroupBy = append(sel.GroupBy, &Number{Pos: star.Pos, Text: strconv.Itoa(i + 1)})
		}
	}
	return true
}

// havingOfAll refuses columns in HAVING that are no groups of GROUP BY ALL by
// themselves: DuckDB makes groups of them too.
func (r *resolver) havingOfAll(sel *Select) {
	havingColumns(sel, func(c *Column) {
		r.work += len(sel.GroupBy)
		if !slices.ContainsFunc(sel.Items, func(it Item) bool { return EqualExpr(it.Expr, c) }) {
			r.fail(Misplaced, c.Pos, c.Name,
				"'%s' in HAVING is no item of the select list, and GROUP BY ALL would group by it: "+
					"write the groups instead of ALL", c.Name)
		}
	})
}

// ownColumns reports whether an expression has a column of the block of s, and whether it
// has one in a subquery.
func (r *resolver) ownColumns(e Expr, s *scope) (own, below bool) {
	var visit func(n Node, inQuery bool)
	visit = func(n Node, inQuery bool) {
		Walk(n, func(n Node) bool {
			switch n := n.(type) {
			case *Query:
				if !inQuery {
					visit(n, true)
					return false
				}
			case *Column:
				isOwn := r.byAlias(s, "", n.Table) >= 0
				own, below = own || isOwn && !inQuery, below || isOwn && inQuery
			}
			return true
		})
	}
	visit(e, false)
	return own, below
}
