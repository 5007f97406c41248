package qed

import (
	"context"
	"fmt"
	"iter"
	"time"

	"github.com/qedkit/qed/dates"
)

// Dates returns what a prompt of the turn says about dates: today, and the calendar
// of the turn. The facts also check the time that text names. They are the same
// after each resumption, because they are made of [Now] and [RunInfo].Calendar.
// The error matches [dates.ErrCalendar].
func Dates(ctx context.Context, text string) (dates.Facts, error) {
	return dates.New(Now(ctx), Info(ctx).Calendar, text)
}

// WithCalendar returns an agent like a, for the calendar of a company: a turn
// without a [Turn.Calendar] gets c, unless it is part of a turn that has one. The
// error matches [dates.ErrCalendar].
func WithCalendar(a Agent, c dates.Calendar) (Agent, error) {
	if err := c.Check(); err != nil {
		return nil, fmt.Errorf("qed: WithCalendar: %w", err)
	}
	return calendarAgent{a, &c}, nil
}

type calendarAgent struct {
	agent    Agent
	calendar *dates.Calendar
}

func (a calendarAgent) Run(ctx context.Context, turn Turn) iter.Seq2[Event, error] {
	return a.agent.Run(ctx, a.with(ctx, turn))
}

func (a calendarAgent) ask(ctx context.Context, turn Turn) (Answer, error) {
	return Ask(ctx, a.agent, a.with(ctx, turn))
}

// with returns a turn with its calendar.
func (a calendarAgent) with(ctx context.Context, turn Turn) Turn {
	sc := scopeOf(ctx)
	around := sc.turn != nil && sc.turn.Calendar != nil && !sc.whole
	if turn.Calendar == nil && !around {
		turn.Calendar = a.calendar
	}
	return turn
}

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
