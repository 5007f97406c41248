package stats

import (
	"context"
	"fmt"
	"strings"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/finding"
	"github.com/qedkit/qed/internal/column"
	"github.com/qedkit/qed/internal/usertext"
	"github.com/qedkit/qed/query"
	"github.com/qedkit/qed/refusal"
)

type patternInput struct {
	Rows      finding.RowsRef `json:"rows" jsonschema_description:"the rows to analyse, those of an earlier task: {\"$result\": \"key/rows\"}"`
	Value     string          `json:"value,omitempty" jsonschema_description:"the column of numbers; without it rows are counted"`
	Time      string          `json:"time,omitempty" jsonschema_description:"the column of times; needed if there are several"`
	GroupBy   string          `json:"group_by,omitempty" jsonschema_description:"the column whose groups are compared, if the question asks for that"`
	Period    Period          `json:"period,omitempty" jsonschema:"enum=minute,enum=hour,enum=day,enum=week,enum=month,enum=quarter,enum=year" jsonschema_description:"the length of a point of the trend"`
	Aggregate Aggregate       `json:"aggregate,omitempty" jsonschema:"enum=count,enum=sum,enum=mean,enum=median,enum=min,enum=max" jsonschema_description:"how the values of a period are combined; by default the mean"`
}

// patterns is the result of pattern_recognition.
type patterns struct {
	Text string `json:"text"`
	basis
	Value       string            `json:"value,omitempty"`
	Time        string            `json:"time,omitempty"`
	Aggregate   Aggregate         `json:"aggregate,omitempty"`
	Missing     int               `json:"missing,omitempty"`   // rows without a time or a value, which are not in the series
	Blank       int               `json:"blank,omitempty"`     // periods whose rows have no value
	CutFirst    bool              `json:"cut_first,omitempty"` // the first period is left out, as it may not be complete
	CutLast     bool              `json:"cut_last,omitempty"`
	Trend       *Trend            `json:"trend,omitempty"`
	Seasonality []Cycle           `json:"seasonality,omitempty"`
	Series      *finding.RowsRef  `json:"series,omitempty"` // the points of the trend
	Outliers    *reportedOutliers `json:"outliers,omitempty"`
	Groups      *Comparison       `json:"groups,omitempty"`
	LeftOut     []string          `json:"left_out,omitempty"`
}

// maxSeriesRows limits the rows in a result if the run does not keep them.
const maxSeriesRows = 150

// NewPatternTool returns the tool pattern_recognition: see tools.NewPatterns.
func NewPatternTool(sources ...query.Source) qed.Tool {
	t := qed.NewTool("pattern_recognition",
		"Finds patterns in rows: the trend of a value over time, seasonal cycles (hour of day, weekday, month, quarter), outliers, and "+
			"with group_by whether groups differ. Reports how certain each finding is, and where there are too few data. Columns are "+
			"named exactly as the query returns them.",
		func(ctx context.Context, in patternInput) (patterns, error) { return recognise(ctx, in, sources) })
	t.Kind, t.Idempotent = qed.AnalysisTool, true
	return t
}

func recognise(ctx context.Context, in patternInput, sources []query.Source) (patterns, error) {
	opt := SeriesOptions{Period: in.Period, Aggregate: in.Aggregate}
	rows, err := tableOf(ctx, &in.Rows, sources)
	if err != nil {
		return patterns{}, err
	}
	t := rows.table
	var values, times *variable
	if in.Value != "" {
		if values, err = numbered(t, in.Value); err != nil {
			return patterns{}, err
		}
	}
	if times, err = chooseTime(t, in.Time); err != nil {
		return patterns{}, err
	}
	if values == nil && times == nil {
		return patterns{}, refuse(refusal.Problem{
			Code: ErrMissingColumn, Message: "there is nothing to analyse: name a column of numbers as value, or one of times as time",
		})
	}
	if values == nil && in.GroupBy != "" {
		return patterns{}, refuse(refusal.Problem{
			Code: ErrMissingColumn, Message: "groups are compared by a column of numbers: name it as value",
		})
	}
	p := patterns{basis: rows.basis}
	words := textsOf(ctx)
	text := []string{words.basis(&p.basis)}
	if values != nil {
		p.Value = clip(values.Name)
	}
	if times != nil {
		if values == nil {
			opt.Aggregate = Count
		}
		sentences, err := p.overTime(ctx, words, times, values, opt)
		if err != nil {
			return patterns{}, err
		}
		text = append(text, sentences...)
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
	return fitted(func(c caps) patterns { return p.ofValues(t, values, place, words, text, c) })
}

// chooseTime reads the column of times. Without a name it is the only one of the
// table, or nil if there is none.
func chooseTime(t *qed.Table, name string) (*variable, error) {
	if name != "" {
		return timed(t, name)
	}
	var found *variable
	var names []string
	for i := range t.Columns {
		c, err := read(t, i, "")
		if err != nil {
			return nil, err
		}
		if c.Kind == column.Times {
			found = c
			names = append(names, quoted(c.Name))
		}
	}
	if len(names) > 1 {
		return nil, refuse(refusal.Problem{
			Code:    ErrAmbiguousColumn,
			Message: "several columns have times: name one as time: " + strings.Join(names[:min(len(names), 10)], ", "),
		})
	}
	return found, nil
}

// overTime finds the trend and the cycles, and returns the sentences about them.
func (p *patterns) overTime(
	ctx context.Context, words *texts, times, values *variable, opt SeriesOptions,
) ([]string, error) {
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
	p.Series.Partial = words.missing(&p.basis)
	p.Time, p.Aggregate = clip(s.Time), s.Aggregate
	p.Missing, p.Blank, p.CutFirst, p.CutLast = s.Missing, s.Blank, s.CutFirst, s.CutLast
	var text []string
	if p.Missing > 0 {
		text = append(text, usertext.Fill(words.NotInSeries, "n", words.count(p.Missing)))
	}
	partial := p.Truncated || p.Total > 0 && s.Aggregate.needsWhole()
	if partial && len(s.Points) > 0 {
		s.Unclear = p.unclear(s)
	}
	p.Trend = s.Trend()
	text = append(text, words.trend(s, p.Trend))
	if partial {
		return text, nil
	}
	p.Seasonality = d.seasonality()
	return append(text, words.cycles(s, p.Seasonality)...), nil
}

// unclear is why a series of some of the rows says nothing about all of them.
func (p *patterns) unclear(s *Series) string {
	why := "the " + string(s.Aggregate) + " of a sample is not that of all rows"
	if p.Truncated { // the first rows may be those of the first times
		first, last := moment(s.Points[0].Start), moment(s.Points[len(s.Points)-1].Start)
		why = fmt.Sprintf("the rows that were read run from %s to %s and are not all", first, last)
	}
	return why + "; let the query return one row for each period"
}

// keepSeries saves the points of s as rows, for a chart.
func keepSeries(ctx context.Context, s *Series) (*finding.RowsRef, error) {
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
	rows, err := finding.SaveRows(ctx, &t)
	if err != nil {
		return nil, err
	}
	if n := len(rows.Sample.Rows); n > maxSeriesRows {
		rows.Sample.Rows = rows.Sample.Rows[n-maxSeriesRows:]
		rows.Count, rows.Truncated, rows.Sample.Truncated = maxSeriesRows, true, true
	}
	return rows, nil
}

// ofValues adds the findings about the values without their times.
func (p patterns) ofValues(t *qed.Table, values *variable, by int, words *texts, text []string, c caps) patterns {
	text = text[:len(text):len(text)]
	if values != nil {
		o := values.outliers()
		o.Column = p.Value
		r, label := o.report(labels(t), c.outliers, &p.LeftOut)
		p.Outliers, text = &r, append(text, words.outliers(o, label))
	}
	if by >= 0 {
		g := compare(t, values, by)
		p.Groups, text = g.report(c.groups, &p.LeftOut), append(text, words.comparison(g))
	}
	p.Text = strings.Join(text, " ")
	return p
}
