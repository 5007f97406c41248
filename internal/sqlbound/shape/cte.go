package shape

import (
	"slices"

	"github.com/qedkit/qed/internal/sqlast"
)

// A cte is a common table expression while its statement is counted.
type cte struct {
	*sqlast.CTE
	counting bool
	weight   weight
	result   *result // nil: not counted yet

	recursive bool // it reads itself
	counted   bool // the statement counts the rows that it reads of it
}

// countUses counts how often each common table expression is named.
func (s *shaper) countUses(q *sqlast.Query) {
	sqlast.Walk(q, func(n sqlast.Node) bool {
		if t, ok := n.(*sqlast.Table); ok && t.CTE != nil {
			if s.uses == nil {
				s.uses = map[*sqlast.CTE]int{}
			}
			s.uses[t.CTE]++
		}
		return true
	})
}

// declare counts the common table expressions of a WITH.
func (s *shaper) declare(w *sqlast.With) {
	if w == nil {
		return
	}
	if s.ctes == nil {
		s.ctes = map[*sqlast.CTE]*cte{}
	}
	for _, c := range w.CTEs {
		s.ctes[c] = &cte{CTE: c}
	}
	for _, c := range w.CTEs {
		s.define(s.ctes[c])
	}
}

// define counts a common table expression, unless that is done.
func (s *shaper) define(c *cte) {
	if c.result != nil || c.counting {
		return
	}
	sum := s.sum
	s.sum, c.counting = weight{}, true
	r := *s.query(c.Query)
	if c.recursive {
		r.apart()
		c.counted = !s.limitInside(c)
	}
	c.weight, c.result, c.counting = s.sum, &r, false
	s.sum = sum
	if s.isShared(c) {
		s.shared.add(&c.weight)
	}
}

func (s *shaper) isShared(c *cte) bool {
	return s.rules.SharedCTEs && (s.uses[c.CTE] > 1 || c.recursive)
}

// reference counts a name in FROM that means a common table expression.
func (s *shaper) reference(t *sqlast.Table) *result {
	c := s.ctes[t.CTE]
	if c == nil {
		return stored
	}
	s.define(c)
	if c.counting {
		c.recursive = true
		return stored
	}
	if c.counted && s.rules.Recursion != BySession {
		s.unbounded = append(s.unbounded, t)
	}
	if !s.isShared(c) {
		s.sum.add(&c.weight)
		return c.result
	}
	r := *c.result
	r.apart()
	return &r
}

// apart makes r the result of a query that is computed apart: nothing is merged into
// or out of it.
func (r *result) apart() {
	r.joined, r.columns = 1, slices.Clone(r.columns)
	for i := range r.columns {
		r.columns[i] = column{nodes: 1}
	}
}
