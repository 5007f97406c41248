package mysql

import (
	"github.com/pingcap/tidb/pkg/parser/ast"

	"github.com/qedkit/qed/internal/sqlast"
)

// setOps nests the grammar's flat list of arms. INTERSECT binds tighter than UNION
// and EXCEPT, which bind equally, from left to right.
func (r *reader) setOps(arms []ast.Node, nm naming) sqlast.Body {
	at := sqlast.Pos(r.cursor)
	if len(arms) > sqlast.MaxDepth {
		r.fail(sqlast.TooDeep, at, "", "the statement has too many arms of UNION, INTERSECT or EXCEPT")
		return nil
	}
	var sum *sqlast.SetOp // the last UNION or EXCEPT: a following INTERSECT takes its right arm
	var body sqlast.Body
	for i, arm := range arms {
		next, op := r.arm(arm, nm)
		nm = unnamed // the first arm names the columns
		switch {
		case i == 0:
			body = next
		case op == nil:
			r.unsupported(at, "this kind of query")
		default:
			s := setKinds[*op]
			s.Pos = at
			s.Right = next
			if s.Kind == sqlast.Intersect && sum != nil {
				s.Left = sum.Right
				sum.Right = &s
				continue
			}
			s.Left = body
			body = &s
			if s.Kind != sqlast.Intersect {
				sum = &s
			}
		}
	}
	return body
}

var setKinds = [...]sqlast.SetOp{
	ast.Union:        {Kind: sqlast.Union},
	ast.UnionAll:     {Kind: sqlast.Union, All: true},
	ast.Except:       {Kind: sqlast.Except},
	ast.ExceptAll:    {Kind: sqlast.Except, All: true},
	ast.Intersect:    {Kind: sqlast.Intersect},
	ast.IntersectAll: {Kind: sqlast.Intersect, All: true},
}

func (r *reader) arm(n ast.Node, nm naming) (sqlast.Body, *ast.SetOprType) {
	switch n := n.(type) {
	case *ast.SelectStmt: // an arm without parentheses
		if n.OrderBy != nil || n.Limit != nil || n.With != nil {
			r.fail(sqlast.Syntax, sqlast.Pos(r.cursor), "",
				"an arm of a set operation with WITH, ORDER BY or LIMIT needs parentheses")
		}
		b := r.body(n, nm)
		r.refuseSideEffects(n)
		return b, n.AfterSetOperator
	case *ast.SetOprSelectList: // an arm in parentheses
		return r.parenthesized(n, nm), n.AfterSetOperator
	}
	r.unsupported(sqlast.Pos(r.cursor), "this kind of query")
	return nil, nil
}

// parenthesized returns a query only if it has a WITH, ORDER BY or LIMIT. Otherwise
// the parentheses are in the shape of the tree.
func (r *reader) parenthesized(l *ast.SetOprSelectList, nm naming) sqlast.Body {
	at := sqlast.Pos(r.cursor)
	if !r.enter(at) {
		return nil
	}
	defer r.leave()
	var q *sqlast.Query
	if s, ok := l.Selects[0].(*ast.SelectStmt); ok && len(l.Selects) == 1 {
		q = r.query(s, nm) // the grammar repeats its WITH in the list
	} else {
		q = &sqlast.Query{Pos: at, With: r.with(l.With), Body: r.setOps(l.Selects, nm)}
		r.tail(q, l.OrderBy, l.Limit)
	}
	if q != nil && q.With == nil && q.OrderBy == nil && q.Limit == nil {
		return q.Body
	}
	return q
}
