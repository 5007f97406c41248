package claims

import (
	"context"
	"math"
	"slices"
	"strings"

	"github.com/qedkit/qed/dates"
	"github.com/qedkit/qed/internal/numeric"
)

// A Reason is why a finding is [dates.NotChecked].
type Reason string

const (
	Doubt     Reason = "doubt"     // the rows agree with it, and a check warns
	Chance    Reason = "chance"    // chance explains the rows
	Undecided Reason = "undecided" // no test decided, or one that was asked for was not possible
)

// An Outcome is the result of one check.
type Outcome string

const (
	Pass Outcome = "pass"
	Warn Outcome = "warn"
	Fail Outcome = "fail"
	Open Outcome = "open" // what was asked for could not be checked
)

// The names of checks.
const (
	CheckRows        = "rows"        // all rows, or a random sample
	CheckSize        = "sample_size" // enough rows, and how wide the interval of a share is
	CheckDifference  = "difference"  // the test of the claim
	CheckGroups      = "groups"      // pairs of several groups
	CheckCorrelation = "correlation"
	CheckShare       = "share"
	CheckOutliers    = "outliers"
	CheckMissing     = "missing" // values of the metric that are missing
	CheckSimpson     = "simpson"
	CheckValue       = "value"        // the number of the finding and that of the query
	CheckCopies      = "copies"       // rows that are there more than once by mistake
	CheckUnits       = "units"        // mixed units, and one value that makes the sum
	CheckPeriods     = "periods"      // periods that are broken or incomplete
	CheckTrend       = "shared_trend" // two series whose changes do not go together
	CheckCausal      = "causal_wording"
)

// A Report is the result of checking a finding. Its JSON decodes to an equal Report.
type Report struct {
	// Verdict is Proved if the rows are significant or equal and no check objects, Contradicted if
	// they show the opposite or another cause of the difference, and NotChecked if they decide
	// nothing: see Reason.
	Verdict dates.Verdict `json:"verdict"`
	Text    string        `json:"text"`             // the verdict and what the checks object to, in sentences
	Reason  Reason        `json:"reason,omitempty"` // empty unless Verdict is NotChecked
	Finding string        `json:"finding"`

	// Claim is what was checked, nil if nothing was.
	Claim *Claim `json:"claim,omitempty"`

	Rows  int `json:"rows"`
	Total int `json:"total"`

	// P is the p-value of the test that decides, nil without one. AdjustedP is P
	// after Benjamini and Hochberg for all Tests of the session.
	P         *float64 `json:"p,omitempty"`
	AdjustedP *float64 `json:"adjusted_p,omitempty"`
	Tests     int      `json:"tests"`

	Checks  []CheckResult  `json:"checks"`
	Skipped []SkippedCheck `json:"skipped"` // not possible for these rows

	Language string `json:"language"`
}

// A CheckResult is the result of one check of a [Report].
type CheckResult struct {
	Name    string             `json:"name"`
	Outcome Outcome            `json:"outcome"`
	Text    string             `json:"text"`
	Figures map[string]float64 `json:"figures,omitempty"`
}

// A SkippedCheck is a check of a [Report] that was not possible.
type SkippedCheck struct {
	Name   string `json:"name"`
	Reason string `json:"reason"`
}

// Significance levels.
const (
	level       = 0.05
	strictLevel = 0.01 // of what nobody claimed, such as missing data
)

func (r *Report) texts(ctx context.Context) *texts { return textTable.In(ctx, r.Language) }

// add adds a check. figures are names and values in turn; values that are not
// finite are left out.
func (r *Report) add(name string, outcome Outcome, text string, figures ...any) {
	c := CheckResult{Name: name, Outcome: outcome, Text: text}
	for i := 0; i+1 < len(figures); i += 2 {
		v := figures[i+1].(float64)
		if math.IsNaN(v) {
			continue
		}
		if c.Figures == nil {
			c.Figures = map[string]float64{}
		}
		c.Figures[figures[i].(string)] = numeric.Finite(v)
	}
	r.Checks = append(r.Checks, c)
}

func (r *Report) skip(name, reason string) {
	r.Skipped = append(r.Skipped, SkippedCheck{Name: name, Reason: reason})
}

// setVerdict sets the verdict for an adjusted p-value, which is nil without a test.
func (r *Report) setVerdict(ctx context.Context, adjusted *float64, tests int) {
	r.AdjustedP, r.Tests = adjusted, tests
	has := func(o Outcome) bool {
		return slices.ContainsFunc(r.Checks, func(c CheckResult) bool { return c.Outcome == o })
	}
	counted := slices.ContainsFunc(r.Checks, func(c CheckResult) bool { return c.Name == CheckShare || c.Name == CheckValue })
	t := r.texts(ctx)
	var first string
	r.Verdict, r.Reason = dates.NotChecked, ""
	switch {
	case adjusted != nil && *adjusted >= level:
		r.Reason, first = Chance, fill(t.Unsupported, "p", t.chance(*adjusted))
		if r.P != nil && *r.P < level {
			first = fill(t.ManyTests, "p", t.chance(*r.P), "adjusted", t.chance(*adjusted), "tests", count(tests))
		}
	case has(Fail):
		r.Verdict, first = dates.Contradicted, t.Contradicted
	case adjusted == nil && !counted, has(Open):
		r.Reason, first = Undecided, t.Unchecked
	case has(Warn):
		r.Reason, first = Doubt, t.Doubtful
	default:
		r.Verdict, first = dates.Proved, t.Supported
	}
	text := []string{first}
	for _, o := range []Outcome{Fail, Open, Warn} {
		for _, c := range r.Checks {
			if c.Outcome == o {
				text = append(text, c.Text)
			}
		}
	}
	if adjusted == nil && !counted {
		for _, u := range r.Skipped {
			text = append(text, fill(t.NotChecked, "reason", u.Reason))
		}
	}
	r.Text = strings.Join(text, " ")
}

func (r *Report) clone() *Report {
	c := *r
	c.Checks, c.Skipped = slices.Clone(r.Checks), slices.Clone(r.Skipped)
	return &c
}
