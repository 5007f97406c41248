package postgres

import (
	"strconv"

	"github.com/qedkit/qed/internal/sqlast"
	"github.com/qedkit/qed/internal/sqlread"
)

// Aggregates that return all their values hold them in the server's memory, and
// the server does not stop while it copies or prints such a result. A statement may
// therefore collect maxCollected bytes, in all rows and all groups together. DISTINCT
// sorts its values on disk and keeps some of them, so it may read maxDistinct bytes.
const (
	maxCollected = 64 << 20
	maxDistinct  = 256 << 20
	bytesOfRow   = 24  // what a value takes besides its own bytes
	bytesOfGroup = 128 // the nominal size of an aggregate of stored values
)

// collectors are the aggregates that hold all their values.
var collectors = sqlread.Words("array_agg json_agg json_object_agg jsonb_agg jsonb_object_agg range_agg string_agg")

// counting are the functions that count what a statement collects.
var counting = sqlread.Words("current_setting pg_column_size set_config")

// boundedFilter returns the FILTER of a call, with the bound of an aggregate that
// holds all its values.
func boundedFilter(c *sqlast.Call) sqlast.Expr {
	if !collectors[c.Name] || len(c.Args) == 0 {
		return c.Filter
	}
	bound := withinBound(c.Distinct, c.Args)
	if c.Filter == nil {
		return bound
	}
	return &sqlast.Case{Whens: []sqlast.When{{Cond: c.Filter, Result: bound}}, Else: &sqlast.Bool{}}
}

// boundedArray returns a query with the rows of q in their order, of one column, with the
// bound of an aggregate. OFFSET 0 keeps the server from counting rows that q leaves
// out.
func boundedArray(q *sqlast.Query) *sqlast.Query {
	rows := *q
	if rows.Offset == nil && !rows.Ties {
		rows.Offset = digits(0)
	}
	value := &sqlast.Column{Table: "collected", Name: "value"}
	return &sqlast.Query{Body: &sqlast.Select{
		Items: []sqlast.Item{{Expr: value}},
		From:  &sqlast.Derived{Query: &rows, Alias: value.Table, Columns: []string{value.Name}},
		Where: withinBound(false, []sqlast.Expr{value}),
	}}
}

// withinBound returns a condition that is true until the server has evaluated it for
// more bytes of values than the statement may collect. Then it fails, with
// [sqlast.TooMuchCollected]. The count is a setting, because nothing else keeps a
// number between the rows of a statement. It ends with the transaction.
func withinBound(distinct bool, values []sqlast.Expr) sqlast.Expr {
	name, bound := "qed.collected", maxCollected
	if distinct {
		name, bound = "qed.distinct", maxDistinct
	}
	setting, local := text(name), &sqlast.Bool{Value: true}
	before := call("coalesce", call("nullif", call("current_setting", setting, local), text("")), text("0"))
	after := add(cast(before, "integer"), digits(bytesOfRow))
	for _, v := range values {
		if sqlast.HasAggregate(v) { // the argument of a window function; FILTER may not name it
			after = add(after, digits(bytesOfGroup))
		} else {
			after = add(after, call("coalesce", call("pg_column_size", v), digits(0)))
		}
	}
	count := cast(call("set_config", setting, cast(after, "text"), local), "integer")
	isAbove := &sqlast.Binary{Op: sqlast.Gt, X: count, Y: digits(bound)}
	return &sqlast.Case{
		Whens: []sqlast.When{{Cond: isAbove, Result: raise(sqlast.TooMuchCollected, call("current_setting", setting))}},
		Else:  &sqlast.Bool{Value: true},
	}
}

func call(name string, args ...sqlast.Expr) sqlast.Expr {
	return &sqlast.Call{Name: name, Args: args}
}

func add(x, y sqlast.Expr) sqlast.Expr { return &sqlast.Binary{Op: sqlast.Add, X: x, Y: y} }

func text(s string) sqlast.Expr { return &sqlast.String{Value: s} }

func cast(x sqlast.Expr, name string) sqlast.Expr { return &sqlast.Cast{X: x, Type: name} }

func digits(n int) sqlast.Expr { return &sqlast.Number{Text: strconv.Itoa(n)} }
