package postgres

import (
	"slices"
	"strconv"
	"strings"

	"github.com/qedkit/qed/internal/sqlast"
	"github.com/qedkit/qed/internal/wordset"
)

// Aggregates that return all their values hold them in the server's memory. A
// function that copies, prints or splits such a result can take 60 times its size,
// and the server does not stop that function. A statement may therefore collect
// maxCollected bytes, in all rows and groups together. DISTINCT sorts its values on
// disk and keeps each of them once, so it may read maxDistinct bytes.
const (
	maxCollected = 8 << 20
	maxDistinct  = 32 << 20
	bytesOfRow   = 8       // what a value takes besides its own bytes
	bytesOfGroup = 4 << 10 // the nominal size of what a window function collects of a group
	bytesOfJSONB = 2       // what jsonb_agg holds for each byte of JSON
)

// collectors are the aggregates that hold all their values.
var collectors = wordset.Of("array_agg json_agg json_object_agg jsonb_agg jsonb_object_agg range_agg string_agg")

// counting are the functions with which [withinBound] counts. They are not safe.
var counting = wordset.Of("current_setting set_config")

// boundedFilter returns the FILTER of a call. For an aggregate that holds all its
// values, it ends with the condition that bounds them. The server evaluates that once
// for a row, and holds the values of the row in each grouping.
func boundedFilter(c *sqlast.Call, groupings int) sqlast.Expr {
	if !collectors[c.Name] || len(c.Args) == 0 {
		return c.Filter
	}
	bound := withinBound(c.Distinct, max(1, groupings), bytesOf(c))
	if c.Filter == nil {
		return bound
	}
	return &sqlast.Case{Whens: []sqlast.When{{Cond: c.Filter, Result: bound}}, Else: &sqlast.Bool{}}
}

// boundedArray returns a query that has the rows of q in the same order and bounds
// them as those of an aggregate. OFFSET 0 keeps the server from counting rows that q
// leaves out. The star stands for the column of q: if q has two, so has the result,
// and the server refuses it.
func boundedArray(q *sqlast.Query) *sqlast.Query {
	rows := *q
	if rows.Offset == nil && !rows.Ties {
		rows.Offset = digits(0)
	}
	value := &sqlast.Column{Table: "collected", Name: "value"}
	return &sqlast.Query{Body: &sqlast.Select{
		Items: []sqlast.Item{{Expr: &sqlast.Star{Table: value.Table, Row: true}}},
		From:  &sqlast.Derived{Query: &rows, Alias: value.Table, Columns: []string{value.Name}},
		Where: withinBound(false, 1, lengthOf(value)),
	}}
}

// bytesOf returns the number of bytes that an aggregate holds for the values of a row,
// as an expression.
func bytesOf(c *sqlast.Call) sqlast.Expr {
	if c.Over != nil && slices.ContainsFunc(c.Args, sqlast.MayAggregate) { // FILTER may not name an aggregate of the block
		return digits(bytesOfGroup)
	}
	if !strings.HasPrefix(c.Name, "json") {
		return lengthOf(c.Args...)
	}
	length := lengthOf(call("json_build_array", c.Args...)) // with the names of columns
	if strings.HasPrefix(c.Name, "jsonb") {
		return multiplied(length, bytesOfJSONB)
	}
	return length
}

// lengthOf returns the length of values as text. It does not depend on how the values
// are stored: a text can be compressed, and a NULL of an array takes one bit.
func lengthOf(values ...sqlast.Expr) sqlast.Expr {
	return call("octet_length", call("concat", values...))
}

// withinBound returns a condition that adds the bytes of a row to the count of the
// statement, as often as times says. It is true up to the bound, and fails above it with
// [sqlast.TooMuchCollected]. The count is a setting of the transaction, because nothing
// else keeps a number between the rows of a statement.
func withinBound(distinct bool, times int, bytes sqlast.Expr) sqlast.Expr {
	name, bound := "qed.collected", maxCollected
	if distinct {
		name, bound = "qed.distinct", maxDistinct
	}
	setting, local := text(name), &sqlast.Bool{Value: true}
	before := call("coalesce", call("nullif", call("current_setting", setting, local), text("")), text("0"))
	after := add(add(cast(before, "integer"), digits(times*bytesOfRow)), multiplied(bytes, times))
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

func multiplied(x sqlast.Expr, n int) sqlast.Expr {
	if n == 1 {
		return x
	}
	return &sqlast.Binary{Op: sqlast.Mul, X: x, Y: digits(n)}
}

func text(s string) sqlast.Expr { return &sqlast.String{Value: s} }

func cast(x sqlast.Expr, name string) sqlast.Expr { return &sqlast.Cast{X: x, Type: name} }

func digits(n int) sqlast.Expr { return &sqlast.Number{Text: strconv.Itoa(n)} }
