package claims

import (
	"math"
	"slices"
	"strings"

	"github.com/qedkit/qed/internal/column"
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
		c.mix(all)
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
	if c.Claim.Kind == Means {
		col, err := c.numeric(c.metric)
		if err != nil {
			return nil, false, err
		}
		if col.Kind == column.Numbers {
			c.suspect(col.Name, col.Numbers)
		}
		return col.ByRow(), false, nil
	}
	x = make([]float64, len(c.table.Rows))
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

// mix tests whether all values of the metric depend on the group.
func (c *checker) mix(all []*group) {
	c.sizes(all)
	columns := map[float64]int{} // by value
	for _, g := range all {
		for _, v := range g.x {
			if _, known := columns[v]; !known {
				columns[v] = len(columns)
			}
		}
	}
	if len(columns) > maxGroups {
		c.skip(CheckDifference, fill(c.t.ManyGroups, "n", count(maxGroups)))
		return
	}
	var counts [][]int
	for _, g := range all {
		row := make([]int, len(columns))
		for _, v := range g.x {
			row[columns[v]]++
		}
		if len(g.x) > 0 {
			counts = append(counts, row)
		}
	}
	c.skip(CheckSimpson, c.t.MixOnly)
	t, p, err := independence(counts)
	if err != nil {
		c.skip(CheckDifference, c.t.NoGroups)
		return
	}
	outcome, text := Pass, c.t.MixDiffers
	switch {
	case p >= level:
		text = c.t.MixDiffersNot
	case t.MinExpected < 1 && p == t.P:
		outcome, text = Warn, c.t.MixInexact
	}
	c.P = &p
	sentence := fill(text, "metric", quoted(c.Claim.Metric), "by", quoted(c.Claim.By),
		"p", c.t.chance(p), "effect", c.t.ratio(t.CramersV))
	c.add(CheckDifference, outcome, sentence,
		"chi_square", t.ChiSquare, "df", float64(t.DF), "p", p, "cramers_v", t.CramersV, "min_expected", t.MinExpected)
}
