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
//   - JSON_OBJECTAGG and a comparison of rows; here any row:
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
//   - several SELECTs, of which one has an aggregate or a window function, as the right
//     side of EXCEPT or INTERSECT:
//     SELECT id FROM t EXCEPT SELECT SUM(i) FROM t INTERSECT SELECT i FROM t
//   - in a subquery, GROUP BY an expression in a side of INTERSECT or EXCEPT:
//     SELECT 1 FROM (SELECT m + 1 FROM (SELECT max(i) AS m FROM t GROUP BY id) AS y
//     GROUP BY m + 1 INTERSECT SELECT 7) AS x
func refuseCrashes(q *sqlast.Query) *sqlast.Error {
	f := crashFinder{}
	sqlast.Walk(q, func(n sqlast.Node) bool {
		f.visit(n)
		if e, ok := n.(sqlast.Expr); ok {
			f.subquery(sqlast.QueryOf(e))
		}
		return f.err == nil
	})
	switch {
	case f.objectAgg && f.rows != nil:
		f.refuse(f.rows, "a row such as (a, b) is not supported next to JSON_OBJECTAGG: compare the columns with AND")
	case f.window && f.bare != nil:
		f.refuse(f.bare, "a subquery without FROM is not supported next to a window: write the value")
	}
	return f.err
}

// A crashFinder finds what ends a server, alone or together with something else in the
// statement.
type crashFinder struct {
	err *sqlast.Error

	objectAgg, window bool
	rows, bare        sqlast.Node // a row, a query without FROM
}

func (f *crashFinder) refuse(n sqlast.Node, message string) {
	if f.err == nil {
		f.err = &sqlast.Error{Code: sqlast.Unsupported, Pos: n.At(), Message: message}
	}
}

func (f *crashFinder) visit(n sqlast.Node) {
	switch n := n.(type) {
	case *sqlast.SetOp:
		if n.Kind == sqlast.Union {
			return
		}
		f.grouped(n)
		right := n.Right
		if q, ok := right.(*sqlast.Query); ok {
			right = q.Body
		}
		switch right.(type) {
		case *sqlast.SetOp, *sqlast.Query:
			f.refuse(right, "several SELECTs as the right side of EXCEPT or INTERSECT are not supported: put them into a derived table")
		}
	case *sqlast.Call:
		f.objectAgg = f.objectAgg || n.Name == "json_objectagg"
		f.window = f.window || n.Over != nil
		if slices.ContainsFunc(n.OrderBy, func(o sqlast.Order) bool { return isNumber(o.Expr) }) {
			f.refuse(n, "a number in the ORDER BY of "+n.Name+" is not supported: write the expression")
		}
	case *sqlast.Binary:
		if n.Op == sqlast.Same && sqlast.Any(n, func(c *sqlast.Call) bool { return c.Name == "json_extract" }) {
			f.refuse(n, "JSON_EXTRACT in an operand of <=> is not supported: write =, and IS NULL where both can be NULL")
		}
	case *sqlast.Row:
		f.rows = n
	}
}

// subquery looks at a query that is a value or a part of a condition. It refuses a window
// function in one that has an ORDER BY.
func (f *crashFinder) subquery(q *sqlast.Query) {
	if q == nil {
		return
	}
	if sqlast.Any(q, func(s *sqlast.Select) bool { return s.From == nil }) {
		f.bare = q
	}
	s, ok := q.Body.(*sqlast.Select)
	if !ok || len(q.OrderBy) == 0 {
		return
	}
	if slices.ContainsFunc(s.Items, func(it sqlast.Item) bool { return sqlast.HasWindow(it.Expr) }) ||
		slices.ContainsFunc(q.OrderBy, func(o sqlast.Order) bool { return sqlast.HasWindow(o.Expr) }) {
		f.refuse(s, "a window function is not supported in a subquery with ORDER BY that is a value: "+
			"compute it in a derived table, or omit the ORDER BY")
	}
}

// grouped refuses GROUP BY an expression in a side of INTERSECT or EXCEPT, also by the
// position or alias of an item.
func (f *crashFinder) grouped(b sqlast.Body) {
	switch b := b.(type) {
	case *sqlast.Query:
		f.grouped(b.Body)
	case *sqlast.SetOp:
		f.grouped(b.Left)
		f.grouped(b.Right)
	case *sqlast.Select:
		isComputed := func(it sqlast.Item) bool { return !isColumn(it.Expr) && !sqlast.HasAggregate(it.Expr) }
		for _, term := range b.GroupBy {
			if !isColumn(term) && !isNumber(term) || slices.ContainsFunc(b.Items, isComputed) {
				f.refuse(term, "GROUP BY an expression is not supported in INTERSECT or EXCEPT: "+
					"compute the expression in a derived table, and group by its column")
			}
		}
	}
}

func isColumn(e sqlast.Expr) bool {
	_, ok := e.(*sqlast.Column)
	return ok
}

func isNumber(e sqlast.Expr) bool {
	if u, ok := e.(*sqlast.Unary); ok {
		e = u.X
	}
	_, ok := e.(*sqlast.Number)
	return ok
}
