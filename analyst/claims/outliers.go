package claims

import (
	"math"

	"github.com/qedkit/qed/internal/numeric"
	"github.com/qedkit/qed/internal/stats"
)

// outliers tests two groups without their outliers.
func (d *difference) outliers(a, b *group) {
	before, _ := d.pairTest(a.x, b.x)
	outA, outB := stats.Outlying(a.x).Found, stats.Outlying(b.x).Found
	d.withoutOutliers(before.p, func(rule outlierRule) (removed int, p float64, flipped bool) {
		restA, restB := without(a.x, outA, rule), without(b.x, outB, rule)
		removed, p = len(a.x)+len(b.x)-len(restA)-len(restB), 1
		if r, ok := d.pairTest(restA, restB); ok {
			p, flipped = r.p, (r.diff < 0) != (before.diff < 0)
		}
		return removed, p, flipped
	})
}

// withoutOutliers repeats a test with the p-value p without the outliers of each of two
// rules.
func (c *checker) withoutOutliers(p float64, test func(outlierRule) (removed int, p float64, flipped bool)) {
	outcome, text, removed, worst := Pass, c.t.OutliersFine, 0, p
	for _, rule := range outlierRules {
		n, p, flipped := test(rule)
		removed = max(removed, n)
		switch {
		case n == 0:
		case p >= level && outcome == Pass:
			outcome, text, worst = Warn, c.t.OutliersWeak, p
		case p < level && flipped:
			outcome, text, worst = Fail, c.t.OutliersFlip, p
		}
	}
	if removed == 0 {
		text = c.t.OutliersNone
	}
	c.add(CheckOutliers, outcome, fill(text, "n", count(removed), "p", c.t.chance(worst)), "removed", float64(removed), "p", worst)
}

type outlierRule func(stats.Outlier) bool

// The rules of package stats.
var outlierRules = []outlierRule{
	func(o stats.Outlier) bool { return o.BeyondFences },
	func(o stats.Outlier) bool { return math.Abs(o.Score) > numeric.MaxScore },
}

// kept reports which of n values are no outliers by a rule.
func kept(n int, found []stats.Outlier, rule outlierRule) []bool {
	all := make([]bool, n)
	for i := range all {
		all[i] = true
	}
	for _, o := range found {
		all[o.Row] = all[o.Row] && !rule(o)
	}
	return all
}

// without returns x without the outliers that a rule finds.
func without(x []float64, found []stats.Outlier, rule outlierRule) []float64 {
	var rest []float64
	for i, keep := range kept(len(x), found, rule) {
		if keep {
			rest = append(rest, x[i])
		}
	}
	return rest
}
