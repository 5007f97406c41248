package toolagent

import (
	"encoding/json"
	"slices"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/column"
	"github.com/qedkit/qed/internal/numeric"
	"github.com/qedkit/qed/internal/prompt"
)

// A rowsView is what the model sees of rows.
type rowsView struct {
	Handle     string       `json:"handle,omitempty"`
	Count      int          `json:"count"`
	Truncated  bool         `json:"truncated,omitempty"` // the query has more rows
	Partial    string       `json:"partial,omitempty"`
	Columns    []string     `json:"columns"`
	First      [][]any      `json:"first"`
	Last       [][]any      `json:"last,omitempty"`
	Statistics []columnView `json:"statistics,omitempty"`
}

type columnView struct {
	Column   string   `json:"column"`
	Count    int      `json:"count"` // values
	Nulls    int      `json:"nulls"`
	Distinct int      `json:"distinct"`
	Min      any      `json:"min,omitempty"`
	Max      any      `json:"max,omitempty"`
	Mean     *float64 `json:"mean,omitempty"`
	Sum      *float64 `json:"sum,omitempty"`
	Top      [][2]any `json:"top,omitempty"` // the most frequent values and how often they occur
}

// A detail is how much of rows the model sees.
type detail struct{ first, last, top, cell, columns int }

// details are tried in this order, until the view is small enough.
var details = []detail{
	{10, 5, 5, 200, 100}, {5, 3, 5, 100, 60}, {3, 2, 3, 60, 30}, {2, 1, 3, 40, 15}, {1, 0, 0, 30, 8}, {1, 0, 0, 20, 0},
}

// viewOf returns the JSON of a view of a table with at most limit bytes, and the
// note for the model. ref refers to the rows of the table.
func viewOf(ref *rowsRef, table *qed.Table, limit int) (json.RawMessage, string) {
	count := max(ref.Count, len(table.Rows))
	statistics := statisticsOf(table)
	v := rowsView{Handle: ref.Handle, Count: count, Truncated: ref.Truncated}
	v.Partial = prompt.Clip(ref.Partial, maxDigestArguments)
	var raw json.RawMessage
	for _, d := range details {
		v.Columns = nil
		for _, c := range table.Columns {
			v.Columns = append(v.Columns, prompt.Clip(c.Name, d.cell))
		}
		n := len(table.Rows)
		first := min(n, d.first)
		v.First = cells(table.Rows[:first], d)
		v.Last = cells(table.Rows[max(first, n-d.last):], d)
		v.Statistics = brief(statistics, d)
		var err error
		if raw, err = json.Marshal(v); err == nil && len(raw) <= limit {
			break
		}
	}
	if len(raw) > limit {
		raw = cutForm(raw, limit).output
	}
	return raw, rowsNote(&v, len(table.Rows))
}

// cells returns rows with shorter texts.
func cells(rows [][]any, d detail) [][]any {
	short := make([][]any, len(rows))
	for i, row := range rows {
		short[i] = make([]any, len(row))
		for j, cell := range row {
			if s, ok := cell.(string); ok {
				cell = prompt.Clip(s, d.cell)
			}
			short[i][j] = cell
		}
	}
	return short
}

// brief returns the statistics with shorter texts and fewer values.
func brief(all []columnView, d detail) []columnView {
	var short []columnView
	for _, c := range all[:min(len(all), d.columns)] {
		c.Column = prompt.Clip(c.Column, d.cell)
		top := c.Top[:min(len(c.Top), d.top)]
		c.Top = nil
		for _, t := range top {
			if s, ok := t[0].(string); ok {
				t[0] = prompt.Clip(s, d.cell)
			}
			c.Top = append(c.Top, t)
		}
		short = append(short, c)
	}
	return short
}

// statisticsOf returns the statistics of the columns of a table. A table that cannot
// be read has none.
func statisticsOf(table *qed.Table) []columnView {
	views := make([]columnView, len(table.Columns))
	for i := range table.Columns {
		c, err := column.Read(table, i, "")
		if err != nil {
			return nil
		}
		v := columnView{Column: c.Name, Count: len(c.At), Nulls: c.Missing}
		switch c.Kind {
		case column.Numbers:
			mean, sum := numeric.Mean(c.Numbers), numeric.Sum(c.Numbers)
			v.Min, v.Max, v.Mean, v.Sum = slices.Min(c.Numbers), slices.Max(c.Numbers), &mean, &sum
			v.Distinct = c.DistinctNumbers()
		case column.Times:
			times := c.SortedTimes()
			v.Min, v.Max, v.Distinct = times[0], times[len(times)-1], len(times)
		case column.Texts, column.Booleans:
			counts := c.Counts()
			v.Distinct = len(counts)
			for _, t := range counts[:min(len(counts), details[0].top)] {
				v.Top = append(v.Top, [2]any{t.Text, t.Rows})
			}
		}
		views[i] = v
	}
	return views
}
