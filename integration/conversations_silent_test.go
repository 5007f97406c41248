package integration_test

import (
	"context"
	"testing"
	"time"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/poll"
	"github.com/qedkit/qed/store"
	"github.com/qedkit/qed/store/sqlstore"
)

// When the network falls silent in a turn, without an error, the turn returns
// within ten seconds after its context ended: while it waits and its heartbeat
// is appended, and in an append, a read, a question and the end. An at-most-once
// call is not repeated when the network works again.
func TestSilentNetwork(t *testing.T) {
	for _, e := range lossyStores {
		for _, at := range []string{"heartbeat", "step", "at-most-once call", "read", "end"} {
			t.Run(e.name+"/"+at, func(t *testing.T) {
				t.Parallel()
				pool, g := e.create(t)
				db := pool("")
				s := newStore(t, db, e.dialect, &sqlstore.Options{Retry: shortWaits})
				turnEnds(t, s, g, at)
			})
		}
	}
}

func turnEnds(t *testing.T, s store.Store, g *gateway, at string) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var left time.Time
	silenced := false
	agent := qed.Durable(qed.AgentFunc(func(ctx context.Context, turn qed.Turn) (qed.Answer, error) {
		if err := qed.Remember(ctx, "said", turn.Text); err != nil {
			return qed.Answer{}, err
		}
		first := !silenced
		if first {
			silenced = true
			g.silence(true)
			time.AfterFunc(3*time.Second, func() { left = time.Now(); cancel() })
		}
		switch at {
		case "heartbeat":
			if first {
				<-ctx.Done()
			}
		case "step":
			if _, err := qed.Step(ctx, "look", nil, func(context.Context) (int, error) { return 1, nil }); err != nil {
				return qed.Answer{}, err
			}
		case "at-most-once call":
			if _, err := qed.StepOnce(ctx, "send", nil, func(context.Context) (int, error) { return 1, nil }); err != nil {
				return qed.Answer{}, err
			}
		case "read":
			if _, err := qed.Remembered[string](ctx, "said", 0); err != nil {
				return qed.Answer{}, err
			}
		}
		return qed.Answer{Text: "answer"}, ctx.Err()
	}), s, &qed.DurableOptions{Lease: 3 * time.Second})
	turn := qed.Turn{Thread: "t", Text: "go"}
	_, err := qed.Ask(ctx, agent, turn)
	if took := time.Since(left); !left.IsZero() && took > 10*time.Second {
		t.Errorf("the turn returned %v after its context ended, with %v", took, err)
	}
	g.silence(false)
	poll.Until(t, "the thread can be used", func() bool { // connections of the pool may be dead
		answer, err := qed.Ask(t.Context(), agent, turn)
		return err == nil && answer.Saved
	})
}
