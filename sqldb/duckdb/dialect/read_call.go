package dialect

import (
	"slices"
	"strconv"
	"strings"

	"github.com/qedkit/qed/internal/ascii"
	"github.com/qedkit/qed/internal/sqlast"
	"github.com/qedkit/qed/internal/sqlread"
	"github.com/qedkit/qed/internal/wordset"
)

var binaryOps = map[string]sqlast.BinaryOp{
	"+": sqlast.Add, "-": sqlast.Sub, "*": sqlast.Mul, "/": sqlast.Div, "//": sqlast.IntDiv, "%": sqlast.Mod,
	"||": sqlast.Concat, "&": sqlast.BitAnd, "|": sqlast.BitOr, "<<": sqlast.ShiftLeft, ">>": sqlast.ShiftRight,
	"->>": sqlast.JSONText, "@>": sqlast.Contains, "<@": sqlast.ContainedBy, "&&": sqlast.Overlaps,
	"^": sqlast.Power, "**": sqlast.Power, "^@": sqlast.StartsWith,
}

var unaryOps = map[string]sqlast.UnaryOp{"-": sqlast.Minus, "+": sqlast.Plus, "~": sqlast.BitNot}

var likeOps = map[string]struct {
	op  sqlast.LikeOp
	not bool
}{
	"~~": {op: sqlast.OpLike}, "!~~": {op: sqlast.OpLike, not: true},
	"~~*": {op: sqlast.OpILike}, "!~~*": {op: sqlast.OpILike, not: true}, "~~~": {op: sqlast.OpGlob},
	"like_escape": {op: sqlast.OpLike}, "not_like_escape": {op: sqlast.OpLike, not: true},
	"ilike_escape": {op: sqlast.OpILike}, "not_ilike_escape": {op: sqlast.OpILike, not: true},
}

// lambdaFunctions are the functions that may have a lambda. list_reduce is not
// among them: what it returns may grow with each element.
var lambdaFunctions = wordset.Of(`
	list_transform list_apply array_transform array_apply apply
	list_filter array_filter filter
`)

// namedArguments are the functions whose arguments may have names.
var namedArguments = wordset.Of("struct_pack struct_insert struct_update")

func (r *reader) function(o object, at sqlast.Pos) sqlast.Expr {
	inFrom := r.inFrom
	r.inFrom = false
	name, receiver := r.functionName(o, at)
	operator := r.flag(o, "is_operator", false)
	args := r.arguments(o, name, receiver)
	orders := r.object(o, "order_bys")
	var orderBy []sqlast.Order
	if !orders.isNone() {
		r.text(orders, "type")
		orderBy = r.orders(orders, "orders")
		r.done(orders)
	}
	c := &sqlast.Call{
		Pos: at, Name: name, Args: args, OrderBy: orderBy,
		Filter: r.optional(o, "filter"), Distinct: r.flag(o, "distinct", false),
	}
	r.checkWhole(at, name, args)
	r.checkRegexp(at, name, args)
	r.checkFormat(at, name, args)
	like, isLike := likeOps[name]
	switch {
	case r.err != nil:
	case isLike && (len(args) == 2 || len(args) == 3):
		e := &sqlast.Like{Pos: at, Op: like.op, X: args[0], Pattern: args[1], Not: like.not}
		if len(args) == 3 {
			e.Escape = args[2]
		}
		r.checkPattern(e)
		return e
	case operator || !sqlread.IsPlainWord(name):
		return r.symbol(at, name, args)
	case name == "count_star" && len(args) == 0:
		c.Name, c.Star = "count", true
	case name == "position": // which has a syntax of its own
		c.Name = "strpos"
	case name == "list_value":
		return &sqlast.Array{Pos: at, Items: args}
	case name == "row":
		return &sqlast.Row{Pos: at, Items: args, Explicit: true}
	case intervalUnits[name] != "" && len(args) == 1:
		if x := intervalOf(args[0]); x != nil {
			return &sqlast.Interval{Pos: at, X: x, Unit: intervalUnits[name]}
		}
	case name == "range" || name == "generate_series" || name == "unnest":
		if len(args) > 3 || name == "unnest" && len(args) != 1 {
			r.unsupported("this form of "+name, "")
		}
		if !inFrom && name != "unnest" && !isShortSeries(args) {
			r.fail(sqlast.Unbounded, at, name, name+" makes a list in memory, which no limit bounds: use it in FROM, or with "+
				"whole numbers, or with dates as DATE '2024-01-31' or CURRENT_DATE and INTERVAL 1 DAY or more")
		}
	}
	return c
}

// isShortSeries reports whether a series has whole numbers, which package sqlbound
// compares, or steps of a day or more between two dates. A date has four digits of a year.
func isShortSeries(args []sqlast.Expr) bool {
	if len(args) < 3 || !isDate(args[0]) {
		return !slices.ContainsFunc(args, func(e sqlast.Expr) bool { _, ok := wholeNumber(e); return !ok })
	}
	count, unit := "", ""
	switch step := args[2].(type) {
	case *sqlast.Interval:
		if n, ok := step.X.(*sqlast.Number); ok {
			count, unit = n.Text, step.Unit
		}
	case *sqlast.Cast: // INTERVAL '1 day'
		if text, ok := step.X.(*sqlast.String); ok && step.Type == "INTERVAL" {
			count, unit, _ = strings.Cut(strings.TrimPrefix(text.Value, "-"), " ")
			unit = strings.TrimSuffix(ascii.Upper(unit), "S")
		}
	}
	n, err := strconv.Atoi(count)
	return isDate(args[1]) && err == nil && n != 0 && days[unit]
}

// isDate reports whether an expression is a date or a time of the years 0 to 9999, or
// today with an interval of at most 9999 units.
func isDate(e sqlast.Expr) bool {
	if b, ok := e.(*sqlast.Binary); ok && (b.Op == sqlast.Add || b.Op == sqlast.Sub) {
		by, _ := b.Y.(*sqlast.Interval)
		if _, nested := b.X.(*sqlast.Binary); by == nil || nested {
			return false
		}
		if n, ok := by.X.(*sqlast.Number); !ok || len(n.Text) > 4 {
			return false
		}
		e = b.X
	}
	switch e := e.(type) {
	case *sqlast.Cast:
		text, ok := e.X.(*sqlast.String)
		return ok && (e.Type == "DATE" || e.Type == "TIMESTAMP") && len(text.Value) > 4 && text.Value[4] == '-'
	case *sqlast.Column: // a name without parentheses
		return e.Table == "" && ascii.EqualFold(e.Name, "current_date")
	case *sqlast.Call:
		return len(e.Args) == 0 && (e.Name == "today" || e.Name == "now")
	}
	return false
}

// days are the units of an interval of a day or more.
var days = wordset.Of("DAY WEEK MONTH QUARTER YEAR")

// functionName reads the name of a function in lower case, without the schema of
// DuckDB's own functions. For a method call such as t.x.lower() it also returns the
// column, which DuckDB reads as a schema.
func (r *reader) functionName(o object, at sqlast.Pos) (name string, receiver []sqlast.Expr) {
	name = ascii.Lower(r.text(o, "function_name"))
	schema, catalog := r.text(o, "schema"), r.text(o, "catalog")
	switch {
	case schema == "" && catalog == "", schema == "main" && (catalog == "" || catalog == "system"):
	case schema == "" || schema == "main" || strings.HasPrefix(schema, "pg_") || schema == "information_schema":
		r.fail(sqlast.Function, at, name, "a function is called as "+name+"(..): leave out "+
			sqlast.Clip(strings.TrimPrefix(catalog+"."+schema+".", ".")))
	case catalog == "":
		receiver = []sqlast.Expr{&sqlast.Column{Pos: at, Name: schema}}
	default:
		receiver = []sqlast.Expr{&sqlast.Column{Pos: at, Name: schema, Path: []string{catalog, schema}}}
	}
	return name, receiver
}

// arguments reads the arguments of a call, and appends them to out: the column of a
// method call is the first argument.
func (r *reader) arguments(o object, name string, out []sqlast.Expr) []sqlast.Expr {
	list := r.list(o, "children")
	out = slices.Grow(out, len(list))
	for _, arg := range list {
		alias := ""
		if namedArguments[name] {
			alias = r.text(arg, "alias")
		}
		var e sqlast.Expr
		switch {
		case len(out) == 1 && lambdaFunctions[name] && arg.field("class").string() == "LAMBDA":
			e = r.lambda(arg)
		case alias != "":
			e = &sqlast.NamedArg{Pos: r.at, Name: alias, X: r.named(arg)}
		default:
			e = r.expr(arg)
		}
		out = append(out, e)
	}
	return out
}

func (r *reader) lambda(o object) sqlast.Expr {
	r.text(o, "class")
	r.text(o, "type")
	l := &sqlast.Lambda{Pos: r.position(o)}
	r.text(o, "syntax_type")
	params := r.object(o, "lhs")
	if params.field("class").string() == "FUNCTION" {
		row, ok := r.expr(params).(*sqlast.Row)
		if !ok {
			r.param(nil)
			return nil
		}
		for _, e := range row.Items {
			l.Params = append(l.Params, r.param(e))
		}
	} else {
		l.Params = []string{r.param(r.expr(params))}
	}
	l.X = r.optional(o, "expr")
	r.done(o)
	if l.X == nil {
		r.unsupported("a lambda without an expression", "")
		return nil
	}
	return l
}

func (r *reader) param(e sqlast.Expr) string {
	if c, ok := e.(*sqlast.Column); ok && c.Path == nil && sqlread.IsPlainWord(ascii.Lower(c.Name)) {
		return c.Name
	}
	r.unsupported("these parameters of a lambda", "write LAMBDA x, i: ..")
	return ""
}

func (r *reader) symbol(at sqlast.Pos, name string, args []sqlast.Expr) sqlast.Expr {
	if op, ok := unaryOps[name]; ok && len(args) == 1 {
		return &sqlast.Unary{Pos: at, Op: op, X: args[0]}
	}
	if name == "@" && len(args) == 1 {
		return &sqlast.Call{Pos: at, Name: "abs", Args: args}
	}
	if op, ok := binaryOps[name]; ok && len(args) == 2 {
		if op == sqlast.JSONText {
			r.checkPath(args[1])
		}
		return &sqlast.Binary{Pos: at, Op: op, X: args[0], Y: args[1]}
	}
	r.fail(sqlast.Function, at, name, "the operator "+sqlast.Clip(name)+" is not supported")
	return nil
}

// intervalUnits are the functions that DuckDB makes of INTERVAL x unit.
var intervalUnits = map[string]string{
	"to_years": "YEAR", "to_months": "MONTH", "to_days": "DAY", "to_hours": "HOUR", "to_minutes": "MINUTE",
	"to_seconds": "SECOND", "to_weeks": "WEEK", "to_quarters": "QUARTER",
}

// intervalOf returns the number of an interval, of which DuckDB makes
// CAST(trunc(CAST(x AS DOUBLE)) AS INTEGER), or nil. A number of seconds is not
// truncated.
func intervalOf(e sqlast.Expr) *sqlast.Number {
	outer, ok := e.(*sqlast.Cast)
	if !ok {
		return nil
	}
	if trunc, ok := outer.X.(*sqlast.Call); ok && trunc.Name == "trunc" && len(trunc.Args) == 1 {
		if outer, ok = trunc.Args[0].(*sqlast.Cast); !ok {
			return nil
		}
	}
	n, ok := outer.X.(*sqlast.Number)
	if !ok || outer.Type != "DOUBLE" {
		return nil
	}
	if _, err := strconv.Atoi(n.Text); err != nil {
		return nil
	}
	return n
}

func (r *reader) windowCall(o object, at sqlast.Pos) sqlast.Expr {
	name, receiver := r.functionName(o, at)
	if receiver != nil {
		r.unsupported("OVER after a method call", "make the column the first argument")
	}
	c := &sqlast.Call{
		Pos: at, Name: name, Args: r.arguments(o, name, nil),
		Distinct: r.flag(o, "distinct", false), IgnoreNulls: r.flag(o, "ignore_nulls", false),
		Filter: r.optional(o, "filter_expr"), OrderBy: r.orders(o, "arg_orders"),
	}
	for _, key := range []string{"offset_expr", "default_expr"} {
		if e := r.optional(o, key); e != nil {
			c.Args = append(c.Args, e)
		}
	}
	if !sqlread.IsPlainWord(name) {
		r.fail(sqlast.Function, at, name, "there is no function "+sqlast.Clip(name))
	}
	r.checkWhole(at, name, c.Args)
	if name == "count_star" {
		c.Name, c.Star = "count", true
	}
	c.Over = &sqlast.Window{Pos: at, PartitionBy: r.exprs(o, "partitions"), OrderBy: r.orders(o, "orders"), Frame: r.frame(o, at)}
	r.checkWindow(c)
	return c
}

// byIndex are the window functions that do not read all rows of the frame for an ORDER BY
// among their arguments.
var byIndex = wordset.Of(`first_value last_value nth_value lead lag rank dense_rank row_number ntile percent_rank
	cume_dist fill`)

// checkWindow refuses aggregates for which DuckDB reads the whole frame again for each row,
// without a look at its time limit, or keeps values that it does not count against its
// memory limit.
func (r *reader) checkWindow(c *sqlast.Call) {
	frame := c.Over.Frame
	isSlow := len(c.OrderBy) > 0 && !byIndex[c.Name] || c.Distinct && frame != nil && frame.Exclude != sqlast.ExcludeNoOthers
	if isSlow || c.Name == "mode" || c.Name == "entropy" || c.Name == "histogram" {
		r.fail(sqlast.TooCostly, c.Pos, c.Name, c.Name+" over a window takes long or much memory with DISTINCT and EXCLUDE, with "+
			"ORDER BY among its arguments, or if it counts values: join a subquery that computes it with GROUP BY")
	}
}

var frameUnits = map[string]sqlast.FrameUnit{"ROWS": sqlast.Rows, "RANGE": sqlast.Range, "GROUPS": sqlast.Groups}

var exclusions = map[string]sqlast.FrameExclude{
	"": sqlast.ExcludeNoOthers, "NO_OTHER": sqlast.ExcludeNoOthers, "CURRENT_ROW": sqlast.ExcludeCurrentRow,
	"GROUP": sqlast.ExcludeGroup, "TIES": sqlast.ExcludeTies,
}

// frame reads the frame of a window. The default one is left out.
func (r *reader) frame(o object, at sqlast.Pos) *sqlast.Frame {
	start, end := r.text(o, "start"), r.text(o, "end")
	exclude, ok := exclusions[r.text(o, "exclude_clause")]
	if !ok {
		r.unsupported("this EXCLUDE of a window", "")
	}
	f := &sqlast.Frame{Pos: at, Exclude: exclude}
	unit := ""
	f.Start, unit = r.frameBound(start, r.optional(o, "start_expr"), unit)
	f.End, unit = r.frameBound(end, r.optional(o, "end_expr"), unit)
	if start == "UNBOUNDED_PRECEDING" && end == "CURRENT_ROW_RANGE" && exclude == sqlast.ExcludeNoOthers {
		return nil
	}
	if unit != "" {
		f.Unit = frameUnits[unit]
	}
	return f
}

var boundKinds = map[string]sqlast.BoundKind{
	"UNBOUNDED_PRECEDING": sqlast.UnboundedPreceding, "UNBOUNDED_FOLLOWING": sqlast.UnboundedFollowing,
	"CURRENT_ROW": sqlast.CurrentRow, "EXPR_PRECEDING": sqlast.Preceding, "EXPR_FOLLOWING": sqlast.Following,
}

func (r *reader) frameBound(text string, x sqlast.Expr, unit string) (sqlast.Bound, string) {
	b := sqlast.Bound{X: x}
	kind, known := text, true
	if i := strings.LastIndexByte(text, '_'); i >= 0 {
		if _, ok := frameUnits[text[i+1:]]; ok {
			if kind = text[:i]; unit == "" {
				unit = text[i+1:]
			} else {
				known = unit == text[i+1:]
			}
		}
	}
	var ok bool
	if b.Kind, ok = boundKinds[kind]; !known || !ok || (x != nil) != (b.Kind == sqlast.Preceding || b.Kind == sqlast.Following) {
		r.unsupported("this frame of a window ("+text+")", "")
	}
	return b, unit
}
