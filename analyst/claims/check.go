package claims

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/column"
	"github.com/qedkit/qed/internal/numeric"
	"github.com/qedkit/qed/internal/textmatch"
	"github.com/qedkit/qed/internal/usertext"
	"github.com/qedkit/qed/refusal"
)

const (
	maxGroups = 100 // of a claim
	minGroup  = 5   // values in a group that is tested
	fewRows   = 10  // values below which a group is small
)

// Check checks a finding. A claim that does not fit the rows is refused with a
// [*refusal.Error], whose codes are those of this package.
//
// Its cost is O(r*c + r*log(r)) for r rows and c columns, of which the first 200
// and those that the claim names are examined as stratifiers. It ends with the
// cause of ctx if ctx is done.
func Check(ctx context.Context, f Finding) (*Report, error) {
	if f.Rows == nil {
		return nil, errNoRows
	}
	for i, row := range f.Rows.Rows {
		if len(row) != len(f.Rows.Columns) {
			return nil, fmt.Errorf("claims: row %d has %d cells for %d columns", i, len(row), len(f.Rows.Columns))
		}
	}
	language := usertext.Base(cmp.Or(f.Language, usertext.LanguageOf(f.Text), usertext.English))
	c := &checker{
		ctx: ctx, table: f.Rows,
		Report: &Report{
			Finding: f.Text, Language: language, Rows: len(f.Rows.Rows), Total: max(f.Total, len(f.Rows.Rows)),
			Checks: []CheckResult{}, Skipped: []SkippedCheck{},
		},
	}
	c.t = c.texts()
	if err := c.resolve(&f); err != nil {
		return nil, err
	}
	c.rows(&f)
	if err := c.test(); err != nil {
		_, refused := errors.AsType[*refusal.Error](err)
		if !refused || !c.Inferred {
			return nil, err
		}
		// The claim was only inferred, so it is no mistake that it does not fit.
		c.Claim, c.Inferred = nil, false
		c.skip(CheckDifference, c.t.NoClaim)
	}
	c.causal(&f)
	tests := 0
	if c.P != nil {
		tests = 1
	}
	c.setVerdict(c.P, tests)
	return c.Report, context.Cause(ctx)
}

// A checker checks one finding.
type checker struct {
	*Report
	ctx   context.Context
	table *qed.Table
	t     *texts

	metric, with, by int // columns of the claim, -1 without one
}

// resolve finds the claim and its columns.
func (c *checker) resolve(f *Finding) error {
	c.metric, c.with, c.by = -1, -1, -1
	if f.Claim == nil {
		c.Claim, c.Inferred = infer(f.Text, f.Rows)
		if c.Claim == nil {
			return nil
		}
		c.Inferred = true
		c.skip("direction", c.t.NoDirection)
	} else {
		claim := *f.Claim
		claim.Groups, claim.Stratifiers = slices.Clone(claim.Groups), slices.Clone(claim.Stratifiers)
		c.Claim = &claim
	}
	claim := c.Claim
	claim.Comparison = cmp.Or(claim.Comparison, Differ)
	if err := known("kind of claim", claim.Kind, Means, Shares, Correlation, Share); err != nil {
		return err
	}
	if err := known("comparison", claim.Comparison, Differ, More, Less); err != nil {
		return err
	}
	switch part, count := claim.Part, claim.Count; {
	case part != nil && !(*part >= 0 && *part <= 1):
		return refuse(ErrUnknownName, "part", nil, "the claimed part of the rows is not between 0 and 1; "+
			"give a number of rows as count")
	case count != nil && *count < 0:
		return refuse(ErrUnknownName, "count", nil, "the claimed number of rows is negative")
	case part != nil && count != nil:
		return refuse(ErrUnknownName, "count", nil, "a claim has a part or a count, not both")
	}
	var err error
	if c.metric, err = find(c.table, "metric", claim.Metric); err != nil {
		return err
	}
	switch claim.Kind {
	case Correlation:
		c.with, err = find(c.table, "with", claim.With)
	case Means, Shares:
		c.by, err = find(c.table, "by", claim.By)
	case Share:
		if claim.Outcome == "" {
			err = c.unknownOutcome()
		}
	}
	if err != nil {
		return err
	}
	if c.metric == c.by || c.metric == c.with {
		return refuse(ErrMissingColumn, claim.Metric, nil, "the claim names column %s twice: it needs another one", quoted(claim.Metric))
	}
	for _, name := range claim.Stratifiers {
		if _, err := find(c.table, "stratifier", name); err != nil {
			return err
		}
	}
	return nil
}

// rows checks whether the rows stand for all.
func (c *checker) rows(f *Finding) {
	n, total := count(c.Rows), count(c.Total)
	more := c.Total > c.Rows
	if f.Rows.Truncated && !more {
		more, total = true, "> "+total
	}
	switch {
	case !more:
		c.add(CheckRows, Pass, fill(c.t.AllRows, "n", n))
	case f.Sampled:
		c.add(CheckRows, Pass, fill(c.t.SampleRows, "n", n, "total", total))
	default:
		c.add(CheckRows, Warn, fill(c.t.FirstRows, "n", n, "total", total))
	}
}

func (c *checker) test() error {
	switch {
	case c.Claim == nil:
		c.skip(CheckDifference, c.t.NoClaim)
		return nil
	case c.Rows == 0:
		c.skip(CheckDifference, c.t.NoRows)
		return nil
	case c.Claim.Kind == Correlation:
		return c.correlation()
	case c.Claim.Kind == Share:
		return c.share()
	}
	return c.compare()
}

// numeric reads a column of numbers.
func (c *checker) numeric(i int) (*column.Column, error) {
	col, err := column.Read(c.table, i, column.Numbers)
	if err != nil {
		return nil, fmt.Errorf("claims: %w", err)
	}
	if col.Kind != column.Numbers && col.Kind != column.Empty {
		var numbers []string
		for j, other := range c.table.Columns {
			if len(numbers) == maxCandidates {
				break
			}
			if o, err := column.Read(c.table, j, ""); err == nil && o.Kind == column.Numbers {
				numbers = append(numbers, other.Name)
			}
		}
		return nil, refuse(ErrFieldType, col.Name, numbers, "column %s has %s, not numbers", quoted(col.Name), col.Kind)
	}
	col.Numbers = numeric.MergeRounded(col.Numbers)
	return col, nil
}

// values returns the values of a column with their number of rows, the most
// frequent first.
func (c *checker) values(i int) (names []string, rows map[string]int) {
	rows = map[string]int{}
	for _, row := range c.table.Rows {
		if text, ok := column.Text(row[i]); ok {
			rows[text]++
		}
	}
	for name := range rows {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int {
		return cmp.Or(cmp.Compare(rows[b], rows[a]), cmp.Compare(a, b))
	})
	return names, rows
}

// like returns the value whose spelling differs from name in case and accents only.
func like(name string, values []string) (string, bool) {
	if slices.Contains(values, name) {
		return name, true
	}
	var found []string
	for _, v := range values {
		if textmatch.Fold(v) == textmatch.Fold(name) {
			found = append(found, v)
		}
	}
	if len(found) == 1 {
		return found[0], true
	}
	return "", false
}

func (c *checker) unknownOutcome() error {
	names, _ := c.values(c.metric)
	what := "the claim names no outcome"
	if c.Claim.Outcome != "" {
		what = "there is no such value"
	}
	return refuse(ErrUnknownName, c.Claim.Outcome, near(c.Claim.Outcome, names), "%s of column %s", what, quoted(c.Claim.Metric))
}

// A group has the values of one group of a claim, and their rows.
type group struct {
	name    string
	x       []float64
	at      []int
	missing int
}

func (g *group) mean() float64 {
	mean, _ := numeric.MeanStdDev(g.x)
	return mean
}

// groups returns the groups of the claim with the values of x, which is NaN for a
// row without one. Groups without rows are refused.
func (c *checker) groups(x []float64) ([]*group, error) {
	names, _ := c.values(c.by)
	chosen := names
	if n := len(c.Claim.Groups); n > maxGroups {
		return nil, refuse(ErrTooLarge, "groups", nil,
			"the claim names %d groups, and at most %d can be compared", n, maxGroups)
	}
	if len(c.Claim.Groups) > 0 {
		chosen = nil
		for _, name := range c.Claim.Groups {
			value, ok := like(name, names)
			if !ok {
				return nil, refuse(ErrUnknownName, name, near(name, names), "column %s has no group %s", quoted(c.Claim.By), quoted(name))
			}
			if !slices.Contains(chosen, value) {
				chosen = append(chosen, value)
			}
		}
		if len(chosen) == 1 { // against all others
			for _, name := range names {
				if name != chosen[0] {
					chosen = append(chosen, name)
				}
			}
		}
		c.Claim.Groups = slices.Clone(chosen[:min(len(chosen), len(c.Claim.Groups))])
	} else if c.Claim.Comparison != Differ {
		return nil, refuse(ErrUnknownName, "groups", near("", names),
			"the claim says %s but names no group: name the first of groups", c.Claim.Comparison)
	}
	if len(chosen) > maxGroups {
		return nil, refuse(ErrTooLarge, c.Claim.By, near("", names),
			"column %s has %d groups, and at most %d can be compared: name them in groups, or choose a coarser column",
			quoted(c.Claim.By), len(chosen), maxGroups)
	}
	index := map[string]*group{}
	var all []*group
	for _, name := range chosen {
		index[name] = &group{name: name}
		all = append(all, index[name])
	}
	for i, row := range c.table.Rows {
		text, ok := column.Text(row[c.by])
		if !ok {
			continue
		}
		g := index[text]
		switch {
		case g == nil:
		case math.IsNaN(x[i]):
			g.missing++
		default:
			g.x, g.at = append(g.x, x[i]), append(g.at, i)
		}
	}
	return all, nil
}

// infer returns the claim that the words of a text make about the columns, if they
// name exactly the columns of one.
func infer(text string, t *qed.Table) (*Claim, bool) {
	words := " " + textmatch.Fold(text) + " "
	says := func(name string) bool {
		folded := textmatch.Fold(strings.NewReplacer("_", " ", ".", " ").Replace(name))
		return folded != "" && strings.Contains(words, " "+folded+" ")
	}
	var numbers, groups []string
	for i, col := range t.Columns {
		if len(numbers)+len(groups) > 3 {
			return nil, false
		}
		if !says(col.Name) {
			continue
		}
		read, err := column.Read(t, i, "")
		switch {
		case err != nil:
		case read.Kind == column.Numbers && !column.IsIdentifier(col.Name):
			numbers = append(numbers, col.Name)
		case read.Kind == column.Texts || read.Kind == column.Booleans:
			groups = append(groups, col.Name)
		}
	}
	switch {
	case len(numbers) == 1 && len(groups) == 1:
		return &Claim{Kind: Means, Metric: numbers[0], By: groups[0]}, true
	case len(numbers) == 2 && len(groups) == 0:
		return &Claim{Kind: Correlation, Metric: numbers[0], With: numbers[1]}, true
	case len(numbers) == 0 && len(groups) == 2:
		return &Claim{Kind: Shares, Metric: groups[0], By: groups[1]}, true
	}
	return nil, false
}
