package sqlproof

import (
	"slices"

	"github.com/qedkit/qed/internal/sqlast"
)

// A term is the rows from which a part of a value comes, such as those of items and orders
// for i.quantity * o.price.
type term []attr

// maxTerms bounds how many parts a value is taken apart into; more of them are one.
const maxTerms = 16

// rowOf returns the rows that a column of the scope comes from.
func (s *scope) rowOf(f *frame, c *sqlast.Column) attr {
	p := s.find(f, c.Of)
	if p == nil || p.leaf == nil {
		return 0
	}
	if l := p.leaf; l.rows != nil && c.Index < len(l.rows.columns) {
		if o := l.rows.columns[c.Index].origin; o >= 0 {
			return l.origins[o]
		}
	}
	return p.leaf.row
}

// rowsUnder returns the rows that the columns in an expression come from.
func (s *scope) rowsUnder(e sqlast.Node) []attr { return s.rowsIn(s.frame, e) }

func (s *scope) rowsIn(f *frame, e sqlast.Node) (rows []attr) {
	s.eachColumn(f, e, func(g *frame, c *sqlast.Column) {
		if row := s.rowOf(g, c); row != 0 && !slices.Contains(rows, row) {
			rows = append(rows, row)
		}
	})
	return rows
}

// terms returns the parts of a value that is added up. Factors of a product belong
// together: a price times the quantity of an item is a value of the item. What a value is
// chosen by is no part of it. decides reports whether a term determines the joined row: of
// the values that a CASE or COALESCE chooses from such a one makes the whole a value of
// those rows.
func (s *scope) terms(f *frame, e sqlast.Expr, decides func(term) bool) []term {
	f, e = s.follow(f, e)
	switch e := e.(type) {
	case *sqlast.Column:
		if row := s.rowOf(f, e); row != 0 {
			return []term{{row}}
		}
		return nil
	case *sqlast.Unary:
		return s.terms(f, e.X, decides)
	case *sqlast.Cast:
		return s.terms(f, e.X, decides)
	case *sqlast.Collate:
		return s.terms(f, e.X, decides)
	case *sqlast.Binary:
		x, y := s.terms(f, e.X, decides), s.terms(f, e.Y, decides)
		if e.Op == sqlast.Add || e.Op == sqlast.Sub {
			return few(append(x, y...))
		}
		return product(x, y)
	case *sqlast.Case:
		var all []term
		for _, w := range e.Whens {
			all = append(all, s.terms(f, w.Result, decides)...)
		}
		if e.Else != nil {
			all = append(all, s.terms(f, e.Else, decides)...)
		}
		return chosen(all, decides)
	case *sqlast.Call:
		return s.callTerms(f, e, decides)
	}
	if rows := s.rowsIn(f, e); len(rows) > 0 {
		return []term{rows}
	}
	return nil
}

func (s *scope) callTerms(f *frame, e *sqlast.Call, decides func(term) bool) []term {
	switch e.Name {
	case "coalesce", "ifnull", "nvl", "greatest", "least":
		var all []term
		for _, arg := range e.Args {
			all = append(all, s.terms(f, arg, decides)...)
		}
		return chosen(all, decides)
	case "if", "iif":
		var all []term
		for _, arg := range e.Args[min(1, len(e.Args)):] {
			all = append(all, s.terms(f, arg, decides)...)
		}
		return chosen(all, decides)
	case "nullif", "round", "abs", "floor", "ceil", "ceiling", "truncate", "trunc":
		if len(e.Args) > 0 {
			return s.terms(f, e.Args[0], decides)
		}
	}
	var all []term
	for _, arg := range e.Args {
		all = product(all, s.terms(f, arg, decides))
	}
	return all
}

func product(x, y []term) []term {
	if len(x) == 0 || len(y) == 0 {
		return append(x, y...)
	}
	var all []term
	for _, a := range x {
		for _, b := range y {
			all = append(all, union(a, b))
		}
	}
	return few(all)
}

func union(a, b term) term {
	out := slices.Clone(a)
	for _, row := range b {
		if !slices.Contains(out, row) {
			out = append(out, row)
		}
	}
	return out
}

// few drops terms that are there twice, and refuses to tell too many apart.
func few(terms []term) []term {
	var out []term
	for _, t := range terms {
		slices.Sort(t)
		if !slices.ContainsFunc(out, func(other term) bool { return slices.Equal(t, other) }) {
			out = append(out, t)
		}
	}
	if len(out) > maxTerms {
		return out[:maxTerms]
	}
	return out
}

func chosen(terms []term, decides func(term) bool) []term {
	terms = few(terms)
	for _, t := range terms {
		if len(terms) > 1 && decides(t) {
			return []term{t}
		}
	}
	return terms
}
