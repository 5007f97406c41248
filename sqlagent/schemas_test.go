package sqlagent_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/joinpath"
	"github.com/qedkit/qed/llm/llmtest"
	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/secureview/dialect/sqlite"
	"github.com/qedkit/qed/sqlagent"
)

// TestSchemas has tables of two schemas, of which both have a table region. A model names
// them in several ways.
func TestSchemas(t *testing.T) {
	columns := []string{"id", "customer_id", "region_id", "name"}
	p := &secureview.Policy{Dialect: "sqlite", Tables: map[string][]string{"orders": columns, "region": columns},
		Schemas: map[string]secureview.Schema{"crm": {
			Tables: map[string][]string{"customer": columns, "region": columns}, Views: map[string]string{"customer": "secure_customer"},
		}}}
	s := &joinpath.Schema{Tables: map[string]joinpath.Table{
		"orders": {Columns: columns}, "region": {Columns: columns},
		"crm.region": {Columns: columns, Schema: "crm"}, "crm.customer": {Columns: columns, Schema: "crm"},
	}}
	for _, r := range [][3]string{{"orders", "customer_id", "crm.customer"}, {"crm.customer", "region_id", "crm.region"}} {
		if err := s.AddForeignKey(r[0], []string{r[1]}, r[2], []string{"id"}); err != nil {
			t.Fatal(err)
		}
	}
	guard, err := secureview.New(p, sqlite.Dialect{})
	if err != nil {
		t.Fatal(err)
	}
	for chosen, want := range map[string][]string{
		"orders, customer":                    {"orders", "crm.customer"},
		`"main"."orders", "crm"."customer"`:   {"orders", "crm.customer"},
		"orders, CRM.Secure_Customer":         {"orders", "crm.customer"},
		"orders, region":                      {"orders", "region"},
		"orders, crm.region":                  {"orders", "crm.region"},
		"`crm`.`region`, main.region, orders": {"crm.region", "region", "orders"},
	} {
		const sql = "SELECT c.name FROM orders o JOIN crm.customer c ON c.id = o.customer_id"
		m := llmtest.New(
			reply("select_tables", tables(strings.Split(chosen, ", ")...)), reply("generate", query("SELECT name FROM customer")),
			reply("correct", query(sql)), reply("answer", text("Yes.")),
		)
		a, err := sqlagent.New(m, &database{answers: []answer{{contains: "customer", rows: [][]any{{"1"}}}}}, guard, s, nil)
		if err != nil {
			t.Fatal(err)
		}
		events, got, err := run(t, a, qed.Turn{Text: "q"})
		if err != nil {
			t.Fatal(err)
		}
		var selected []string
		for _, e := range events {
			if e, ok := e.(qed.TablesSelected); ok {
				selected = e.Tables
			}
		}
		if diff := cmp.Diff(want, selected); diff != "" {
			t.Errorf("%s (-want +got):\n%s", chosen, diff)
		}
		if slices.Contains(want, "crm.customer") && !strings.Contains(prompt(t, m, "generate"), "orders.customer_id = crm.customer.id") {
			t.Errorf("the prompt lacks the join:\n%s", prompt(t, m, "generate"))
		}
		if correct := prompt(t, m, "correct"); !strings.Contains(correct, "crm.customer(id") || !strings.Contains(correct, "did you mean: crm.customer") {
			t.Errorf("the prompt of the correction:\n%s", correct)
		}
		query := got.Queries[0]
		if len(query.JoinPath) != 1 || query.JoinPath[0].Relationship != qed.JoinKnown || !strings.Contains(query.JoinPath[0].String(), "crm.customer") ||
			!strings.Contains(query.Executed, `"crm"."secure_customer"`) {
			t.Errorf("the query is %+v", query)
		}
	}
}
