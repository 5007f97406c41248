package stats

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/column"
	"github.com/qedkit/qed/internal/hypothesis"
	"github.com/qedkit/qed/internal/numeric"
)

// A Comparison measures how the values of one column differ between the groups of
// another one, by the test of Kruskal and Wallis (1952). The test compares ranks,
// so it assumes no distribution and outliers do not affect it.
type Comparison struct {
	Value   string `json:"value"`
	By      string `json:"by"`
	N       int    `json:"n"`       // rows with a value and a group
	Missing int    `json:"missing"` // rows without a value or a group

	// Groups has every group, the one with the largest median first.
	Groups []Group `json:"groups"`

	Tested int     `json:"tested"` // groups with enough values for the test
	H      float64 `json:"h"`      // test statistic, corrected for ties
	DF     int     `json:"df"`     // degrees of freedom
	P      float64 `json:"p"`      // by the chi-squared distribution

	// Effect is the share of the variance of the ranks that the groups explain, 0
	// to 1: the eta squared of H, (H-k+1)/(n-k). Below 0.01 it is negligible, from
	// 0.06 medium, from 0.14 large (Tomczak and Tomczak, 2014).
	Effect float64 `json:"effect"`

	Differ  bool   `json:"differ"`            // P is below 0.05
	Unclear string `json:"unclear,omitempty"` // why the groups were not tested
}

// A Group has the figures of one group of a [Comparison].
type Group struct {
	Name   string   `json:"name"` // the cell, as text
	N      int      `json:"n"`
	Sum    float64  `json:"sum"`
	Mean   float64  `json:"mean"`
	Median float64  `json:"median"`
	Min    float64  `json:"min"`
	Max    float64  `json:"max"`
	StdDev *float64 `json:"std_dev,omitempty"` // nil if there is one value only
	Small  bool     `json:"small,omitempty"`   // too few values: left out of the test
}

// minGroup is the size from which H is close enough to chi-squared.
const minGroup = 5

func compare(t *qed.Table, v *variable, place int) *Comparison {
	c := &Comparison{Value: v.Name, By: t.Columns[place].Name, Groups: []Group{}, P: 1}
	values, ranked := map[string][]float64{}, map[string][]float64{}
	same := numeric.MergeRounded(v.Numbers)
	for i, row := range v.At {
		if name, ok := column.Text(t.Rows[row][place]); ok {
			values[name] = append(values[name], v.Numbers[i])
			ranked[name] = append(ranked[name], same[i])
			c.N++
		}
	}
	c.Missing = v.Rows - c.N
	var tested [][]float64
	for name, x := range values {
		c.Groups = append(c.Groups, group(name, x))
	}
	slices.SortFunc(c.Groups, func(a, b Group) int {
		return cmp.Or(cmp.Compare(b.Median, a.Median), cmp.Compare(b.N, a.N), cmp.Compare(a.Name, b.Name))
	})
	for _, g := range c.Groups {
		if !g.Small {
			tested = append(tested, ranked[g.Name])
		}
	}
	c.Tested = len(tested)
	if c.Tested < 2 {
		c.Unclear = fmt.Sprintf("%s with %d values or more, and at least 2 are needed", countOf(c.Tested, "group"), minGroup)
		return c
	}
	r, err := hypothesis.KruskalWallis(tested...)
	if err != nil {
		c.Unclear = v.allEqual("all values")
		return c
	}
	c.H, c.DF, c.P, c.Effect = r.H, r.DF, r.P, r.Effect
	c.Differ = c.P < level
	return c
}

func group(name string, x []float64) Group {
	g := Group{Name: name, N: len(x), Small: len(x) < minGroup, Sum: numeric.Sum(x)}
	mean, sd := numeric.MeanStdDev(x)
	g.Mean = mean
	if len(x) > 1 {
		g.StdDev = &sd
	}
	sorted := slices.Sorted(slices.Values(x))
	g.Median, g.Min, g.Max = numeric.Quantile(0.5, sorted), sorted[0], sorted[len(sorted)-1]
	return g
}
