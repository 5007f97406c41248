package runtimetest_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/qedtest"
	"github.com/qedkit/qed/question"
	"github.com/qedkit/qed/store"
)

// held is an agent that reports that it runs, and waits until it may return.
type held struct {
	qed.Agent
	runs, let chan bool
}

func hold() *held {
	h := &held{runs: make(chan bool, 1), let: make(chan bool)}
	h.Agent = does(func(ctx context.Context, text string) (string, error) {
		h.runs <- true
		select {
		case <-h.let:
			return "let go", nil
		case <-ctx.Done():
			return "", ctx.Err()
		}
	})
	return h
}

// start begins a turn, and returns once it is held. The channel receives the
// turn's error.
func (h *held) start(c *talk) <-chan error {
	done := make(chan error)
	go func() {
		_, err := c.try(qed.Turn{Text: "go"})
		done <- err
	}()
	<-h.runs
	return done
}

// A thread accepts one turn at a time, of whatever kind the second one is.
func TestBusy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := hold()
		st := new(store.InMemory)
		c := converse(t, h, st, nil)
		done := h.start(c)
		start := time.Now()
		other := converse(t, does(nil), st, nil) // another process
		for _, turn := range []qed.Turn{{Text: "me too"}, {}, {Replies: []question.Reply{{Question: "q1", Value: []byte(`"x"`)}}}} {
			c.fails(turn, qed.ErrBusy)
			other.fails(turn, qed.ErrBusy)
		}
		if took := time.Since(start); took > 0 {
			t.Errorf("it took %v to refuse a turn", took)
		}
		elsewhere := converse(t, does(func(context.Context, string) (string, error) { return "here", nil }), st, nil)
		elsewhere.thread = "another"
		elsewhere.say("go")
		h.let <- true
		if err := <-done; err != nil {
			t.Error(err)
		}
		if last := qedtest.Log(t, st, "t"); len(last) != 4 {
			t.Errorf("the refused turns are in the log: %v", kindsOf(last))
		}
	})
}

// A long run gives signs of life, and a crashed one does not.
func TestLease(t *testing.T) {
	for _, lease := range []time.Duration{0, 2 * time.Second, time.Hour} {
		t.Run(fmt.Sprint(lease), func(t *testing.T) {
			opt := &qed.DurableOptions{Lease: lease}
			if lease == 0 {
				lease = 30 * time.Second // as documented
			}
			synctest.Test(t, func(t *testing.T) {
				h := hold()
				st := new(store.InMemory)
				c := converse(t, h, st, opt)
				done := make(chan error)
				go func() {
					_, err := c.try(qed.Turn{Text: "go"})
					done <- err
				}()
				<-h.runs
				crashed := qedtest.Restore(t, qedtest.Log(t, st, "t"))
				for range 40 {
					time.Sleep(lease / 4)
					c.fails(qed.Turn{Text: "me too"}, qed.ErrBusy)
				}
				if n := kindsOf(qedtest.Log(t, st, "t"))[store.Heartbeat]; n < 10 || n > 60 {
					t.Errorf("%d signs of life in ten leases", n)
				}
				h.let <- true
				if err := <-done; err != nil {
					t.Error(err)
				}
				other := converse(t, does(func(context.Context, string) (string, error) { return "answer", nil }), crashed, opt)
				other.say("after the lease")
			})
			synctest.Test(t, func(t *testing.T) {
				clock := qedtest.NewClock()
				st := new(store.InMemory)
				c := converse(t, does(func(context.Context, string) (string, error) { return "answer", nil }), st, opt)
				c.ctx = qed.WithClock(t.Context(), clock.Now)
				c.say("go")
				crashed := qedtest.Restore(t, qedtest.Log(t, st, "t")[:2])
				c.agent = qed.Durable(does(func(context.Context, string) (string, error) { return "answer", nil }), crashed, opt)
				clock.Pass(lease - time.Second)
				c.fails(qed.Turn{}, qed.ErrBusy)
				c.fails(qed.Turn{Text: "go"}, qed.ErrBusy)
				clock.Pass(time.Second)
				c.resume()
			})
		})
	}
}

// A run with a slow reader gives signs of life.
func TestLeaseWhileTheReaderIsSlow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := new(store.InMemory)
		a := does(func(ctx context.Context, _ string) (string, error) {
			for range 1000 {
				qed.Emit(ctx, qed.Token{Content: "word"})
			}
			return "answer", nil
		})
		c := converse(t, a, st, nil)
		n := 0
		for _, err := range c.agent.Run(t.Context(), qed.Turn{Thread: "t", Text: "go"}) {
			if err != nil {
				t.Error(err)
			}
			if n++; n%300 == 1 {
				time.Sleep(10 * time.Minute)
				if n < 900 {
					c.fails(qed.Turn{Text: "me too"}, qed.ErrBusy)
				}
			}
		}
	})
}

// Of turns that begin at the same moment one runs, and the others fail at once.
func TestTurnsAtTheSameMoment(t *testing.T) {
	asking := does(func(ctx context.Context, text string) (string, error) {
		return qed.Interrupt[string](ctx, question.Question{Text: "Well?"})
	})
	for _, test := range []struct {
		name    string
		prepare func(t *testing.T, st store.Store) qed.Turn
	}{
		{"first turn", func(t *testing.T, st store.Store) qed.Turn { return qed.Turn{Text: "go"} }},
		{"second turn", func(t *testing.T, st store.Store) qed.Turn {
			converse(t, does(func(context.Context, string) (string, error) { return "first", nil }), st, nil).say("first")
			return qed.Turn{Text: "go"}
		}},
		{"reply", func(t *testing.T, st store.Store) qed.Turn {
			return qed.Turn{Replies: qedtest.Choose(t, converse(t, asking, st, nil).say("first"), `"good"`)}
		}},
		{"text while a question is open", func(t *testing.T, st store.Store) qed.Turn {
			converse(t, asking, st, nil).say("first")
			return qed.Turn{Text: "forget it"}
		}},
		{"empty turn", func(t *testing.T, st store.Store) qed.Turn {
			converse(t, does(func(context.Context, string) (string, error) { return "", errBoom }), st, nil).fails(qed.Turn{Text: "first"}, errBoom)
			return qed.Turn{}
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			noLeak(t)
			inner := new(store.InMemory)
			turn := test.prepare(t, inner)
			const n = 8
			var ready sync.WaitGroup
			ready.Add(n)
			var first sync.Map // the runs whose first append has waited for the others
			st := &qedtest.Store{Store: inner}
			st.OnAppend = func(ctx context.Context, _ []store.Record, do func(context.Context) error) error {
				if _, waited := first.LoadOrStore(ctx.Value(runKey{}), true); !waited {
					ready.Done()
					ready.Wait()
				}
				return do(ctx)
			}
			var l qedtest.Ledger
			agent := does(func(ctx context.Context, _ string) (string, error) {
				return once(ctx, &l, "send")
			})
			now := time.Now() // their records have the same time
			errs := make(chan error, n)
			var repeated atomic.Int32 // a reply that was sent again gets the answer, or waits for it
			for i := range n {
				go func() {
					c := converse(t, agent, st, nil)
					c.ctx = context.WithValue(qed.WithClock(t.Context(), func() time.Time { return now }), runKey{}, i)
					a, err := c.try(turn)
					if a.Repeated {
						repeated.Add(1)
					}
					errs <- err
				}()
			}
			won := 0
			for range n {
				if err := <-errs; err == nil {
					won++
				} else if !errors.Is(err, qed.ErrBusy) {
					t.Errorf("error = %v, want ErrBusy", err)
				}
			}
			if won -= int(repeated.Load()); won != 1 || repeated.Load() > 0 && test.name != "reply" {
				t.Errorf("%d turns were answered, and %d repeated", won, repeated.Load())
			}
			l.Want(t, map[string]int{"send": 1})
		})
	}
}

type runKey struct{}

// A run that another process took over makes no further call, whatever its code
// makes of the error.
func TestConflict(t *testing.T) {
	for _, test := range []struct {
		name  string
		agent func(t *testing.T, l *qedtest.Ledger, takeOver func()) qed.Agent
		done  map[string]int
	}{
		{"before what must not be repeated", func(t *testing.T, l *qedtest.Ledger, takeOver func()) qed.Agent {
			return does(func(ctx context.Context, _ string) (string, error) {
				takeOver()
				return once(ctx, l, "send")
			})
		}, nil},
		{"before what may be repeated", func(t *testing.T, l *qedtest.Ledger, takeOver func()) qed.Agent {
			return does(func(ctx context.Context, _ string) (string, error) {
				takeOver()
				memo(ctx, l, "look")
				memo(ctx, l, "look")
				return once(ctx, l, "send")
			})
		}, map[string]int{"look": 1}},
		{"within a call", func(t *testing.T, l *qedtest.Ledger, takeOver func()) qed.Agent {
			return does(func(ctx context.Context, _ string) (string, error) {
				qed.StepOnce(ctx, "outer", nil, func(context.Context) (int, error) { l.Do("outer"); takeOver(); return 1, nil })
				return once(ctx, l, "send")
			})
		}, map[string]int{"outer": 1}},
		{"ignored", func(t *testing.T, l *qedtest.Ledger, takeOver func()) qed.Agent {
			return does(func(ctx context.Context, _ string) (string, error) {
				takeOver()
				once(ctx, l, "send")
				return "all is well", nil
			})
		}, nil},
		{"hidden", func(t *testing.T, l *qedtest.Ledger, takeOver func()) qed.Agent {
			return does(func(ctx context.Context, _ string) (string, error) {
				takeOver()
				_, err := once(ctx, l, "send")
				return "", fmt.Errorf("it failed: %v", err)
			})
		}, nil},
		{"between nodes", func(t *testing.T, l *qedtest.Ledger, takeOver func()) qed.Agent {
			return walks(t, row(noting(func(context.Context) (string, error) { takeOver(); return "a", nil }),
				noting(func(context.Context) (string, error) { l.Do("b"); return "b", nil })), nil)
		}, nil},
		{"with OnError", func(t *testing.T, l *qedtest.Ledger, takeOver func()) qed.Agent {
			return walks(t, row(noting(func(ctx context.Context) (string, error) { takeOver(); return once(ctx, l, "send") })),
				&qed.AgentOptions[trail]{OnError: func(context.Context, trail, error) (qed.Answer, error) { return qed.Answer{Text: "partly"}, nil }})
		}, nil},
		{"with attempts", func(t *testing.T, l *qedtest.Ledger, takeOver func()) qed.Agent {
			return walks(t, one(noting(func(ctx context.Context) (string, error) {
				l.Do("attempt")
				takeOver()
				return memo(ctx, l, "look")
			}), &qed.NodeOptions{Attempts: 3}), nil)
		}, map[string]int{"attempt": 1, "look": 1}},
		{"asking", func(t *testing.T, l *qedtest.Ledger, takeOver func()) qed.Agent {
			return does(func(ctx context.Context, _ string) (string, error) {
				takeOver()
				return qed.Interrupt[string](ctx, question.Question{Text: "Well?"})
			})
		}, nil},
		{"in a tool", func(t *testing.T, l *qedtest.Ledger, takeOver func()) qed.Agent {
			return does(func(ctx context.Context, _ string) (string, error) {
				takeOver()
				send := qed.NewTool("send", "", func(context.Context, struct{}) (int, error) { l.Do("send"); return 1, nil })
				err := registryDo(ctx, t, send)
				if !errors.Is(err, store.ErrConflict) {
					t.Errorf("Do: %v", err)
				}
				return "told the model", nil
			})
		}, nil},
		{"next to others", func(t *testing.T, l *qedtest.Ledger, takeOver func()) qed.Agent {
			return does(func(ctx context.Context, _ string) (string, error) {
				takeOver()
				_, err := qed.Each(ctx, []string{"a", "b", "c"}, func(s string) string { return s }, func(ctx context.Context, _ string) (string, error) {
					return once(ctx, l, "send")
				})
				return "", err
			})
		}, nil},
		{"at the end", func(t *testing.T, l *qedtest.Ledger, takeOver func()) qed.Agent {
			return does(func(ctx context.Context, _ string) (string, error) { takeOver(); return "answer", nil })
		}, nil},
		{"failing", func(t *testing.T, l *qedtest.Ledger, takeOver func()) qed.Agent {
			return does(func(ctx context.Context, _ string) (string, error) { takeOver(); return "", errBoom })
		}, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			noLeak(t)
			st := new(store.InMemory)
			var l qedtest.Ledger
			var taken sync.Once
			other := converse(t, does(func(context.Context, string) (string, error) { return "taken over", nil }), st, nil)
			other.ctx = qed.WithClock(t.Context(), func() time.Time { return time.Now().Add(time.Hour) })
			takeOver := func() { taken.Do(func() { other.say("I take it") }) }
			c := converse(t, test.agent(t, &l, takeOver), st, nil)
			c.fails(qed.Turn{Text: "go"}, store.ErrConflict)
			l.Want(t, test.done)
			log := qedtest.Log(t, st, "t")
			if !isOver(log) || kindsOf(log)[store.Ended] != 1 {
				t.Errorf("the log ends with %+v", log[len(log)-1])
			}
		})
	}
}

// A run that only waits notices by its heartbeat that another process took
// over.
func TestConflictWhileWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := hold()
		st := new(store.InMemory)
		c := converse(t, h, st, nil)
		done := h.start(c)
		other := converse(t, does(func(context.Context, string) (string, error) { return "taken over", nil }), st, nil)
		other.ctx = qed.WithClock(t.Context(), func() time.Time { return time.Now().Add(time.Hour) })
		other.say("I take it")
		start := time.Now()
		if err := <-done; !errors.Is(err, store.ErrConflict) {
			t.Errorf("error = %v, want ErrConflict", err)
		}
		if took := time.Since(start); took > 30*time.Second {
			t.Errorf("it took %v to notice", took)
		}
	})
}

// Leaving the range stops the run: the thread accepts the next turn at once,
// which begins from the last state or resumes the run.
func TestLeavingTheRangeOfADurableRun(t *testing.T) {
	for _, left := range []string{"a", "b", "c"} {
		t.Run(left, func(t *testing.T) {
			noLeak(t)
			at := left
			var began []trail
			node := func(name string) step {
				return func(ctx context.Context, s trail) (trail, error) {
					qed.Emit(ctx, qed.Token{Content: name})
					if name == at {
						select {
						case <-ctx.Done():
							return s, ctx.Err()
						case <-time.After(time.Second):
						}
					}
					s.Seen = append(s.Seen, name)
					return s, nil
				}
			}
			newAgent := func() qed.Agent {
				return qed.NewAgent(compile(t, row(node("a"), node("b"), node("c")), nil),
					func(_ context.Context, s trail, turn qed.Turn) (trail, error) {
						began = append(began, s)
						return trail{Seen: append(s.Seen, turn.Text)}, nil
					},
					func(_ context.Context, s trail) (qed.Answer, error) { return qed.Answer{Text: fmt.Sprint(s.Seen)}, nil }, nil)
			}
			st := new(store.InMemory)
			c := converse(t, newAgent(), st, nil)
			leave := func(turn qed.Turn) {
				turn.Thread = "t"
				for event := range c.agent.Run(t.Context(), turn) {
					if token, ok := event.Data.(qed.Token); ok && token.Content == at {
						break
					}
				}
			}
			leave(qed.Turn{Text: "one"})
			crashed := qedtest.Restore(t, qedtest.Log(t, st, "t"))
			var want []string
			for _, name := range []string{"a", "b", "c"} {
				if name == at {
					break
				}
				want = append(want, name)
			}
			leave(qed.Turn{Text: "two"})
			if len(began) != 2 || len(began[1].Seen) != min(len(want), 1)+len(want) {
				t.Errorf("the states that begin got: %v, want one with %v", began, want)
			}
			c.agent = qed.Durable(newAgent(), crashed, nil)
			at = ""
			if a := c.resume(); a.Text != "[one a b c]" {
				t.Errorf("going on: %q", a.Text)
			}
			if first := left == "a"; len(began) != 2 && !first {
				t.Errorf("going on began anew, with %v", began[2:])
			}
		})
	}
}
