package sqlproof

import (
	"slices"
	"strings"

	"github.com/qedkit/qed/internal/lists"
	"github.com/qedkit/qed/internal/sqlast"
	"github.com/qedkit/qed/sqlproof/proof"
)

// meaning says what a block computes.
func (s *scope) meaning(sel *sqlast.Select, order []sqlast.Order) *proof.Meaning {
	m := &proof.Meaning{Distinct: sel.Distinct}
	w := s.in(s.frame)
	for _, it := range sel.Items {
		s.values(m, it.Expr)
	}
	for _, l := range s.leaves {
		m.Tables = lists.Add(m.Tables, l.long())
	}
	for i := range s.conds {
		if k := &s.conds[i]; !s.joining(k) {
			m.Where = lists.Add(m.Where, s.in(k.frame).words(k.expr))
		}
	}
	for _, e := range sel.GroupBy {
		m.GroupBy = lists.Add(m.GroupBy, w.words(s.term(sel, e)))
	}
	if sel.Having != nil {
		m.Having = w.words(sel.Having)
	}
	for _, o := range order {
		if o.Expr != nil {
			text := w.words(s.term(sel, o.Expr))
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
			v.Of = s.in(s.frame).words(call.Args[0])
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

// operators as people read them.
var operators = map[sqlast.BinaryOp]string{
	sqlast.And: " AND ", sqlast.Or: " OR ", sqlast.Eq: " = ", sqlast.Ne: " <> ", sqlast.Lt: " < ", sqlast.Le: " <= ",
	sqlast.Gt: " > ", sqlast.Ge: " >= ", sqlast.Add: " + ", sqlast.Sub: " - ", sqlast.Mul: " * ", sqlast.Div: " / ",
	sqlast.Same: " IS ", sqlast.NotSame: " IS NOT ", sqlast.Mod: " % ", sqlast.Concat: " || ",
}

// A wording writes the expressions of a frame. Columns have the names of their tables if
// there are several.
type wording struct {
	scope *scope
	frame *frame
}

func (s *scope) in(f *frame) wording { return wording{s, f} }

// words returns an expression in short: names without quotes and tables, and "..." for what
// is longer than a reader wants.
func (w wording) words(e sqlast.Expr) string {
	not := func(is bool) string {
		if is {
			return "NOT "
		}
		return ""
	}
	all := func(list []sqlast.Expr) string {
		var out []string
		for _, x := range list {
			if len(out) == 5 {
				out = append(out, "...")
				break
			}
			out = append(out, w.words(x))
		}
		return strings.Join(out, ", ")
	}
	switch e := e.(type) {
	case *sqlast.Column:
		if w.scope == nil || len(w.scope.leaves) < 2 {
			return e.Name
		}
		if p := w.scope.find(w.frame, e.Of); p != nil && p.leaf != nil {
			return p.leaf.label + "." + e.Name
		}
		return strings.TrimPrefix(e.Table+"."+e.Name, ".")
	case *sqlast.Number:
		return e.Text
	case *sqlast.String:
		return "'" + e.Value + "'"
	case *sqlast.Null:
		return "NULL"
	case *sqlast.Bool:
		if e.Value {
			return "TRUE"
		}
		return "FALSE"
	case *sqlast.Now:
		return "now"
	case *sqlast.Unary:
		return map[sqlast.UnaryOp]string{sqlast.Not: "NOT ", sqlast.Minus: "-", sqlast.Plus: "", sqlast.BitNot: "~"}[e.Op] + w.operand(e.X)
	case *sqlast.Binary:
		if op, ok := operators[e.Op]; ok {
			return w.operand(e.X) + op + w.operand(e.Y)
		}
	case *sqlast.Is:
		test := [...]string{sqlast.IsNull: "NULL", sqlast.IsTrue: "TRUE", sqlast.IsFalse: "FALSE", sqlast.IsUnknown: "UNKNOWN"}
		return w.operand(e.X) + " IS " + not(e.Not) + test[e.Test]
	case *sqlast.Between:
		return w.operand(e.X) + " " + not(e.Not) + "BETWEEN " + w.operand(e.Low) + " AND " + w.operand(e.High)
	case *sqlast.In:
		if e.Query == nil {
			return w.operand(e.X) + " " + not(e.Not) + "IN (" + all(e.List) + ")"
		}
		return w.operand(e.X) + " " + not(e.Not) + "IN (SELECT " + w.queryWords(e.Query) + ")"
	case *sqlast.Like:
		return w.operand(e.X) + " " + not(e.Not) + e.Op.String() + " " + w.operand(e.Pattern)
	case *sqlast.Exists:
		return "EXISTS (SELECT " + w.queryWords(e.Query) + ")"
	case *sqlast.Subquery:
		return "(SELECT " + w.queryWords(e.Query) + ")"
	case *sqlast.Cast:
		return w.words(e.X)
	case *sqlast.Collate:
		return w.words(e.X)
	case *sqlast.Interval:
		return w.words(e.X) + " " + strings.ToLower(e.Unit)
	case *sqlast.Unit:
		return strings.ToLower(e.Name)
	case *sqlast.Row:
		return "(" + all(e.Items) + ")"
	case *sqlast.Call:
		if e.Star {
			return e.Name + "(*)"
		}
		return e.Name + "(" + all(e.Args) + ")"
	}
	return "..."
}

// operand returns an expression in brackets if it connects others by AND or OR.
func (w wording) operand(e sqlast.Expr) string {
	if b, ok := e.(*sqlast.Binary); ok && (b.Op == sqlast.And || b.Op == sqlast.Or) {
		return "(" + w.words(e) + ")"
	}
	return w.words(e)
}

// queryWords returns what a subquery reads, with its conditions.
func (w wording) queryWords(q *sqlast.Query) string {
	sel, ok := q.Body.(*sqlast.Select)
	if !ok || sel.From == nil || len(sel.Items) == 0 {
		return "..."
	}
	w = wording{}
	var tables []string
	for _, r := range sqlast.Relations(sel.From) {
		if t, ok := r.(*sqlast.Table); ok {
			tables = append(tables, t.Name)
		}
	}
	out := w.words(sel.Items[0].Expr) + " FROM " + strings.Join(tables, ", ")
	if sel.Where != nil {
		out += " WHERE " + w.words(sel.Where)
	}
	return out
}
