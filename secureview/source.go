package secureview

import "github.com/qedkit/qed/internal/sqlast"

// sourceOf returns the query of all columns of the rows that q is about. It changes q.
func sourceOf(q *sqlast.Query) (*sqlast.Query, error) {
	s, ok := q.Body.(*sqlast.Select)
	if nested, is := q.Body.(*sqlast.Query); is {
		if nested.With == nil {
			nested.With = q.With
		}
		return sourceOf(nested)
	}
	if !ok || s.From == nil {
		return nil, &sqlast.Error{
			Code: ErrUnsupported, Message: "the statement has no single FROM whose rows could be read; use one SELECT with FROM and WHERE",
		}
	}
	if s.Where == nil && s.From != nil {
		switch from := s.From.(type) {
		case *sqlast.Derived:
			if from.Query.With == nil {
				from.Query.With = q.With
			}
			return sourceOf(from.Query)
		case *sqlast.Table:
			if inner := expressionOf(q.With, from); inner != nil {
				return sourceOf(inner)
			}
		}
	}
	return &sqlast.Query{Pos: q.Pos, With: q.With, Body: &sqlast.Select{
		Pos: s.Pos, Items: []sqlast.Item{{Expr: &sqlast.Star{Pos: s.Pos}}}, From: s.From, Where: s.Where,
	}}, nil
}

// expressionOf returns the query of the common table expression that t names, with
// the expressions before it, or nil.
func expressionOf(with *sqlast.With, t *sqlast.Table) *sqlast.Query {
	if with == nil || with.Recursive || t.Schema != "" {
		return nil
	}
	for i, e := range with.CTEs {
		if e.Name != t.Name {
			continue
		}
		if e.Query.With == nil && i > 0 {
			e.Query.With = &sqlast.With{Pos: with.Pos, CTEs: with.CTEs[:i]}
		}
		return e.Query
	}
	return nil
}
