package sqlagent_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/dialect/sqlite"
	"github.com/qedkit/qed/internal/corpora"
	"github.com/qedkit/qed/joinpath"
	qedquery "github.com/qedkit/qed/query"
	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/sqlagent"
)

// TestJoinPathOfCorpus compares the joins of gold statements with declared keys, and
// counts them by what is said about them.
func TestJoinPathOfCorpus(t *testing.T) {
	c := corpora.Public(t)
	if c == nil {
		t.Skip("the public corpus is not here")
	}
	sources := map[string]qedquery.Source{}
	for _, s := range c.Schemas {
		schema := &joinpath.Schema{Tables: map[string]joinpath.Table{}}
		for name, columns := range s.Tables {
			schema.Tables[name] = joinpath.Table{Columns: columns, PrimaryKey: s.PrimaryKeys[name]}
		}
		for _, k := range s.ForeignKeys {
			if err := schema.AddForeignKey(k[0], []string{k[1]}, k[2], []string{k[3]}); err != nil {
				t.Log(s.DB, err)
			}
		}
		guard, err := secureview.New(&secureview.Policy{
			Dialect: "sqlite", Schema: "main", Tables: maps.Clone(s.Tables), DoubleQuotedStrings: true,
		}, sqlite.Dialect{})
		if err != nil {
			t.Fatal(err)
		}
		if sources[s.DB], err = sqlagent.NewSource(s.DB, &database{}, guard, schema, nil); err != nil {
			t.Fatal(s.DB, err)
		}
	}
	counts := map[string]int{}
	for _, s := range c.Statements {
		result, err := sources[s.DB].Run(t.Context(), sql(t, s.SQL))
		if err != nil {
			continue
		}
		unknown := false
		for _, j := range result.Query.JoinPath {
			kind := "joins "
			if !slices.Contains([]string{"inner", "left", "right", "full"}, j.Kind) {
				kind = "subqueries "
			}
			counts[kind+strings.TrimSpace(string(j.Relationship)+" ")]++
			if unknown = unknown || j.Relationship == qed.JoinUnknown; j.Relationship == qed.JoinUnknown {
				t.Log(s.DB, j.Kind, j, "|", s.SQL)
			}
		}
		counts["statements"]++
		if unknown {
			counts["statements with an unknown join"]++
		}
	}
	t.Logf("%v", counts)
}
