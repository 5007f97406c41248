// Package chart draws the rows of a qed.Table as Vega-Lite 6 charts.
//
// [New] makes a [Spec] from a table and [Options], such as the columns for x and
// y. It chooses everything that the options leave out from the rows. [NewTool]
// is New as the tool visualization_generator of an agent. Package [chart/lint]
// checks specs that somebody else wrote, such as a model.
//
// # Specs
//
// A spec from New contains its data. It loads nothing, runs no expression and
// has no links. The same input gives the same bytes. Rows are grouped, counted
// and binned here and not in the browser, so a chart of a million rows is as
// small as the groups that it shows. It has at most about 5000 rows of data and 512 KiB;
// more rows are drawn together or sampled evenly, with a note.
//
// # Columns
//
// Columns are read by the rules of package [tools], so a chart and a trend of the
// same rows agree. A cell without a value is not a number: sums and means leave
// it out, and among categories it is the category "(none)". Cells that do not
// have the type of their column are not drawn. The notes report what is left out
// and which rows are drawn together.
//
// Times are drawn in UTC and show the clock that they are written with: the 15th
// of January is that day in every browser. If the offsets in a column differ by
// more than an hour, all its times are converted to UTC.
//
// [chart/lint]: https://pkg.go.dev/github.com/qedkit/qed/chart/lint
// [tools]: https://pkg.go.dev/github.com/qedkit/qed/tools
package chart

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/chart/internal/vegalite"
	"github.com/qedkit/qed/internal/option"
	"github.com/qedkit/qed/internal/prompt"
	"github.com/qedkit/qed/refusal"
)

// A Kind is a kind of chart.
type Kind string

const (
	// Bar has one bar for each x. With a color it is a StackedBar, or a GroupedBar
	// if the aggregate does not add up.
	Bar        Kind = "bar"
	StackedBar Kind = "stacked_bar" // the parts of each bar on top of each other
	GroupedBar Kind = "grouped_bar" // the parts of each bar side by side
	Line       Kind = "line"
	Area       Kind = "area"
	Scatter    Kind = "scatter"   // a point for each row
	Histogram  Kind = "histogram" // the number of rows in each range of x
	Box        Kind = "box"       // quartiles and outliers of y for each x
	Heatmap    Kind = "heatmap"   // a number, shown as a color, for each x and y
	Pie        Kind = "pie"       // the share of each x in the sum of y
)

var kinds = []Kind{Bar, StackedBar, GroupedBar, Line, Area, Scatter, Histogram, Box, Heatmap, Pie}

// An Aggregate combines the rows that are drawn at one position. Package [tools]
// has the same aggregates.
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

// Options configure a chart. Zero fields are chosen from the rows.
type Options struct {
	Kind Kind

	// X, Y and Color are names of columns. The number of a heatmap is its Color.
	// The categories of a pie are its X.
	X, Y, Color string

	// Aggregate combines rows that are drawn at one position. Empty means Sum if
	// there are such rows, and Count if there is no number to draw. A series of
	// package tools uses Mean; here the parts of a bar or a pie make up a whole.
	Aggregate Aggregate

	// Sort is the order of the categories on x. Empty means:
	//   - numbers and dates ascend;
	//   - texts with an order of their own (weekdays, months, quarters, ranges) are
	//     in table order;
	//   - other texts on bars and pies are ordered by their number, the largest
	//     first, and then by name; on other charts they are in table order.
	Sort Sort

	// Top is the maximum number of categories on x: the first ones by Sort, and
	// without a Sort the ones with the largest numbers. With colors, the number of
	// a category is computed from all its rows whose colors are drawn. 0 means as
	// many as can be read.
	Top int

	Title string // empty means a description of what is drawn

	// Labels are names of columns for a reader, such as "Mean delay" for avg_delay.
	// Others are the words of the column's name.
	Labels map[string]string

	// Language is that of the texts and numbers of the chart: "en", "de" or one that the
	// host has texts of ([qed.WithTexts]), with or without a region. Empty and other
	// languages mean English.
	Language string
}

// Codes of refusals. A chart that cannot be drawn is a [*refusal.Error] with one
// of them. Paths are those of the tool's arguments, such as /x.
const (
	ErrUnknownName       refusal.Code = "unknown_name"        // there is no such kind, aggregate or sort
	ErrUnknownField      refusal.Code = "unknown_field"       // the rows have no such column
	ErrAmbiguousColumn   refusal.Code = "ambiguous_column"    // several columns have the name
	ErrFieldType         refusal.Code = "field_type"          // the column does not have the values that are needed
	ErrAggregateType     refusal.Code = "aggregate_type"      // the values have no such aggregate, as texts have no sum
	ErrTooManyCategories refusal.Code = "too_many_categories" // more colors, slices or boxes than can be distinguished
	ErrNoData            refusal.Code = "no_data"             // there is nothing to draw
	ErrMalformed         refusal.Code = "malformed"           // options that contradict each other
	ErrTooLarge          refusal.Code = "too_large"           // the spec would be longer than 512 KiB
)

func refuse(problems ...refusal.Problem) error {
	return &refusal.Error{Package: "chart", Problems: problems}
}

// New returns a chart of the rows of t. It does not change t. A nil opt means
// that everything is chosen from the rows. The texts are those of ctx
// ([qed.WithTexts]) or of this module.
//
// A chart that cannot be drawn is a [*refusal.Error] with one of the codes of
// this package, such as ErrUnknownField, and ErrNoData for a table without rows.
func New(ctx context.Context, t *qed.Table, opt *Options) (*Spec, error) {
	o := option.Of(opt)
	return draw(ctx, t, o, "", vegalite.MaxBytes)
}

// draw is New for rows that may be incomplete; partial is the reason. The spec has at most
// maxBytes.
func draw(ctx context.Context, t *qed.Table, o Options, partial string, maxBytes int) (*Spec, error) {
	if p := o.check(); p != nil {
		return nil, refuse(*p)
	}
	if t == nil || len(t.Rows) == 0 || len(t.Columns) == 0 {
		return nil, refuse(refusal.Problem{Code: ErrNoData, Message: "there are no rows to draw"})
	}
	fields, err := read(t)
	if err != nil {
		return nil, err
	}
	texts := vegalite.TextsIn(ctx, o.Language)
	for _, f := range fields {
		f.label = prompt.Clip(cmp.Or(o.Labels[f.name], texts.Words(f.name)), vegalite.MaxText)
	}
	plan, err := choose(fields, o)
	if err != nil {
		return nil, err
	}
	// The length is known only after encoding, so a chart that is too long is drawn
	// again with fewer rows. Texts are shortened, so a chart of few rows fits.
	for rows := vegalite.MaxRows; ; rows /= 2 {
		d := &drawing{plan: plan, rows: rows, texts: texts}
		spec, err := d.spec(t.Truncated, partial)
		if err != nil || len(spec.JSON) <= maxBytes {
			return spec, err
		}
		if rows <= 1 {
			return nil, refuse(refusal.Problem{
				Code: ErrTooLarge, Message: fmt.Sprintf("the chart has more than %d bytes", maxBytes),
			})
		}
	}
}

// check returns the first problem of options that is independent of the rows.
func (o Options) check() *refusal.Problem {
	problem := func(code refusal.Code, path, message string) *refusal.Problem {
		return &refusal.Problem{Code: code, Path: path, Message: message}
	}
	unknown := func(p refusal.Problem) *refusal.Problem { return &p }
	switch {
	case o.Kind != "" && !slices.Contains(kinds, o.Kind):
		return unknown(vegalite.UnknownWord("/kind", "kind of chart", o.Kind, kinds))
	case o.Aggregate != "" && !slices.Contains(aggregates, o.Aggregate):
		return unknown(vegalite.UnknownWord("/aggregate", "aggregate", o.Aggregate, aggregates))
	case o.Sort != "" && !slices.Contains(sorts, o.Sort):
		return unknown(vegalite.UnknownWord("/sort", "order", o.Sort, sorts))
	case o.Top < 0:
		return problem(ErrMalformed, "/top", "top cannot be negative")
	case o.Aggregate != "" && (o.Kind == Scatter || o.Kind == Box || o.Kind == Histogram && o.Aggregate != Count):
		return problem(ErrAggregateType, "/aggregate",
			fmt.Sprintf("a %s shows single rows: leave the aggregate out, or draw a bar", o.Kind))
	case o.Kind == StackedBar && !o.Aggregate.addsUp():
		return problem(ErrAggregateType, "/aggregate",
			fmt.Sprintf("the %s of parts is not stacked, because it does not add up to that of the whole: draw a grouped_bar",
				o.Aggregate))
	case o.Kind == Pie && !o.Aggregate.addsUp():
		return problem(ErrAggregateType, "/aggregate",
			fmt.Sprintf("the %s of parts is not a share of a whole: draw a bar", o.Aggregate))
	}
	return nil
}

func (a Aggregate) addsUp() bool { return vegalite.AddsUp(string(a)) }
