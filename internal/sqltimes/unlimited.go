package sqltimes

import "github.com/qedkit/qed/internal/sqlast"

// unlimited reports whether a SELECT has values of rows of all times, next to those that
// conditions limit: COUNT(*) next to SUM(CASE WHEN d < '2026-04-01' ..), or a count of
// what an outer join keeps. conditions are those found in its values.
func (r *reader) unlimited(sel *sqlast.Select, conditions []found) bool {
	matching := r.matched[sel]
	own, others := 0, 0 // aggregates with a condition on times of their own, and without
	kept := false
	for _, it := range sel.Items {
		sqlast.Walk(it.Expr, func(n sqlast.Node) bool {
			call, ok := n.(*sqlast.Call)
			if !ok || !sqlast.IsAggregate(call) {
				_, isQuery := n.(*sqlast.Query)
				return !isQuery
			}
			timed, matched := false, false
			sqlast.Walk(call, func(n sqlast.Node) bool {
				c, isColumn := n.(*sqlast.Column)
				timed, matched = timed || r.read[n], matched || isColumn && matching[c.Of]
				return true
			})
			if timed {
				own++
			} else {
				others++
				kept = kept || matching != nil && !matched
			}
			return false
		})
	}
	aggregated := own+others > 0 || len(sel.GroupBy) > 0
	for _, f := range conditions {
		if f.in == sel && (!aggregated || f.key.of != "") {
			return true
		}
	}
	return own > 0 && others > 0 || kept || matching != nil && !aggregated && sqlast.Body(sel) != r.top
}

// unlimitedUse reports whether a table that conditions limit is used again without one.
func (r *reader) unlimitedUse() bool {
	limited, objects := map[sqlast.Relation]bool{}, map[*sqlast.Object]bool{}
	for _, f := range r.found {
		limited[f.key.rel] = true
		if t, ok := f.key.rel.(*sqlast.Table); ok {
			objects[t.Object] = true
		}
	}
	for rel := range r.owners {
		if t, ok := rel.(*sqlast.Table); ok && t.Object != nil && objects[t.Object] && !limited[rel] {
			return true
		}
	}
	return false
}

// match notes that an outer join of a FROM matches rows only if a condition on times holds. The
// rows that it keeps are of all times.
func (r *reader) match(j *sqlast.Join, in *sqlast.Select) {
	if r.matched[in] == nil {
		r.matched[in] = map[sqlast.Relation]bool{}
	}
	var side []sqlast.Relation
	switch j.Kind {
	case sqlast.LeftJoin:
		side = sqlast.Relations(j.Right)
	case sqlast.RightJoin:
		side = sqlast.Relations(j.Left)
	}
	for _, rel := range side {
		r.matched[in][rel] = true
	}
}
