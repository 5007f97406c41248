package integration_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/poll"
	"github.com/qedkit/qed/store"
	"github.com/qedkit/qed/store/sqlstore"
)

// talkState is the state of a conversation that counts its turns.
type talkState struct {
	Said  string
	Turns int
	Heard []string // the messages of the turns before
}

// talker returns an agent that counts the turns of its conversation in the state of
// a graph, which each turn starts with. Its answers show the count.
func talker(tb testing.TB, st store.Store) qed.Agent {
	g := qed.NewGraph[talkState]("talk")
	g.Node("count", func(ctx context.Context, s talkState) (talkState, error) {
		n, err := qed.Step(ctx, "count", s.Turns, func(context.Context) (int, error) { return s.Turns + 1, nil })
		s.Turns = n
		return s, err
	}, nil)
	g.Node("think", func(ctx context.Context, s talkState) (talkState, error) {
		_, err := qed.Step(ctx, "think", s.Said, func(context.Context) (string, error) { return s.Said, nil })
		return s, err
	}, nil)
	g.Edge(qed.Start, "count")
	g.Edge("count", "think")
	g.Edge("think", qed.End)
	runner, err := g.Compile(nil)
	if err != nil {
		if tb == nil {
			panic(err)
		}
		tb.Fatal(err)
	}
	return qed.Durable(qed.NewAgent(runner,
		func(_ context.Context, s talkState, turn qed.Turn) (talkState, error) {
			s.Said, s.Heard = turn.Text, nil
			for _, m := range turn.History {
				s.Heard = append(s.Heard, m.Content)
			}
			return s, nil
		},
		func(_ context.Context, s talkState) (qed.Answer, error) {
			return qed.Answer{Text: answerTo(s.Said, s.Turns)}, nil
		}, nil), st, nil)
}

func answerTo(said string, turn int) string { return fmt.Sprintf("%d: you said %s", turn, said) }

// whole returns an error unless the thread has the messages of that many turns. say
// returns the user's message of a turn.
func whole(ctx context.Context, st store.Store, thread string, turns int, say func(turn int) string) error {
	messages, err := qed.Messages(ctx, st, thread, 0)
	if err != nil {
		return err
	}
	var got, want []string
	for _, m := range messages {
		got = append(got, m.Content)
	}
	for turn := 1; turn <= turns; turn++ {
		want = append(want, say(turn), answerTo(say(turn), turn))
	}
	if !slices.Equal(got, want) {
		return fmt.Errorf("thread %s has the messages %q, want %q", thread, got, want)
	}
	return nil
}

// A thousand conversations take turns in random order, 32 at a time. None loses a
// turn, and none gets a message of another.
func TestManyConversations(t *testing.T) {
	const threads, turns, atOnce = 1000, 3, 32
	for _, e := range storeEngines {
		t.Run(e.name, func(t *testing.T) {
			db := e.create(t)("")
			db.SetMaxOpenConns(8)
			before := runtime.NumGoroutine()
			st := newStore(t, db, e.dialect, nil)
			agent := talker(t, st)
			say := func(thread, turn int) string { return fmt.Sprintf("thread %d, turn %d", thread, turn) }
			var took []time.Duration
			var mu sync.Mutex
			for turn := 1; turn <= turns; turn++ {
				work := make(chan int)
				var wait sync.WaitGroup
				for range atOnce {
					wait.Go(func() {
						for thread := range work {
							start := time.Now()
							message := qed.Turn{Thread: fmt.Sprint(thread), Text: say(thread, turn)}
							answer, err := qed.Ask(t.Context(), agent, message)
							if err != nil || !answer.Saved || answer.Text != answerTo(say(thread, turn), turn) {
								t.Errorf("thread %d, turn %d: %+v, %v", thread, turn, answer, err)
							}
							mu.Lock()
							took = append(took, time.Since(start))
							mu.Unlock()
						}
					})
				}
				for _, thread := range rand.Perm(threads) {
					work <- thread
				}
				close(work)
				wait.Wait()
			}
			for thread := range threads {
				text := func(turn int) string { return say(thread, turn) }
				if err := whole(t.Context(), st, fmt.Sprint(thread), turns, text); err != nil {
					t.Error(err)
				}
			}
			slices.Sort(took)
			t.Logf("%d turns: p50 %v, p99 %v", len(took), took[len(took)/2], took[len(took)*99/100])
			if err := st.Close(); err != nil {
				t.Error(err)
			}
			idle(t, db)
			if err := db.Close(); err != nil {
				t.Error(err)
			}
			poll.Goroutines(t, before)
		})
	}
}

// The server of the store dies during a turn. The turn is still answered, reports
// that it is not saved, and makes no at-most-once call. When the server is back,
// the conversation continues from what was saved.
func TestServerDiesInATurn(t *testing.T) {
	for _, e := range dyingEngines {
		t.Run(e.name, func(t *testing.T) {
			pool, kill, start := e.start(t)
			st := newStore(t, pool(""), e.dialect, &sqlstore.Options{Retry: noRetry})
			sent := 0
			agent := qed.Durable(qed.AgentFunc(func(ctx context.Context, turn qed.Turn) (qed.Answer, error) {
				if turn.Text == "die" {
					kill()
				}
				look := func(context.Context) (int, error) { return 1, nil }
				if _, err := qed.Step(ctx, "look", nil, look); err != nil {
					return qed.Answer{}, err
				}
				send := func(context.Context) (int, error) { sent++; return sent, nil }
				_, err := qed.StepOnce(ctx, "send", nil, send)
				if errors.Is(err, qed.ErrNotRecorded) {
					return qed.Answer{Text: "not sent"}, nil
				}
				return qed.Answer{Text: fmt.Sprintf("sent after %d messages", len(turn.History))}, err
			}), st, nil)

			ask := func(text, want string, saved bool) {
				t.Helper()
				answer, unsaved := qed.Answer{}, 0
				for event, err := range agent.Run(t.Context(), qed.Turn{Thread: "t", Text: text}) {
					if err != nil {
						t.Fatal(err)
					}
					switch d := event.Data.(type) {
					case qed.Warning:
						if d.Code == "not_saved" {
							unsaved++
						}
					case qed.Completed:
						answer = d.Answer
					}
				}
				if answer.Text != want || answer.Saved != saved || saved != (unsaved == 0) {
					t.Errorf("%s: answer = %+v, with %d warnings", text, answer, unsaved)
				}
			}
			ask("hello", "sent after 0 messages", true)
			ask("die", "not sent", false)
			if err := start(); err != nil {
				t.Fatal(err)
			}
			ask("again", "sent after 3 messages", true) // the message of the failed turn was saved, its answer was not
			if sent != 2 {
				t.Errorf("sent %d times", sent)
			}
		})
	}
}

// Two processes take a turn of one thread at the same time: one answers, and the
// other returns ErrBusy.
func TestTwoServersOneThread(t *testing.T) {
	for _, e := range storeEngines {
		t.Run(e.name, func(t *testing.T) {
			pool := e.create(t)
			var agents []qed.Agent
			for range 2 {
				agents = append(agents, talker(t, newStore(t, pool(""), e.dialect, nil)))
			}
			answered := 0
			for range 20 {
				var wait sync.WaitGroup
				results := make([]error, len(agents))
				for i, agent := range agents {
					wait.Go(func() {
						_, results[i] = qed.Ask(t.Context(), agent, qed.Turn{Thread: "t", Text: "now"})
					})
				}
				wait.Wait()
				won := 0
				for _, err := range results {
					switch {
					case err == nil:
						won++
					case !errors.Is(err, qed.ErrBusy):
						t.Errorf("error = %v", err)
					}
				}
				if won == 0 {
					t.Error("nobody answered")
				}
				answered += won
			}
			entries, err := qed.History(t.Context(), newStore(t, pool(""), e.dialect, nil), "t", 0)
			if err != nil || len(entries) != answered {
				t.Errorf("%d entries, %v; %d turns were answered", len(entries), err, answered)
			}
		})
	}
}
