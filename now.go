package qed

import (
	"context"
	"time"
)

// Now is the time at which the run began, the same for all that happens in it, however often it goes on: so that what is
// made of it, such as a prompt, is the same too. Outside a durable run it is the time at which the agent's turn began, or the present where there is none.
func Now(ctx context.Context) time.Time {
	sc := scopeOf(ctx)
	switch {
	case !sc.now.IsZero():
		return sc.now
	case sc.place != nil:
		return sc.place.log.began
	case sc.turn != nil:
		return sc.start(Clock(ctx))
	}
	return Clock(ctx)()
}

// TurnTime is when what is done now happens, as far as the run's records tell it: in a durable run, the time at which the message or the
// reply came that is being answered, in UTC and to the microsecond, as stores keep it. Where a run goes on after a pause it is later than [Now],
// and the same again where the turn goes on elsewhere. Outside a durable run it is Now.
//
// It is for what is recorded, such as [QueryMetadata].ExecutedAt. What a date in a request means is to be asked of Now.
func TurnTime(ctx context.Context) time.Time {
	if place := scopeOf(ctx).place; place != nil {
		return place.log.turned.UTC().Truncate(time.Microsecond)
	}
	return Now(ctx)
}

type clockKey struct{}

// WithClock returns a context whose runs take the time from now instead of [time.Now]. It is for tests.
func WithClock(ctx context.Context, now func() time.Time) context.Context {
	return context.WithValue(ctx, clockKey{}, now)
}

// Clock returns the clock of ctx: the one of [WithClock], or else [time.Now].
func Clock(ctx context.Context) func() time.Time {
	if now, ok := ctx.Value(clockKey{}).(func() time.Time); ok {
		return now
	}
	return time.Now
}
