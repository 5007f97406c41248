package mysql

import (
	"cmp"

	"github.com/qedkit/qed/internal/ascii"
	"github.com/qedkit/qed/internal/sqlast"
)

// refuseGroupedArms refuses what ends a MySQL server of version 9.7 with signal 11: in a
// derived table, a common table expression or a subquery, an arm of INTERSECT or the right
// arm of EXCEPT that groups by an expression of a column that is an aggregate of another
// derived table, common table expression or view. The server ends if the expression may be
// NULL and the column of the set operation cannot be. The query of a view is not known
// here. q is resolved, so that every column has its qualifier.
func refuseGroupedArms(q *sqlast.Query) error {
	var err error
	sqlast.Walk(q, func(n sqlast.Node) bool {
		if nested, ok := n.(*sqlast.Query); ok && nested != q && err == nil {
			err = groupedArm(nested.Body, false)
		}
		return err == nil
	})
	return err
}

// groupedArm returns the refusal of an arm of a body. compared is set for an arm, or for a
// part of one.
func groupedArm(b sqlast.Body, compared bool) error {
	switch b := b.(type) {
	case *sqlast.Query:
		return groupedArm(b.Body, compared)
	case *sqlast.SetOp:
		left := compared || b.Kind == sqlast.Intersect
		return cmp.Or(groupedArm(b.Left, left), groupedArm(b.Right, left || b.Kind == sqlast.Except))
	case *sqlast.Select:
		if !compared || b.Rollup { // the server knows that ROLLUP makes NULLs
			return nil
		}
		for _, term := range b.GroupBy {
			for _, e := range orderedBy(b, term) {
				if isName(e) && isName(term) {
					continue
				}
				if c := aggregated(b, e); c != nil {
					return &sqlast.Error{Code: sqlast.Unsupported, Name: c.Name, Pos: c.Pos, Message: "GROUP BY an expression of '" +
						c.Table + "." + c.Name + "', which may be an aggregate, is not supported in INTERSECT or EXCEPT of a subquery: " +
						"compute the expression in a derived table, and group by its column"}
				}
			}
		}
	}
	return nil
}

// isName reports whether an expression is a column, an alias or a position.
func isName(e sqlast.Expr) bool {
	switch e.(type) {
	case *sqlast.Column, *sqlast.Number:
		return true
	}
	return false
}

// aggregated returns a column in e that may be an aggregate of one of the tables of sel,
// or nil.
func aggregated(sel *sqlast.Select, e sqlast.Expr) *sqlast.Column {
	var found *sqlast.Column
	sqlast.Walk(e, func(n sqlast.Node) bool {
		if c, ok := n.(*sqlast.Column); ok && found == nil && sel.From != nil && isAggregated(sel.From, c) {
			found = c
		}
		_, isQuery := n.(*sqlast.Query)
		return !isQuery && found == nil
	})
	return found
}

// isAggregated reports whether a column of a FROM may be an aggregate. A query with LIMIT
// or with several SELECTs stores its columns, which hides the aggregate from the server.
func isAggregated(from sqlast.Relation, c *sqlast.Column) bool {
	found := false
	source := func(q *sqlast.Query, columns []string) {
		for inner, ok := q.Body.(*sqlast.Query); ok && q.Limit == nil; inner, ok = q.Body.(*sqlast.Query) {
			q = inner
		}
		sel, ok := q.Body.(*sqlast.Select)
		if !ok || q.Limit != nil {
			return
		}
		for i, it := range sel.Items {
			name := it.Alias
			if inner, ok := it.Expr.(*sqlast.Column); ok && name == "" {
				name = inner.Name
			}
			if columns != nil {
				name = columns[i]
			}
			if ascii.EqualFold(name, c.Name) {
				found = found || sqlast.HasAggregate(it.Expr) || aggregated(sel, it.Expr) != nil
			}
		}
	}
	sqlast.Walk(from, func(n sqlast.Node) bool {
		switch n := n.(type) {
		case *sqlast.Query:
			return false
		case *sqlast.Derived:
			if ascii.EqualFold(n.Alias, c.Table) {
				source(n.Query, n.Columns)
			}
		case *sqlast.Table:
			switch {
			case !ascii.EqualFold(n.Alias, c.Table):
			case n.CTE != nil:
				source(n.CTE.Query, n.CTE.Columns)
			case n.Object != nil && n.Object.Name != n.Object.Logical:
				found = true
			}
		}
		return true
	})
	return found
}
