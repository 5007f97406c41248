package shape

import (
	"math"
	"slices"

	"github.com/qedkit/qed/internal/sqlast"
)

// A block has the tables that the expressions of a SELECT may name.
type block struct {
	outer  *block
	tables []table
	series float64 // rows that the series of its FROM make together
}

// A table is one of FROM.
type table struct {
	alias string
	*result
}

// A result is what is known of a query. Without columns it is a stored table.
type result struct {
	names   []string
	columns []column
	joined  float64 // tables that it adds to a FROM that reads it
}

// A column is one of a computed table, with the size of the expression that it stands
// for.
type column struct{ tables, nodes float64 }

var stored = &result{joined: 1}

// query counts a query and returns its result.
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

// body counts a body. The order belongs to its query.
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
	r := &result{names: left.names, joined: 1, columns: slices.Clone(left.columns)}
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
	if len(v.Rows) > 0 {
		r.names = valuesNames(len(v.Rows[0]))
	}
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
	outer := s.block
	s.block = &block{outer: outer, series: 1}
	r := &result{}
	s.from(b, r)
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
	s.block = outer
	return r
}

// from counts the FROM of a block.
func (s *shaper) from(b *sqlast.Select, r *result) {
	if b.From == nil {
		return
	}
	s.relation(b.From)
	for i := range s.block.tables {
		r.joined += s.block.tables[i].joined
	}
	r.joined += s.conditions(b.From)
	s.checkSeries(b.Pos, s.block.series)
}

// items counts the select list.
func (s *shaper) items(b *sqlast.Select, r *result) {
	r.columns = make([]column, len(b.Items))
	r.names = make([]string, len(b.Items))
	for i := range b.Items {
		it := &b.Items[i]
		r.names[i] = itemName(it)
		w := s.measured(it.Expr)
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

// relation counts a relation of FROM and declares its tables.
func (s *shaper) relation(r sqlast.Relation) {
	switch rel := r.(type) {
	case *sqlast.Join:
		s.relation(rel.Left)
		s.relation(rel.Right)
		return
	case *sqlast.Table:
		s.sum.tables++
		t := table{rel.Alias, stored}
		if rel.CTE != nil {
			t.result = s.reference(rel)
		}
		s.block.tables = append(s.block.tables, t)
	case *sqlast.Derived:
		s.sum.tables++
		t := table{rel.Alias, s.query(rel.Query)}
		if rel.Columns != nil {
			named := *t.result
			named.names = append(slices.Clone(rel.Columns), named.names[min(len(rel.Columns), len(named.names)):]...)
			t.result = &named
		}
		s.block.tables = append(s.block.tables, t)
	case *sqlast.TableFunction:
		s.sum.tables += float64(len(rel.Calls))
		s.block.tables = append(s.block.tables, table{rel.Alias, s.function(rel)})
	}
}

// function counts the functions of a TableFunction.
func (s *shaper) function(f *sqlast.TableFunction) *result {
	r := &result{names: f.Columns, joined: 1}
	for _, c := range f.Calls {
		s.exprs(c.Args)
		s.block.series *= seriesRows(c)
	}
	for range f.Columns {
		r.columns = append(r.columns, column{nodes: 1})
	}
	return r
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

// itemName returns the name of the column that an item produces.
func itemName(it *sqlast.Item) string {
	if c, ok := it.Expr.(*sqlast.Column); ok && it.Alias == "" {
		return c.Name
	}
	return it.Alias
}
