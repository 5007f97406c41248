package qed

import (
	"context"
	"fmt"
	"iter"

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
