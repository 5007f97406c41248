package budget_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed/budget"
)

// mustReserve reserves, or fails the test.
func mustReserve(t *testing.T, ctx context.Context, use budget.Limits) *budget.Reservation {
	t.Helper()
	r, err := budget.Reserve(ctx, use)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// left fails the test unless tokens are what remains of ctx.
func left(t *testing.T, ctx context.Context, tokens int) {
	t.Helper()
	if got, _ := budget.Remaining(ctx); got.Tokens != tokens {
		t.Errorf("%d tokens are left, want %d", got.Tokens, tokens)
	}
}

func TestSettle(t *testing.T) {
	outer := budget.With(t.Context(), budget.Limits{Tokens: 100})
	ctx := budget.With(outer, budget.Limits{Tokens: 200, ModelCalls: 10})
	r := mustReserve(t, ctx, budget.Limits{Tokens: 80, ModelCalls: 1})
	left(t, ctx, 10)
	if _, err := budget.Reserve(ctx, budget.Limits{Tokens: 11}); !errors.Is(err, budget.ErrExceeded) {
		t.Errorf("too much: %v", err)
	}

	r.Settle(budget.Limits{Tokens: 30, ModelCalls: 2})
	want := budget.Limits{Tokens: 60, ModelCalls: 7}
	if got, _ := budget.Remaining(ctx); got != want {
		t.Error(cmp.Diff(want, got))
	}
	left(t, outer, 60)

	r.Settle(budget.Limits{Tokens: 30, ModelCalls: 2}) // once more changes nothing
	left(t, ctx, 60)

	mustReserve(t, ctx, budget.Limits{Tokens: 20}).Settle(budget.Limits{Tokens: -1000})
	left(t, ctx, 60)

	mustReserve(t, ctx, budget.Limits{Tokens: -5}).Settle(budget.Limits{})
	left(t, ctx, 60)

	mustReserve(t, ctx, budget.Limits{Tokens: 10}).Settle(budget.Limits{Tokens: 500}) // it was used
	left(t, ctx, -1)
	left(t, outer, -1)
	if err := budget.Spend(outer, budget.Limits{Tokens: 1}); !errors.Is(err, budget.ErrExceeded) {
		t.Errorf("after using too much: %v", err)
	}
	if err := budget.Spend(ctx, budget.Limits{ModelCalls: 1}); err != nil {
		t.Errorf("what is not used up: %v", err)
	}

	mustReserve(t, ctx, budget.Limits{}).Settle(budget.Limits{Tokens: math.MaxInt})
	mustReserve(t, ctx, budget.Limits{}).Settle(budget.Limits{Tokens: math.MaxInt})
	left(t, ctx, -1)
}

func TestReserveUnlimited(t *testing.T) {
	r := mustReserve(t, t.Context(), budget.Limits{Tokens: math.MaxInt})
	r.Settle(budget.Limits{Tokens: math.MaxInt})
	if n := testing.AllocsPerRun(100, func() {
		r, _ := budget.Reserve(context.Background(), budget.Limits{Tokens: 1})
		r.Settle(budget.Limits{Tokens: 1})
		_ = budget.Spend(context.Background(), budget.Limits{Tokens: 1})
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// TestReserveTogether has many branches reserve too much and give most of it
// back. What is reserved at any time, and what is used in the end, is never
// more than what may be spent.
func TestReserveTogether(t *testing.T) {
	const limit = 1000
	ctx := budget.With(t.Context(), budget.Limits{Tokens: limit})
	var mu sync.Mutex
	var reserved, used int
	count := func(r, u int) {
		mu.Lock()
		defer mu.Unlock()
		reserved += r
		used += u
		if reserved+used > limit-limit/10 {
			t.Errorf("%d are reserved and %d used", reserved, used)
		}
	}
	var wg sync.WaitGroup
	for range 32 {
		own := budget.With(ctx, budget.Limits{Tokens: limit / 4})
		wg.Go(func() {
			for range 100 {
				r, err := budget.Reserve(own, budget.Limits{Tokens: 40})
				if err != nil {
					continue
				}
				count(40, 0)
				count(-40, 3)
				r.Settle(budget.Limits{Tokens: 3})
			}
		})
	}
	wg.Wait()
	left(t, ctx, max(limit-limit/10-used, 0))
}

func TestCharge(t *testing.T) {
	budget.Charge(t.Context(), budget.Limits{Tokens: 1}) // without a budget nothing happens
	outer := budget.With(t.Context(), budget.Limits{Tokens: 100})
	ctx := budget.With(outer, budget.Limits{Tokens: 1000})
	budget.Charge(ctx, budget.Limits{Tokens: 60})
	left(t, ctx, 30)
	budget.Charge(ctx, budget.Limits{Tokens: -60})
	left(t, ctx, 30)
	budget.Charge(ctx, budget.Limits{Tokens: 500}) // more than is left
	left(t, outer, -1)
	if err := budget.Spend(outer, budget.Limits{Tokens: 1}); !errors.Is(err, budget.ErrExceeded) {
		t.Errorf("after using too much: %v", err)
	}
}

// The error of a tool's own budget does not say that the turn's is used up.
func TestExceeded(t *testing.T) {
	turn := budget.With(t.Context(), budget.Limits{Rows: 100, Tokens: 10})
	tool := budget.With(turn, budget.Limits{Rows: 1})
	own := budget.Spend(tool, budget.Limits{Rows: 5})
	for name, test := range map[string]struct {
		ctx  context.Context
		err  error
		want bool
	}{
		"the tool's own":     {tool, own, true},
		"wrapped":            {tool, fmt.Errorf("the call failed: %w", own), true},
		"not the turn's":     {turn, own, false},
		"without a budget":   {t.Context(), own, false},
		"the turn's":         {turn, budget.Spend(tool, budget.Limits{Tokens: 20}), true},
		"another error":      {turn, errors.New("other"), false},
		"no error":           {turn, nil, false},
		"no amount is known": {turn, budget.ErrExceeded, false},
	} {
		if got := budget.Exceeded(test.ctx, test.err); got != test.want {
			t.Errorf("%s: %v, want %v", name, got, test.want)
		}
	}
}

// A call costs an unknown number of tokens. An estimate is reserved before it,
// and the actual cost is settled after it.
func ExampleReserve() {
	ctx := budget.With(context.Background(), budget.Limits{Tokens: 1000})
	translate := func(text string) error {
		r, err := budget.Reserve(ctx, budget.Limits{Tokens: 10 * len(text)})
		if err != nil {
			return err
		}
		used := 3 * len(text) // what the call of the service reports
		r.Settle(budget.Limits{Tokens: used})
		return nil
	}

	fmt.Println(translate("forklift 12 needs new brakes"))
	left, _ := budget.Remaining(ctx)
	fmt.Println(left.Tokens, "tokens are left")
	err := translate(strings.Repeat("a long report ", 10))
	fmt.Println(errors.Is(err, budget.ErrExceeded))
	// Output:
	// <nil>
	// 816 tokens are left
	// true
}
