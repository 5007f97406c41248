package stats

import (
	"context"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/column"
	"github.com/qedkit/qed/internal/prompt"
	"github.com/qedkit/qed/internal/usertext"
)

// texts are the sentences of a result's text, which a user reads if a plan ends with the
// tool. They have what stands out; a model reads the figures themselves.
type texts struct {
	Rows   string // {n} rows were analysed
	NotAll string // {reason}: Drawn, First, or what the rows themselves say
	Exact  string // which figures of a sample are those of all rows

	Drawn string // {n} rows were drawn from {total}
	First string // there are more than {n} rows

	Numbers      string // {column} has {n} values
	Times        string // {column} runs from {first} to {last}
	Values       string // {column} has {n} different texts
	MostOften    string // and {value} is the most frequent one
	Empty        string // {column} has no values
	Missing      string // {n} values of {column} are missing
	Outliers     string
	OutliersNone string
	Differ       string // the groups of {by}
	DifferNot    string
	Correlated   string
	Rises        string
	Falls        string
	Flat         string
	Follows      string // {value} follows the {cycle}
	NoRhythm     string // it follows none of the {cycles} that could be tested
	NotInSeries  string // {n} rows have no time or value
	Cut          string // the first or the last period was left out
	Unclear      string // the rows allow no conclusion on {subject}

	Trend, GroupsOf, OutliersOf string // subjects of Unclear
	RowNumber                   string // of an outlier without a name
	CountOfRows                 string
	Aggregates                  string // the words for count, sum, mean, median, min and max
	CycleNames                  string // in the order of cycles, with commas

	Thousands, Decimal string // the signs in a number
}

var textTable = usertext.Of[texts]("stats")

func textsOf(ctx context.Context) *texts { return textTable.In(ctx, qed.Info(ctx).Language) }

// clip limits names and values of the data in texts and results.
func clip(s string) string { return prompt.Clip(s, column.MaxName) }

// quoted is a name or a value of the data for a sentence. It is quoted because the
// data may hold any text.
func quoted(s string) string { return strconv.Quote(clip(s)) }

// grouped formats a whole number with commas.
func grouped(n int) string { return usertext.Number(int64(n), ",") }

func (t *texts) count(n int) string { return usertext.Number(int64(n), t.Thousands) }

// figure formats a number with four digits, or a whole number with all digits.
func (t *texts) figure(v float64) string {
	size := math.Abs(v)
	switch {
	case v == 0:
		return "0"
	case size >= 1e15 || size < 1e-4:
		return t.decimal(strconv.FormatFloat(v, 'g', 4, 64))
	case v == math.Trunc(v) || size >= 1000:
		return t.count(int(math.Round(v)))
	}
	text := strconv.FormatFloat(v, 'f', 3-int(math.Floor(math.Log10(size))), 64)
	if strings.Contains(text, ".") {
		text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
	}
	return t.decimal(text)
}

// ratio formats a coefficient.
func (t *texts) ratio(v float64) string { return t.decimal(strconv.FormatFloat(v, 'f', 2, 64)) }

// chance formats a p-value.
func (t *texts) chance(p float64) string {
	if p < 0.001 {
		return t.decimal("p < 0.001")
	}
	return t.decimal("p = " + strconv.FormatFloat(p, 'f', 3, 64))
}

func (t *texts) decimal(number string) string { return strings.Replace(number, ".", t.Decimal, 1) }

// moment formats a time as a date, or with hours and minutes if it has any.
func moment(t time.Time) string {
	if t.Hour() == 0 && t.Minute() == 0 && t.Second() == 0 {
		return t.Format(time.DateOnly)
	}
	return t.Format("2006-01-02 15:04")
}

// basis is the first sentence of a result's text.
func (t *texts) basis(b *basis) string {
	text := usertext.Fill(t.Rows, "n", t.count(b.RowCount))
	if reason := t.missing(b); reason != "" {
		text += " " + usertext.Fill(t.NotAll, "reason", reason)
	}
	return text
}

// missing is why rows that are computed from these cover a part of the data only,
// and empty if they cover all of it.
func (t *texts) missing(b *basis) string {
	var parts []string
	switch {
	case b.Total > 0:
		parts = append(parts, usertext.Fill(t.Drawn, "n", t.count(b.RowCount), "total", t.count(b.Total)))
	case b.Truncated:
		parts = append(parts, usertext.Fill(t.First, "n", t.count(b.RowCount)))
	}
	if b.Partial != "" {
		parts = append(parts, b.Partial)
	}
	return strings.Join(parts, "; ")
}

// summary describes a column.
func (t *texts) summary(s *Summary) string {
	name := quoted(s.Column)
	var text string
	switch {
	case s.Numbers != nil:
		n := s.Numbers
		text = usertext.Fill(t.Numbers, "column", name, "n", t.count(s.Count), "min", t.figure(n.Min), "max", t.figure(n.Max),
			"mean", t.figure(n.Mean), "median", t.figure(n.Median))
	case s.Times != nil:
		first, last, zone := s.Times.First, s.Times.Last, ""
		_, offset := first.Zone()
		if _, other := last.Zone(); other != offset { // clocks of different zones cannot be compared
			first, last, zone = first.UTC(), last.UTC(), " UTC"
		}
		text = usertext.Fill(t.Times, "column", name, "first", moment(first), "last", moment(last)+zone)
	case s.Texts != nil:
		text = usertext.Fill(t.Values, "column", name, "n", t.count(s.Distinct))
		if top := s.Texts.Top; s.Distinct < s.Count {
			text += " " + usertext.Fill(t.MostOften, "value", quoted(top[0].Value), "n", t.count(top[0].Count))
		}
	default:
		return usertext.Fill(t.Empty, "column", name)
	}
	if s.Missing > 0 {
		text += " " + usertext.Fill(t.Missing, "column", name, "n", t.count(s.Missing))
	}
	return text
}

func (t *texts) unclear(subject, value string) string {
	return usertext.Fill(t.Unclear, "subject", usertext.Fill(subject, "value", value))
}

// outliers describes the outliers. label names the row of the farthest.
func (t *texts) outliers(o *Outliers, label string) string {
	name := quoted(o.Column)
	switch {
	case o.Unclear != "":
		return t.unclear(t.OutliersOf, name)
	case len(o.Found) == 0:
		return usertext.Fill(t.OutliersNone, "column", name)
	}
	far := o.Found[0]
	row := usertext.Fill(t.RowNumber, "n", strconv.Itoa(far.Row))
	if label != "" {
		row = quoted(label)
	}
	return usertext.Fill(t.Outliers, "column", name, "n", t.count(len(o.Found)), "all", t.count(o.N),
		"value", t.figure(far.Value), "row", row)
}

func (t *texts) comparison(c *Comparison) string {
	value, by, p := quoted(c.Value), quoted(c.By), t.chance(c.P)
	switch {
	case c.Unclear != "":
		return t.unclear(t.GroupsOf, value)
	case !c.Differ:
		return usertext.Fill(t.DifferNot, "value", value, "by", by, "p", p)
	}
	var high, low *Group
	for i := range c.Groups {
		if g := &c.Groups[i]; !g.Small {
			low = g
			if high == nil {
				high = g
			}
		}
	}
	return usertext.Fill(t.Differ, "value", value, "by", by, "p", p, "effect", t.ratio(c.Effect),
		"high", quoted(high.Name), "most", t.figure(high.Median), "low", quoted(low.Name), "least", t.figure(low.Median))
}

func (t *texts) correlation(c *Correlation) string {
	return usertext.Fill(t.Correlated, "a", quoted(c.A), "b", quoted(c.B), "rank", t.ratio(c.Spearman), "r", t.ratio(c.Pearson),
		"p", t.chance(c.SpearmanP))
}

// values names the values of a series, such as "delay" (mean).
func (t *texts) values(s *Series) string {
	if s.Value == "" {
		return t.CountOfRows
	}
	return quoted(s.Value) + " (" + strings.Fields(t.Aggregates)[slices.Index(aggregates, s.Aggregate)] + ")"
}

func (t *texts) trend(s *Series, trend *Trend) string {
	value, text := t.values(s), t.Flat
	switch trend.Direction {
	case Unknown:
		return t.unclear(t.Trend, "")
	case Rising:
		text = t.Rises
	case Falling:
		text = t.Falls
	}
	text = usertext.Fill(text, "value", value, "first", moment(s.Points[0].Start), "last", moment(s.Points[len(s.Points)-1].Start),
		"from", t.figure(trend.Start), "to", t.figure(trend.End), "p", t.chance(trend.P))
	if s.CutFirst || s.CutLast {
		text += " " + t.Cut
	}
	return text
}

// cycles has a sentence for each cycle that was found, or one for those that were tested.
func (t *texts) cycles(s *Series, all []Cycle) []string {
	var found, none []string
	for i, name := range strings.Split(t.CycleNames, ", ") {
		switch c := &all[i]; {
		case c.Found:
			found = append(found, usertext.Fill(t.Follows, "value", t.values(s), "cycle", name,
				"strength", t.ratio(c.Strength), "p", t.chance(c.P)))
		case c.Unclear == "":
			none = append(none, name)
		}
	}
	if len(found) == 0 && len(none) > 0 {
		found = append(found, usertext.Fill(t.NoRhythm, "value", t.values(s), "cycles", strings.Join(none, ", ")))
	}
	return found
}
