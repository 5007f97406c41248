package secureview

import (
	"fmt"
	"slices"

	"github.com/qedkit/qed/internal/sqlast"
	"github.com/qedkit/qed/secureview/dialect"
)

// A JoinedTable is one use of a table in a statement.
type JoinedTable struct {
	// Table is the name that the policy and the model use. It is empty for a column
	// that a subquery or a function computes.
	Table dialect.TableName

	// Alias is the name in the FROM: that of the table, or of the subquery or common
	// table expression that reads it.
	Alias string

	// Derived means that Alias is a subquery or a common table expression, which can
	// have fewer rows than the table.
	Derived bool
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
	SemiJoin              // rows of Left that have a match: EXISTS, IN
	AntiJoin              // rows of Left that have none: NOT EXISTS, NOT IN
	SubqueryJoin          // a value that a subquery computes for each row of Left
)

var joinKindNames = [...]string{"inner", "left", "right", "full", "semi", "anti", "subquery"}

// String returns the kind in lower case, such as "left".
func (k JoinKind) String() string {
	if int(k) >= len(joinKindNames) {
		return fmt.Sprintf("JoinKind(%d)", uint8(k))
	}
	return joinKindNames[k]
}

var joinKinds = map[sqlast.JoinKind]JoinKind{
	sqlast.InnerJoin: InnerJoin, sqlast.LeftJoin: LeftJoin, sqlast.RightJoin: RightJoin,
	sqlast.FullJoin: FullJoin,
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
		f.filter(c.expr)
	}
	c := f.clause(rest)
	for _, it := range s.Items {
		f.within(it.Expr)
	}
	for _, e := range slices.Concat(s.DistinctOn, s.GroupBy) {
		f.within(e)
	}
	f.filter(s.Having)
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
				if m.column != nil {
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
	if n.column == nil {
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
