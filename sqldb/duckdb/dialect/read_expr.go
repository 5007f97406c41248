package dialect

import (
	"fmt"

	"github.com/qedkit/qed/internal/lists"
	"github.com/qedkit/qed/internal/sqlast"
)

func (r *reader) optional(o object, key string) sqlast.Expr {
	e := r.object(o, key)
	if e.isNone() {
		return nil
	}
	return r.expr(e)
}

func (r *reader) exprs(o object, key string) []sqlast.Expr {
	return lists.Map(r.list(o, key), r.expr)
}

// children reads a list of n expressions.
func (r *reader) children(o object, n int) []sqlast.Expr {
	list := r.exprs(o, "children")
	if len(list) != n {
		r.unsupported("this number of operands", "")
		list = append(list, make([]sqlast.Expr, n)...)
	}
	return list
}

// expr reads an expression without an alias.
func (r *reader) expr(o object) sqlast.Expr {
	if alias := r.text(o, "alias"); alias != "" {
		r.unsupported("the name '"+sqlast.Clip(alias)+"' of an argument", "leave it out")
	}
	return r.named(o)
}

// named reads an expression whose alias the caller reads.
func (r *reader) named(o object) sqlast.Expr {
	defer func() { r.depth-- }()
	if !r.enter() {
		return nil
	}
	class := r.text(o, "class")
	kind := r.text(o, "type")
	at := r.position(o)
	var e sqlast.Expr
	switch class {
	case "COLUMN_REF":
		e = r.column(o, at)
	case "CONSTANT":
		e = r.constant(r.object(o, "value"))
	case "COMPARISON":
		e = &sqlast.Binary{Pos: at, Op: r.comparison(kind), X: r.optional(o, "left"), Y: r.optional(o, "right")}
	case "CONJUNCTION":
		e = r.conjunction(o, at, kind)
	case "FUNCTION":
		e = r.function(o, at)
	case "WINDOW":
		e = r.windowCall(o, at)
	case "OPERATOR":
		e = r.operator(o, at, kind)
	case "CAST":
		e = r.cast(o)
	case "CASE":
		e = r.caseOf(o, at)
	case "BETWEEN":
		e = &sqlast.Between{Pos: at, X: r.optional(o, "input"), Low: r.optional(o, "lower"), High: r.optional(o, "upper")}
	case "SUBQUERY":
		e = r.subqueryExpr(o, at)
	case "COLLATE":
		e = r.collate(o, at)
	case "LAMBDA": // the operator -> of JSON
		get := &sqlast.Binary{Pos: at, Op: sqlast.JSONGet, X: r.optional(o, "lhs"), Y: r.optional(o, "expr")}
		r.checkPath(get.Y)
		e = get
	case "PARAMETER":
		r.fail(sqlast.Parameter, at, r.text(o, "identifier"), "a parameter has no value; write the value itself")
	case "STAR":
		r.fail(sqlast.Misplaced, at, "*", "* and COLUMNS(..) are only allowed as a whole item of a select list: name the columns")
	case "POSITIONAL_REFERENCE":
		r.unsupported("#1", "name the column")
	}
	if e != nil || r.err != nil {
		r.done(o)
		return e
	}
	r.unsupported("this expression ("+class+")", "")
	return nil
}

func (r *reader) column(o object, at sqlast.Pos) sqlast.Expr {
	names := r.list(o, "column_names")
	if len(names) == 1 && names[0].string() != "" {
		return &sqlast.Column{Pos: at, Name: names[0].string()}
	}
	path := r.strings(o, "column_names")
	if len(path) == 0 {
		r.unsupported("a column without a name", "")
		return nil
	}
	return &sqlast.Column{Pos: at, Name: path[len(path)-1], Path: path}
}

var comparisons = map[string]sqlast.BinaryOp{
	"COMPARE_EQUAL": sqlast.Eq, "COMPARE_NOTEQUAL": sqlast.Ne,
	"COMPARE_LESSTHAN": sqlast.Lt, "COMPARE_LESSTHANOREQUALTO": sqlast.Le,
	"COMPARE_GREATERTHAN": sqlast.Gt, "COMPARE_GREATERTHANOREQUALTO": sqlast.Ge,
	"COMPARE_DISTINCT_FROM": sqlast.NotSame, "COMPARE_NOT_DISTINCT_FROM": sqlast.Same,
}

func (r *reader) comparison(kind string) sqlast.BinaryOp {
	op, ok := comparisons[kind]
	if !ok {
		r.unsupported("this comparison ("+kind+")", "")
	}
	return op
}

func (r *reader) conjunction(o object, at sqlast.Pos, kind string) sqlast.Expr {
	op := sqlast.And
	switch kind {
	case "CONJUNCTION_AND":
	case "CONJUNCTION_OR":
		op = sqlast.Or
	default:
		r.unsupported("this condition ("+kind+")", "")
	}
	var out sqlast.Expr
	for _, e := range r.exprs(o, "children") {
		if out == nil {
			out = e
		} else {
			out = &sqlast.Binary{Pos: at, Op: op, X: out, Y: e}
		}
	}
	return out
}

func (r *reader) operator(o object, at sqlast.Pos, kind string) sqlast.Expr {
	switch kind {
	case "OPERATOR_NOT":
		x := r.children(o, 1)[0]
		return &sqlast.Unary{Pos: at, Op: sqlast.Not, X: x}
	case "OPERATOR_IS_NULL", "OPERATOR_IS_NOT_NULL":
		return &sqlast.Is{Pos: at, X: r.children(o, 1)[0], Not: kind == "OPERATOR_IS_NOT_NULL", Test: sqlast.IsNull}
	case "COMPARE_IN", "COMPARE_NOT_IN":
		list := r.exprs(o, "children")
		if len(list) == 0 {
			return nil
		}
		return &sqlast.In{Pos: at, X: list[0], List: list[1:], Not: kind == "COMPARE_NOT_IN"}
	case "OPERATOR_COALESCE":
		return &sqlast.Call{Pos: at, Name: "coalesce", Args: r.exprs(o, "children")}
	case "OPERATOR_TRY":
		return &sqlast.Call{Pos: at, Name: "try", Args: r.exprs(o, "children")}
	case "GROUPING_FUNCTION":
		return &sqlast.Call{Pos: at, Name: "grouping", Args: r.exprs(o, "children")}
	case "ARRAY_CONSTRUCTOR":
		return &sqlast.Array{Pos: at, Items: r.exprs(o, "children")}
	case "STRUCT_EXTRACT":
		return &sqlast.Call{Pos: at, Name: "struct_extract", Args: r.children(o, 2)}
	case "ARRAY_EXTRACT":
		list := r.children(o, 2)
		return &sqlast.Index{Pos: at, X: list[0], Subscripts: []sqlast.Subscript{{High: list[1]}}}
	case "ARRAY_SLICE":
		list := r.list(o, "children")
		if len(list) != 3 {
			r.unsupported("a slice with a step", "use list_filter")
			return nil
		}
		sub := sqlast.Subscript{Slice: true, Low: r.bound(list[1]), High: r.bound(list[2])}
		return &sqlast.Index{Pos: at, X: r.expr(list[0]), Subscripts: []sqlast.Subscript{sub}}
	}
	r.unsupported("this operator ("+kind+")", "")
	return nil
}

// bound reads a bound of a slice. A missing one is an empty list.
func (r *reader) bound(o object) sqlast.Expr {
	if o.field("value").field("type").field("id").string() == "LIST" {
		return nil
	}
	return r.expr(o)
}

func (r *reader) caseOf(o object, at sqlast.Pos) sqlast.Expr {
	out := &sqlast.Case{Pos: at}
	for _, check := range r.list(o, "case_checks") {
		out.Whens = append(out.Whens, sqlast.When{Cond: r.optional(check, "when_expr"), Result: r.optional(check, "then_expr")})
		r.done(check)
	}
	out.Else = r.optional(o, "else_expr")
	if len(out.Whens) == 0 {
		return nil
	}
	return out
}

// maxSubqueries is the maximum nesting of subqueries that are values or conditions. The
// time that DuckDB takes to plan them grows by a factor of about four with each level,
// and nothing stops it.
const maxSubqueries = 6

// reach refuses a level of subqueries that is too deep.
func (r *reader) reach(level int, at sqlast.Pos) {
	if r.deepest = max(r.deepest, level); level > maxSubqueries {
		r.fail(sqlast.TooCostly, at, "SELECT", fmt.Sprintf("subqueries that are values or conditions nest deeper than %d levels, "+
			"with those of common table expressions: join subqueries in FROM", maxSubqueries))
	}
}

func (r *reader) subqueryExpr(o object, at sqlast.Pos) sqlast.Expr {
	defer func() { r.level-- }()
	r.level++
	if r.reach(r.level, at); r.err != nil {
		return nil
	}
	kind := r.text(o, "subquery_type")
	x := r.optional(o, "child")
	comparison := r.text(o, "comparison_type")
	if (x == nil) != (comparison == "" || comparison == "INVALID") || (x != nil) != (kind == "ANY") {
		kind = "a comparison"
	}
	q := r.subquery(r.object(o, "subquery"))
	switch kind {
	case "EXISTS":
		return &sqlast.Exists{Pos: at, Query: q}
	case "NOT_EXISTS":
		return &sqlast.Unary{Pos: at, Op: sqlast.Not, X: &sqlast.Exists{Pos: at, Query: q}}
	case "SCALAR":
		return &sqlast.Subquery{Pos: at, Query: q}
	case "ANY":
		if op := r.comparison(comparison); op != sqlast.Eq {
			return &sqlast.Quantified{Pos: at, Op: op, X: x, Query: q}
		}
		return &sqlast.In{Pos: at, X: x, Query: q}
	}
	r.unsupported("this kind of subquery ("+kind+")", "")
	return nil
}
