package claims

import (
	"math"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/stats"
)

// outliers tests two groups without their outliers, by each of two rules.
func (d *difference) outliers(a, b *group) {
	before, _ := d.pairTest(a.x, b.x)
	outA, outB := outlying(a.x), outlying(b.x)
	outcome, text, removed, worst := Pass, d.t.OutliersFine, 0, before.p
	for _, rule := range outlierRules {
		restA, restB := without(a.x, outA, rule), without(b.x, outB, rule)
		n := len(a.x) + len(b.x) - len(restA) - len(restB)
		removed = max(removed, n)
		if n == 0 {
			continue
		}
		r, ok := d.pairTest(restA, restB)
		switch {
		case !ok || r.p >= level && outcome == Pass:
			if !ok {
				r.p = 1
			}
			outcome, text, worst = Warn, d.t.OutliersWeak, r.p
		case r.p < level && (r.diff < 0) != (before.diff < 0):
			outcome, text, worst = Fail, d.t.OutliersFlip, r.p
		}
	}
	if removed == 0 {
		text = d.t.OutliersNone
	}
	d.add(CheckOutliers, outcome, fill(text, "n", count(removed), "p", d.t.chance(worst)), "removed", float64(removed), "p", worst)
}

// The rules of stats.FindOutliers.
const maxScore = 3.5

var outlierRules = []func(stats.Outlier) bool{
	func(o stats.Outlier) bool { return o.BeyondFences },
	func(o stats.Outlier) bool { return math.Abs(o.Score) > maxScore },
}

// outlying returns the outliers of x.
func outlying(x []float64) []stats.Outlier {
	t := &qed.Table{Columns: []qed.Column{{Name: "x", Type: "double"}}, Rows: make([][]any, len(x))}
	cells := make([]any, len(x))
	for i, v := range x {
		cells[i] = v
		t.Rows[i] = cells[i : i+1]
	}
	found, err := stats.FindOutliers(t, "x")
	if err != nil { // the table has the column, and numbers in it
		return nil
	}
	return found.Found
}

// kept reports which of n values are no outliers by a rule.
func kept(n int, found []stats.Outlier, rule func(stats.Outlier) bool) []bool {
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
func without(x []float64, found []stats.Outlier, rule func(stats.Outlier) bool) []float64 {
	var rest []float64
	for i, keep := range kept(len(x), found, rule) {
		if keep {
			rest = append(rest, x[i])
		}
	}
	return rest
}
