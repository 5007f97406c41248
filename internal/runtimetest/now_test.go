package runtimetest_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/question"
	"github.com/qedkit/qed/store"
)

// What is done after a pause happens then, though the run began before.
func TestTurnTime(t *testing.T) {
	now := time.Date(2025, 1, 6, 9, 0, 0, 123456789, time.FixedZone("", 3600))
	clock := func() time.Time { return now }
	var executed time.Time
	agent := qed.Durable(qed.AgentFunc(func(ctx context.Context, _ qed.Turn) (qed.Answer, error) {
		if _, err := qed.Interrupt[string](ctx, question.Question{Text: "May it run?"}); err != nil {
			return qed.Answer{}, err
		}
		executed = qed.TurnTime(ctx)
		return qed.Answer{Text: fmt.Sprint(qed.Now(ctx).Day(), " ", executed.Day())}, nil
	}), new(store.InMemory), nil)
	ctx := qed.WithClock(t.Context(), clock)
	answer, err := qed.Ask(ctx, agent, qed.Turn{Thread: "1", Text: "go"})
	if err != nil || len(answer.Questions) != 1 {
		t.Fatal(answer, err)
	}
	now = now.AddDate(0, 0, 5)
	answer, err = qed.Ask(ctx, agent, qed.Turn{Thread: "1", Replies: []question.Reply{{Question: answer.Questions[0].ID, Value: json.RawMessage(`"yes"`)}}})
	if err != nil || answer.Text != "6 11" {
		t.Fatal(answer.Text, err)
	}
	if want := now.UTC().Truncate(time.Microsecond); executed != want {
		t.Errorf("it ran at %v, want %v", executed, want)
	}
	if got := qed.TurnTime(ctx); !got.Equal(now) {
		t.Errorf("outside a run it is %v, want %v", got, now)
	}
}
