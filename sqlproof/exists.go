package sqlproof

import (
	"slices"

	"github.com/qedkit/qed/internal/sqlast"
	"github.com/qedkit/qed/secureview"
)

// WithoutRepeats returns a statement in which joins that only repeat rows are replaced: an
// inner join of a table of which nothing but conditions is read becomes EXISTS, and a left
// join of a table of which nothing is read goes. Each row that was repeated is there once
// then, so that sums and averages count it once. It returns "" if there is no such join in
// the outermost block, or if what is counted there are joined rows.
//
// The text has the names that the policy and the model use. It has to pass the guard, and
// is right if [Prover.Check] proves what it contradicted before.
func WithoutRepeats(s *secureview.Statement) string {
	q := s.Query()
	if q == nil {
		return ""
	}
	sel, ok := q.Body.(*sqlast.Select)
	if !ok || sel.From == nil || countsJoined(sel, q.OrderBy) {
		return ""
	}
	with := *sel
	r := &remover{sel: &with, order: q.OrderBy}
	with.From = r.relation(sel.From)
	if !r.changed {
		return ""
	}
	again := *q
	again.Body = &with
	if s.Capped() {
		again.Limit = nil
	}
	text, err := s.Dialect().Append(nil, &again, false)
	if err != nil {
		return ""
	}
	return string(text)
}

// countsJoined reports whether a block has COUNT(*), adds constants, or has a window function:
// what these return changes with the joins. An aggregate of DISTINCT values would not change,
// though rows with equal values are missing in a sum.
func countsJoined(sel *sqlast.Select, order []sqlast.Order) bool {
	counts := false
	eachExpr(sel, order, func(e sqlast.Expr) {
		counts = counts || sqlast.HasWindow(e) ||
			sqlast.HasCall(e, func(c *sqlast.Call) bool {
				return sqlast.IsAggregate(c) && (!namesColumn(c) || c.Distinct && !same[c.Name] && !counting[c.Name] && !collecting[c.Name])
			})
	})
	return counts
}

func namesColumn(e sqlast.Expr) bool {
	return sqlast.Any(e, func(*sqlast.Column) bool { return true })
}

// A remover takes joins out of the FROM of a block.
type remover struct {
	sel     *sqlast.Select // a copy, whose Where it changes
	order   []sqlast.Order
	changed bool
}

// relation returns a relation without the joins on its left side that only repeat rows.
func (r *remover) relation(rel sqlast.Relation) sqlast.Relation {
	j, ok := rel.(*sqlast.Join)
	if !ok || j.AsOf || j.Natural || j.Using != nil || j.Kind == sqlast.RightJoin || j.Kind == sqlast.FullJoin {
		return rel
	}
	kept := *j
	kept.Left = r.relation(j.Left)
	t, ok := j.Right.(*sqlast.Table)
	if !ok || j.On == nil || j.Kind != sqlast.InnerJoin && j.Kind != sqlast.LeftJoin || r.outside(t, j) {
		return &kept
	}
	var own, rest []sqlast.Expr
	for _, c := range sqlast.Conjuncts(r.sel.Where) {
		if namesOf(c, t) {
			own = append(own, c)
		} else {
			rest = append(rest, c)
		}
	}
	if j.Kind == sqlast.LeftJoin && len(own) > 0 {
		return &kept
	}
	if j.Kind == sqlast.InnerJoin {
		inner := &sqlast.Select{
			Pos: t.Pos, Items: []sqlast.Item{{Expr: &sqlast.Number{Pos: t.Pos, Text: "1"}}}, From: t,
			Where: sqlast.Conjunction(append([]sqlast.Expr{j.On}, own...)...),
		}
		rest = append(rest, &sqlast.Exists{Pos: t.Pos, Query: &sqlast.Query{Pos: t.Pos, Body: inner}})
	}
	r.sel.Where, r.changed = sqlast.Conjunction(rest...), true
	return kept.Left
}

// outside reports whether anything but the ON of a join and the WHERE names columns of a
// table.
func (r *remover) outside(t *sqlast.Table, join *sqlast.Join) bool {
	found := false
	eachExpr(r.sel, r.order, func(e sqlast.Expr) { found = found || e != r.sel.Where && namesOf(e, t) })
	return found || namesOf(r.sel.From, t, join.On)
}

// namesOf reports whether a node, without some parts of it, names a column of a relation.
func namesOf(n sqlast.Node, of sqlast.Relation, without ...sqlast.Node) bool {
	found := false
	sqlast.Walk(n, func(n sqlast.Node) bool {
		if slices.Contains(without, n) {
			return false
		}
		switch n := n.(type) {
		case *sqlast.Column:
			found = found || n.Of == of
		case *sqlast.Star:
			found = found || n.Of == of
		}
		return !found
	})
	return found
}
