package sqlproof

import (
	"slices"

	"github.com/qedkit/qed/internal/lists"
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
// chosen by is no part of it, and neither is a condition, which is 0 or 1. pick is given the
// terms among which a CASE or COALESCE chooses, and returns those that the value is made of.
func (s *scope) terms(f *frame, e sqlast.Expr, pick func([]term) []term) []term {
	f, e = s.follow(f, e)
	switch e := e.(type) {
	case *sqlast.Column:
		if row := s.rowOf(f, e); row != 0 {
			return []term{{row}}
		}
		return nil
	case *sqlast.Unary:
		if e.Op == sqlast.Not {
			return nil
		}
		return s.terms(f, e.X, pick)
	case *sqlast.Cast:
		return s.terms(f, e.X, pick)
	case *sqlast.Collate:
		return s.terms(f, e.X, pick)
	case *sqlast.Star: // the whole row of a relation
		p := s.find(f, e.Of)
		if p == nil {
			return nil
		} else if p.leaf != nil {
			return []term{{p.leaf.row}}
		}
		var row term
		for _, it := range p.inner.sel.Items {
			row = lists.Add(row, s.rowsIn(p.inner, it.Expr)...)
		}
		return []term{row}
	case *sqlast.Is, *sqlast.In, *sqlast.Between, *sqlast.Like, *sqlast.Exists, *sqlast.Quantified:
		return nil
	case *sqlast.Binary:
		if e.Op <= sqlast.NotSame {
			return nil
		}
		if e.Op == sqlast.Add || e.Op == sqlast.Sub && !s.isTime(f, e.X) {
			return few(append(s.terms(f, e.X, pick), s.terms(f, e.Y, pick)...))
		}
		choice := false // of a factor, as in i.quantity * COALESCE(i.price, p.price)
		later := func(terms []term) []term {
			choice = choice || len(terms) > 1
			return terms
		}
		all := product(s.terms(f, e.X, later), s.terms(f, e.Y, later))
		if choice {
			return pick(all)
		}
		return all
	case *sqlast.Case:
		var all []term
		for _, w := range e.Whens {
			all = append(all, s.terms(f, w.Result, pick)...)
		}
		if e.Else != nil {
			all = append(all, s.terms(f, e.Else, pick)...)
		}
		return pick(few(all))
	case *sqlast.Call:
		return s.callTerms(f, e, pick)
	}
	if rows := s.rowsIn(f, e); len(rows) > 0 {
		return []term{rows}
	}
	return nil
}

func (s *scope) callTerms(f *frame, e *sqlast.Call, pick func([]term) []term) []term {
	args := e.Args
	var all []term
	if e.Name == "if" || e.Name == "iif" {
		args = args[min(1, len(args)):]
	}
	switch e.Name {
	case "if", "iif", "coalesce", "ifnull", "nvl", "greatest", "least":
		for _, arg := range args {
			all = append(all, s.terms(f, arg, pick)...)
		}
		return pick(few(all))
	case "nullif", "round", "abs", "floor", "ceil", "ceiling", "truncate", "trunc":
		if len(e.Args) > 0 {
			return s.terms(f, e.Args[0], pick)
		}
	}
	for _, arg := range args {
		all = product(all, s.terms(f, arg, pick))
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
			all = append(all, lists.Add(a, b...))
		}
	}
	return few(all)
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
	return out[:min(len(out), maxTerms)]
}

// isTime reports whether a value is a time. The time between two is a value of both.
func (s *scope) isTime(f *frame, e sqlast.Expr) bool {
	k := s.kindOf(f, e)
	call, ok := e.(*sqlast.Call)
	return k == dayKind || k == momentKind || ok && timeCalls[call.Name]
}

var timeCalls = map[string]bool{
	"julianday": true, "unixepoch": true, "date": true, "datetime": true, "date_trunc": true, "to_days": true,
	"to_seconds": true, "unix_timestamp": true,
}
