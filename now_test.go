package qed_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/store"
)

// What is done after a pause happens then, though the run began before.
func TestTurnTime(t *testing.T) {
	now := time.Date(2025, 1, 6, 9, 0, 0, 123456789, time.FixedZone("", 3600))
	clock := func() time.Time { return now }
	var found qed.Finding
	task := qed.AsTool("sql_agent", "answers", manyShipments(3))
	agent := qed.Durable(qed.AgentFunc(func(ctx context.Context, _ qed.Turn) (qed.Answer, error) {
		if _, err := qed.Interrupt[string](ctx, qed.Question{Text: "May it run?"}); err != nil {
			return qed.Answer{}, err
		}
		output, err := task.Call(ctx, json.RawMessage(`{"question":"Which?"}`))
		if err != nil {
			return qed.Answer{}, err
		}
		return qed.Answer{Text: fmt.Sprint(qed.Now(ctx).Day(), " ", qed.TurnTime(ctx).Day())}, json.Unmarshal(output, &found)
	}), new(store.InMemory), nil)
	ctx := qed.WithClock(t.Context(), clock)
	answer, err := qed.Ask(ctx, agent, qed.Turn{Thread: "1", Text: "go"})
	if err != nil || len(answer.Questions) != 1 {
		t.Fatal(answer, err)
	}
	now = now.AddDate(0, 0, 5)
	answer, err = qed.Ask(ctx, agent, qed.Turn{Thread: "1", Replies: []qed.Reply{{Question: answer.Questions[0].ID, Value: json.RawMessage(`"yes"`)}}})
	if err != nil || answer.Text != "6 11" {
		t.Fatal(answer.Text, err)
	}
	if want := now.UTC().Truncate(time.Microsecond); found.Metadata.ExecutedAt != want {
		t.Errorf("it ran at %v, want %v", found.Metadata.ExecutedAt, want)
	}
	if got := qed.TurnTime(ctx); !got.Equal(now) {
		t.Errorf("outside a run it is %v, want %v", got, now)
	}
}
