package secureview

import (
	"slices"

	"github.com/qedkit/qed/internal/sqlast"
	"github.com/qedkit/qed/secureview/dialect"
)

// A fromReader reads the FROM clauses of a statement.
type fromReader struct {
	clauses []*FromClause
	uses    []use
	outputs map[*sqlast.Query][]output
	partOf  map[sqlast.Relation]*part
	classes classes
}

// A use is a table that a part has. A part that is a query has those whose columns
// pass through the query, and one for the columns that the query computes.
type use struct {
	part  *part
	table JoinedTable
}

// A column is a column of a use of a table, or a literal.
type column struct {
	table int // noTable: a literal, by its name
	name  string
}

// An output is a column of a query.
type output struct {
	of   column   // table is noTable if it is computed
	same []column // other columns that have its value in each row of the query
}

const (
	noTable  = -1
	computed = -1 // the number of the use with the columns that a part has itself
)

// fromClauses returns the FROM clauses of a resolved query.
func fromClauses(q *sqlast.Query) []FromClause {
	r := &fromReader{outputs: map[*sqlast.Query][]output{}, partOf: map[sqlast.Relation]*part{}, classes: classes{number: map[column]int{}}}
	r.query(q, nil, InnerJoin, nil)
	var all []FromClause
	for _, c := range r.clauses {
		if c != nil {
			all = append(all, *c)
		}
	}
	return all
}

// query reads a query. kind is how its rows are joined to those of outer, and equal
// are values of outer to which its columns are equal.
func (r *fromReader) query(q *sqlast.Query, outer *from, kind JoinKind, equal []sqlast.Expr) {
	if q.With != nil {
		for _, c := range q.With.CTEs {
			r.query(c.Query, outer, SubqueryJoin, nil)
		}
	}
	r.outputs[q] = r.body(q, q.Body, q.OrderBy, outer, kind, equal)
}

// body reads a body of q and returns its columns.
func (r *fromReader) body(
	q *sqlast.Query, b sqlast.Body, order []sqlast.Order, outer *from, kind JoinKind, equal []sqlast.Expr,
) []output {
	switch b := b.(type) {
	case *sqlast.Query:
		r.query(b, outer, kind, equal)
		return r.outputs[b]
	case *sqlast.SetOp:
		left := r.body(q, b.Left, nil, outer, kind, equal)
		r.outputs[q] = left // a recursive query reads itself in the right arm
		right := r.body(q, b.Right, nil, outer, kind, equal)
		return r.both(left, right)
	case *sqlast.Select:
		return r.selectBlock(b, order, outer, kind, equal)
	}
	return nil
}

// both returns the columns of a set operation: those that are the same column in
// both arms, and computed ones.
func (r *fromReader) both(left, right []output) []output {
	out := slices.Clone(left)
	for i := range out {
		out[i].same = nil
		if i >= len(right) || r.origin(left[i].of) != r.origin(right[i].of) {
			out[i].of.table = noTable
		}
	}
	return out
}

// An origin is a column of a table, whatever use of it is meant.
type origin struct {
	table  dialect.TableName
	column string
}

func (r *fromReader) origin(c column) origin {
	if c.table == noTable {
		return origin{column: c.name}
	}
	return origin{r.uses[c.table].table.Table, c.name}
}

func (r *fromReader) selectBlock(
	s *sqlast.Select, order []sqlast.Order, outer *from, kind JoinKind, equal []sqlast.Expr,
) []output {
	f := &from{fromReader: r, outer: outer, kind: kind}
	at, mark := len(r.clauses), r.classes.mark()
	r.clauses = append(r.clauses, nil)
	if s.From != nil {
		f.add(s.From, InnerJoin)
	}
	for i, e := range equal[:min(len(equal), len(s.Items))] {
		f.equal(outer.value(e), f.value(s.Items[i].Expr), nil)
	}
	r.clauses[at] = f.read(s, order)
	out := make([]output, len(s.Items))
	for i, it := range s.Items {
		out[i] = f.output(it)
	}
	r.classes.undo(mark)
	return out
}

// output returns what an item of the SELECT is.
func (f *from) output(it sqlast.Item) output {
	o := output{of: column{noTable, ""}}
	c, ok := it.Expr.(*sqlast.Column)
	if !ok {
		return o
	}
	of := f.value(c)
	if of.table == noTable || f.uses[of.table].part.from != f || f.uses[of.table].table.Table == (dialect.TableName{}) {
		return o
	}
	o.of = of
	seen := map[origin]bool{f.origin(of): true}
	for _, m := range f.classes.of(of) {
		if from := f.origin(m); m.table != noTable && f.uses[m.table].part.from == f && !seen[from] && len(o.same) < maxSame {
			seen[from] = true
			o.same = append(o.same, m)
		}
	}
	return o
}

// maxSame is how many other columns with the value of a query's column are known
// outside of the query.
const maxSame = 16

// use adds a use of a table in a part.
func (r *fromReader) use(p *part, table dialect.TableName) int {
	r.uses = append(r.uses, use{p, JoinedTable{Table: table, Alias: p.alias, Derived: p.query != nil}})
	return len(r.uses) - 1
}

// value returns the column or the literal that an expression is. The name is empty
// if it is neither. A column that USING merged is any of its columns, if they are
// equal.
func (f *from) value(e sqlast.Expr) column {
	switch e := e.(type) {
	case *sqlast.Column:
		if p := f.partOf[e.Of]; p != nil {
			return p.column(e)
		}
	case *sqlast.Number:
		return column{noTable, "number " + e.Text}
	case *sqlast.String:
		return column{noTable, "string " + e.Value}
	case *sqlast.Call:
		if e.Name != "coalesce" || len(e.Args) == 0 {
			break
		}
		first := f.value(e.Args[0])
		for _, arg := range e.Args[1:] {
			if v := f.value(arg); v.table == noTable || !f.classes.same(first, v) {
				return column{noTable, ""}
			}
		}
		return first
	}
	return column{noTable, ""}
}

// column returns the column of a part that a reference names.
func (p *part) column(e *sqlast.Column) column {
	i := e.Index
	if p.query == nil || i >= len(p.columns) || p.columns[i].of.table == noTable {
		return column{p.self(), e.Name}
	}
	o := &p.columns[i]
	c := p.through(o.of)
	if len(o.same) > 0 && !p.named[i] {
		p.named[i] = true
		for _, same := range o.same {
			p.from.classes.keep(c, p.through(same))
		}
	}
	return c
}

// self returns the number of the use of the table that p is, or of its computed
// columns.
func (p *part) self() int {
	n, ok := p.uses[computed]
	if !ok {
		n = p.from.use(p, dialect.TableName{})
		p.uses[computed] = n
	}
	return n
}

// through returns a column of a table that the query of p reads, as a column of p.
func (p *part) through(c column) column {
	n, ok := p.uses[c.table]
	if !ok {
		n = p.from.use(p, p.from.uses[c.table].table.Table)
		p.uses[c.table] = n
	}
	return column{n, c.name}
}

// first returns the number of the first use of a table in p.
func (p *part) first() int {
	for _, o := range p.columns {
		if o.of.table != noTable {
			return p.through(o.of).table
		}
	}
	return p.self()
}

// filter adds the subqueries of a condition that all rows fulfil.
func (f *from) filter(e sqlast.Expr) {
	not := false
	for {
		u, ok := e.(*sqlast.Unary)
		if !ok || u.Op != sqlast.Not {
			break
		}
		e, not = u.X, !not
	}
	switch n := e.(type) {
	case *sqlast.In:
		not = not != n.Not
	case *sqlast.Quantified:
		not = not != n.All
	case *sqlast.Exists:
	case *sqlast.Binary:
		if not || n.Op != sqlast.Eq {
			f.within(e)
			return
		}
	default:
		f.within(e)
		return
	}
	kind := SemiJoin
	if not {
		kind = AntiJoin
	}
	if !f.match(e, kind) {
		f.within(e)
	}
}

// within adds the subqueries of a value, or of a condition that some rows need not
// fulfil, such as a part of an OR.
func (f *from) within(n sqlast.Node) {
	sqlast.Walk(n, func(n sqlast.Node) bool { return !f.match(n, SubqueryJoin) })
}

// match adds the subqueries of a node that is one, or compares a value with one. It
// returns false for another node.
func (f *from) match(n sqlast.Node, kind JoinKind) bool {
	later := func(q *sqlast.Query, kind JoinKind, equal ...sqlast.Expr) bool {
		f.subqueries = append(f.subqueries, func() { f.query(q, f, kind, equal) })
		return true
	}
	switch n := n.(type) {
	case *sqlast.Query:
		return later(n, SubqueryJoin)
	case *sqlast.Exists:
		return later(n.Query, kind)
	case *sqlast.In:
		if n.Query != nil {
			f.within(n.X)
			return later(n.Query, kind, items(n.X)...)
		}
	case *sqlast.Quantified:
		if n.Query != nil && (n.Op == sqlast.Eq && !n.All || n.Op == sqlast.Ne && n.All) {
			f.within(n.X)
			return later(n.Query, kind, items(n.X)...)
		}
	case *sqlast.Binary:
		x, y := n.X, n.Y
		if _, ok := x.(*sqlast.Subquery); ok {
			x, y = y, x
		}
		if s, ok := y.(*sqlast.Subquery); ok && n.Op == sqlast.Eq {
			f.within(x)
			return later(s.Query, kind, items(x)...)
		}
	}
	return false
}
