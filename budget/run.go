package budget

import (
	"context"
	"sync"
)

// A Meter counts what a run spends, in this process and before it was resumed.
// It is safe for concurrent use.
type Meter struct {
	base *account // the innermost budget around the run, or nil

	mu   sync.Mutex
	used amounts
}

type meterKey struct{}

func meterOf(ctx context.Context) *Meter {
	m, _ := ctx.Value(meterKey{}).(*Meter)
	return m
}

// WithRun returns the context of a run, and the meter of what is spent in that
// context. A program with a runtime of its own calls it when it begins or
// resumes a run; package qed does so for its agents. id identifies the run.
//
// before is what the run spent before it was resumed. Each budget of ctx counts
// it too, but only once, however often the run is resumed within that budget.
// The part that is above a limit is counted too, so a run whose budget was used
// up needs a context with a higher limit.
func WithRun(ctx context.Context, id string, before Limits) (context.Context, *Meter) {
	a := accountOf(ctx)
	m := &Meter{base: a, used: before.use()}
	if a != nil {
		a.mu.Lock()
		defer a.mu.Unlock()
	}
	for ; a != nil; a = a.outer {
		var counted amounts
		if earlier := a.runs[id]; earlier != nil {
			counted = earlier.Spent().use()
		}
		for i, n := range m.used {
			counted[i] = max(0, n-counted[i]) // what is missing
		}
		a.used.change(amounts{}, counted)
		if a.runs == nil {
			a.runs = map[string]*Meter{}
		}
		a.runs[id] = m
	}
	return context.WithValue(ctx, meterKey{}, m), m
}

// Spent returns what the run has spent. The estimate of a [Reservation] does not
// count: its amount counts when it is settled.
func (m *Meter) Spent() Limits {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.used.limits()
}

// Replayed counts what a call spent whose result a resumed run reads from its
// log instead of making the call. Only the budgets that began within the run
// count it: those around it have counted it already.
func (m *Meter) Replayed(ctx context.Context, use Limits) {
	a := accountOf(ctx)
	if a == nil || m.base != nil && a.budget == m.base.budget {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	for ; a != nil && (m.base == nil || a.budget != m.base.budget); a = a.outer {
		a.used.change(amounts{}, use.use())
	}
}

// change replaces an amount that is counted already. A nil meter counts
// nothing.
func (m *Meter) change(before, after amounts) {
	if m == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.used.change(before, after)
}
