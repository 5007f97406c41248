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
		return sc.start(clockOf(ctx))
	}
	return clockOf(ctx)()
}

type clockKey struct{}

// WithClock returns a context whose runs take the time from now instead of [time.Now]. It is for tests.
func WithClock(ctx context.Context, now func() time.Time) context.Context {
	return context.WithValue(ctx, clockKey{}, now)
}

func clockOf(ctx context.Context) func() time.Time {
	if now, ok := ctx.Value(clockKey{}).(func() time.Time); ok {
		return now
	}
	return time.Now
}
