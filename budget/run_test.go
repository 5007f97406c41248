package budget_test

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed/budget"
)

// A budget counts what a run spent before it was resumed, once, and each budget
// around the run what it has not counted yet.
func TestWithRun(t *testing.T) {
	outer := budget.With(t.Context(), budget.Limits{ToolCalls: 9})
	first, meter := budget.WithRun(outer, "r", budget.Limits{})
	if err := budget.Spend(first, budget.Limits{ToolCalls: 2}); err != nil {
		t.Fatal(err)
	}
	budget.Charge(first, budget.Limits{Tokens: 5})
	if diff := cmp.Diff(budget.Limits{ToolCalls: 2, Tokens: 5}, meter.Spent()); diff != "" {
		t.Errorf("the meter: %s", diff)
	}
	for _, tt := range []struct {
		name   string
		ctx    context.Context
		run    string
		before budget.Limits
		want   int // tool calls left
	}{
		{"again in the same budget", outer, "r", budget.Limits{ToolCalls: 2}, 7},
		{"after more was spent elsewhere", outer, "r", budget.Limits{ToolCalls: 3}, 6},
		{"and again", outer, "r", budget.Limits{ToolCalls: 3}, 6},
		{"another run", outer, "s", budget.Limits{ToolCalls: 1}, 5},
		{"a budget within", budget.With(outer, budget.Limits{ToolCalls: 4}), "r", budget.Limits{ToolCalls: 3}, 1},
		{"a budget of its own", budget.With(t.Context(), budget.Limits{ToolCalls: 4}), "r", budget.Limits{ToolCalls: 3}, 1},
		{"more than is left", outer, "s", budget.Limits{ToolCalls: 50}, -1},
	} {
		ctx, m := budget.WithRun(tt.ctx, tt.run, tt.before)
		if left := remaining(t, ctx); left.ToolCalls != tt.want {
			t.Errorf("%s: %d tool calls are left, want %d", tt.name, left.ToolCalls, tt.want)
		}
		if diff := cmp.Diff(tt.before, m.Spent()); diff != "" {
			t.Errorf("%s: the meter: %s", tt.name, diff)
		}
	}
}

// Without a budget the meter counts all the same, so that a later turn with a
// budget knows it. What a budget refuses is not spent.
func TestMeter(t *testing.T) {
	ctx, meter := budget.WithRun(t.Context(), "r", budget.Limits{Rows: 1})
	first, err := budget.Reserve(ctx, budget.Limits{Tokens: 100})
	if err != nil {
		t.Fatal(err)
	}
	first.Settle(budget.Limits{Tokens: 1})
	budget.Charge(ctx, budget.Limits{Tokens: 2})
	inner := budget.With(ctx, budget.Limits{Tokens: 10})
	if err := budget.Spend(inner, budget.Limits{Tokens: 10}); err == nil {
		t.Error("the reserve was spent")
	}
	r, err := budget.Reserve(inner, budget.Limits{Tokens: 9})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(budget.Limits{Rows: 1, Tokens: 3}, meter.Spent()); diff != "" {
		t.Errorf("with an estimate: %s", diff)
	}
	r.Settle(budget.Limits{Tokens: 4})
	if diff := cmp.Diff(budget.Limits{Rows: 1, Tokens: 7}, meter.Spent()); diff != "" {
		t.Error(diff)
	}
}

// A call that is found in the log is spent of the budgets that began within the
// run, and not of those around it.
func TestReplayed(t *testing.T) {
	outer := budget.With(t.Context(), budget.Limits{ToolCalls: 5})
	run, meter := budget.WithRun(outer, "r", budget.Limits{ToolCalls: 1})
	inner := budget.With(run, budget.Limits{ToolCalls: 3})
	meter.Replayed(inner, budget.Limits{ToolCalls: 1})
	meter.Replayed(run, budget.Limits{ToolCalls: 1})
	if left := remaining(t, run); left.ToolCalls != 4 {
		t.Errorf("around: %d left, want 4", left.ToolCalls)
	}
	if left := remaining(t, inner); left.ToolCalls != 2 {
		t.Errorf("within: %d left, want 2", left.ToolCalls)
	}
	if diff := cmp.Diff(budget.Limits{ToolCalls: 1}, meter.Spent()); diff != "" {
		t.Error(diff)
	}
	free, meter := budget.WithRun(t.Context(), "r", budget.Limits{})
	inner = budget.With(free, budget.Limits{ToolCalls: 3})
	meter.Replayed(inner, budget.Limits{ToolCalls: 1})
	if left := remaining(t, inner); left.ToolCalls != 2 {
		t.Errorf("without a budget around: %d left, want 2", left.ToolCalls)
	}
}
