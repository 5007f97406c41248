package claims

import (
	"context"
	"math"
	"slices"

	"github.com/qedkit/qed/internal/column"
	"github.com/qedkit/qed/internal/numeric"
	"github.com/qedkit/qed/stats/hypothesis"
)

const (
	maxStrata       = 30   // values of a column that can be a stratifier
	maxStratifiers  = 200  // columns that are examined, next to those of the claim
	minCovered      = 0.5  // share of the rows that strata with both groups must have
	explainedAway   = 0.5  // share of the difference below which a stratifier may explain it
	notableOpposite = 1    // standard errors from which an opposite result is a reversal
	notableShare    = 0.05 // share of the result that a reversal has at least
)

// simpson looks for stratifiers: columns within whose values a result is reversed,
// or much smaller. at has the rows of the values that are compared.
//
// within compares the values in the strata that can be compared. stratum has the
// number of each value's stratum, below k. before is the result without regard to the
// strata, after the result with regard to them, and z is after in standard errors.
// format formats the results.
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
		stratum, k, ok := c.strata(i, at)
		var before, after, z float64
		if ok {
			before, after, z, ok = within(stratum, k)
		}
		if !ok {
			if named {
				c.skip(CheckSimpson, fill(c.t.Overlap, "column", quoted(col.Name)))
			}
			continue
		}
		examined++
		text := c.t.SimpsonWeak
		outcome := Warn
		opposite := (before < 0) != (after < 0)
		switch reversed := opposite && z >= notableOpposite && math.Abs(after) >= notableShare*math.Abs(before); {
		case reversed:
			outcome, text = Fail, c.t.SimpsonReversed
		case math.Abs(after) >= explainedAway*math.Abs(before) && !opposite:
			continue
		}
		objections++
		c.add(CheckSimpson, outcome, fill(text, "column", quoted(col.Name), "before", format(before), "after", format(after)),
			"before", before, "after", after, "strata", float64(k))
	}
	switch {
	case examined == 0:
		c.skip(CheckSimpson, c.t.NoStrata)
	case objections == 0:
		c.add(CheckSimpson, Pass, fill(c.t.SimpsonNone, "n", count(examined)), "columns", float64(examined))
	}
	return nil
}

// strata returns the stratum of each of the rows at: the number of its value in
// column i. Missing values are a stratum of their own. ok is false if the column has
// one value or too many.
func (c *checker) strata(i int, at []int) (stratum []int, k int, ok bool) {
	index := map[string]int{}
	stratum = make([]int, len(at))
	for j, row := range at {
		text, _ := column.Text(c.table.Rows[row][i]) // "" is missing
		n, ok := index[text]
		if !ok {
			if n = len(index); n == maxStrata {
				return nil, 0, false
			}
			index[text] = n
		}
		stratum[j] = n
	}
	return stratum, len(index), len(index) > 1
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
