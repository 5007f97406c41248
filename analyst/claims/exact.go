package claims

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/qedkit/qed/internal/column"
	"github.com/qedkit/qed/internal/hypothesis"
	"github.com/qedkit/qed/internal/lists"
	"github.com/qedkit/qed/internal/numeric"
)

// exact checks a claim about the result of a query.
func (c *checker) exact(f *Finding) error {
	if len(f.Misspelt) > 0 {
		c.add(CheckValue, Warn, fill(c.t.Misspelt, "conditions", list(f.Misspelt)))
	}
	if c.Claim.Kind == Never {
		return c.never()
	}
	measured, err := c.numeric(c.metric)
	if err != nil {
		return err
	}
	x := measured.ByRow()
	if c.Claim.Kind == Trend {
		err = c.trend(x)
	} else {
		err = c.compared(x)
	}
	if err != nil {
		return err
	}
	c.measure(f.Measure)
	c.periods(x)
	return nil
}

// never checks that a result has no rows, or 0 in each.
func (c *checker) never() error {
	value := float64(len(c.table.Rows))
	if c.metric >= 0 {
		col, err := c.numeric(c.metric)
		if err != nil {
			return err
		}
		value = 0
		for _, v := range col.Numbers {
			value = max(value, math.Abs(v))
		}
		if col.Other > 0 || col.Missing > 0 && len(col.Numbers) > 0 {
			c.skip(CheckValue, c.t.NoValues)
			return nil
		}
	}
	c.value(value, 0, 0, 0, c.t.number, "")
	return nil
}

// compared checks a claim about one number that is computed from the result.
func (c *checker) compared(x []float64) error {
	claim := c.Claim
	rows, err := c.claimedRows()
	if err != nil {
		return err
	}
	if math.IsNaN(x[rows[0]]) {
		c.skip(CheckValue, c.t.NoValues)
		return nil
	}
	of := x[rows[0]]
	var known []float64 // the numbers of all groups
	known = append(known, lists.Filter(x, func(v float64) bool { return !math.IsNaN(v) })...)
	claimed := 1.0
	if claim.Value != nil {
		claimed = *claim.Value
	}
	whole := slices.Contains([]Kind{Share, Rank, Most}, claim.Kind)
	if (whole || slices.Contains([]Kind{Growth, Ratio}, claim.Kind) && len(rows) == 1 && c.with < 0) && c.table.Truncated {
		c.skip(CheckValue, c.t.Limited)
		return nil
	}
	switch claim.Kind {
	case Total:
		tight, loose := rounding(claimed, 0)
		c.value(of, claimed, tight, loose, c.t.number, "")
	case Rank:
		c.rank(of, known, claimed)
	case Share, Most:
		sum := numeric.Sum(known)
		if slices.Min(known) < 0 || sum <= 0 {
			c.skip(CheckValue, c.t.NotParts)
			return nil
		}
		if claim.Kind == Most {
			c.most(of/sum, slices.Max(known)/sum)
			return nil
		}
		tight, loose := rounding(claimed, 2)
		c.value(of/sum, claimed, tight, loose, c.t.percent, "")
	case Growth, Ratio:
		c.change(of, x, known, rows)
	}
	return nil
}

// claimedRows returns the rows of the result that the claim is about.
func (c *checker) claimedRows() (rows []int, err error) {
	claim := c.Claim
	if c.by < 0 {
		if len(c.table.Rows) != 1 {
			return nil, refuse(ErrMissingColumn, "by", column.Near("", columnNames(c.table)),
				"the result of the query has %d rows: name the column of the groups as by, and the row that is meant in groups", len(c.table.Rows))
		}
		return []int{0}, nil
	}
	names, times := c.values(c.by)
	if len(claim.Groups) == 0 {
		return nil, refuse(ErrUnknownName, "groups", column.Near("", names), "the claim names no group of column %s", quoted(claim.By))
	}
	for i, name := range claim.Groups {
		value, ok := like(name, names)
		if !ok {
			return nil, refuse(ErrUnknownName, name, column.Near(name, names), "the result has no row with %s in column %s%s",
				quoted(name), quoted(claim.By), c.among())
		}
		if times[value] > 1 {
			return nil, refuse(ErrUnknownName, name, nil, "the result has %d rows with %s in column %s: "+
				"the query needs one row for each group", times[value], quoted(name), quoted(claim.By))
		}
		claim.Groups[i] = value
		rows = append(rows, slices.IndexFunc(c.table.Rows, func(row []any) bool {
			text, ok := column.Text(row[c.by])
			return ok && text == value
		}))
	}
	return rows, nil
}

// change compares a number with another one, or with the mean of all groups.
func (c *checker) change(of float64, x, known []float64, rows []int) {
	base, others := math.NaN(), math.NaN()
	switch {
	case c.with >= 0:
		if col, err := c.numeric(c.with); err == nil {
			if i := slices.Index(col.At, rows[0]); i >= 0 {
				base = col.Numbers[i]
			}
		}
	case len(rows) > 1:
		base = x[rows[1]]
	case len(known) > 1:
		base = numeric.Mean(known)
		others = (numeric.Sum(known) - of) / float64(len(known)-1)
	}
	if !(base > 0) {
		c.skip(CheckValue, c.t.NoBase)
		return
	}
	less := 0.0
	format := c.t.ratio
	digits := 0
	if c.Claim.Kind == Growth {
		less, format, digits = 1, c.t.percent, 2
	}
	value, other := of/base-less, of/others-less
	if c.Claim.Value == nil {
		outcome, sign, direction := Fail, "> ", 1.0
		if c.Claim.Comparison == Less {
			sign, direction = "< ", -1
		}
		if direction*value > direction*(1-less) {
			outcome = Pass
		}
		c.number(outcome, value, 1-less, format, sign)
		return
	}
	claimed := *c.Claim.Value
	if c.Claim.Kind == Growth && c.Claim.Comparison == Less {
		claimed = -math.Abs(claimed)
	}
	tight, loose := rounding(claimed, digits)
	note := ""
	if !math.IsNaN(others) {
		note = c.t.OfAll
		if others > 0 && math.Abs(other-claimed) < math.Abs(value-claimed) {
			value, note = other, c.t.OfOthers
		}
	}
	c.value(value, claimed, tight, loose, format, note)
}

// rank checks the place of a number among all.
func (c *checker) rank(of float64, all []float64, claimed float64) {
	sign := 1.0
	if c.Claim.Comparison == Less {
		sign = -1
	}
	before, equal := 0, 0
	for _, v := range all {
		switch {
		case sign*v > sign*of:
			before++
		case v == of:
			equal++
		}
	}
	place := func(v float64) string { return c.t.RankOf + " " + c.t.number(v) }
	outcome := Pass
	if claimed < float64(before+1) || claimed > float64(before+equal) {
		outcome = Fail
	}
	c.number(outcome, float64(before+1), claimed, place, "")
}

// most checks that a part is more than half. "Most" can mean the largest part, too.
func (c *checker) most(part, largest float64) {
	outcome := Fail
	switch {
	case part > 0.5:
		outcome = Pass
	case part == largest:
		outcome = Warn
	}
	c.number(outcome, part, 0.5, c.t.percent, "> ")
}

// value compares the number of the result with the claimed one.
func (c *checker) value(value, claimed, tight, loose float64, format func(float64) string, note string) {
	apart := math.Abs(value - claimed)
	slack := 1e-9 * math.Abs(claimed)
	beyond := c.Claim.Comparison == More && value > claimed || c.Claim.Comparison == Less && value < claimed
	inOtherUnit := slices.ContainsFunc([]float64{100, 1000, 1e6}, func(unit float64) bool { // percent, thousands or millions
		return claimed != 0 && (math.Abs(value/unit-claimed) <= tight || math.Abs(value*unit-claimed) <= tight)
	})
	outcome := Pass
	switch {
	case c.Claim.Comparison == AtLeast && value >= claimed, c.Claim.Comparison == AtMost && value <= claimed:
	case apart <= tight+slack:
	case apart <= loose+slack, beyond, inOtherUnit:
		outcome = Warn
	default:
		outcome = Fail
	}
	c.number(outcome, value, claimed, format, "")
	if note != "" {
		c.Checks[len(c.Checks)-1].Text += " " + note
	}
}

// number adds the check of a number.
func (c *checker) number(outcome Outcome, value, claimed float64, format func(float64) string, sign string) {
	text := map[Outcome]string{Pass: c.t.ValueFits, Warn: c.t.ValueNear, Fail: c.t.ValueWrong}[outcome]
	c.add(CheckValue, outcome, fill(text, "value", format(value), "claimed", sign+format(claimed)), "value", value, "claimed", claimed)
}

const (
	tightZeros = 0.005 // part of a number with zeros at its end that may have been rounded away
	looseZeros = 0.05
)

// rounding returns how far a number may be from one that rounds to it: tight for the
// digits that are written, and loose if zeros at its end stand for other digits. digits
// are the decimals that the number has at least.
func rounding(v float64, digits int) (tight, loose float64) {
	text := strconv.FormatFloat(math.Abs(v), 'f', -1, 64)
	_, decimals, _ := strings.Cut(text, ".")
	if n := max(len(decimals), digits); n > 0 {
		tight = 0.5 * math.Pow10(-n)
		if digits > 1 && len(decimals) < digits { // tens of percent
			return tight, 0.25 * math.Pow10(1-digits)
		}
		return tight, tight
	}
	zeros := len(text) - len(strings.TrimRight(text, "0"))
	if v == 0 || zeros < 2 {
		return 0.5, 0.5 // a whole number stands for one with decimals
	}
	unit := 0.5 * math.Pow10(zeros)
	loose = max(0.5, min(unit, looseZeros*math.Abs(v)))
	if zeros < 3 {
		return 0.5, loose
	}
	return max(0.5, min(unit, tightZeros*math.Abs(v))), loose
}

// minSteps is the number of values of a trend.
const minSteps = 4

// trend checks that the numbers of the result rise or fall along a column.
func (c *checker) trend(x []float64) error {
	along, at, err := c.positions()
	if err != nil {
		return err
	}
	var pos, val []float64
	for i, row := range at {
		if !math.IsNaN(x[row]) {
			pos, val = append(pos, along[i]), append(val, x[row])
		}
	}
	if len(val) < minSteps || numeric.IsConstant(val) || numeric.IsConstant(pos) {
		c.skip(CheckValue, fill(c.t.FewSteps, "n", count(minSteps)))
		return nil
	}
	ranks, err := hypothesis.Spearman(pos, val)
	if err != nil {
		c.skip(CheckValue, c.t.AllEqual)
		return nil
	}
	outcome, text := Pass, c.t.TrendHolds
	steady := 1-math.Abs(ranks.R) < 1e-12 // each value is beyond the one before
	switch {
	case c.opposite(ranks.R) && (steady || ranks.P < level):
		outcome, text = Fail, c.t.TrendOpposite
	case !steady && ranks.P >= level:
		text = c.t.TrendNot
	}
	if !steady || outcome == Fail && ranks.P < level {
		c.P = &ranks.P
	}
	c.add(CheckValue, outcome, fill(text, "metric", quoted(c.Claim.Metric), "by", quoted(c.Claim.By),
		"rank", c.t.ratio(ranks.R), "p", c.t.chance(ranks.P)), "spearman", ranks.R, "spearman_p", ranks.P)
	return nil
}

// positions returns the times or numbers of the column By, with their rows.
func (c *checker) positions() (along []float64, at []int, err error) {
	col, err := column.Read(c.table, c.by, "")
	if err != nil {
		return nil, nil, err
	}
	switch col.Kind {
	case column.Times:
		for _, t := range col.Times {
			along = append(along, float64(t.Unix()))
		}
		return along, col.At, nil
	case column.Numbers:
		return col.Numbers, col.At, nil
	case column.Empty:
		return nil, nil, nil
	}
	order := map[string]float64{} // of texts such as 2024-Q3 and 2024-W07
	names := slices.Clone(col.Texts)
	slices.Sort(names)
	for i, name := range names {
		if len(name) < 6 || name[0] < '1' || name[0] > '2' || len(name) != len(names[0]) {
			return nil, nil, refuse(ErrFieldType, col.Name, nil, "column %s has neither times nor numbers, so it has no order", quoted(col.Name))
		}
		if _, ok := order[name]; !ok {
			order[name] = float64(i)
		}
	}
	return lists.Map(col.Texts, func(name string) float64 { return order[name] }), col.At, nil
}
