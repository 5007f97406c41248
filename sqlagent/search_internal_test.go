package sqlagent

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/qedkit/qed/internal/corpora"
	"github.com/qedkit/qed/joinpath"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/secureview/dialect/sqlite"
)

// BenchmarkTableSearch builds the table selection's prompt for each question of the
// public corpus over all of its schemas together, filled up to 1,000 tables and 20,000
// columns. It reports the share of questions whose tables are all in the prompt, and the
// tokens of the longest list of tables.
func BenchmarkTableSearch(b *testing.B) {
	questions := corpora.Questions(b)
	if questions == nil {
		b.Skip("the public corpus is not on this machine")
	}
	schema, name := corpora.Combined(b)
	r := searchReader(b, schema)
	for b.Loop() {
		found, longest := 0, 0
		for _, q := range questions {
			tables, err := r.selection(b.Context(), q.Question)
			if err != nil {
				b.Fatal(err)
			}
			tokens := 0
			shown := map[string]bool{}
			for _, t := range tables {
				shown[t.Name] = true
				tokens += llm.EstimateTextTokens(fmt.Sprintf("%s(%s)\n", t.Name, strings.Join(t.Columns, ", ")))
			}
			longest = max(longest, tokens)
			if !slices.ContainsFunc(q.Tables, func(t string) bool { return !shown[name(q.DB, t)] }) {
				found++
			}
		}
		b.ReportMetric(float64(found)/float64(len(questions)), "found")
		b.ReportMetric(float64(longest), "tokens")
	}
}

func searchReader(tb testing.TB, schema *joinpath.Schema) *reader {
	tb.Helper()
	p := &secureview.Policy{Dialect: "sqlite", Tables: map[string][]string{}}
	for name, t := range schema.Tables {
		p.Tables[name] = t.Columns
	}
	guard, err := secureview.New(p, sqlite.Dialect{})
	if err != nil {
		tb.Fatal(err)
	}
	o, err := (&Options{}).withDefaults()
	if err != nil {
		tb.Fatal(err)
	}
	r, err := newReader(noDatabase{}, guard, schema, o)
	if err != nil {
		tb.Fatal(err)
	}
	return r
}

type noDatabase struct{ Database }
