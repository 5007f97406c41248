package secureview

import (
	"slices"

	"github.com/qedkit/qed/internal/sqlast"
	"github.com/qedkit/qed/secureview/dialect"
)

// A FromClause describes how one SELECT of a statement combines tables: those of
// its FROM and, in a subquery, those of enclosing SELECTs.
type FromClause struct {
	// Groups are the tables of the FROM in groups. Conditions of the ON and WHERE
	// clauses connect the tables of a group, whatever they compare. Several groups
	// are a Cartesian product. A subquery that returns one row is in no group.
	Groups [][]dialect.TableName

	// Tables are the uses of tables that Joins and Equal refer to, by their index. A
	// table that is used twice is there twice. A table that a subquery or a common
	// table expression reads is there if its columns pass through unchanged.
	Tables []JoinedTable

	// Joins has each pair of Tables whose columns are compared for equality, and
	// the pairs that connect the rest, which have no equality.
	Joins []Join

	// Equal are the columns that have the same value in each combined row: those
	// that Joins compare, directly or by way of others, and those that are equal to
	// the same constant.
	Equal [][]JoinedColumn
}

// FromClauses returns one FromClause for each SELECT that combines tables. That
// includes those of subqueries, common table expressions and set operations. A
// statement that reads one table once has none.
func (s *Statement) FromClauses() []FromClause {
	if s.froms == nil {
		return nil
	}
	return slices.Clone(s.froms())
}

// A from is the FROM clause of a SELECT that is being read.
type from struct {
	*fromReader
	outer *from    // the FROM whose columns the SELECT may name; nil: none
	kind  JoinKind // how the SELECT is joined to those of outer

	parts      []*part
	spans      []span      // the joins, inner ones first
	conditions []condition // of ON and WHERE
	equalities []equality
	subqueries []func() // read after the conditions
}

// A part is a table, a subquery or a function of a FROM clause.
type part struct {
	from   *from
	number int // in from.parts
	alias  string
	tables []dialect.TableName
	one    bool // it has one row, so a product with it is harmless
	group  int  // parts with the same number are connected by a condition
	joined int  // parts with the same number are connected by an equality or another join

	query   *sqlast.Query // nil: a table or a function
	columns []output
	uses    map[int]int  // the number of a use of a table in query -> that of its use in this part
	named   map[int]bool // the columns whose equal ones are known
}

// A span is a join of parts: parts[lo:mid] with parts[mid:hi].
type span struct {
	lo, mid, hi int
	kind        JoinKind
}

// A condition is a part of an ON or WHERE that other parts are connected with by AND.
type condition struct {
	expr sqlast.Expr
	on   *span // nil: of WHERE
}

// add adds the parts of a relation. kind is how the relation is joined.
func (f *from) add(r sqlast.Relation, kind JoinKind) {
	switch r := r.(type) {
	case *sqlast.Table:
		p := f.part(r, r.Alias)
		switch {
		case r.Object != nil:
			name := dialect.TableName{Schema: r.Object.Schema, Name: r.Object.Logical}
			p.tables = []dialect.TableName{name}
			p.uses[computed] = f.use(p, name)
		case r.CTE != nil:
			p.of(r.CTE.Query)
		}
	case *sqlast.Derived:
		outer := f.outer
		if r.Lateral {
			outer = f
		}
		f.query(r.Query, outer, kind, nil)
		p := f.part(r, r.Alias)
		p.of(r.Query)
		if r.Lateral {
			f.link(r.Query, p)
		}
	case *sqlast.TableFunction:
		f.within(r)
		f.link(r, f.part(r, r.Alias))
	case *sqlast.Join:
		s := span{lo: len(f.parts), kind: joinKinds[r.Kind]}
		f.add(r.Left, kind)
		s.mid = len(f.parts)
		f.add(r.Right, s.kind)
		s.hi = len(f.parts)
		f.spans = append(f.spans, s)
		f.condition(r.On, &s)
	}
}

func (f *from) part(r sqlast.Relation, alias string) *part {
	n := len(f.parts)
	p := &part{from: f, number: n, alias: alias, group: n, joined: n, uses: map[int]int{}, named: map[int]bool{}}
	f.parts = append(f.parts, p)
	f.partOf[r] = p
	return p
}

// of makes p the rows of a query that has been read.
func (p *part) of(q *sqlast.Query) {
	p.query, p.columns = q, p.from.outputs[q]
	p.tables, p.one = tablesIn(q, nil), oneRow(q)
}

// condition adds each of the conditions in e, and connects the parts that it names.
func (f *from) condition(e sqlast.Expr, on *span) {
	if and, ok := e.(*sqlast.Binary); ok && and.Op == sqlast.And {
		f.condition(and.X, on)
		f.condition(and.Y, on)
		return
	}
	if e != nil {
		f.conditions = append(f.conditions, condition{e, on})
		named := f.named(e)
		for _, n := range named {
			connect(f.parts, n.part, named[0].part, groupOf)
		}
	}
}

// link connects p with the parts that n names, to which it is computed.
func (f *from) link(n sqlast.Node, p *part) {
	for _, other := range f.named(n) {
		connect(f.parts, other.part, p, groupOf)
		connect(f.parts, other.part, p, joinedOf)
	}
}

func groupOf(p *part) *int  { return &p.group }
func joinedOf(p *part) *int { return &p.joined }

// connect gives the parts with the number of p that of q.
func connect(parts []*part, p, q *part, number func(*part) *int) {
	from, to := *number(p), *number(q)
	if from == to {
		return
	}
	for _, other := range parts {
		if *number(other) == from {
			*number(other) = to
		}
	}
}

// A name is a column of a part that a condition names.
type name struct {
	part   *part
	column *sqlast.Column // nil: a whole row
}

// named returns the columns of the parts that n names, also in its subqueries.
func (f *from) named(n sqlast.Node) []name {
	var found []name
	sqlast.Walk(n, func(n sqlast.Node) bool {
		switch n := n.(type) {
		case *sqlast.Column:
			if p := f.partOf[n.Of]; p != nil && p.from == f {
				found = append(found, name{p, n})
			}
		case *sqlast.Star:
			if p := f.partOf[n.Of]; p != nil && p.from == f {
				found = append(found, name{p, nil})
			}
		}
		return true
	})
	return found
}

func (f *from) groups() [][]dialect.TableName {
	at := map[int]int{}
	var groups [][]dialect.TableName
	for _, p := range f.parts {
		if !p.hasRows() {
			continue
		}
		i, ok := at[p.group]
		if !ok {
			i = len(groups)
			at[p.group] = i
			groups = append(groups, nil)
		}
		for _, t := range p.tables {
			if !slices.Contains(groups[i], t) {
				groups[i] = append(groups[i], t)
			}
		}
	}
	return groups
}

// hasRows reports whether a product with p repeats rows by those of tables.
func (p *part) hasRows() bool { return !p.one && len(p.tables) > 0 }

// tablesIn returns the tables whose rows make the rows of a query. within are the
// queries around it, so that a recursive one is read once.
func tablesIn(q *sqlast.Query, within []*sqlast.Query) []dialect.TableName {
	if slices.Contains(within, q) {
		return nil
	}
	within = append(slices.Clip(within), q)
	var tables []dialect.TableName
	sqlast.Walk(q.Body, func(n sqlast.Node) bool {
		switch n := n.(type) {
		case *sqlast.Table:
			if n.Object != nil {
				tables = append(tables, dialect.TableName{Schema: n.Object.Schema, Name: n.Object.Logical})
			} else if n.CTE != nil {
				tables = append(tables, tablesIn(n.CTE.Query, within)...)
			}
		case *sqlast.Subquery, *sqlast.Exists, *sqlast.In, *sqlast.Quantified:
			return false // its rows are no rows of the query
		}
		return true
	})
	return tables
}

// oneRow reports whether a query returns at most one row, as far as its form shows.
func oneRow(q *sqlast.Query) bool {
	if n, ok := q.Limit.(*sqlast.Number); ok && n.Text == "1" && !q.Ties {
		return true
	}
	switch b := q.Body.(type) {
	case *sqlast.Query:
		return oneRow(b)
	case *sqlast.Values:
		return len(b.Rows) == 1
	case *sqlast.Select:
		return b.From == nil || len(b.GroupBy) == 0 && aggregates(b)
	}
	return false
}

// aggregates reports whether an item of a SELECT has an aggregate of its own.
func aggregates(sel *sqlast.Select) bool {
	found := false
	for _, it := range sel.Items {
		sqlast.Walk(it.Expr, func(n sqlast.Node) bool {
			switch n := n.(type) {
			case *sqlast.Call:
				found = found || sqlast.IsAggregate(n)
			case *sqlast.Query:
				return false
			}
			return !found
		})
	}
	return found
}
