package postgres

import "github.com/qedkit/qed/internal/sqlast"

var binaryOps = map[string]sqlast.BinaryOp{
	"=": sqlast.Eq, "<>": sqlast.Ne, "<": sqlast.Lt, "<=": sqlast.Le, ">": sqlast.Gt, ">=": sqlast.Ge,
	"+": sqlast.Add, "-": sqlast.Sub, "*": sqlast.Mul, "/": sqlast.Div, "%": sqlast.Mod, "^": sqlast.Power,
	"||": sqlast.Concat, "|": sqlast.BitOr, "&": sqlast.BitAnd, "#": sqlast.BitXor,
	"<<": sqlast.ShiftLeft, ">>": sqlast.ShiftRight,
	"->": sqlast.JSONGet, "->>": sqlast.JSONText, "#>": sqlast.PathGet, "#>>": sqlast.PathText, "#-": sqlast.PathDelete,
	"@>": sqlast.Contains, "<@": sqlast.ContainedBy, "?": sqlast.HasKey, "?|": sqlast.HasAnyKey, "?&": sqlast.HasAllKeys,
	"@?": sqlast.PathExists, "@@": sqlast.TextMatch, "&&": sqlast.Overlaps, "-|-": sqlast.Adjacent,
	"&<": sqlast.NotRightOf, "&>": sqlast.NotLeftOf, "^@": sqlast.StartsWith,
	"~": sqlast.Match, "~*": sqlast.MatchFold, "!~": sqlast.NotMatch, "!~*": sqlast.NotMatchFold,
	"~~": sqlast.LikeSign, "~~*": sqlast.LikeFold, "!~~": sqlast.NotLikeSign, "!~~*": sqlast.NotLikeFold,
	"<->": sqlast.Distance, "<=>": sqlast.Cosine, "<#>": sqlast.InnerProduct, "<+>": sqlast.Taxicab,
}

// functionsOfSigns are the functions with the meaning of prefix operators.
var functionsOfSigns = map[string]string{"!!": "tsquery_not", "@": "abs", "|/": "sqrt", "||/": "cbrt"}

// operation reads an A_Expr.
func (r *reader) operation(m message) sqlast.Expr {
	kind := m.number(1)
	left := r.optional(m.child(3))
	at := r.pos(m, 5)
	switch kind {
	case exprIn:
		return r.in(at, left, m)
	case exprLike, exprILike, exprSimilar:
		return r.like(at, left, m)
	case exprBetween, exprNotBetween, exprBetweenSym, exprNotBetweenSym:
		return r.between(at, left, m)
	}
	right := r.expr(m.child(4))
	r.at = at
	switch kind {
	case exprOp:
		if left == nil {
			return r.prefix(at, r.operatorName(m, 2), right)
		}
		return &sqlast.Binary{Pos: at, Op: r.binaryOp(m, 2), X: left, Y: right}
	case exprOpAny, exprOpAll:
		return &sqlast.Quantified{Pos: at, Op: r.binaryOp(m, 2), X: left, All: kind == exprOpAll, Array: right}
	case exprDistinct:
		return &sqlast.Binary{Pos: at, Op: sqlast.NotSame, X: left, Y: right}
	case exprNotDistinct:
		return &sqlast.Binary{Pos: at, Op: sqlast.Same, X: left, Y: right}
	case exprNullIf:
		return &sqlast.Call{Pos: at, Name: "nullif", Args: []sqlast.Expr{left, right}}
	}
	r.unsupported(at, "this operator")
	return nil
}

// operatorName returns the operator in a field, which has to be one of PostgreSQL
// itself.
func (r *reader) operatorName(m message, number int) string {
	schema, name, names := "", "", 0
	for len(m) > 0 {
		if f := m.next(); f.number == number {
			schema, name = name, r.string(f.data)
			names++
		}
	}
	if names != 1 && (names != 2 || schema != "pg_catalog") {
		r.unsupported(r.at, "an operator with a schema")
		return ""
	}
	return name
}

func (r *reader) binaryOp(m message, number int) sqlast.BinaryOp {
	name := r.operatorName(m, number)
	op, ok := binaryOps[name]
	if !ok {
		r.unsupported(r.at, "the operator "+name)
	}
	return op
}

func (r *reader) prefix(at sqlast.Pos, name string, x sqlast.Expr) sqlast.Expr {
	switch name {
	case "-":
		return &sqlast.Unary{Pos: at, Op: sqlast.Minus, X: x}
	case "+":
		return &sqlast.Unary{Pos: at, Op: sqlast.Plus, X: x}
	case "~":
		return &sqlast.Unary{Pos: at, Op: sqlast.BitNot, X: x}
	}
	function, ok := functionsOfSigns[name]
	if !ok {
		r.unsupported(at, "the prefix operator "+name)
	}
	if name == "|/" { // sqrt of a numeric is a numeric, |/ of anything a double precision
		x = &sqlast.Cast{Pos: at, X: x, Type: types["float8"]}
	}
	return &sqlast.Call{Pos: at, Name: function, Args: []sqlast.Expr{x}}
}

func (r *reader) in(at sqlast.Pos, x sqlast.Expr, m message) sqlast.Expr {
	kind, list := m.child(4).node()
	if kind != kindList {
		r.unsupported(at, "this IN")
		return nil
	}
	return &sqlast.In{Pos: at, X: x, Not: r.operatorName(m, 2) == "<>", List: r.exprs(list.list(1))}
}

var likeOps = map[int]sqlast.LikeOp{exprLike: sqlast.OpLike, exprILike: sqlast.OpILike, exprSimilar: sqlast.OpSimilar}

// like reads LIKE, ILIKE and SIMILAR TO. The grammar has ESCAPE, and every pattern
// of SIMILAR TO, as a call with the pattern as its argument.
func (r *reader) like(at sqlast.Pos, x sqlast.Expr, m message) sqlast.Expr {
	out := &sqlast.Like{Pos: at, Op: likeOps[m.number(1)], X: x, Not: r.operatorName(m, 2)[0] == '!'}
	pattern := m.child(4)
	if kind, call := pattern.node(); kind == kindFuncCall {
		switch lastString(call, 1) {
		case "like_escape", "similar_to_escape":
			args := call.list(2)
			pattern = args[0]
			if len(args) == 2 {
				out.Escape = r.expr(args[1])
			}
		}
	}
	out.Pattern = r.expr(pattern)
	return out
}

func (r *reader) between(at sqlast.Pos, x sqlast.Expr, m message) sqlast.Expr {
	_, bounds := m.child(4).node()
	list := bounds.list(1)
	kind := m.number(1)
	return &sqlast.Between{
		Pos: at, X: x, Low: r.expr(list[0]), High: r.expr(list[1]),
		Not:       kind == exprNotBetween || kind == exprNotBetweenSym,
		Symmetric: kind == exprBetweenSym || kind == exprNotBetweenSym,
	}
}
