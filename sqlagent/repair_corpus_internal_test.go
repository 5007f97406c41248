package sqlagent

import (
	"errors"
	"maps"
	"strings"
	"testing"

	"github.com/qedkit/qed/internal/ascii"
	"github.com/qedkit/qed/internal/corpora"
	"github.com/qedkit/qed/internal/sqlast"
	"github.com/qedkit/qed/joinpath"
	"github.com/qedkit/qed/refusal"
	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/secureview/dialect/sqlite"
)

// A gold statement that lost its last join is repaired with that table, or not at all.
func TestForgottenJoinsOfCorpus(t *testing.T) {
	c := corpora.Need(t)
	agents := map[string]*agent{}
	for _, s := range c.Schemas {
		schema := &joinpath.Schema{Tables: map[string]joinpath.Table{}}
		for name, columns := range s.Tables {
			schema.Tables[name] = joinpath.Table{Columns: columns, PrimaryKey: s.PrimaryKeys[name]}
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
