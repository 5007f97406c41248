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
		isGroup := r.hasOwnColumn(it.Expr, s) || slices.Contains(s.inward, i)
		if isGroup && !HasAggregate(it.Expr) && !slices.Contains(s.lifted, i) {
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
		if !slices.ContainsFunc(sel.Items, func(it Item) bool { return equalExpr(it.Expr, c) }) {
			r.fail(Misplaced, c.Pos, c.Name,
				"'%s' in HAVING is no item of the select list, and GROUP BY ALL would group by it: "+
					"write the groups instead of ALL", c.Name)
		}
	})
}

// hasOwnColumn reports whether an expression without an aggregate has a column of the
// block of s outside of its subqueries.
func (r *resolver) hasOwnColumn(e Expr, s *scope) bool {
	found := false
	Walk(e, func(n Node) bool {
		switch n := n.(type) {
		case *Query:
			return false
		case *Column:
			found = found || r.byQualifier(s, "", n.Table) >= 0
		}
		return !found
	})
	return found
}
