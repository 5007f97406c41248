package claims

import (
	"context"

	"github.com/qedkit/qed/stats/hypothesis"
)

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
	w, err := hypothesis.WilsonInterval(k, n, confidence)
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
			value, claimed = *part, c.t.percent(*part)
			low, high = w.Low, w.High
			if complete { // the share is known, and the claim may be rounded
				low, high = share-0.0051, share+0.0051
			}
		}
		if text = c.t.ShareFits; value < low || value > high {
			result, text = Fail, c.t.ShareWrong
		}
	}
	c.add(CheckShare, result, fill(text, "count", count(k), "n", count(n), "value", quoted(outcome), "share", c.t.percent(share),
		"low", c.t.percent(w.Low), "high", c.t.percent(w.High), "claimed", claimed), "share", share, "low", w.Low, "high", w.High)
	c.shareSizes([]*group{g})
	return context.Cause(c.ctx)
}
