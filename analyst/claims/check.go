package claims

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/column"
	"github.com/qedkit/qed/internal/lists"
	"github.com/qedkit/qed/internal/numeric"
	"github.com/qedkit/qed/internal/textmatch"
	"github.com/qedkit/qed/internal/usertext"
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
	c, err := newChecker(ctx, &f)
	if err != nil {
		return nil, err
	}
	if err := c.resolve(); err != nil {
		return nil, err
	}
	if c.source != nil {
		c.copies()
	}
	if c.Claim != nil && c.Claim.OfResult() {
		err = c.exact(&f)
	} else {
		c.rows(&f)
		err = c.test()
	}
	if err != nil {
		return nil, err
	}
	c.unused()
	c.said(&f)
	c.causal(&f)
	tests := 0
	if c.P != nil {
		tests = 1
	}
	c.setVerdict(ctx, c.P, tests)
	return c.Report, context.Cause(ctx)
}

// A checker checks one finding.
type checker struct {
	*Report
	ctx    context.Context
	table  *qed.Table // with the columns of the claim
	source *qed.Table // the rows before aggregation, nil without
	all    *Tally     // nil: the rows are all, or their figures are unknown
	t      *texts

	metric, with, by int      // columns of the claim, -1 without one
	examined         []string // stratifiers
}

func newChecker(ctx context.Context, f *Finding) (*checker, error) {
	c := &checker{ctx: ctx, table: f.Rows, source: f.Rows, all: f.All, metric: -1, with: -1, by: -1}
	var claim *Claim
	if f.Claim != nil {
		copied := *f.Claim
		claim = &copied
		claim.Groups, claim.Stratifiers = slices.Clone(claim.Groups), slices.Clone(claim.Stratifiers)
		claim.Comparison = cmp.Or(claim.Comparison, Differ)
		if err := claim.check(); err != nil {
			return nil, err
		}
		if claim.OfResult() {
			c.table = f.Result
		}
	}
	if c.table == nil {
		return nil, errNoRows
	}
	for _, t := range []*qed.Table{f.Rows, f.Result} {
		if t == nil {
			continue
		}
		for i, row := range t.Rows {
			if len(row) != len(t.Columns) {
				return nil, fmt.Errorf("claims: row %d has %d cells for %d columns", i, len(row), len(t.Columns))
			}
		}
	}
	language := usertext.Base(cmp.Or(f.Language, usertext.LanguageOf(f.Text), usertext.English))
	c.Report = &Report{
		Finding: f.Text, Claim: claim, Language: language, Rows: len(c.table.Rows), Total: max(f.Total, len(c.table.Rows)),
		Checks: []CheckResult{}, Skipped: []SkippedCheck{},
	}
	c.t = c.texts(ctx)
	return c, nil
}

// resolve finds the columns of the claim.
func (c *checker) resolve() error {
	claim := c.Claim
	if claim == nil {
		return nil
	}
	var err error
	if claim.Kind != Never || claim.Metric != "" {
		if c.metric, err = find(c.table, "metric", claim.Metric); err != nil {
			return err
		}
	}
	switch claim.Kind {
	case Correlation:
		c.with, err = find(c.table, "with", claim.With)
	case Means, Shares, Trend, Rank, Most:
		c.by, err = find(c.table, "by", claim.By)
	case Share:
		if claim.By != "" {
			c.by, err = find(c.table, "by", claim.By)
		} else if claim.Outcome == "" {
			err = c.unknownOutcome()
		}
	case Total, Growth, Ratio:
		if claim.By != "" {
			c.by, err = find(c.table, "by", claim.By)
		}
		if claim.With != "" && err == nil {
			c.with, err = find(c.table, "with", claim.With)
		}
	}
	if err != nil {
		return err
	}
	if c.metric >= 0 && (c.metric == c.by || c.metric == c.with) {
		return refuse(ErrMissingColumn, claim.Metric, nil, "the claim names column %s twice: it needs another one", quoted(claim.Metric))
	}
	if c.source == nil {
		return nil
	}
	for _, name := range claim.Stratifiers {
		if _, err := find(c.source, "stratifier", name); err != nil {
			return err
		}
	}
	return nil
}

// check checks what a claim says by itself.
func (c *Claim) check() error {
	if err := known("kind of claim", c.Kind,
		Means, Shares, Correlation, Share, Total, Growth, Ratio, Trend, Rank, Most, Never); err != nil {
		return err
	}
	if err := known("comparison", c.Comparison, Differ, More, Less, AtLeast, AtMost); err != nil {
		return err
	}
	bounds := c.Comparison == AtLeast || c.Comparison == AtMost
	if bounds && (c.Value == nil || !slices.Contains([]Kind{Total, Growth, Ratio, Share}, c.Kind)) {
		return refuse(ErrUnknownName, string(c.Comparison), []string{string(More), string(Less)},
			"%s needs a value, and a claim of the kind total, growth, ratio or share", c.Comparison)
	}
	directed := c.Comparison == More || c.Comparison == Less
	switch value, count := c.Value, c.Count; {
	case value != nil && !slices.Contains([]Kind{Total, Growth, Ratio, Share, Rank}, c.Kind):
		return refuse(ErrUnknownName, "value", nil,
			"a claim of the kind %s has no value: check the number by another claim, such as total, growth or ratio", c.Kind)
	case value != nil && directed && slices.Contains([]Kind{Total, Ratio, Share}, c.Kind):
		return refuse(ErrUnknownName, string(c.Comparison), []string{string(AtLeast), string(AtMost)},
			"a claim with a value says differ, at_least or at_most, not %s", c.Comparison)
	case value != nil && (math.IsNaN(*value) || math.IsInf(*value, 0)):
		return refuse(ErrUnknownName, "value", nil, "the claimed value is not a number")
	case value != nil && c.Kind == Share && !(*value >= 0 && *value <= 1):
		return refuse(ErrUnknownName, "value", nil, "the claimed share is not between 0 and 1; "+
			"give a number of rows as count")
	case count != nil && *count < 0:
		return refuse(ErrUnknownName, "count", nil, "the claimed number of rows is negative")
	case value != nil && count != nil:
		return refuse(ErrUnknownName, "count", nil, "a claim has a value or a count, not both")
	case c.Kind == Total && value == nil, c.Kind == Share && c.By != "" && value == nil:
		return refuse(ErrUnknownName, "value", nil, "the claim says no number: give it as value")
	case (c.Kind == Growth || c.Kind == Ratio) && value == nil && c.Comparison == Differ,
		c.Kind == Trend && c.Comparison == Differ:
		return refuse(ErrUnknownName, "comparison", []string{string(More), string(Less)},
			"the claim says neither more nor less")
	case slices.Contains([]Kind{Rank, Most}, c.Kind) && len(c.Groups) != 1, c.Kind == Share && c.By != "" && len(c.Groups) != 1:
		return refuse(ErrUnknownName, "groups", nil, "a claim of the kind %s is about one group: name it in groups", c.Kind)
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
		c.all = nil
		c.add(CheckRows, Pass, fill(c.t.AllRows, "n", n))
	case f.Sampled && c.all.complete():
		c.add(CheckRows, Pass, fill(c.t.SampleAndAll, "n", n, "total", total))
	case f.Sampled:
		c.all = nil
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
	return lists.Map(column.SortedCounts(rows), func(n column.Count) string { return n.Text }), rows
}

// like returns the value whose spelling differs from name in case and accents only.
func like(name string, values []string) (string, bool) {
	if slices.Contains(values, name) {
		return name, true
	}
	found := lists.Filter(values, func(v string) bool { return textmatch.Fold(v) == textmatch.Fold(name) })
	if len(found) == 1 {
		return found[0], true
	}
	return "", false
}

func (c *checker) unknownOutcome() error {
	names, _ := c.values(c.metric)
	if c.Claim.Outcome == "" {
		return refuse(ErrUnknownName, "", column.Near("", names), "the claim names no outcome of column %s", quoted(c.Claim.Metric))
	}
	return refuse(ErrUnknownName, c.Claim.Outcome, column.Near(c.Claim.Outcome, names), "there is no such value of column %s%s",
		quoted(c.Claim.Metric), c.among())
}

// among ends a sentence about what the table of the claim does not have, if it has only a
// part of the rows.
func (c *checker) among() string {
	if !c.table.Truncated && (c.table != c.source || c.Total <= c.Rows) {
		return ""
	}
	return fmt.Sprintf(" among the %d rows that were read, which are not all: name it in a condition of the query", len(c.table.Rows))
}

// A group has the values of one group of a claim, and their rows.
type group struct {
	name    string
	x       []float64
	at      []int
	missing int
	all     *float64 // the mean of all rows, if x is a sample
}

func (g *group) mean() float64 {
	if g.all != nil {
		return *g.all
	}
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
				return nil, refuse(ErrUnknownName, name, column.Near(name, names), "column %s has no group %s%s",
					quoted(c.Claim.By), quoted(name), c.among())
			}
			chosen = lists.Add(chosen, value)
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
		return nil, refuse(ErrUnknownName, "groups", column.Near("", names),
			"the claim says %s but names no group: name the first of groups", c.Claim.Comparison)
	}
	if len(chosen) > maxGroups {
		return nil, refuse(ErrTooLarge, c.Claim.By, column.Near("", names),
			"column %s has at least %d groups, and at most %d can be compared: name them in groups, or choose a coarser column",
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
	for _, g := range all {
		g.all = c.all.mean(g.name, c.Claim.Outcome)
	}
	return all, nil
}
