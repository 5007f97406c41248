package budget_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed/budget"
)

// remaining returns what ctx has left, which must have a budget.
func remaining(t *testing.T, ctx context.Context) budget.Limits {
	t.Helper()
	left, ok := budget.Remaining(ctx)
	if !ok {
		t.Fatal("there is no budget")
	}
	return left
}

// spent fails the test unless err is a budget.Error about what.
func spent(t *testing.T, err error, what string) {
	t.Helper()
	e, ok := errors.AsType[*budget.Error](err)
	if !ok || !errors.Is(err, budget.ErrExceeded) {
		t.Fatalf("%v is no budget.Error", err)
	}
	if e.What != what {
		t.Errorf("%q is used up, want %q", e.What, what)
	}
}

func TestSpend(t *testing.T) {
	for name, test := range map[string]struct {
		limits budget.Limits
		uses   []budget.Limits // all but the last succeed
		want   *budget.Error
	}{
		"tokens": {
			budget.Limits{Tokens: 100},
			[]budget.Limits{{Tokens: 60, Rows: 1000}, {Tokens: 30}, {ModelCalls: 50}, {}, {Tokens: 1}},
			&budget.Error{What: "tokens", Limit: 100, Reserve: 10, Used: 90, Needed: 1},
		},
		"a part": {
			budget.Limits{Tokens: 100},
			[]budget.Limits{{Tokens: 60}, {Tokens: 31}},
			&budget.Error{What: "tokens", Limit: 100, Reserve: 10, Used: 60, Needed: 31},
		},
		"one model call": {
			budget.Limits{ModelCalls: 1},
			[]budget.Limits{{ModelCalls: 1}, {ModelCalls: 1}},
			&budget.Error{What: "model calls", Limit: 1, Used: 1, Needed: 1},
		},
		"two model calls": {
			budget.Limits{ModelCalls: 2},
			[]budget.Limits{{ModelCalls: 1}, {ModelCalls: 1}},
			&budget.Error{What: "model calls", Limit: 2, Reserve: 1, Used: 1, Needed: 1},
		},
		"thirty model calls": {
			budget.Limits{ModelCalls: 30},
			[]budget.Limits{{ModelCalls: 27}, {ModelCalls: 1}},
			&budget.Error{What: "model calls", Limit: 30, Reserve: 3, Used: 27, Needed: 1},
		},
		"few tool calls": {
			budget.Limits{ToolCalls: 5, Rows: 1},
			[]budget.Limits{{ToolCalls: 5}, {ToolCalls: 1}},
			&budget.Error{What: "tool calls", Limit: 5, Used: 5, Needed: 1},
		},
		"too much at once": {
			budget.Limits{Rows: 50},
			[]budget.Limits{{Rows: math.MaxInt}},
			&budget.Error{What: "rows", Limit: 50, Reserve: 5, Needed: math.MaxInt},
		},
		"nothing allowed": {
			budget.Limits{Rows: -7},
			[]budget.Limits{{}, {Tokens: 5}, {Rows: 1}},
			&budget.Error{What: "rows", Needed: 1},
		},
		"less than nothing": {
			budget.Limits{Tokens: 10},
			[]budget.Limits{{Tokens: 9}, {Tokens: -5}, {Tokens: math.MinInt}, {Tokens: 1}},
			&budget.Error{What: "tokens", Limit: 10, Reserve: 1, Used: 9, Needed: 1},
		},
		"nearly no limit": {
			budget.Limits{Tokens: math.MaxInt - 1},
			[]budget.Limits{{Tokens: math.MaxInt / 2}, {Tokens: math.MaxInt / 3}, {Tokens: math.MaxInt}},
			&budget.Error{
				What: "tokens", Limit: math.MaxInt - 1, Reserve: (math.MaxInt - 1) / 10,
				Used: math.MaxInt/2 + math.MaxInt/3, Needed: math.MaxInt,
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			ctx := budget.With(t.Context(), test.limits)
			last := len(test.uses) - 1
			for _, use := range test.uses[:last] {
				if err := budget.Spend(ctx, use); err != nil {
					t.Fatalf("%+v: %v", use, err)
				}
			}
			err := budget.Spend(ctx, test.uses[last])
			if !errors.Is(err, budget.ErrExceeded) {
				t.Fatalf("%v is not %v", err, budget.ErrExceeded)
			}
			got, _ := errors.AsType[*budget.Error](err)
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Error(diff)
			}
			for _, part := range []string{got.What, "budget.With"} {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("%q does not say %q", err, part)
				}
			}
		})
	}
}

func TestSpendUnlimited(t *testing.T) {
	for name, ctx := range map[string]context.Context{
		"no budget":      t.Context(),
		"limits nothing": budget.With(t.Context(), budget.Limits{}),
	} {
		for range 3 {
			if err := budget.Spend(ctx, budget.Limits{Tokens: math.MaxInt, ModelCalls: math.MaxInt}); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		if left, ok := budget.Remaining(ctx); ok {
			t.Errorf("%s: %+v is left", name, left)
		}
	}
	ctx := budget.With(t.Context(), budget.Limits{ToolCalls: 1})
	for range 3 {
		if err := budget.Spend(ctx, budget.Limits{Tokens: math.MaxInt}); err != nil {
			t.Errorf("what is not limited: %v", err)
		}
	}
}

func TestNestedBudgets(t *testing.T) {
	outer := budget.With(t.Context(), budget.Limits{Tokens: 100, Rows: 10})
	inner := budget.With(outer, budget.Limits{Tokens: 1000, ToolCalls: 2})
	other := budget.With(outer, budget.Limits{Tokens: 20})

	if err := budget.Spend(inner, budget.Limits{Tokens: 50, ToolCalls: 1}); err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		ctx  context.Context
		want budget.Limits
	}{
		"outer": {outer, budget.Limits{Tokens: 40, Rows: 9}},
		"inner": {inner, budget.Limits{Tokens: 40, Rows: 9, ToolCalls: 1}},
		"other": {other, budget.Limits{Tokens: 18, Rows: 9}},
	} {
		if diff := cmp.Diff(test.want, remaining(t, test.ctx)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}

	// Where one budget has too little, none is charged.
	spent(t, budget.Spend(inner, budget.Limits{Tokens: 41, ToolCalls: 1}), "tokens")
	spent(t, budget.Spend(inner, budget.Limits{Tokens: 1, ToolCalls: 2}), "tool calls")
	spent(t, budget.Spend(other, budget.Limits{Tokens: 19, Rows: 5}), "tokens")
	if diff := cmp.Diff(budget.Limits{Tokens: 40, Rows: 9, ToolCalls: 1}, remaining(t, inner)); diff != "" {
		t.Error(diff)
	}

	if err := budget.Spend(other, budget.Limits{Tokens: 18}); err != nil {
		t.Fatal(err)
	}
	if err := budget.Spend(outer, budget.Limits{Tokens: 22}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(budget.Limits{Tokens: -1, Rows: 9, ToolCalls: 1}, remaining(t, inner)); diff != "" {
		t.Error(diff)
	}
	spent(t, budget.Spend(inner, budget.Limits{Tokens: 1}), "tokens")
}

// What remains can be given on as a limit.
func TestRemainingAsLimits(t *testing.T) {
	ctx := budget.With(t.Context(), budget.Limits{Tokens: 10, Rows: 5})
	if err := budget.Spend(ctx, budget.Limits{Rows: 5}); err != nil {
		t.Fatal(err)
	}
	copied := budget.With(t.Context(), remaining(t, ctx))
	spent(t, budget.Spend(copied, budget.Limits{Rows: 1}), "rows")
	if err := budget.Spend(copied, budget.Limits{Tokens: 9, ToolCalls: 100}); err != nil {
		t.Error(err)
	}
}

// TestSpendTogether has many branches, some with budgets of their own, spend at
// once: they get all there is, and no more.
func TestSpendTogether(t *testing.T) {
	const limit, reserve, branches = 10_000, 1_000, 64
	outer := budget.With(t.Context(), budget.Limits{Tokens: limit, ModelCalls: limit})
	var total atomic.Int64
	var wg sync.WaitGroup
	for i := range branches {
		ctx := outer
		for range i % 4 {
			ctx = budget.With(ctx, budget.Limits{Tokens: limit, Rows: limit})
		}
		wg.Go(func() {
			for {
				err := budget.Spend(ctx, budget.Limits{Tokens: 1 + i%3, Rows: 1})
				if err == nil {
					total.Add(int64(1 + i%3))
					continue
				}
				if !errors.Is(err, budget.ErrExceeded) {
					t.Error(err)
				}
				return
			}
		})
		wg.Go(func() {
			for range 50 {
				if left, _ := budget.Remaining(ctx); left.Tokens > limit-reserve || left.Tokens == 0 {
					t.Errorf("%d tokens are left", left.Tokens)
				}
			}
		})
	}
	wg.Wait()
	if got := total.Load(); got != limit-reserve {
		t.Errorf("%d tokens were spent, want %d", got, limit-reserve)
	}
}

func TestBudgetTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		outer := budget.With(t.Context(), budget.Limits{Time: 10 * time.Second})
		time.Sleep(5 * time.Second)
		inner := budget.With(outer, budget.Limits{Time: time.Minute})
		short := budget.With(outer, budget.Limits{Time: time.Second, Tokens: 10})
		if diff := cmp.Diff(budget.Limits{Time: 4 * time.Second}, remaining(t, inner)); diff != "" {
			t.Error(diff)
		}

		time.Sleep(900*time.Millisecond - 1)
		if err := budget.Spend(short, budget.Limits{Tokens: 1, Time: time.Hour}); err != nil {
			t.Errorf("before the end: %v", err)
		}
		time.Sleep(time.Nanosecond)
		spent(t, budget.Spend(short, budget.Limits{}), "time")
		if diff := cmp.Diff(budget.Limits{Time: -1, Tokens: 8}, remaining(t, short)); diff != "" {
			t.Error(diff)
		}
		if err := budget.Spend(inner, budget.Limits{Tokens: 1}); err != nil {
			t.Errorf("another budget: %v", err)
		}

		time.Sleep(3100 * time.Millisecond) // the outer budget's reserve begins
		err := budget.Spend(inner, budget.Limits{})
		got, _ := errors.AsType[*budget.Error](err)
		want := &budget.Error{
			What: "time", Limit: int64(10 * time.Second), Reserve: int64(time.Second), Used: int64(9 * time.Second),
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
		if outer.Err() != nil {
			t.Errorf("the time is no hard limit, but: %v", outer.Err())
		}

		spent(t, budget.Spend(budget.With(t.Context(), budget.Limits{Time: -1}), budget.Limits{}), "time")
		endless := budget.With(t.Context(), budget.Limits{Time: math.MaxInt64 - 1})
		if err := budget.Spend(endless, budget.Limits{}); err != nil {
			t.Error(err)
		}
	})
}

func Example() {
	ctx := budget.With(context.Background(), budget.Limits{Tokens: 10_000, Rows: 1000})

	// An agent within it may have less, and never gets more.
	agent := budget.With(ctx, budget.Limits{Tokens: 5000})
	fmt.Println(budget.Spend(agent, budget.Limits{Tokens: 4000, Rows: 20}))
	fmt.Println(errors.Is(budget.Spend(agent, budget.Limits{Tokens: 4000}), budget.ErrExceeded))

	left, _ := budget.Remaining(ctx)
	fmt.Println(left.Tokens, "tokens and", left.Rows, "rows are left")
	// Output:
	// <nil>
	// true
	// 5000 tokens and 880 rows are left
}

func benchmarkSpend(b *testing.B, ctx context.Context) {
	b.ReportAllocs()
	for b.Loop() {
		if err := budget.Spend(ctx, budget.Limits{Tokens: 1, ModelCalls: 1}); err != nil {
			b.Fatal(err)
		}
	}
}

// Spending where nothing is limited.
func BenchmarkSpendUnlimited(b *testing.B) { benchmarkSpend(b, context.Background()) }

// Spending from one budget.
func BenchmarkSpend(b *testing.B) {
	benchmarkSpend(b, budget.With(context.Background(), budget.Limits{Tokens: math.MaxInt, ModelCalls: math.MaxInt}))
}

// Spending from three budgets, which also limit the time.
func BenchmarkSpendNested(b *testing.B) {
	ctx := context.Background()
	for range 3 {
		ctx = budget.With(ctx, budget.Limits{Tokens: math.MaxInt, Time: time.Hour})
	}
	benchmarkSpend(b, ctx)
}
