package sqlproof

import (
	"cmp"
	"slices"

	"github.com/qedkit/qed/internal/ascii"
	"github.com/qedkit/qed/internal/lists"
	"github.com/qedkit/qed/internal/sqlast"
)

// A scope is a SELECT block whose FROM has been taken apart into leaves: tables, functions,
// and subqueries that do more than select, filter and join. Subqueries that do no more are
// taken apart as well.
type scope struct {
	*check
	frame  *frame
	leaves []*leaf
	joins  []join
	conds  []cond
	n      int          // attributes
	rules  []dependency // those that hold whatever is aggregated
	owner  []int        // the leaf of each attribute
	views  []*view

	classes   groups[any] // of attributes and literals that conditions make equal; nil: not asked for yet
	equatable int         // the number of attributes that were known then

	optional []optional
	choosing bool // an expression is checked that chooses values: one may be counted that no row has
}

// A frame is a SELECT block whose tables are leaves of a scope, or subqueries with frames
// of their own.
type frame struct {
	scope *scope
	outer *frame // whose columns the block may name; nil: none
	sel   *sqlast.Select
	parts []part
}

// A part is an operand of the FROM of a frame.
type part struct {
	rel   sqlast.Relation
	leaf  *leaf  // nil: taken apart
	inner *frame // what it was taken apart into
}

// A leaf is a relation whose rows a scope combines with others.
type leaf struct {
	index   int
	rel     sqlast.Relation
	label   string         // the name for people
	own     bool           // label is its own name, not that of a subquery
	table   *table         // of the schema; nil: none, or none that it knows
	columns []int          // the columns of table, by the number of the column in the tree; -1: not in the schema
	rows    *rows          // of a subquery; nil: a table or a function
	object  *sqlast.Object // a table of the policy; nil: another relation
	call    bool           // a table function
	row     attr
	attrs   []attr // of the columns that are mentioned, by their number; 0: not yet
	origins []attr // of rows.origins
	lateral []attr // the values of other leaves on which its rows depend
}

// column returns what is known about a column of a subquery.
func (l *leaf) column(a attr) column {
	if i := slices.Index(l.attrs, a); l.rows != nil && i >= 0 && i < len(l.rows.columns) {
		return l.rows.columns[i]
	}
	return column{}
}

// long returns the name of a leaf, also of the table if the name is an alias.
func (l *leaf) long() string {
	if l.object != nil && l.own && l.label != l.object.Logical {
		return l.object.Logical + " " + l.label
	}
	return l.label
}

// A join combines leaves[lo:mid] with leaves[mid:hi].
type join struct {
	kind        sqlast.JoinKind
	asOf        bool
	lo, mid, hi int
	at          sqlast.Pos
}

// A cond is one of the conditions that a WHERE or ON connects by AND.
type cond struct {
	expr   sqlast.Expr
	frame  *frame
	lo, hi int // the leaves that it is about, or more
	join   int // the join whose ON it stands in; -1: a WHERE

	rejects []int // what [scope.rejected] found; nil: not asked yet
}

func (c *check) newScope(sel *sqlast.Select, outer *frame) *scope {
	s := &scope{check: c, n: 1, owner: []int{-1}} // attribute 0 is none
	s.frame = &frame{scope: s, outer: outer, sel: sel}
	if sel.From != nil {
		s.add(s.frame, sel.From, "")
	}
	s.where(s.frame, sel.Where, 0)
	for i := range s.conds { // what an outer join compares is added by outerRules
		if c := &s.conds[i]; c.join < 0 || s.joins[c.join].kind == sqlast.InnerJoin {
			s.rules = append(s.rules, s.said(c)...)
		}
	}
	return s
}

// where adds the conditions of a WHERE about the leaves from lo on.
func (s *scope) where(f *frame, e sqlast.Expr, lo int) {
	s.conditions(cond{expr: e, frame: f, lo: lo, hi: len(s.leaves), join: -1})
}

func (s *scope) conditions(c cond) {
	for _, e := range sqlast.Conjuncts(c.expr) {
		all := shared(e)
		if or, ok := e.(*sqlast.Binary); ok && or.Op == sqlast.Or {
			all = append(all, e)
		}
		for _, c.expr = range all {
			s.conds = append(s.conds, c)
		}
	}
}

// shared returns conditions that a condition implies: those that AND connects, or that each
// alternative of an OR has.
func shared(e sqlast.Expr) []sqlast.Expr {
	or, ok := e.(*sqlast.Binary)
	if !ok || or.Op != sqlast.Or {
		return sqlast.Conjuncts(e)
	}
	right := shared(or.Y)
	right = right[:min(len(right), 16)]
	return slices.DeleteFunc(shared(or.X), func(e sqlast.Expr) bool {
		return !slices.ContainsFunc(right, func(other sqlast.Expr) bool { return sqlast.EqualExpr(e, other) })
	})
}

// add adds the leaves of a relation of f. label is the name of the subquery of the scope
// that the relation is a part of, if any.
func (s *scope) add(f *frame, r sqlast.Relation, label string) {
	switch r := r.(type) {
	case *sqlast.Table:
		if r.CTE != nil {
			s.subquery(f, r, r.CTE.Query, cmp.Or(label, r.CTE.Name), false)
			return
		}
		l := s.leaf(f, r, label)
		if l.object = r.Object; l.object != nil {
			o := l.object
			l.label, l.own = cmp.Or(label, s.tableName(r)), label == ""
			obj := s.object(o)
			l.table, l.columns = obj.table, obj.columns
		}
	case *sqlast.Derived:
		s.subquery(f, r, r.Query, cmp.Or(label, r.Alias), r.Lateral)
	case *sqlast.TableFunction:
		name := r.Alias
		if len(r.Calls) > 0 {
			name = r.Calls[0].Name
		}
		s.leaf(f, r, cmp.Or(label, name)).call = true
	case *sqlast.Join:
		j := join{kind: r.Kind, asOf: r.AsOf, lo: len(s.leaves), at: r.Pos}
		s.add(f, r.Left, label)
		j.mid = len(s.leaves)
		s.add(f, r.Right, label)
		j.hi = len(s.leaves)
		s.joins = append(s.joins, j)
		s.conditions(cond{expr: r.On, frame: f, lo: j.lo, hi: j.hi, join: len(s.joins) - 1})
	}
}

// tableName returns the name of a table, or its alias if the block has the table twice.
func (s *scope) tableName(t *sqlast.Table) string {
	times := 0
	for _, r := range sqlast.Relations(s.frame.sel.From) {
		if other, ok := r.(*sqlast.Table); ok && other.Object == t.Object && other.CTE == nil {
			times++
		}
	}
	if times > 1 && t.Alias != "" {
		return t.Alias
	}
	return t.Object.Logical
}

// leaf adds a leaf to a frame.
func (s *scope) leaf(f *frame, r sqlast.Relation, label string) *leaf {
	l := &leaf{index: len(s.leaves), rel: r, label: label}
	l.row = s.attr(l)
	s.leaves = append(s.leaves, l)
	f.parts = append(f.parts, part{rel: r, leaf: l})
	return l
}

func (s *scope) attr(l *leaf) attr {
	s.owner = append(s.owner, l.index)
	s.n++
	return attr(s.n - 1)
}

// subquery adds a subquery: its leaves, or itself as one.
func (s *scope) subquery(f *frame, r sqlast.Relation, q *sqlast.Query, label string, lateral bool) {
	outer := f.outer
	if lateral {
		outer = f
	}
	if sel := plain(q); sel != nil && !slices.Contains(s.within, q) {
		s.within = append(s.within, q)
		inner := &frame{scope: s, outer: outer, sel: sel}
		if _, several := sel.From.(*sqlast.Join); several {
			label = "" // the names of its tables say more
		}
		lo := len(s.leaves)
		s.add(inner, sel.From, label)
		s.where(inner, sel.Where, lo)
		f.parts = append(f.parts, part{rel: r, inner: inner})
		s.within = s.within[:len(s.within)-1]
		return
	}
	l := s.leaf(f, r, label)
	l.rows = s.rowsOf(q, outer)
	for range l.rows.origins {
		l.origins = append(l.origins, s.attr(l))
	}
	if lateral {
		s.eachColumn(f, q, func(f *frame, c *sqlast.Column) { l.lateral = append(l.lateral, s.columns(f, c)...) })
	}
}

// plain returns the block of a query that selects, filters and joins, or nil.
func plain(q *sqlast.Query) *sqlast.Select {
	if q.Limit != nil || q.Offset != nil || repeats(q.OrderBy) {
		return nil
	}
	switch b := q.Body.(type) {
	case *sqlast.Query:
		return plain(b)
	case *sqlast.Select:
		if b.From == nil || b.Distinct || b.DistinctOn != nil || len(b.GroupBy) > 0 || b.Having != nil || b.Qualify != nil {
			return nil
		}
		for _, it := range b.Items {
			if sqlast.HasAggregate(it.Expr) || sqlast.HasWindow(it.Expr) || sqlast.ReturnsRows(it.Expr) {
				return nil
			}
		}
		return b
	}
	return nil
}

// find returns the part of a frame, or of those around it in the scope, that a column is of.
func (s *scope) find(f *frame, of sqlast.Relation) *part {
	for ; f != nil && f.scope == s; f = f.outer {
		for i := range f.parts {
			if f.parts[i].rel == of {
				return &f.parts[i]
			}
		}
	}
	return nil
}

// follow returns what a column is: an expression of the subquery that it is a column of, if
// that was taken apart.
func (s *scope) follow(f *frame, e sqlast.Expr) (*frame, sqlast.Expr) {
	for {
		c, ok := e.(*sqlast.Column)
		if !ok || c.Of == nil {
			return f, e
		}
		p := s.find(f, c.Of)
		if p == nil || p.inner == nil || c.Index >= len(p.inner.sel.Items) {
			return f, e
		}
		f, e = p.inner, p.inner.sel.Items[c.Index].Expr
	}
}

// value returns the leaf and the attribute of an expression that is a column of the scope.
func (s *scope) value(f *frame, e sqlast.Expr) (*leaf, attr) {
	f, e = s.follow(f, e)
	switch e := e.(type) {
	case *sqlast.Column:
		if p := s.find(f, e.Of); p != nil && p.leaf != nil {
			return p.leaf, s.columnOf(p.leaf, e.Index)
		}
	case *sqlast.Call: // a column that USING merged
		if e.Name != "coalesce" || len(e.Args) == 0 {
			break
		}
		l, a := s.value(f, e.Args[0])
		for _, arg := range e.Args[1:] {
			if _, b := s.value(f, arg); a == 0 || !s.equal(a, b) {
				return nil, 0
			}
		}
		return l, a
	}
	return nil, 0
}

// valuesOf returns the attributes of expressions of the block: 0 for those that are no columns.
func (s *scope) valuesOf(list []sqlast.Expr) []attr {
	return lists.Map(list, func(e sqlast.Expr) attr {
		_, a := s.value(s.frame, e)
		return a
	})
}

// equal reports whether two attributes determine each other in every row.
func (s *scope) equal(a, b attr) bool {
	has := func(a, b attr) bool {
		return slices.ContainsFunc(s.rules, func(r dependency) bool { return r.to == b && len(r.from) == 1 && r.from[0] == a })
	}
	return a == b || has(a, b) && has(b, a)
}

func (s *scope) columnOf(l *leaf, i int) attr {
	for len(l.attrs) <= i {
		l.attrs = append(l.attrs, 0)
	}
	if l.attrs[i] == 0 {
		l.attrs[i] = s.attr(l)
		s.rules = append(s.rules, dependency{[]attr{l.row}, l.attrs[i], l.index, l.index + 1})
		if l.rows != nil && i < len(l.rows.columns) {
			if o := l.rows.columns[i].origin; o >= 0 {
				s.rules = append(s.rules, dependency{[]attr{l.origins[o]}, l.attrs[i], l.index, l.index + 1})
			}
		}
	}
	return l.attrs[i]
}

// eachColumn calls visit for the columns of the scope that a node names, also in its
// subqueries.
func (s *scope) eachColumn(f *frame, n sqlast.Node, visit func(*frame, *sqlast.Column)) {
	sqlast.Walk(n, func(n sqlast.Node) bool {
		if c, ok := n.(*sqlast.Column); ok && c.Of != nil {
			g, e := s.follow(f, c)
			if c, ok := e.(*sqlast.Column); !ok {
				s.eachColumn(g, e, visit)
			} else if p := s.find(g, c.Of); p != nil && p.leaf != nil {
				visit(g, c)
			}
		}
		return true
	})
}

// columns returns the attributes of the columns in an expression.
func (s *scope) columns(f *frame, n sqlast.Node) (attrs []attr) {
	s.eachColumn(f, n, func(g *frame, c *sqlast.Column) {
		if _, a := s.value(g, c); a != 0 && !slices.Contains(attrs, a) {
			attrs = append(attrs, a)
		}
	})
	return attrs
}

// An object is a table of a policy with what the schema says about it.
type object struct {
	table   *table
	columns []int // of table, by the number of the column in the policy; -1: none
}

func (c *check) object(o *sqlast.Object) *object {
	if known := c.objects[o]; known != nil {
		return known
	}
	out := &object{table: c.prover.lookup(o), columns: make([]int, len(o.Columns))}
	for i, name := range o.Columns {
		out.columns[i] = -1
		if out.table != nil {
			if n, ok := out.table.columns[ascii.Lower(name)]; ok {
				out.columns[i] = n
			}
		}
	}
	c.objects[o] = out
	return out
}
