package sqlproof

import (
	"cmp"
	"slices"
	"strings"

	"github.com/qedkit/qed/internal/lists"
	"github.com/qedkit/qed/internal/prompt"
	"github.com/qedkit/qed/internal/sqlast"
	"github.com/qedkit/qed/sqlproof/proof"
)

// meaning says what a block computes.
func (s *scope) meaning(sel *sqlast.Select, order []sqlast.Order) *proof.Meaning {
	m := &proof.Meaning{Distinct: sel.Distinct}
	for _, it := range sel.Items {
		s.values(m, it.Expr)
	}
	for _, l := range s.leaves {
		m.Tables = lists.Add(m.Tables, l.long())
	}
	all := s.seenBy(nil)
	for i := range s.conds {
		k := &s.conds[i]
		switch {
		case s.joining(k):
		case all.hard(k):
			m.Where = lists.Add(m.Where, s.words(k.frame, k.expr))
		default:
			m.Matching = lists.Add(m.Matching, s.words(k.frame, k.expr))
		}
	}
	for _, e := range sel.GroupBy {
		m.GroupBy = lists.Add(m.GroupBy, s.words(s.frame, s.term(sel, e)))
	}
	if sel.Having != nil {
		m.Having = s.words(s.frame, sel.Having)
	}
	for _, o := range order {
		if o.Expr != nil {
			text := s.words(s.frame, s.term(sel, o.Expr))
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
		of := lists.Map(call.Args, func(e sqlast.Expr) string { return s.words(s.frame, e) })
		if call.Within {
			for _, o := range call.OrderBy {
				of = append(of, s.words(s.frame, o.Expr))
			}
		}
		v.Of = strings.Join(of, ", ")
		if call.Filter != nil {
			v.Of = cmp.Or(v.Of, "*") + " FILTER (WHERE " + s.words(s.frame, call.Filter) + ")"
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

// words returns an expression of a frame as people read it, with the names of tables if there
// are several.
func (s *scope) words(f *frame, e sqlast.Expr) string {
	names := map[string]string{}
	alone := len(s.leaves) < 2 && !sqlast.Any(e, func(*sqlast.Query) bool { return true })
	sqlast.Walk(e, func(n sqlast.Node) bool {
		if c, ok := n.(*sqlast.Column); ok {
			if alone {
				names[c.Table] = ""
			} else if p := s.find(f, c.Of); p != nil && p.leaf != nil {
				names[c.Table] = p.leaf.label
			}
		}
		return true
	})
	return cmp.Or(prompt.Clip(sqlast.Words(s.language, e, names), maxWords), "...")
}

const maxWords = 200 // bytes
