package sqlbound

import (
	"slices"

	"github.com/qedkit/qed/internal/sqlast"
)

// A cte is a common table expression.
type cte struct {
	*sqlast.CTE
	sizes []size // of its columns
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

func (c *checker) query(q *sqlast.Query) []size {
	outer := c.items
	if q.With != nil {
		c.declare(q.With)
	}
	sizes := c.body(q.Body)
	c.items = sizes
	for _, o := range q.OrderBy {
		c.root(o.Expr)
	}
	c.optional(q.Limit)
	c.optional(q.Offset)
	c.items = outer
	return sizes
}

func (c *checker) declare(w *sqlast.With) {
	for _, x := range w.CTEs {
		c.ctes[x] = &cte{CTE: x}
	}
	for _, x := range w.CTEs {
		c.estimate(c.ctes[x])
	}
}

func (c *checker) body(b sqlast.Body) []size {
	switch b := b.(type) {
	case *sqlast.Select:
		return c.selectBlock(b)
	case *sqlast.Query:
		return c.query(b)
	case *sqlast.Values:
		return c.values(b)
	case *sqlast.SetOp:
		sizes, right := slices.Clone(c.body(b.Left)), c.body(b.Right)
		for i := range min(len(sizes), len(right)) {
			sizes[i] = sizes[i].or(right[i])
		}
		return sizes
	}
	return nil
}

func (c *checker) values(v *sqlast.Values) []size {
	var sizes []size
	for _, row := range v.Rows {
		if sizes == nil {
			sizes = make([]size, len(row))
		}
		for i, e := range row {
			sizes[i] = sizes[i].or(c.root(e))
		}
	}
	return sizes
}

func (c *checker) selectBlock(b *sqlast.Select) []size {
	if b.From != nil {
		c.relation(b.From)
		c.conditions(b.From)
	}
	sizes := make([]size, len(b.Items))
	row := int64(0)
	for i := range b.Items {
		sizes[i] = c.root(b.Items[i].Expr)
		if row = add(row, sizes[i].bytes()); row > c.most(maxRow) {
			c.fail(b.Items[i].Expr.At(), "", "the columns of this select list can have more than %d bytes together: "+
				"select fewer long texts", c.most(maxRow))
		}
	}
	c.items = sizes
	c.roots(b.DistinctOn)
	c.optional(b.Where)
	c.roots(b.GroupBy)
	c.optional(b.Having)
	c.optional(b.Qualify)
	for _, w := range b.Windows {
		c.work = add(c.work, c.window(w))
	}
	return sizes
}

func (c *checker) roots(list []sqlast.Expr) {
	for _, e := range list {
		c.root(e)
	}
}

// relation estimates the computed columns of a relation of FROM.
func (c *checker) relation(r sqlast.Relation) {
	switch r := r.(type) {
	case *sqlast.Join:
		c.relation(r.Left)
		c.relation(r.Right)
	case *sqlast.Table:
		if r.CTE != nil {
			c.sizes[r] = c.reference(r.CTE)
		}
	case *sqlast.Derived:
		c.sizes[r] = c.query(r.Query)
	case *sqlast.TableFunction:
		v := size{}
		for _, call := range r.Calls {
			v = v.or(c.root(call))
		}
		c.sizes[r] = []size{v}
	}
}

func (c *checker) conditions(r sqlast.Relation) {
	if j, ok := r.(*sqlast.Join); ok {
		c.conditions(j.Left)
		c.conditions(j.Right)
		c.optional(j.On)
	}
}

// column returns the size of the column that a reference names. The alias of an item, which
// is computed once, is as long as the longest one.
func (c *checker) column(e *sqlast.Column) size {
	if e.Of == nil {
		v := longest(c.items)
		v.work = 0
		return v
	}
	sizes, computed := c.sizes[e.Of]
	switch {
	case !computed:
		return size{data: stored}
	case e.Index < len(sizes):
		return sizes[e.Index]
	}
	return longest(sizes)
}

// isStored reports whether an expression is a column of a stored table.
func isStored(e sqlast.Expr) bool {
	c, ok := e.(*sqlast.Column)
	if !ok {
		return false
	}
	t, ok := c.Of.(*sqlast.Table)
	return ok && t.CTE == nil
}

func longest(list []size) (v size) {
	for _, s := range list {
		v = v.or(s)
	}
	return v
}
