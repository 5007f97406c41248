// Package claims checks a statement about data against the rows of the data. The
// statement is a sentence, such as "men are admitted more often", and a [Claim]: the
// same statement in terms of columns and values.
//
// [Check] runs the statistical test of the claim. Then it looks for reasons why a
// significant result can be misleading: outliers, missing data, a third column that
// reverses the difference (Simpson's paradox), and words such as "because", for which
// the rows are no evidence. The [Report] has a verdict, the result of each check with
// its figures, and the checks that were not possible with the reason.
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
	"github.com/qedkit/qed/internal/prompt"
	"github.com/qedkit/qed/refusal"
	"github.com/qedkit/qed/stats"
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
	// Share says how many rows have an outcome, as a count or a share.
	Share Kind = "share"
)

// A Comparison is the direction of a claim.
type Comparison string

const (
	Differ Comparison = "differ" // in any direction
	More   Comparison = "more"   // the first group has more than the others; both columns rise together
	Less   Comparison = "less"   // the first group has less than the others; one column falls as the other rises
)

// A Claim is what a finding says, in the names of the columns of the rows.
type Claim struct {
	Kind   Kind   `json:"kind" jsonschema:"enum=means,enum=shares,enum=correlation,enum=share" jsonschema_description:"means: a mean differs between groups; shares: the share of an outcome differs between groups; correlation: two columns of numbers rise and fall together; share: how many rows have an outcome"`
	Metric string `json:"metric" jsonschema_description:"the column that is measured"`

	// With is the second column of a Correlation.
	With string `json:"with,omitempty" jsonschema_description:"the second column of a correlation"`

	// Outcome is the value of Metric whose rows Shares and Share count. If it is
	// empty, Shares compares the shares of all values. But if the column has two
	// values and one of them means yes, such as true, that one is counted.
	Outcome string `json:"outcome,omitempty" jsonschema_description:"the value of metric that is counted, for shares and share"`

	// By is the column whose values divide the rows into groups, for Means and
	// Shares. Groups are the values to compare; nil means all values. More and Less
	// compare the first of Groups with the others.
	By     string   `json:"by,omitempty" jsonschema_description:"the column of the groups, for means and shares"`
	Groups []string `json:"groups,omitempty" jsonschema_description:"the groups that are compared, values of the column by; leave out for all; more and less are about the first"`

	// Comparison is Differ if it is empty.
	Comparison Comparison `json:"comparison,omitempty" jsonschema:"enum=differ,enum=more,enum=less" jsonschema_description:"more: the first group has more than the others, or both columns rise together; less: the opposite; differ: any difference"`

	// Part and Count are what a Share claims: which part of the rows, from 0 to 1, or
	// how many rows. At most one of them is set. Without both the share is computed.
	Part  *float64 `json:"part,omitempty" jsonschema_description:"for share: the claimed part of the rows, from 0 to 1; 0.2 is 20 percent"`
	Count *int     `json:"count,omitempty" jsonschema_description:"for share: the claimed number of rows, instead of part"`

	// Stratifiers are columns that must be examined for Simpson's paradox. All
	// columns with few values are examined anyway.
	Stratifiers []string `json:"stratifiers,omitempty" jsonschema_description:"columns that may explain the difference"`
}

// A Finding is a statement with its rows.
type Finding struct {
	Text  string // the statement, in words
	Claim *Claim // nil: inferred from Text, if that names columns

	// Rows are the rows before aggregation. They are not changed.
	Rows *qed.Table

	// Total is the number of rows before sampling or truncation. 0 means
	// len(Rows.Rows). Truncated rows are never complete.
	Total int

	// Sampled says that Rows were drawn at random from all rows. Otherwise, missing
	// rows are reported as a defect.
	Sampled bool

	// Randomized says that the groups were assigned at random, as in an A/B test.
	// Only then may Text speak of a cause.
	Randomized bool

	// Language is that of the report, such as "de". Empty: that of Text.
	Language string
}

// The codes of refused claims, as targets of errors.Is. Their [refusal.Problem]
// names what may have been meant.
const (
	ErrMissingColumn   = stats.ErrMissingColumn   // the claim names no column where its kind needs one
	ErrUnknownField    = stats.ErrUnknownField    // the rows have no such column
	ErrAmbiguousColumn = stats.ErrAmbiguousColumn // several columns have the name
	ErrFieldType       = stats.ErrFieldType       // the column does not have numbers
	ErrUnknownName     = stats.ErrUnknownName     // there is no such kind, comparison, group or outcome
	ErrTooLarge        = stats.ErrTooLarge        // there are too many groups
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
	maxNameBytes  = 80
	maxCandidates = 10
)

func columnNames(t *qed.Table) []string {
	names := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		names[i] = c.Name
	}
	return names
}

// near returns the names that may have been meant, or else the first ones.
func near(name string, names []string) []string {
	if found := refusal.Nearest(name, names, 3); len(found) > 0 {
		return found
	}
	return slices.Clone(names[:min(len(names), maxCandidates)])
}

// find returns the index of a column. role says what the claim needs it for.
func find(t *qed.Table, role, name string) (int, error) {
	names := columnNames(t)
	if strings.TrimSpace(name) == "" {
		return 0, refuse(ErrMissingColumn, role, near(name, names), "the claim names no column as its %s", role)
	}
	at := slices.Index(names, name)
	switch {
	case at < 0:
		return 0, refuse(ErrUnknownField, name, near(name, names), "the rows have no column %q", prompt.Clip(name, maxNameBytes))
	case slices.Contains(names[at+1:], name):
		return 0, refuse(ErrAmbiguousColumn, name, nil,
			"several columns have the name %q: rename them in the query", prompt.Clip(name, maxNameBytes))
	}
	return at, nil
}

func known[S ~string](what string, got S, all ...S) error {
	if slices.Contains(all, got) {
		return nil
	}
	var names []string
	for _, s := range all {
		names = append(names, string(s))
	}
	return refuse(ErrUnknownName, string(got), names, "there is no %s %q", what, prompt.Clip(string(got), maxNameBytes))
}
