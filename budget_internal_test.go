package qed

import (
	"context"
	"errors"
	"math"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// mustReserve reserves, or fails the test.
func mustReserve(t *testing.T, ctx context.Context, use Limits) *reservation {
	t.Helper()
	r, err := reserve(ctx, use)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// left fails the test unless tokens are what remains of ctx.
func left(t *testing.T, ctx context.Context, tokens int) {
	t.Helper()
	if got, _ := Remaining(ctx); got.Tokens != tokens {
		t.Errorf("%d tokens are left, want %d", got.Tokens, tokens)
	}
}

func TestResolve(t *testing.T) {
	outer := WithBudget(t.Context(), Limits{Tokens: 100})
	ctx := WithBudget(outer, Limits{Tokens: 200, ModelCalls: 10})
	r := mustReserve(t, ctx, Limits{Tokens: 80, ModelCalls: 1})
	left(t, ctx, 10)
	if _, err := reserve(ctx, Limits{Tokens: 11}); !errors.Is(err, ErrBudget) {
		t.Errorf("too much: %v", err)
	}

	r.settle(Limits{Tokens: 30, ModelCalls: 2})
	want := Limits{Tokens: 60, ModelCalls: 7}
	if got, _ := Remaining(ctx); got != want {
		t.Error(cmp.Diff(want, got))
	}
	left(t, outer, 60)

	r.settle(Limits{Tokens: 30, ModelCalls: 2}) // once more changes nothing
	left(t, ctx, 60)

	mustReserve(t, ctx, Limits{Tokens: 20}).settle(Limits{Tokens: -1000})
	left(t, ctx, 60)

	mustReserve(t, ctx, Limits{Tokens: -5}).settle(Limits{})
	left(t, ctx, 60)

	mustReserve(t, ctx, Limits{Tokens: 10}).settle(Limits{Tokens: 500}) // it was used
	left(t, ctx, -1)
	left(t, outer, -1)
	if err := Spend(outer, Limits{Tokens: 1}); !errors.Is(err, ErrBudget) {
		t.Errorf("after using too much: %v", err)
	}
	if err := Spend(ctx, Limits{ModelCalls: 1}); err != nil {
		t.Errorf("what is not used up: %v", err)
	}

	mustReserve(t, ctx, Limits{}).settle(Limits{Tokens: math.MaxInt})
	mustReserve(t, ctx, Limits{}).settle(Limits{Tokens: math.MaxInt})
	left(t, ctx, -1)
}

func TestReserveUnlimited(t *testing.T) {
	if hasBudget(t.Context()) || !hasBudget(WithBudget(t.Context(), Limits{Rows: 1})) {
		t.Error("hasBudget is wrong")
	}
	r := mustReserve(t, t.Context(), Limits{Tokens: math.MaxInt})
	r.settle(Limits{Tokens: math.MaxInt})
	if n := testing.AllocsPerRun(100, func() {
		r, _ := reserve(context.Background(), Limits{Tokens: 1})
		r.settle(Limits{Tokens: 1})
		_ = Spend(context.Background(), Limits{Tokens: 1})
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// TestReserveTogether has many branches reserve too much and give most of it back. What is reserved at any time, and what is
// used in the end, is never more than what may be spent.
func TestReserveTogether(t *testing.T) {
	const limit = 1000
	ctx := WithBudget(t.Context(), Limits{Tokens: limit})
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
		own := WithBudget(ctx, Limits{Tokens: limit / 4})
		wg.Go(func() {
			for range 100 {
				r, err := reserve(own, Limits{Tokens: 40})
				if err != nil {
					continue
				}
				count(40, 0)
				count(-40, 3)
				r.settle(Limits{Tokens: 3})
			}
		})
	}
	wg.Wait()
	left(t, ctx, max(limit-limit/10-used, 0))
}

func TestWrapUp(t *testing.T) {
	host := WithBudget(t.Context(), Limits{Tokens: 100})
	ctx := WithBudget(host, Limits{Tokens: 100, ModelCalls: 2})
	if err := Spend(ctx, Limits{Tokens: 90, ModelCalls: 1}); err != nil {
		t.Fatal(err)
	}
	end := wrapUp(ctx)
	left(t, ctx, -1)
	left(t, end, 10)
	if err := Spend(WithBudget(end, Limits{Tokens: 100}), Limits{Tokens: 6, ModelCalls: 1}); err != nil {
		t.Errorf("the reserve: %v", err)
	}
	_, err := reserve(end, Limits{Tokens: 5})
	if e, ok := errors.AsType[*BudgetError](err); !ok || e.Reserve != 0 {
		t.Errorf("more than the reserve: %v", err)
	}
	if err := Spend(ctx, Limits{Tokens: 1}); !errors.Is(err, ErrBudget) {
		t.Errorf("the reserve is open to all: %v", err)
	}
	left(t, wrapUp(end), 4)
	if ctx := t.Context(); wrapUp(ctx) != ctx || keepReserve(ctx) != ctx {
		t.Error("a context without a budget is another one")
	}
}

// TestKeepReserve has a run within another one: the reserve of their common budget is for the outer one's end.
func TestKeepReserve(t *testing.T) {
	ctx := WithBudget(t.Context(), Limits{Tokens: 100})
	node := keepReserve(ctx)
	inner := WithBudget(node, Limits{Tokens: 50})
	left(t, inner, 45)
	left(t, wrapUp(inner), 50)
	if err := Spend(node, Limits{Tokens: 90}); err != nil {
		t.Fatal(err)
	}
	left(t, wrapUp(inner), -1)
	left(t, wrapUp(node), -1)

	end := wrapUp(ctx)
	left(t, end, 10)
	left(t, keepReserve(end), 10) // a run within the WrapUp node may use it too
	left(t, wrapUp(WithBudget(keepReserve(end), Limits{Tokens: 50})), 10)
}

func TestSoftDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		outer := WithBudget(t.Context(), Limits{Time: 10 * time.Second})
		ctx := WithBudget(outer, Limits{Time: time.Hour, Tokens: 1})
		short := WithBudget(ctx, Limits{Time: 5 * time.Second})
		for name, test := range map[string]struct {
			ctx  context.Context
			want time.Duration
		}{
			"outer":      {outer, 9 * time.Second},
			"inherited":  {ctx, 9 * time.Second},
			"its own":    {short, 4500 * time.Millisecond},
			"at the end": {wrapUp(short), 5 * time.Second},
			"kept":       {wrapUp(WithBudget(keepReserve(outer), Limits{Time: 9500 * time.Millisecond})), 9 * time.Second},
			"none":       {WithBudget(t.Context(), Limits{Time: -time.Hour}), 0},
		} {
			if got, ok := softDeadline(test.ctx); !ok || got.Sub(start) != test.want {
				t.Errorf("%s: %v after %v, want %v", name, ok, got.Sub(start), test.want)
			}
		}
		for _, ctx := range []context.Context{t.Context(), WithBudget(t.Context(), Limits{Tokens: 1})} {
			if at, ok := softDeadline(ctx); ok {
				t.Errorf("a deadline without a limit: %v", at)
			}
		}

		time.Sleep(9 * time.Second)
		if err := Spend(ctx, Limits{}); !errors.Is(err, ErrBudget) {
			t.Errorf("the time is over: %v", err)
		}
		if err := Spend(wrapUp(ctx), Limits{}); err != nil {
			t.Errorf("in the reserve: %v", err)
		}
		time.Sleep(time.Second)
		if err := Spend(wrapUp(ctx), Limits{}); !errors.Is(err, ErrBudget) {
			t.Errorf("after the reserve: %v", err)
		}
	})
}
