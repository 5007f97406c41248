package qed_test

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

	"github.com/qedkit/qed"
)

// remaining returns what ctx has left, which must have a budget.
func remaining(t *testing.T, ctx context.Context) qed.Limits {
	t.Helper()
	left, ok := qed.Remaining(ctx)
	if !ok {
		t.Fatal("there is no budget")
	}
	return left
}

// spent fails the test unless err is a BudgetError about what.
func spent(t *testing.T, err error, what string) {
	t.Helper()
	e, ok := errors.AsType[*qed.BudgetError](err)
	if !ok || !errors.Is(err, qed.ErrBudget) {
		t.Fatalf("%v is no BudgetError", err)
	}
	if e.What != what {
		t.Errorf("%q is used up, want %q", e.What, what)
	}
}

func TestSpend(t *testing.T) {
	for name, test := range map[string]struct {
		limits qed.Limits
		uses   []qed.Limits // all but the last succeed
		want   *qed.BudgetError
	}{
		"tokens": {
			qed.Limits{Tokens: 100},
			[]qed.Limits{{Tokens: 60, Rows: 1000}, {Tokens: 30}, {ModelCalls: 50}, {}, {Tokens: 1}},
			&qed.BudgetError{What: "tokens", Limit: 100, Reserve: 10, Used: 90, Asked: 1},
		},
		"a part": {
			qed.Limits{Tokens: 100},
			[]qed.Limits{{Tokens: 60}, {Tokens: 31}},
			&qed.BudgetError{What: "tokens", Limit: 100, Reserve: 10, Used: 60, Asked: 31},
		},
		"one model call": {
			qed.Limits{ModelCalls: 1},
			[]qed.Limits{{ModelCalls: 1}, {ModelCalls: 1}},
			&qed.BudgetError{What: "model calls", Limit: 1, Used: 1, Asked: 1},
		},
		"two model calls": {
			qed.Limits{ModelCalls: 2},
			[]qed.Limits{{ModelCalls: 1}, {ModelCalls: 1}},
			&qed.BudgetError{What: "model calls", Limit: 2, Reserve: 1, Used: 1, Asked: 1},
		},
		"thirty model calls": {
			qed.Limits{ModelCalls: 30},
			[]qed.Limits{{ModelCalls: 27}, {ModelCalls: 1}},
			&qed.BudgetError{What: "model calls", Limit: 30, Reserve: 3, Used: 27, Asked: 1},
		},
		"few tool calls": {
			qed.Limits{ToolCalls: 5, Rows: 1},
			[]qed.Limits{{ToolCalls: 5}, {ToolCalls: 1}},
			&qed.BudgetError{What: "tool calls", Limit: 5, Used: 5, Asked: 1},
		},
		"too much at once": {
			qed.Limits{Rows: 50},
			[]qed.Limits{{Rows: math.MaxInt}},
			&qed.BudgetError{What: "rows", Limit: 50, Reserve: 5, Asked: math.MaxInt},
		},
		"nothing allowed": {
			qed.Limits{Rows: -7},
			[]qed.Limits{{}, {Tokens: 5}, {Rows: 1}},
			&qed.BudgetError{What: "rows", Asked: 1},
		},
		"less than nothing": {
			qed.Limits{Tokens: 10},
			[]qed.Limits{{Tokens: 9}, {Tokens: -5}, {Tokens: math.MinInt}, {Tokens: 1}},
			&qed.BudgetError{What: "tokens", Limit: 10, Reserve: 1, Used: 9, Asked: 1},
		},
		"nearly no limit": {
			qed.Limits{Tokens: math.MaxInt - 1},
			[]qed.Limits{{Tokens: math.MaxInt / 2}, {Tokens: math.MaxInt / 3}, {Tokens: math.MaxInt}},
			&qed.BudgetError{
				What: "tokens", Limit: math.MaxInt - 1, Reserve: (math.MaxInt - 1) / 10, Used: math.MaxInt/2 + math.MaxInt/3, Asked: math.MaxInt,
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			ctx := qed.WithBudget(t.Context(), test.limits)
			last := len(test.uses) - 1
			for _, use := range test.uses[:last] {
				if err := qed.Spend(ctx, use); err != nil {
					t.Fatalf("%+v: %v", use, err)
				}
			}
			err := qed.Spend(ctx, test.uses[last])
			if !errors.Is(err, qed.ErrBudget) {
				t.Fatalf("%v is not %v", err, qed.ErrBudget)
			}
			got, _ := errors.AsType[*qed.BudgetError](err)
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Error(diff)
			}
			for _, part := range []string{got.What, "WithBudget"} {
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
		"limits nothing": qed.WithBudget(t.Context(), qed.Limits{}),
	} {
		for range 3 {
			if err := qed.Spend(ctx, qed.Limits{Tokens: math.MaxInt, ModelCalls: math.MaxInt}); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		if left, ok := qed.Remaining(ctx); ok {
			t.Errorf("%s: %+v is left", name, left)
		}
	}
	ctx := qed.WithBudget(t.Context(), qed.Limits{ToolCalls: 1})
	for range 3 {
		if err := qed.Spend(ctx, qed.Limits{Tokens: math.MaxInt}); err != nil {
			t.Errorf("what is not limited: %v", err)
		}
	}
}

func TestNestedBudgets(t *testing.T) {
	outer := qed.WithBudget(t.Context(), qed.Limits{Tokens: 100, Rows: 10})
	inner := qed.WithBudget(outer, qed.Limits{Tokens: 1000, ToolCalls: 2})
	other := qed.WithBudget(outer, qed.Limits{Tokens: 20})

	if err := qed.Spend(inner, qed.Limits{Tokens: 50, ToolCalls: 1}); err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		ctx  context.Context
		want qed.Limits
	}{
		"outer": {outer, qed.Limits{Tokens: 40, Rows: 9}},
		"inner": {inner, qed.Limits{Tokens: 40, Rows: 9, ToolCalls: 1}},
		"other": {other, qed.Limits{Tokens: 18, Rows: 9}},
	} {
		if diff := cmp.Diff(test.want, remaining(t, test.ctx)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}

	// Where one budget has too little, none is charged.
	spent(t, qed.Spend(inner, qed.Limits{Tokens: 41, ToolCalls: 1}), "tokens")
	spent(t, qed.Spend(inner, qed.Limits{Tokens: 1, ToolCalls: 2}), "tool calls")
	spent(t, qed.Spend(other, qed.Limits{Tokens: 19, Rows: 5}), "tokens")
	if diff := cmp.Diff(qed.Limits{Tokens: 40, Rows: 9, ToolCalls: 1}, remaining(t, inner)); diff != "" {
		t.Error(diff)
	}

	if err := qed.Spend(other, qed.Limits{Tokens: 18}); err != nil {
		t.Fatal(err)
	}
	if err := qed.Spend(outer, qed.Limits{Tokens: 22}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(qed.Limits{Tokens: -1, Rows: 9, ToolCalls: 1}, remaining(t, inner)); diff != "" {
		t.Error(diff)
	}
	spent(t, qed.Spend(inner, qed.Limits{Tokens: 1}), "tokens")
}

// What remains can be given on as a limit.
func TestRemainingAsLimits(t *testing.T) {
	ctx := qed.WithBudget(t.Context(), qed.Limits{Tokens: 10, Rows: 5})
	if err := qed.Spend(ctx, qed.Limits{Rows: 5}); err != nil {
		t.Fatal(err)
	}
	copied := qed.WithBudget(t.Context(), remaining(t, ctx))
	spent(t, qed.Spend(copied, qed.Limits{Rows: 1}), "rows")
	if err := qed.Spend(copied, qed.Limits{Tokens: 9, ToolCalls: 100}); err != nil {
		t.Error(err)
	}
}

// TestSpendTogether has many branches, some with budgets of their own, spend at once: they get all there is, and no more.
func TestSpendTogether(t *testing.T) {
	const limit, reserve, branches = 10_000, 1_000, 64
	outer := qed.WithBudget(t.Context(), qed.Limits{Tokens: limit, ModelCalls: limit})
	var total atomic.Int64
	var wg sync.WaitGroup
	for i := range branches {
		ctx := outer
		for range i % 4 {
			ctx = qed.WithBudget(ctx, qed.Limits{Tokens: limit, Rows: limit})
		}
		wg.Go(func() {
			for {
				err := qed.Spend(ctx, qed.Limits{Tokens: 1 + i%3, Rows: 1})
				if err == nil {
					total.Add(int64(1 + i%3))
					continue
				}
				if !errors.Is(err, qed.ErrBudget) {
					t.Error(err)
				}
				return
			}
		})
		wg.Go(func() {
			for range 50 {
				if left, _ := qed.Remaining(ctx); left.Tokens > limit-reserve || left.Tokens == 0 {
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
		outer := qed.WithBudget(t.Context(), qed.Limits{Time: 10 * time.Second})
		time.Sleep(5 * time.Second)
		inner := qed.WithBudget(outer, qed.Limits{Time: time.Minute})
		short := qed.WithBudget(outer, qed.Limits{Time: time.Second, Tokens: 10})
		if diff := cmp.Diff(qed.Limits{Time: 4 * time.Second}, remaining(t, inner)); diff != "" {
			t.Error(diff)
		}

		time.Sleep(900*time.Millisecond - 1)
		if err := qed.Spend(short, qed.Limits{Tokens: 1, Time: time.Hour}); err != nil {
			t.Errorf("before the end: %v", err)
		}
		time.Sleep(time.Nanosecond)
		spent(t, qed.Spend(short, qed.Limits{}), "time")
		if diff := cmp.Diff(qed.Limits{Time: -1, Tokens: 8}, remaining(t, short)); diff != "" {
			t.Error(diff)
		}
		if err := qed.Spend(inner, qed.Limits{Tokens: 1}); err != nil {
			t.Errorf("another budget: %v", err)
		}

		time.Sleep(3100 * time.Millisecond) // the outer budget's reserve begins
		err := qed.Spend(inner, qed.Limits{})
		got, _ := errors.AsType[*qed.BudgetError](err)
		want := &qed.BudgetError{What: "time", Limit: int64(10 * time.Second), Reserve: int64(time.Second), Used: int64(9 * time.Second)}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
		if outer.Err() != nil {
			t.Errorf("the time is no hard limit, but: %v", outer.Err())
		}

		spent(t, qed.Spend(qed.WithBudget(t.Context(), qed.Limits{Time: -1}), qed.Limits{}), "time")
		endless := qed.WithBudget(t.Context(), qed.Limits{Time: math.MaxInt64 - 1})
		if err := qed.Spend(endless, qed.Limits{}); err != nil {
			t.Error(err)
		}
	})
}

func ExampleWithBudget() {
	ctx := qed.WithBudget(context.Background(), qed.Limits{Tokens: 10_000, Rows: 1000})

	// An agent within it may have less, and never gets more.
	agent := qed.WithBudget(ctx, qed.Limits{Tokens: 5000})
	fmt.Println(qed.Spend(agent, qed.Limits{Tokens: 4000, Rows: 20}))
	fmt.Println(errors.Is(qed.Spend(agent, qed.Limits{Tokens: 4000}), qed.ErrBudget))

	left, _ := qed.Remaining(ctx)
	fmt.Println(left.Tokens, "tokens and", left.Rows, "rows are left")
	// Output:
	// <nil>
	// true
	// 5000 tokens and 880 rows are left
}

func benchmarkSpend(b *testing.B, ctx context.Context) {
	b.ReportAllocs()
	for b.Loop() {
		if err := qed.Spend(ctx, qed.Limits{Tokens: 1, ModelCalls: 1}); err != nil {
			b.Fatal(err)
		}
	}
}

// Spending where nothing is limited.
func BenchmarkSpendUnlimited(b *testing.B) { benchmarkSpend(b, context.Background()) }

// Spending from one budget.
func BenchmarkSpend(b *testing.B) {
	benchmarkSpend(b, qed.WithBudget(context.Background(), qed.Limits{Tokens: math.MaxInt, ModelCalls: math.MaxInt}))
}

// Spending from three budgets, which also limit the time.
func BenchmarkSpendNested(b *testing.B) {
	ctx := context.Background()
	for range 3 {
		ctx = qed.WithBudget(ctx, qed.Limits{Tokens: math.MaxInt, Time: time.Hour})
	}
	benchmarkSpend(b, ctx)
}
