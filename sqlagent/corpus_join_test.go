package sqlagent_test

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/corpora"
	"github.com/qedkit/qed/joinpath"
	qedquery "github.com/qedkit/qed/query"
	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/secureview/dialect/sqlite"
	"github.com/qedkit/qed/sqlagent"
)

// No join of a gold statement along a declared key is called unknown. Those without a
// declared key are, and those that lack a condition.
func TestJoinPathOfCorpus(t *testing.T) {
	c := corpora.Need(t)
	declared := map[[3]string]bool{}
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
			from, to := strings.ToLower(k[0]+"."+k[1]), strings.ToLower(k[2]+"."+k[3])
			declared[[3]string{s.DB, min(from, to), max(from, to)}] = true
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
		result, err := runTold(t, sources[s.DB], s.SQL)
		if err != nil {
			continue
		}
		unknown := false
		for _, j := range result.Query.JoinPath {
			kind := "joins "
			if !slices.Contains([]string{"inner", "left", "right", "full"}, j.Kind) {
				kind = "subqueries "
			}
			counts[kind+cmp.Or(string(j.Relationship), "not checked")]++
			if j.Relationship != qed.JoinUnknown {
				continue
			}
			unknown = true
			for i := range j.Left.Columns {
				left := strings.ToLower(j.Left.Table + "." + j.Left.Columns[i])
				right := strings.ToLower(j.Right.Table + "." + j.Right.Columns[i])
				if declared[[3]string{s.DB, min(left, right), max(left, right)}] {
					t.Errorf("%s: %s: %v is a declared key", s.DB, s.SQL, j)
				}
			}
		}
		counts["statements"]++
		if unknown {
			counts["statements with an unknown join"]++
		}
	}
	t.Logf("%v", counts)
}
