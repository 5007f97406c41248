package runtimetest_test

import (
	"context"
	"errors"
	"iter"
	"testing"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/store"
)

// stateless is a store that cannot read states for a while.
type stateless struct {
	store.Store
	failing bool
}

func (s *stateless) Records(ctx context.Context, thread string, r store.Range) iter.Seq2[store.Record, error] {
	if s.failing && len(r.Kinds) == 1 && r.Kinds[0] == store.Checkpoint {
		return func(yield func(store.Record, error) bool) { yield(store.Record{}, errors.New("no key")) }
	}
	return s.Store.Records(ctx, thread, r)
}

type visits struct{ N int }

// A state that cannot be read now is not given up.
func TestStateOfAStoreThatFails(t *testing.T) {
	g := qed.NewGraph[visits]("count")
	g.Node("add", func(_ context.Context, s visits) (visits, error) { s.N++; return s, nil }, nil)
	g.Edge(qed.Start, "add")
	g.Edge("add", qed.End)
	runner, err := g.Compile(nil)
	if err != nil {
		t.Fatal(err)
	}
	last := 0
	a := qed.NewAgent(runner,
		func(_ context.Context, s visits, _ qed.Turn) (visits, error) { return s, nil },
		func(_ context.Context, s visits) (qed.Answer, error) {
			last = s.N
			return qed.Answer{Text: "done"}, nil
		}, nil)
	st := &stateless{Store: new(store.InMemory)}
	c := converse(t, a, st, nil)
	c.say("one")
	c.say("two")
	if last != 2 {
		t.Fatal(last)
	}
	st.failing = true
	c.turn(qed.Turn{Text: "three"}) // not saved
	st.failing = false
	c.say("four")
	if last != 3 {
		t.Errorf("after a turn whose state was not saved: %d visits, want 3", last)
	}
}
