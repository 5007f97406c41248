package sqlproof_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/qedkit/qed/internal/corpora"
	"github.com/qedkit/qed/internal/sqlast"
	"github.com/qedkit/qed/joinpath"
	"github.com/qedkit/qed/refusal"
	"github.com/qedkit/qed/secureview/dialect/sqlite"
	"github.com/qedkit/qed/sqlproof/proof"
)

// TestMutants plants single faults of which the schema can tell that they are faults into
// the statements of the public corpora, and counts how many are found, by kind.
func TestMutants(t *testing.T) {
	c := corpora.Need(t)
	all := shelves(t, c, true)
	made, found, errors := map[string]int{}, map[string]int{}, map[string]int{}
	shown := map[string]int{}
	for _, s := range c.Statements {
		shelf := all[s.DB]
		gold, err := shelf.guard.Rewrite(t.Context(), s.SQL)
		if err != nil {
			continue
		}
		before := shelf.prover.Check(gold)
		for _, kind := range mutations {
			if has(before, kind.codes) > 0 {
				continue
			}
			for n := 0; ; n++ {
				text, ok := mutate(t, shelf.schema, s.SQL, kind.plant, n)
				if !ok {
					break
				}
				stmt, err := shelf.guard.Rewrite(t.Context(), text)
				if err != nil || text == s.SQL {
					continue
				}
				made[kind.name]++
				report := shelf.prover.Check(stmt)
				if !report.OK() {
					errors[kind.name]++
				}
				if has(report, kind.codes) > 0 {
					found[kind.name]++
				} else if shown[kind.name]++; shown[kind.name] <= 3 {
					t.Logf("%s: not found in %s\n%s\n%s\n%v", kind.name, s.DB, s.SQL, text, summary(report))
				}
			}
		}
	}
	total, caught := 0, 0
	for _, kind := range slices.Sorted(maps.Keys(made)) {
		t.Logf("%-40s %d of %d, %d as an error", kind, found[kind], made[kind], errors[kind])
		total, caught = total+made[kind], caught+found[kind]
		if found[kind]*100 < made[kind]*99 {
			t.Errorf("%s: %d of %d are found, less than 99 %%", kind, found[kind], made[kind])
		}
	}
	t.Logf("%d of %d faults are found", caught, total)
}

func has(r *proof.Report, codes []refusal.Code) (n int) {
	for _, f := range r.Findings {
		if slices.Contains(codes, f.Code) {
			n++
		}
	}
	return n
}

// A mutation plants a fault. plant changes a SELECT in its n-th way, and reports whether
// there is one.
type mutation struct {
	name  string
	codes []refusal.Code
	plant func(m *mutant, n int) bool
}

var mutations = []mutation{
	{"a joined table repeats rows", []refusal.Code{proof.FanOut, proof.Chasm}, (*mutant).fanOut},
	{"another column in a join", []refusal.Code{proof.JoinUnknown, proof.JoinPartial, proof.Cartesian}, (*mutant).wrongColumn},
	{"another foreign key in a join", []refusal.Code{proof.JoinUnknown}, (*mutant).wrongKey},
	{"no condition of a join", []refusal.Code{proof.Cartesian}, (*mutant).noCondition},
	{"no column in GROUP BY", []refusal.Code{proof.BareColumn}, (*mutant).noGroup},
	{"NOT IN a column with NULL", []refusal.Code{proof.NotInNull}, (*mutant).notIn},
	{"LEFT JOIN and a condition in WHERE", []refusal.Code{proof.OuterJoinUndone}, (*mutant).undone},
	{"a comparison with NULL", []refusal.Code{proof.NullCompare}, (*mutant).null},
	{"a share of counts", []refusal.Code{proof.IntegerDivision}, (*mutant).share},
	{"an average of averages", []refusal.Code{proof.AverageOfAverages}, (*mutant).averages},
	{"a sum of a UNION", []refusal.Code{proof.UnionDedup}, (*mutant).union},
}

// A mutant is a SELECT whose FROM joins tables only.
type mutant struct {
	schema *joinpath.Schema
	query  *sqlast.Query
	sel    *sqlast.Select
	tables map[string]string // by the name that columns have
	names  []string          // in the order of FROM
	joins  []*sqlast.Join
}

func mutate(t *testing.T, schema *joinpath.Schema, text string, plant func(*mutant, int) bool, n int) (string, bool) {
	q, err := sqlite.Dialect{}.Read(text)
	if err != nil {
		return "", false
	}
	sel, ok := q.Body.(*sqlast.Select)
	if !ok || sel.From == nil || q.With != nil {
		return "", false
	}
	m := &mutant{schema: schema, query: q, sel: sel, tables: map[string]string{}}
	if !m.read(sel.From) || !plant(m, n) {
		return "", false
	}
	out, err := sqlite.Dialect{}.Append(nil, q, false)
	if err != nil {
		t.Fatal(err)
	}
	return string(out), true
}

func (m *mutant) read(r sqlast.Relation) bool {
	switch r := r.(type) {
	case *sqlast.Table:
		name := r.Alias
		if name == "" {
			name = r.Name
		}
		for table := range m.schema.Tables {
			if strings.EqualFold(table, r.Name) {
				m.tables[strings.ToLower(name)] = table
				m.names = append(m.names, name)
				return true
			}
		}
	case *sqlast.Join:
		if m.read(r.Left) && m.read(r.Right) {
			m.joins = append(m.joins, r)
			return true
		}
	}
	return false
}

// column returns the table and the name of a column as the schema spells it.
func (m *mutant) column(e sqlast.Expr) (table, column string) {
	c, ok := e.(*sqlast.Column)
	if !ok {
		return "", ""
	}
	for _, name := range m.names {
		t := m.tables[strings.ToLower(name)]
		if c.Table != "" && !strings.EqualFold(c.Table, name) {
			continue
		}
		for _, x := range m.schema.Tables[t].Columns {
			if strings.EqualFold(x, c.Name) {
				return t, x
			}
		}
	}
	return "", ""
}

// related reports whether the schema has a relationship of two columns, or both refer to
// one.
func (m *mutant) related(t1, c1, t2, c2 string) bool {
	refers := map[string]bool{}
	for _, r := range m.schema.Relationships {
		from, to := r.Columns()
		for i := range from {
			a, b := r.FromTable+"."+from[i], r.ToTable+"."+to[i]
			if a == t1+"."+c1 && b == t2+"."+c2 || a == t2+"."+c2 && b == t1+"."+c1 {
				return true
			}
			if a == t1+"."+c1 {
				refers["1"+b] = true
			}
			if a == t2+"."+c2 {
				refers["2"+b] = true
			}
		}
	}
	for key := range refers {
		if key[0] == '1' && refers["2"+key[1:]] {
			return true
		}
	}
	return false
}

// plainEquality returns the columns that the condition of a join compares, if it compares
// one pair of related ones.
func (m *mutant) plainEquality(j *sqlast.Join) (e *sqlast.Binary, ok bool) {
	e, ok = j.On.(*sqlast.Binary)
	if !ok || e.Op != sqlast.Eq || j.Kind != sqlast.InnerJoin {
		return nil, false
	}
	t1, c1 := m.column(e.X)
	t2, c2 := m.column(e.Y)
	return e, t1 != "" && t2 != "" && t1 != t2 && m.related(t1, c1, t2, c2)
}

// fanOut joins a table that has many rows for one of a table of which a column is summed.
func (m *mutant) fanOut(n int) bool {
	if len(m.sel.GroupBy) > 0 {
		return false
	}
	for _, item := range m.sel.Items {
		call, ok := item.Expr.(*sqlast.Call)
		if !ok || call.Name != "sum" && call.Name != "avg" || call.Distinct || len(call.Args) != 1 {
			continue
		}
		of, _ := m.column(call.Args[0])
		for _, r := range m.schema.Relationships {
			if r.ToTable != of || r.Cardinality != joinpath.ManyToOne || r.FromTable == of || slices.Contains(slices.Collect(maps.Values(m.tables)), r.FromTable) {
				continue
			}
			if n--; n >= 0 {
				continue
			}
			from, to := r.Columns()
			for _, name := range m.names {
				if m.tables[strings.ToLower(name)] == of {
					m.qualify()
					j := &sqlast.Join{Left: m.sel.From, Right: &sqlast.Table{Name: r.FromTable, Alias: "mutant"}}
					for i := range from {
						e := sqlast.Expr(&sqlast.Binary{Op: sqlast.Eq, X: &sqlast.Column{Table: "mutant", Name: from[i]}, Y: &sqlast.Column{Table: name, Name: to[i]}})
						if j.On != nil {
							e = &sqlast.Binary{Op: sqlast.And, X: j.On, Y: e}
						}
						j.On = e
					}
					m.sel.From = j
					return true
				}
			}
		}
	}
	return false
}

// qualify gives each column of the block the name of its table.
func (m *mutant) qualify() {
	sqlast.Walk(m.query, func(node sqlast.Node) bool {
		switch c := node.(type) {
		case *sqlast.Query:
			return c == m.query
		case *sqlast.Column:
			if c.Table == "" && len(m.names) == 1 {
				c.Table = m.names[0]
			}
		}
		return true
	})
}

// wrongColumn compares another column of one of two joined tables, one that is unrelated.
func (m *mutant) wrongColumn(n int) bool {
	for _, j := range m.joins {
		e, ok := m.plainEquality(j)
		if !ok {
			continue
		}
		for side, x := range []sqlast.Expr{e.X, e.Y} {
			t1, _ := m.column(x)
			t2, c2 := m.column([]sqlast.Expr{e.Y, e.X}[side])
			for _, other := range m.schema.Tables[t1].Columns {
				if m.related(t1, other, t2, c2) || m.refers(t1, other) {
					continue
				}
				if n--; n < 0 {
					x.(*sqlast.Column).Name = other
					return true
				}
			}
		}
	}
	return false
}

func (m *mutant) refers(table, column string) bool {
	return slices.ContainsFunc(m.schema.Relationships, func(r joinpath.Relationship) bool {
		from, _ := r.Columns()
		return r.FromTable == table && slices.Contains(from, column)
	})
}

// wrongKey joins by another foreign key of a table, which refers to a third table.
func (m *mutant) wrongKey(n int) bool {
	for _, j := range m.joins {
		e, ok := m.plainEquality(j)
		if !ok {
			continue
		}
		for side, x := range []sqlast.Expr{e.X, e.Y} {
			t1, c1 := m.column(x)
			t2, c2 := m.column([]sqlast.Expr{e.Y, e.X}[side])
			for _, other := range m.schema.Tables[t1].Columns {
				if other == c1 || !m.refers(t1, c1) || !m.refers(t1, other) || m.related(t1, other, t2, c2) {
					continue
				}
				if n--; n < 0 {
					x.(*sqlast.Column).Name = other
					return true
				}
			}
		}
	}
	return false
}

// noCondition leaves out the condition of a join.
func (m *mutant) noCondition(n int) bool {
	if m.sel.Where != nil {
		compares := false
		sqlast.Walk(m.sel.Where, func(node sqlast.Node) bool {
			if b, ok := node.(*sqlast.Binary); ok {
				x, _ := m.column(b.X)
				y, _ := m.column(b.Y)
				compares = compares || x != "" && y != ""
			}
			return true
		})
		if compares {
			return false
		}
	}
	for _, j := range m.joins {
		if _, ok := m.plainEquality(j); ok {
			if n--; n < 0 {
				j.On = nil
				return true
			}
		}
	}
	return false
}

// noGroup leaves out a column of GROUP BY that the result shows and no key determines.
func (m *mutant) noGroup(n int) bool {
	extremes := false
	hasAggregate := false
	for _, item := range m.sel.Items {
		if sqlast.HasAggregate(item.Expr) {
			hasAggregate = true
			call, ok := item.Expr.(*sqlast.Call)
			extremes = extremes || ok && (call.Name == "min" || call.Name == "max")
		}
	}
	if !hasAggregate || extremes {
		return false
	}
	for i, e := range m.sel.GroupBy {
		table, column := m.column(e)
		shown := slices.ContainsFunc(m.sel.Items, func(item sqlast.Item) bool { return sqlast.EqualExpr(item.Expr, e) })
		if table == "" || !shown || slices.Contains(m.schema.Tables[table].PrimaryKey, column) && len(m.sel.GroupBy) > 1 {
			continue
		}
		keyed := slices.ContainsFunc(m.sel.GroupBy, func(other sqlast.Expr) bool {
			t, c := m.column(other)
			return t != "" && (isPart(m.schema.Tables[t].PrimaryKey, c) || m.refers(t, c))
		})
		if keyed && len(m.sel.GroupBy) > 1 || m.sel.Where != nil {
			continue // a key or a constant may determine it
		}
		if n--; n < 0 {
			m.sel.GroupBy = append([]sqlast.Expr(nil), slices.Delete(m.sel.GroupBy, i, i+1)...)
			return true
		}
	}
	return false
}

// notIn asks for the rows to which none of another table refers, by a column that may be
// NULL.
func (m *mutant) notIn(n int) bool {
	if len(m.names) != 1 || m.sel.Where != nil {
		return false
	}
	for _, r := range m.schema.Relationships {
		from, to := r.Columns()
		if r.ToTable != m.tables[strings.ToLower(m.names[0])] || len(from) != 1 || len(m.schema.Tables[r.FromTable].PrimaryKey) == 0 || slices.Contains(m.schema.Tables[r.FromTable].PrimaryKey, from[0]) {
			continue
		}
		if n--; n < 0 {
			inner := &sqlast.Select{Items: []sqlast.Item{{Expr: &sqlast.Column{Table: "mutant", Name: from[0]}, Alias: from[0]}}, From: &sqlast.Table{Name: r.FromTable, Alias: "mutant"}}
			m.sel.Where = &sqlast.In{X: &sqlast.Column{Table: m.names[0], Name: to[0]}, Not: true, Query: &sqlast.Query{Body: inner}}
			return true
		}
	}
	return false
}

// undone makes a join of a table that WHERE compares with a constant an outer one.
func (m *mutant) undone(n int) bool {
	for _, j := range m.joins {
		right, ok := j.Right.(*sqlast.Table)
		if _, equality := m.plainEquality(j); !ok || !equality {
			continue
		}
		name := right.Alias
		if name == "" {
			name = right.Name
		}
		e, ok := m.sel.Where.(*sqlast.Binary)
		if !ok || e.Op < sqlast.Eq || e.Op > sqlast.Ge {
			continue
		}
		c, ok := e.X.(*sqlast.Column)
		if !ok || !strings.EqualFold(c.Table, name) {
			continue
		}
		if n--; n < 0 {
			j.Kind = sqlast.LeftJoin
			return true
		}
	}
	return false
}

// null compares a column with NULL.
func (m *mutant) null(n int) bool {
	done := false
	sqlast.Walk(m.sel.Where, func(node sqlast.Node) bool {
		e, ok := node.(*sqlast.Binary)
		if _, query := node.(*sqlast.Query); query {
			return false
		}
		if ok && (e.Op == sqlast.Eq || e.Op == sqlast.Ne) {
			if t, _ := m.column(e.X); t != "" {
				if n--; n < 0 && !done {
					e.Y, done = &sqlast.Null{}, true
				}
			}
		}
		return true
	})
	return done
}

// share divides a count by a count.
func (m *mutant) share(n int) bool {
	for i, item := range m.sel.Items {
		if call, ok := item.Expr.(*sqlast.Call); ok && call.Name == "count" {
			if n--; n < 0 {
				m.sel.Items[i] = sqlast.Item{Expr: &sqlast.Binary{Op: sqlast.Div, X: call, Y: &sqlast.Call{Name: "count", Star: true}}, Alias: fmt.Sprint("share", i)}
				return true
			}
		}
	}
	return false
}

// aggregated returns the table of a block that reads one table and returns one aggregate of a
// column of it.
func (m *mutant) aggregated(function string) (table, column string) {
	if len(m.names) != 1 || len(m.sel.Items) != 1 || m.sel.Where != nil || len(m.sel.GroupBy) > 0 || m.sel.Having != nil {
		return "", ""
	}
	call, ok := m.sel.Items[0].Expr.(*sqlast.Call)
	if !ok || call.Name != function || len(call.Args) != 1 || call.Distinct {
		return "", ""
	}
	return m.column(call.Args[0])
}

// averages takes the average of averages by another column.
func (m *mutant) averages(n int) bool {
	table, column := m.aggregated("avg")
	if table == "" {
		return false
	}
	for _, other := range m.schema.Tables[table].Columns {
		if other == column {
			continue
		}
		if n--; n < 0 {
			inner := *m.sel
			inner.Items = []sqlast.Item{{Expr: m.sel.Items[0].Expr, Alias: "average"}}
			inner.GroupBy = []sqlast.Expr{&sqlast.Column{Name: other}}
			*m.sel = sqlast.Select{
				Items: []sqlast.Item{{Expr: &sqlast.Call{Name: "avg", Args: []sqlast.Expr{&sqlast.Column{Name: "average"}}}}},
				From:  &sqlast.Derived{Query: &sqlast.Query{Body: &inner}, Alias: "groups"},
			}
			return true
		}
	}
	return false
}

// union adds up what UNION leaves of a column of two tables.
func (m *mutant) union(n int) bool {
	table, column := m.aggregated("sum")
	if table == "" || n > 0 || slices.Contains(m.schema.Tables[table].PrimaryKey, column) {
		return false
	}
	part := func() *sqlast.Select {
		return &sqlast.Select{Items: []sqlast.Item{{Expr: &sqlast.Column{Name: column}, Alias: "amount"}}, From: &sqlast.Table{Name: table}}
	}
	*m.sel = sqlast.Select{
		Items: []sqlast.Item{{Expr: &sqlast.Call{Name: "sum", Args: []sqlast.Expr{&sqlast.Column{Name: "amount"}}}}},
		From:  &sqlast.Derived{Query: &sqlast.Query{Body: &sqlast.SetOp{Kind: sqlast.Union, Left: part(), Right: part()}}, Alias: "both"},
	}
	return true
}
