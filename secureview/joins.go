package secureview

import (
	"cmp"
	"maps"
	"slices"

	"github.com/qedkit/qed/dialect"
	"github.com/qedkit/qed/internal/sqlast"
)

// A JoinedTable is one use of a table in a statement.
type JoinedTable struct {
	// Table is the name that the policy and the model use. It is empty for a column
	// that a subquery or a function computes.
	Table dialect.TableName

	// Alias is the name in the FROM: that of the table, or of the subquery or common
	// table expression that reads it.
	Alias string
}

// A JoinedColumn is a column of one of [FromClause.Tables].
type JoinedColumn struct {
	Table  int // an index
	Column string
}

// A Join is a pair of tables that a statement combines.
type Join struct {
	Left, Right int // indexes into [FromClause.Tables]
	Kind        JoinKind

	// Columns are the pairs of columns of Left and Right that are compared by = in
	// an ON or WHERE, by USING, or by NATURAL JOIN, and those that IN or = compares
	// with a subquery. Comparisons in an OR or a NOT, and those of expressions, are
	// none.
	Columns [][2]string

	// Condition are the columns that another condition names, which connects tables
	// without an equality. If Columns and Condition are empty, each row of Left is
	// combined with each row of Right.
	Condition []JoinedColumn
}

// A JoinKind is what a join does with the rows of both sides.
type JoinKind uint8

const (
	InnerJoin    JoinKind = iota
	LeftJoin              // keeps each row of Left
	RightJoin             // keeps each row of Right
	FullJoin              // keeps each row of both
	SemiJoin              // rows of Left that have a match: EXISTS, IN, SEMI JOIN
	AntiJoin              // rows of Left that have none: NOT EXISTS, NOT IN, ANTI JOIN
	SubqueryJoin          // a value that a subquery computes for each row of Left
)

var joinKindNames = [...]string{"inner", "left", "right", "full", "semi", "anti", "subquery"}

// String returns the kind in lower case, such as "left".
func (k JoinKind) String() string { return joinKindNames[k] }

var joinKinds = map[sqlast.JoinKind]JoinKind{
	sqlast.InnerJoin: InnerJoin, sqlast.LeftJoin: LeftJoin, sqlast.RightJoin: RightJoin,
	sqlast.FullJoin: FullJoin, sqlast.SemiJoin: SemiJoin, sqlast.AntiJoin: AntiJoin,
}

// An equality is a comparison of columns of two uses of tables.
type equality struct {
	a, b column
	kind JoinKind
}

// compare adds the equalities of a condition, and reports whether it is nothing else.
func (f *from) compare(c condition) bool {
	x, y := sides(c.expr)
	whole := len(x) > 0
	for i := range x {
		whole = f.equal(f.value(x[i]), f.value(y[i]), c.on) && whole
	}
	return whole
}

// sides returns the values that a condition compares for equality, in pairs.
func sides(e sqlast.Expr) (x, y []sqlast.Expr) {
	switch e := e.(type) {
	case *sqlast.Binary:
		if e.Op == sqlast.Eq || e.Op == sqlast.Same {
			x, y = items(e.X), items(e.Y)
		}
	case *sqlast.In:
		if len(e.List) == 1 && !e.Not {
			x, y = items(e.X), items(e.List[0])
		}
	}
	if len(x) != len(y) {
		return nil, nil
	}
	return x, y
}

// items returns the values of a row, or e alone.
func items(e sqlast.Expr) []sqlast.Expr {
	if row, ok := e.(*sqlast.Row); ok {
		return row.Items
	}
	return []sqlast.Expr{e}
}

// equal adds that two values are equal in the rows that a join combines. It returns
// false if that is no equality of the rows.
func (f *from) equal(a, b column, on *span) bool {
	if a.table == noTable || b.table == noTable {
		if a.table == b.table || a.name == "" || b.name == "" {
			return false
		}
		f.classes.unite(a, b)
		return true
	}
	p, q := f.uses[a.table].part, f.uses[b.table].part
	if q.from != f || p.from == f && p.number > q.number {
		a, b, p, q = b, a, q, p
	}
	switch {
	case q.from != f:
		return true // a condition on rows of an enclosing SELECT
	case p.from == f && on.selects(p.number, q.number):
		return false
	}
	f.classes.unite(a, b)
	if a.table != b.table {
		kind := f.kind
		if p.from == f {
			kind = f.kindOf(p.number, q.number)
			connect(f.parts, p, q, joinedOf)
		}
		f.equalities = append(f.equalities, equality{a, b, kind})
	}
	return true
}

// selects reports whether an ON compares two parts of a side whose rows the join
// keeps. The comparison then selects the rows that may match, and the others stay.
func (s *span) selects(p, q int) bool {
	if s == nil {
		return false
	}
	left, right := q < s.mid, p >= s.mid
	return left && (s.kind == LeftJoin || s.kind == FullJoin) || right && (s.kind == RightJoin || s.kind == FullJoin)
}

// kindOf returns the kind of the join that combines two parts, the first of which is
// to the left.
func (f *from) kindOf(p, q int) JoinKind {
	for _, s := range f.spans {
		if s.lo <= p && p < s.mid && s.mid <= q && q < s.hi {
			return s.kind
		}
	}
	return InnerJoin
}

// read reads the conditions, the subqueries and the other expressions of a SELECT
// whose FROM has been added. It returns nil if the SELECT combines no tables.
func (f *from) read(s *sqlast.Select, order []sqlast.Order) *FromClause {
	f.condition(s.Where, nil)
	var rest []condition
	for _, c := range f.conditions {
		if !f.compare(c) {
			rest = append(rest, c)
		}
		f.within(c.expr)
	}
	c := f.clause(rest)
	for _, it := range s.Items {
		f.within(it.Expr)
	}
	for _, e := range slices.Concat(s.DistinctOn, s.GroupBy) {
		f.within(e)
	}
	f.within(s.Having)
	f.within(s.Qualify)
	for _, w := range s.Windows {
		f.within(w)
	}
	for _, o := range order {
		f.within(o.Expr)
	}
	for _, subquery := range f.subqueries {
		subquery()
	}
	return c
}

// clause returns what has been read. rest are the conditions that are no equalities.
func (f *from) clause(rest []condition) *FromClause {
	c := &FromClause{}
	if len(f.parts) > 1 {
		c.Groups = f.groups()
	}
	numbers := map[int]int{} // of uses, in c.Tables
	number := func(use int) int {
		n, ok := numbers[use]
		if !ok {
			n = len(c.Tables)
			numbers[use], c.Tables = n, append(c.Tables, f.uses[use].table)
		}
		return n
	}
	at := map[[2]int]int{}
	for _, e := range f.equalities {
		pair := [2]int{e.a.table, e.b.table}
		i, ok := at[pair]
		if !ok {
			i = len(c.Joins)
			at[pair] = i
			c.Joins = append(c.Joins, Join{Left: number(pair[0]), Right: number(pair[1]), Kind: e.kind})
		}
		if columns := [2]string{e.a.name, e.b.name}; !slices.Contains(c.Joins[i].Columns, columns) {
			c.Joins[i].Columns = append(c.Joins[i].Columns, columns)
		}
	}
	for _, other := range rest {
		f.joinBy(c, other.expr, number)
	}
	f.joinAll(c, number)
	if len(c.Groups) == 0 && len(c.Joins) == 0 {
		return nil
	}
	for _, class := range f.classes.all() {
		if !slices.ContainsFunc(class, func(m column) bool { return f.uses[m.table].part.from == f }) {
			continue
		}
		equal := make([]JoinedColumn, len(class))
		for i, m := range class {
			equal[i] = JoinedColumn{number(m.table), m.name}
		}
		c.Equal = append(c.Equal, equal)
	}
	return c
}

// joinBy adds the joins of parts that a condition connects, and no equality.
func (f *from) joinBy(c *FromClause, e sqlast.Expr, number func(use int) int) {
	named := f.named(e)
	for i, n := range named {
		left := named[0].part
		if left.joined == n.part.joined {
			continue
		}
		if left.hasRows() && n.part.hasRows() {
			j := f.join(named[0].use(), named[i].use(), left, n.part, number)
			for _, m := range named {
				if m.column != "" {
					at := m.part.column(m.column)
					j.Condition = append(j.Condition, JoinedColumn{number(at.table), at.name})
				}
			}
			c.Joins = append(c.Joins, j)
		}
		connect(f.parts, n.part, left, joinedOf)
	}
}

// use returns the number of the use of the table that has the column.
func (n name) use() int {
	if n.column == "" {
		return n.part.first()
	}
	return n.part.column(n.column).table
}

// joinAll adds the joins of parts that nothing connects.
func (f *from) joinAll(c *FromClause, number func(use int) int) {
	var first *part
	for _, p := range f.parts {
		switch {
		case !p.hasRows():
		case first == nil:
			first = p
		case p.joined != first.joined:
			c.Joins = append(c.Joins, f.join(first.first(), p.first(), first, p, number))
			connect(f.parts, p, first, joinedOf)
		}
	}
}

func (f *from) join(a, b int, p, q *part, number func(use int) int) Join {
	if p.number > q.number {
		a, b, p, q = b, a, q, p
	}
	return Join{Left: number(a), Right: number(b), Kind: f.kindOf(p.number, q.number)}
}

// A fromReader reads the FROM clauses of a statement.
type fromReader struct {
	clauses []*FromClause
	uses    []use
	outputs map[*sqlast.Query][]output
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
	name string
	of   column   // table is noTable if it is computed
	same []column // other columns that have its value in each row of the query
}

const (
	noTable  = -1
	computed = -1 // the number of the use with the columns that a part has itself
)

// fromClauses returns the FROM clauses of a resolved query.
func fromClauses(q *sqlast.Query) []FromClause {
	r := &fromReader{outputs: map[*sqlast.Query][]output{}, classes: classes{number: map[column]int{}}}
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
	o := output{name: it.Alias, of: column{noTable, ""}}
	c, ok := it.Expr.(*sqlast.Column)
	if !ok {
		return o
	}
	o.name = cmp.Or(it.Alias, c.Name)
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
	r.uses = append(r.uses, use{p, JoinedTable{Table: table, Alias: p.alias}})
	return len(r.uses) - 1
}

// value returns the column or the literal that an expression is. The name is empty
// if it is neither. A column that USING merged is any of its columns, if they are
// equal.
func (f *from) value(e sqlast.Expr) column {
	switch e := e.(type) {
	case *sqlast.Column:
		for s := f; s != nil; s = s.outer {
			if p := s.aliased(e.Table); p != nil {
				return p.column(e.Name)
			}
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

// column returns the column of a part with a name.
func (p *part) column(name string) column {
	if p.query == nil {
		return column{p.self(), name}
	}
	i := slices.IndexFunc(p.columns, func(o output) bool { return o.name == name })
	if len(p.names) == len(p.columns) && len(p.names) > 0 {
		i = slices.Index(p.names, name)
	}
	if i < 0 || p.columns[i].of.table == noTable {
		return column{p.self(), name}
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

// within adds the subqueries of an expression to those that are read later.
func (f *from) within(n sqlast.Node) {
	later := func(q *sqlast.Query, kind JoinKind, equal ...sqlast.Expr) {
		f.subqueries = append(f.subqueries, func() { f.query(q, f, kind, equal) })
	}
	match := func(not bool) JoinKind {
		if not {
			return AntiJoin
		}
		return SemiJoin
	}
	sqlast.Walk(n, func(n sqlast.Node) bool {
		switch n := n.(type) {
		case *sqlast.Unary:
			if e, ok := n.X.(*sqlast.Exists); ok && n.Op == sqlast.Not {
				later(e.Query, AntiJoin)
				return false
			}
		case *sqlast.Exists:
			later(n.Query, SemiJoin)
			return false
		case *sqlast.In:
			if n.Query != nil {
				f.within(n.X)
				later(n.Query, match(n.Not), items(n.X)...)
				return false
			}
		case *sqlast.Quantified:
			if n.Query != nil && (n.Op == sqlast.Eq && !n.All || n.Op == sqlast.Ne && n.All) {
				f.within(n.X)
				later(n.Query, match(n.All), items(n.X)...)
				return false
			}
		case *sqlast.Binary:
			x, y := n.X, n.Y
			if _, ok := x.(*sqlast.Subquery); ok {
				x, y = y, x
			}
			if s, ok := y.(*sqlast.Subquery); ok && n.Op == sqlast.Eq {
				f.within(x)
				later(s.Query, SemiJoin, items(x)...)
				return false
			}
		case *sqlast.Query:
			later(n, SubqueryJoin)
			return false
		}
		return true
	})
}

// Classes are the columns that are equal in a part of a statement. [classes.undo]
// forgets what held for a part alone.
type classes struct {
	number  map[column]int
	columns []column
	root    []int // of each column: a column of the same class, or itself
	size    []int // of the class of a root
	united  []int // the roots that became part of others, oldest first
	kept    [][2]column
}

type mark struct{ united, kept int }

func (c *classes) mark() mark { return mark{len(c.united), len(c.kept)} }

// undo forgets what was united after the mark, other than by keep.
func (c *classes) undo(m mark) {
	for _, n := range slices.Backward(c.united[m.united:]) {
		c.size[c.root[n]] -= c.size[n]
		c.root[n] = n
	}
	c.united = c.united[:m.united]
	for _, pair := range c.kept[m.kept:] {
		c.unite(pair[0], pair[1])
	}
}

func (c *classes) find(x column) int {
	n, ok := c.number[x]
	if !ok {
		n = len(c.columns)
		c.number[x] = n
		c.columns, c.root, c.size = append(c.columns, x), append(c.root, n), append(c.size, 1)
	}
	for c.root[n] != n {
		n = c.root[n]
	}
	return n
}

func (c *classes) unite(x, y column) {
	a, b := c.find(x), c.find(y)
	if a == b {
		return
	}
	if c.size[a] > c.size[b] {
		a, b = b, a
	}
	c.root[a] = b
	c.size[b] += c.size[a]
	c.united = append(c.united, a)
}

// keep is unite for columns of a part that are equal wherever the part is named.
func (c *classes) keep(x, y column) {
	c.kept = append(c.kept, [2]column{x, y})
	c.unite(x, y)
}

func (c *classes) same(x, y column) bool { return c.find(x) == c.find(y) }

// of returns the other columns of the class of a column.
func (c *classes) of(x column) []column {
	root := c.find(x)
	if c.size[root] == 1 {
		return nil
	}
	var all []column
	for _, other := range c.columns {
		if other != x && c.find(other) == root {
			all = append(all, other)
		}
	}
	return all
}

// all returns the classes of several columns, without literals.
func (c *classes) all() [][]column {
	members := map[int][]column{}
	for _, x := range c.columns {
		if root := c.find(x); x.table != noTable && c.size[root] > 1 {
			members[root] = append(members[root], x)
		}
	}
	var all [][]column
	for _, root := range slices.Sorted(maps.Keys(members)) {
		if len(members[root]) > 1 {
			all = append(all, members[root])
		}
	}
	return all
}
