package claims

import (
	"math"
	"slices"
	"time"

	"github.com/qedkit/qed/internal/column"
	"github.com/qedkit/qed/internal/numeric"
)

// measure examines the values that the query adds up or averages.
func (c *checker) measure(name string) {
	if c.source == nil || name == "" {
		return
	}
	i := slices.IndexFunc(columnNames(c.source), func(n string) bool { return n == name })
	if i < 0 {
		return
	}
	col, err := column.Read(c.source, i, column.Numbers)
	if err != nil || col.Kind != column.Numbers {
		return
	}
	c.suspect(name, col.Numbers)
}

// suspect warns of values that make sums and means meaningless.
func (c *checker) suspect(name string, x []float64) {
	sorted := slices.Clone(x)
	slices.Sort(sorted)
	if factor, n := numeric.MixedUnits(sorted, nil); n > 0 {
		c.add(CheckUnits, Warn, fill(c.t.UnitsMixed, "n", count(n), "column", quoted(name), "factor", c.t.number(factor)),
			"values", float64(n), "factor", factor)
	} else if share := numeric.Dominant(sorted, nil); share > 0 {
		c.add(CheckUnits, Warn, fill(c.t.OneValue, "share", c.t.percent(share), "column", quoted(name)), "share", share)
	}
}

const (
	outOfLine   = 8   // factor between a period and both its neighbours that is no season
	fewDays     = 12  // days with rows that a period has at least, to find one that is incomplete
	incomplete  = 0.8 // share of the usual days below which a period is incomplete
	denseDays   = 0.6 // share of the days of a period that usually have rows
	minNeigbors = 3   // periods
)

// periods warns of periods of the result that are broken: far from both neighbours, or
// with fewer days of data than the others.
func (c *checker) periods(x []float64) {
	if c.by < 0 || c.Claim.Kind == Total || len(c.table.Rows) < minNeigbors {
		return
	}
	along, at, err := c.positions()
	by, _ := column.Read(c.table, c.by, "")
	if err != nil || len(along) == 0 || by.Kind == column.Numbers && !column.IsCalendar(by.Name) {
		return // the groups are no periods: an id is a number, too
	}
	order := make([]int, 0, len(at))
	for i, row := range at {
		if !math.IsNaN(x[row]) {
			order = append(order, i)
		}
	}
	slices.SortFunc(order, func(i, j int) int { return int(math.Copysign(1, along[i]-along[j])) })
	claimed := func(name string) bool {
		return len(c.Claim.Groups) == 0 || slices.Contains(c.Claim.Groups, name)
	}
	label := func(i int) string {
		text, _ := column.Text(c.table.Rows[at[i]][c.by])
		return text
	}
	for k := 1; k+1 < len(order); k++ {
		before, v, after := x[at[order[k-1]]], x[at[order[k]]], x[at[order[k+1]]]
		if claimed(label(order[k])) && numeric.OutOfLine(before, v, after, outOfLine) {
			factor := v / math.Sqrt(before*after)
			c.add(CheckPeriods, Warn, fill(c.t.PeriodOut, "a", quoted(label(order[k])), "factor", c.t.ratio(factor)), "factor", factor)
			return
		}
	}
	c.days(claimed)
}

// days warns of claimed periods with fewer days of data than the others.
func (c *checker) days(claimed func(string) bool) {
	dates := c.datesOfGroups()
	names, _ := c.values(c.by)
	var counts, spans []float64
	at := map[string]int{}
	for _, name := range names {
		days := dates[name]
		if len(days) == 0 {
			return // the labels of the result are not those of the rows
		}
		first, last := math.MaxInt, math.MinInt
		for day := range days {
			first, last = min(first, day), max(last, day)
		}
		at[name] = len(counts)
		counts, spans = append(counts, float64(len(days))), append(spans, float64(last-first+1))
	}
	usual, span := numeric.Median(slices.Clone(counts)), numeric.Median(slices.Clone(spans))
	if usual < fewDays {
		return
	}
	values := spans
	if usual >= denseDays*span {
		values = counts
	} else {
		usual = span
	}
	for _, name := range names {
		if n := values[at[name]]; claimed(name) && n < incomplete*usual {
			c.add(CheckPeriods, Warn, fill(c.t.PeriodShort, "a", quoted(name), "n", count(int(n)), "usual", count(int(usual))),
				"days", n, "usual", usual)
			return
		}
	}
}

// datesOfGroups returns the days on which each group of the result has rows: the numbers
// of the days since 1970. It is nil if the rows have no such groups or no dates.
func (c *checker) datesOfGroups() map[string]map[int]bool {
	if c.source == nil {
		return nil
	}
	i := slices.Index(columnNames(c.source), c.Claim.By)
	if i < 0 {
		return nil
	}
	for j := range c.source.Columns {
		if j == i {
			continue
		}
		col, err := column.Read(c.source, j, "")
		if err != nil || col.Kind != column.Times {
			continue
		}
		days := map[string]map[int]bool{}
		for k, row := range col.At {
			name, ok := column.Text(c.source.Rows[row][i])
			if !ok {
				continue
			}
			if days[name] == nil {
				days[name] = map[int]bool{}
			}
			days[name][int(math.Floor(float64(col.Times[k].Unix())/(24*time.Hour.Seconds())))] = true
		}
		return days
	}
	return nil
}
