package stats

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/qedkit/qed/internal/numeric"
	"github.com/qedkit/qed/internal/prompt"
	"github.com/qedkit/qed/internal/usertext"
)

// maxNameBytes limits names and values of the data in texts and results.
const maxNameBytes = 80

func clip(s string) string { return prompt.Clip(s, maxNameBytes) }

// quoted is a name or a value of the data for a sentence. It is quoted because the
// data may hold any text.
func quoted(s string) string { return strconv.Quote(clip(s)) }

// figure formats a number with four digits, or a whole number with all digits.
func figure(v float64) string {
	size := math.Abs(v)
	switch {
	case v == 0:
		return "0"
	case size >= 1e15 || size < 1e-4:
		return strconv.FormatFloat(v, 'g', 4, 64)
	case v == math.Trunc(v):
		return grouped(int(v))
	case size >= 1000:
		return grouped(int(math.Round(v)))
	}
	digits := 3 - int(math.Floor(math.Log10(size)))
	text := strconv.FormatFloat(v, 'f', digits, 64)
	if strings.Contains(text, ".") {
		text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
	}
	return text
}

// grouped formats a whole number with commas.
func grouped(n int) string { return usertext.Number(int64(n), ",") }

// ratio formats a share or a coefficient.
func ratio(v float64) string { return strconv.FormatFloat(v, 'f', 2, 64) }

// chance formats a p-value.
func chance(p float64) string {
	if p < 0.001 {
		return "p < 0.001"
	}
	return "p = " + strconv.FormatFloat(p, 'f', 3, 64)
}

// moment formats a time as a date, or with hours and minutes if it has any.
func moment(t time.Time) string {
	if t.Hour() == 0 && t.Minute() == 0 && t.Second() == 0 {
		return t.Format(time.DateOnly)
	}
	return t.Format("2006-01-02 15:04")
}

// sentence describes a column.
func (s *Summary) sentence() string {
	var text string
	switch {
	case s.Numbers != nil:
		n := s.Numbers
		text = fmt.Sprintf("%s has %s from %s to %s, mean %s, median %s, half of them between %s and %s",
			quoted(s.Column), countOf(s.Count, "value"), figure(n.Min), figure(n.Max), figure(n.Mean), figure(n.Median),
			figure(n.Q1), figure(n.Q3))
	case s.Times != nil:
		first, last, zone := s.Times.First, s.Times.Last, ""
		_, offset := first.Zone()
		if _, other := last.Zone(); other != offset { // clocks of different zones cannot be compared
			first, last, zone = first.UTC(), last.UTC(), " in UTC"
		}
		text = fmt.Sprintf("%s runs from %s to %s%s", quoted(s.Column), moment(first), moment(last), zone)
	case s.Texts != nil:
		text = fmt.Sprintf("%s has %s", quoted(s.Column), countOf(s.Distinct, "different value"))
		var top []string
		for _, v := range s.Texts.Top[:min(3, len(s.Texts.Top))] {
			top = append(top, fmt.Sprintf("%s (%s)", quoted(v.Value), grouped(v.Count)))
		}
		if s.Distinct < s.Count {
			text += ", most often " + strings.Join(top, ", ")
		}
	default:
		return fmt.Sprintf("%s is empty.", quoted(s.Column))
	}
	if s.Missing > 0 {
		text += fmt.Sprintf("; %s missing", grouped(s.Missing))
	}
	if s.Other > 0 {
		text += fmt.Sprintf("; %s of another kind left out", countOf(s.Other, "cell"))
	}
	return text + "."
}

// sentence describes the outliers. label names the row of the farthest.
func (o *Outliers) sentence(label string) string {
	switch {
	case o.Unclear != "":
		return fmt.Sprintf("Outliers of %s cannot be determined: %s.", quoted(o.Column), o.Unclear)
	case len(o.Found) == 0:
		return fmt.Sprintf("%s has no outliers (n = %s).", quoted(o.Column), grouped(o.N))
	}
	far := o.Found[0]
	row := fmt.Sprintf("row %d, counted from 0", far.Row)
	if label != "" {
		row = quoted(label)
	}
	return fmt.Sprintf("%s of %s values of %s are far from the rest: %s outside of the fences at %s and %s, "+
		"%s with a modified z-score above %s; the farthest is %s (%s).", grouped(len(o.Found)), grouped(o.N), quoted(o.Column),
		grouped(o.BeyondFences), figure(o.LowFence), figure(o.HighFence), grouped(o.BeyondScore), figure(numeric.MaxScore),
		figure(far.Value), row)
}

func (c *Comparison) sentence() string {
	what := fmt.Sprintf("between the groups of %s", quoted(c.By))
	if c.Unclear != "" {
		return fmt.Sprintf("Whether %s differs %s cannot be determined: %s.", quoted(c.Value), what, c.Unclear)
	}
	test := fmt.Sprintf("(Kruskal-Wallis H = %s, %s, n = %s", figure(c.H), chance(c.P), grouped(c.N))
	if !c.Differ {
		return fmt.Sprintf("%s does not differ significantly %s %s).", quoted(c.Value), what, test)
	}
	var high, low *Group
	small := 0
	for i := range c.Groups {
		switch g := &c.Groups[i]; {
		case g.Small:
			small++
		case high == nil:
			high, low = g, g
		default:
			low = g
		}
	}
	text := fmt.Sprintf("%s differs %s %s, a %s effect of %s): the median is highest for %s with %s (n = %s) "+
		"and lowest for %s with %s (n = %s).", quoted(c.Value), what, test, magnitude(c.Effect), ratio(c.Effect),
		quoted(high.Name), figure(high.Median), grouped(high.N), quoted(low.Name), figure(low.Median), grouped(low.N))
	if small > 0 {
		text += fmt.Sprintf(" %s with fewer than %d values left out.", countOf(small, "group"), minGroup)
	}
	return text
}

// magnitude is the word for an eta squared.
func magnitude(effect float64) string {
	switch {
	case effect < 0.01:
		return "negligible"
	case effect < 0.06:
		return "small"
	case effect < 0.14:
		return "medium"
	}
	return "large"
}

func (c *Correlation) sentence() string {
	how := "are positively correlated"
	if c.Spearman < 0 {
		how = "are negatively correlated"
	}
	return fmt.Sprintf("%s and %s %s (Spearman %s, %s; Pearson %s; n = %s).", quoted(c.A), quoted(c.B), how,
		ratio(c.Spearman), chance(c.SpearmanP), ratio(c.Pearson), grouped(c.N))
}

// what describes the values of the series.
func (s *Series) what() string {
	switch {
	case s.Value == "":
		return "The number of rows"
	case s.Aggregate == Count:
		return "The number of values of " + quoted(s.Value)
	}
	return fmt.Sprintf("The %s of %s", s.Aggregate.word(), quoted(s.Value))
}

// gaps describes the rows that are not in the series, and is empty if all are.
func (s *Series) gaps() string {
	if s.Missing == 0 {
		return ""
	}
	lack := "no " + quoted(s.Time)
	if s.Value != "" {
		lack += " or no " + quoted(s.Value)
	}
	verb := func(n int) string { return []string{"has", "have"}[min(1, n-1)] }
	text := fmt.Sprintf("%s %s %s and are not in the figures over time", countOf(s.Missing, "row"), verb(s.Missing), lack)
	if s.Blank > 0 {
		text += fmt.Sprintf("; %s %s no other rows, so the value is unknown",
			countOf(s.Blank, string(s.Period)), verb(s.Blank))
	}
	return text + "."
}

// word is the name of a in a sentence.
func (a Aggregate) word() string {
	switch a {
	case Min:
		return "minimum"
	case Max:
		return "maximum"
	}
	return string(a)
}

// sentence describes the trend.
func (t *Trend) sentence(s *Series) string {
	what := fmt.Sprintf("%s per %s", s.what(), s.Period)
	if t.Unclear != "" {
		return fmt.Sprintf("%s: a trend cannot be determined: %s.", what, t.Unclear)
	}
	span := fmt.Sprintf("from %s to %s", moment(s.Points[0].Start), moment(s.Points[len(s.Points)-1].Start))
	if s.CutFirst || s.CutLast {
		span += fmt.Sprintf(", without the %ss at the ends that may not be complete", s.Period)
	}
	test := fmt.Sprintf("Mann-Kendall %s, n = %s", chance(t.P), countOf(t.N, string(s.Period)))
	if t.Direction == Flat {
		return fmt.Sprintf("%s shows no trend %s (%s).", what, span, test)
	}
	return fmt.Sprintf("%s is %s %s: %s a %s (95 %% interval %s to %s), from about %s to %s (%s).",
		what, t.Direction, span,
		figure(t.Slope), s.Period, figure(t.SlopeLow), figure(t.SlopeHigh), figure(t.Start), figure(t.End), test)
}

func (s *Seasonality) sentences() []string {
	var found, none, unclear []string
	for _, c := range s.Cycles {
		switch {
		case c.Unclear != "":
			unclear = append(unclear, fmt.Sprintf("the %s (%s)", c.Name, c.Unclear))
		case !c.Found:
			none = append(none, fmt.Sprintf("the %s (%s)", c.Name, chance(c.P)))
		default:
			high, low := c.Phases[0], c.Phases[0]
			for _, p := range c.Phases {
				if p.Effect > high.Effect {
					high = p
				}
				if p.Effect < low.Effect {
					low = p
				}
			}
			found = append(found, fmt.Sprintf("It follows the %s (strength %s of 1, %s, %s cycles): "+
				"highest for %s (median %s), lowest for %s (median %s).", c.Name, ratio(c.Strength), chance(c.P), figure(math.Floor(c.Cycles)),
				high.Name, figure(high.Median), low.Name, figure(low.Median)))
		}
	}
	if len(none) > 0 {
		found = append(found, "It does not follow "+strings.Join(none, ", ")+".")
	}
	if len(unclear) > 0 {
		found = append(found, "These cycles cannot be determined: "+strings.Join(unclear, ", ")+".")
	}
	return found
}
