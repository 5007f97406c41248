package claims

import (
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/qedkit/qed/figures"
	"github.com/qedkit/qed/internal/column"
	"github.com/qedkit/qed/internal/lists"
	"github.com/qedkit/qed/internal/numeral"
)

// said leaves a finding open if it says a number that was not checked. Checked are the value
// of the claim and what the checks computed. If the finding says one of these, it may also say
// numbers of the query and of the rows of the claim's groups, but no other percentage.
func (c *checker) said(f *Finding) {
	claim := c.Claim
	if claim == nil {
		return
	}
	parts, multiples := claim.forms(f.Text)
	var computed, around figures.Set
	computed.Add("", claim)
	computed.Add("", parts)
	for _, check := range c.Checks {
		computed.Add("", check.Figures)
	}
	around.Add("", f.Query)
	around.Add("", []int{c.Rows, c.Total})
	if claim.OfResult() && c.metric >= 0 {
		for _, row := range c.table.Rows {
			if c.by < 0 || c.isNamed(row[c.by]) {
				around.Add(claim.Metric, row[c.metric])
			}
		}
	}
	text := withDigits(f.Text)
	style := figures.StyleOf(text)
	open := computed.Missing(text, style)
	some := len(open) < len((&figures.Set{}).Missing(text, style)) // a number is computed

	var other []string
	for _, p := range spelledParts {
		word := p.words.FindString(halfOfYear.ReplaceAllString(f.Text, " "))
		switch isPart := isNear(p.value, parts, 0.12); {
		case word == "":
		case isPart || isNear(p.value, multiples, 0.12):
			some = true
		default:
			other = append(other, word)
		}
	}
	for _, n := range open {
		isMultiple := slices.ContainsFunc(strings.Split(text, n.Text)[1:], isTimes.MatchString)
		switch {
		case isMultiple && isNear(n.Value, multiples, 0.05):
			some = true
		case n.Percent, isMultiple && multiples != nil, len(around.Missing(n.Text, style)) > 0:
			other = append(other, n.Text)
		}
	}
	if !some && (claim.Value != nil || claim.Count != nil) {
		for _, n := range open {
			if !slices.ContainsFunc(strings.Split(text, n.Text)[1:], isSpan.MatchString) {
				other = lists.Add(other, n.Text)
			}
		}
	}
	if len(other) > 0 {
		c.add(CheckValue, Open, fill(c.t.OtherNumber, "said", list(other)))
	}
}

// forms returns how a text may say the value of a claim: as a part or a percentage, and as a
// multiple.
func (c *Claim) forms(text string) (parts, multiples []float64) {
	if c.Kind == Most {
		return []float64{0.5}, nil
	}
	if c.Value == nil {
		return nil, nil
	}
	v := *c.Value
	switch c.Kind {
	case Share:
		if parts = []float64{v}; saysRest.MatchString(text) {
			parts = append(parts, 1-v)
		}
	case Growth:
		if parts, multiples = []float64{math.Abs(v)}, []float64{1 + v}; saysOf.MatchString(text) {
			parts = append(parts, 1+v)
		}
	case Ratio:
		if parts, multiples = []float64{v}, []float64{v}; saysAbove.MatchString(text) {
			parts = []float64{math.Abs(v - 1)}
		}
	}
	return parts, multiples
}

// isNear reports whether a value is one of others, within a part of it.
func isNear(value float64, others []float64, slack float64) bool {
	return slices.ContainsFunc(others, func(x float64) bool { return math.Abs(x-value) <= slack*value })
}

// isNamed reports whether a cell is the name of a group of the claim.
func (c *checker) isNamed(cell any) bool {
	name, ok := column.Text(cell)
	return ok && slices.Contains(c.Claim.Groups, name)
}

// withDigits returns a text whose numbers above twelve and percentages have digits.
func withDigits(text string) string {
	var out strings.Builder
	end := 0
	for _, n := range numeral.Find(text) {
		if !n.Ordinal && (n.Value > 12 || isPercent.MatchString(text[n.End:])) {
			out.WriteString(text[end:n.Begin] + strconv.FormatInt(n.Value, 10))
			end = n.End
		}
	}
	return out.String() + text[end:]
}

var (
	isPercent = regexp.MustCompile(`(?i)^[\s-]*(?:%|per ?cent|prozent)`)
	isTimes   = regexp.MustCompile(`^\s?-?(?:fold|times|x|×|mal|fache?[nrs]?)(?:\PL|$)`)
	isSpan    = regexp.MustCompile(`(?i)^\s*(?:(?:hour|day|week|month|quarter|year)s?|` +
		`stunden?|tage?n?|wochen?|monate?n?|quartale?n?|jahre?n?)\b`)

	saysRest  = regexp.MustCompile(`(?i)(?:^|\PL)(?:not?|without|other|others|rest|remaining|nicht|kein\pL*|ohne|ander\pL*|übrig\pL*|restlich\pL*)\b`)
	saysOf    = regexp.MustCompile(`(?i)(?:%|percent|prozent) (?:of|as|des|der|von)\b|\b(?:to|auf) [\d.,]+ ?(?:%|percent|prozent)`)
	saysAbove = regexp.MustCompile(`(?i)(?:^|\PL)(?:above|more|higher|larger|below|less|lower|fewer|` +
		`mehr|weniger|über|unter|höher|größer|niedriger)\b`)

	halfOfYear = regexp.MustCompile(`(?i)\b(?:first|second|erste[nrs]?|zweite[nrs]?) (?:half|hälfte)\b`)
)

// spelledParts are words for parts and multiples.
var spelledParts = []struct {
	value float64
	words *regexp.Regexp
}{
	{2, regexp.MustCompile(`(?i)\b(?:doubled|doubles|doubling|double (?:the|that|those)|twice|doppelt|(?:das|auf das) doppelte|verdoppel\pL+)\b`)},
	{3, regexp.MustCompile(`(?i)\b(?:trebled?|tripled?|triples|dreifach\pL*|verdreifach\pL+)\b`)},
	{4, regexp.MustCompile(`(?i)\b(?:quadrupled?|vierfach\pL*|vervierfach\pL+)\b`)},
	{1. / 2, regexp.MustCompile(`(?i)\bhal(?:f (?:of|the|as)|ved|ves)\b|\bhälfte (?:der|des|aller|von)\b|\bhalbiert`)},
	{1. / 3, regexp.MustCompile(`(?i)\b(?:a|one) third of|\bby (?:a|one) third\b|\bein\pL* drittel`)},
	{2. / 3, regexp.MustCompile(`(?i)two[ -]thirds|zwei drittel`)},
	{1. / 4, regexp.MustCompile(`(?i)\b(?:a|one) (?:quarter|fourth) of|\bby (?:a|one) (?:quarter|fourth)\b|\bein\pL* viertel (?:der|des|aller|von)`)},
	{3. / 4, regexp.MustCompile(`(?i)three[ -](?:quarters|fourths)|drei ?viertel`)},
	{1. / 5, regexp.MustCompile(`(?i)\b(?:a|one) fifth of|\bby (?:a|one) fifth\b|\bein\pL* fünftel`)},
	{1. / 10, regexp.MustCompile(`(?i)\b(?:a|one) tenth of|\bby (?:a|one) tenth\b|\bein\pL* zehntel`)},
}
