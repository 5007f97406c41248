package runtimetest_test

import (
	"context"
	"testing"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/budget"
	"github.com/qedkit/qed/internal/qedtest"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/question"
	"github.com/qedkit/qed/store"
)

// A fork spends on its own: a budget counts what the original and the fork have
// spent since the fork.
func TestBudgetOfAFork(t *testing.T) {
	var l qedtest.Ledger
	a := asksBetweenModels(&l)
	st := new(store.InMemory)
	c := converse(t, a, st, nil)
	c.say("go") // one call
	if err := qed.Fork(t.Context(), st, "t", 0, "fork"); err != nil {
		t.Fatal(err)
	}
	next := func(ctx context.Context, thread string) error {
		open, err := qed.Inspect(t.Context(), st, thread)
		if err != nil {
			t.Fatal(err)
		}
		_, err = qed.Ask(ctx, c.agent, qed.Turn{Thread: thread, Replies: []question.Reply{{Question: open.Questions[0].ID, Value: []byte(`"go on"`)}}})
		return err
	}
	for range 3 { // each of the two has made 4 calls, of which they share the first
		for _, thread := range []string{"t", "fork"} {
			if err := next(t.Context(), thread); err != nil {
				t.Fatal(err)
			}
		}
	}
	ctx := budget.With(t.Context(), budget.Limits{ModelCalls: 100})
	for _, thread := range []string{"t", "fork"} {
		if err := next(ctx, thread); err != nil {
			t.Fatal(err)
		}
	}
	left, _ := budget.Remaining(ctx)
	if used := 90 - left.ModelCalls; used < l.Count()["model"] {
		t.Errorf("the budget counts %d calls of %d", used, l.Count()["model"])
	}
}

func asksBetweenModels(l *qedtest.Ledger) qed.Agent {
	model := qed.DurableModel(talkative(l))
	return does(func(ctx context.Context, _ string) (string, error) {
		for range 10 {
			if _, err := model.Generate(ctx, &llm.Request{Name: "m"}, nil); err != nil {
				return "", err
			}
			if _, err := qed.Interrupt[string](ctx, question.Question{Text: "go on?"}); err != nil {
				return "", err
			}
		}
		return "done", nil
	})
}
