// Package claims checks a statement about data against the rows of the data. The
// statement is a sentence, such as "men are admitted more often", and a [Claim]: the
// same statement in terms of columns and values.
//
// A claim about the numbers of a query, such as a total or a growth, is compared with
// the result of the query. A claim about rows, such as a difference of means, is tested.
// Then [Check] looks for reasons why the result can be misleading: rows that are there
// twice, mixed units, incomplete periods, outliers, missing data, a third column that
// reverses a difference (Simpson's paradox), two series that only share a trend, words that
// state another number than the claim, and a cause, for which rows are no evidence unless
// they are those of an experiment. The [Report] has a verdict, the result of each check
// with its figures, and the checks that were not possible with the reason.
//
// The rows must be those before any aggregation, all of them or a random sample. A
// [Session] adjusts the verdicts of many findings for the number of tests.
//
// Reports are deterministic. They have no NaN and no infinity.
package claims

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/column"
	"github.com/qedkit/qed/internal/lists"
	"github.com/qedkit/qed/internal/prompt"
	"github.com/qedkit/qed/internal/stats"
	"github.com/qedkit/qed/refusal"
)

// A Kind is what a claim says.
type Kind string

const (
	// Means says that the mean of a column of numbers differs between groups.
	Means Kind = "means"
	// Shares says that the share of an outcome, or the mix of all values of a
	// column, differs between groups.
	Shares Kind = "shares"
	// Correlation says that two columns of numbers rise and fall together.
	Correlation Kind = "correlation"
	// Share says how many rows have an outcome, as a count or a share. With By it is
	// about the result of the query: the part of a group in the sum of all groups.
	Share Kind = "share"

	// The other kinds are about numbers of the result of the query.

	Total  Kind = "total"  // a number of the result
	Growth Kind = "growth" // by how much a group is above another one, as a part of it
	Ratio  Kind = "ratio"  // how many times another group a group is
	Trend  Kind = "trend"  // the numbers rise or fall along By
	Rank   Kind = "rank"   // the place of a group, 1 for the largest
	Most   Kind = "most"   // a group has more than half of the sum
	Never  Kind = "never"  // the result has no rows, or 0 in each
)

// OfResult reports whether a claim is about the result of a query.
func (c *Claim) OfResult() bool {
	return c.Kind == Share && c.By != "" || !slices.Contains([]Kind{Means, Shares, Correlation, Share}, c.Kind)
}

// A Comparison is the direction of a claim.
type Comparison string

const (
	Differ Comparison = "differ" // in any direction
	More   Comparison = "more"   // the first group has more than the others; both columns rise together
	Less   Comparison = "less"   // the first group has less than the others; one column falls as the other rises

	AtLeast Comparison = "at_least" // the number of the result is Value or more
	AtMost  Comparison = "at_most"  // the number of the result is Value or less
)

// A Claim is what a finding says, in the names of the columns of the rows.
type Claim struct {
	Kind   Kind   `json:"kind" jsonschema:"enum=means,enum=shares,enum=correlation,enum=share,enum=total,enum=growth,enum=ratio,enum=trend,enum=rank,enum=most,enum=never" jsonschema_description:"about the rows behind the query: means: a mean differs between groups; shares: the share of an outcome differs between groups; correlation: two columns of numbers rise and fall together; share: how many rows have an outcome. About the result of the query: total: a number of it; growth: by how much the first group is above the second, or above the mean of all if only one is given; ratio: how many times it is that; share with by: the part of a group in the sum; trend: the numbers rise (more) or fall (less) along by; rank: the place of a group, 1 is the largest, with less the smallest; most: a group has more than half of the sum; never: no rows, or only zeros"`
	Metric string `json:"metric" jsonschema_description:"the column that is measured: of the table, or of the result of the query for a claim about that; empty for never without rows"`

	// With is the second column of a Correlation. For Growth and Ratio it is the column
	// that Metric is compared with, instead of a second group.
	With string `json:"with,omitempty" jsonschema_description:"the second column of a correlation; for growth and ratio the column that metric is compared with, instead of a second group"`

	// Outcome is the value of Metric whose rows Shares and Share count. If it is
	// empty, Shares compares the shares of all values. But if the column has two
	// values and one of them means yes, such as true, that one is counted.
	Outcome string `json:"outcome,omitempty" jsonschema_description:"the value of metric that is counted, for shares and share"`

	// By is the column whose values name the groups. Groups are the values to compare;
	// nil means all values. More and Less compare the first of Groups with the others.
	By     string   `json:"by,omitempty" jsonschema_description:"the column that names the groups or the periods"`
	Groups []string `json:"groups,omitempty" jsonschema_description:"the groups that are compared, values of the column by; leave out for all; the claim is about the first"`

	// Comparison is Differ if it is empty. With a Value that means equal.
	Comparison Comparison `json:"comparison,omitempty" jsonschema:"enum=differ,enum=more,enum=less,enum=at_least,enum=at_most" jsonschema_description:"more: the first group has more than the others, both columns rise together, or the numbers grow; less: the opposite; differ: any difference; at_least and at_most: value is a bound, as in 'over 30 percent'"`

	// Value is the number that the finding says: a part from 0 to 1 for Share, a part of
	// the second group for Growth (0.12 for 12 %), and a place for Rank. It stands for
	// the numbers that round to it. The other kinds have none. Count is that of a Share of
	// rows, as a number of rows.
	Value *float64 `json:"value,omitempty" jsonschema_description:"the number that the finding says, as exact as it says it; a share or a growth of 12 percent is 0.12"`
	Count *int     `json:"count,omitempty" jsonschema_description:"for share: the claimed number of rows, instead of value"`

	// Causal says that the finding names a cause.
	Causal bool `json:"causal" jsonschema_description:"whether the finding says that something causes, drives, improves, reduces or explains something else"`

	// Stratifiers are columns that must be examined for Simpson's paradox. The other
	// columns are examined too.
	Stratifiers []string `json:"stratifiers,omitempty" jsonschema_description:"columns that may explain the difference"`
}

// A Finding is a statement with its rows.
type Finding struct {
	Text  string // the statement, in words
	Claim *Claim // nil: nothing can be tested

	// Rows are the rows before aggregation. They are not changed. A claim about the
	// result of a query does not need them, and has fewer checks without.
	Rows *qed.Table

	// Result is the result of the query that led to the finding. Truncated says that
	// the query has more rows.
	Result *qed.Table

	// Query is the statement that led to the finding. Its numbers may be said, as in
	// "orders above 500".
	Query string

	// Measure is the column of Rows that the query adds up, averages or counts. Empty:
	// its values are not examined.
	Measure string

	// Misspelt are conditions of the query that no row meets, although the data has
	// values that are spelled in a similar way.
	Misspelt []string

	// Total is the number of rows before sampling or truncation. 0 means
	// len(Rows.Rows). Truncated rows are never complete.
	Total int

	// Sampled says that Rows were drawn at random from all rows. Otherwise, missing
	// rows are reported as a defect. All has the counts and sums of all rows. Nil: those
	// of the sample are reported.
	Sampled bool
	All     *Tally

	// Experiment is the column whose values were assigned at random, as in an A/B test.
	// Only a difference between its groups may be called an effect. The host names it,
	// never the model.
	Experiment string

	// Language is that of the report, such as "de". Empty: that of Text.
	Language string
}

// The codes of refused claims, as targets of errors.Is. Their [refusal.Problem]
// names what may have been meant.
const (
	ErrMissingColumn                = stats.ErrMissingColumn   // the claim names no column where its kind needs one
	ErrUnknownField                 = stats.ErrUnknownField    // the rows have no such column
	ErrAmbiguousColumn              = stats.ErrAmbiguousColumn // several columns have the name
	ErrFieldType                    = stats.ErrFieldType       // the column does not have numbers
	ErrUnknownName     refusal.Code = "unknown_name"           // there is no such kind, comparison, group or outcome
	ErrTooLarge                     = stats.ErrTooLarge        // there are too many groups
)

var errNoRows = errors.New("claims: the finding has no table of rows")

func refuse(code refusal.Code, name string, candidates []string, format string, args ...any) error {
	for i, c := range candidates {
		candidates[i] = prompt.Clip(c, maxNameBytes)
	}
	return &refusal.Error{Package: "claims", Problems: []refusal.Problem{{
		Code: code, Name: prompt.Clip(name, maxNameBytes), Candidates: candidates, Message: fmt.Sprintf(format, args...),
	}}}
}

const (
	maxNameBytes  = column.MaxName
	maxCandidates = 10
)

func columnNames(t *qed.Table) []string {
	return lists.Map(t.Columns, func(c qed.Column) string { return c.Name })
}

// find returns the index of a column. role says what the claim needs it for.
func find(t *qed.Table, role, name string) (int, error) {
	if strings.TrimSpace(name) == "" {
		return 0, refuse(ErrMissingColumn, role, column.Near(name, columnNames(t)), "the claim names no column as its %s", role)
	}
	at, p := column.Find(t, name)
	if p != nil {
		return 0, &refusal.Error{Package: "claims", Problems: []refusal.Problem{*p}}
	}
	return at, nil
}

func known[S ~string](what string, got S, all ...S) error {
	if slices.Contains(all, got) {
		return nil
	}
	names := lists.Map(all, func(s S) string { return string(s) })
	return refuse(ErrUnknownName, string(got), names, "there is no %s %q", what, prompt.Clip(string(got), maxNameBytes))
}
