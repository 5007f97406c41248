package analyst

import (
	"context"
	"slices"

	"github.com/qedkit/qed/internal/ascii"
	"github.com/qedkit/qed/internal/sqlast"
	"github.com/qedkit/qed/refusal"
	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/secureview/dialect"
)

// rewriteSource is [secureview.Guard.Rewrite] for the rows that a statement is about,
// before they are grouped, aggregated, sorted or limited: those of its FROM and WHERE,
// with all their columns and with what the statement computes from one row. If a
// statement only selects groups that one subquery or common table expression makes,
// the rows of these groups are meant. If it aggregates the rows of a subquery, those
// are meant.
//
// A statement is refused with [secureview.ErrUnsupported] if it has no such rows, such
// as a UNION or a join of groups, or if it gives the name of a column to another value.
func rewriteSource(
	ctx context.Context, g *secureview.Guard, d dialect.Dialect, sql string,
) (*secureview.Statement, error) {
	// A refused statement is refused as it is written, not as its source is.
	if _, err := g.Rewrite(ctx, sql); err != nil {
		return nil, err
	}
	q, err := d.Read(sql)
	if err != nil {
		return nil, err
	}
	hasColumn := func(name string) bool {
		return slices.ContainsFunc(g.Tables(), func(t secureview.Table) bool {
			return slices.ContainsFunc(t.Columns, func(c string) bool { return ascii.EqualFold(c, name) })
		})
	}
	q, err = source{taken: hasColumn}.of(q)
	if err != nil {
		return nil, err
	}
	text, err := d.Append(nil, q, false)
	if err != nil {
		return nil, err
	}
	return g.Rewrite(ctx, string(text))
}

// A source finds the rows that a query is about. It changes the query.
type source struct {
	taken func(string) bool // reports whether a table has a column with the name
}

// of returns the query of the rows that q is about.
func (s source) of(q *sqlast.Query) (*sqlast.Query, error) {
	sel, err := block(q)
	if err != nil {
		return nil, err
	}
	inner := nested(q, sel)
	if !grouped(sel) {
		switch {
		case inner != nil && groupedBelow(inner):
			return s.of(inner)
		case groupedFrom(q, sel.From):
			return nil, noSource("it joins or filters rows that are groups of others")
		}
	}
	// The columns of a table are more than a subquery that only selects rows of it
	// returns. A claim may need them.
	if inner != nil && s.plain(inner) && !sqlast.HasQuery(sel.Where) {
		alias := ""
		switch from := sel.From.(type) {
		case *sqlast.Derived:
			alias = from.Alias
		case *sqlast.Table:
			if alias = from.Alias; alias == "" {
				alias = from.Name
			}
		}
		all, err := s.of(inner)
		if err != nil {
			return nil, err
		}
		sel.From, q.With = &sqlast.Derived{Pos: sel.Pos, Query: all, Alias: alias}, nil
	}
	items := []sqlast.Item{{Expr: &sqlast.Star{Pos: sel.Pos}}}
	computed, err := s.computed(sel)
	if err != nil {
		return nil, err
	}
	return &sqlast.Query{Pos: q.Pos, With: q.With, Body: &sqlast.Select{
		Pos: sel.Pos, Items: append(items, computed...), From: sel.From, Where: sel.Where,
	}}, nil
}

// block returns the single SELECT of a query.
func block(q *sqlast.Query) (*sqlast.Select, error) {
	for {
		switch body := q.Body.(type) {
		case *sqlast.Select:
			if body.From == nil {
				return nil, noSource("it has no FROM")
			}
			return body, nil
		case *sqlast.Query:
			if q.With != nil && body.With != nil {
				return nil, noSource("it has a WITH inside of another one")
			}
			if q.With == nil {
				q.With = body.With
			}
			q.Body = body.Body
		default:
			return nil, noSource("it combines several SELECTs")
		}
	}
}

func noSource(why string) error {
	return &refusal.Error{Package: "analyst", Problems: []refusal.Problem{{
		Code:    secureview.ErrUnsupported,
		Message: "the rows behind the statement cannot be read, because " + why + "; use one SELECT with FROM and WHERE",
	}}}
}

// computed returns the items that are computed from one row, so that they are
// columns of the source too.
func (s source) computed(sel *sqlast.Select) ([]sqlast.Item, error) {
	var items []sqlast.Item
	named := map[string]int{}
	for _, it := range sel.Items {
		if it.Alias == "" || !ofRow(it.Expr) || isColumn(it.Expr, it.Alias) {
			continue
		}
		if s.taken(it.Alias) {
			return nil, noSource("it gives the name of the column " + it.Alias + " to something else, which needs another alias")
		}
		items = append(items, it)
		named[ascii.Lower(it.Alias)]++
	}
	// No name means a column that is there twice.
	return slices.DeleteFunc(items, func(it sqlast.Item) bool { return named[ascii.Lower(it.Alias)] > 1 }), nil
}

// isColumn reports whether an expression is the column with the name.
func isColumn(e sqlast.Expr, name string) bool {
	c, ok := e.(*sqlast.Column)
	return ok && ascii.EqualFold(c.Name, name)
}

// ofRow reports whether an expression is computed from one row: it has no aggregate,
// no window function and no subquery, and reads a column.
func ofRow(e sqlast.Expr) bool {
	row, columns := true, 0
	sqlast.Walk(e, func(n sqlast.Node) bool {
		switch n := n.(type) {
		case *sqlast.Query, *sqlast.Star:
			row = false
		case *sqlast.Call:
			row = row && n.Over == nil && !sqlast.IsAggregate(n)
		case *sqlast.Column:
			columns++
		}
		return row
	})
	return row && columns > 0
}

// plain reports whether each row of a query is one of its source, with the columns
// of the source under their names.
func (s source) plain(q *sqlast.Query) bool {
	sel, ok := q.Body.(*sqlast.Select)
	if !ok || q.Limit != nil || q.Offset != nil || grouped(sel) || sel.Qualify != nil {
		return false
	}
	if inner := nested(q, sel); inner != nil {
		if !s.plain(inner) {
			return false
		}
	} else if t, ok := sel.From.(*sqlast.Table); !ok || expression(q.With, t) != nil {
		return false
	}
	for _, it := range sel.Items {
		star, ok := it.Expr.(*sqlast.Star)
		switch {
		case ok && !star.Row && len(star.Exclude)+len(star.Replace) == 0:
		case it.Alias == "" || isColumn(it.Expr, it.Alias):
			if _, ok := it.Expr.(*sqlast.Column); !ok {
				return false
			}
		case s.taken(it.Alias) || !ofRow(it.Expr):
			return false
		}
	}
	return true
}

// nested returns the query that is the whole FROM of a block of q: a subquery or a
// common table expression, with the expressions that it may name. It returns nil for
// another FROM.
func nested(q *sqlast.Query, sel *sqlast.Select) *sqlast.Query {
	switch from := sel.From.(type) {
	case *sqlast.Derived:
		if len(from.Columns) > 0 || from.Query.With != nil && q.With != nil {
			return nil
		}
		return withExpressions(from.Query, q.With)
	case *sqlast.Table:
		e := expression(q.With, from)
		if e == nil || len(e.Columns) > 0 || q.With.Recursive {
			return nil
		}
		before := &sqlast.With{Pos: q.With.Pos, CTEs: q.With.CTEs[:slices.Index(q.With.CTEs, e)]}
		if len(before.CTEs) == 0 {
			before = nil
		} else if e.Query.With != nil {
			return nil
		}
		return withExpressions(e.Query, before)
	}
	return nil
}

// withExpressions returns a copy of q that has the expressions, if it has none.
func withExpressions(q *sqlast.Query, with *sqlast.With) *sqlast.Query {
	out := *q
	if out.With == nil {
		out.With = with
	}
	return &out
}

// expression returns the common table expression that a table names, or nil.
func expression(with *sqlast.With, t *sqlast.Table) *sqlast.CTE {
	if with == nil || t.Schema != "" {
		return nil
	}
	i := slices.IndexFunc(with.CTEs, func(e *sqlast.CTE) bool { return ascii.EqualFold(e.Name, t.Name) })
	if i < 0 {
		return nil
	}
	return with.CTEs[i]
}

// grouped reports whether the rows of a block are not rows of its FROM.
func grouped(sel *sqlast.Select) bool {
	return len(sel.GroupBy) > 0 || sel.Having != nil || sel.Distinct || len(sel.DistinctOn) > 0 || aggregates(sel)
}

// groupedBelow reports whether the rows of a query are groups of other rows, or come
// from a query of which that is true.
func groupedBelow(q *sqlast.Query) bool {
	sel, ok := q.Body.(*sqlast.Select)
	if !ok || sel.From == nil {
		return !ok
	}
	return grouped(sel) || groupedFrom(q, sel.From)
}

// groupedFrom reports whether a relation has a subquery or a common table expression
// whose rows are groups.
func groupedFrom(q *sqlast.Query, r sqlast.Relation) bool {
	switch r := r.(type) {
	case *sqlast.Derived:
		return groupedBelow(withExpressions(r.Query, q.With))
	case *sqlast.Table:
		e := expression(q.With, r)
		if e == nil {
			return false
		}
		i := slices.Index(q.With.CTEs, e)
		return groupedBelow(withExpressions(e.Query, &sqlast.With{Pos: q.With.Pos, CTEs: q.With.CTEs[:i]}))
	case *sqlast.Join:
		return groupedFrom(q, r.Left) || groupedFrom(q, r.Right)
	}
	return false
}

// aggregates reports whether a block has an aggregate in its items.
func aggregates(sel *sqlast.Select) bool {
	return slices.ContainsFunc(sel.Items, func(it sqlast.Item) bool { return sqlast.HasAggregate(it.Expr) })
}
