package sqlite

import (
	"encoding/hex"
	"strings"

	"github.com/sqlc-dev/meyer/ast"

	"github.com/qedkit/qed/internal/lists"
	"github.com/qedkit/qed/internal/sqlast"
	"github.com/qedkit/qed/internal/sqlread"
)

func (r *reader) optional(e ast.Expr) sqlast.Expr {
	if e == nil {
		return nil
	}
	return r.expr(e)
}

func (r *reader) exprs(list []ast.Expr) []sqlast.Expr { return lists.Map(list, r.expr) }

// expr reads an expression. Parentheses are in the shape of the tree.
func (r *reader) expr(e ast.Expr) sqlast.Expr {
	if r.err != nil {
		return nil
	}
	if r.depth++; r.depth > sqlast.MaxDepth {
		r.err = sqlread.TooDeep(sqlast.Pos(e.Pos()))
		return nil
	}
	defer func() { r.depth-- }()

	switch e := e.(type) {
	case *ast.Ident:
		return &sqlast.Column{Pos: pos(e), Name: e.Name, DoubleQuoted: e.Quote == ast.QuoteDouble}
	case *ast.QualifiedRef:
		return r.qualified(e)
	case *ast.Literal:
		return r.literal(e)
	case *ast.ParenExpr:
		return r.expr(e.X)
	case *ast.BinaryExpr:
		return &sqlast.Binary{Pos: pos(e), Op: binaryOps[e.Op], X: r.expr(e.X), Y: r.expr(e.Y)}
	case *ast.UnaryExpr:
		return &sqlast.Unary{Pos: pos(e), Op: unaryOps[e.Op], X: r.expr(e.X)}
	case *ast.FuncCall:
		return r.call(e)
	case *ast.LikeExpr:
		return r.like(e)
	case *ast.InExpr:
		return r.in(e)
	case *ast.BetweenExpr:
		return &sqlast.Between{Pos: pos(e), X: r.expr(e.X), Low: r.expr(e.Lo), High: r.expr(e.Hi), Not: e.Not}
	case *ast.IsExpr:
		return r.is(e)
	case *ast.NullCheckExpr:
		return r.nullCheck(e)
	case *ast.CaseExpr:
		return r.caseOf(e)
	case *ast.CastExpr:
		return r.cast(e)
	case *ast.CollateExpr:
		return r.collate(e)
	case *ast.ExistsExpr:
		return &sqlast.Exists{Pos: pos(e), Query: r.query(e.Select, unnamed)}
	case *ast.SubqueryExpr:
		return &sqlast.Subquery{Pos: pos(e), Query: r.query(e.Select, unnamed)}
	case *ast.VectorExpr:
		return &sqlast.Row{Pos: pos(e), Items: r.exprs(e.List)}
	case *ast.BindParam:
		r.fail(sqlast.Parameter, e.Pos(), e.Raw, "the parameter "+sqlast.Clip(e.Raw)+" has no value; write the value itself")
	case *ast.RaiseExpr:
		r.unsupported(e.Pos(), "RAISE")
	default:
		r.unsupported(e.Pos(), "this expression")
	}
	return nil
}

func (r *reader) qualified(e *ast.QualifiedRef) *sqlast.Column {
	parts := e.Parts
	c := &sqlast.Column{Pos: pos(e), Name: r.name(parts[len(parts)-1]), Table: r.name(parts[len(parts)-2])}
	if len(parts) == 3 {
		c.Schema = r.name(parts[0])
	}
	return c
}

func (r *reader) literal(l *ast.Literal) sqlast.Expr {
	switch at := pos(l); l.Kind {
	case ast.LitNull:
		return &sqlast.Null{Pos: at}
	case ast.LitInteger, ast.LitFloat:
		return &sqlast.Number{Pos: at, Text: l.Value}
	case ast.LitString:
		return &sqlast.String{Pos: at, Value: l.Value}
	case ast.LitBlob:
		value, err := hex.DecodeString(l.Value[2 : len(l.Value)-1])
		if err != nil {
			r.fail(sqlast.Syntax, l.Pos(), l.Value, "a blob is written X'..' with pairs of hexadecimal digits")
		}
		return &sqlast.Bytes{Pos: at, Value: value}
	case ast.LitCurrentDate:
		return &sqlast.Now{Pos: at, Kind: sqlast.CurrentDate}
	case ast.LitCurrentTime:
		return &sqlast.Now{Pos: at, Kind: sqlast.CurrentTime}
	case ast.LitCurrentTimestamp:
		return &sqlast.Now{Pos: at, Kind: sqlast.CurrentTimestamp}
	}
	r.unsupported(l.Pos(), l.Raw)
	return nil
}

var binaryOps = [...]sqlast.BinaryOp{
	ast.OpOr:     sqlast.Or,
	ast.OpAnd:    sqlast.And,
	ast.OpEq:     sqlast.Eq,
	ast.OpNe:     sqlast.Ne,
	ast.OpLt:     sqlast.Lt,
	ast.OpLe:     sqlast.Le,
	ast.OpGt:     sqlast.Gt,
	ast.OpGe:     sqlast.Ge,
	ast.OpBitAnd: sqlast.BitAnd,
	ast.OpBitOr:  sqlast.BitOr,
	ast.OpLShift: sqlast.ShiftLeft,
	ast.OpRShift: sqlast.ShiftRight,
	ast.OpAdd:    sqlast.Add,
	ast.OpSub:    sqlast.Sub,
	ast.OpMul:    sqlast.Mul,
	ast.OpDiv:    sqlast.Div,
	ast.OpMod:    sqlast.Mod,
	ast.OpConcat: sqlast.Concat,
	ast.OpPtr:    sqlast.JSONGet,
	ast.OpPtr2:   sqlast.JSONText,
}

var unaryOps = [...]sqlast.UnaryOp{
	ast.OpNot:    sqlast.Not,
	ast.OpBitNot: sqlast.BitNot,
	ast.OpPlus:   sqlast.Plus,
	ast.OpMinus:  sqlast.Minus,
}

func (r *reader) like(e *ast.LikeExpr) sqlast.Expr {
	out := &sqlast.Like{Pos: pos(e), X: r.expr(e.X), Pattern: r.expr(e.Y), Escape: r.optional(e.Escape), Not: e.Not}
	switch op := strings.ToUpper(e.Op.Name); op {
	case "LIKE":
		out.Op = sqlast.OpLike
	case "GLOB":
		out.Op = sqlast.OpGlob
	case "REGEXP":
		out.Op = sqlast.OpRegexp
	default: // MATCH
		out.Op = sqlast.OpMatch
		if !isLiteral(out.Pattern, maxSearch) {
			r.fail(sqlast.Unsupported, e.Op.Pos(), op, op+" needs a literal text of at most 200 bytes")
		}
	}
	return out
}

// The lengths of a full-text search, and of the texts around what it found.
const maxSearch, maxMark = 200, 16

func isLiteral(e sqlast.Expr, longest int) bool {
	s, ok := e.(*sqlast.String)
	return ok && len(s.Value) <= longest
}

func (r *reader) in(e *ast.InExpr) sqlast.Expr {
	out := &sqlast.In{Pos: pos(e), X: r.expr(e.X), Not: e.Not, List: r.exprs(e.List)}
	switch {
	case e.HasArgs:
		r.unsupported(e.Table.Pos(), "IN with a table-valued function")
	case e.Table != nil: // x IN t is x IN (SELECT * FROM t)
		at := pos(e.Table)
		out.Query = &sqlast.Query{Pos: at, Body: &sqlast.Select{
			Pos:   at,
			Items: []sqlast.Item{{Expr: &sqlast.Star{Pos: at}}},
			From:  r.table(e.Table, ""),
		}}
	case e.Select != nil:
		out.Query = r.query(e.Select, unnamed)
	}
	return out
}

// is reads IS and IS [NOT] DISTINCT FROM, which are one operator in SQLite.
func (r *reader) is(e *ast.IsExpr) sqlast.Expr {
	not := e.Not != e.Distinct
	x, y := r.expr(e.X), r.expr(e.Y)
	if _, null := y.(*sqlast.Null); null {
		return &sqlast.Is{Pos: pos(e), X: x, Not: not, Test: sqlast.IsNull}
	}
	op := sqlast.Same
	if not {
		op = sqlast.NotSame
	}
	return &sqlast.Binary{Pos: pos(e), Op: op, X: x, Y: y}
}

// nullCheck reads ISNULL, NOTNULL and NOT NULL. In SQLite NOT NULL binds from right
// to left, as the prefix NOT does: NOT a NOT NULL is NOT (a NOT NULL). The grammar
// reads it from left to right, so that form is refused.
func (r *reader) nullCheck(e *ast.NullCheckExpr) sqlast.Expr {
	if e.Test == ast.TestNotNullWords && endsInNot(e.X) {
		r.fail(sqlast.Unsupported, e.Pos(), "NOT NULL", "NOT NULL after another NOT is not supported: write IS NOT NULL")
	}
	return &sqlast.Is{Pos: pos(e), X: r.expr(e.X), Not: e.Test != ast.TestIsNull, Test: sqlast.IsNull}
}

// endsInNot reports whether an expression ends with the operand of a NOT that is
// not in parentheses.
func endsInNot(e ast.Expr) bool {
	for {
		switch x := e.(type) {
		case *ast.UnaryExpr:
			if x.Op == ast.OpNot {
				return true
			}
			e = x.X
		case *ast.BinaryExpr:
			e = x.Y
		case *ast.IsExpr:
			e = x.Y
		case *ast.BetweenExpr:
			e = x.Hi
		case *ast.LikeExpr:
			if e = x.Y; x.Escape != nil {
				e = x.Escape
			}
		default:
			return false
		}
	}
}

func (r *reader) caseOf(e *ast.CaseExpr) sqlast.Expr {
	return &sqlast.Case{
		Pos:     pos(e),
		Operand: r.optional(e.Operand),
		Whens: lists.Map(e.Whens, func(w *ast.CaseWhen) sqlast.When {
			return sqlast.When{Cond: r.expr(w.When), Result: r.expr(w.Then)}
		}),
		Else: r.optional(e.Else),
	}
}

func (r *reader) cast(e *ast.CastExpr) sqlast.Expr {
	name := ""
	if e.Type != nil {
		name = e.Type.Name
	}
	affinity, ok := castTypes[strings.ToUpper(name)]
	if !ok {
		r.unsupported(e.Pos(), "CAST to "+name)
	}
	return &sqlast.Cast{Pos: pos(e), X: r.expr(e.X), Type: affinity}
}

// castTypes maps the names of types to their affinity in SQLite. A cast has five
// types, without lengths.
var castTypes = map[string]string{
	"INTEGER": "INTEGER", "INT": "INTEGER", "TINYINT": "INTEGER", "SMALLINT": "INTEGER", "MEDIUMINT": "INTEGER",
	"BIGINT": "INTEGER", "INT2": "INTEGER", "INT4": "INTEGER", "INT8": "INTEGER", "UNSIGNED BIG INT": "INTEGER",
	"UNSIGNED INTEGER": "INTEGER", "SIGNED INTEGER": "INTEGER",

	"TEXT": "TEXT", "CHAR": "TEXT", "CHARACTER": "TEXT", "VARCHAR": "TEXT", "NCHAR": "TEXT", "NVARCHAR": "TEXT",
	"VARYING CHARACTER": "TEXT", "CHARACTER VARYING": "TEXT", "NATIVE CHARACTER": "TEXT", "CLOB": "TEXT",

	"REAL": "REAL", "FLOAT": "REAL", "DOUBLE": "REAL", "DOUBLE PRECISION": "REAL",

	"NUMERIC": "NUMERIC", "DECIMAL": "NUMERIC", "NUMBER": "NUMERIC", "BOOLEAN": "NUMERIC", "BOOL": "NUMERIC",
	"DATE": "NUMERIC", "TIME": "NUMERIC", "DATETIME": "NUMERIC", "TIMESTAMP": "NUMERIC", "STRING": "NUMERIC",
	"SIGNED": "NUMERIC", "UNSIGNED": "NUMERIC",

	"BLOB": "BLOB",
}

func (r *reader) collate(e *ast.CollateExpr) sqlast.Expr {
	name := strings.ToUpper(e.Name.Name)
	switch name {
	case "BINARY", "NOCASE", "RTRIM":
	default:
		r.unsupported(e.Name.Pos(), "COLLATE "+e.Name.Name)
	}
	return &sqlast.Collate{Pos: pos(e), X: r.expr(e.X), Name: name}
}
