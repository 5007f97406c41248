package mysql

import (
	"strconv"

	"github.com/pingcap/tidb/pkg/parser/ast"
	"github.com/pingcap/tidb/pkg/parser/opcode"

	"github.com/qedkit/qed/internal/lists"
	"github.com/qedkit/qed/internal/sqlast"
)

func (r *reader) exprs(list []ast.ExprNode) []sqlast.Expr { return lists.Map(list, r.expr) }

// operand reads an operand of an operator. After INTERVAL 1 DAY + x, servers read
// everything up to the end of the expression as x, the grammar only up to the next
// comparison: such an operand needs parentheses.
func (r *reader) operand(e ast.ExprNode) sqlast.Expr {
	if f, ok := e.(*ast.FuncCallExpr); ok {
		if at := r.pos(f); isWord(r.src, r.tokenAt(at), "INTERVAL") && f.FnName.L != "interval" {
			r.fail(sqlast.Unsupported, at, "INTERVAL",
				"INTERVAL .. + x next to an operator is not supported: write x + INTERVAL .., or add parentheses")
		}
	}
	return r.expr(e)
}

func (r *reader) tokenAt(at sqlast.Pos) token {
	scan := scanner{src: r.src, at: int(at)}
	return scan.next()
}

func (r *reader) optional(e ast.ExprNode) sqlast.Expr {
	if e == nil {
		return nil
	}
	return r.expr(e)
}

func (r *reader) expr(e ast.ExprNode) sqlast.Expr {
	at := r.pos(e)
	if !r.enter(at) {
		return nil
	}
	defer r.leave()
	construct := "this expression"
	switch e := e.(type) {
	case *ast.ParenthesesExpr:
		return r.expr(e.Expr)
	case *ast.ColumnNameExpr:
		return &sqlast.Column{Pos: at, Schema: e.Name.Schema.O, Table: e.Name.Table.O, Name: r.name(e.Name.Name, at)}
	case *ast.PositionExpr:
		return r.position(e)
	case ast.ParamMarkerExpr:
		r.parameter(at)
	case ast.ValueExpr:
		return r.literal(e)
	case *ast.UnaryOperationExpr:
		if op, ok := unaryOps[e.Op]; ok {
			return &sqlast.Unary{Pos: at, Op: op, X: r.operand(e.V)}
		}
	case *ast.BinaryOperationExpr:
		if op, ok := binaryOps[e.Op]; ok {
			return &sqlast.Binary{Pos: at, Op: op, X: r.operand(e.L), Y: r.operand(e.R)}
		}
	case *ast.FuncCallExpr:
		return r.call(e)
	case *ast.AggregateFuncExpr:
		return r.aggregate(e)
	case *ast.WindowFuncExpr:
		return r.windowCall(e)
	case *ast.FuncCastExpr:
		return &sqlast.Cast{Pos: at, X: r.expr(e.Expr), Type: r.castType(e)}
	case *ast.CaseExpr:
		return r.caseOf(e)
	case *ast.IsNullExpr:
		return &sqlast.Is{Pos: at, X: r.operand(e.Expr), Not: e.Not, Test: sqlast.IsNull}
	case *ast.IsTruthExpr:
		test := sqlast.IsFalse
		if e.True != 0 {
			test = sqlast.IsTrue
		}
		return &sqlast.Is{Pos: at, X: r.operand(e.Expr), Not: e.Not, Test: test}
	case *ast.BetweenExpr:
		return &sqlast.Between{Pos: at, X: r.operand(e.Expr), Low: r.operand(e.Left), High: r.operand(e.Right), Not: e.Not}
	case *ast.PatternInExpr:
		return r.in(e)
	case *ast.PatternLikeOrIlikeExpr:
		return r.like(e)
	case *ast.PatternRegexpExpr:
		return &sqlast.Like{Pos: at, Op: sqlast.OpRegexp, X: r.operand(e.Expr), Pattern: r.operand(e.Pattern), Not: e.Not}
	case *ast.SetCollationExpr:
		return &sqlast.Collate{Pos: at, X: r.operand(e.Expr), Name: e.Collate}
	case *ast.RowExpr:
		return &sqlast.Row{Pos: at, Items: r.exprs(e.Values)}
	case *ast.SubqueryExpr:
		return &sqlast.Subquery{Pos: at, Query: r.query(e.Query, unnamed)}
	case *ast.ExistsSubqueryExpr:
		return r.exists(e)
	case *ast.CompareSubqueryExpr:
		return r.quantified(e)
	case *ast.TimeUnitExpr:
		return &sqlast.Unit{Pos: at, Name: e.Unit.String()}
	case *ast.GetFormatSelectorExpr:
		return &sqlast.Unit{Pos: at, Name: e.Selector.String()}
	case *ast.VariableExpr:
		r.fail(sqlast.Variable, at, variableName(e), "variables are not allowed: use a window function, or WITH for a value")
	case *ast.MatchAgainst:
		return r.match(e)
	case *ast.DefaultExpr:
		construct = "DEFAULT"
	case *ast.ValuesExpr:
		construct = "VALUES() as a value"
	}
	r.unsupported(at, construct)
	return nil
}

// match reads MATCH (columns) AGAINST (text). A search in boolean mode has a unit as its
// last argument.
func (r *reader) match(e *ast.MatchAgainst) sqlast.Expr {
	at := r.pos(e)
	out := &sqlast.Call{Pos: at, Name: "match", Unsafe: countsAllRows}
	for _, c := range e.ColumnNames {
		out.Args = append(out.Args, &sqlast.Column{Pos: at, Schema: c.Schema.O, Table: c.Table.O, Name: r.name(c.Name, at)})
	}
	text, ok := r.expr(e.Against).(*sqlast.String)
	if !ok {
		r.fail(sqlast.Unsupported, at, "AGAINST", "MATCH .. AGAINST needs a literal text")
		return nil
	}
	out.Args = append(out.Args, text)
	switch {
	case e.Modifier.WithQueryExpansion():
		r.fail(sqlast.Unsupported, at, "WITH QUERY EXPANSION", "WITH QUERY EXPANSION is not supported, because it searches "+
			"for the words of other rows: leave it out")
	case e.Modifier.IsBooleanMode():
		out.Args = append(out.Args, &sqlast.Unit{Pos: at, Name: "IN BOOLEAN MODE"})
	}
	return out
}

const countsAllRows = "the relevance of MATCH .. AGAINST counts all rows of the table, also those that a view hides: " +
	"use MATCH .. AGAINST ('..' IN BOOLEAN MODE) as a condition of WHERE, and order by a column"

// condition reads a condition of WHERE, ON or HAVING. A search in boolean mode that is
// one of its operands is true or false for a row whatever other rows there are.
func (r *reader) condition(e ast.ExprNode) sqlast.Expr {
	out := r.optional(e)
	asCondition(out)
	return out
}

func asCondition(e sqlast.Expr) {
	switch e := e.(type) {
	case *sqlast.Unary:
		if e.Op == sqlast.Not {
			asCondition(e.X)
		}
	case *sqlast.Binary:
		if e.Op == sqlast.And || e.Op == sqlast.Or || e.Op == sqlast.Xor {
			asCondition(e.X)
			asCondition(e.Y)
		}
	case *sqlast.Call:
		if e.Name == "match" {
			if _, boolean := e.Args[len(e.Args)-1].(*sqlast.Unit); boolean {
				e.Unsafe = ""
			}
		}
	}
}

var unaryOps = map[opcode.Op]sqlast.UnaryOp{
	opcode.Not: sqlast.Not, opcode.Not2: sqlast.Not, opcode.Minus: sqlast.Minus,
	opcode.Plus: sqlast.Plus, opcode.BitNeg: sqlast.BitNot,
}

var binaryOps = map[opcode.Op]sqlast.BinaryOp{
	opcode.LogicOr: sqlast.Or, opcode.LogicXor: sqlast.Xor, opcode.LogicAnd: sqlast.And,
	opcode.EQ: sqlast.Eq, opcode.NE: sqlast.Ne, opcode.LT: sqlast.Lt, opcode.LE: sqlast.Le,
	opcode.GT: sqlast.Gt, opcode.GE: sqlast.Ge, opcode.NullEQ: sqlast.Same,
	opcode.Or: sqlast.BitOr, opcode.And: sqlast.BitAnd, opcode.Xor: sqlast.BitXor,
	opcode.LeftShift: sqlast.ShiftLeft, opcode.RightShift: sqlast.ShiftRight,
	opcode.Plus: sqlast.Add, opcode.Minus: sqlast.Sub, opcode.Mul: sqlast.Mul,
	opcode.Div: sqlast.Div, opcode.IntDiv: sqlast.IntDiv, opcode.Mod: sqlast.Mod,
}

func variableName(v *ast.VariableExpr) string {
	if v.IsSystem {
		return "@@" + v.Name
	}
	return "@" + v.Name
}

func (r *reader) parameter(at sqlast.Pos) {
	r.fail(sqlast.Parameter, at, "?", "placeholders are not allowed: write the value")
}

// position reads the number of an output column in ORDER BY or GROUP BY. The
// grammar keeps neither its text nor its offset.
func (r *reader) position(e *ast.PositionExpr) sqlast.Expr {
	if e.P != nil {
		r.parameter(-1)
	}
	return &sqlast.Number{Pos: sqlast.Pos(r.cursor), Text: strconv.Itoa(e.N)}
}

func (r *reader) caseOf(c *ast.CaseExpr) sqlast.Expr {
	return &sqlast.Case{
		Pos:     r.pos(c),
		Operand: r.optional(c.Value),
		Whens: lists.Map(c.WhenClauses, func(w *ast.WhenClause) sqlast.When {
			return sqlast.When{Cond: r.expr(w.Expr), Result: r.expr(w.Result)}
		}),
		Else: r.optional(c.ElseClause),
	}
}

func (r *reader) in(e *ast.PatternInExpr) sqlast.Expr {
	out := &sqlast.In{Pos: r.pos(e), X: r.operand(e.Expr), Not: e.Not, List: r.exprs(e.List)}
	if e.Sel != nil {
		out.Query = r.subquery(e.Sel)
	}
	return out
}

func (r *reader) like(e *ast.PatternLikeOrIlikeExpr) sqlast.Expr {
	if !e.IsLike {
		r.unsupported(r.pos(e), "ILIKE")
		return nil
	}
	out := &sqlast.Like{Pos: r.pos(e), Op: sqlast.OpLike, X: r.operand(e.Expr), Pattern: r.operand(e.Pattern), Not: e.Not}
	if e.EscapeExplicit {
		escape := ""
		if e.Escape != 0 {
			escape = string(rune(e.Escape))
		}
		out.Escape = &sqlast.String{Pos: r.pos(e), Value: escape}
	}
	return out
}

func (r *reader) exists(e *ast.ExistsSubqueryExpr) sqlast.Expr {
	out := &sqlast.Exists{Pos: r.pos(e), Query: r.subquery(e.Sel)}
	if e.Not {
		return &sqlast.Unary{Pos: r.pos(e), Op: sqlast.Not, X: out}
	}
	return out
}

func (r *reader) quantified(e *ast.CompareSubqueryExpr) sqlast.Expr {
	op, ok := binaryOps[e.Op]
	if !ok || op == sqlast.Same {
		r.unsupported(r.pos(e), "this comparison with ANY or ALL")
	}
	return &sqlast.Quantified{Pos: r.pos(e), Op: op, X: r.operand(e.L), All: e.All, Query: r.subquery(e.R)}
}

func (r *reader) subquery(e ast.ExprNode) *sqlast.Query {
	s, ok := e.(*ast.SubqueryExpr)
	if !ok {
		r.unsupported(r.pos(e), "this subquery")
		return nil
	}
	return r.query(s.Query, unnamed)
}
