package stats

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/qedkit/qed"
)

type patternInput struct {
	Rows      qed.RowsRef  `json:"rows" jsonschema_description:"the rows to look at, those of an earlier task: {\"$result\": \"key/rows\"}"`
	Value     string    `json:"value,omitempty" jsonschema_description:"the column of numbers, named exactly as the query returns it; leave out to have rows counted"`
	Time      string    `json:"time,omitempty" jsonschema_description:"the column of times, named exactly as the query returns it; leave out to have the only one taken that there is"`
	GroupBy   string    `json:"group_by,omitempty" jsonschema_description:"the column whose groups are compared by value, named exactly as the query returns it; leave out where no groups are asked for"`
	Period    Period    `json:"period,omitempty" jsonschema:"enum=minute,enum=hour,enum=day,enum=week,enum=month,enum=quarter,enum=year" jsonschema_description:"how long a point of the trend is; leave out to have the one chosen that suits the data"`
	Aggregate Aggregate `json:"aggregate,omitempty" jsonschema:"enum=count,enum=sum,enum=mean,enum=median,enum=min,enum=max" jsonschema_description:"how the values of a period become one; leave out for the mean"`
}

// Patterns are the result of the tool.
type patterns struct {
	Text string `json:"text"`
	basis
	Value       string            `json:"value,omitempty"`
	Time        string            `json:"time,omitempty"`
	Aggregate   Aggregate         `json:"aggregate,omitempty"`
	Missing     int               `json:"missing,omitempty"` // rows without a time or a value, which are not in the series
	Trend       *Trend            `json:"trend,omitempty"`
	Seasonality []Cycle           `json:"seasonality,omitempty"`
	Series      *qed.RowsRef         `json:"series,omitempty"` // the points that the trend rests on
	Outliers    *reportedOutliers `json:"outliers,omitempty"`
	Groups      *Comparison       `json:"groups,omitempty"`
	LeftOut     []string          `json:"left_out,omitempty"`
}

// maxSeriesRows is how many points stand in a result whose rows are kept nowhere else.
const maxSeriesRows = 150

// NewPatternTool returns the tool pattern_recognition: it finds out whether a value rises or
// falls, which cycles of the calendar it follows, what its outliers are, and whether it
// differs between groups. It may be called by several goroutines.
//
// Nil options mean the defaults; a call may have its own period and aggregate. Options that
// name a period or an aggregate that does not exist are an error of every call.
//
// Its arguments are {"rows", "value", "time", "group_by", "period", "aggregate"}, all but rows
// optional; rows are a [qed.RowsRef], and without a value they are counted. Its result is {"text",
// "row_count", "truncated", "partial", "value", "time", "aggregate", "missing", "trend",
// "seasonality": [..], "series", "outliers", "groups", "left_out": [..]}: the text says in
// sentences what the figures of the others are, and first of all of which rows; missing is how
// many of them have no time or no value; trend is a [Trend], seasonality has
// a [Cycle] for each cycle of the calendar, series are the points of the trend as qed.RowsRef for a
// chart, outliers an [Outliers] and groups a [Comparison]. What cannot be told of these rows is
// left out. It stays below 64 KiB: long lists are cut, and left_out says which.
//
// A column that the rows do not have, or that has no numbers or times, is a [*ColumnError], with
// which a model can mend the arguments.
func NewPatternTool(opt *SeriesOptions) qed.Tool {
	var defaults SeriesOptions
	if opt != nil {
		defaults = *opt
	}
	t := qed.NewTool("pattern_recognition",
		"Finds patterns in rows: the trend of a value over time, seasonal cycles (hour of day, weekday, month, quarter), outliers, and "+
			"with group_by whether groups differ. Says of each how sure it is, and where there is too little to say.",
		func(ctx context.Context, in patternInput) (patterns, error) { return recognise(ctx, in, defaults) })
	t.Kind, t.Idempotent = qed.AnalysisTool, true
	return t
}

func recognise(ctx context.Context, in patternInput, opt SeriesOptions) (patterns, error) {
	if err := opt.check(); err != nil {
		return patterns{}, err
	}
	t, from, err := tableOf(ctx, &in.Rows)
	if err != nil {
		return patterns{}, err
	}
	var values, times *column
	if in.Value != "" {
		if values, err = numeric(t, in.Value); err != nil {
			return patterns{}, err
		}
	}
	if times, err = chooseTime(t, in.Time); err != nil {
		return patterns{}, err
	}
	if values == nil && times == nil {
		return patterns{}, errors.New("stats: there is nothing to look at: name a column of numbers as value, or one of times as time")
	}
	if values == nil && in.GroupBy != "" {
		return patterns{}, errors.New("stats: groups are compared by a column of numbers: name it as value")
	}
	p := patterns{basis: from}
	text := []string{from.sentence()}
	if values != nil {
		p.Value = clip(values.name)
	}
	if times != nil {
		opt.Period, opt.Aggregate = cmp.Or(in.Period, opt.Period), cmp.Or(in.Aggregate, opt.Aggregate)
		if values == nil {
			opt.Aggregate = Count
		}
		said, err := p.overTime(ctx, times, values, opt)
		if err != nil {
			return patterns{}, err
		}
		text = append(text, said...)
	}
	if ctx.Err() != nil {
		return patterns{}, context.Cause(ctx)
	}
	place := -1
	if in.GroupBy != "" {
		if place, err = find(t, in.GroupBy); err != nil {
			return patterns{}, err
		}
	}
	return fitted(func(c caps) patterns { return p.ofValues(t, values, place, text, c) })
}

// chooseTime reads the column of times. Where none is named it is the only one, or nil.
func chooseTime(t *qed.Table, name string) (*column, error) {
	if name != "" {
		return timed(t, name)
	}
	var found *column
	var names []string
	for place := range t.Columns {
		c, err := read(t, place, false)
		if err != nil {
			return nil, err
		}
		if c.kind == Times {
			found = c
			names = append(names, quoted(c.name))
		}
	}
	if len(names) > 1 {
		return nil, fmt.Errorf("stats: several columns have times: name one as time: %s", strings.Join(names[:min(len(names), 10)], ", "))
	}
	return found, nil
}

// overTime finds the trend and the cycles, and returns the sentences on them.
func (p *patterns) overTime(ctx context.Context, times, values *column, opt SeriesOptions) ([]string, error) {
	d, err := newDated(times, values, &opt)
	if err != nil {
		return nil, err
	}
	s, err := d.choose()
	if err != nil {
		return nil, err
	}
	if p.Series, err = keepSeries(ctx, s); err != nil {
		return nil, err
	}
	seasonality := d.seasonality()
	p.Series.Partial = p.missing()
	p.Time, p.Aggregate = clip(s.Time), s.Aggregate
	p.Trend, p.Seasonality = s.Trend(), seasonality.Cycles
	var said []string
	if p.Missing = s.Missing; p.Missing > 0 {
		said = append(said, s.gaps())
	}
	return append(append(said, p.Trend.sentence(s)), seasonality.sentences()...), nil
}

// keepSeries keeps the points of s as rows, for a chart of them.
func keepSeries(ctx context.Context, s *Series) (*qed.RowsRef, error) {
	value := string(s.Aggregate)
	if s.Value != "" {
		value += " of " + clip(s.Value)
	}
	t := qed.Table{Columns: []qed.Column{{Name: string(s.Period)}, {Name: value}}}
	for _, point := range s.Points {
		if err := t.Append(moment(point.Start), point.Value); err != nil {
			return nil, err
		}
	}
	rows, err := qed.SaveRows(ctx, &t)
	if err != nil {
		return nil, err
	}
	if n := len(rows.Sample.Rows); n > maxSeriesRows {
		rows.Sample.Rows = rows.Sample.Rows[n-maxSeriesRows:]
		rows.Count, rows.Truncated, rows.Sample.Truncated = maxSeriesRows, true, true
	}
	return rows, nil
}

// ofValues adds what can be said of the values without their times.
func (p patterns) ofValues(t *qed.Table, values *column, by int, text []string, c caps) patterns {
	text = text[:len(text):len(text)]
	if values != nil {
		o := values.outliers()
		o.Column = p.Value
		r, sentence := o.report(labels(t), c.outliers, &p.LeftOut)
		p.Outliers, text = &r, append(text, sentence)
	}
	if by >= 0 {
		g := compare(t, values, by)
		p.Groups, text = g.report(c.groups, &p.LeftOut), append(text, g.sentence())
	}
	if len(p.LeftOut) > 0 {
		text = append(text, fmt.Sprintf("Left out: %s.", strings.Join(p.LeftOut, "; ")))
	}
	p.Text = strings.Join(text, " ")
	return p
}
