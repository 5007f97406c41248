package sqlbound

import (
	"slices"

	"github.com/qedkit/qed/internal/sqlast"
)

// maxPasses is how often the query of a recursive common table expression is
// estimated: once without rows, and then until no further column grows.
const maxPasses = 6

// reference returns the columns of a common table expression that FROM names. While
// its own query is estimated these are the sizes so far.
func (c *checker) reference(x *sqlast.CTE) []size {
	e := c.ctes[x]
	switch {
	case e == nil: // not in scope, which Resolve excludes
		return []size{{data: collected}}
	case e.state == declared:
		c.estimate(e)
	case e.state == open:
		e.self = true
	}
	return e.sizes
}

// estimate sets the sizes of the columns of a common table expression. If it reads
// itself, a column that grows with each step gets the nominal size of collected
// values, so that a path of names is allowed.
func (c *checker) estimate(e *cte) {
	if e.state != declared {
		return
	}
	e.state, e.sizes, e.self, e.grown = open, []size{}, false, nil
	mark, work := len(c.done), c.work
	for pass, again := 0, true; again && c.err == nil; pass++ {
		for _, inner := range c.done[mark:] {
			inner.state = declared // it may read e
		}
		c.done, c.work = c.done[:mark], work
		sizes := c.query(e.Query)
		switch {
		case !e.self:
			e.sizes, again = sizes, false
		case pass == 0:
			e.sizes, e.grown = withoutWork(sizes), make([]bool, len(sizes))
		default:
			again = c.widen(e, sizes, pass)
		}
	}
	e.state = estimated
	c.done = append(c.done, e)
}

// widen compares the sizes of the columns after a further step with those before.
// It reports whether it changed some.
func (c *checker) widen(e *cte, after []size, pass int) (changed bool) {
	for i := range min(len(after), len(e.sizes)) {
		before := &e.sizes[i]
		switch now := after[i].bytes(); {
		case now <= before.bytes():
		case !e.grown[i] && pass < maxPasses:
			e.grown[i], changed = true, true
			*before = size{text: after[i].text, data: max(collected, after[i].data)}
		case now > before.bytes()+maxStep:
			c.fail(e.Pos, e.Name, "each step of the recursive '%s' makes the texts of its column %d a multiple as long: "+
				"append at most %d bytes in each step", e.Name, i+1, maxStep)
		}
	}
	return changed
}

// withoutWork returns the sizes of columns that an engine computes once, into a
// queue.
func withoutWork(sizes []size) []size {
	out := slices.Clone(sizes)
	for i := range out {
		out[i].work = 0
	}
	return out
}
