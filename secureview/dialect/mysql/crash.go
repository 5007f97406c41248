package mysql

import (
	"slices"

	"github.com/qedkit/qed/internal/sqlast"
)

// refuseCrashes refuses what ends a server with signal 11. Each rule refuses more than
// what ends the server, so that it does not have to know types, keys or views. Try the
// statements again on the servers that are current on 2027-06-01, and remove the rules
// of those that run.
//
// MariaDB 10.11.19; bl is a BLOB, vc and j are texts, some of them NULL:
//
//   - JSON_EXTRACT in an operand of <=>:
//     SELECT 1 FROM t WHERE JSON_EXTRACT('{}', '$.b') <=> bl
//   - JSON_OBJECTAGG and a comparison of rows:
//     SELECT JSON_OBJECTAGG((1, 1) = (1, vc), 1) FROM t
//   - GROUP_CONCAT with a position in its ORDER BY, and ROLLUP. A position that the call
//     does not have ends the server when it explains the statement:
//     SELECT id, GROUP_CONCAT(CONCAT(vc), j ORDER BY 1) FROM t GROUP BY id WITH ROLLUP
//   - a window, and a comparison with a query without FROM. As a term of ORDER BY or
//     GROUP BY, where package sqlast refuses it, the comparison ends the server when it
//     explains the statement.
//     SELECT abs((SELECT EXISTS (SELECT 1 FROM t x WHERE x.vc IN (SELECT ”)))) AS r,
//     ROW_NUMBER() OVER (ORDER BY abs((SELECT EXISTS (SELECT 1 FROM t x WHERE x.vc IN
//     (SELECT ”))))) FROM t
//   - a window function and a column of the outer query, in a subquery with ORDER BY:
//     SELECT (SELECT sum(v.k) OVER () + m AS x FROM u ORDER BY x LIMIT 1) FROM t JOIN v
//     ON t.id = v.id, where v is a view
//
// MySQL 9.7.4; i may be NULL:
//
//   - several SELECTs with an aggregate or a window function, as the right side of EXCEPT
//     or INTERSECT:
//     SELECT id FROM t EXCEPT SELECT SUM(i) FROM t INTERSECT SELECT i FROM t
//   - in a subquery, GROUP BY an expression in a side of INTERSECT or the right side of
//     EXCEPT:
//     SELECT 1 FROM (SELECT m + 1 FROM (SELECT max(i) AS m FROM t GROUP BY id) AS y
//     GROUP BY m + 1 INTERSECT SELECT 7) AS x
func refuseCrashes(q *sqlast.Query) *sqlast.Error {
	f := crashFinder{}
	sqlast.Walk(q, func(n sqlast.Node) bool {
		if nested, ok := n.(*sqlast.Query); ok && nested != q {
			f.groupedArm(nested.Body, false)
		}
		f.visit(n)
		return f.err == nil
	})
	switch {
	case f.err != nil:
	case f.objectAgg && f.rows != nil:
		f.refuse(f.rows, "a comparison of rows is not supported next to JSON_OBJECTAGG: compare the columns with AND")
	case f.window && f.bare != nil:
		f.refuse(f.bare, "a comparison with a query without FROM is not supported next to a window: write the value")
	}
	return f.err
}

// A crashFinder finds what ends a server, alone or together with something else in the
// statement.
type crashFinder struct {
	err *sqlast.Error

	objectAgg, window bool
	rows, bare        sqlast.Node // a comparison of rows, a query without FROM
}

func (f *crashFinder) refuse(n sqlast.Node, message string) {
	if f.err == nil {
		f.err = &sqlast.Error{Code: sqlast.Unsupported, Pos: n.At(), Message: message}
	}
}

func (f *crashFinder) visit(n sqlast.Node) {
	switch n := n.(type) {
	case *sqlast.SetOp:
		f.nestedArm(n)
	case *sqlast.Call:
		f.objectAgg = f.objectAgg || n.Name == "json_objectagg"
		f.window = f.window || n.Over != nil
		if ordersByNumber(n) {
			f.refuse(n, "a number in the ORDER BY of "+n.Name+" is not supported: write the expression")
		}
	case *sqlast.Binary:
		if n.Op == sqlast.Same && (extractsJSON(n.X) || extractsJSON(n.Y)) {
			f.refuse(n, "JSON_EXTRACT in an operand of <=> is not supported: write =, and IS NULL where both can be NULL")
		}
		if isRow(n.X) || isRow(n.Y) {
			f.rows = n
		}
	case *sqlast.In:
		if n.Query == nil && isRow(n.X) {
			f.rows = n
		}
		f.compared(n.Query)
	case *sqlast.Quantified:
		f.compared(n.Query)
	case *sqlast.Subquery:
		f.orderedWindow(n.Query)
	case *sqlast.Exists:
		f.orderedWindow(n.Query)
	}
}

// compared looks at a query with which a value is compared.
func (f *crashFinder) compared(q *sqlast.Query) {
	if q == nil {
		return
	}
	f.orderedWindow(q)
	sqlast.Walk(q, func(n sqlast.Node) bool {
		if s, ok := n.(*sqlast.Select); ok && s.From == nil {
			f.bare = q
		}
		return f.bare == nil
	})
}

// orderedWindow refuses a subquery that has an ORDER BY and calls a window function.
func (f *crashFinder) orderedWindow(q *sqlast.Query) {
	s, ok := q.Body.(*sqlast.Select)
	if !ok || len(q.OrderBy) == 0 {
		return
	}
	windowed := slices.ContainsFunc(s.Items, func(it sqlast.Item) bool { return sqlast.HasWindow(it.Expr) }) ||
		slices.ContainsFunc(q.OrderBy, func(o sqlast.Order) bool { return sqlast.HasWindow(o.Expr) })
	if windowed {
		f.refuse(s, "a window function is not supported in a subquery with ORDER BY that is a value: "+
			"compute it in a derived table, or omit the ORDER BY")
	}
}

// nestedArm refuses several SELECTs with an aggregate or a window function as the right
// side of EXCEPT or INTERSECT.
func (f *crashFinder) nestedArm(s *sqlast.SetOp) {
	right := s.Right
	if q, ok := right.(*sqlast.Query); ok {
		right = q.Body
	}
	switch right.(type) {
	case *sqlast.Select, *sqlast.Values:
		return
	}
	if s.Kind == sqlast.Union {
		return
	}
	sqlast.Walk(right, func(n sqlast.Node) bool {
		if c, ok := n.(*sqlast.Call); ok && (c.Over != nil || sqlast.IsAggregate(c)) {
			f.refuse(c, c.Name+" in several SELECTs that are the right side of EXCEPT or INTERSECT is not supported: "+
				"compute it in a derived table")
		}
		switch n.(type) {
		case *sqlast.Derived, *sqlast.Subquery:
			return false
		}
		return f.err == nil
	})
}

// groupedArm refuses GROUP BY an expression in a side of INTERSECT or the right side of
// EXCEPT, for which compared is set.
func (f *crashFinder) groupedArm(b sqlast.Body, compared bool) {
	switch b := b.(type) {
	case *sqlast.Query:
		f.groupedArm(b.Body, compared)
	case *sqlast.SetOp:
		left := compared || b.Kind == sqlast.Intersect
		f.groupedArm(b.Left, left)
		f.groupedArm(b.Right, left || b.Kind == sqlast.Except)
	case *sqlast.Select:
		if !compared || b.Rollup { // the server knows that ROLLUP makes NULLs
			return
		}
		for _, term := range b.GroupBy {
			if !isColumn(term) && !isNumber(term) || slices.ContainsFunc(b.Items, isComputed) {
				f.refuse(term, "GROUP BY an expression is not supported in INTERSECT or EXCEPT of a subquery: "+
					"compute the expression in a derived table, and group by its column")
			}
		}
	}
}

// isComputed reports whether an item is an expression without an aggregate, by which a
// term may group with its position or alias.
func isComputed(it sqlast.Item) bool { return !isColumn(it.Expr) && !sqlast.HasAggregate(it.Expr) }

func isColumn(e sqlast.Expr) bool {
	_, ok := e.(*sqlast.Column)
	return ok
}

func isRow(e sqlast.Expr) bool {
	_, ok := e.(*sqlast.Row)
	return ok
}

func isNumber(e sqlast.Expr) bool {
	if u, ok := e.(*sqlast.Unary); ok {
		e = u.X
	}
	_, ok := e.(*sqlast.Number)
	return ok
}

func ordersByNumber(c *sqlast.Call) bool {
	return slices.ContainsFunc(c.OrderBy, func(o sqlast.Order) bool { return isNumber(o.Expr) })
}

func extractsJSON(e sqlast.Expr) bool {
	return sqlast.Any(e, func(c *sqlast.Call) bool { return c.Name == "json_extract" })
}
