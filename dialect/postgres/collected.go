package postgres

import (
	"slices"
	"strconv"
	"strings"

	"github.com/qedkit/qed/internal/sqlast"
	"github.com/qedkit/qed/internal/sqlread"
)

// Aggregates that return all their values hold them in the server's memory, and
// the server does not stop while it copies, prints or splits such a result, which can
// take 60 times as much. A statement may therefore collect maxCollected bytes, in all
// rows and all groups together. DISTINCT sorts its values on disk and keeps some of
// them, so it may read maxDistinct bytes.
const (
	maxCollected = 8 << 20
	maxDistinct  = 32 << 20
	bytesOfRow   = 8   // what a value takes besides its own bytes
	bytesOfGroup = 128 // the nominal size of an aggregate of stored values
	bytesOfJSONB = 2   // what jsonb_agg holds for each byte of JSON
)

// collectors are the aggregates that hold all their values.
var collectors = sqlread.Words("array_agg json_agg json_object_agg jsonb_agg jsonb_object_agg range_agg string_agg")

// counting are the functions that count what a statement collects.
var counting = sqlread.Words("current_setting set_config")

// boundedFilter returns the FILTER of a call, with the bound of an aggregate that
// holds all its values.
func boundedFilter(c *sqlast.Call) sqlast.Expr {
	if !collectors[c.Name] || len(c.Args) == 0 {
		return c.Filter
	}
	bound := withinBound(c.Distinct, bytesOf(c))
	if c.Filter == nil {
		return bound
	}
	return &sqlast.Case{Whens: []sqlast.When{{Cond: c.Filter, Result: bound}}, Else: &sqlast.Bool{}}
}

// boundedArray returns a query with the rows of q in their order, with the bound of an
// aggregate. OFFSET 0 keeps the server from counting rows that q leaves out. The star is
// the one column of q: the server refuses a second one.
func boundedArray(q *sqlast.Query) *sqlast.Query {
	rows := *q
	if rows.Offset == nil && !rows.Ties {
		rows.Offset = digits(0)
	}
	value := &sqlast.Column{Table: "collected", Name: "value"}
	return &sqlast.Query{Body: &sqlast.Select{
		Items: []sqlast.Item{{Expr: &sqlast.Star{Table: value.Table, Row: true}}},
		From:  &sqlast.Derived{Query: &rows, Alias: value.Table, Columns: []string{value.Name}},
		Where: withinBound(false, lengthOf(value)),
	}}
}

// bytesOf returns the number of bytes that an aggregate holds of the values of a row.
func bytesOf(c *sqlast.Call) sqlast.Expr {
	if slices.ContainsFunc(c.Args, sqlast.HasAggregate) { // of a window function; FILTER may not name them
		return digits(bytesOfGroup)
	}
	if !strings.HasPrefix(c.Name, "json") {
		return lengthOf(c.Args...)
	}
	length := lengthOf(call("json_build_array", c.Args...)) // with the names of columns
	if strings.HasPrefix(c.Name, "jsonb") {
		return &sqlast.Binary{Op: sqlast.Mul, X: length, Y: digits(bytesOfJSONB)}
	}
	return length
}

// lengthOf returns the length of values as text, which does not depend on how they are
// stored: compressed, or as the bits of an array that says where NULLs are.
func lengthOf(values ...sqlast.Expr) sqlast.Expr {
	return call("octet_length", call("concat", values...))
}

// withinBound returns a condition that is true until the server has evaluated it for
// more bytes than the statement may collect. Then it fails, with
// [sqlast.TooMuchCollected]. The count is a setting, because nothing else keeps a
// number between the rows of a statement. It ends with the transaction.
func withinBound(distinct bool, bytes sqlast.Expr) sqlast.Expr {
	name, bound := "qed.collected", maxCollected
	if distinct {
		name, bound = "qed.distinct", maxDistinct
	}
	setting, local := text(name), &sqlast.Bool{Value: true}
	before := call("coalesce", call("nullif", call("current_setting", setting, local), text("")), text("0"))
	after := add(add(cast(before, "integer"), digits(bytesOfRow)), bytes)
	count := cast(call("set_config", setting, cast(after, "text"), local), "integer")
	isAbove := &sqlast.Binary{Op: sqlast.Gt, X: count, Y: digits(bound)}
	verdict := &sqlast.Case{
		Whens: []sqlast.When{{Cond: isAbove, Result: text(sqlast.TooMuchCollected)}},
		Else:  text("true"),
	}
	return cast(verdict, "boolean") // outside, because the planner evaluates casts of constants
}

func call(name string, args ...sqlast.Expr) sqlast.Expr {
	return &sqlast.Call{Name: name, Args: args}
}

func add(x, y sqlast.Expr) sqlast.Expr { return &sqlast.Binary{Op: sqlast.Add, X: x, Y: y} }

func text(s string) sqlast.Expr { return &sqlast.String{Value: s} }

func cast(x sqlast.Expr, name string) sqlast.Expr { return &sqlast.Cast{X: x, Type: name} }

func digits(n int) sqlast.Expr { return &sqlast.Number{Text: strconv.Itoa(n)} }
