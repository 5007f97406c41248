package profile

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/qedkit/qed/internal/column"
	"github.com/qedkit/qed/internal/numeric"
	"github.com/qedkit/qed/internal/prompt"
)

const (
	topValues = 10
	bins      = 10
	crowded   = 0.95 // share of the numbers in one of equal bins that hides the others
)

// profile returns what the collector found in the column with the name.
func (c *collector) profile(name string, opt Options) Column {
	kind, missing, other := column.Decide(c.classes)
	out := Column{
		Name:   name,
		Type:   prompt.Clip(c.columnType, maxText),
		Kind:   Kind(kind),
		Values: c.rows - missing - other,
		Blanks: c.classes[column.CellMissing] - c.nulls,
		Other:  other,
	}
	if !opt.OmitNulls {
		nulls := c.nulls
		out.Nulls = &nulls
	}
	values := c.of(kind)
	out.Distinct = Figure{Value: min(out.Values, len(values)<<c.values.level), Estimate: !c.values.exact()}
	var ends extremes
	switch {
	case kind == column.Numbers:
		ends = c.numbers
		c.describeNumbers(&out, values, opt)
	case kind == column.Times:
		ends = c.times
	case kind == column.Texts && c.textCells == out.Values:
		ends = c.texts
	}
	if ends.min != nil {
		out.Min, out.Max = ends.min.copy().cell, ends.max.copy().cell
	}
	top := c.top(kind, values)
	if len(top) > 0 && (top[0].Rows > 1 || out.Values == 1) {
		out.Mode = &top[0]
	}
	if opt.IncludeDistribution {
		out.Top = top
	}
	out.Problems = append(out.Problems, c.problems(&out, kind)...)
	return out
}

// counts reports whether a cell of a class is a value of a column of a kind.
func counts(kind column.Kind, class column.Class) bool {
	switch kind {
	case column.Numbers:
		return class == column.CellNumber
	case column.Times:
		return class == column.CellTime
	}
	return true
}

// of returns the values of the kind of the column.
func (c *collector) of(kind column.Kind) []*value {
	var out []*value
	for _, v := range c.values.values {
		if counts(kind, v.class) {
			out = append(out, v)
		}
	}
	return out
}

// top returns the most frequent values, or nothing if values is a sample.
func (c *collector) top(kind column.Kind, values []*value) (top []Count) {
	switch {
	case c.frequent != nil:
		values = slices.Concat(c.frequent...)
	case !c.values.exact():
		return nil
	}
	for _, v := range values {
		if counts(kind, v.class) {
			top = append(top, Count{Value: v.cell, Rows: v.count})
		}
	}
	slices.SortFunc(top, func(a, b Count) int {
		return cmp.Or(cmp.Compare(b.Rows, a.Rows), compare(a.Value, b.Value))
	})
	return top[:min(len(top), topValues)]
}

// compare orders cells of a column.
func compare(a, b any) int {
	switch a := a.(type) {
	case string:
		if b, ok := b.(string); ok {
			return cmp.Compare(a, b)
		}
	case int64:
		if b, ok := b.(int64); ok {
			return cmp.Compare(a, b)
		}
	case float64:
		if b, ok := b.(float64); ok {
			return cmp.Compare(a, b)
		}
	}
	return cmp.Compare(fmt.Sprint(a), fmt.Sprint(b))
}

// describeNumbers adds the figures of numbers.
func (c *collector) describeNumbers(out *Column, values []*value, opt Options) {
	mean := numeric.Finite(c.sum.Mean())
	out.Mean = &mean
	var w *weighted
	drawn := 0
	if c.values.exact() {
		w = newWeighted(values)
	} else {
		values = values[:0:0]
		for _, v := range c.drawn {
			values = append(values, &value{info: info{number: v}, count: 1})
		}
		w = newWeighted(values)
		if drawn = len(c.drawn); drawn == out.Values {
			drawn = 0
		}
	}
	q := &Quantiles{P05: w.quantile(0.05), Q1: w.quantile(0.25), Median: w.quantile(0.5), Q3: w.quantile(0.75), P95: w.quantile(0.95), Sample: drawn}
	out.Quantiles = q
	low, high := c.numbers.min.number, c.numbers.max.number
	if w.total >= numeric.MinOutlierValues && low < high {
		a, b := numeric.Fences(q.Q1, q.Q3)
		if q.Q1 < q.Q3 {
			out.OutliersIQR = w.outliers(a, b, out.Values, drawn > 0)
		} else {
			out.OutliersIQR = &Outliers{Low: low, High: high}
		}
		away := w.deviations(q.Median)
		far := numeric.MaxScore * numeric.ScoreUnit(away.quantile(0.5), away.mean())
		out.OutliersMAD = w.outliers(numeric.Finite(q.Median-far), numeric.Finite(q.Median+far), out.Values, drawn > 0)
	}
	if opt.IncludeDistribution {
		out.Histogram = w.histogram(low, high, out.Values, drawn > 0)
	}
	if column.IsIdentifier(out.Name) || column.IsCalendar(out.Name) {
		return
	}
	out.Problems = w.suspects(out, drawn > 0)
}

const (
	minSuspect   = 30   // numbers that are examined
	fewNegatives = 0.05 // share of the numbers that are negative by mistake at most
	farMean      = 2    // times the distance of the quartiles that the mean is from the median
)

// suspects returns what is odd about numbers.
func (w *weighted) suspects(out *Column, estimate bool) (problems []Problem) {
	add := func(kind ProblemKind, count int, format string, args ...any) {
		problems = append(problems, Problem{Kind: kind, Count: count, Message: fmt.Sprintf(format, args...)})
	}
	if w.total < minSuspect {
		return nil
	}
	factor, n := numeric.MixedUnits(w.numbers, w.rows)
	if n > 0 {
		n = w.scaled(n, out.Values)
		add(MixedUnits, n, "%d numbers differ from the others by a factor of about %g, as if they had another unit", n, factor)
	}
	one := 0.0
	if !estimate {
		one = numeric.Dominant(w.numbers, w.rows)
	}
	q, mean := out.Quantiles, *out.Mean
	switch far := math.Abs(mean - q.Median); {
	case n > 0: // which explains the mean
	case one > 0:
		add(OneValueMakesMean, 1, "one number is %.0f %% of the sum of all", 100*one)
	case q.Q1 < q.Q3 && far > farMean*(q.Q3-q.Q1):
		add(MeanFarFromMedian, out.Values, "the mean is %.3g and the median %.3g: a few numbers make the mean", mean, q.Median)
	}
	negative := w.scaled(w.count(func(v float64) bool { return v < 0 }), out.Values)
	if negative > 0 && float64(negative) <= fewNegatives*float64(out.Values) {
		add(NegativeValues, negative, "%d of %d numbers are negative", negative, out.Values)
	}
	return problems
}

// scaled returns a number of rows of w as one of all rows.
func (w *weighted) scaled(n, all int) int {
	if w.total == all {
		return n
	}
	return int(math.Round(float64(n) * float64(all) / float64(w.total)))
}

func (w *weighted) outliers(low, high float64, all int, estimate bool) *Outliers {
	n := w.count(func(v float64) bool { return v < low || v > high })
	return &Outliers{Low: low, High: high, Count: w.scaled(n, all), Estimate: estimate}
}

func (w *weighted) histogram(low, high float64, all int, estimate bool) []Bin {
	if low == high {
		return []Bin{{From: low, To: high, Count: w.scaled(w.total, all), Estimate: estimate}}
	}
	edges := make([]float64, bins+1)
	for i := range edges {
		edges[i] = low*(1-float64(i)/bins) + high*(float64(i)/bins)
	}
	edges[bins] = high
	out := w.inBins(edges, all, estimate)
	fullest := slices.MaxFunc(out, func(a, b Bin) int { return cmp.Compare(a.Count, b.Count) })
	if float64(fullest.Count) < crowded*float64(all) || len(w.numbers) <= bins {
		return out
	}
	for i := 1; i < bins; i++ {
		edges[i] = w.quantile(float64(i) / bins)
	}
	edges[0] = low
	return w.inBins(slices.Compact(edges), all, estimate)
}

// inBins counts the numbers between edges.
func (w *weighted) inBins(edges []float64, all int, estimate bool) []Bin {
	out := make([]Bin, len(edges)-1)
	for i := range out {
		out[i] = Bin{From: edges[i], To: edges[i+1], Estimate: estimate}
	}
	at := 0
	for i, v := range w.numbers {
		for at < len(out)-1 && v >= out[at].To {
			at++
		}
		out[at].Count += w.rows[i]
	}
	for i := range out {
		out[i].Count = w.scaled(out[i].Count, all)
	}
	return out
}

// minAsText is the number of texts from which they can be numbers.
const minAsText = 5

// problems returns what may be wrong with the data.
func (c *collector) problems(out *Column, kind column.Kind) (problems []Problem) {
	add := func(kind ProblemKind, count int, message string) {
		if count > 0 {
			problems = append(problems, Problem{Kind: kind, Count: count, Message: message})
		}
	}
	if kind == column.Empty {
		add(AllMissing, c.rows, "no row has a value")
		return problems
	}
	if out.Values > 1 && out.Distinct.Value == 1 && out.Other == 0 {
		add(Constant, out.Values, fmt.Sprintf("all %d values are equal", out.Values))
	}
	add(MixedTypes, out.Other, fmt.Sprintf("%d values are not %s", out.Other, kind))
	if written := c.local + c.numeric; kind == column.Texts && c.local > 0 && out.Values >= minAsText && 10*written >= 9*out.Values {
		add(NumbersAsText, written, fmt.Sprintf("%d of %d texts are numbers with a decimal comma, separators or a unit: "+
			"a sum or an order of them is wrong", written, out.Values))
	} else if kind == column.Texts {
		// In a column of names a few numbers are no problem.
		alike := max(c.numeric+c.classes[column.CellNumber], c.classes[column.CellTime], c.classes[column.CellBoolean])
		if 2*alike >= out.Values && alike < out.Values {
			add(MixedTypes, out.Values-alike, fmt.Sprintf("%d of %d values are numbers, times or booleans, and the others are not of that kind", alike, out.Values))
		}
	}
	add(Placeholders, c.classes[column.CellPlaceholder], fmt.Sprintf("%d cells are placeholders for a missing value", c.classes[column.CellPlaceholder]))
	if kind == column.Times {
		add(SuspiciousDates, c.odd, fmt.Sprintf("%d dates are before 1900 or after 2100", c.odd))
	}
	add(SurroundingSpaces, c.spaces, fmt.Sprintf("%d texts begin or end with white space", c.spaces))
	return problems
}
