package integration_test

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/dialect/sqlite"
	"github.com/qedkit/qed/examples/fieldservice"
	"github.com/qedkit/qed/joinpath"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/llm/llmtest"
	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/sqlagent"
	"github.com/qedkit/qed/sqldb/sqlitedb"
)

// script is a model that says what was recorded for one question.
func script(q fieldservice.Question) *llmtest.Model {
	var statements []llmtest.Reply
	for _, sql := range q.Statements {
		statements = append(statements, llmtest.Reply{JSON: map[string]string{"sql": sql}})
	}
	writes := func(r *llm.Request) bool { return r.Name == "generate" || r.Name == "correct" }
	return llmtest.New(
		llmtest.Rule{Name: "select_tables", Replies: []llmtest.Reply{{JSON: map[string]any{"tables": q.Tables}}}},
		llmtest.Rule{Match: writes, Replies: statements},
		llmtest.Rule{Name: "answer", Replies: []llmtest.Reply{{Text: q.Answer}}},
	)
}

// TestAgentOnSQLite asks the example company every question, over the real
// database: what is refused, what is corrected and what is read is real.
func TestAgentOnSQLite(t *testing.T) {
	path := filepath.Join(t.TempDir(), "company.db")
	if err := fieldservice.Create(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	db, err := sqlitedb.Open(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	introspected, err := db.Introspect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	manual, err := joinpath.Read(strings.NewReader(fieldservice.ManualGraph))
	if err != nil {
		t.Fatal(err)
	}
	schema, err := joinpath.Merge(introspected, manual)
	if err != nil {
		t.Fatal(err)
	}
	policy, err := secureview.ReadPolicy(strings.NewReader(fieldservice.PolicyJSON))
	if err != nil {
		t.Fatal(err)
	}
	guard, err := secureview.New(policy, sqlite.Dialect{})
	if err != nil {
		t.Fatal(err)
	}

	for _, q := range fieldservice.Questions() {
		t.Run(q.ID, func(t *testing.T) {
			agent, err := sqlagent.New(script(q), db, guard, schema, nil)
			if err != nil {
				t.Fatal(err)
			}
			got, err := qed.Ask(t.Context(), agent, qed.Turn{Text: q.Question})
			if err != nil {
				t.Fatal(err)
			}
			if q.ID == "complete-an-order" { // the model insists on writing
				if !got.Partial || got.Table != nil || got.Queries[0].Executed != "" {
					t.Errorf("Answer = %+v, want a partial one and nothing executed", got)
				}
				return
			}
			if got.Partial || got.Text != q.Answer {
				t.Errorf("Answer = %q, partial because of %q; want %q", got.Text, got.PartialReason, q.Answer)
			}
			proof := got.Queries[0]
			if want := strings.TrimSpace(q.Statements[len(q.Statements)-1]); proof.Written != want {
				t.Errorf("Written = %q, want %q", proof.Written, want)
			}
			for secret := range policy.Views {
				if strings.Contains(proof.Executed, `"main"."`+secret+`"`) {
					t.Errorf("%s was read beside its secure view: %s", secret, proof.Executed)
				}
			}
			raw, err := json.Marshal(got)
			if err != nil {
				t.Fatal(err)
			}
			var back qed.Answer
			if err := json.Unmarshal(raw, &back); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(got, back); diff != "" {
				t.Errorf("the answer does not survive JSON (-want +got):\n%s", diff)
			}
		})
	}
}
