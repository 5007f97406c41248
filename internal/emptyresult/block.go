package emptyresult

import (
	"context"
	"slices"
	"strconv"

	"github.com/qedkit/qed/internal/ascii"
	"github.com/qedkit/qed/internal/sqlast"
	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/secureview/dialect"
)

// A block is a SELECT of a statement, with what decides whether it finds rows: the
// relations that it joins, and the conditions that a row of all of them has to meet.
type block struct {
	with      []*sqlast.CTE // that the block may read, in the order of their declaration
	recursive bool
	query     *sqlast.Query
	parts     []part
	partOf    map[sqlast.Relation]int
	tests     []*test
}

// A part is a relation that the block joins with the others by an inner join.
type part struct {
	relation sqlast.Relation
	needs    []int // the parts that a lateral one names
	has      presence
}

// A test is conditions of a block that are probed together. Without conditions it is
// whether the part has rows.
type test struct {
	conditions []sqlast.Expr
	parts      []int
	column     *sqlast.Column // the only column that the conditions name, or nil
	has        presence
	combined   bool // no row meets it together with others
	replaced   bool // by what a probe of its subquery found
}

// presence is whether a probe found rows.
type presence uint8

const (
	unknown presence = iota
	present
	absent
)

// readBlock returns the block of a query, or nil if the query is of another form, such as
// a set operation.
func readBlock(q *sqlast.Query, with []*sqlast.CTE, recursive bool) *block {
	sel, ok := q.Body.(*sqlast.Select)
	if !ok || sel.From == nil {
		return nil
	}
	b := &block{with: slices.Clip(with), recursive: recursive, query: q, partOf: map[sqlast.Relation]int{}}
	if q.With != nil {
		b.with, b.recursive = append(b.with, q.With.CTEs...), recursive || q.With.Recursive
	}
	conditions := sqlast.Conjuncts(sel.Where)
	b.add(sel.From, &conditions)
	for i := range b.parts {
		b.parts[i].needs = slices.DeleteFunc(b.named(b.parts[i].relation), func(n int) bool { return n == i })
	}
	for _, c := range conditions {
		b.addTest(c)
	}
	for i := range b.parts {
		if !slices.ContainsFunc(b.tests, func(t *test) bool { return slices.Contains(t.parts, i) }) {
			b.tests = append(b.tests, &test{parts: []int{i}})
		}
	}
	return b
}

// add adds the parts of a relation, and the conditions of its inner joins. The right side
// of a LEFT JOIN that no condition names removes no row, and is no part.
func (b *block) add(r sqlast.Relation, conditions *[]sqlast.Expr) {
	j, ok := r.(*sqlast.Join)
	switch {
	case ok && j.Kind == sqlast.InnerJoin && !j.AsOf:
		*conditions = append(*conditions, sqlast.Conjuncts(j.On)...)
		b.add(j.Left, conditions)
		b.add(j.Right, conditions)
	case ok && j.Kind == sqlast.LeftJoin && !j.AsOf && !anyNames(*conditions, sqlast.Relations(j.Right)):
		b.add(j.Left, conditions)
	default:
		for _, inner := range sqlast.Relations(r) {
			b.partOf[inner] = len(b.parts)
		}
		b.parts = append(b.parts, part{relation: r})
	}
}

func anyNames(conditions []sqlast.Expr, relations []sqlast.Relation) bool {
	return slices.ContainsFunc(conditions, func(e sqlast.Expr) bool {
		return slices.ContainsFunc(bindings(e), func(r sqlast.Relation) bool { return slices.Contains(relations, r) })
	})
}

// bindings returns the relations whose columns n names, also in subqueries.
func bindings(n sqlast.Node) (found []sqlast.Relation) {
	sqlast.Walk(n, func(n sqlast.Node) bool {
		switch n := n.(type) {
		case *sqlast.Column:
			found = append(found, n.Of)
		case *sqlast.Star:
			found = append(found, n.Of)
		}
		return true
	})
	return found
}

// named returns the parts whose columns n names, in order.
func (b *block) named(n sqlast.Node) (parts []int) {
	for _, r := range bindings(n) {
		if i, ok := b.partOf[r]; ok && r != nil {
			parts = append(parts, i)
		}
	}
	slices.Sort(parts)
	return slices.Compact(parts)
}

// addTest adds a condition. Conditions on the same column are one test, such as the two
// ends of a period.
func (b *block) addTest(e sqlast.Expr) {
	t := &test{conditions: []sqlast.Expr{e}, parts: b.named(e), column: onlyColumn(e)}
	if t.column != nil {
		for _, other := range b.tests {
			if c := other.column; c != nil && c.Of == t.column.Of && c.Name == t.column.Name {
				other.conditions = append(other.conditions, e)
				return
			}
		}
	}
	b.tests = append(b.tests, t)
}

// values returns how many values the conditions of a test have.
func (t *test) values() (n int) {
	for _, e := range t.conditions {
		sqlast.Walk(e, func(node sqlast.Node) bool {
			switch node.(type) {
			case *sqlast.String, *sqlast.Number:
				n++
			}
			return true
		})
	}
	return n
}

// onlyColumn returns the column that a condition without subqueries names, or nil if it
// names several.
func onlyColumn(e sqlast.Expr) *sqlast.Column {
	var only *sqlast.Column
	single := !sqlast.HasQuery(e)
	sqlast.Walk(e, func(n sqlast.Node) bool {
		if n, ok := n.(*sqlast.Column); ok {
			single = single && n.Of != nil && (only == nil || only.Of == n.Of && only.Name == n.Name)
			only = n
		}
		return single
	})
	if !single {
		return nil
	}
	return only
}

// A lateClause can remove the rows of a block after its conditions.
type lateClause struct {
	keyword string
	value   sqlast.Expr
}

// late returns HAVING, QUALIFY, OFFSET and a limit of no rows.
func (b *block) late() []lateClause {
	sel := b.query.Body.(*sqlast.Select)
	all := []lateClause{{"HAVING", sel.Having}, {"QUALIFY", sel.Qualify}, {"OFFSET", b.query.Offset}}
	if limit, ok := b.query.Limit.(*sqlast.Number); ok && limit.Text == "0" {
		all = append(all, lateClause{"LIMIT", limit})
	}
	return slices.DeleteFunc(all, func(c lateClause) bool { return c.value == nil })
}

// within returns the query of the rows of a relation, a common table expression or a
// subquery, with the common table expressions that it may read. It returns nil for others.
func (b *block) within(r sqlast.Relation) (*sqlast.Query, []*sqlast.CTE) {
	switch r := r.(type) {
	case *sqlast.Derived:
		if !r.Lateral {
			return r.Query, b.with
		}
	case *sqlast.Table:
		if i := slices.Index(b.with, r.CTE); i >= 0 {
			return r.CTE.Query, b.with[:i]
		}
	}
	return nil, nil
}

// subquery returns the subquery in which a test looks for a row, or nil if there is none or
// if it names columns of other queries.
func (b *block) subquery(t *test) *sqlast.Query {
	if len(t.conditions) != 1 {
		return nil
	}
	var q *sqlast.Query
	switch e := t.conditions[0].(type) {
	case *sqlast.Exists:
		q = e.Query
	case *sqlast.In:
		if !e.Not {
			q = e.Query
		}
	case *sqlast.Binary:
		if s, ok := e.Y.(*sqlast.Subquery); ok && e.Op == sqlast.Eq {
			q = s.Query
		}
	}
	if q == nil || !selfContained(q) {
		return nil
	}
	return q
}

// selfContained reports whether a query names columns of its own relations alone.
func selfContained(q *sqlast.Query) bool {
	own := map[sqlast.Relation]bool{nil: true} // nil: a select alias
	sqlast.Walk(q, func(n sqlast.Node) bool {
		if r, ok := n.(sqlast.Relation); ok {
			own[r] = true
		}
		return true
	})
	return !slices.ContainsFunc(bindings(q), func(r sqlast.Relation) bool { return !own[r] })
}

// sqlOf returns the query that reads a row which meets tests, and the relations that it
// needs for that.
func (b *block) sqlOf(tests []*test) *sqlast.Query {
	needed := map[int]bool{}
	var need func(i int)
	need = func(i int) {
		if !needed[i] {
			needed[i] = true
			for _, n := range b.parts[i].needs {
				need(n)
			}
		}
	}
	for _, t := range tests {
		for _, i := range t.parts {
			need(i)
		}
	}
	if len(needed) == 0 { // a condition on nothing
		need(0)
	}
	return b.reading([]sqlast.Item{{Expr: &sqlast.Number{Text: "1"}}}, needed, tests, 1)
}

// reading returns a query on some parts of the block.
func (b *block) reading(items []sqlast.Item, needed map[int]bool, tests []*test, limit int) *sqlast.Query {
	sel := &sqlast.Select{Items: items}
	on := map[int]sqlast.Expr{}
	for _, t := range tests {
		for _, e := range t.conditions {
			if len(t.parts) < 2 {
				sel.Where = sqlast.Conjunction(sel.Where, e)
				continue
			}
			last := t.parts[len(t.parts)-1]
			on[last] = sqlast.Conjunction(on[last], e)
		}
	}
	for i := range b.parts {
		switch {
		case !needed[i]:
		case sel.From == nil:
			sel.From = b.parts[i].relation
		default:
			sel.From = &sqlast.Join{Left: sel.From, Right: b.parts[i].relation, On: on[i]}
		}
	}
	q := &sqlast.Query{Body: sel, Limit: &sqlast.Number{Text: strconv.Itoa(limit)}}
	if len(b.with) > 0 {
		q.With = &sqlast.With{Recursive: b.recursive, CTEs: b.with}
	}
	return q
}

// statement prints a query that was made from the tree of another statement, and passes
// it through the guard. It returns nil if the guard refuses it, or reads it as another
// query than it was printed from.
func (p *Prober) statement(ctx context.Context, q *sqlast.Query) *secureview.Statement {
	if renamed(q) {
		return nil
	}
	text, err := p.Guard.Dialect().Append(nil, q, false)
	if err != nil {
		return nil
	}
	stmt, err := p.Guard.Rewrite(ctx, string(text))
	if err != nil {
		return nil
	}
	made, ok := q.Body.(*sqlast.Select)
	read, also := stmt.Query().Body.(*sqlast.Select)
	if !ok || !also || !sameRows(made, read) {
		return nil
	}
	return stmt
}

// sameRows reports whether two SELECT blocks read the same relations by the same
// conditions.
func sameRows(a, b *sqlast.Select) bool {
	rows := func(s *sqlast.Select) *sqlast.Query {
		return &sqlast.Query{Body: &sqlast.Select{From: s.From, Where: s.Where}}
	}
	return sqlast.Equal(rows(a), rows(b))
}

// renamed reports whether a table of q is a common table expression that the guard gave
// another name: printed, it would mean another table.
func renamed(q *sqlast.Query) bool {
	return sqlast.Any(q, func(t *sqlast.Table) bool { return t.CTE != nil && !ascii.EqualFold(t.Name, t.CTE.Name) })
}

// text returns an expression of the block as people read it: with the names of tables
// instead of aliases, and without names of tables if there is one.
func (p *Prober) text(b *block, e sqlast.Expr) string {
	return sqlast.Words(p.Guard.Dialect(), e, p.qualifiers(b, e))
}

// qualifiers returns what people read instead of the aliases in an expression: the names
// of tables, and nothing if there is one table. An alias of several tables of one name, and
// those of a subquery, stay.
func (p *Prober) qualifiers(b *block, e sqlast.Expr) map[string]string {
	names := map[string]string{}
	if sqlast.HasQuery(e) {
		return names
	}
	uses := map[string]int{}
	parts := b.named(e)
	for relation, i := range b.partOf {
		if t, ok := relation.(*sqlast.Table); ok && slices.Contains(parts, i) {
			names[t.Alias] = p.relationName(t)
			uses[names[t.Alias]]++
		}
	}
	for alias, name := range names {
		switch {
		case len(names) == 1 && len(parts) == 1:
			names[alias] = ""
		case uses[name] > 1:
			delete(names, alias)
		}
	}
	return names
}

// relationName returns the name of a relation for people.
func (p *Prober) relationName(relation sqlast.Relation) string {
	switch t := relation.(type) {
	case *sqlast.Table:
		if t.Object != nil {
			return p.Guard.NameOf(dialect.TableName{Schema: t.Object.Schema, Name: t.Object.Logical})
		}
		return t.Alias
	case *sqlast.Derived:
		return t.Alias
	case *sqlast.TableFunction:
		return t.Alias
	}
	return ""
}
