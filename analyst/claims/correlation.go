package claims

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/qedkit/qed/internal/column"
	"github.com/qedkit/qed/internal/hypothesis"
	"github.com/qedkit/qed/internal/numeric"
	"github.com/qedkit/qed/internal/stats"
)

const (
	minPairs     = 10
	disagreement = 0.3 // of Pearson and Spearman
	weak         = 0.1
)

// correlation checks a claim about two columns of numbers.
func (c *checker) correlation() error {
	a, err := c.numeric(c.metric)
	if err != nil {
		return err
	}
	b, err := c.numeric(c.with)
	if err != nil {
		return err
	}
	x, y, at := column.InBoth(a, b)
	c.missing([]*group{{name: a.Name, x: x, missing: c.Rows - len(x)}})
	c.sizes([]*group{{name: a.Name, x: x}})
	if len(x) < minPairs {
		c.skip(CheckCorrelation, fill(c.t.FewPairs, "n", count(minPairs)))
		return nil
	}
	linear, err := hypothesis.Pearson(x, y)
	if err != nil {
		c.skip(CheckCorrelation, c.t.AllEqual)
		return nil
	}
	ranks, err := hypothesis.Spearman(x, y)
	if err != nil {
		c.skip(CheckCorrelation, c.t.AllEqual)
		return nil
	}
	p := linear.P
	apart := math.Abs(linear.R-ranks.R) > disagreement
	if apart {
		p = max(linear.P, ranks.P)
	}
	c.P = &p
	outcome, text := Pass, c.t.Correlates
	switch {
	case apart && min(linear.P, ranks.P) < level:
		outcome, text = Warn, c.t.CorrelatesDisagree
	case p >= level:
		text = c.t.CorrelatesNot
	case c.opposite(linear.R):
		outcome, text = Fail, c.t.CorrelatesOpposite
	case math.Abs(linear.R) < weak:
		outcome, text = Warn, c.t.CorrelatesWeakly
	}
	sentence := fill(text, "a", quoted(a.Name), "b", quoted(b.Name), "r", c.t.ratio(linear.R), "rank", c.t.ratio(ranks.R), "p", c.t.chance(p))
	c.add(CheckCorrelation, outcome, sentence, "pearson", linear.R, "pearson_p", linear.P,
		"spearman", ranks.R, "spearman_p", ranks.P, "p", p, "n", float64(len(x)))
	if p >= level || outcome == Fail {
		return nil
	}
	c.pairOutliers(x, y, linear)
	if err := c.sharedTrend(x, y, at, linear.R); err != nil {
		return err
	}
	return c.simpson(at, func(stratum []int, k int) (before, after, z float64, ok bool) {
		return withinCorrelation(x, y, stratum, k)
	}, c.t.ratio)
}

// seriesRows is the share of rows with a time of their own from which rows are a series.
const seriesRows = 0.5

// sharedTrend correlates the changes of two series from one time to the next. Two series
// that rise for reasons of their own are correlated, and their changes are not.
func (c *checker) sharedTrend(x, y []float64, at []int, r float64) error {
	for i, head := range c.table.Columns {
		if i == c.metric || i == c.with {
			continue
		}
		col, err := column.Read(c.table, i, "")
		if err != nil {
			return fmt.Errorf("claims: %w", err)
		}
		var places map[int]float64
		switch col.Kind {
		case column.Times:
			places = make(map[int]float64, len(col.At))
			for j, row := range col.At {
				places[row] = float64(col.Times[j].Unix())
			}
		case column.Numbers:
			places = rowValues(col.At, col.Numbers)
		default:
			continue
		}
		changeX, changeY := changesAlong(places, x, y, at)
		if float64(len(changeX)) < seriesRows*float64(len(x)) || len(changeX) < minPairs-1 {
			continue
		}
		if col.Kind == column.Numbers && !column.IsCalendar(head.Name) && !slices.IsSorted(col.Numbers) {
			continue // no order of the rows
		}
		p, rest := 1.0, 0.0
		if t, err := hypothesis.Spearman(changeX, changeY); err == nil {
			p, rest = t.P, t.R
		}
		if p >= level || rest*r < 0 {
			c.add(CheckTrend, Warn, fill(c.t.SharedTrend, "a", quoted(c.Claim.Metric), "b", quoted(c.Claim.With),
				"column", quoted(head.Name), "r", c.t.ratio(rest), "p", c.t.chance(p)), "changes", rest, "p", p)
			return nil
		}
	}
	return nil
}

// changesAlong returns the differences of the means of x and y from each place to the
// next.
func changesAlong(places map[int]float64, x, y []float64, at []int) (changeX, changeY []float64) {
	type sums struct{ n, x, y float64 }
	all := map[float64]*sums{}
	for i, row := range at {
		place, ok := places[row]
		if !ok {
			continue
		}
		if all[place] == nil {
			all[place] = &sums{}
		}
		s := all[place]
		s.n, s.x, s.y = s.n+1, s.x+x[i], s.y+y[i]
	}
	var last *sums
	for _, place := range slices.Sorted(maps.Keys(all)) {
		s := all[place]
		if last != nil {
			changeX = append(changeX, numeric.Finite(s.x/s.n-last.x/last.n))
			changeY = append(changeY, numeric.Finite(s.y/s.n-last.y/last.n))
		}
		last = s
	}
	return changeX, changeY
}

// pairOutliers correlates without the rows that are outliers in either column.
func (c *checker) pairOutliers(x, y []float64, before *hypothesis.CorrelationTest) {
	outX, outY := stats.Outlying(x).Found, stats.Outlying(y).Found
	c.withoutOutliers(before.P, func(rule outlierRule) (removed int, p float64, flipped bool) {
		keepX, keepY := kept(len(x), outX, rule), kept(len(y), outY, rule)
		var restX, restY []float64
		for i := range x {
			if keepX[i] && keepY[i] {
				restX, restY = append(restX, x[i]), append(restY, y[i])
			}
		}
		removed, p = len(x)-len(restX), 1
		if r, err := hypothesis.Pearson(restX, restY); err == nil {
			p, flipped = r.P, r.R*before.R < 0
		}
		return removed, p, flipped
	})
}
