package qed

import (
	"context"
	"time"
)

// Now returns the time at which the run began. It is the same for all parts of a
// run, and after each resumption, so that a prompt made of it is the same too.
// Outside a durable run it is the time at which the agent's turn began, and
// without a turn the present time.
func Now(ctx context.Context) time.Time {
	sc := scopeOf(ctx)
	switch {
	case !sc.now.IsZero():
		return sc.now
	case sc.place != nil:
		return sc.place.log.began
	case sc.turn != nil:
		return sc.turn.began
	}
	return clock(ctx)()
}

// TurnTime returns when the message or the reply that is being answered came, in
// UTC and to the microsecond, as stores save it. In a run that is resumed after a
// pause it is later than [Now]; it is the same in every process that resumes the
// run from there. Outside a durable run it is Now.
//
// Use it for what is recorded, such as the time at which a query ran. A date in a
// request, such as "today", is relative to Now.
func TurnTime(ctx context.Context) time.Time {
	if place := scopeOf(ctx).place; place != nil {
		return place.log.turned.UTC().Truncate(time.Microsecond)
	}
	return Now(ctx)
}

type clockKey struct{}

// WithClock returns a context whose runs take the time from now instead of
// [time.Now]. It is for tests.
func WithClock(ctx context.Context, now func() time.Time) context.Context {
	return context.WithValue(ctx, clockKey{}, now)
}

// clock returns the clock of ctx: that of [WithClock], or else [time.Now].
func clock(ctx context.Context) func() time.Time {
	if now, ok := ctx.Value(clockKey{}).(func() time.Time); ok {
		return now
	}
	return time.Now
}
