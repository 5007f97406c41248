package mysql

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/pingcap/tidb/pkg/parser/ast"
	"github.com/pingcap/tidb/pkg/parser/charset"
	grammar "github.com/pingcap/tidb/pkg/parser/mysql"
	"github.com/pingcap/tidb/pkg/parser/types"

	"github.com/qedkit/qed/internal/ascii"
	"github.com/qedkit/qed/internal/sqlast"
	"github.com/qedkit/qed/internal/sqlread"
	"github.com/qedkit/qed/internal/wordset"
)

func (r *reader) call(f *ast.FuncCallExpr) sqlast.Expr {
	at := r.pos(f)
	if f.Schema.O != "" {
		r.fail(sqlast.Function, at, f.Schema.O+"."+f.FnName.O, "functions with a schema are not allowed")
		return nil
	}
	name := r.functionName(f.FnName.O, at)
	switch name {
	case ast.DateLiteral, ast.TimeLiteral, ast.TimestampLiteral:
		return r.dateLiteral(f, name)
	case "now", "current_timestamp", "localtime", "localtimestamp":
		return r.now(f, sqlast.CurrentTimestamp)
	case "current_date", "curdate":
		return r.now(f, sqlast.CurrentDate)
	case "current_time", "curtime":
		return r.now(f, sqlast.CurrentTime)
	}
	out := &sqlast.Call{Pos: at, Name: name}
	switch name {
	case ast.CharFunc:
		out.Name = "char"
		out.Args = r.exprs(f.Args[:len(f.Args)-1])
		if set := f.Args[len(f.Args)-1].(ast.ValueExpr).GetString(); set != "" {
			out.Args = append(out.Args, &sqlast.Unit{Pos: at, Name: set})
		}
	case "convert": // CONVERT(x USING set); CONVERT(x, type) is a cast
		out.Args = []sqlast.Expr{r.expr(f.Args[0]), &sqlast.Unit{Pos: at, Name: f.Args[1].(ast.ValueExpr).GetString()}}
	case ast.InsertFunc:
		out.Name = "insert"
		out.Args = r.exprs(f.Args)
	case "position":
		out.Name = "locate"
		out.Args = r.exprs(f.Args)
	case "date_add", "date_sub", "adddate", "subdate":
		out.Args = r.interval(f, at)
	case "trim":
		out.Args = r.trim(f, at)
	case ast.JSONMemberOf:
		if parseServer(r.version).mariaDB {
			r.fail(sqlast.Unsupported, at, "MEMBER OF", "MariaDB has no MEMBER OF: write JSON_CONTAINS(array, '17'), or "+
				"JSON_CONTAINS(array, JSON_QUOTE(text))")
		}
		return &sqlast.Like{Pos: at, Op: sqlast.OpMember, X: r.operand(f.Args[0]), Pattern: r.operand(f.Args[1])}
	case "median":
		r.plainMedian(at)
	case "weight_string":
		r.unsupported(at, f.FnName.O)
	case ast.NextVal, ast.LastVal, ast.SetVal:
		r.fail(sqlast.Function, at, name, "sequences are not allowed")
	default:
		out.Args = r.exprs(f.Args)
		boundShapes(out)
	}
	return out
}

// comparesShapes are the functions that compare shapes. No limit of time stops them in a row:
// MariaDB takes 28 seconds for a point and a shape with 40,000 corners.
var comparesShapes = wordset.Of("st_contains st_within st_intersects st_distance mbrcontains mbrwithin")

// plainShape matches the texts of a point and of a shape with one ring. MariaDB 10.11.19 ends
// with signal 11 for the distance of a point in a shape with a hole.
var plainShape = regexp.MustCompile(`(?i)^\s*(POINT\s*\([-+.0-9e\s]+\)|POLYGON\s*\(\s*\([-+.0-9e\s,]+\)\s*\))\s*$`)

// boundShapes has only a policy allow shapes with any number of corners: those of columns, and
// of texts that a statement makes.
func boundShapes(c *sqlast.Call) {
	isPlain := func(e sqlast.Expr) bool {
		call, ok := e.(*sqlast.Call)
		return ok && (call.Name == "point" || call.Name == "st_geomfromtext" && c.Name != "st_distance")
	}
	isPlainText := func(e sqlast.Expr) bool {
		text, ok := e.(*sqlast.String)
		return ok && plainShape.MatchString(text.Value)
	}
	switch {
	case comparesShapes[c.Name] && slices.ContainsFunc(c.Args, func(e sqlast.Expr) bool { return !isPlain(e) }):
		c.Unsafe = c.Name + " compares POINT(x, y)"
		if c.Name != "st_distance" {
			c.Unsafe += " and ST_GeomFromText('..')"
		}
		c.Unsafe += " only, because a shape of a column can have many corners: write POINT(ST_X(c), ST_Y(c)) for a column c with points"
	case c.Name == "st_geomfromtext" && len(c.Args) > 0 && !isPlainText(c.Args[0]):
		c.Unsafe = "ST_GeomFromText needs a literal POINT(x y) or POLYGON((..)) with one ring"
	}
}

// plainMedian refuses MEDIAN without OVER, which is no function of a server.
func (r *reader) plainMedian(at sqlast.Pos) {
	r.fail(sqlast.Unsupported, at, "MEDIAN", "MEDIAN has to be a window function, MEDIAN(x) OVER (PARTITION BY k), which "+
		"only MariaDB has. Elsewhere, "+medianRemedy)
}

// functionName returns a name in lower case. It is printed without quotes, so a
// name that needs quotes is refused.
func (r *reader) functionName(name string, at sqlast.Pos) string {
	if strings.HasPrefix(name, "'tidb`.(") { // the grammar's name for DATE '..'
		return name
	}
	name = ascii.Lower(name)
	if !sqlread.IsPlainWord(name) {
		r.fail(sqlast.Function, at, name, "no function has this name")
	}
	return name
}

// dateLiteral reads DATE '..', TIME '..' and TIMESTAMP '..'. The type of the literal has
// the number of its digits of a fraction of a second.
func (r *reader) dateLiteral(f *ast.FuncCallExpr, name string) sqlast.Expr {
	text := &sqlast.String{Pos: r.pos(f), Value: f.Args[0].(ast.ValueExpr).GetString()}
	out := &sqlast.Cast{Pos: r.pos(f), X: text, Type: "DATE", Literal: "DATE"}
	switch name {
	case ast.DateLiteral:
		return out
	case ast.TimeLiteral:
		out.Type, out.Literal = "TIME", "TIME"
	default:
		out.Type, out.Literal = "DATETIME", "TIMESTAMP"
	}
	if _, fraction, ok := strings.Cut(text.Value, "."); ok {
		if n := min(digits(fraction), 6); n > 0 {
			out.Type += "(" + strconv.Itoa(n) + ")"
		}
	}
	return out
}

func (r *reader) now(f *ast.FuncCallExpr, kind sqlast.NowKind) sqlast.Expr {
	out := &sqlast.Now{Pos: r.pos(f), Kind: kind}
	if len(f.Args) == 0 {
		return out
	}
	precision, ok := f.Args[0].(ast.ValueExpr)
	n, isInt := int64(0), false
	if ok {
		n, isInt = precision.GetValue().(int64)
	}
	if !isInt || n > 6 || len(f.Args) > 1 {
		r.fail(sqlast.Syntax, r.pos(f), f.FnName.O, "a time has at most six digits of a second")
		return nil
	}
	out.Precision = int(n)
	return out
}

func (r *reader) interval(f *ast.FuncCallExpr, at sqlast.Pos) []sqlast.Expr {
	unit, ok := f.Args[2].(*ast.TimeUnitExpr)
	if !ok {
		r.unsupported(at, "this interval")
		return nil
	}
	x := r.operand(f.Args[0])
	return []sqlast.Expr{x, &sqlast.Interval{Pos: r.pos(f.Args[1]), X: r.expr(f.Args[1]), Unit: unit.Unit.String()}}
}

// trim returns the arguments of TRIM(BOTH x FROM s) in the order in which they are
// printed.
func (r *reader) trim(f *ast.FuncCallExpr, at sqlast.Pos) []sqlast.Expr {
	if len(f.Args) == 1 {
		return r.exprs(f.Args)
	}
	side := "BOTH"
	if len(f.Args) == 3 {
		side = f.Args[2].(*ast.TrimDirectionExpr).Direction.String()
	}
	return []sqlast.Expr{&sqlast.Unit{Pos: at, Name: side}, r.expr(f.Args[1]), r.expr(f.Args[0])}
}

func (r *reader) aggregate(f *ast.AggregateFuncExpr) sqlast.Expr {
	if at := r.pos(f); slices.Contains(r.medians, int(at)) {
		r.plainMedian(at)
	}
	out := &sqlast.Call{Pos: r.pos(f), Name: ascii.Lower(f.F), Distinct: f.Distinct}
	r.arguments(out, f.Args)
	if f.Order != nil {
		out.OrderBy = r.orderBy(f.Order.Items)
	}
	return out
}

// arguments reads the arguments of an aggregate. The grammar has count(*) as
// count(1) with a 1 that has no offset, and adds the separator to GROUP_CONCAT.
func (r *reader) arguments(c *sqlast.Call, args []ast.ExprNode) {
	if c.Name == "group_concat" {
		last := args[len(args)-1].(ast.ValueExpr)
		if separator := last.GetString(); separator != "," {
			c.Separator = &sqlast.String{Pos: c.Pos, Value: separator}
		}
		args = args[:len(args)-1]
	}
	if c.Name == "count" && len(args) == 1 {
		if _, literal := args[0].(ast.ValueExpr); literal && r.pos(args[0]) == 0 {
			c.Star = true
			return
		}
	}
	c.Args = r.exprs(args)
}

// castType returns a type as it is printed.
func (r *reader) castType(c *ast.FuncCastExpr) string {
	t := c.Tp
	if t.IsArray() {
		r.unsupported(r.pos(c), "CAST .. AS .. ARRAY")
	}
	switch t.GetType() {
	case grammar.TypeVarString, grammar.TypeString:
		if t.GetCharset() == charset.CharsetBin {
			return withLength("BINARY", t.GetFlen())
		}
		name := withLength("CHAR", t.GetFlen())
		if c.ExplicitCharSet {
			name += " CHARACTER SET " + t.GetCharset()
		}
		return name
	case grammar.TypeDate:
		return "DATE"
	case grammar.TypeDatetime:
		return withPrecision("DATETIME", t.GetDecimal())
	case grammar.TypeDuration:
		return withPrecision("TIME", t.GetDecimal())
	case grammar.TypeYear:
		return "YEAR"
	case grammar.TypeNewDecimal:
		if t.GetFlen() > 0 && t.GetDecimal() > 0 {
			return "DECIMAL(" + strconv.Itoa(t.GetFlen()) + ", " + strconv.Itoa(t.GetDecimal()) + ")"
		}
		if t.GetFlen() == 0 {
			return "DECIMAL(10)"
		}
		return withLength("DECIMAL", t.GetFlen())
	case grammar.TypeLonglong:
		if t.GetFlag()&grammar.UnsignedFlag != 0 {
			return "UNSIGNED"
		}
		return "SIGNED"
	case grammar.TypeDouble:
		return "DOUBLE"
	case grammar.TypeFloat:
		return "FLOAT"
	case grammar.TypeJSON:
		return "JSON"
	}
	r.unsupported(r.pos(c), "a cast to this type")
	return ""
}

func withLength(name string, n int) string {
	if n == types.UnspecifiedLength {
		return name
	}
	return name + "(" + strconv.Itoa(n) + ")"
}

func withPrecision(name string, n int) string {
	if n <= 0 {
		return name
	}
	return withLength(name, n)
}
