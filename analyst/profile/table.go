package profile

import (
	"fmt"
	"strings"

	"github.com/qedkit/qed"
)

// TableForm returns the profile as a table with a row for each column.
func (p *Profile) TableForm() (*qed.Table, error) {
	t := &qed.Table{}
	for _, name := range []string{"column", "kind", "values", "nulls", "distinct", "min", "max", "mean", "q1", "median", "q3",
		"mode", "mode_rows", "outliers_iqr", "outliers_mad", "problems"} {
		t.Columns = append(t.Columns, qed.Column{Name: name})
	}
	for i := range p.Columns {
		if err := t.Append(p.Columns[i].row()...); err != nil {
			return nil, fmt.Errorf("profile: column %s: %w", p.Columns[i].Name, err)
		}
	}
	return t, nil
}

func (c *Column) row() []any {
	var nulls, mean, q1, median, q3, mode, modeRows, iqr, mad any
	if c.Nulls != nil {
		nulls = *c.Nulls
	}
	if c.Mean != nil {
		mean = *c.Mean
	}
	if q := c.Quantiles; q != nil {
		q1, median, q3 = q.Q1, q.Median, q.Q3
	}
	if c.Mode != nil {
		mode, modeRows = c.Mode.Value, c.Mode.Rows
	}
	if c.OutliersIQR != nil {
		iqr = c.OutliersIQR.Count
	}
	if c.OutliersMAD != nil {
		mad = c.OutliersMAD.Count
	}
	var problems []string
	for _, problem := range c.Problems {
		problems = append(problems, string(problem.Kind))
	}
	return []any{c.Name, string(c.Kind), c.Values, nulls, c.Distinct.Value, c.Min, c.Max, mean, q1, median, q3,
		mode, modeRows, iqr, mad, strings.Join(problems, ", ")}
}
