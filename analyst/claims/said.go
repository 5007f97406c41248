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

// said leaves a finding open that states numbers which are neither in its claim and its query
// nor among those that the checks computed: they were not checked.
func (c *checker) said(f *Finding) {
	claim := c.Claim
	if claim == nil {
		return
	}
	var known figures.Set
	known.Add("", claim)
	known.Add("", f.Query)
	known.Add("", []int{c.Rows, c.Total})
	for _, check := range c.Checks {
		known.Add("", check.Figures)
	}
	var forms []float64 // of a part
	switch {
	case claim.Kind == Most:
		forms = []float64{0.5}
	case claim.Value != nil && slices.Contains([]Kind{Share, Growth, Ratio}, claim.Kind):
		v := *claim.Value
		forms = []float64{v, 1 - v, 1 + v, v - 1}
	}
	known.Add("", forms)
	if claim.OfResult() && c.metric >= 0 {
		for _, row := range c.table.Rows {
			if c.by < 0 || c.isNamed(row[c.by]) {
				known.Add(claim.Metric, row[c.metric])
			}
		}
	}
	text := withDigits(f.Text)
	other := lists.Map(known.Missing(text, figures.StyleOf(text)), func(n figures.Number) string { return n.Text })
	isForm := func(value, slack float64) bool {
		return slices.ContainsFunc(forms, func(x float64) bool { return math.Abs(x-value) <= slack*value })
	}
	for _, n := range figures.Find(text, figures.StyleOf(text)) {
		if slices.ContainsFunc(strings.Split(text, n.Text)[1:], isTimes.MatchString) && !isForm(n.Value, 0.05) {
			other = append(other, n.Text)
		}
	}
	for _, p := range spelledParts {
		if word := p.words.FindString(f.Text); word != "" && !isForm(p.value, 0.12) {
			other = append(other, word)
		}
	}
	if len(other) > 0 {
		c.add(CheckValue, Open, fill(c.t.OtherNumber, "said", list(other)))
	}
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
)

// spelledParts are words for parts and multiples.
var spelledParts = []struct {
	value float64
	words *regexp.Regexp
}{
	{2, regexp.MustCompile(`(?i)doubl|twice|doppel|zweimal`)},
	{3, regexp.MustCompile(`(?i)trebl|tripl|dreifach|dreimal`)},
	{4, regexp.MustCompile(`(?i)quadrupl|vierfach|viermal`)},
	{1. / 2, regexp.MustCompile(`(?i)\bhal(?:f|ves|ved)\b|\bhalb(?:e[nrs]?|iert)?\b|hälfte`)},
	{1. / 3, regexp.MustCompile(`(?i)\b(?:an?|one|every) third\b|\bein\pL* drittel|\bjede[nrs]? dritte`)},
	{2. / 3, regexp.MustCompile(`(?i)two[ -]thirds|zwei drittel`)},
	{1. / 4, regexp.MustCompile(`(?i)\b(?:an?|one|every) (?:quarter|fourth) of|\bein\pL* viertel|\bjede[nrs]? vierte`)},
	{3. / 4, regexp.MustCompile(`(?i)three[ -](?:quarters|fourths)|drei ?viertel`)},
	{1. / 5, regexp.MustCompile(`(?i)\b(?:an?|one|every) fifth\b|\bein\pL* fünftel|\bjede[nrs]? fünfte`)},
	{1. / 10, regexp.MustCompile(`(?i)\b(?:an?|one|every) tenth\b|\bein\pL* zehntel|\bjede[nrs]? zehnte`)},
}
