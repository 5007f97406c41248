// Package budget limits what the runs of a context may spend: tokens, calls of
// models and tools, rows of queries, and time.
//
// A program sets a budget with [With] and passes the context to an agent:
//
//	ctx = budget.With(ctx, budget.Limits{Tokens: 20_000, ToolCalls: 10, Time: time.Minute})
//	answer, err := qed.Ask(ctx, agent, turn)
//
// The agents and sources of this module spend what they use. A tool or an agent
// of your own does it in one of three ways:
//
//   - [Spend] takes an amount that is known before it is used, such as one call.
//   - [Reserve] takes an estimate, and [Reservation.Settle] replaces it by the
//     actual amount. It is for a call that must not be made if it could cost too
//     much.
//   - [Charge] counts an amount that is known only after it was used.
//
// An error that says that a budget is used up is an [*Error], which matches
// [ErrExceeded]. Without a budget nothing is limited. All functions and methods
// are safe for concurrent use.
//
// A tenth of each limit, and at least one of several model calls, is reserved
// for a final answer, so that a run can still report what it has found. The
// graphs of qed do so in their WrapUp node. An agent that is not a graph does
// its work with the context of [BeforeFinalAnswer], and makes its answer with
// that of [ForFinalAnswer].
package budget

import (
	"context"
	"sync"
	"time"
)

// Limits are the limits of a budget, or an amount that is spent. As a limit,
// zero means no limit, and a negative number means that nothing may be spent. As
// an amount, zero and negative numbers are ignored.
type Limits struct {
	Tokens     int // of requests and of replies
	ModelCalls int
	ToolCalls  int
	Rows       int // returned by queries

	// Time is wall-clock time from the call of [With]. It cannot be spent: as
	// an amount it is ignored.
	Time time.Duration
}

// With returns a context whose runs may spend what l allows, on all goroutines
// and in all agents together. Budgets nest: an amount that is spent of an inner
// budget is spent of the outer ones too, so no agent can raise its own limit. If
// l is zero, With returns ctx.
//
// A tenth of each limit, and at least one of several model calls, is reserved
// for a final answer: only the context of [ForFinalAnswer] can spend it. This
// includes the Time: with a limit of a minute, 54 seconds are for the work
// before the answer.
//
// Time is a soft limit: when it is over, nothing more can be spent, but a
// running call is not cancelled. [WithDeadline] cancels one. For a hard limit
// use [context.WithTimeout] with a longer time.
func With(ctx context.Context, l Limits) context.Context {
	if l == (Limits{}) {
		return ctx
	}
	outer := accountOf(ctx)
	b := &budget{mu: new(sync.Mutex), began: time.Now()}
	if outer != nil {
		b.mu = outer.mu
	}
	for i, n := range l.amounts() {
		switch {
		case n == 0:
			b.limit[i] = noLimit
		case n > 0:
			b.limit[i], b.keeps[i] = n, n/10
		}
	}
	if l.ModelCalls > 1 {
		b.keeps[modelCalls] = max(1, b.keeps[modelCalls])
	}
	return context.WithValue(ctx, accountKey{}, &account{budget: b, outer: outer})
}

// Spend takes an amount from all budgets of ctx. Call it before the amount is
// used. If one of the budgets has too little left, Spend takes nothing and
// returns an [*Error]. If the time of a budget is over, Spend always returns an
// error.
func Spend(ctx context.Context, use Limits) error {
	if a := accountOf(ctx); a != nil {
		if err := a.take(use.use()); err != nil {
			return err
		}
	}
	meterOf(ctx).change(amounts{}, use.use())
	return nil
}

// Charge counts an amount that was used already, even if a budget of ctx has
// not enough left. It is for costs that are known only afterwards.
func Charge(ctx context.Context, use Limits) {
	if a := accountOf(ctx); a != nil {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.change(amounts{}, use.use())
	}
	meterOf(ctx).change(amounts{}, use.use())
}

// Remaining returns what can still be spent with ctx: the least that any of its
// budgets has left, without the part that is reserved for a final answer. Zero
// means no limit, and -1 that nothing is left. ok is false if ctx has no
// budget.
func Remaining(ctx context.Context) (left Limits, ok bool) {
	a := accountOf(ctx)
	if a == nil {
		return Limits{}, false
	}
	var least amounts
	a.mu.Lock()
	defer a.mu.Unlock()
	for ; a != nil; a = a.outer {
		for i := range least {
			if a.limit[i] == noLimit {
				continue
			}
			n := a.most(i) - a.usedOf(i)
			if n <= 0 {
				n = -1
			}
			if least[i] == 0 || n < least[i] {
				least[i] = n
			}
		}
	}
	return least.limits(), true
}

// RowsLeft returns how many rows a query may return: what the budgets of ctx have left, but
// not more than most, which is negative for any number. It returns most without a limit, and
// the error of [Spend] if no row is left.
func RowsLeft(ctx context.Context, most int) (int, error) {
	left, ok := Remaining(ctx)
	switch {
	case !ok || left.Rows == 0:
		return most, nil
	case left.Rows < 0:
		return 0, Spend(ctx, Limits{Rows: 1})
	case most < 0:
		return left.Rows, nil
	}
	return min(left.Rows, most), nil
}

// WithDeadline returns a context that is done as soon as the time of one of
// ctx's budgets is over. In the context of [ForFinalAnswer] that is the whole
// time, elsewhere nine tenths of it. The cause of the context ([context.Cause])
// is then an [*Error]. Use it for a call whose result is worth nothing if it
// comes too late, and call cancel when the call has returned. If no budget
// limits the time, WithDeadline returns ctx.
func WithDeadline(ctx context.Context) (limited context.Context, cancel context.CancelFunc) {
	var first *account
	var deadline time.Time
	for a := accountOf(ctx); a != nil; a = a.outer {
		if a.limit[wallTime] == noLimit {
			continue
		}
		if d := a.began.Add(time.Duration(a.most(wallTime))); first == nil || d.Before(deadline) {
			first, deadline = a, d
		}
	}
	if first == nil {
		return ctx, func() {}
	}
	return context.WithDeadlineCause(ctx, deadline, first.lack(wallTime, first.most(wallTime), 0))
}

// BeforeFinalAnswer returns a context for the work before a final answer. Runs
// in it leave the reserve to that answer: [ForFinalAnswer] has no effect there.
// A budget that begins in it has its own reserve.
func BeforeFinalAnswer(ctx context.Context) context.Context {
	return withAccount(ctx, func(a *account) { a.claimed = true })
}

// ForFinalAnswer returns a context that can also spend what the budgets of ctx
// reserve for a final answer.
func ForFinalAnswer(ctx context.Context) context.Context {
	return withAccount(ctx, func(a *account) { a.open = a.open || !a.claimed })
}
