package secureview

import (
	"slices"

	"github.com/qedkit/qed/dialect"
	"github.com/qedkit/qed/internal/sqlast"
)

// A FromClause describes how one FROM of a statement combines tables.
type FromClause struct {
	// Groups are the tables in groups. Conditions of the ON and WHERE clauses
	// connect the tables of a group, whatever they compare. Several groups are a
	// Cartesian product. A subquery that returns one row is in no group.
	Groups [][]dialect.TableName
}

// FromClauses returns the FROM clauses of the statement that combine several
// tables or subqueries, those of subqueries included. A statement that reads one
// table has none.
func (s *Statement) FromClauses() []FromClause {
	if s.froms == nil {
		return nil
	}
	return slices.Clone(s.froms())
}

// fromClauses returns the FROM clauses of a resolved query.
func fromClauses(q *sqlast.Query) []FromClause {
	var all []FromClause
	sqlast.Walk(q, func(n sqlast.Node) bool {
		if sel, ok := n.(*sqlast.Select); ok {
			f := from{}
			f.add(sel.From)
			if len(f.parts) > 1 {
				f.condition(sel.Where)
				if groups := f.groups(); len(groups) > 0 {
					all = append(all, FromClause{Groups: groups})
				}
			}
		}
		return true
	})
	return all
}

// from is a FROM clause that is being read.
type from struct {
	parts []*part
}

// A part is a table, a subquery or a function of a FROM clause.
type part struct {
	alias  string
	tables []dialect.TableName
	one    bool // it has one row, so a product with it is harmless
	group  int  // parts with the same number are connected
}

// add adds the parts of a relation, and connects those that its conditions name.
func (f *from) add(r sqlast.Relation) {
	switch r := r.(type) {
	case *sqlast.Table:
		p := f.part(r.Alias)
		switch {
		case r.Object != nil:
			p.tables = []dialect.TableName{{Schema: r.Object.Schema, Name: r.Object.Logical}}
		case r.CTE != nil:
			p.tables, p.one = tablesIn(r.CTE.Query, nil), oneRow(r.CTE.Query)
		}
	case *sqlast.Derived:
		p := f.part(r.Alias)
		p.tables, p.one = tablesIn(r.Query, nil), oneRow(r.Query)
		if r.Lateral {
			f.connect(append(f.named(r.Query), p))
		}
	case *sqlast.TableFunction:
		p := f.part(r.Alias)
		f.connect(append(f.named(r), p))
	case *sqlast.Join:
		f.add(r.Left)
		f.add(r.Right)
		f.condition(r.On)
	}
}

func (f *from) part(alias string) *part {
	p := &part{alias: alias, group: len(f.parts)}
	f.parts = append(f.parts, p)
	return p
}

// condition connects the parts that each of the conditions in e names.
func (f *from) condition(e sqlast.Expr) {
	if and, ok := e.(*sqlast.Binary); ok && and.Op == sqlast.And {
		f.condition(and.X)
		f.condition(and.Y)
		return
	}
	if e != nil {
		f.connect(f.named(e))
	}
}

// named returns the parts that the columns below n name.
func (f *from) named(n sqlast.Node) []*part { return f.namedOutside(n, nil) }

// namedOutside is named for a node within queries that have parts with the aliases
// in hidden, which their columns name instead.
func (f *from) namedOutside(root sqlast.Node, hidden []string) []*part {
	var found []*part
	sqlast.Walk(root, func(n sqlast.Node) bool {
		table := ""
		switch n := n.(type) {
		case *sqlast.Select:
			if n != root {
				found = append(found, f.namedOutside(n, append(slices.Clip(hidden), aliases(n.From)...))...)
				return false
			}
		case *sqlast.Column:
			table = n.Table
		case *sqlast.Star:
			table = n.Table
		}
		for _, p := range f.parts {
			if table != "" && p.alias == table && !slices.Contains(hidden, table) {
				found = append(found, p)
			}
		}
		return true
	})
	return found
}

// aliases returns the aliases of the parts of a relation.
func aliases(r sqlast.Relation) []string {
	var all []string
	sqlast.Walk(r, func(n sqlast.Node) bool {
		switch n := n.(type) {
		case *sqlast.Table:
			all = append(all, n.Alias)
		case *sqlast.TableFunction:
			all = append(all, n.Alias)
		case *sqlast.Derived:
			all = append(all, n.Alias)
			return false
		case *sqlast.Query:
			return false
		}
		return true
	})
	return all
}

func (f *from) connect(parts []*part) {
	for _, p := range parts[min(1, len(parts)):] {
		from, to := p.group, parts[0].group
		for _, other := range f.parts {
			if other.group == from {
				other.group = to
			}
		}
	}
}

func (f *from) groups() [][]dialect.TableName {
	at := map[int]int{}
	var groups [][]dialect.TableName
	for _, p := range f.parts {
		if p.one || len(p.tables) == 0 {
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
