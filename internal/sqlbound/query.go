package sqlbound

import (
	"slices"

	"github.com/qedkit/qed/internal/sqlast"
)

// A scope has the columns that the expressions of a block may name.
type scope struct {
	outer  *scope
	tables []table
	items  []sqlast.Item // the select list, once it is estimated
	sizes  []size        // of items, or of the columns of a set operation
}

// A table is a relation of FROM.
type table struct {
	alias string
	names []string
	sizes []size         // nil: stored columns
	index map[string]int // of many names
}

// A cte is a common table expression.
type cte struct {
	table
	*sqlast.CTE
	scope *scope // of its WITH
	state cteState
	self  bool   // its own query reads it
	grown []bool // the columns that grow with each step of a recursion
}

type cteState uint8

const (
	declared cteState = iota
	open
	estimated
)

// query returns the sizes of the columns of a query.
func (c *checker) query(q *sqlast.Query, outer *scope) []size {
	if q.With != nil {
		c.declare(q.With, outer)
	}
	s := c.body(q.Body, outer)
	for _, o := range q.OrderBy {
		c.root(o.Expr, s)
	}
	c.optional(q.Limit, s)
	c.optional(q.Offset, s)
	return s.sizes
}

func (c *checker) declare(w *sqlast.With, outer *scope) {
	if c.ctes == nil {
		c.ctes = make(map[*sqlast.CTE]*cte, len(w.CTEs))
	}
	for _, x := range w.CTEs {
		c.ctes[x] = &cte{CTE: x, scope: outer}
	}
	for _, x := range w.CTEs {
		c.estimate(c.ctes[x])
	}
}

// body returns the scope of the ORDER BY of a body, with the sizes of its columns.
func (c *checker) body(b sqlast.Body, outer *scope) *scope {
	switch b := b.(type) {
	case *sqlast.Select:
		return c.selectBlock(b, outer)
	case *sqlast.Query:
		return &scope{outer: outer, sizes: c.query(b, outer)}
	case *sqlast.Values:
		return &scope{outer: outer, sizes: c.values(b, outer)}
	case *sqlast.SetOp:
		left := c.body(b.Left, outer)
		right := c.body(b.Right, outer)
		s := &scope{outer: outer, sizes: slices.Clone(left.sizes)}
		for i := range min(len(s.sizes), len(right.sizes)) {
			s.sizes[i] = s.sizes[i].or(right.sizes[i])
		}
		return s
	}
	return &scope{outer: outer}
}

func (c *checker) values(v *sqlast.Values, outer *scope) []size {
	s := &scope{outer: outer}
	var sizes []size
	for _, row := range v.Rows {
		if sizes == nil {
			sizes = make([]size, len(row))
		}
		for i, e := range row {
			sizes[i] = sizes[i].or(c.root(e, s))
		}
	}
	return sizes
}

func (c *checker) selectBlock(b *sqlast.Select, outer *scope) *scope {
	s := &scope{outer: outer}
	if b.From != nil {
		c.relation(b.From, s)
		c.conditions(b.From, s)
	}
	sizes := make([]size, len(b.Items))
	row := int64(0)
	for i := range b.Items {
		sizes[i] = c.root(b.Items[i].Expr, s)
		if row = add(row, sizes[i].bytes()); row > c.most(maxRow) {
			c.fail(b.Items[i].Expr.At(), "", "the columns of this select list can have more than %d bytes together: "+
				"select fewer long texts", c.most(maxRow))
		}
	}
	s.items, s.sizes = b.Items, sizes
	c.roots(b.DistinctOn, s)
	c.optional(b.Where, s)
	c.roots(b.GroupBy, s)
	c.optional(b.Having, s)
	c.optional(b.Qualify, s)
	for _, w := range b.Windows {
		c.work = add(c.work, c.window(w, s))
	}
	return s
}

func (c *checker) roots(list []sqlast.Expr, s *scope) {
	for _, e := range list {
		c.root(e, s)
	}
}

// relation adds the tables of a relation to a scope.
func (c *checker) relation(r sqlast.Relation, s *scope) {
	switch r := r.(type) {
	case *sqlast.Join:
		c.relation(r.Left, s)
		c.relation(r.Right, s)
	case *sqlast.Table:
		t := table{}
		if r.CTE != nil {
			t = c.reference(r.CTE)
		}
		t.alias = r.Alias
		s.tables = append(s.tables, t)
	case *sqlast.Derived:
		sizes := c.query(r.Query, s)
		s.tables = append(s.tables, table{alias: r.Alias, names: names(r.Columns, r.Query), sizes: sizes})
	case *sqlast.TableFunction:
		v := size{}
		for _, call := range r.Calls {
			v = v.or(c.root(call, s))
		}
		s.tables = append(s.tables, table{alias: r.Alias, sizes: []size{v}})
	}
}

func (c *checker) conditions(r sqlast.Relation, s *scope) {
	if j, ok := r.(*sqlast.Join); ok {
		c.conditions(j.Left, s)
		c.conditions(j.Right, s)
		c.optional(j.On, s)
	}
}

// names returns the names of the columns of a query. VALUES have none: then a
// column is as long as the longest one.
func names(list []string, q *sqlast.Query) []string {
	if list != nil {
		return list
	}
	b := q.Body
	for {
		switch x := b.(type) {
		case *sqlast.Query:
			b = x.Body
		case *sqlast.SetOp:
			b = x.Left
		case *sqlast.Select:
			list := make([]string, len(x.Items))
			for i := range x.Items {
				list[i] = x.Items[i].Alias
				if column, ok := x.Items[i].Expr.(*sqlast.Column); ok && list[i] == "" {
					list[i] = column.Name
				}
			}
			return list
		default:
			return nil
		}
	}
}

// column returns the size of the column that a reference names.
func (s *scope) column(e *sqlast.Column) size {
	for ; s != nil; s = s.outer {
		if e.Table == "" {
			if s.sizes != nil {
				return s.item(e.Name)
			}
			continue
		}
		for i := range s.tables {
			if t := &s.tables[i]; t.alias == e.Table {
				return t.column(e.Name)
			}
		}
	}
	return size{data: stored}
}

// isStored reports whether an expression is a column of a stored table.
func (s *scope) isStored(e sqlast.Expr) bool {
	c, ok := e.(*sqlast.Column)
	for ; ok && s != nil; s = s.outer {
		for i := range s.tables {
			if s.tables[i].alias == c.Table {
				return s.tables[i].sizes == nil
			}
		}
	}
	return false
}

// item returns the size of the item with the alias.
func (s *scope) item(alias string) size {
	for i := range s.items {
		if s.items[i].Alias == alias {
			return s.sizes[i]
		}
	}
	return longest(s.sizes)
}

func (t *table) column(name string) size {
	if t.sizes == nil {
		return size{data: stored}
	}
	if i := t.find(name); i >= 0 && i < len(t.sizes) {
		return t.sizes[i]
	}
	return longest(t.sizes)
}

func (t *table) find(name string) int {
	const few = 16
	if len(t.names) <= few {
		return slices.Index(t.names, name)
	}
	if t.index == nil {
		t.index = make(map[string]int, len(t.names))
		for i, name := range t.names {
			t.index[name] = i
		}
	}
	i, ok := t.index[name]
	if !ok {
		return -1
	}
	return i
}

func longest(list []size) (v size) {
	for _, s := range list {
		v = v.or(s)
	}
	return v
}

// row returns the size of a whole row of a table.
func (s *scope) row(alias string) (v size) {
	for ; s != nil; s = s.outer {
		for i := range s.tables {
			if t := &s.tables[i]; t.alias == alias {
				for _, column := range t.sizes {
					v = v.plus(column)
				}
				return v
			}
		}
	}
	return v
}
