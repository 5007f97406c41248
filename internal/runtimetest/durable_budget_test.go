package runtimetest_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/budget"
	"github.com/qedkit/qed/internal/qedtest"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/question"
	"github.com/qedkit/qed/store"
)

// asksBetween is an agent that asks a question after every third call of a
// tool, and calls a model before each question. It makes 12 calls of the tool.
func asksBetween(t *testing.T, l *qedtest.Ledger) qed.Agent {
	model := qed.DurableModel(talkative(l))
	look := qed.NewTool("look", "", func(context.Context, struct{}) (string, error) { l.Do("look"); return "seen", nil })
	return does(func(ctx context.Context, _ string) (string, error) {
		for i := range 4 {
			for range 3 {
				if err := registryDo(ctx, t, look); err != nil {
					return "", err
				}
			}
			if _, err := model.Generate(ctx, &llm.Request{Name: "m"}, nil); err != nil {
				return "", err
			}
			if _, err := qed.Interrupt[string](ctx, question.Question{Text: fmt.Sprint("part ", i, "?")}); err != nil {
				return "", err
			}
		}
		return "done", nil
	})
}

// A budget counts what the whole run did, once, in whatever way the turns of
// the run get their budgets, and a run continues with a higher limit.
func TestBudgetOfAResumedRun(t *testing.T) {
	limits := budget.Limits{ToolCalls: 8}
	for name, each := range map[string]bool{"one budget for all turns": false, "a budget for each turn": true} {
		t.Run(name, func(t *testing.T) {
			var l qedtest.Ledger
			c := converse(t, asksBetween(t, &l), new(store.InMemory), nil)
			c.ctx = budget.With(t.Context(), limits)
			next := func(limits budget.Limits) {
				if each {
					c.ctx = budget.With(t.Context(), limits)
				}
			}
			asked := c.say("go")
			next(limits)
			asked = c.reply(asked, `"go on"`)
			next(limits)
			c.fails(qed.Turn{Replies: qedtest.Choose(t, asked, `"go on"`)}, budget.ErrExceeded)
			l.Want(t, map[string]int{"look": 8, "model": 2})
			for range 2 {
				next(limits)
				c.fails(qed.Turn{}, budget.ErrExceeded) // still used up
			}
			l.Want(t, map[string]int{"look": 8, "model": 2})
			c.ctx = budget.With(t.Context(), budget.Limits{ToolCalls: 20})
			asked = c.resume()
			c.ctx = budget.With(t.Context(), budget.Limits{ToolCalls: 20})
			if asked = c.reply(asked, `"go on"`); len(asked.Questions) != 1 {
				t.Fatalf("answer = %+v", asked)
			}
			c.reply(asked, `"go on"`)
			l.Want(t, map[string]int{"look": 12, "model": 4})
		})
	}
}

// A run is not charged for the calls that are found in the log, however often
// it is resumed: an invalid reply does not use up its budget.
func TestRepeatedResumesSpendNothing(t *testing.T) {
	var l qedtest.Ledger
	model := qed.DurableModel(talkative(&l))
	var left []int
	c := converse(t, does(func(ctx context.Context, _ string) (string, error) {
		if _, err := model.Generate(ctx, &llm.Request{Name: "m"}, nil); err != nil {
			return "", err
		}
		rest, _ := budget.Remaining(ctx)
		left = append(left, rest.ModelCalls)
		_, err := qed.Interrupt[int8Form](ctx, question.Question{Text: "how many?"})
		return "done", err
	}), new(store.InMemory), nil)
	c.ctx = budget.With(t.Context(), budget.Limits{ModelCalls: 3})
	for _, reply := range []string{"", `{"n": "x"}`, `{"n": "y"}`, `{"n": 3}`} {
		turn := qed.Turn{Text: "go"}
		if reply != "" {
			thread, err := qed.Inspect(t.Context(), c.store, c.thread)
			if err != nil {
				t.Fatal(err)
			}
			turn = qed.Turn{Replies: []question.Reply{{Question: thread.Questions[0].ID, Value: []byte(reply)}}}
		}
		c.turn(turn)
	}
	if diff := cmp.Diff([]int{1, 1, 1, 1}, left); diff != "" {
		t.Error(diff)
	}
	l.Want(t, map[string]int{"model": 1})
}

type int8Form struct {
	N int8 `json:"n"`
}

// A budget that begins within the run begins anew when the run is resumed, and
// counts the calls that are found, once for each of them.
func TestBudgetWithinAResumedRun(t *testing.T) {
	var l qedtest.Ledger
	a := asksBetween(t, &l)
	inner := qed.AgentFunc(func(ctx context.Context, turn qed.Turn) (qed.Answer, error) {
		return qed.Ask(budget.With(ctx, budget.Limits{ToolCalls: 7}), a, turn)
	})
	c := converse(t, inner, new(store.InMemory), nil)
	asked := c.reply(c.say("go"), `"go on"`)
	c.fails(qed.Turn{Replies: qedtest.Choose(t, asked, `"go on"`)}, budget.ErrExceeded)
	l.Want(t, map[string]int{"look": 7, "model": 2})
}

// What a process spent before it died counts, as far as it was recorded.
func TestBudgetAfterACrash(t *testing.T) {
	st := new(store.InMemory)
	var l qedtest.Ledger
	ctx, cancel := context.WithCancel(t.Context())
	crash := true
	look := qed.NewTool("look", "", func(context.Context, struct{}) (string, error) {
		if n := l.Do("look"); crash && n == 4 {
			cancel()
		}
		return "seen", nil
	})
	c := converse(t, does(func(ctx context.Context, _ string) (string, error) {
		for range 6 {
			if err := registryDo(ctx, t, look); err != nil {
				return "", err
			}
		}
		return "done", nil
	}), st, nil)
	c.ctx = budget.With(ctx, budget.Limits{ToolCalls: 5})
	c.fails(qed.Turn{Text: "go"}, context.Canceled)
	crash = false
	c.ctx = budget.With(t.Context(), budget.Limits{ToolCalls: 5})
	c.fails(qed.Turn{}, budget.ErrExceeded)
	l.Want(t, map[string]int{"look": 5})
}

// The estimates of calls that were running together are not part of what a
// resumed run has spent.
func TestBudgetOfParallelCalls(t *testing.T) {
	var first chan struct{}
	started := make(chan struct{})
	model := qed.DurableModel(llm.ModelFunc(func(ctx context.Context, req *llm.Request, _ func(llm.Delta)) (*llm.Response, error) {
		if req.Messages[0].Content == "slow" {
			close(started)
			<-first
		}
		return &llm.Response{
			Message: llm.Message{Role: llm.RoleAssistant, Content: "x"}, Usage: llm.Usage{InputTokens: 5, OutputTokens: 5, Calls: 1},
		}, nil
	}))
	var left []int
	c := converse(t, does(func(ctx context.Context, _ string) (string, error) {
		first = make(chan struct{})
		_, err := qed.Each(ctx, []string{"slow", "fast"}, func(s string) string { return s }, func(ctx context.Context, s string) (string, error) {
			if s == "fast" {
				<-started
			}
			_, err := model.Generate(ctx, &llm.Request{Name: "m", MaxOutputTokens: 4000, Messages: []llm.Message{{Role: llm.RoleUser, Content: s}}}, nil)
			if s == "fast" {
				close(first)
			}
			return s, err
		})
		if err != nil {
			return "", err
		}
		rest, _ := budget.Remaining(ctx)
		left = append(left, rest.Tokens)
		_, err = qed.Interrupt[string](ctx, question.Question{Text: "go on?"})
		return "done", err
	}), new(store.InMemory), nil)
	c.ctx = budget.With(t.Context(), budget.Limits{Tokens: 10000})
	asked := c.say("go")
	c.ctx = budget.With(t.Context(), budget.Limits{Tokens: 10000})
	c.reply(asked, `"yes"`)
	if left[0] != left[1] {
		t.Errorf("left before and after the run was resumed: %v", left)
	}
}

// A budget within a run does not count the calls of earlier runs that are found
// in a namespace: this run did not make them.
func TestBudgetOfCallsOfEarlierRuns(t *testing.T) {
	var l qedtest.Ledger
	model := qed.DurableModel(talkative(&l))
	var left []int
	c := converse(t, does(func(ctx context.Context, _ string) (string, error) {
		ctx = budget.With(ctx, budget.Limits{ModelCalls: 4})
		if _, err := model.Generate(qed.WithNamespace(ctx, "task"), &llm.Request{Name: "m"}, nil); err != nil {
			return "", err
		}
		rest, _ := budget.Remaining(ctx)
		left = append(left, rest.ModelCalls)
		return "done", nil
	}), new(store.InMemory), nil)
	c.say("go")
	c.say("again")
	if diff := cmp.Diff([]int{2, 3}, left); diff != "" {
		t.Error(diff)
	}
	l.Want(t, map[string]int{"model": 1})
}
