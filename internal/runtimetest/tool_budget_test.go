package runtimetest_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/budget"
	"github.com/qedkit/qed/internal/qedtest"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/store"
)

// If the budget is used up, the results of the calls that were made are returned.
func TestDoOverBudget(t *testing.T) {
	for name, test := range map[string]struct {
		repeat bool
		store  store.Store
	}{
		"at the same time": {true, nil}, "in order": {false, nil}, "recorded": {false, new(store.InMemory)},
	} {
		t.Run(name, func(t *testing.T) {
			var l qedtest.Ledger
			look := nothing("look", func(context.Context) error { l.Do("look"); return nil })
			look.Idempotent = test.repeat
			r := registry(t, nil, look)
			var results []qed.ToolResult
			var err error
			agent := qed.Durable(qed.AgentFunc(func(ctx context.Context, _ qed.Turn) (qed.Answer, error) {
				results, err = r.Do(ctx, call("look", ""), call("look", ""), call("look", ""))
				return qed.Answer{}, nil
			}), test.store, nil)
			ctx := budget.With(t.Context(), budget.Limits{ToolCalls: 2})
			if _, err := qed.Ask(ctx, agent, qed.Turn{Thread: "t", Text: "go"}); err != nil {
				t.Fatal(err)
			}
			made := 0
			for _, result := range results {
				if result.Err == nil && result.Output != nil && result.Call.Name == "look" {
					made++
				} else if !errors.Is(result.Err, budget.ErrExceeded) {
					t.Errorf("a result is %+v", result)
				}
			}
			if !errors.Is(err, budget.ErrExceeded) || len(results) != 3 || made != 2 {
				t.Errorf("%+v, %v", results, err)
			}
			l.Want(t, map[string]int{"look": 2})
		})
	}
}

// The same if the time of a budget is over in the middle.
func TestDoOverTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		quick := nothing("quick", func(context.Context) error { return nil })
		slow := nothing("slow", func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() })
		deaf := nothing("deaf", func(context.Context) error { time.Sleep(time.Hour); return nil })
		r := registry(t, nil, quick, slow, deaf)
		do := func(names ...string) ([]qed.ToolResult, error) {
			ctx, cancel := budget.WithDeadline(budget.With(t.Context(), budget.Limits{Time: 10 * time.Second}))
			defer cancel()
			var all []llm.ToolCall
			for _, name := range names {
				all = append(all, call(name, ""))
			}
			return r.Do(ctx, all...)
		}
		results, err := do("quick", "slow", "quick")
		if !errors.Is(err, budget.ErrExceeded) || len(results) != 3 || results[0].Err != nil || results[0].Output == nil ||
			!errors.Is(results[1].Err, budget.ErrExceeded) || !errors.Is(results[2].Err, budget.ErrExceeded) || results[2].Call.Name != "quick" {
			t.Errorf("%+v, %v", results, err)
		}
		if results, err := do("quick", "deaf"); !errors.Is(err, qed.ErrToolAbandoned) || results != nil {
			t.Errorf("an abandoned call: %+v, %v", results, err)
		}
		time.Sleep(2 * time.Hour)
	})
}
