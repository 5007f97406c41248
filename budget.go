package qed

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"time"
)

// ErrBudget is matched by the errors of a budget that is used up. They are of type
// [*BudgetError].
var ErrBudget = errors.New("qed: the budget is used up")

// Limits are the limits of a budget, or an amount that is spent of it. As a limit,
// zero means no limit, and a negative number that nothing may be spent. As an
// amount, both mean nothing.
type Limits struct {
	Tokens     int // of requests and of replies
	ModelCalls int
	ToolCalls  int
	Rows       int // returned by queries

	// Time is wall-clock time from the call of [WithBudget]. It cannot be spent: as
	// an amount it is ignored.
	Time time.Duration
}

// amounts are the fields of Limits, in their order.
type amounts [budgetTime + 1]int64

const (
	budgetTokens = iota
	budgetModelCalls
	budgetToolCalls
	budgetRows
	budgetTime // the last, because it is not added up
)

var budgetNames = [len(amounts{})]string{"tokens", "model calls", "tool calls", "rows", "time"}

func (l Limits) amounts() amounts {
	return amounts{int64(l.Tokens), int64(l.ModelCalls), int64(l.ToolCalls), int64(l.Rows), int64(l.Time)}
}

// use returns l as an amount that is spent. A negative number gives nothing back.
func (l Limits) use() amounts {
	a := l.amounts()
	for i := range a {
		a[i] = max(a[i], 0)
	}
	a[budgetTime] = 0
	return a
}

const noLimit = math.MaxInt64

// A BudgetError is the error of an amount that a budget does not have left. It
// unwraps to [ErrBudget].
type BudgetError struct {
	What    string // "tokens", "model calls", "tool calls", "rows" or "time"
	Limit   int64  // of the budget that is used up; nanoseconds for time
	Reserve int64  // the part of Limit that is reserved for a final answer; 0 if it may be used
	Used    int64  // including what is reserved for running calls; it can exceed Limit
	Asked   int64  // the amount that was to be spent; 0 for time
}

// Error returns what is used up, and what can be done.
func (e *BudgetError) Error() string {
	if e.Limit == 0 && e.Used == 0 {
		return fmt.Sprintf("%v: no %s left; set a higher limit in WithBudget", ErrBudget, e.What)
	}
	show := func(n int64) string {
		if e.What == budgetNames[budgetTime] {
			return time.Duration(n).Round(time.Millisecond).String()
		}
		return fmt.Sprintf("%d %s", n, e.What)
	}
	text := fmt.Sprintf("%v: %s used of %s", ErrBudget, show(e.Used), show(e.Limit))
	if e.Reserve > 0 {
		text += fmt.Sprintf(", %s of it reserved for a final answer", show(e.Reserve))
	}
	if e.Asked > 0 {
		text += fmt.Sprintf(", %s needed", show(e.Asked))
	}
	return text + "; set a higher limit in WithBudget, or do less"
}

// Unwrap returns [ErrBudget].
func (e *BudgetError) Unwrap() error { return ErrBudget }

// WithBudget returns a context whose runs may spend what l allows, on all goroutines
// and in all agents together. Budgets nest: what is spent of an inner one is spent of
// the outer ones too, so no agent can raise its own limit.
//
// A tenth of each limit, and at least one of several model calls, is reserved, so
// that a run whose budget is used up can still give an answer: see
// [CompileOptions].WrapUp. Everything else gets nine tenths.
//
// Time is a soft limit: when it is over, nothing more can be spent, but a running
// call is not cancelled. For a hard limit use [context.WithTimeout] with a longer
// time.
func WithBudget(ctx context.Context, l Limits) context.Context {
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
		b.keeps[budgetModelCalls] = max(1, b.keeps[budgetModelCalls])
	}
	return context.WithValue(ctx, accountKey{}, &account{budget: b, outer: outer})
}

// Spend takes an amount from all budgets of ctx. Call it before the amount is
// used. If one of the budgets has too little left, Spend takes nothing and
// returns a [*BudgetError]. If the time of a budget is over, Spend always
// returns an error.
func Spend(ctx context.Context, use Limits) error {
	if a := accountOf(ctx); a != nil {
		return a.take(use.use())
	}
	return nil
}

// Remaining returns what can still be spent with ctx: the least that any of its
// budgets has left, without the reserve. Zero means no limit, and -1 that nothing is
// left. ok is false if ctx has no budget.
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
	return Limits{
		Tokens:     int(least[budgetTokens]),
		ModelCalls: int(least[budgetModelCalls]),
		ToolCalls:  int(least[budgetToolCalls]),
		Rows:       int(least[budgetRows]),
		Time:       time.Duration(least[budgetTime]),
	}, true
}

// A budget has the limits of one call of WithBudget.
type budget struct {
	mu           *sync.Mutex // of the outermost budget, so that all budgets of a context change at once
	limit, keeps amounts
	began        time.Time

	used amounts // guarded by mu; time is not counted
}

func (b *budget) usedOf(i int) int64 {
	if i == budgetTime {
		return int64(time.Since(b.began))
	}
	return b.used[i]
}

// An account is a budget as a context may use it, and the budgets around it. It does
// not change.
type account struct {
	*budget
	outer *account

	open    bool // the reserve may be used
	claimed bool // the reserve is for a run around, and not for a run that begins in it
}

type accountKey struct{}

func accountOf(ctx context.Context) *account {
	a, _ := ctx.Value(accountKey{}).(*account)
	return a
}

func hasBudget(ctx context.Context) bool { return accountOf(ctx) != nil }

// most returns how much of an amount may be used in all.
func (a *account) most(i int) int64 {
	if a.open {
		return a.limit[i]
	}
	return a.limit[i] - a.keeps[i]
}

// take takes an amount from all budgets or from none.
func (a *account) take(use amounts) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if err := a.lacks(use); err != nil {
		return err
	}
	a.change(amounts{}, use)
	return nil
}

// lacks returns an error if a budget does not have enough left. The caller holds the
// lock.
func (a *account) lacks(use amounts) error {
	for b := a; b != nil; b = b.outer {
		for i, asked := range use {
			if b.limit[i] == noLimit || i != budgetTime && asked == 0 {
				continue
			}
			used := b.usedOf(i)
			if most := b.most(i); used >= most || asked > most-used {
				return &BudgetError{
					What: budgetNames[i], Limit: b.limit[i], Reserve: b.limit[i] - most, Used: used, Asked: asked,
				}
			}
		}
	}
	return nil
}

// refuses reports whether a budget of ctx has not enough for the amount of err, and
// not only a budget of an inner context.
func refuses(ctx context.Context, err error) bool {
	a := accountOf(ctx)
	refused, ok := errors.AsType[*BudgetError](err)
	if a == nil || !ok {
		return false
	}
	var use amounts
	if i := slices.Index(budgetNames[:], refused.What); i >= 0 {
		use[i] = refused.Asked
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.lacks(use) != nil
}

// change replaces the amount before, which is counted already, by after. The caller
// holds the lock.
func (a *account) change(before, after amounts) {
	for ; a != nil; a = a.outer {
		for i := range budgetTime {
			rest := a.used[i] - before[i]
			a.used[i] = rest + min(after[i], noLimit-rest)
		}
	}
}

// A reservation is an estimate of an amount that is not known yet. It is nil without
// a budget.
type reservation struct {
	account *account
	counted amounts // guarded by the account's lock
}

// reserve takes an amount like Spend, until the reservation is settled.
func reserve(ctx context.Context, use Limits) (*reservation, error) {
	a := accountOf(ctx)
	if a == nil {
		return nil, nil
	}
	if err := a.take(use.use()); err != nil {
		return nil, err
	}
	return &reservation{a, use.use()}, nil
}

// settle replaces the reserved amount by the actual one, which may be larger than the
// budget has left. If it is called again, the last amount counts.
func (r *reservation) settle(actual Limits) {
	if r == nil {
		return
	}
	r.account.mu.Lock()
	defer r.account.mu.Unlock()
	r.account.change(r.counted, actual.use())
	r.counted = actual.use()
}

// charge counts an amount that was used, even if the budget has not enough left.
func charge(ctx context.Context, use Limits) {
	if a := accountOf(ctx); a != nil {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.change(amounts{}, use.use())
	}
}

// softDeadline returns when the time of the budgets of ctx is over, if it is limited.
func softDeadline(ctx context.Context) (deadline time.Time, ok bool) {
	for a := accountOf(ctx); a != nil; a = a.outer {
		if a.limit[budgetTime] == noLimit {
			continue
		}
		if d := a.began.Add(time.Duration(a.most(budgetTime))); !ok || d.Before(deadline) {
			deadline, ok = d, true
		}
	}
	return deadline, ok
}

// keepReserve returns a context for the nodes of a run with a WrapUp node. Runs within
// it leave the reserve to that node. A budget that begins within it has its own
// reserve.
func keepReserve(ctx context.Context) context.Context {
	return withAccount(ctx, func(a *account) { a.claimed = true })
}

// wrapUp returns a context for a WrapUp node. It may use the reserve of the budgets.
func wrapUp(ctx context.Context) context.Context {
	return withAccount(ctx, func(a *account) { a.open = a.open || !a.claimed })
}

// withAccount returns ctx with its account and the accounts around changed.
func withAccount(ctx context.Context, change func(*account)) context.Context {
	if a := accountOf(ctx); a != nil {
		return context.WithValue(ctx, accountKey{}, a.with(change))
	}
	return ctx
}

func (a *account) with(change func(*account)) *account {
	if a == nil {
		return nil
	}
	changed := *a
	changed.outer = a.outer.with(change)
	change(&changed)
	return &changed
}
