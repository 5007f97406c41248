package runtimetest_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/dates"
	"github.com/qedkit/qed/question"
	"github.com/qedkit/qed/store"
)

// zone answers with the calendar of its turn.
var zone = qed.AgentFunc(func(ctx context.Context, _ qed.Turn) (qed.Answer, error) {
	return qed.Answer{Text: qed.Info(ctx).Calendar.Zone}, nil
})

func TestCalendar(t *testing.T) {
	berlin, tokyo := &dates.Calendar{Zone: "Europe/Berlin"}, &dates.Calendar{Zone: "Asia/Tokyo"}
	with := func(a qed.Agent, c *dates.Calendar) qed.Agent {
		agent, err := qed.WithCalendar(a, *c)
		if err != nil {
			t.Fatal(err)
		}
		return agent
	}
	around := func(inner qed.Agent) qed.Agent {
		return qed.AgentFunc(func(ctx context.Context, _ qed.Turn) (qed.Answer, error) {
			return qed.Ask(ctx, inner, qed.Turn{Thread: "inner", Text: "x"})
		})
	}
	for _, test := range []struct {
		name  string
		agent qed.Agent
		turn  *dates.Calendar
		want  string
	}{
		{"none", zone, nil, ""},
		{"of the turn", zone, berlin, "Europe/Berlin"},
		{"of the agent", with(zone, tokyo), nil, "Asia/Tokyo"},
		{"the turn before the agent", with(zone, tokyo), berlin, "Europe/Berlin"},
		{"of the turn around", around(zone), berlin, "Europe/Berlin"},
		{"the turn around before the agent", around(with(zone, tokyo)), berlin, "Europe/Berlin"},
		{"the agent within", around(with(zone, tokyo)), nil, "Asia/Tokyo"},
		{"the agent around", with(around(with(zone, berlin)), tokyo), nil, "Asia/Tokyo"},
		{"of a durable turn", qed.Durable(zone, &store.InMemory{}, nil), berlin, "Europe/Berlin"},
		{"of a durable agent", qed.Durable(with(zone, tokyo), &store.InMemory{}, nil), nil, "Asia/Tokyo"},
		{"around a durable agent", around(qed.Durable(zone, &store.InMemory{}, nil)), berlin, "Europe/Berlin"},
	} {
		t.Run(test.name, func(t *testing.T) {
			turn := qed.Turn{Thread: "t", Text: "x", Calendar: test.turn}
			answer, err := qed.Ask(t.Context(), test.agent, turn)
			if err != nil || answer.Text != test.want {
				t.Errorf("asked: %q, %v, want %q", answer.Text, err, test.want)
			}
			turn.Thread = "u"
			for event, err := range test.agent.Run(t.Context(), turn) {
				if done, ok := event.Data.(qed.Completed); err != nil || ok && done.Answer.Text != test.want {
					t.Errorf("run: %+v, %v, want %q", event, err, test.want)
				}
			}
		})
	}
	if _, err := qed.Ask(t.Context(), zone, qed.Turn{Text: "x", Calendar: &dates.Calendar{Zone: "Nowhere"}}); !errors.Is(err, dates.ErrCalendar) {
		t.Error(err)
	}
	if _, err := qed.WithCalendar(zone, dates.Calendar{WeekStart: 9}); !errors.Is(err, dates.ErrCalendar) {
		t.Error(err)
	}
	var turn qed.Turn
	if err := json.Unmarshal([]byte(`{"message":"x","calendar":{"zone":"UTC"},"Calendar":{"zone":"UTC"}}`), &turn); err != nil || turn.Calendar != nil {
		t.Errorf("a client set %+v, %v", turn.Calendar, err)
	}
}

// A resumed run has the day and the calendar with which it began, also if the turn
// that resumes it, or the agent, has another.
func TestCalendarOfAResumedRun(t *testing.T) {
	for _, began := range []*dates.Calendar{nil, {Zone: "Pacific/Auckland", FiscalYearStart: time.April}} {
		ask := qed.AgentFunc(func(ctx context.Context, _ qed.Turn) (qed.Answer, error) {
			before, err := qed.Dates(ctx, "last fiscal year")
			if err != nil {
				return qed.Answer{}, err
			}
			if _, err := qed.Interrupt[string](ctx, question.Question{Text: "May it run?"}); err != nil {
				return qed.Answer{Text: before.String()}, err
			}
			return qed.Answer{Text: before.String()}, nil
		})
		now := time.Date(2026, time.March, 31, 11, 30, 0, 0, time.UTC)
		ctx := qed.WithClock(t.Context(), func() time.Time { return now })
		st := &store.InMemory{}
		asked, err := qed.Ask(ctx, qed.Durable(ask, st, nil), qed.Turn{Thread: "t", Text: "go", Calendar: began})
		if err != nil || len(asked.Questions) != 1 {
			t.Fatal(asked, err)
		}
		var c dates.Calendar
		if began != nil {
			c = *began
		}
		want, err := dates.New(now, c, "last fiscal year")
		if err != nil {
			t.Fatal(err)
		}
		now = now.AddDate(0, 2, 0)
		answer, err := qed.Ask(ctx, qed.Durable(ask, st, nil), qed.Turn{
			Thread: "t", Calendar: &dates.Calendar{Zone: "Asia/Tokyo"},
			Replies: []question.Reply{{Question: asked.Questions[0].ID, Value: json.RawMessage(`"yes"`)}},
		})
		if diff := cmp.Diff(want.String(), answer.Text); err != nil || diff != "" {
			t.Errorf("%v, -want +got:\n%s", err, diff)
		}
	}
}
