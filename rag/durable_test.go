package rag_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/budget"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/llm/llmtest"
	"github.com/qedkit/qed/rag"
	"github.com/qedkit/qed/store"
)

// TestConversation asks a question that can only be understood by an earlier one.
func TestConversation(t *testing.T) {
	m := llmtest.Scripted(t, says("It waits for a part [1]."), rewrites("Can a cancelled work order be opened again?"), says("No [1]."))
	a := newAgent(t, m, manual(t), &rag.Options{Store: &store.InMemory{}})
	for _, text := range []string{"What is On hold?", "And when it is cancelled?"} {
		got, _, err := run(t, a, qed.Turn{Thread: "t", Text: text})
		if err != nil || !got.Saved || len(got.Citations) != 1 {
			t.Fatalf("%q: %+v, %v", text, got, err)
		}
	}
	if sent := prompt(t, m, "rewrite_question"); !strings.Contains(sent, "What is On hold?") || !strings.Contains(sent, "It waits for a part") {
		t.Errorf("the prompt lacks the conversation:\n%s", sent)
	}
}

// TestTurnResumes resumes a turn whose model was unavailable: nodes that ran are
// not run again.
func TestTurnResumes(t *testing.T) {
	searches := 0
	s := searcherFunc(func(context.Context, rag.Query) ([]rag.Hit, error) { searches++; return passages(2), nil })
	down := llmtest.Rule{Name: "answer_from_documents", Replies: []llmtest.Reply{{Err: &llm.Error{Kind: llm.ErrUnavailable}}}}
	m := llmtest.Scripted(t, rewrites("q"), down, says("Yes [2]."))
	st := &store.InMemory{}
	turn := qed.Turn{Thread: "t", Text: "And now?", History: []llm.Message{{Role: llm.RoleUser, Content: "Hello"}}}
	if _, _, err := run(t, newAgent(t, m, s, &rag.Options{Store: st}), turn); !errors.Is(err, llm.ErrUnavailable) {
		t.Fatalf("the error is %v", err)
	}
	got, streamed, err := run(t, newAgent(t, m, s, &rag.Options{Store: st}), qed.Turn{Thread: "t"})
	if err != nil || got.Text != "Yes [1]." || streamed != got.Text || len(got.Citations) != 1 || got.Citations[0].Title != "2.md" {
		t.Errorf("resumed: %+v, streamed %q, %v", got, streamed, err)
	}
	if searches != 1 {
		t.Errorf("there were %d searches, want 1", searches)
	}
}

func TestBudget(t *testing.T) {
	history := []llm.Message{{Role: llm.RoleUser, Content: "Hello"}}
	for name, tt := range map[string]struct {
		limits  budget.Limits
		history []llm.Message
		calls   int // of the model
		partial bool
	}{
		"enough":                    {budget.Limits{ModelCalls: 10}, history, 2, false},
		"the answer by the reserve": {budget.Limits{ModelCalls: 2}, history, 2, false},
		"one call for an answer":    {budget.Limits{ModelCalls: 1}, nil, 1, false},
		"one call with a history":   {budget.Limits{ModelCalls: 1}, history, 1, true},
		"not enough tokens":         {budget.Limits{Tokens: 100}, history, 0, true},
	} {
		t.Run(name, func(t *testing.T) {
			m := llmtest.New(rewrites("q"), says("Yes [1]."))
			a := newAgent(t, m, passages(2), nil)
			got, err := qed.Ask(budget.With(t.Context(), tt.limits), a, qed.Turn{Text: "q", History: tt.history})
			if err != nil {
				t.Fatal(err)
			}
			if len(m.Requests()) != tt.calls || got.Partial != tt.partial || got.Text == "" || !tt.partial && got.Text != "Yes [1]." {
				t.Errorf("after %d calls, the answer is %+v", len(m.Requests()), got)
			}
		})
	}
}

func TestDurableNeedsAStore(t *testing.T) {
	if _, err := rag.New(llmtest.New(), passages(1), &rag.Options{Durable: &qed.DurableOptions{}}); err == nil {
		t.Error("New accepted Durable without a Store")
	}
}
