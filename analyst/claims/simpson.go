package claims

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/qedkit/qed/internal/column"
	"github.com/qedkit/qed/internal/hypothesis"
	"github.com/qedkit/qed/internal/numeric"
)

const (
	maxStrata       = 30   // values of a column that are strata by themselves
	stratumRows     = 10   // rows of a stratum, on average, in a column with more values
	maxBins         = 10   // strata of a column of numbers
	maxStratifiers  = 200  // columns that are examined, next to those of the claim
	minCovered      = 0.5  // share of the rows that strata with both groups must have
	explainedAway   = 0.5  // share of the difference below which a stratifier may explain it
	explainedBy     = 0.25 // the same, for intervals of numbers that nobody named
	notableOpposite = 1    // standard errors from which an opposite result is a reversal
	certainOpposite = 2    // the same, for strata that are intervals
	notableShare    = 0.05 // share of the result that a reversal has at least
	sameThing       = 0.9  // correlation from which a column measures what the metric does
)

// simpson looks for stratifiers: columns within whose values a result is reversed,
// or much smaller. at has the rows of the values that are compared.
//
// within compares the values in the strata that can be compared. stratum has the
// number of each value's stratum, below k. before is the result without regard to the
// strata, after the result with regard to them, and z is after in standard errors.
// format formats the results.
//
// A number that nobody named may be a part of the metric or follow from it, as the tax
// from the amount. A reversal within its intervals is then no paradox, so it is reported
// as a doubt.
func (c *checker) simpson(at []int, within func(stratum []int, k int) (before, after, z float64, ok bool),
	format func(float64) string) error {
	examined, objections := 0, 0
	for i, col := range c.table.Columns {
		if err := context.Cause(c.ctx); err != nil {
			return err
		}
		named := slices.Contains(c.Claim.Stratifiers, col.Name)
		if i == c.metric || i == c.by || i == c.with || i >= maxStratifiers && !named {
			continue
		}
		s, err := c.strata(i, at, named)
		if err != nil {
			return err
		}
		if s.k < 2 {
			continue
		}
		before, after, z, ok := within(s.of, s.k)
		if !ok {
			continue
		}
		examined++
		c.examined = append(c.examined, col.Name)
		opposite := (before < 0) != (after < 0)
		least := float64(notableOpposite)
		if s.intervals {
			least = certainOpposite
		}
		explained := explainedAway
		if s.derived && !named {
			explained = explainedBy
		}
		outcome, text := Warn, c.t.SimpsonWeak
		switch reversed := opposite && z >= least && math.Abs(after) >= notableShare*math.Abs(before); {
		case reversed && s.derived && !named:
			text = c.t.SimpsonReversed
		case reversed:
			outcome, text = Fail, c.t.SimpsonReversed
		case math.Abs(after) >= explained*math.Abs(before) && !opposite:
			continue
		}
		objections++
		c.add(CheckSimpson, outcome, fill(text, "column", quoted(col.Name), "before", format(before), "after", format(after)),
			"before", before, "after", after, "strata", float64(s.k))
	}
	switch {
	case examined == 0:
		c.skip(CheckSimpson, c.t.NoStrata)
	case objections == 0:
		c.add(CheckSimpson, Pass, fill(c.t.SimpsonNone, "n", count(examined)), "columns", float64(examined))
	}
	return nil
}

// unused leaves a finding open if a stratifier that was asked for could not be used.
func (c *checker) unused() {
	if c.Claim == nil || c.P == nil && !c.Claim.OfResult() || c.P != nil && *c.P >= level {
		return
	}
	for _, name := range c.Claim.Stratifiers {
		if !slices.Contains(c.examined, name) {
			c.add(CheckSimpson, Open, fill(c.t.Overlap, "column", quoted(name)))
		}
	}
}

// A strata has the parts of the rows within which a result is computed again.
type strata struct {
	of        []int // the number of each row's stratum
	k         int   // how many there are; below 2 if the column cannot be used
	intervals bool  // of numbers or of time
	derived   bool  // the column has numbers, which may follow from the metric
}

// strata returns the strata of the rows at: the values of column i, quantiles of its
// numbers, or months, quarters or years of its times. Missing values are a stratum of
// their own.
func (c *checker) strata(i int, at []int, named bool) (s strata, err error) {
	index := map[string]int{}
	s.of = make([]int, len(at))
	for j, row := range at {
		text, _ := column.Text(c.table.Rows[row][i]) // "" is missing
		n, ok := index[text]
		if !ok {
			n = len(index)
			index[text] = n
		}
		s.of[j] = n
	}
	s.k = len(index)
	col, err := column.Read(c.table, i, "")
	if err != nil {
		return s, fmt.Errorf("claims: %w", err)
	}
	switch {
	case col.Kind == column.Times && s.k*stratumRows > len(at):
		s.intervals = true
		s.k = periods(s.of, at, col)
	case s.k <= maxStrata:
	case col.Kind == column.Numbers:
		s.intervals, s.derived = true, true
		if !named && c.measuresTheSame(col) {
			s.k = 0
			break
		}
		s.k = quantileBins(s.of, at, col)
	case s.k*stratumRows > len(at):
		s.k = 0
	}
	return s, nil
}

// measuresTheSame reports whether a column of numbers nearly equals a column of the
// claim, up to its unit.
func (c *checker) measuresTheSame(col *column.Column) bool {
	for _, i := range []int{c.metric, c.with} {
		if i < 0 {
			continue
		}
		metric, err := column.Read(c.table, i, column.Numbers)
		if err != nil || metric.Kind != column.Numbers {
			continue
		}
		x, y, _ := column.InBoth(metric, col)
		if r, err := hypothesis.Spearman(x, y); err == nil && math.Abs(r.R) >= sameThing {
			return true
		}
	}
	return false
}

// quantileBins sets of to the number of the quantile interval that each of the rows at
// is in, and returns how many intervals there are. Rows without a number are the first.
func quantileBins(of, at []int, col *column.Column) int {
	sorted := slices.Clone(col.Numbers)
	slices.Sort(sorted)
	bins := max(4, min(maxBins, len(at)/(4*stratumRows)))
	var edges []float64
	for b := 1; b < bins; b++ {
		edges = append(edges, numeric.Quantile(float64(b)/float64(bins), sorted))
	}
	edges = slices.Compact(edges)
	number := rowValues(col.At, col.Numbers)
	for j, row := range at {
		of[j] = 0
		if v, ok := number[row]; ok {
			bin, _ := slices.BinarySearch(edges, v)
			of[j] = 1 + bin
		}
	}
	return len(edges) + 2
}

// periods sets of to the month of each of the rows at, or to the quarter or the year if
// the months have few rows, and returns how many there are.
func periods(of, at []int, col *column.Column) int {
	times := rowValues(col.At, col.Times)
	for _, months := range []int{1, 3, 12} {
		index := map[int]int{}
		for j, row := range at {
			period := -1
			if t, ok := times[row]; ok {
				period = (t.Year()*12 + int(t.Month()) - 1) / months
			}
			n, ok := index[period]
			if !ok {
				n = len(index)
				index[period] = n
			}
			of[j] = n
		}
		if len(index)*stratumRows <= len(at) {
			return len(index)
		}
	}
	return 0
}

// rowValues returns values by their rows.
func rowValues[T any](at []int, values []T) map[int]T {
	all := make(map[int]T, len(at))
	for i, row := range at {
		all[row] = values[i]
	}
	return all
}

// withinShares compares shares by Mantel and Haenszel.
func withinShares(x []float64, second []bool, stratum []int, k int) (before, after, z float64, ok bool) {
	tables := make([]hypothesis.Table2x2, k)
	for i, v := range x {
		row, col := 0, 1
		if second[i] {
			row = 1
		}
		if v == 1 {
			col = 0
		}
		tables[stratum[i]][row][col]++
	}
	var pooled hypothesis.Table2x2
	covered := 0
	for _, t := range tables {
		if t[0][0]+t[0][1] == 0 || t[1][0]+t[1][1] == 0 {
			continue
		}
		for r := range t {
			for col, n := range t[r] {
				pooled[r][col] += n
				covered += n
			}
		}
	}
	t, err := hypothesis.MantelHaenszel(tables)
	if err != nil || float64(covered) < minCovered*float64(len(x)) {
		return 0, 0, 0, false
	}
	share := func(row [2]int) float64 { return float64(row[0]) / float64(row[0]+row[1]) }
	return share(pooled[0]) - share(pooled[1]), t.RiskDifference, math.Sqrt(t.ChiSquare), true
}

// withinMeans compares means that are standardised: the means of the strata,
// weighted by the rows that both groups have together.
func withinMeans(x []float64, second []bool, stratum []int, k int) (before, after, z float64, ok bool) {
	x, exp := numeric.Scaled(x)
	type sums struct{ n, sum, squares float64 }
	mean, _ := numeric.MeanStdDev(x)
	cells := make([][2]sums, k)
	for i, v := range x {
		g := 0
		if second[i] {
			g = 1
		}
		s := &cells[stratum[i]][g]
		s.n++
		s.sum += v - mean
		s.squares += (v - mean) * (v - mean)
	}
	var weights, variance float64
	var all [2]sums
	for _, cell := range cells {
		a, b := cell[0], cell[1]
		if a.n < 2 || b.n < 2 {
			continue
		}
		w := a.n + b.n
		weights += w
		after += w * (a.sum/a.n - b.sum/b.n)
		for g, s := range cell {
			all[g].n += s.n
			all[g].sum += s.sum
			variance += w * w * max(0, s.squares-s.sum*s.sum/s.n) / (s.n - 1) / s.n
		}
	}
	if weights == 0 || weights < minCovered*float64(len(x)) || variance == 0 {
		return 0, 0, 0, false
	}
	before = all[0].sum/all[0].n - all[1].sum/all[1].n
	after /= weights
	z = math.Abs(after) / (math.Sqrt(variance) / weights)
	return numeric.Unscale(before, exp), numeric.Unscale(after, exp), z, true
}

// withinCorrelation correlates the distances from the means of the strata.
func withinCorrelation(x, y []float64, stratum []int, k int) (before, after, z float64, ok bool) {
	x, _ = numeric.Scaled(x)
	y, _ = numeric.Scaled(y)
	n, sumX, sumY := make([]float64, k), make([]float64, k), make([]float64, k)
	for i, s := range stratum {
		n[s]++
		sumX[s] += x[i]
		sumY[s] += y[i]
	}
	var keptX, keptY, restX, restY []float64
	for i, s := range stratum {
		if n[s] < 3 {
			continue
		}
		keptX, keptY = append(keptX, x[i]), append(keptY, y[i])
		restX, restY = append(restX, x[i]-sumX[s]/n[s]), append(restY, y[i]-sumY[s]/n[s])
	}
	if float64(len(keptX)) < minCovered*float64(len(x)) || len(keptX) < k+minPairs {
		return 0, 0, 0, false
	}
	all, err := hypothesis.Pearson(keptX, keptY)
	if err != nil {
		return 0, 0, 0, false
	}
	rest, err := hypothesis.Pearson(restX, restY)
	if err != nil {
		return 0, 0, 0, false
	}
	df := float64(len(restX) - k - 1)
	z = math.Abs(rest.R) * math.Sqrt(df/max(1e-12, 1-rest.R*rest.R))
	return all.R, rest.R, z, true
}
