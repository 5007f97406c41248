package integration_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/analyst"
	"github.com/qedkit/qed/analyst/dataset"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/llm/llmtest"
	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/secureview/dialect/sqlite"
	"github.com/qedkit/qed/sqldb/duckdb"
	"github.com/qedkit/qed/sqldb/duckdb/dialect"
)

// BenchmarkAnalyst loads a file of 100,000 orders, asks a question about it and writes a
// report. The model is scripted: it profiles the table, runs two queries, and has a finding
// checked.
func BenchmarkAnalyst(b *testing.B) {
	path := filepath.Join(b.TempDir(), "orders.csv")
	var text strings.Builder
	text.WriteString("id,day,region,amount,units,status\n")
	for i := range 100_000 {
		fmt.Fprintf(&text, "%d,2026-%02d-%02d,%s,%d.%02d,%d,%s\n", i, i%12+1, i%28+1, []string{"north", "south", "east"}[i%3],
			i*7919%900+i%3*50, i%100, i%9, []string{"paid", "open"}[i%2])
	}
	if err := os.WriteFile(path, []byte(text.String()), 0o600); err != nil {
		b.Fatal(err)
	}
	for _, engine := range []struct {
		name string
		open func(b *testing.B) analyst.Data
	}{
		{"SQLite", func(b *testing.B) analyst.Data {
			d, err := dataset.Open(b.Context(), path, nil)
			if err != nil {
				b.Fatal(err)
			}
			return analyst.Data{DB: d.DB, Policy: d.Policy, Dialect: sqlite.Dialect{}, Notes: d.Notes(), Close: d.Close}
		}},
		{"DuckDB", func(b *testing.B) analyst.Data {
			db, reports, err := duckdb.Load(b.Context(), []duckdb.File{{Path: path}}, nil)
			if err != nil {
				b.Fatal(err)
			}
			policy := &secureview.Policy{Dialect: "duckdb", Tables: map[string][]string{duckdb.DefaultTable: {"id", "day", "region", "amount", "units", "status"}}}
			return analyst.Data{DB: db, Policy: policy, Dialect: dialect.Dialect{}, Notes: reports[0].Notes(), Close: db.Close}
		}},
	} {
		b.Run(engine.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				exploreOrders(b, engine.open(b))
			}
		})
	}
}

func exploreOrders(b *testing.B, data analyst.Data) {
	const means = "SELECT region, avg(amount) AS mean FROM t_parsed GROUP BY region ORDER BY region"
	const months = "SELECT status, count(*) AS n, sum(units) AS units FROM t_parsed GROUP BY status ORDER BY status"
	call := func(id, name, arguments string) llm.ToolCall {
		return llm.ToolCall{ID: id, Name: name, Arguments: json.RawMessage(arguments)}
	}
	model := llmtest.New(
		llmtest.Rule{Name: "report", Replies: []llmtest.Reply{{Text: "# Orders\n\nThe first region has {q1.r1.mean} on average."}}},
		llmtest.Rule{Name: "step", Contains: []string{`"verdict":`}, Replies: []llmtest.Reply{{Text: "Orders of the south are larger than those of the north."}}},
		llmtest.Rule{Name: "step", Replies: []llmtest.Reply{{ToolCalls: []llm.ToolCall{
			call("1", "profileData", `{}`),
			call("2", "executeSQLQuery", `{"query":"`+means+`","reason":"compare"}`),
			call("3", "executeSQLQuery", `{"query":"`+months+`","reason":"count"}`),
			call("4", "validateAnalysis", `{"finding":"Orders of the south are larger than those of the north.","relatedQuery":"`+means+`",
				"claim":{"causal":false,"kind":"means","metric":"amount","by":"region","groups":["south","north"],"comparison":"more"}}`),
		}}}},
	)
	a, err := analyst.New(model, data, nil)
	if err != nil {
		b.Fatal(err)
	}
	answer, err := qed.Ask(b.Context(), a, qed.Turn{Thread: "1", Text: "Where are orders larger?"})
	if err != nil {
		b.Fatal(err)
	}
	found, err := analyst.ExplorationOf(answer)
	if err != nil {
		b.Fatal(err)
	}
	if len(found.ExecutedQueries) < 2 || len(found.Checks) != 1 {
		b.Fatalf("%d queries and %d checks", len(found.ExecutedQueries), len(found.Checks))
	}
	if _, err := a.Report(b.Context(), found); err != nil {
		b.Fatal(err)
	}
	if err := a.Close(); err != nil {
		b.Fatal(err)
	}
	if err := data.Close(); err != nil {
		b.Fatal(err)
	}
}
