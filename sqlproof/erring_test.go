package sqlproof_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/qedkit/qed/internal/corpora"
	"github.com/qedkit/qed/internal/sqlast"
	"github.com/qedkit/qed/sqlproof/proof"
)

// modelErrors are errors of a model, of which the schema can tell some: least is the share in percent that
// has to be found.
var modelErrors = []struct {
	name  string
	least int
	plant func(m *mutant, n int) bool
}{
	{"a column of another table", 99, (*mutant).foreignColumn},
	{"another table", 90, (*mutant).otherTable},
	{"another column in a join", 99, (*mutant).wrongColumn},
	{"another foreign key in a join", 99, (*mutant).wrongKey},
	{"no condition of a join", 99, (*mutant).noCondition},
	{"one table too many", 99, (*mutant).fanOut},
	{"another column of the table", 0, (*mutant).otherColumn},
	{"another aggregate", 0, (*mutant).otherAggregate},
	{"another comparison", 0, (*mutant).otherComparison},
}

// TestErringModel makes each error that a statement of the public corpora allows once, and
// counts how many the guard refuses or the prover reports as an error or a question, without
// data and without the question. Which column, aggregate or comparison is meant only the
// question says.
func TestErringModel(t *testing.T) {
	c := corpora.Need(t)
	all := shelves(t, c, false)
	made, refused, reported, asked := map[string]int{}, map[string]int{}, map[string]int{}, map[string]int{}
	right, falsely, doubted := 0, 0, 0
	for i, s := range c.Statements {
		shelf := all[s.DB]
		gold, err := shelf.guard.Rewrite(t.Context(), s.SQL)
		if err != nil {
			continue
		}
		right++
		if report := shelf.prover.Check(gold); !report.OK() {
			falsely++
			continue
		} else if isAsked(report) {
			doubted++
		}
		for _, kind := range modelErrors {
			text, ok := mutate(t, shelf.schema, s.SQL, kind.plant, i%3)
			if !ok {
				if text, ok = mutate(t, shelf.schema, s.SQL, kind.plant, 0); !ok {
					continue
				}
			}
			made[kind.name]++
			stmt, err := shelf.guard.Rewrite(t.Context(), text)
			if err != nil {
				refused[kind.name]++
				continue
			}
			switch report := shelf.prover.Check(stmt); {
			case !report.OK():
				reported[kind.name]++
			case isAsked(report):
				asked[kind.name]++
			}
		}
	}
	t.Logf("%-32s %5d: %5d errors, %5d questions", "right statements", right, falsely, doubted)
	for _, kind := range modelErrors {
		n, found := made[kind.name], refused[kind.name]+reported[kind.name]+asked[kind.name]
		t.Logf("%-32s %5d: %5d refused by the guard, %5d errors, %5d questions", kind.name, n, refused[kind.name], reported[kind.name], asked[kind.name])
		if n == 0 || found*100 < kind.least*n {
			t.Errorf("%s: %d of %d are found, less than %d %%", kind.name, found, n, kind.least)
		}
	}
}

func isAsked(r *proof.Report) bool {
	return slices.ContainsFunc(r.Findings, func(f proof.Finding) bool { return f.Severity == proof.Question })
}

// columns returns the columns of the block whose tables are known.
func (m *mutant) columns() (all []*sqlast.Column) {
	sqlast.Walk(m.query, func(node sqlast.Node) bool {
		if c, ok := node.(*sqlast.Column); ok {
			if table, _ := m.column(c); table != "" {
				all = append(all, c)
			}
		}
		return true
	})
	return all
}

// foreignColumn names a column that no table of the FROM has, but another one.
func (m *mutant) foreignColumn(n int) bool {
	all := m.columns()
	if n >= len(all) {
		return false
	}
	for _, table := range slices.Sorted(maps.Keys(m.schema.Tables)) {
		for _, name := range m.schema.Tables[table].Columns {
			if !slices.ContainsFunc(slices.Collect(maps.Values(m.tables)), func(t string) bool { return isPart(m.schema.Tables[t].Columns, name) }) {
				all[n].Name = name
				return true
			}
		}
	}
	return false
}

// otherColumn names the next column of the same table.
func (m *mutant) otherColumn(n int) bool {
	all := m.columns()
	if n >= len(all) {
		return false
	}
	table, name := m.column(all[n])
	columns := m.schema.Tables[table].Columns
	all[n].Name = columns[(slices.Index(columns, name)+1)%len(columns)]
	return len(columns) > 1
}

// otherTable reads another table under the same alias.
func (m *mutant) otherTable(n int) bool {
	var tables []*sqlast.Table
	sqlast.Walk(m.query, func(node sqlast.Node) bool {
		if t, ok := node.(*sqlast.Table); ok {
			tables = append(tables, t)
		}
		return true
	})
	others := slices.DeleteFunc(slices.Sorted(maps.Keys(m.schema.Tables)), func(name string) bool {
		return slices.ContainsFunc(tables, func(t *sqlast.Table) bool { return strings.EqualFold(t.Name, name) })
	})
	if n >= len(tables) || len(others) == 0 {
		return false
	}
	tables[n].Name = others[n%len(others)]
	return true
}

// nth changes the n-th node that change can change.
func (m *mutant) nth(n int, change func(node sqlast.Node, now bool) bool) (done bool) {
	sqlast.Walk(m.query, func(node sqlast.Node) bool {
		if !done && change(node, n == 0) {
			done = n == 0
			n--
		}
		return !done
	})
	return done
}

func (m *mutant) otherAggregate(n int) bool {
	others := map[string]string{"sum": "avg", "avg": "sum", "min": "max", "max": "min", "count": "max"}
	return m.nth(n, func(node sqlast.Node, now bool) bool {
		c, ok := node.(*sqlast.Call)
		if ok = ok && others[c.Name] != "" && len(c.Args) == 1; ok && now {
			c.Name = others[c.Name]
		}
		return ok
	})
}

func (m *mutant) otherComparison(n int) bool {
	others := map[sqlast.BinaryOp]sqlast.BinaryOp{sqlast.Lt: sqlast.Gt, sqlast.Gt: sqlast.Lt, sqlast.Le: sqlast.Ge, sqlast.Ge: sqlast.Le}
	return m.nth(n, func(node sqlast.Node, now bool) bool {
		b, ok := node.(*sqlast.Binary)
		if !ok {
			return false
		}
		other, known := others[b.Op]
		if known && now {
			b.Op = other
		}
		return known
	})
}
