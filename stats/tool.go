package stats

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/prompt"
)

// maxResultBytes is how large the JSON of a tool's result may become; a registry takes 64 KiB.
const maxResultBytes = 24 << 10

// caps are how long the lists of a tool's result are. What they leave out is said.
type caps struct {
	columns  int // summarised
	numeric  int // looked at for outliers and correlations
	values   int // of the most frequent ones of a column
	groups   int // of a comparison
	compared int // columns that are compared between groups
	outliers int // of a column
	pairs    int // of columns
}

var defaultCaps = caps{columns: 20, numeric: 8, values: 8, groups: 20, compared: 5, outliers: 10, pairs: 12}

// half returns caps of half the size.
func (c caps) half() caps {
	return caps{c.columns/2 + 1, c.numeric/2 + 1, c.values / 2, c.groups / 2, c.compared/2 + 1, c.outliers / 2, c.pairs / 2}
}

// fitted returns what make makes with caps that are as large as the result may be.
func fitted[R any](make func(caps) R) (R, error) {
	c := defaultCaps
	for {
		result := make(c)
		raw, err := json.Marshal(result)
		if err != nil || len(raw) <= maxResultBytes || c == c.half() {
			return result, err
		}
		c = c.half()
	}
}

// shortened returns the first n of list, and notes what that leaves out.
func shortened[T any](list []T, n int, what string, notes *[]string) []T {
	if len(list) <= n {
		return list
	}
	*notes = append(*notes, fmt.Sprintf("%s of %d %s", grouped(len(list)-n), len(list), what))
	return list[:n]
}

// A basis is what all figures of a result rest on.
type basis struct {
	RowCount  int    `json:"row_count"`
	Truncated bool   `json:"truncated,omitempty"` // there are more rows
	Partial   string `json:"partial,omitempty"`   // why rows may be missing, where that is not for their number
}

const maxPartialBytes = 300

// tableOf returns the rows of a call, and what they are of all.
func tableOf(ctx context.Context, rows *qed.RowsRef) (*qed.Table, basis, error) {
	t, err := rows.Table(ctx)
	if err != nil {
		return nil, basis{}, err
	}
	return t, basis{
		RowCount:  len(t.Rows),
		Truncated: rows.Truncated || t.Truncated,
		Partial:   prompt.Clip(strings.TrimSpace(rows.Partial), maxPartialBytes),
	}, nil
}

// sentence is the first one of a text.
func (b *basis) sentence() string {
	text := "Of " + countOf(b.RowCount, "row") + "."
	if b.Truncated {
		text = "Of the first " + countOf(b.RowCount, "row") + " only, there are more."
	}
	if b.Partial != "" {
		text += " Rows may be missing: " + strconv.Quote(b.Partial) + "."
	}
	return text
}

// missing is why rows that are made of these stand for a part of the data only; empty where
// they do not.
func (b *basis) missing() string {
	if !b.Truncated {
		return b.Partial
	}
	first := "it is made of the first " + countOf(b.RowCount, "row") + " only, and there are more"
	if b.Partial != "" {
		return first + "; " + b.Partial
	}
	return first
}

// isIdentifier reports whether a column is named like one whose numbers are but names.
func isIdentifier(name string) bool {
	lower := strings.ToLower(name)
	return lower == "id" || strings.HasSuffix(lower, "_id") || strings.HasSuffix(name, "Id") || strings.HasSuffix(name, "ID")
}

// labels returns the texts of the first column that tells the rows apart, and nil when there
// is none.
func labels(t *qed.Table) []string {
next:
	for place := range t.Columns {
		seen := make(map[string]bool, len(t.Rows))
		all := make([]string, len(t.Rows))
		for i, row := range t.Rows {
			if _, isFloat := row[place].(float64); isFloat {
				continue next
			}
			if _, isInt := row[place].(int64); isInt && !isIdentifier(t.Columns[place].Name) {
				continue next
			}
			text, ok := cellText(row[place])
			if !ok || seen[text] {
				continue next
			}
			if _, isTime := parseTime(text); isTime {
				continue next
			}
			seen[text], all[i] = true, text
		}
		return all
	}
	return nil
}

// A reportedOutliers is an Outliers with the names of its rows.
type reportedOutliers struct {
	*Outliers
	Found []reportedOutlier `json:"found"` // in the place of that of Outliers
}

type reportedOutlier struct {
	Outlier
	Label string `json:"label,omitempty"` // the text of the row's own, of a column that tells rows apart
}

// report returns the first n outliers, and the sentence on them.
func (o *Outliers) report(labels []string, n int, notes *[]string) (reportedOutliers, string) {
	label := func(row int) string {
		if labels == nil {
			return ""
		}
		return clip(labels[row])
	}
	var first string
	if len(o.Found) > 0 {
		first = label(o.Found[0].Row)
	}
	r := reportedOutliers{Outliers: o, Found: []reportedOutlier{}}
	for _, found := range shortened(o.Found, n, "outliers of "+quoted(o.Column), notes) {
		r.Found = append(r.Found, reportedOutlier{found, label(found.Row)})
	}
	return r, o.sentence(first)
}

// report returns the comparison with the first and last of its groups.
func (c *Comparison) report(n int, notes *[]string) *Comparison {
	out := *c
	out.Value, out.By = clip(c.Value), clip(c.By)
	out.Groups = nil
	groups := c.Groups
	if len(groups) > n {
		*notes = append(*notes, fmt.Sprintf("%s of %s groups of %s, in the middle", grouped(len(groups)-n), grouped(len(groups)), quoted(c.By)))
		groups = append(groups[:(n+1)/2:(n+1)/2], groups[len(groups)-n/2:]...)
	}
	for _, g := range groups {
		g.Name = clip(g.Name)
		out.Groups = append(out.Groups, g)
	}
	return &out
}
