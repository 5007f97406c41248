package claims

import (
	"context"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/column"
	"github.com/qedkit/qed/internal/sample"
	"github.com/qedkit/qed/stats"
	"github.com/qedkit/qed/stats/hypothesis"
)

// compare checks a claim about groups.
func (c *checker) compare() error {
	x, binary, err := c.measured()
	if err != nil {
		return err
	}
	all, err := c.groups(x)
	if err != nil {
		return err
	}
	c.missing(all)
	if c.Claim.Kind == Shares && !binary {
		c.mix(all, x)
		return nil
	}
	if binary {
		c.shareSizes(all)
	} else {
		c.sizes(all)
	}
	tested := slices.DeleteFunc(slices.Clone(all), func(g *group) bool { return len(g.x) < 2 })
	first := all[:min(1, len(all))]
	switch {
	case len(tested) < 2:
		c.skip(CheckDifference, c.t.NoGroups)
		return nil
	case c.Claim.Comparison != Differ && tested[0] != first[0]:
		c.skip(CheckDifference, fill(c.t.FewValues, "n", "2"))
		return nil
	}
	d := &difference{checker: c, binary: binary}
	a, b := tested[0], tested[1]
	if len(tested) > 2 {
		a, b = d.pair(tested)
		if d.several(tested, a, b) {
			return d.explain(a, b)
		}
		return nil
	}
	if d.two(a, b) {
		return d.explain(a, b)
	}
	return nil
}

// measured returns the metric by row, NaN where it is missing. The metric of an
// outcome is 1 or 0.
func (c *checker) measured() (x []float64, binary bool, err error) {
	x = make([]float64, len(c.table.Rows))
	if c.Claim.Kind == Means {
		col, err := c.numeric(c.metric)
		if err != nil {
			return nil, false, err
		}
		for i := range x {
			x[i] = math.NaN()
		}
		for i, row := range col.At {
			x[row] = col.Numbers[i]
		}
		return x, false, nil
	}
	names, _ := c.values(c.metric)
	switch outcome, ok := like(c.Claim.Outcome, names); {
	case c.Claim.Outcome != "" && !ok:
		return nil, false, c.unknownOutcome()
	case ok && c.Claim.Outcome != "":
		c.Claim.Outcome, binary = outcome, true
	case len(names) == 2:
		for _, name := range names {
			if slices.Contains([]string{"1", "true", "yes", "ja", "y", "j", "wahr"}, strings.ToLower(name)) {
				c.Claim.Outcome, binary = name, true
			}
		}
	}
	if !binary && c.Claim.Comparison != Differ {
		return nil, false, c.unknownOutcome()
	}
	index := map[string]int{}
	for i, name := range names {
		index[name] = i
	}
	for i, row := range c.table.Rows {
		text, ok := column.Text(row[c.metric])
		switch {
		case !ok:
			x[i] = math.NaN()
		case !binary:
			x[i] = float64(index[text])
		case text == c.Claim.Outcome:
			x[i] = 1
		}
	}
	return x, binary, nil
}

func (c *checker) sizes(all []*group) {
	var least *group
	for _, g := range all {
		if least == nil || len(g.x) < len(least.x) {
			least = g
		}
	}
	switch {
	case least == nil:
		c.skip(CheckSize, c.t.NoGroups)
	case len(least.x) < fewRows:
		c.add(CheckSize, Warn, fill(c.t.SizeSmall, "group", quoted(least.name), "n", count(len(least.x))), "n", float64(len(least.x)))
	default:
		c.add(CheckSize, Pass, fill(c.t.SizeOK, "n", count(len(least.x))), "n", float64(len(least.x)))
	}
}

const confidence = 0.95

// wideShare is half the width of an interval beyond which a share is uncertain.
const wideShare = 0.2

func (c *checker) shareSizes(all []*group) {
	var widest *group
	var interval hypothesis.Interval
	for _, g := range all {
		i, err := hypothesis.Wilson(int(sample.Sum(g.x)), len(g.x), confidence)
		if err != nil {
			i = hypothesis.Interval{Low: 0, High: 1} // of no rows
		}
		if widest == nil || i.High-i.Low > interval.High-interval.Low {
			widest, interval = g, i
		}
	}
	if widest == nil {
		c.skip(CheckSize, c.t.NoGroups)
		return
	}
	half := (interval.High - interval.Low) / 2
	outcome, text := Pass, fill(c.t.ShareOK, "width", number(math.Ceil(1000*half)/10))
	if half > wideShare {
		outcome = Warn
		text = fill(c.t.ShareWide, "group", quoted(widest.name), "n", count(len(widest.x)),
			"low", percent(interval.Low), "high", percent(interval.High))
	}
	c.add(CheckSize, outcome, text, "n", float64(len(widest.x)), "low", interval.Low, "high", interval.High)
}

// manyMissing is the share of missing values that is a problem in itself.
const manyMissing = 0.2

// missing checks missing values, and whether they depend on the group.
func (c *checker) missing(all []*group) {
	var rows, missing int
	var low, high *group
	share := func(g *group) float64 { return float64(g.missing) / float64(len(g.x)+g.missing) }
	counts := [][]int{}
	for _, g := range all {
		rows += len(g.x) + g.missing
		missing += g.missing
		counts = append(counts, []int{g.missing, len(g.x)})
		if low == nil || share(g) < share(low) {
			low = g
		}
		if high == nil || share(g) > share(high) {
			high = g
		}
	}
	if rows == 0 {
		c.skip(CheckMissing, c.t.NoGroups)
		return
	}
	if missing == 0 {
		c.add(CheckMissing, Pass, c.t.MissingNone)
		return
	}
	total := float64(missing) / float64(rows)
	p := 1.0
	if t, err := hypothesis.ChiSquare(counts); err == nil {
		p = t.P
		if len(counts) == 2 && t.MinExpected < 5 {
			p, _ = hypothesis.Fisher(hypothesis.Fourfold{{counts[0][0], counts[0][1]}, {counts[1][0], counts[1][1]}})
		}
	}
	switch {
	case p < strictLevel && share(high)-share(low) >= 0.05:
		c.add(CheckMissing, Warn, fill(c.t.MissingDepends, "a", quoted(low.name), "low", percent(share(low)),
			"b", quoted(high.name), "high", percent(share(high)), "p", chance(p)), "share", total, "p", p)
	case total > manyMissing:
		c.add(CheckMissing, Warn, fill(c.t.MissingMany, "share", percent(total)), "share", total, "p", p)
	default:
		c.add(CheckMissing, Pass, fill(c.t.MissingFine, "share", percent(total)), "share", total, "p", p)
	}
}

// mix tests whether all values of the metric depend on the group.
func (c *checker) mix(all []*group, x []float64) {
	c.sizes(all)
	var most float64
	for _, v := range x {
		if v > most { // not for NaN
			most = v
		}
	}
	used := make([]int, int(most)+1)
	if len(used) > maxGroups {
		c.skip(CheckDifference, fill(c.t.ManyGroups, "n", count(maxGroups)))
		return
	}
	var counts [][]int
	for _, g := range all {
		row := make([]int, len(used))
		for _, v := range g.x {
			row[int(v)]++
			used[int(v)]++
		}
		if len(g.x) > 0 {
			counts = append(counts, row)
		}
	}
	for i, row := range counts {
		var kept []int
		for j, n := range row {
			if used[j] > 0 {
				kept = append(kept, n)
			}
		}
		counts[i] = kept
	}
	c.skip(CheckSimpson, c.t.MixOnly)
	t, err := hypothesis.ChiSquare(counts)
	if err != nil {
		c.skip(CheckDifference, c.t.NoGroups)
		return
	}
	p := t.P
	if len(counts) == 2 && len(counts[0]) == 2 && t.MinExpected < 5 {
		p, _ = hypothesis.Fisher(hypothesis.Fourfold{{counts[0][0], counts[0][1]}, {counts[1][0], counts[1][1]}})
	}
	outcome, text := Pass, c.t.MixDiffers
	switch {
	case p >= level:
		text = c.t.MixDiffersNot
	case t.MinExpected < 1 && p == t.P:
		outcome, text = Warn, c.t.MixInexact
	}
	c.P = &p
	sentence := fill(text, "metric", quoted(c.Claim.Metric), "by", quoted(c.Claim.By), "p", chance(p), "effect", ratio(t.V))
	c.add(CheckDifference, outcome, sentence,
		"chi_square", t.ChiSquare, "df", float64(t.DF), "p", p, "cramers_v", t.V, "min_expected", t.MinExpected)
}

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

// pairTest tests two samples. ok is false if there is no test.
func (d *difference) pairTest(a, b []float64) (r tested, ok bool) {
	if len(a) < 2 || len(b) < 2 || sample.IsConstant(slices.Concat(a, b)) {
		return r, false
	}
	meanA, _ := sample.MeanStdDev(a)
	meanB, _ := sample.MeanStdDev(b)
	r.diff = sample.Finite(meanA - meanB)
	if d.binary {
		f := hypothesis.Fourfold{fourRow(a), fourRow(b)}
		t, err := hypothesis.ChiSquare([][]int{f[0][:], f[1][:]})
		if err != nil {
			return r, false
		}
		r.p, r.effect = t.P, t.V
		r.figures = []any{"chi_square", t.ChiSquare, "cramers_v", t.V, "min_expected", t.MinExpected}
		if odds := f.OddsRatio(); odds != nil {
			r.figures = append(r.figures, "odds_ratio", *odds)
		}
		if t.MinExpected < 5 {
			r.p, _ = hypothesis.Fisher(f) // the counts are not negative
			r.figures = append(r.figures, "fisher_p", r.p)
		}
		return r, true
	}
	ranks, err := hypothesis.MannWhitney(a, b)
	if err != nil {
		return r, false
	}
	r.figures = []any{"mann_whitney_u", ranks.U, "mann_whitney_p", ranks.P}
	r.p, r.effect = ranks.P, ranks.Effect
	means, err := hypothesis.Welch(a, b)
	if err != nil {
		return r, true
	}
	r.figures = append(r.figures, "welch_t", means.T, "welch_df", means.DF, "welch_p", means.P, "hedges_g", means.G)
	if min(len(a), len(b)) >= small || max(skew(a), skew(b)) <= skewed {
		r.p, r.effect = means.P, means.G
	}
	return r, true
}

func skew(x []float64) float64 {
	if len(x) < 3 || sample.IsConstant(x) {
		return 0
	}
	x, _ = sample.Scaled(x)
	if s := math.Abs(stat.Skew(x, nil)); !math.IsNaN(s) {
		return s
	}
	return 0
}

func fourRow(x []float64) [2]int {
	with := int(sample.Sum(x))
	return [2]int{with, len(x) - with}
}

func (d *difference) value(v float64) string {
	if d.binary {
		return percent(v)
	}
	return number(v)
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

func (d *difference) sentence(text string, a, b *group, p, effect float64) string {
	return fill(text, "a", quoted(a.name), "b", quoted(b.name), "meanA", d.value(a.mean()), "meanB", d.value(b.mean()),
		"p", chance(p), "effect", ratio(effect))
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
			p, effect = t.P, t.V
			figures = []any{"chi_square", t.ChiSquare, "df", float64(t.DF), "cramers_v", t.V,
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
	d.add(CheckDifference, Pass, fill(text, "n", count(len(all)), "by", quoted(d.Claim.By), "p", chance(p), "effect", ratio(effect)),
		append(figures, "p", p, "effect", effect)...)
	if p >= level {
		return false
	}
	return d.pairs(all, a, b)
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
	d.add(CheckOutliers, outcome, fill(text, "n", count(removed), "p", chance(worst)), "removed", float64(removed), "p", worst)
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

// share checks a claim about the share of an outcome in all rows.
func (c *checker) share() error {
	names, rows := c.values(c.metric)
	outcome, ok := like(c.Claim.Outcome, names)
	if !ok {
		return c.unknownOutcome()
	}
	c.Claim.Outcome = outcome
	n := 0
	for _, k := range rows {
		n += k
	}
	k := rows[outcome]
	g := &group{name: c.Claim.Metric, x: make([]float64, n), missing: c.Rows - n}
	for i := range k {
		g.x[i] = 1
	}
	c.missing([]*group{g})
	w, err := hypothesis.Wilson(k, n, confidence)
	if err != nil {
		c.skip(CheckShare, c.t.NoValues)
		return nil
	}
	share := float64(k) / float64(n)
	complete := c.Total == c.Rows && !c.table.Truncated
	result, text, claimed := Pass, c.t.ShareIs, ""
	if part, n := c.Claim.Part, c.Claim.Count; part != nil || n != nil {
		var value, low, high float64
		switch {
		case n != nil:
			value, claimed = float64(*n), count(*n)
			low, high = w.Low*float64(c.Total), w.High*float64(c.Total)
			if complete {
				low, high = float64(k), float64(k)
			}
		default:
			value, claimed = *part, percent(*part)
			low, high = w.Low, w.High
			if complete { // the share is known, and the claim may be rounded
				low, high = share-0.0051, share+0.0051
			}
		}
		if text = c.t.ShareFits; value < low || value > high {
			result, text = Fail, c.t.ShareWrong
		}
	}
	c.add(CheckShare, result, fill(text, "count", count(k), "n", count(n), "value", quoted(outcome), "share", percent(share),
		"low", percent(w.Low), "high", percent(w.High), "claimed", claimed), "share", share, "low", w.Low, "high", w.High)
	c.shareSizes([]*group{g})
	return context.Cause(c.ctx)
}
