package runtimetest_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/qedtest"
	"github.com/qedkit/qed/store"
)

// A talk is a conversation on one thread with an agent.
type talk struct {
	t      testing.TB
	ctx    context.Context
	agent  qed.Agent
	store  store.Store
	thread string
}

// converse begins a talk on the thread t with an agent that is durable in st.
func converse(t testing.TB, a qed.Agent, st store.Store, opt *qed.DurableOptions) *talk {
	return &talk{t, t.Context(), qed.Durable(a, st, opt), st, "t"}
}

// try takes a turn.
func (c *talk) try(turn qed.Turn) (qed.Answer, error) {
	turn.Thread = c.thread
	return qed.Ask(c.ctx, c.agent, turn)
}

// turn takes a turn, which must succeed.
func (c *talk) turn(turn qed.Turn) qed.Answer {
	c.t.Helper()
	a, err := c.try(turn)
	if err != nil {
		c.t.Fatalf("turn %+v: %v", turn, err)
	}
	return a
}

func (c *talk) say(text string) qed.Answer {
	c.t.Helper()
	return c.turn(qed.Turn{Text: text})
}

// reply replies to the questions of an answer, in the order of their texts.
func (c *talk) reply(asked qed.Answer, values ...string) qed.Answer {
	c.t.Helper()
	return c.turn(qed.Turn{Replies: qedtest.Choose(c.t, asked, values...)})
}

// resume takes an empty turn.
func (c *talk) resume() qed.Answer {
	c.t.Helper()
	return c.turn(qed.Turn{})
}

// fails takes a turn, whose error must match.
func (c *talk) fails(turn qed.Turn, target error) error {
	c.t.Helper()
	a, err := c.try(turn)
	if !errors.Is(err, target) {
		c.t.Fatalf("turn %+v: answer %+v, error %v, want %v", turn, a, err, target)
	}
	return err
}

// listen takes a turn and returns its events as well. Nothing may follow the
// end.
func (c *talk) listen(turn qed.Turn) (events []qed.Event, answer qed.Answer, err error) {
	c.t.Helper()
	turn.Thread = c.thread
	over := false
	for event, e := range c.agent.Run(c.ctx, turn) {
		if over {
			c.t.Errorf("after the end: %v", event)
		}
		switch d := event.Data.(type) {
		case qed.Completed:
			over, answer = true, d.Answer
		case qed.Failed:
			over, err = true, e
		default:
			events = append(events, event)
		}
	}
	if !over {
		c.t.Error("the events have no end")
	}
	return events, answer, err
}

// ofKind returns the data of the events of one type.
func ofKind[D qed.EventData](events []qed.Event) (found []D) {
	for _, e := range events {
		if d, ok := e.Data.(D); ok {
			found = append(found, d)
		}
	}
	return found
}

// does is an agent that answers with what f returns for the text of a turn.
func does(f func(ctx context.Context, text string) (string, error)) qed.Agent {
	return qed.AgentFunc(func(ctx context.Context, turn qed.Turn) (qed.Answer, error) {
		text, err := f(ctx, turn.Text)
		return qed.Answer{Text: text}, err
	})
}

// walks is an agent of a graph over trails, which answers with the names in the
// trail.
func walks(t testing.TB, g *qed.Graph[trail], opt *qed.AgentOptions[trail]) qed.Agent {
	t.Helper()
	return qed.NewAgent(compile(t, g, nil),
		func(_ context.Context, s trail, turn qed.Turn) (trail, error) { return trail{}, nil },
		func(_ context.Context, s trail) (qed.Answer, error) {
			return qed.Answer{Text: strings.Join(s.Seen, " ")}, nil
		},
		opt)
}

// noting is a node that adds what f returns to the trail.
func noting(f func(ctx context.Context) (string, error)) step {
	return func(ctx context.Context, s trail) (trail, error) {
		pause(ctx)
		text, err := f(ctx)
		s.Seen = append(s.Seen, text)
		return s, err
	}
}

// slowly returns a context in which nodes and calls begin with a pause. What
// was recorded before is appended meanwhile, and not together with what follows.
func slowly(ctx context.Context) context.Context { return context.WithValue(ctx, slowlyKey{}, true) }

type slowlyKey struct{}

// pause waits if ctx is from slowly.
func pause(ctx context.Context) {
	if ctx.Value(slowlyKey{}) != nil {
		time.Sleep(10 * time.Millisecond)
	}
}

// memo makes a recorded call that returns its name.
func memo(ctx context.Context, l *qedtest.Ledger, name string) (string, error) {
	pause(ctx)
	return qed.Step(ctx, name, nil, func(context.Context) (string, error) { l.Do(name); return name, nil })
}

var errBoom = errors.New("boom")

// warnings returns how many events are a warning with the given code.
func warnings(events []qed.Event, code string) int {
	n := 0
	for _, e := range events {
		if w, ok := e.Data.(qed.Warning); ok && w.Code == code {
			n++
		}
	}
	return n
}

// hasKind reports whether one of recs is of a kind.
func hasKind(recs []store.Record, kind store.Kind) bool {
	return slices.ContainsFunc(recs, func(r store.Record) bool { return r.Kind == kind })
}

// kindsOf returns how many records a log has of each kind.
func kindsOf(log []store.Record) map[store.Kind]int {
	n := map[store.Kind]int{}
	for _, rec := range log {
		n[rec.Kind]++
	}
	return n
}
