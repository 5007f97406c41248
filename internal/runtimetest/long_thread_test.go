package runtimetest_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/qedtest"
	"github.com/qedkit/qed/store"
)

// What a turn reads, and what a program reads of the end of a thread, does not
// grow with the thread.
func TestLongThreadReads(t *testing.T) {
	if testing.Short() {
		t.Skip("runs a thread of many turns")
	}
	read := 0
	st := &qedtest.Store{Store: new(store.InMemory)}
	st.OnRecords = func(ctx context.Context, r store.Range, do func(context.Context) qedtest.Records) qedtest.Records {
		return func(yield func(store.Record, error) bool) {
			for rec, err := range do(ctx) {
				read++
				if !yield(rec, err) {
					return
				}
			}
		}
	}
	type state struct{ Turns int }
	turn, first := 0, ""
	g := qed.NewGraph[state]("steps")
	g.Node("work", func(ctx context.Context, s state) (state, error) {
		s.Turns++
		scoped := qed.WithNamespace(ctx, fmt.Sprint("task/", turn))
		_, err := qed.Step(scoped, "look", "in", func(context.Context) (int, error) { return turn, nil })
		if err != nil {
			return s, err
		}
		handle, err := qed.Save(ctx, turn)
		if err != nil {
			return s, err
		}
		if first == "" {
			first = handle
		}
		if v, err := qed.Load[int](ctx, first); err != nil || v != 1 {
			t.Errorf("the first saved value is %d, %v", v, err)
		}
		entries, err := qed.Remembered[int](ctx, "turns", 1)
		if err != nil || turn > 1 && (len(entries) != 1 || entries[0] != turn-1) {
			t.Errorf("turn %d remembers %v, %v", turn, entries, err)
		}
		return s, qed.Remember(ctx, "turns", turn)
	}, nil)
	g.Edge(qed.Start, "work")
	g.Edge("work", qed.End)
	r, err := g.Compile(nil)
	if err != nil {
		t.Fatal(err)
	}
	agent := qed.Durable(qed.NewAgent(r,
		func(_ context.Context, before state, _ qed.Turn) (state, error) { return before, nil },
		func(_ context.Context, s state) (qed.Answer, error) {
			return qed.Answer{Text: fmt.Sprint(s.Turns)}, nil
		},
		nil), st, &qed.DurableOptions{KeepRuns: 100})

	costs := map[string]int{}
	for turn = 1; turn <= 1000; turn++ {
		read = 0
		a, err := qed.Ask(t.Context(), agent, qed.Turn{Thread: "t", Text: "go"})
		if err != nil || a.Text != fmt.Sprint(turn) || !a.Saved {
			t.Fatalf("turn %d: %+v, %v", turn, a, err)
		}
		if turn != 200 && turn != 1000 {
			continue
		}
		reads := map[string]int{"turn": read}
		for what, do := range map[string]func() error{
			"inspect": func() error { _, err := qed.Inspect(t.Context(), st, "t"); return err },
			"history": func() error {
				h, err := qed.History(t.Context(), st, "t", 1)
				if err == nil && (len(h) != 1 || h[0].Turn.Text != "go" || h[0].Answer.Text != fmt.Sprint(turn)) {
					return fmt.Errorf("history %+v", h)
				}
				return err
			},
			"messages": func() error { _, err := qed.Messages(t.Context(), st, "t", 2); return err },
			"entries":  func() error { _, err := qed.Entries[int](t.Context(), st, "t", "turns", 2); return err },
		} {
			read = 0
			if err := do(); err != nil {
				t.Fatal(what, err)
			}
			reads[what] = read
		}
		for what, n := range reads {
			if turn == 1000 && n != costs[what] || n == 0 {
				t.Errorf("%s: %d records are read at turn %d, and %d at turn 200", what, n, turn, costs[what])
			}
		}
		costs = reads
	}
}
