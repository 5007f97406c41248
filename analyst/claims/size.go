package claims

import (
	"math"

	"github.com/qedkit/qed/internal/hypothesis"
	"github.com/qedkit/qed/internal/numeric"
)

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
		i, err := hypothesis.WilsonInterval(int(numeric.Sum(g.x)), len(g.x), confidence)
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
	outcome, text := Pass, fill(c.t.ShareOK, "width", c.t.number(math.Ceil(1000*half)/10))
	if half > wideShare {
		outcome = Warn
		text = fill(c.t.ShareWide, "group", quoted(widest.name), "n", count(len(widest.x)),
			"low", c.t.percent(interval.Low), "high", c.t.percent(interval.High))
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
	if _, decides, err := independence(counts); err == nil {
		p = decides
	}
	switch {
	case p < strictLevel && share(high)-share(low) >= 0.05:
		c.add(CheckMissing, Warn, fill(c.t.MissingDepends, "a", quoted(low.name), "low", c.t.percent(share(low)),
			"b", quoted(high.name), "high", c.t.percent(share(high)), "p", c.t.chance(p)), "share", total, "p", p)
	case total > manyMissing:
		c.add(CheckMissing, Warn, fill(c.t.MissingMany, "share", c.t.percent(total)), "share", total, "p", p)
	default:
		c.add(CheckMissing, Pass, fill(c.t.MissingFine, "share", c.t.percent(total)), "share", total, "p", p)
	}
}
