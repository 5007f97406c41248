// Package chart draws the rows of a [qed.Table] as Vega-Lite 6 charts, and checks
// charts that somebody else wrote.
//
// [New] makes a [Spec] from rows and a few words: what stands on x, what on y. Whatever
// the words leave out is chosen from the rows. [Lint] checks a Vega-Lite spec that a model
// wrote against the rows that it is to show, and puts them in. [NewTool] is New as the
// tool visualization_generator.
//
// # What stands in a Spec
//
// A Spec holds its own data, and nothing that loads, runs or links to anything. Its bytes
// are the same for the same input. Rows are grouped, counted and put into bins here and
// not in the browser, so a chart of a million rows is as small as the groups it shows, and
// its figures are the ones that [Spec.Notes] and the answer can speak of.
//
// Dates are drawn in UTC and keep the wall clock that they were written with: the 15th of
// January is that day in every time zone. Where the rows of one column have different
// offsets, all are brought to UTC.
//
// A cell without a value is no number: it is left out of sums and means, and where it is a
// category, it is one of its own. A column is of dates where at least nine of ten of its
// values are; the others count as none. What is left out or drawn together is told in the notes.
package chart

import (
	"errors"
	"fmt"

	"github.com/qedkit/qed"
)

// A Kind is a kind of chart.
type Kind string

const (
	Bar        Kind = "bar"         // one bar for each x; with a colour a stacked_bar, or a grouped_bar of what does not add up
	StackedBar Kind = "stacked_bar" // the parts of each bar on top of each other
	GroupedBar Kind = "grouped_bar" // the parts of each bar side by side
	Line       Kind = "line"
	Area       Kind = "area"
	Scatter    Kind = "scatter"   // one point for each row
	Histogram  Kind = "histogram" // how many rows lie in which range of x
	Box        Kind = "box"       // quartiles and outliers of y for each x
	Heatmap    Kind = "heatmap"   // the colour is a number for each x and y
	Pie        Kind = "pie"       // the share of each x in the whole of y
)

var kinds = []Kind{Bar, StackedBar, GroupedBar, Line, Area, Scatter, Histogram, Box, Heatmap, Pie}

// An Aggregate makes one number of the rows that share a place in a chart. Package stats has the
// same ones.
type Aggregate string

const (
	Sum    Aggregate = "sum"
	Mean   Aggregate = "mean"
	Count  Aggregate = "count" // of rows, or of the cells of a column that have a value
	Median Aggregate = "median"
	Min    Aggregate = "min"
	Max    Aggregate = "max"
)

var aggregates = []Aggregate{Sum, Mean, Count, Median, Min, Max}

// Options say what to draw. A nil Options and zero fields mean that it is chosen from the
// rows.
type Options struct {
	Kind Kind
	// X, Y and Color are names of columns. A heatmap's number is its Color; a pie has its
	// categories on X.
	X, Y, Color string
	// Aggregate is what becomes of rows that share a place. Empty: Sum, where there are such
	// rows, and Count, where there is no number to draw. It is not the Mean, as in a series of
	// package stats: the parts of a bar or a pie make up a whole.
	Aggregate Aggregate
	// Sort orders categories. Empty: numbers and dates ascend, and the categories of bars and
	// pies stand by their number, the largest first, and by name where two are the same. Texts
	// with an order of their own (weekdays, months, quarters, ranges) and those of other kinds
	// of chart stand as in the table; [ByRows] has all do so.
	Sort Sort
	// Top is how many categories of x are shown: the first ones by Sort, and without one,
	// those with the largest numbers. Where there are colours, the number of an x is that of
	// all its rows whose colours are drawn. 0: as many as can be read.
	Top   int
	Title string // empty: it says what is drawn

	Limits *Limits // nil means the defaults
}

// Limits are bounds of a chart. Nil, and fields that are zero or less, mean the defaults.
type Limits struct {
	// Rows is how many rows of data stand in a chart: 5000. [New] draws the rest together,
	// or takes some evenly and says so; [Lint] refuses.
	Rows int
	// Bytes is how long a Spec is: 512 KiB, which a durable run keeps by default.
	Bytes int
	// Categories is how many colours, shapes, slices and small charts can be told apart: 20.
	Categories int
}

func (l *Limits) withDefaults() Limits {
	var own Limits
	if l != nil {
		own = *l
	}
	for _, f := range []struct {
		value *int
		usual int
	}{{&own.Rows, 5000}, {&own.Bytes, 512 << 10}, {&own.Categories, 20}} {
		if *f.value <= 0 {
			*f.value = f.usual
		}
	}
	return own
}

// New returns a chart of the rows of t, which it does not change. A nil opt means that all
// of it is chosen.
//
// What cannot be drawn, such as a column that does not exist or the sum of a text, is an
// [*Error]; a table without rows is one with the code [NoData].
func New(t *qed.Table, opt *Options) (*Spec, error) {
	var o Options
	if opt != nil {
		o = *opt
	}
	return draw(t, o, "")
}

// draw is New for rows of which some may be missing: partial says why.
func draw(t *qed.Table, o Options, partial string) (*Spec, error) {
	limits := o.Limits.withDefaults()
	if p := o.check(); p != nil {
		return nil, refuse(*p)
	}
	if t == nil || len(t.Rows) == 0 || len(t.Columns) == 0 {
		return nil, refuse(Problem{Code: NoData, Message: "there are no rows to draw"})
	}
	columns, err := read(t)
	if err != nil {
		return nil, err
	}
	for _, c := range columns {
		c.mostlyDates()
	}
	plan, err := choose(columns, o)
	if err != nil {
		return nil, err
	}
	// Bytes are known when they are written, so a chart that is too long is drawn again
	// with fewer rows. Texts are cut, so a chart of a few rows is never too long.
	for rows := limits.Rows; ; rows /= 2 {
		d := &drawing{plan: plan, rows: rows, categories: limits.Categories}
		spec, err := d.spec(t.Truncated, partial)
		if err != nil || len(spec.text) <= limits.Bytes {
			return spec, err
		}
		if rows <= 1 {
			return nil, refuse(Problem{Code: TooLarge, Message: fmt.Sprintf("the chart has more than %d bytes", limits.Bytes)})
		}
	}
}

// check says what no rows could make right.
func (o Options) check() *Problem {
	switch {
	case o.Kind != "" && !contains(kinds, o.Kind):
		return unknownWord("/kind", "kind of chart", o.Kind, kinds)
	case o.Aggregate != "" && !contains(aggregates, o.Aggregate):
		return unknownWord("/aggregate", "aggregate", o.Aggregate, aggregates)
	case o.Sort != "" && !contains(sorts, o.Sort):
		return unknownWord("/sort", "order", o.Sort, sorts)
	case o.Top < 0:
		return &Problem{Code: Malformed, Path: "/limit", Message: "the limit, Top, cannot be negative"}
	case o.Aggregate != "" && (o.Kind == Scatter || o.Kind == Box || o.Kind == Histogram && o.Aggregate != Count):
		return &Problem{Code: AggregateType, Path: "/aggregate", Message: "a " + string(o.Kind) + " shows single rows: leave it out, or draw a bar"}
	case o.Kind == StackedBar && !o.Aggregate.stacks():
		return &Problem{Code: AggregateType, Path: "/aggregate", Message: fmt.Sprintf("the %s of parts cannot be stacked, as it is not that of the whole: draw a grouped_bar", o.Aggregate)}
	case o.Kind == Pie && o.Aggregate != "" && o.Aggregate != Sum && o.Aggregate != Count:
		return &Problem{Code: AggregateType, Path: "/aggregate", Message: fmt.Sprintf("the %s of parts is no share of a whole: draw a bar", o.Aggregate)}
	}
	return nil
}

// stacks reports whether the numbers of parts add up to that of the whole. No aggregate is the
// sum.
func (a Aggregate) stacks() bool { return a == "" || a == Sum || a == Count }

// ErrRefused is matched by every [*Error].
var ErrRefused = errors.New("chart: it cannot be drawn")
