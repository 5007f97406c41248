package budget

import (
	"context"
	"math"
	"sync"
	"time"
)

// amounts are the fields of Limits, in their order.
type amounts [wallTime + 1]int64

const (
	tokens = iota
	modelCalls
	toolCalls
	rows
	wallTime // the last, because it is not added up
)

var names = [len(amounts{})]string{"tokens", "model calls", "tool calls", "rows", "time"}

func (l Limits) amounts() amounts {
	return amounts{int64(l.Tokens), int64(l.ModelCalls), int64(l.ToolCalls), int64(l.Rows), int64(l.Time)}
}

// use returns l as an amount that is spent. A negative number gives nothing
// back.
func (l Limits) use() amounts {
	a := l.amounts()
	for i := range a {
		a[i] = max(a[i], 0)
	}
	a[wallTime] = 0
	return a
}

// limits returns a as the limits of a budget.
func (a amounts) limits() Limits {
	return Limits{
		Tokens:     int(a[tokens]),
		ModelCalls: int(a[modelCalls]),
		ToolCalls:  int(a[toolCalls]),
		Rows:       int(a[rows]),
		Time:       time.Duration(a[wallTime]),
	}
}

// change replaces the amount before, which is counted already, by after. A sum
// that is too large for a number stays at the largest one.
func (a *amounts) change(before, after amounts) {
	for i := range wallTime {
		rest := a[i] - before[i]
		a[i] = rest + min(after[i], noLimit-rest)
	}
}

const noLimit = math.MaxInt64

// A budget has the limits of one call of With.
type budget struct {
	mu           *sync.Mutex // of the outermost budget, so that all budgets of a context change at once
	limit, keeps amounts
	began        time.Time

	used amounts           // guarded by mu; time is not counted
	runs map[string]*Meter // guarded by mu; the runs whose earlier spending is in used, by id
}

func (b *budget) usedOf(i int) int64 {
	if i == wallTime {
		return int64(time.Since(b.began))
	}
	return b.used[i]
}

// An account is a budget as a context may use it, and the budgets around it. It
// does not change.
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

// lacks returns an error if a budget does not have enough left. The caller
// holds the lock.
func (a *account) lacks(use amounts) error {
	for b := a; b != nil; b = b.outer {
		for i, needed := range use {
			if b.limit[i] == noLimit || i != wallTime && needed == 0 {
				continue
			}
			used := b.usedOf(i)
			if most := b.most(i); used >= most || needed > most-used {
				return b.lack(i, used, needed)
			}
		}
	}
	return nil
}

// lack returns the error of an amount of which used is used up.
func (a *account) lack(i int, used, needed int64) error {
	return &Error{
		What: names[i], Limit: a.limit[i], Reserve: a.limit[i] - a.most(i), Used: used, Needed: needed,
	}
}

// change replaces the amount before, which is counted already, by after. The
// caller holds the lock.
func (a *account) change(before, after amounts) {
	for ; a != nil; a = a.outer {
		a.used.change(before, after)
	}
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
