package sqltimes

import "github.com/qedkit/qed/internal/sqlast"

// unlimited reports whether a SELECT has values of rows of all times, next to those that
// conditions limit: COUNT(*) next to SUM(CASE WHEN d < '2026-04-01' ..), or a count of
// what an outer join keeps. conditions are those found in its values.
func (r *reader) unlimited(sel *sqlast.Select, in *env, conditions []found) bool {
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
				timed, matched = timed || r.read[n], matched || isColumn && in.matched[c.Table]
				return true
			})
			if timed {
				own++
			} else {
				others++
				kept = kept || in.matched != nil && !matched
			}
			return false
		})
	}
	aggregated := own+others > 0 || len(sel.GroupBy) > 0
	for _, f := range conditions {
		if f.in == in && (!aggregated || f.key.of != "") {
			return true
		}
	}
	return own > 0 && others > 0 || kept || in.matched != nil && !aggregated && sqlast.Body(sel) != r.top
}

// unlimitedUse reports whether a table that conditions limit is used again without one.
func (r *reader) unlimitedUse() bool {
	limited, objects := map[*relation]bool{}, map[*sqlast.Object]bool{}
	for _, f := range r.found {
		limited[f.key.rel] = true
		objects[f.key.rel.object] = true
	}
	for _, in := range r.envs {
		for _, rel := range in.relations {
			if rel.object != nil && objects[rel.object] && !limited[rel] {
				return true
			}
		}
	}
	return false
}

// match notes that an outer join matches rows by their times.
func (in *env) match(j *sqlast.Join) {
	side := &env{relations: map[string]*relation{}}
	switch j.Kind {
	case sqlast.LeftJoin:
		side.add(j.Right)
	case sqlast.RightJoin:
		side.add(j.Left)
	case sqlast.FullJoin:
	default:
		return
	}
	if in.matched == nil {
		in.matched = map[string]bool{}
	}
	for name := range side.relations {
		in.matched[name] = true
	}
}
