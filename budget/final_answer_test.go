package budget_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed/budget"
)

func TestForFinalAnswer(t *testing.T) {
	host := budget.With(t.Context(), budget.Limits{Tokens: 100})
	ctx := budget.With(host, budget.Limits{Tokens: 100, ModelCalls: 2})
	if err := budget.Spend(ctx, budget.Limits{Tokens: 90, ModelCalls: 1}); err != nil {
		t.Fatal(err)
	}
	end := budget.ForFinalAnswer(ctx)
	left(t, ctx, -1)
	left(t, end, 10)
	inner := budget.With(end, budget.Limits{Tokens: 100})
	if err := budget.Spend(inner, budget.Limits{Tokens: 6, ModelCalls: 1}); err != nil {
		t.Errorf("the reserve: %v", err)
	}
	_, err := budget.Reserve(end, budget.Limits{Tokens: 5})
	if e, ok := errors.AsType[*budget.Error](err); !ok || e.Reserve != 0 {
		t.Errorf("more than the reserve: %v", err)
	}
	if err := budget.Spend(ctx, budget.Limits{Tokens: 1}); !errors.Is(err, budget.ErrExceeded) {
		t.Errorf("the reserve is open to all: %v", err)
	}
	left(t, budget.ForFinalAnswer(end), 4)
	if ctx := t.Context(); budget.ForFinalAnswer(ctx) != ctx || budget.BeforeFinalAnswer(ctx) != ctx {
		t.Error("a context without a budget is another one")
	}
}

// TestBeforeFinalAnswer has a run within another one: the reserve of their
// common budget is for the outer one's end.
func TestBeforeFinalAnswer(t *testing.T) {
	ctx := budget.With(t.Context(), budget.Limits{Tokens: 100})
	node := budget.BeforeFinalAnswer(ctx)
	inner := budget.With(node, budget.Limits{Tokens: 50})
	left(t, inner, 45)
	left(t, budget.ForFinalAnswer(inner), 50)
	if err := budget.Spend(node, budget.Limits{Tokens: 90}); err != nil {
		t.Fatal(err)
	}
	left(t, budget.ForFinalAnswer(inner), -1)
	left(t, budget.ForFinalAnswer(node), -1)

	end := budget.ForFinalAnswer(ctx)
	left(t, end, 10)
	left(t, budget.BeforeFinalAnswer(end), 10) // a run within the WrapUp node may use it too
	left(t, budget.ForFinalAnswer(budget.With(budget.BeforeFinalAnswer(end), budget.Limits{Tokens: 50})), 10)
}

func TestWithDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		outer := budget.With(t.Context(), budget.Limits{Time: 10 * time.Second})
		ctx := budget.With(outer, budget.Limits{Time: time.Hour, Tokens: 1})
		short := budget.With(ctx, budget.Limits{Time: 5 * time.Second})
		own := budget.With(budget.BeforeFinalAnswer(outer), budget.Limits{Time: 9500 * time.Millisecond})
		for name, test := range map[string]struct {
			ctx  context.Context
			want time.Duration
		}{
			"outer":      {outer, 9 * time.Second},
			"inherited":  {ctx, 9 * time.Second},
			"its own":    {short, 4500 * time.Millisecond},
			"at the end": {budget.ForFinalAnswer(short), 5 * time.Second},
			"kept":       {budget.ForFinalAnswer(own), 9 * time.Second},
			"none":       {budget.With(t.Context(), budget.Limits{Time: -time.Hour}), 0},
		} {
			limited, cancel := budget.WithDeadline(test.ctx)
			defer cancel()
			if got, ok := limited.Deadline(); !ok || got.Sub(start) != test.want {
				t.Errorf("%s: %v after %v, want %v", name, ok, got.Sub(start), test.want)
			}
		}
		for _, ctx := range []context.Context{t.Context(), budget.With(t.Context(), budget.Limits{Tokens: 1})} {
			if limited, _ := budget.WithDeadline(ctx); limited != ctx {
				t.Error("a deadline without a limit")
			}
		}

		limited, cancel := budget.WithDeadline(short)
		defer cancel()
		<-limited.Done()
		got, _ := errors.AsType[*budget.Error](context.Cause(limited))
		want := &budget.Error{
			What: "time", Limit: int64(5 * time.Second),
			Reserve: int64(500 * time.Millisecond), Used: int64(4500 * time.Millisecond),
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
		if short.Err() != nil {
			t.Errorf("the budget's own context is done: %v", short.Err())
		}

		time.Sleep(4500 * time.Millisecond)
		if err := budget.Spend(ctx, budget.Limits{}); !errors.Is(err, budget.ErrExceeded) {
			t.Errorf("the time is over: %v", err)
		}
		if err := budget.Spend(budget.ForFinalAnswer(ctx), budget.Limits{}); err != nil {
			t.Errorf("in the reserve: %v", err)
		}
		time.Sleep(time.Second)
		if err := budget.Spend(budget.ForFinalAnswer(ctx), budget.Limits{}); !errors.Is(err, budget.ErrExceeded) {
			t.Errorf("after the reserve: %v", err)
		}
	})
}
