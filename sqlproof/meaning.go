package sqlproof

import (
	"slices"

	"github.com/qedkit/qed/internal/lists"
	"github.com/qedkit/qed/internal/sqlast"
	"github.com/qedkit/qed/sqlproof/proof"
)

// meaning says what a block computes.
func (s *scope) meaning(sel *sqlast.Select, order []sqlast.Order) *proof.Meaning {
	m := &proof.Meaning{Distinct: sel.Distinct}
	words := s.words(s.frame)
	for _, it := range sel.Items {
		s.values(m, it.Expr)
	}
	for _, l := range s.leaves {
		m.Tables = lists.Add(m.Tables, l.long())
	}
	for i := range s.conds {
		if k := &s.conds[i]; !s.joining(k) {
			m.Where = lists.Add(m.Where, s.words(k.frame)(k.expr))
		}
	}
	for _, e := range sel.GroupBy {
		m.GroupBy = lists.Add(m.GroupBy, words(s.term(sel, e)))
	}
	if sel.Having != nil {
		m.Having = words(sel.Having)
	}
	for _, o := range order {
		if o.Expr != nil {
			text := words(s.term(sel, o.Expr))
			if o.Desc {
				text += " DESC"
			}
			m.OrderBy = append(m.OrderBy, text)
		}
	}
	return m
}

// values adds the aggregates of an item.
func (s *scope) values(m *proof.Meaning, e sqlast.Expr) {
	sqlast.Walk(e, func(n sqlast.Node) bool {
		call, ok := n.(*sqlast.Call)
		if !ok || !sqlast.IsAggregate(call) {
			_, query := n.(*sqlast.Query)
			return !query
		}
		v := proof.Value{Function: call.Name, Distinct: call.Distinct}
		if len(call.Args) > 0 {
			v.Of = s.words(s.frame)(call.Args[0])
		}
		if !slices.Contains(m.Values, v) {
			m.Values = append(m.Values, v)
		}
		return false
	})
}

// joining reports whether a condition does nothing but compare columns of different leaves.
func (s *scope) joining(k *cond) bool {
	joining := false
	for x, y := range equalities(k.expr) {
		left, _ := s.value(k.frame, x)
		right, _ := s.value(k.frame, y)
		if left == nil || right == nil || left == right {
			return false
		}
		joining = true
	}
	return joining
}

// words returns the function that writes the expressions of a frame. Columns have the names of
// their tables if there are several.
func (s *scope) words(f *frame) func(sqlast.Expr) string {
	name := func(c *sqlast.Column) string {
		if len(s.leaves) < 2 {
			return c.Name
		}
		if p := s.find(f, c.Of); p != nil && p.leaf != nil {
			return p.leaf.label + "." + c.Name
		}
		return sqlast.QualifiedName(c)
	}
	return func(e sqlast.Expr) string { return sqlast.Words(e, name) }
}
