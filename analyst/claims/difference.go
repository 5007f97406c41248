package claims

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"github.com/qedkit/qed/internal/hypothesis"
	"github.com/qedkit/qed/internal/numeric"
)

// A difference tests groups by their means, or by the shares of an outcome.
type difference struct {
	*checker
	binary bool
}

// A tested is the result of a test of two groups.
type tested struct {
	p, diff, effect float64
	figures         []any
}

const (
	small  = 30 // values below which a skewed sample is tested by ranks
	skewed = 1
)

// independence tests a table of counts. p is the p-value that decides: for two rows
// and columns with an expected count below 5 that of the exact test, because that of
// chi-square is inexact.
func independence(counts [][]int) (t *hypothesis.ChiSquareTest, p float64, err error) {
	t, err = hypothesis.ChiSquare(counts)
	if err != nil {
		return nil, 0, err
	}
	if len(counts) > 2 || len(counts[0]) > 2 || t.MinExpected >= 5 {
		return t, t.P, nil
	}
	p, err = hypothesis.FisherExact(hypothesis.Table2x2{[2]int(counts[0]), [2]int(counts[1])})
	return t, p, err
}

// pairTest tests two samples. ok is false if there is no test.
func (d *difference) pairTest(a, b []float64) (r tested, ok bool) {
	if len(a) < 2 || len(b) < 2 || numeric.IsConstant(slices.Concat(a, b)) {
		return r, false
	}
	meanA, _ := numeric.MeanStdDev(a)
	meanB, _ := numeric.MeanStdDev(b)
	r.diff = numeric.Finite(meanA - meanB)
	if d.binary {
		f := hypothesis.Table2x2{fourRow(a), fourRow(b)}
		t, p, err := independence([][]int{f[0][:], f[1][:]})
		if err != nil {
			return r, false
		}
		r.p, r.effect = p, t.CramersV
		r.figures = []any{"chi_square", t.ChiSquare, "cramers_v", t.CramersV, "min_expected", t.MinExpected}
		if odds := f.OddsRatio(); odds != nil {
			r.figures = append(r.figures, "odds_ratio", *odds)
		}
		if t.MinExpected < 5 {
			r.figures = append(r.figures, "fisher_p", p)
		}
		return r, true
	}
	ranks, err := hypothesis.MannWhitney(a, b)
	if err != nil {
		return r, false
	}
	r.figures = []any{"mann_whitney_u", ranks.U, "mann_whitney_p", ranks.P}
	r.p, r.effect = ranks.P, ranks.Effect
	means, err := hypothesis.WelchT(a, b)
	if err != nil {
		return r, true
	}
	r.figures = append(r.figures, "welch_t", means.T, "welch_df", means.DF, "welch_p", means.P, "hedges_g", means.HedgesG)
	if min(len(a), len(b)) >= small || max(skew(a), skew(b)) <= skewed {
		r.p, r.effect = means.P, means.HedgesG
	}
	return r, true
}

func skew(x []float64) float64 {
	if len(x) < 3 || numeric.IsConstant(x) {
		return 0
	}
	x, _ = numeric.Scaled(x)
	if s := math.Abs(stat.Skew(x, nil)); !math.IsNaN(s) {
		return s
	}
	return 0
}

func fourRow(x []float64) [2]int {
	with := int(numeric.Sum(x))
	return [2]int{with, len(x) - with}
}

func (d *difference) value(v float64) string {
	if d.binary {
		return d.t.percent(v)
	}
	return d.t.number(v)
}

// opposite reports whether a difference has the other sign than the claim.
func (c *checker) opposite(diff float64) bool {
	return c.Claim.Comparison == More && diff < 0 || c.Claim.Comparison == Less && diff > 0
}

// negligible is the effect below which a certain difference does not matter.
const negligible = 0.05

// two tests two groups, and reports whether they differ as claimed.
func (d *difference) two(a, b *group) bool {
	r, ok := d.pairTest(a.x, b.x)
	if !ok {
		d.skip(CheckDifference, d.t.AllEqual)
		return false
	}
	d.P = &r.p
	r.diff = d.exactly(a, b, r.diff)
	outcome, text := Pass, d.t.Differs
	switch {
	case r.p >= level:
		text = d.t.DiffersNot
	case d.opposite(r.diff):
		outcome, text = Fail, d.t.Opposite
	case math.Abs(r.effect) < negligible:
		outcome, text = Warn, d.t.Negligible
	}
	d.add(CheckDifference, outcome, d.sentence(text, a, b, r.p, r.effect),
		append(r.figures, "p", r.p, "difference", r.diff, "mean_a", a.mean(), "mean_b", b.mean())...)
	return r.p < level && outcome != Fail
}

// exactly returns the difference of the means of all rows, if it is known, and that of
// the sample otherwise.
func (d *difference) exactly(a, b *group, sampled float64) float64 {
	if a.all == nil || b.all == nil {
		return sampled
	}
	return numeric.Finite(*a.all - *b.all)
}

func (d *difference) sentence(text string, a, b *group, p, effect float64) string {
	return fill(text, "a", quoted(a.name), "b", quoted(b.name), "meanA", d.value(a.mean()), "meanB", d.value(b.mean()),
		"p", d.t.chance(p), "effect", d.t.ratio(effect))
}

// pair returns the two of several groups that the claim is most about: the first
// and its strongest rival, or else the largest and the smallest mean.
func (d *difference) pair(all []*group) (a, b *group) {
	largest := func(groups []*group, sign float64) *group {
		best := groups[0]
		for _, g := range groups[1:] {
			if len(g.x) >= minGroup && (len(best.x) < minGroup || sign*g.mean() > sign*best.mean()) {
				best = g
			}
		}
		return best
	}
	switch d.Claim.Comparison {
	case More:
		return all[0], largest(all[1:], 1)
	case Less:
		return all[0], largest(all[1:], -1)
	}
	a, b = largest(all, 1), largest(all, -1)
	if a == b {
		return all[0], all[1]
	}
	return a, b
}

// maxPairs is the number of groups up to which all pairs are tested.
const maxPairs = 20

// several tests whether any of several groups differ, and then which.
func (d *difference) several(all []*group, a, b *group) bool {
	var samples [][]float64
	shares := [][]int{}
	for _, g := range all {
		samples = append(samples, g.x)
		if d.binary {
			row := fourRow(g.x)
			shares = append(shares, row[:])
		}
	}
	ranks, err := hypothesis.KruskalWallis(samples...)
	if err != nil {
		d.skip(CheckDifference, d.t.AllEqual)
		return false
	}
	p, effect := ranks.P, ranks.Effect
	figures := []any{"kruskal_h", ranks.H, "kruskal_p", ranks.P}
	if d.binary {
		if t, err := hypothesis.ChiSquare(shares); err == nil {
			p, effect = t.P, t.CramersV
			figures = []any{"chi_square", t.ChiSquare, "df", float64(t.DF), "cramers_v", t.CramersV,
				"min_expected", t.MinExpected}
		}
	} else if t, err := hypothesis.WelchANOVA(samples...); err == nil {
		figures = append(figures, "welch_f", t.F, "welch_df1", t.DF1, "welch_df2", t.DF2, "welch_p", t.P)
		if !slices.ContainsFunc(samples, func(x []float64) bool { return len(x) < small && skew(x) > skewed }) {
			p = t.P
		}
	}
	d.P = &p
	text := d.t.GroupsDiffer
	if p >= level {
		text = d.t.GroupsDifferNot
	}
	d.add(CheckDifference, Pass, fill(text, "n", count(len(all)), "by", quoted(d.Claim.By), "p", d.t.chance(p), "effect", d.t.ratio(effect)),
		append(figures, "p", p, "effect", effect)...)
	return p < level && d.pairs(all, a, b)
}

// pairs tests the pairs of groups, adjusted by Holm.
func (d *difference) pairs(all []*group, a, b *group) bool {
	type pair struct {
		a, b *group
		tested
	}
	var found []pair
	var p []float64
	add := func(a, b *group) {
		if r, ok := d.pairTest(a.x, b.x); ok {
			r.diff = d.exactly(a, b, r.diff)
			found, p = append(found, pair{a, b, r}), append(p, r.p)
		}
	}
	for i, g := range all {
		if d.Claim.Comparison != Differ && i > 0 {
			break
		}
		if i > 0 && len(all) > maxPairs {
			d.skip(CheckGroups, fill(d.t.ManyGroups, "n", count(maxPairs)))
			break
		}
		for _, other := range all[i+1:] {
			add(g, other)
		}
	}
	adjusted, err := hypothesis.Holm(p)
	if err != nil || len(p) == 0 {
		d.skip(CheckGroups, d.t.AllEqual)
		return false
	}
	if d.Claim.Comparison == Differ {
		at := slices.IndexFunc(found, func(f pair) bool { return f.a == a && f.b == b || f.a == b && f.b == a })
		if at < 0 {
			return true
		}
		text, outcome := d.t.Differs, Pass
		if adjusted[at] >= level {
			text, outcome = d.t.DiffersNot, Warn
		}
		d.add(CheckGroups, outcome, d.sentence(text, a, b, adjusted[at], found[at].effect), "holm_p", adjusted[at])
		return true
	}
	good := true
	for i, f := range found {
		switch {
		case d.opposite(f.diff) && adjusted[i] < level:
			d.add(CheckGroups, Fail, d.sentence(d.t.FirstWrong, f.a, f.b, adjusted[i], f.effect), "holm_p", adjusted[i])
			return false
		case adjusted[i] >= level && good:
			good = false
			d.add(CheckGroups, Warn, d.sentence(d.t.FirstNot, f.a, f.b, adjusted[i], f.effect), "holm_p", adjusted[i])
		}
	}
	if good {
		d.add(CheckGroups, Pass, fill(d.t.FirstSeparate, "a", quoted(a.name)), "holm_p", slices.Max(adjusted))
	}
	return true
}

// explain looks for what explains a significant difference of two groups away.
func (d *difference) explain(a, b *group) error {
	if !d.binary {
		d.outliers(a, b)
	}
	x := slices.Concat(a.x, b.x)
	at := slices.Concat(a.at, b.at)
	second := make([]bool, len(x))
	for i := range b.x {
		second[len(a.x)+i] = true
	}
	return d.simpson(at, func(stratum []int, k int) (before, after, z float64, ok bool) {
		if d.binary {
			return withinShares(x, second, stratum, k)
		}
		return withinMeans(x, second, stratum, k)
	}, d.value)
}
