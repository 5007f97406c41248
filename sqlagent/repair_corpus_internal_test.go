package sqlagent

import (
	dbsql "database/sql"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed/internal/ascii"
	"github.com/qedkit/qed/internal/corpora"
	"github.com/qedkit/qed/internal/lists"
	"github.com/qedkit/qed/internal/sqlast"
	"github.com/qedkit/qed/joinpath"
	"github.com/qedkit/qed/refusal"
	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/secureview/dialect/sqlite"
)

// A gold statement that lost its last join is repaired with that table, or not at all.
func TestForgottenJoinsOfCorpus(t *testing.T) {
	c := corpora.Need(t)
	agents := agentsOf(t, c, "")
	counts := map[string]int{}
	for _, s := range c.Statements {
		a := agents[s.DB]
		if _, err := a.guard.Rewrite(t.Context(), s.SQL); err != nil {
			continue
		}
		for kind, qualifier := range map[string]func(kept, lost string) string{
			"without a qualifier":  func(string, string) string { return "" },
			"with the other table": func(kept, _ string) string { return kept },
			"with the lost table":  func(_, lost string) string { return lost },
		} {
			text, lost := forget(a, s.SQL, qualifier)
			if text == "" {
				continue
			}
			_, err := a.guard.Rewrite(t.Context(), text)
			refused, ok := errors.AsType[*refusal.Error](err)
			if !ok {
				continue
			}
			counts[kind]++
			again := a.lookedUp(t.Context(), text, refused.Problems)
			if again == nil {
				continue
			}
			counts[kind+", repaired"]++
			from := again.Query().Body.(*sqlast.Select).From.(*sqlast.Join).Right.(*sqlast.Table)
			if !ascii.EqualFold(from.Name, lost) {
				t.Errorf("%s: %s is joined, not %s\n%s\n%s", s.DB, from.Name, lost, s.SQL, again.Source())
			}
		}
	}
	if t.Logf("%v", counts); len(counts) != 6 {
		t.Error("a kind of them is never repaired")
	}
}

// forget returns a statement of one block without the table that it joins last, whose columns
// get another qualifier.
func forget(a *agent, sql string, qualifier func(kept, lost string) string) (text, lost string) {
	q, err := a.guard.Dialect().Read(sql)
	if err != nil || hasBlocks(q) {
		return "", ""
	}
	sel, ok := q.Body.(*sqlast.Select)
	if !ok {
		return "", ""
	}
	j, ok := sel.From.(*sqlast.Join)
	if !ok || j.Kind != sqlast.InnerJoin || j.Natural || j.Using != nil {
		return "", ""
	}
	t, ok := j.Right.(*sqlast.Table)
	kept, also := sqlast.Relations(j.Left)[len(sqlast.Relations(j.Left))-1].(*sqlast.Table)
	if !ok || !also {
		return "", ""
	}
	sel.From = j.Left
	sqlast.Walk(q, func(n sqlast.Node) bool {
		if c, ok := n.(*sqlast.Column); ok && strings.EqualFold(c.Table, aliasOf(t)) {
			c.Table = qualifier(aliasOf(kept), t.Name)
		}
		return true
	})
	printed, err := a.guard.Dialect().Append(nil, q, false)
	if err != nil {
		return "", ""
	}
	return string(printed), t.Name
}

// agentsOf returns agents for the schemas of the corpora, all of whose columns have one type.
func agentsOf(t *testing.T, c *corpora.Corpus, typ string) map[string]*agent {
	t.Helper()
	agents := map[string]*agent{}
	for _, s := range c.Schemas {
		schema := &joinpath.Schema{Tables: map[string]joinpath.Table{}}
		for name, columns := range s.Tables {
			types := map[string]string{}
			for _, column := range columns {
				types[column] = typ
			}
			schema.Tables[name] = joinpath.Table{Columns: columns, PrimaryKey: s.PrimaryKeys[name], Types: types}
		}
		for _, k := range s.ForeignKeys {
			_ = schema.AddForeignKey(k[0], []string{k[1]}, k[2], []string{k[3]}) // some are of tables that are not there
		}
		guard, err := secureview.New(&secureview.Policy{Dialect: "sqlite", Schema: "main", Tables: maps.Clone(s.Tables)}, sqlite.Dialect{})
		if err != nil {
			t.Fatal(err)
		}
		o, err := (*Options)(nil).withDefaults()
		if err != nil {
			t.Fatal(err)
		}
		r, err := newReader(nil, guard, schema, o)
		if err != nil {
			t.Fatal(s.DB, err)
		}
		agents[s.DB] = &agent{reader: r}
	}
	return agents
}

// A gold statement that lost the qualifiers of the names of several tables returns the same
// rows when it is repaired.
func TestForgottenQualifiersOfCorpus(t *testing.T) {
	c := corpora.Need(t)
	agents := agentsOf(t, c, "integer")
	counts := map[string]int{}
	for _, shelf := range c.Schemas {
		a := agents[shelf.DB]
		var gold, repaired []*secureview.Statement
		for _, s := range c.Statements {
			if s.DB != shelf.DB {
				continue
			}
			stmt, err := a.guard.Rewrite(t.Context(), s.SQL)
			if err != nil {
				continue
			}
			text := unqualify(a, s.SQL)
			_, err = a.guard.Rewrite(t.Context(), text)
			refused, ok := errors.AsType[*refusal.Error](err)
			if text == "" || !ok {
				continue
			}
			counts["statements"]++
			if again := a.qualified(t.Context(), text, refused.Problems); again != nil {
				gold, repaired = append(gold, stmt), append(repaired, again)
			}
		}
		db := corpora.Rows(t, shelf.Tables, lists.Map(gold, (*secureview.Statement).Query))
		for i := range gold {
			counts["repaired"]++
			if diff := cmp.Diff(rowTexts(t, db, gold[i]), rowTexts(t, db, repaired[i])); diff != "" {
				t.Errorf("%s\n%s\n%s\n%s", shelf.DB, gold[i].Source(), repaired[i].Source(), diff)
			}
		}
		db.Close()
	}
	if t.Logf("%v", counts); counts["repaired"] == 0 {
		t.Error("none is repaired")
	}
}

// rowTexts returns the rows of a statement, sorted.
func rowTexts(t *testing.T, db *dbsql.DB, stmt *secureview.Statement) (all []string) {
	t.Helper()
	rows, err := db.QueryContext(t.Context(), stmt.SQL())
	if err != nil {
		return nil
	}
	defer rows.Close()
	columns, _ := rows.Columns()
	for rows.Next() {
		cells := make([]any, len(columns))
		into := make([]any, len(columns))
		for i := range cells {
			into[i] = &cells[i]
		}
		if err := rows.Scan(into...); err != nil {
			t.Fatal(err)
		}
		all = append(all, fmt.Sprint(cells))
	}
	slices.Sort(all)
	return all
}

// unqualify returns a statement without the qualifiers in its select lists and groups that
// name a table of the same FROM.
func unqualify(a *agent, sql string) string {
	q, err := a.guard.Dialect().Read(sql)
	if err != nil || q.Limit != nil {
		return ""
	}
	sqlast.Walk(q, func(n sqlast.Node) bool {
		sel, ok := n.(*sqlast.Select)
		if !ok {
			return true
		}
		for i := range sel.Items {
			sel.Items[i].Alias = ""
		}
		for _, e := range append(append([]sqlast.Expr{}, sel.GroupBy...), itemsOf(sel)...) {
			sqlast.Walk(e, func(n sqlast.Node) bool {
				if c, ok := n.(*sqlast.Column); ok && isAlias(sel.From, c.Table) {
					c.Table = ""
				}
				return true
			})
		}
		return true
	})
	printed, err := a.guard.Dialect().Append(nil, q, false)
	if err != nil {
		return ""
	}
	return strings.NewReplacer("`", "", `"`, "").Replace(string(printed))
}

func isAlias(from sqlast.Relation, name string) bool {
	return from != nil && slices.ContainsFunc(sqlast.Relations(from), func(r sqlast.Relation) bool {
		t, ok := r.(*sqlast.Table)
		return ok && strings.EqualFold(aliasOf(t), name)
	})
}

func itemsOf(sel *sqlast.Select) (all []sqlast.Expr) {
	for _, it := range sel.Items {
		all = append(all, it.Expr)
	}
	return all
}
