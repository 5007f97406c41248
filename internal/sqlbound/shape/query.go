package shape

import (
	"math"
	"slices"

	"github.com/qedkit/qed/internal/sqlast"
)

// A result is what is known of a query. Without columns it is a stored table.
type result struct {
	columns []column
	joined  float64 // tables that it adds to a FROM that reads it
}

// A column is one of a computed table, with the size of the expression that it stands
// for.
type column struct{ tables, nodes float64 }

var stored = &result{joined: 1}

func (s *shaper) query(q *sqlast.Query) *result {
	if s.err != nil {
		return stored
	}
	s.declare(q.With)
	r := s.body(q.Body, q.OrderBy)
	s.expr(q.Limit)
	s.expr(q.Offset)
	if q.Limit != nil {
		cut := *r
		cut.apart()
		r = &cut
	}
	return r
}

func (s *shaper) body(b sqlast.Body, order []sqlast.Order) *result {
	switch b := b.(type) {
	case *sqlast.Select:
		return s.selectBlock(b, order)
	case *sqlast.SetOp:
		r := s.setOp(b)
		s.order(order)
		return r
	case *sqlast.Values:
		return s.values(b)
	case *sqlast.Query:
		r := s.query(b)
		s.order(order)
		return r
	}
	return stored
}

// setOp counts the arms. A condition on the result is copied into each of them.
func (s *shaper) setOp(o *sqlast.SetOp) *result {
	left, right := s.body(o.Left, nil), s.body(o.Right, nil)
	r := &result{joined: 1, columns: slices.Clone(left.columns)}
	for i := range r.columns {
		if i < len(right.columns) {
			r.columns[i].nodes += right.columns[i].nodes
			r.columns[i].tables += right.columns[i].tables
		}
	}
	return r
}

func (s *shaper) values(v *sqlast.Values) *result {
	r := &result{joined: 1}
	for _, row := range v.Rows {
		for i, e := range row {
			w := s.measured(e)
			if i >= len(r.columns) {
				r.columns = append(r.columns, column{})
			}
			r.columns[i].nodes = max(r.columns[i].nodes, w.nodes)
			r.columns[i].tables = max(r.columns[i].tables, w.tables)
		}
	}
	return r
}

func (s *shaper) selectBlock(b *sqlast.Select, order []sqlast.Order) *result {
	r := &result{}
	if b.From != nil {
		joined, series := s.relation(b.From)
		r.joined = joined + s.conditions(b.From)
		s.checkSeries(b.Pos, series)
	}
	s.items(b, r)
	s.exprs(b.DistinctOn)
	r.joined += s.condition(b.Where)
	s.exprs(b.GroupBy)
	s.grouping(b)
	s.expr(b.Having)
	s.expr(b.Qualify)
	for _, w := range b.Windows {
		sqlast.Walk(w, s.visit)
	}
	s.order(order)
	s.plan(b, r)
	return r
}

func (s *shaper) items(b *sqlast.Select, r *result) {
	r.columns = make([]column, len(b.Items))
	for i := range b.Items {
		w := s.measured(b.Items[i].Expr)
		r.columns[i] = column{tables: w.tables, nodes: w.nodes}
	}
}

// plan counts the tables of a block that are planned together, and sets those that
// it adds to a FROM that reads the block.
func (s *shaper) plan(b *sqlast.Select, r *result) {
	if r.joined > maxJoined {
		s.fail(sqlast.TooComplex, b.Pos, "FROM",
			"more than %d tables are joined here, with those of derived tables, common table expressions, IN and EXISTS: "+
				"join fewer tables, or split the question", maxJoined)
	}
	if s.rules.PlansOrders {
		s.sum.planned += planning(r.joined)
	}
	if b.Distinct || b.DistinctOn != nil || b.GroupBy != nil || b.Having != nil {
		r.joined = 1
	}
	r.joined = max(r.joined, 1)
}

// planning returns the cost of planning a FROM of some tables. PostgreSQL compares all
// orders of up to 8 tables that JOIN combines, and of more only those of each 8.
func planning(tables float64) float64 {
	if tables > 8 {
		return tables * tables
	}
	return 64 * math.Pow(3, tables-8)
}

// relation counts a relation of FROM. It returns the tables that it adds to the FROM, and
// the rows that its series make together.
func (s *shaper) relation(r sqlast.Relation) (joined, series float64) {
	of, series := &result{joined: 1}, 1.0
	switch r := r.(type) {
	case *sqlast.Join:
		left, rows := s.relation(r.Left)
		right, more := s.relation(r.Right)
		return left + right, rows * more
	case *sqlast.Table:
		s.sum.tables++
		if r.CTE != nil {
			of = s.reference(r)
		}
	case *sqlast.Derived:
		s.sum.tables++
		of = s.query(r.Query)
	case *sqlast.TableFunction:
		s.sum.tables += float64(len(r.Calls))
		for _, c := range r.Calls {
			s.exprs(c.Args)
			series *= seriesRows(c)
		}
	}
	s.results[r] = of
	return of.joined, series
}

// conditions counts the ON clauses of a relation and returns the tables of their
// subqueries.
func (s *shaper) conditions(r sqlast.Relation) float64 {
	j, ok := r.(*sqlast.Join)
	if !ok {
		return 0
	}
	return s.conditions(j.Left) + s.conditions(j.Right) + s.condition(j.On)
}

// condition counts a condition. It returns the tables of its IN and EXISTS, which
// engines merge into FROM.
func (s *shaper) condition(e sqlast.Expr) float64 {
	if b, ok := e.(*sqlast.Binary); ok && b.Op == sqlast.And {
		return s.condition(b.X) + s.condition(b.Y)
	}
	s.joined = 0
	s.expr(e)
	if u, ok := e.(*sqlast.Unary); ok && u.Op == sqlast.Not {
		e = u.X
	}
	switch e := e.(type) {
	case *sqlast.In:
		if e.Query != nil {
			return s.joined
		}
	case *sqlast.Exists, *sqlast.Quantified:
		return s.joined
	}
	return 0
}
