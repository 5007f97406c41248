package stats

import (
	"cmp"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/column"
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

// CompareGroups compares the numbers of the column value between the groups that
// the column by makes. The errors.Is targets are ErrUnknownField,
// ErrAmbiguousColumn and ErrFieldType.
func CompareGroups(t *qed.Table, value, by string) (*Comparison, error) {
	v, err := numeric(t, value)
	if err != nil {
		return nil, err
	}
	place, err := find(t, by)
	if err != nil {
		return nil, err
	}
	return compare(t, v, place), nil
}

func compare(t *qed.Table, v *variable, place int) *Comparison {
	c := &Comparison{Value: v.Name, By: t.Columns[place].Name, Groups: []Group{}, P: 1}
	values, ranked := map[string][]float64{}, map[string][]float64{}
	same := mergeRounded(v.Numbers)
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
	r, ok := kruskalWallis(tested)
	if !ok {
		c.Unclear = v.allEqual("all values")
		return c
	}
	c.H, c.DF, c.P, c.Effect = r.h, r.df, r.p, r.effect
	c.Differ = c.P < level
	return c
}

func group(name string, x []float64) Group {
	g := Group{Name: name, N: len(x), Small: len(x) < minGroup, Sum: column.Sum(x)}
	mean, sd := meanStdDev(x)
	g.Mean = mean
	if len(x) > 1 {
		g.StdDev = &sd
	}
	sorted := slices.Sorted(slices.Values(x))
	g.Median, g.Min, g.Max = quantile(0.5, sorted), sorted[0], sorted[len(sorted)-1]
	return g
}

type rankTest struct {
	h      float64
	df     int
	p      float64
	effect float64
}

// kruskalWallis tests whether groups come from one distribution. ok is false if
// all values are equal. There must be at least two groups, and more values than
// groups.
func kruskalWallis(groups [][]float64) (r rankTest, ok bool) {
	all := slices.Concat(groups...)
	rank, ties := ranks(all)
	n, k := float64(len(all)), float64(len(groups))
	correction := 1.0
	for _, t := range ties {
		correction -= (t*t*t - t) / (n*n*n - n)
	}
	if column.IsConstant(all) || correction <= 0 {
		return r, false
	}
	var at int
	for _, g := range groups {
		var total float64
		for range g {
			total += rank[at]
			at++
		}
		// Relative to the middle rank, so that no digits cancel out.
		d := total/float64(len(g)) - (n+1)/2
		r.h += float64(len(g)) * d * d
	}
	r.h *= 12 / (n * (n + 1)) / correction
	r.df = len(groups) - 1
	r.p = distuv.ChiSquared{K: k - 1}.Survival(r.h)
	r.effect = max(0, min(1, (r.h-k+1)/(n-k)))
	return r, true
}
