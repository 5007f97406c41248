package claims

import (
	"math"

	"github.com/qedkit/qed/stats/hypothesis"
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
	var x, y []float64
	var at []int
	for i, j := 0, 0; i < len(a.At) && j < len(b.At); {
		switch {
		case a.At[i] < b.At[j]:
			i++
		case a.At[i] > b.At[j]:
			j++
		default:
			x, y, at = append(x, a.Numbers[i]), append(y, b.Numbers[j]), append(at, a.At[i])
			i, j = i+1, j+1
		}
	}
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
	return c.simpson(at, func(stratum []int, k int) (before, after, z float64, ok bool) {
		return withinCorrelation(x, y, stratum, k)
	}, c.t.ratio)
}

// pairOutliers correlates without the rows that are outliers in either column.
func (c *checker) pairOutliers(x, y []float64, before *hypothesis.CorrelationTest) {
	outcome, text, removed, worst := Pass, c.t.OutliersFine, 0, before.P
	outX, outY := outlying(x), outlying(y)
	for _, rule := range outlierRules {
		keepX, keepY := kept(len(x), outX, rule), kept(len(y), outY, rule)
		var restX, restY []float64
		for i := range x {
			if keepX[i] && keepY[i] {
				restX, restY = append(restX, x[i]), append(restY, y[i])
			}
		}
		n := len(x) - len(restX)
		removed = max(removed, n)
		if n == 0 {
			continue
		}
		p := 1.0
		r, err := hypothesis.Pearson(restX, restY)
		if err == nil {
			p = r.P
		}
		switch {
		case p >= level && outcome == Pass:
			outcome, text, worst = Warn, c.t.OutliersWeak, p
		case err == nil && p < level && r.R*before.R < 0:
			outcome, text, worst = Fail, c.t.OutliersFlip, p
		}
	}
	if removed == 0 {
		text = c.t.OutliersNone
	}
	c.add(CheckOutliers, outcome, fill(text, "n", count(removed), "p", c.t.chance(worst)), "removed", float64(removed), "p", worst)
}
