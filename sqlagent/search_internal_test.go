package sqlagent

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/qedkit/qed/dialect/sqlite"
	"github.com/qedkit/qed/internal/corpora"
	"github.com/qedkit/qed/joinpath"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/secureview"
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
	schema, name := manySchemas(b)
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

// manySchemas returns the schemas of the corpus as one, and the name that a table has
// in it.
func manySchemas(tb testing.TB) (*joinpath.Schema, func(db, table string) string) {
	tb.Helper()
	c := corpora.Public(tb)
	count := map[string]int{}
	for _, db := range c.Schemas {
		for table := range db.Tables {
			count[strings.ToLower(table)]++
		}
	}
	name := func(db, table string) string {
		table = strings.ToLower(table)
		if count[table] > 1 {
			return strings.ToLower(db) + "_" + table
		}
		return table
	}
	s := &joinpath.Schema{Tables: map[string]joinpath.Table{}}
	columns := 0
	seen := map[string]bool{}
	for _, db := range c.Schemas {
		for table, names := range db.Tables {
			s.Tables[name(db.DB, table)] = joinpath.Table{Columns: slices.Clone(names)}
			columns += len(names)
		}
		for _, k := range db.ForeignKeys {
			r := joinpath.Relationship{
				FromTable: name(db.DB, k[0]), FromColumn: k[1], ToTable: name(db.DB, k[2]), ToColumn: k[3], Confidence: 1,
			}
			if !seen[r.Key()] {
				seen[r.Key()] = true
				s.Relationships = append(s.Relationships, r)
			}
		}
	}
	// The tables that fill it up are named after pairs of words of the others.
	var words []string
	for table := range s.Tables {
		words = append(words, strings.Split(table, "_")...)
	}
	slices.Sort(words)
	words = slices.Compact(words)
	word := func(i int) string { return words[i%len(words)] }
	for i := 0; len(s.Tables) < 1000; i++ {
		s.Tables[fmt.Sprintf("%s_%s_%d", word(7*i), word(13*i+5), i)] = joinpath.Table{Columns: []string{"id"}}
		columns++
	}
	var tables []string
	for table := range s.Tables {
		tables = append(tables, table)
	}
	slices.Sort(tables)
	for i := 0; columns < 20_000; i++ {
		t := s.Tables[tables[i%len(tables)]]
		t.Columns = append(t.Columns, fmt.Sprintf("%s_%s_%d", word(11*i), word(17*i+3), i))
		s.Tables[tables[i%len(tables)]] = t
		columns++
	}
	return s, name
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
