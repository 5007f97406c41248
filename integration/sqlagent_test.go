package integration_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/examples/fieldservice"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/llm/llmtest"
)

// script returns a model with the recorded replies to one question.
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

// TestAgentOnSQLite asks every question about the example company, on the real
// database: refusals, corrections and rows are real. testCompany compares servers with
// SQLite.
func TestAgentOnSQLite(t *testing.T) {
	ask := sqliteCompany(t).agents(t)
	for _, q := range fieldservice.Questions("sqlite") {
		t.Run(q.ID, func(t *testing.T) {
			switch got := ask(t, q); q.ID {
			case "complete-an-order": // the model insists on writing
				if !got.Partial || got.Executed > 0 {
					t.Errorf("%+v, want a partial answer and nothing executed", got)
				}
			default:
				if got.Partial || got.Executed == 0 || got.Text != q.Answer {
					t.Errorf("%+v, want the answer %q", got, q.Answer)
				}
			}
		})
	}
}

// checkProof checks the proof of an answer: it has the statement that was written, no
// statement read a sensitive table without its view, and the answer survives JSON.
func checkProof(t *testing.T, c *company, q fieldservice.Question, answer qed.Answer) {
	t.Helper()
	proof := answer.Queries[0]
	if want := strings.TrimSpace(q.Statements[len(q.Statements)-1]); proof.Written != want {
		t.Errorf("Written = %q, want %q", proof.Written, want)
	}
	if (proof.Executed == "") != (answer.Table == nil) {
		t.Errorf("Executed = %q, with the table %v", proof.Executed, answer.Table)
	}
	for secret := range c.policy.Views {
		if strings.Contains(proof.Executed, c.dialect.Quote(c.policy.Schema)+"."+c.dialect.Quote(secret)+" ") {
			t.Errorf("%s was read next to its secure view: %s", secret, proof.Executed)
		}
	}
	raw, err := json.Marshal(answer)
	if err != nil {
		t.Fatal(err)
	}
	var back qed.Answer
	if err := json.Unmarshal(raw, &back); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(answer, back); diff != "" {
		t.Errorf("the answer does not survive JSON (-want +got):\n%s", diff)
	}
}
