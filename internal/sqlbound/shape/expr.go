package shape

import "github.com/qedkit/qed/internal/sqlast"

// expr adds an expression to the sum.
func (s *shaper) expr(e sqlast.Expr) {
	if e != nil {
		sqlast.Walk(e, s.visit)
	}
}

func (s *shaper) exprs(list []sqlast.Expr) {
	for _, e := range list {
		s.expr(e)
	}
}

func (s *shaper) order(list []sqlast.Order) {
	for i := range list {
		s.expr(list[i].Expr)
	}
}

// measured adds an expression to the sum and returns what it added.
func (s *shaper) measured(e sqlast.Expr) weight {
	before := s.sum
	s.expr(e)
	return weight{tables: s.sum.tables - before.tables, nodes: s.sum.nodes - before.nodes}
}

// node adds one node of an expression to the sum. It reports whether its parts are
// counted by further calls.
func (s *shaper) node(n sqlast.Node) bool {
	s.written++
	s.sum.nodes++
	switch n := n.(type) {
	case *sqlast.Column:
		if c := s.column(n); c != nil {
			s.sum.nodes += c.nodes - 1
			s.sum.tables += c.tables
		}
	case *sqlast.Query:
		s.joined = s.query(n).joined
		return false
	case *sqlast.Call:
		s.checkSeries(n.Pos, seriesRows(n))
	}
	return s.err == nil
}

// column returns the computed column that an expression names, or nil for a stored
// column and for the alias of an item.
func (s *shaper) column(c *sqlast.Column) *column {
	of := s.results[c.Of]
	if of == nil || c.Index >= len(of.columns) {
		return nil
	}
	return &of.columns[c.Index]
}
