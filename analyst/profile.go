package analyst

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/qedkit/qed"
)

type profileArguments struct {
	Columns             []string `json:"columns,omitempty" jsonschema_description:"columns of the table; leave out for the first 20"`
	IncludeDistribution bool     `json:"includeDistribution,omitempty" jsonschema_description:"also the most frequent values; false if it is left out"`
	IncludeNulls        *bool    `json:"includeNulls,omitempty" jsonschema_description:"also the number of nulls; true if it is left out"`
}

type profileResult struct {
	outcome
	Rows       int64           `json:"rowCount,omitempty"`
	Duplicates int64           `json:"duplicateRows,omitempty"` // rows that are equal to an earlier one
	Columns    []columnProfile `json:"columns,omitempty"`
	Left       []string        `json:"notProfiled,omitempty"`
}

// A columnProfile has the figures of a column over all rows.
type columnProfile struct {
	Column      string   `json:"column"`
	Nulls       *int64   `json:"nulls,omitempty"`
	Distinct    int64    `json:"distinct"`
	Min         any      `json:"min"`
	Max         any      `json:"max"`
	Mean        *float64 `json:"mean,omitempty"`
	Q1          *float64 `json:"q1,omitempty"`
	Median      *float64 `json:"median,omitempty"`
	Q3          *float64 `json:"q3,omitempty"`
	Mode        any      `json:"mode,omitempty"`
	OutliersIQR *int64   `json:"outliersIQR,omitempty"` // beyond 1.5 interquartile ranges from the quartiles
	OutliersMAD *int64   `json:"outliersMAD,omitempty"` // beyond 3.5 scaled median absolute deviations
	Top         [][2]any `json:"distribution,omitempty"`
	Problems    []string `json:"problems,omitempty"`
}

const (
	maxProfiled = 20 // columns of a call
	maxTop      = 10 // values of a distribution
)

// profile computes its figures in the engine, over all rows.
func (s *session) profile(ctx context.Context, in profileArguments) (out profileResult, err error) {
	names := in.Columns
	if len(names) == 0 {
		names = s.data.columns
	}
	if len(names) > maxProfiled {
		names, out.Left = names[:maxProfiled], names[maxProfiled:]
	}
	p := profiler{data: s.data, ctx: ctx}
	out.Rows = p.integer("COUNT(*)", "")
	for _, name := range names {
		known := s.data.column(name)
		if known == "" {
			// The guard refuses the name, with those that may have been meant.
			known = name
		}
		c := p.column(known, in)
		if p.err != nil {
			break
		}
		out.Columns = append(out.Columns, c)
	}
	if len(in.Columns) == 0 && p.err == nil {
		out.Duplicates = out.Rows - p.distinctRows()
	}
	if p.err != nil {
		out = profileResult{}
		out.outcome, err = s.failed(ctx, p.err)
		return out, err
	}
	out.Success = true
	return out, nil
}

// A profiler asks for single figures. After an error it asks for no more.
type profiler struct {
	data *data
	ctx  context.Context
	err  error
}

func (p *profiler) rows(format string, args ...any) [][]any {
	if p.err != nil {
		return nil
	}
	var rows *qed.Table
	if rows, _, p.err = p.data.read(p.ctx, fmt.Sprintf(format, args...)); p.err != nil {
		return nil
	}
	return rows.Rows
}

// value returns the value of an expression over the rows of a condition.
func (p *profiler) value(expr, where string) any {
	if where != "" {
		where = " WHERE " + where
	}
	rows := p.rows("SELECT %s AS v FROM %s%s", expr, p.data.name(), where)
	if len(rows) == 0 {
		return nil
	}
	return rows[0][0]
}

func (p *profiler) integer(expr, where string) int64 {
	n, _ := p.value(expr, where).(int64)
	return n
}

func (p *profiler) distinctRows() int64 {
	var names []string
	for _, c := range p.data.columns {
		names = append(names, p.data.Dialect.Quote(c))
	}
	rows := p.rows("SELECT COUNT(*) AS n FROM (SELECT DISTINCT %s FROM %s) AS d", strings.Join(names, ", "), p.data.name())
	if len(rows) == 0 {
		return 0
	}
	n, _ := rows[0][0].(int64)
	return n
}

func (p *profiler) column(name string, in profileArguments) columnProfile {
	c := columnProfile{Column: name}
	q, t := p.data.Dialect.Quote(name), p.data.name()
	rows := p.rows("SELECT COUNT(*) AS a, COUNT(%[1]s) AS n, COUNT(DISTINCT %[1]s) AS d, MIN(%[1]s) AS x, MAX(%[1]s) AS y FROM %[2]s", q, t)
	if len(rows) == 0 {
		return c
	}
	all, _ := rows[0][0].(int64)
	count, _ := rows[0][1].(int64)
	c.Distinct, _ = rows[0][2].(int64)
	c.Min, c.Max = rows[0][3], rows[0][4]
	if in.IncludeNulls == nil || *in.IncludeNulls {
		nulls := all - count
		c.Nulls = &nulls
	}
	if count > 1 && c.Distinct == 1 {
		c.Problems = append(c.Problems, "constant: all values are the same")
	}
	top := p.rows("SELECT %[1]s AS v, COUNT(*) AS n FROM %[2]s WHERE %[1]s IS NOT NULL GROUP BY %[1]s ORDER BY 2 DESC, 1 LIMIT %[3]d", q, t, maxTop)
	if len(top) > 0 {
		c.Mode = top[0][0]
	}
	if in.IncludeDistribution {
		for _, row := range top {
			c.Top = append(c.Top, [2]any{row[0], row[1]})
		}
	}
	_, low := number(c.Min)
	_, high := number(c.Max)
	switch {
	case low && high:
		p.numbers(&c, q, count)
	case low != high && count > 0:
		c.Problems = append(c.Problems, "mixed types: numbers and texts")
	}
	if text, ok := c.Max.(string); ok {
		if n := p.integer("COUNT(*)", q+" <> TRIM("+q+")"); n > 0 && !looksLikeDate(text) {
			c.Problems = append(c.Problems, fmt.Sprintf("spaces at the beginning or the end of %d values", n))
		}
		if low, _ := c.Min.(string); looksLikeDate(low) && low[:4] < "1900" || looksLikeDate(text) && text[:4] > "2100" {
			c.Problems = append(c.Problems, "suspicious dates: before 1900 or after 2100")
		}
	}
	return c
}

// numbers adds the figures of a column of numbers.
func (p *profiler) numbers(c *columnProfile, q string, count int64) {
	mean, ok := number(p.value("AVG("+q+")", ""))
	if ok {
		c.Mean = &mean
	}
	c.Q1, c.Median, c.Q3 = p.quantile(q, count, 0.25), p.quantile(q, count, 0.5), p.quantile(q, count, 0.75)
	if c.Q1 == nil || c.Median == nil || c.Q3 == nil {
		return
	}
	outside := func(low, high float64) *int64 {
		n := p.integer("COUNT(*)", fmt.Sprintf("%s < %s OR %s > %s", q, literal(low), q, literal(high)))
		return &n
	}
	iqr := *c.Q3 - *c.Q1
	c.OutliersIQR = outside(*c.Q1-1.5*iqr, *c.Q3+1.5*iqr)
	deviation := fmt.Sprintf("ABS(%s - (%s))", q, literal(*c.Median))
	if mad := p.quantile(deviation, count, 0.5); mad != nil && *mad > 0 {
		off := 3.5 * 1.4826 * *mad
		c.OutliersMAD = outside(*c.Median-off, *c.Median+off)
	}
}

// quantile returns the quantile of an expression, between its two nearest values.
func (p *profiler) quantile(expr string, count int64, part float64) *float64 {
	if count == 0 {
		return nil
	}
	at := part * float64(count-1)
	rows := p.rows("SELECT %[1]s AS v FROM %[2]s WHERE %[1]s IS NOT NULL ORDER BY 1 LIMIT 2 OFFSET %[3]d", expr, p.data.name(), int64(at))
	var values []float64
	for _, row := range rows {
		if v, ok := number(row[0]); ok {
			values = append(values, v)
		}
	}
	if len(values) == 0 {
		return nil
	}
	v := values[0] + (at-math.Floor(at))*(slices.Max(values)-values[0])
	return &v
}

func literal(v float64) string { return fmt.Sprintf("%.12f", v) }

// number returns a cell as a number. A decimal of a server is a text.
func number(cell any) (float64, bool) {
	switch v := cell.(type) {
	case int64:
		return float64(v), true
	case float64:
		return v, true
	}
	return 0, false
}

// looksLikeDate reports whether a text begins like 2006-01-02.
func looksLikeDate(s string) bool {
	return len(s) >= 10 && s[4] == '-' && s[7] == '-' && strings.Trim(s[:4], "0123456789") == ""
}
