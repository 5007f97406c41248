package emptyresult

import (
	"context"
	"slices"
	"strings"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/sqlast"
)

// summary returns the block whose rows a result of one row summarises, or nil if it
// summarises none.
func summary(b *block) *block {
	for b != nil {
		sel := b.query.Body.(*sqlast.Select)
		switch plain := func(it sqlast.Item) bool { return !sqlast.HasAggregate(it.Expr) }; {
		case len(sel.GroupBy) > 0:
			return nil
		case !slices.ContainsFunc(sel.Items, plain):
			return b
		case len(b.parts) != 1 || len(b.tests) != 1 || len(b.tests[0].conditions) > 0:
			return nil
		}
		inner, with := b.within(b.parts[0].relation)
		if inner == nil {
			return nil
		}
		b = readBlock(inner, with, b.recursive)
	}
	return nil
}

// isZeroRow reports whether a result is one row with nothing but NULL and 0.
func isZeroRow(t *qed.Table) bool {
	return len(t.Rows) == 1 && !slices.ContainsFunc(t.Rows[0], func(cell any) bool { return !isZero(cell) })
}

// isZero reports whether a cell is NULL or the number 0, which drivers return as a text for
// decimals.
func isZero(cell any) bool {
	switch v := cell.(type) {
	case nil:
		return true
	case int64:
		return v == 0
	case float64:
		return v == 0
	case string:
		return strings.Contains(v, "0") && strings.Trim(v, "0.") == ""
	}
	return false
}

// explainChosen explains values that are NULL or 0 although there are rows, by the
// conditions of FILTER or CASE that choose the rows of each value. It returns false if rows
// meet one of these conditions, or if a value has none.
func (s *search) explainChosen(ctx context.Context, b *block) bool {
	sel := b.query.Body.(*sqlast.Select)
	var all []sqlast.Expr
	for _, it := range sel.Items {
		chosen := choosing(it.Expr)
		if len(chosen) == 0 {
			return false
		}
		for _, e := range chosen {
			if !slices.ContainsFunc(all, func(other sqlast.Expr) bool { return sqlast.EqualExpr(e, other) }) {
				all = append(all, e)
			}
		}
	}
	for _, e := range all {
		with := *sel
		with.Where = sqlast.Conjunction(sel.Where, e)
		if s.explain(ctx, readBlock(&sqlast.Query{Body: &with}, b.with, b.recursive), false) == present {
			return false
		}
	}
	return true
}

// choosing returns the conditions of the aggregates in an expression that choose their rows:
// that of FILTER, and that of a CASE with one WHEN, or of IF, whose other value is NULL or 0.
func choosing(e sqlast.Expr) (all []sqlast.Expr) {
	sqlast.Walk(e, func(n sqlast.Node) bool {
		call, ok := n.(*sqlast.Call)
		if !ok || !sqlast.IsAggregate(call) {
			_, query := n.(*sqlast.Query)
			return !query
		}
		condition := call.Filter
		if len(call.Args) == 1 {
			if when := chosenBy(call.Args[0]); when != nil {
				condition = sqlast.Conjunction(condition, when)
			}
		}
		if condition != nil {
			all = append(all, condition)
		}
		return false
	})
	return all
}

// chosenBy returns the condition on which a value is not NULL or 0, or nil.
func chosenBy(e sqlast.Expr) sqlast.Expr {
	none := func(e sqlast.Expr) bool {
		n, number := e.(*sqlast.Number)
		_, null := e.(*sqlast.Null)
		return e == nil || null || number && strings.Trim(n.Text, "0.") == ""
	}
	switch e := e.(type) {
	case *sqlast.Case:
		if len(e.Whens) != 1 || !none(e.Else) {
			return nil
		}
		if e.Operand != nil {
			return &sqlast.Binary{Op: sqlast.Eq, X: e.Operand, Y: e.Whens[0].Cond}
		}
		return e.Whens[0].Cond
	case *sqlast.Call:
		if (e.Name == "if" || e.Name == "iif") && len(e.Args) == 3 && none(e.Args[2]) {
			return e.Args[0]
		}
	}
	return nil
}
