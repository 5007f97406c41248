package budget

import (
	"context"
	"sync"
)

// A Reservation is an estimate of an amount that is not known yet. The estimate
// counts as spent until the reservation is settled. A nil Reservation is one
// without a budget. A Reservation may be used by several goroutines.
type Reservation struct {
	account *account // or nil
	meter   *Meter   // or nil

	mu      sync.Mutex
	counted amounts // in the account
	metered amounts // in the meter, which counts no estimates
}

// Reserve takes an estimate from all budgets of ctx, like [Spend]. Call it
// before a call whose cost is not known, and [Reservation.Settle] after it,
// also if the call failed. If a budget has too little left, Reserve takes
// nothing and returns an [*Error]. Without a budget and a [Meter] the reservation
// is nil.
func Reserve(ctx context.Context, estimate Limits) (*Reservation, error) {
	a, meter := accountOf(ctx), meterOf(ctx)
	if a == nil && meter == nil {
		return nil, nil
	}
	if a != nil {
		if err := a.take(estimate.use()); err != nil {
			return nil, err
		}
	}
	return &Reservation{account: a, meter: meter, counted: estimate.use()}, nil
}

// Settle replaces the estimate by the actual amount, which may be more than the
// budget has left. If Settle is called again, the last amount counts. Settle of
// a nil Reservation does nothing.
func (r *Reservation) Settle(actual Limits) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.account != nil {
		r.account.mu.Lock()
		r.account.change(r.counted, actual.use())
		r.account.mu.Unlock()
	}
	r.meter.change(r.metered, actual.use())
	r.counted, r.metered = actual.use(), actual.use()
}
