package claims

import (
	"context"

	"github.com/qedkit/qed/internal/hypothesis"
)

// share checks a claim about the share of an outcome in all rows.
func (c *checker) share() error {
	names, rows := c.values(c.metric)
	if c.all.complete() { // a rare outcome may not be in the sample
		for key := range c.all.values {
			if rows[key[1]] == 0 {
				names = append(names, key[1])
			}
		}
	}
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
	complete := c.Total == c.Rows && !c.table.Truncated
	if c.all.complete() {
		k, n = c.all.count("", outcome)
		complete = !c.table.Truncated
	}
	w, err := hypothesis.WilsonInterval(k, n, confidence)
	if err != nil {
		c.skip(CheckShare, c.t.NoValues)
		return nil
	}
	share := float64(k) / float64(n)
	result, text, claimed := Pass, c.t.ShareIs, ""
	if part, n := c.Claim.Value, c.Claim.Count; part != nil || n != nil {
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
		outside := value < low || value > high
		switch c.Claim.Comparison {
		case AtLeast:
			outside = value > high
		case AtMost:
			outside = value < low
		}
		if text = c.t.ShareFits; outside {
			result, text = Fail, c.t.ShareWrong
		}
	}
	c.add(CheckShare, result, fill(text, "count", count(k), "n", count(n), "value", quoted(outcome), "share", c.t.percent(share),
		"low", c.t.percent(w.Low), "high", c.t.percent(w.High), "claimed", claimed), "share", share, "low", w.Low, "high", w.High)
	c.shareSizes([]*group{g})
	return context.Cause(c.ctx)
}
