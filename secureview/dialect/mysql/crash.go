package mysql

import (
	"slices"
	"strconv"

	"github.com/qedkit/qed/internal/ascii"
	"github.com/qedkit/qed/internal/sqlast"
)

// refuseCrashes refuses what ends a MariaDB server of version 10.11 with signal 11,
// except JSON_EXTRACT .. <=>, which [reader.binary] refuses:
//
//   - A comparison of rows that becomes a key of JSON_OBJECTAGG, directly or as a
//     column of a derived table, if its value is NULL.
//   - GROUP_CONCAT(.. ORDER BY 1) WITH ROLLUP, if the 1 means an expression.
//   - A term of a window that repeats an item with a subquery, in which another one
//     compares with IN (SELECT 1).
//
// The last one does so too as a term of ORDER BY or GROUP BY, when the server explains
// the statement. Such a term is printed as a position.
func (r *reader) refuseCrashes(q *sqlast.Query) {
	if r.err != nil || !r.objectAgg && !r.concatPosition && !r.bareIn {
		return
	}
	sqlast.Walk(q, func(n sqlast.Node) bool {
		switch n := n.(type) {
		case *sqlast.Query:
			if s, ok := n.Body.(*sqlast.Select); ok && s.Rollup && r.concatPosition {
				for _, o := range n.OrderBy {
					r.refuseConcatPosition(o.Expr)
				}
			}
		case *sqlast.Select:
			for _, it := range n.Items {
				if r.objectAgg {
					r.refuseRowComparison(it.Expr)
				}
				if n.Rollup {
					r.refuseConcatPosition(it.Expr)
				}
			}
			for _, w := range n.Windows {
				r.refuseBareIn(w)
			}
			if n.Rollup && n.Having != nil {
				r.refuseConcatPosition(n.Having)
			}
		case *sqlast.Call:
			if n.Name == "json_objectagg" {
				r.refuseRowComparison(n)
			}
			if n.Over != nil {
				r.refuseBareIn(n.Over)
			}
		}
		return r.err == nil
	})
}

// refuseBareIn refuses a comparison with a query without FROM in the subqueries of a
// window.
func (r *reader) refuseBareIn(w *sqlast.Window) {
	terms := slices.Clone(w.PartitionBy)
	for _, o := range w.OrderBy {
		terms = append(terms, o.Expr)
	}
	for _, term := range terms {
		sqlast.Walk(term, func(n sqlast.Node) bool {
			var q *sqlast.Query
			switch n := n.(type) {
			case *sqlast.In:
				q = n.Query
			case *sqlast.Quantified:
				q = n.Query
			}
			if q != nil && !readsTables(q) {
				r.fail(sqlast.Unsupported, q.Pos, "IN",
					"a comparison with a query without FROM is not supported in a window: write the value")
			}
			return r.err == nil
		})
	}
}

// refuseNestedArm refuses what ends a MySQL server of version 9.7 with signal 11: as the
// right arm of EXCEPT or INTERSECT a query of several SELECTs, of which the first has an
// aggregate or a window function in its list. The server ends if that is NULL and the
// column of the left arm cannot be.
func (r *reader) refuseNestedArm(s *sqlast.SetOp) {
	right := s.Right
	if q, ok := right.(*sqlast.Query); ok {
		right = q.Body
	}
	switch nested := right.(type) {
	case *sqlast.Select, *sqlast.Values:
		return
	case *sqlast.SetOp:
		if s.Kind == sqlast.Intersect && nested.Kind == sqlast.Intersect && s.All == nested.All {
			return // the server executes both as one
		}
	}
	sel := firstSelect(right)
	if r.err != nil || s.Kind == sqlast.Union || sel == nil {
		return
	}
	for _, it := range sel.Items {
		sqlast.Walk(it.Expr, func(n sqlast.Node) bool {
			if c, ok := n.(*sqlast.Call); ok && (c.Over != nil || sqlast.IsAggregate(c)) {
				r.fail(sqlast.Unsupported, c.Pos, c.Name, c.Name+" in the first SELECT of several that are the right side of "+
					"EXCEPT or INTERSECT is not supported: compute it in a derived table")
			}
			_, isQuery := n.(*sqlast.Query)
			return !isQuery && r.err == nil
		})
	}
}

// firstSelect returns the first SELECT of a body, or nil if that is VALUES.
func firstSelect(b sqlast.Body) *sqlast.Select {
	switch b := b.(type) {
	case *sqlast.Select:
		return b
	case *sqlast.SetOp:
		return firstSelect(b.Left)
	case *sqlast.Query:
		return firstSelect(b.Body)
	}
	return nil
}

// readsTables reports whether all SELECT of a query have a FROM.
func readsTables(q *sqlast.Query) bool {
	all := true
	sqlast.Walk(q, func(n sqlast.Node) bool {
		if s, ok := n.(*sqlast.Select); ok {
			all = all && s.From != nil
		}
		return all
	})
	return all
}

// refuseRowComparison refuses comparisons of rows in an expression.
func (r *reader) refuseRowComparison(e sqlast.Expr) {
	sqlast.Walk(e, func(n sqlast.Node) bool {
		compared := false
		switch n := n.(type) {
		case *sqlast.Binary:
			compared = isRow(n.X) || isRow(n.Y)
		case *sqlast.In:
			compared = n.Query == nil && isRow(n.X)
		}
		if compared {
			r.fail(sqlast.Unsupported, n.At(), "json_objectagg",
				"a comparison of rows is not supported as a value next to JSON_OBJECTAGG: compare the columns with AND")
		}
		return r.err == nil
	})
}

func isRow(e sqlast.Expr) bool {
	_, ok := e.(*sqlast.Row)
	return ok
}

// refuseConcatPosition refuses GROUP_CONCAT(.. ORDER BY 1) in an expression.
func (r *reader) refuseConcatPosition(e sqlast.Expr) {
	sqlast.Walk(e, func(n sqlast.Node) bool {
		if c, ok := n.(*sqlast.Call); ok && ordersByPosition(c) {
			r.fail(sqlast.Unsupported, c.Pos, c.Name,
				"GROUP_CONCAT with a position in its ORDER BY is not supported WITH ROLLUP: write the expression")
		}
		return r.err == nil
	})
}

func ordersByPosition(c *sqlast.Call) bool {
	if c.Name != "group_concat" {
		return false
	}
	for _, o := range c.OrderBy {
		if n, ok := o.Expr.(*sqlast.Number); ok && digits(n.Text) == len(n.Text) {
			return true
		}
	}
	return false
}

// refuseOuterWindows refuses what ends a MariaDB server of version 10.11 with signal 11
// if the outer query joins a view: in the ORDER BY of a subquery, an expression with a
// window function and a column of the outer query. The server also joins the tables of
// a derived table and of a common table expression that it merges. q is resolved, so that
// every column of a table has its qualifier.
func refuseOuterWindows(q *sqlast.Query) error {
	var err error
	var joined []string
	joins := false
	sqlast.Walk(q, func(n sqlast.Node) bool {
		switch n := n.(type) {
		case *sqlast.Join:
			joins = true
		case *sqlast.Select:
			if n.From != nil {
				joined = append(joined, aliases(n.From)...)
			}
		}
		return true
	})
	if !joins {
		return nil
	}
	sqlast.Walk(q, func(n sqlast.Node) bool {
		q, ok := n.(*sqlast.Query)
		if !ok || len(q.OrderBy) == 0 || err != nil {
			return err == nil
		}
		sel, ok := q.Body.(*sqlast.Select)
		if !ok {
			return true
		}
		for _, o := range q.OrderBy {
			for _, e := range orderedBy(sel, o.Expr) {
				if c := outerColumn(sel, e, joined); c != nil && hasWindow(e) {
					err = &sqlast.Error{Code: sqlast.Unsupported, Name: c.Name, Pos: c.Pos, Message: "a window function next to '" +
						c.Table + "." + c.Name + "', a column of the outer query, is not supported in the ORDER BY of a subquery: " +
						"compute it in a derived table, or omit the ORDER BY"}
				}
			}
		}
		return err == nil
	})
	return err
}

// orderedBy returns a term of ORDER BY, and the items that it names by position or
// alias.
func orderedBy(sel *sqlast.Select, term sqlast.Expr) []sqlast.Expr {
	list := []sqlast.Expr{term}
	sqlast.Walk(term, func(n sqlast.Node) bool {
		switch n := n.(type) {
		case *sqlast.Number:
			if i, err := strconv.Atoi(n.Text); err == nil && sqlast.Expr(n) == term && 0 < i && i <= len(sel.Items) {
				list = append(list, sel.Items[i-1].Expr)
			}
		case *sqlast.Column:
			for _, it := range sel.Items {
				if n.Table == "" && ascii.EqualFold(n.Name, it.Alias) {
					list = append(list, it.Expr)
				}
			}
		}
		return true
	})
	return list
}

// aliases returns the aliases of the tables of a FROM or a part of it.
func aliases(from sqlast.Relation) (list []string) {
	sqlast.Walk(from, func(n sqlast.Node) bool {
		switch n := n.(type) {
		case *sqlast.Query:
			return false
		case *sqlast.Table:
			list = append(list, n.Alias)
		case *sqlast.Derived:
			list = append(list, n.Alias)
		case *sqlast.TableFunction:
			list = append(list, n.Alias)
		}
		return true
	})
	return list
}

// outerColumn returns a column in e of one of the joined tables, which is not one of
// the tables of sel, or nil.
func outerColumn(sel *sqlast.Select, e sqlast.Expr, joined []string) *sqlast.Column {
	var own []string
	if sel.From != nil {
		own = aliases(sel.From)
	}
	has := func(list []string, alias string) bool {
		return slices.ContainsFunc(list, func(a string) bool { return ascii.EqualFold(a, alias) })
	}
	var found *sqlast.Column
	sqlast.Walk(e, func(n sqlast.Node) bool {
		if c, ok := n.(*sqlast.Column); ok && found == nil && has(joined, c.Table) && !has(own, c.Table) {
			found = c
		}
		_, isQuery := n.(*sqlast.Query)
		return !isQuery
	})
	return found
}

// hasWindow reports whether an expression calls a window function of its own block.
func hasWindow(e sqlast.Expr) bool {
	found := false
	sqlast.Walk(e, func(n sqlast.Node) bool {
		if c, ok := n.(*sqlast.Call); ok {
			found = found || c.Over != nil
		}
		_, isQuery := n.(*sqlast.Query)
		return !isQuery
	})
	return found
}

// binary reads an infix operator. JSON_EXTRACT as an operand of <=> ends a MariaDB
// server of version 10.11 with signal 11, if it is constant and the other operand
// is a binary string. Neither can be known here, because a row that the server
// finds by its key is constant too.
func (r *reader) binary(at sqlast.Pos, op sqlast.BinaryOp, x, y sqlast.Expr) sqlast.Expr {
	if op == sqlast.Same && (extractsJSON(x) || extractsJSON(y)) {
		r.fail(sqlast.Unsupported, at, "<=>",
			"JSON_EXTRACT as an operand of <=> is not supported: compare JSON_UNQUOTE(JSON_EXTRACT(..))")
	}
	return &sqlast.Binary{Pos: at, Op: op, X: x, Y: y}
}

// extractsJSON reports whether the value of an expression is that of a JSON_EXTRACT.
func extractsJSON(e sqlast.Expr) bool {
	switch e := e.(type) {
	case *sqlast.Call:
		return e.Name == "json_extract"
	case *sqlast.Row:
		for _, x := range e.Items {
			if extractsJSON(x) {
				return true
			}
		}
	case *sqlast.Subquery:
		found := false
		sqlast.Walk(e.Query, func(n sqlast.Node) bool {
			if s, ok := n.(*sqlast.Select); ok && len(s.Items) > 0 {
				found = found || extractsJSON(s.Items[0].Expr)
			}
			return !found
		})
		return found
	}
	return false
}
