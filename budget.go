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

// ErrBudget says that a budget is used up. It comes as a [*BudgetError].
var ErrBudget = errors.New("qed: the budget is used up")

// Limits are what may be spent, or what is. As a limit, zero means that there is none, and a negative number that nothing may
// be spent; as a use, both mean nothing. The zero Limits limit nothing.
type Limits struct {
	Tokens     int // of requests and of replies
	ModelCalls int
	ToolCalls  int
	Rows       int // that queries return

	// Time is wall-clock time from [WithBudget] on. It passes by itself: in a use it is not looked at.
	Time time.Duration
}

// Amounts are the fields of Limits, in their order.
type amounts [budgetTime + 1]int64

const (
	budgetTokens = iota
	budgetModelCalls
	budgetToolCalls
	budgetRows
	budgetTime // the last, as it is not added up
)

var budgetNames = [len(amounts{})]string{"tokens", "model calls", "tool calls", "rows", "time"}

func (l Limits) amounts() amounts {
	return amounts{int64(l.Tokens), int64(l.ModelCalls), int64(l.ToolCalls), int64(l.Rows), int64(l.Time)}
}

// use returns the amounts of a use: nobody gives back by using less than nothing.
func (l Limits) use() amounts {
	a := l.amounts()
	for i := range a {
		a[i] = max(a[i], 0)
	}
	a[budgetTime] = 0
	return a
}

// noLimit is the limit of what is not limited.
const noLimit = math.MaxInt64

// A BudgetError is what could not be spent. It unwraps to [ErrBudget].
type BudgetError struct {
	What    string // "tokens", "model calls", "tool calls", "rows" or "time"
	Limit   int64  // of the budget that is used up; time is in nanoseconds
	Reserve int64  // how much of Limit is kept back; 0 when that may be used as well
	Used    int64  // of Limit, with what is reserved for calls that still run; it can be more
	Asked   int64  // 0 for time, which is not asked for
}

// Error says what is used up, and what can be done.
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
		text += fmt.Sprintf(", %s kept back for an answer at the end", show(e.Reserve))
	}
	if e.Asked > 0 {
		text += fmt.Sprintf(", %s asked for", show(e.Asked))
	}
	return text + "; set a higher limit in WithBudget, or ask for less"
}

// Unwrap returns [ErrBudget].
func (e *BudgetError) Unwrap() error { return ErrBudget }

// WithBudget limits what may be spent by all that is done with the context that it returns, on any goroutine and in any agent.
// Budgets nest: what is spent within an inner one is spent of the outer ones too, so no agent can give itself more than it has.
// Without a budget nothing is limited.
//
// A tenth of each limit is kept back, of model calls at least one where there is more than one, so that a run whose budget
// is used up can still answer with what it has ([CompileOptions]). What is done otherwise gets nine tenths.
//
// Time is a soft limit: when it is used up, nothing more can be spent, but what is being done is not cancelled.
// For a hard limit use [context.WithTimeout], with some time more than that.
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

// Spend takes use from all budgets of ctx, before it is really used. When one of them has not enough left, it takes nothing
// from any, and the error is a [*BudgetError]. Once the time of one is used up, even spending nothing fails.
func Spend(ctx context.Context, use Limits) error {
	if a := accountOf(ctx); a != nil {
		return a.take(use.use())
	}
	return nil
}

// Remaining returns what can still be spent with ctx: the least that any of its budgets has left, without what they keep back.
// As in any Limits, zero means that there is no limit; where nothing is left it is -1. It reports false when ctx has no budget.
func Remaining(ctx context.Context) (Limits, bool) {
	a := accountOf(ctx)
	if a == nil {
		return Limits{}, false
	}
	var left amounts
	a.mu.Lock()
	defer a.mu.Unlock()
	for ; a != nil; a = a.outer {
		for i := range left {
			if a.limit[i] == noLimit {
				continue
			}
			n := a.most(i) - a.usedOf(i)
			if n <= 0 {
				n = -1
			}
			if left[i] == 0 || n < left[i] {
				left[i] = n
			}
		}
	}
	return Limits{
		Tokens:     int(left[budgetTokens]),
		ModelCalls: int(left[budgetModelCalls]),
		ToolCalls:  int(left[budgetToolCalls]),
		Rows:       int(left[budgetRows]),
		Time:       time.Duration(left[budgetTime]),
	}, true
}

// A budget is what one call of WithBudget made.
type budget struct {
	mu           *sync.Mutex // the outermost budget's, so that all budgets of a context change at once
	limit, keeps amounts
	began        time.Time

	used amounts // guarded by mu; time is not counted, it passes
}

func (b *budget) usedOf(i int) int64 {
	if i == budgetTime {
		return int64(time.Since(b.began))
	}
	return b.used[i]
}

// An account is a budget as a context may use it, and those around it. It does not change.
type account struct {
	*budget
	outer *account

	open    bool // what it keeps back may be used
	claimed bool // what it keeps back is for a run that is going on, and not for one that begins in it
}

type accountKey struct{}

func accountOf(ctx context.Context) *account {
	a, _ := ctx.Value(accountKey{}).(*account)
	return a
}

func hasBudget(ctx context.Context) bool { return accountOf(ctx) != nil }

// most is how much of a quantity may be used in all.
func (a *account) most(i int) int64 {
	if a.open {
		return a.limit[i]
	}
	return a.limit[i] - a.keeps[i]
}

// take takes use from all budgets or from none.
func (a *account) take(use amounts) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if err := a.lacks(use); err != nil {
		return err
	}
	a.change(amounts{}, use)
	return nil
}

// lacks says which budget has not enough left, if one has not. The caller holds the lock.
func (a *account) lacks(use amounts) error {
	for b := a; b != nil; b = b.outer {
		for i, asked := range use {
			if b.limit[i] == noLimit || i != budgetTime && asked == 0 {
				continue
			}
			used := b.usedOf(i)
			if most := b.most(i); used >= most || asked > most-used {
				return &BudgetError{budgetNames[i], b.limit[i], b.limit[i] - most, used, asked}
			}
		}
	}
	return nil
}

// refuses reports whether a budget of ctx refuses what err was about, and not only one within it.
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

// change has the budgets count after instead of before, which they count already. The caller holds the lock.
func (a *account) change(before, after amounts) {
	for ; a != nil; a = a.outer {
		for i := range budgetTime {
			rest := a.used[i] - before[i]
			a.used[i] = rest + min(after[i], noLimit-rest)
		}
	}
}

// A reservation is what was taken for a use that is not known yet. Nil is the one without a budget.
type reservation struct {
	account *account
	counted amounts // guarded by the account's lock
}

// reserve takes use as Spend does, until the reservation is settled.
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

// settle has actual count instead of what was reserved. What is more counts too, as it was used, and is missing afterwards.
// When it is called again, the last one counts.
func (r *reservation) settle(actual Limits) {
	if r == nil {
		return
	}
	r.account.mu.Lock()
	defer r.account.mu.Unlock()
	r.account.change(r.counted, actual.use())
	r.counted = actual.use()
}

// charge counts what was used, whether there was enough left or not.
func charge(ctx context.Context, use Limits) {
	if a := accountOf(ctx); a != nil {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.change(amounts{}, use.use())
	}
}

// softDeadline returns when the time of ctx's budgets is used up, if they limit it.
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

// keepReserve returns the context for the parts of a run that can wrap up: runs within it leave the reserve to it.
// A budget that begins within it has a reserve of its own.
func keepReserve(ctx context.Context) context.Context {
	return withAccount(ctx, func(a *account) { a.claimed = true })
}

// wrapUp returns a context for the end of the run that ctx was given to: it may use what the budgets keep back.
func wrapUp(ctx context.Context) context.Context {
	return withAccount(ctx, func(a *account) { a.open = a.open || !a.claimed })
}

// withAccount returns ctx with its account changed, and those around it.
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
