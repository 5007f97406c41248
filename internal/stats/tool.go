package stats

import (
	"encoding/json"
	"fmt"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/column"
)

// maxResultBytes limits the JSON of a tool's result; a registry accepts 64 KiB.
const maxResultBytes = 24 << 10

// caps are the maximum lengths of the lists in a tool's result. The result
// reports what they leave out.
type caps struct {
	columns  int // summarised
	numeric  int // with outliers and correlations
	values   int // most frequent values of a column
	groups   int // of a comparison
	compared int // columns compared between groups
	outliers int // of a column
	pairs    int // of columns
}

var defaultCaps = caps{columns: 20, numeric: 8, values: 8, groups: 20, compared: 5, outliers: 10, pairs: 12}

// half returns caps of about half the size.
func (c caps) half() caps {
	return caps{
		columns: c.columns/2 + 1, numeric: c.numeric/2 + 1, values: c.values / 2, groups: c.groups / 2,
		compared: c.compared/2 + 1, outliers: c.outliers / 2, pairs: c.pairs / 2,
	}
}

// fitted calls build with smaller and smaller caps until the result fits.
func fitted[R any](build func(caps) R) (R, error) {
	c := defaultCaps
	for {
		result := build(c)
		raw, err := json.Marshal(result)
		if err != nil || len(raw) <= maxResultBytes || c == c.half() {
			return result, err
		}
		c = c.half()
	}
}

// shortened returns the first n of list, and adds a note on the rest.
func shortened[T any](list []T, n int, what string, notes *[]string) []T {
	if len(list) <= n {
		return list
	}
	*notes = append(*notes, fmt.Sprintf("%s of %d %s", grouped(len(list)-n), len(list), what))
	return list[:n]
}

// labels returns the texts of the first column that identifies the rows, and nil
// if there is none.
func labels(t *qed.Table) []string {
next:
	for place := range t.Columns {
		seen := make(map[string]bool, len(t.Rows))
		all := make([]string, len(t.Rows))
		for i, row := range t.Rows {
			if _, isFloat := row[place].(float64); isFloat {
				continue next
			}
			if _, isInt := row[place].(int64); isInt && !column.IsIdentifier(t.Columns[place].Name) {
				continue next
			}
			text, ok := column.Text(row[place])
			if !ok || seen[text] {
				continue next
			}
			if _, isTime := column.ParseTime(text); isTime {
				continue next
			}
			seen[text], all[i] = true, text
		}
		return all
	}
	return nil
}

// A reportedOutliers is an Outliers with labels for its rows.
type reportedOutliers struct {
	*Outliers
	Found []reportedOutlier `json:"found"` // replaces Outliers.Found
}

type reportedOutlier struct {
	Outlier
	Label string `json:"label,omitempty"` // text of the row in the column that identifies rows
}

// report returns the first n outliers, and the label of the farthest.
func (o *Outliers) report(labels []string, n int, notes *[]string) (r reportedOutliers, farthest string) {
	label := func(row int) string {
		if labels == nil {
			return ""
		}
		return clip(labels[row])
	}
	if len(o.Found) > 0 {
		farthest = label(o.Found[0].Row)
	}
	r = reportedOutliers{Outliers: o, Found: []reportedOutlier{}}
	for _, found := range shortened(o.Found, n, "outliers of "+quoted(o.Column), notes) {
		r.Found = append(r.Found, reportedOutlier{found, label(found.Row)})
	}
	return r, farthest
}

// report returns the comparison with its first and last groups.
func (c *Comparison) report(n int, notes *[]string) *Comparison {
	out := *c
	out.Value, out.By = clip(c.Value), clip(c.By)
	out.Groups = nil
	groups := c.Groups
	if len(groups) > n {
		*notes = append(*notes, fmt.Sprintf("the %s middle ones of %s groups of %s",
			grouped(len(groups)-n), grouped(len(groups)), quoted(c.By)))
		groups = append(groups[:(n+1)/2:(n+1)/2], groups[len(groups)-n/2:]...)
	}
	for _, g := range groups {
		g.Name = clip(g.Name)
		out.Groups = append(out.Groups, g)
	}
	return &out
}
