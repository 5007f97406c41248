package sqlagent_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/joinpath"
	"github.com/qedkit/qed/joinpath/joingraph"
	"github.com/qedkit/qed/llm/llmtest"
	"github.com/qedkit/qed/refusal"
	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/secureview/dialect/sqlite"
	"github.com/qedkit/qed/sqlagent"
	"github.com/qedkit/qed/sqlagent/schemasearch"
	"github.com/qedkit/qed/sqldb"
)

// largeSchema has 5,000 tables of 12 columns each, as a company has that bought others: each
// of 1,000 modules has a chain of five tables. All refer to one table, company.
func largeSchema(t *testing.T) *joinpath.Schema {
	t.Helper()
	s := &joinpath.Schema{Tables: map[string]joinpath.Table{
		"company": {Columns: []string{"id", "name"}, PrimaryKey: []string{"id"}, Types: map[string]string{"id": "int", "name": "text"}},
	}}
	kinds := []string{"customer", "contract", "order", "delivery", "invoice"}
	name := func(module, kind int) string { return fmt.Sprintf("m%03d_%s", module, kinds[kind]) }
	for module := range 1_000 {
		for kind := range kinds {
			if module == 0 && kind == 0 {
				continue // company is the 5,000th
			}
			columns := []string{"id", "company_id", "parent_ref"}
			types := map[string]string{"id": "int", "company_id": "int", "parent_ref": "int"}
			for i := range 9 {
				column := fmt.Sprintf("%s_detail_%02d", kinds[kind], i)
				columns, types[column] = append(columns, column), "text"
			}
			s.Tables[name(module, kind)] = joinpath.Table{
				Columns: columns, Types: types, PrimaryKey: []string{"id"}, Rows: 1_000, Comment: strings.Repeat("a comment ", 30),
			}
		}
	}
	for module := range 1_000 {
		for kind := range kinds {
			if _, ok := s.Tables[name(module, kind)]; !ok {
				continue
			}
			keys := [][2]string{{"company_id", "company"}}
			if _, ok := s.Tables[name(module, kind-min(kind, 1))]; ok && kind > 0 {
				keys = append(keys, [2]string{"parent_ref", name(module, kind-1)})
			}
			for _, key := range keys {
				if err := s.AddForeignKey(name(module, kind), []string{key[0]}, key[1], []string{"id"}); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	return s
}

// TestLargeSchema takes a schema of 5,000 tables from its policy to an answer. What a model
// and a person are shown does not grow with it.
func TestLargeSchema(t *testing.T) {
	if testing.Short() {
		t.Skip("reads 5,000 tables")
	}
	schema := largeSchema(t)
	policy, omitted, err := sqldb.PolicyFor(schema, &sqldb.PolicyOptions{Dialect: "sqlite", Exclude: []string{"m999_invoice", "*.order_detail_07"}})
	if err != nil || len(omitted) > 0 || len(policy.Tables) != 4_999 {
		t.Fatalf("the policy has %d tables: %v, %v", len(policy.Tables), omitted, err)
	}
	guard, err := secureview.New(policy, sqlite.Dialect{})
	if err != nil {
		t.Fatal(err)
	}
	readable, err := sqldb.Readable(schema, guard)
	if err != nil || len(readable.Tables) != 4_999 || len(readable.Relationships) != len(schema.Relationships)-2 {
		t.Fatalf("%d tables and %d relationships are readable: %v", len(readable.Tables), len(readable.Relationships), err)
	}
	inferred, err := joingraph.Infer(t.Context(), readable, nil)
	if err != nil || len(inferred.Relationships) > 5_000 {
		t.Errorf("%d relationships are guessed: %v", len(inferred.Relationships), err)
	}
	graph, err := joinpath.New(readable, nil)
	if err != nil {
		t.Fatal(err)
	}
	path, err := graph.ShortestPath("m500_customer", "m500_invoice")
	if err != nil || slices.Contains(path.Tables(), "company") || len(path.Tables()) != 5 {
		t.Errorf("the path is %v, %v", path, err)
	}
	index, err := schemasearch.New(t.Context(), readable, nil)
	if err != nil {
		t.Fatal(err)
	}
	hits, err := index.Search(t.Context(), "Which m123 invoice has which m123 customer?", 20)
	if err != nil || len(hits) > 20 || hits[0].Table != "m123_invoice" && hits[0].Table != "m123_customer" {
		t.Errorf("the search found %v, %v", hits, err)
	}

	_, err = guard.Rewrite(t.Context(), "SELECT idd, nam FROM m500_invoic JOIN m501_customer ON TRUE JOIN order_detail ON TRUE")
	if refused, ok := errors.AsType[*refusal.Error](err); !ok || len(err.Error()) > 2_000 || !slices.Contains(refused.Problems[0].Candidates, "m500_invoice") {
		t.Errorf("a wrong table: %v", err)
	}

	m := llmtest.New(
		reply("select_tables", tables("m500_customer", "m500_invoice")),
		reply("generate", query("SELECT c.customer_detail_01 FROM m500_customer c JOIN m500_invoic i ON i.id = c.id")),
		reply("correct", query("SELECT customer_detail_01 FROM m500_customer")),
		reply("answer", text("Ann.")),
	)
	a, err := sqlagent.New(m, &database{answers: []answer{{contains: "m500", rows: [][]any{{"Ann"}}}}}, guard, schema, nil)
	if err != nil {
		t.Fatal(err)
	}
	_, got, err := run(t, a, qed.Turn{Text: "Which m500 customers have an m500 invoice?"})
	if err != nil || got.Text != "Ann." {
		t.Fatalf("%+v, %v", got, err)
	}
	for name, most := range map[string]int{"select_tables": 120_000, "generate": 20_000, "correct": 20_000} {
		if n := len(prompt(t, m, name)); n > most {
			t.Errorf("the prompt of %s has %d bytes, want at most %d", name, n, most)
		}
	}
	if selection := prompt(t, m, "select_tables"); strings.Count(selection, "\nm") > 250 || !strings.Contains(selection, "m500_invoice(") {
		t.Error("the prompt for the selection has too many tables, or not those of the question")
	}
	if join := prompt(t, m, "generate"); !strings.Contains(join, "m500_delivery") || strings.Contains(join, "m499_") {
		t.Errorf("the prompt has other joins:\n%s", join)
	}
}
