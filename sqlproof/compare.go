package sqlproof

import (
	"cmp"
	"fmt"
	"iter"
	"slices"

	"github.com/qedkit/qed/internal/sqlast"
	"github.com/qedkit/qed/sqlproof/proof"
)

// A name is a column that a condition names.
type name struct {
	leaf *leaf
	attr attr
}

// named returns the columns that a condition names, of the scope and of enclosing ones.
func (s *scope) named(f *frame, e sqlast.Node) (all []name) {
	for ; f != nil; f = f.scope.frame.outer {
		f.scope.eachColumn(f, e, func(g *frame, c *sqlast.Column) {
			if l, a := f.scope.value(g, c); a != 0 {
				all = append(all, name{l, a})
			}
		})
	}
	return all
}

// namesEdge reports whether a condition names the columns of a relationship of both sides.
func (s *scope) namesEdge(left, right side, named []name) bool {
	for _, e := range s.prover.edges[pair{left.table, right.table}] {
		for i := range e.from {
			if slices.Contains(named, name{left.leaf, attrOf(left.leaf, e.from[i])}) && slices.Contains(named, name{right.leaf, attrOf(right.leaf, e.other[i])}) {
				return true
			}
		}
	}
	return false
}

// atoms calls yield with the conditions that e connects by AND, OR and NOT. One about
// several tables connects them; several ones about a table each do not.
func atoms(e sqlast.Expr) iter.Seq[sqlast.Expr] {
	return func(yield func(sqlast.Expr) bool) { eachAtom(e, yield) }
}

func eachAtom(e sqlast.Expr, yield func(sqlast.Expr) bool) bool {
	switch e := e.(type) {
	case *sqlast.Binary:
		if e.Op == sqlast.And || e.Op == sqlast.Or {
			return eachAtom(e.X, yield) && eachAtom(e.Y, yield)
		}
	case *sqlast.Unary:
		if e.Op == sqlast.Not {
			return eachAtom(e.X, yield)
		}
	}
	return yield(e)
}

// compare adds a pair of columns that are compared. kind is empty for a condition of the
// scope.
func (s *scope) compare(pairs []*compared, f *frame, x sqlast.Expr, g *frame, y sqlast.Expr, kind string) []*compared {
	if f.scope == s && f != s.frame && g != s.frame && kind == "" {
		return pairs // a condition inside a subquery, which is checked there
	}
	left, a, nameA := origin1(f, x)
	right, b, nameB := origin1(g, y)
	if left.leaf == nil || right.leaf == nil || left.leaf == right.leaf {
		return pairs
	}
	if kind == "" {
		inside := s.has(left.leaf) && s.has(right.leaf)
		if inside && left.leaf.index > right.leaf.index || !inside && s.has(left.leaf) {
			left, right, a, b, nameA, nameB = right, left, b, a, nameB, nameA
		}
		kind = s.nested
		if inside {
			kind = s.kindBetween(left.leaf, right.leaf)
		}
	}
	p := &compared{left: left, right: right, kind: kind, at: x.At()}
	for _, other := range pairs {
		if other.left == left && other.right == right {
			p = other
		}
	}
	names := [2]string{nameA, nameB}
	if slices.Contains(p.names, names) {
		return pairs
	}
	p.names = append(p.names, names)
	if p.left.table != nil && p.right.table != nil {
		p.columns = append(p.columns, [2]int{a, b})
	}
	if !slices.Contains(pairs, p) {
		pairs = append(pairs, p)
	}
	return pairs
}

// origin1 returns the relation that a column is of, in the scope of a frame or in an
// enclosing one, and the number and the name of the column in its table.
func origin1(f *frame, e sqlast.Expr) (side, int, string) {
	for ; f != nil; f = f.scope.frame.outer {
		l, a := f.scope.value(f, f.scope.merged(f, e))
		if a == 0 {
			continue
		}
		if t, column := columnOf(l, a); t != nil {
			return side{l, t}, column, t.names[column]
		}
		name := ""
		if _, e := f.scope.follow(f, e); e != nil {
			if c, ok := e.(*sqlast.Column); ok {
				name = c.Name
			}
		}
		return side{leaf: l}, -1, name
	}
	return side{}, -1, ""
}

// merged returns a column of those that USING of outer joins merged, or e.
func (s *scope) merged(f *frame, e sqlast.Expr) sqlast.Expr {
	call, ok := e.(*sqlast.Call)
	if !ok || call.Name != "coalesce" || len(call.Args) == 0 {
		return e
	}
	_, a := s.value(f, call.Args[0])
	for _, arg := range call.Args[1:] {
		if _, b := s.value(f, arg); !s.same(a, b) {
			return e
		}
	}
	return call.Args[0]
}

// compareRows adds the pairs of values and the columns of a body with which they are
// compared.
func (s *scope) compareRows(pairs []*compared, f *frame, body sqlast.Body, x []sqlast.Expr, kind string) []*compared {
	switch b := body.(type) {
	case *sqlast.Query:
		return s.compareRows(pairs, f, b.Body, x, kind)
	case *sqlast.SetOp:
		return s.compareRows(s.compareRows(pairs, f, b.Left, x, kind), f, b.Right, x, kind)
	case *sqlast.Select:
		if b.From == nil {
			break
		}
		inner := s.newScope(b, f)
		tests := slices.ContainsFunc([]sqlast.Node{b.From, b.Where, b.Having}, func(n sqlast.Node) bool { return len(s.named(f, n)) > 0 })
		for i := range min(len(x), len(b.Items)) {
			_, a := s.value(f, x[i])
			if _, own := s.value(f, b.Items[i].Expr); a != 0 && a == own && !tests { // else it is EXISTS in other words
				s.say(proof.Finding{
					Code: proof.Cartesian, Severity: proof.Error, Subject: describe(x[i]), At: int(b.Items[i].Expr.At()),
					Message: fmt.Sprintf("the subquery returns %s, a column of the outer query: it is compared with itself", describe(x[i])),
					Fix:     "return a column of a table of the subquery",
				})
			}
			pairs = s.compare(pairs, f, x[i], inner.frame, b.Items[i].Expr, kind)
		}
	}
	return pairs
}

// unrelated says that EXISTS has a query that names no column of the rows that it is to test.
func (s *scope) unrelated(f *frame, q *sqlast.Query) {
	sel, ok := q.Body.(*sqlast.Select)
	if !ok || sel.From == nil || len(s.leaves) == 0 || len(s.named(f, q)) > 0 {
		return
	}
	item := s.item(s.leaves[0].side(), s.newScope(sel, f).leaves[0].side(), cmp.Or(s.kinds[q], subqueryKind), q.Pos)
	s.report.Joins = append(s.report.Joins, item)
	s.say(proof.Finding{
		Code: proof.Cartesian, Severity: proof.Question, Subject: item.Right, By: []string{item.Left, item.Right}, At: item.At,
		Message: fmt.Sprintf("no condition connects %s with %s: EXISTS is the same for all rows", item.Right, item.Left),
		Fix:     "compare their columns, each with the name of its table",
	})
}
