package runtimetest_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/qedtest"
	"github.com/qedkit/qed/question"
	"github.com/qedkit/qed/store"
)

// parallel asks the questions of some names concurrently, while another branch
// asks nothing.
func parallel(l *qedtest.Ledger, names ...string) step {
	return noting(func(ctx context.Context) (string, error) {
		replies, err := qed.Each(ctx, append([]string{"silent"}, names...), func(s string) string { return s }, func(ctx context.Context, name string) (string, error) {
			if _, err := memo(ctx, l, "look "+name); err != nil {
				return "", err
			}
			if name == "silent" {
				return once(ctx, l, "send")
			}
			v, err := qed.Interrupt[string](ctx, question.Question{Text: name + "?"})
			if err != nil {
				return "", err
			}
			return once(ctx, l, "use "+name+v)
		})
		return strings.Join(replies, " "), err
	})
}

// The replies to concurrent questions may come in any order, some at a time,
// and in other processes.
func TestParallelQuestions(t *testing.T) {
	for _, order := range [][]string{{"abc"}, {"a", "b", "c"}, {"c", "b", "a"}, {"b", "ac"}, {"bc", "a"}} {
		for _, kind := range []string{"items", "agents within", "a graph in a graph"} {
			t.Run(kind+"/"+strings.Join(order, ","), func(t *testing.T) {
				noLeak(t)
				var l qedtest.Ledger
				agent := func() qed.Agent {
					switch kind {
					case "agents within":
						inner := walks(t, row(parallel(&l, "a", "b", "c")), nil)
						return walks(t, row(noting(func(ctx context.Context) (string, error) {
							a, err := qed.Ask(ctx, inner, qed.Turn{Text: "you"})
							return a.Text, err
						})), nil)
					case "a graph in a graph":
						return walks(t, row(compile(t, row(parallel(&l, "a", "b", "c")), nil).Run), nil)
					}
					return walks(t, row(parallel(&l, "a", "b", "c")), nil)
				}
				st := new(store.InMemory)
				asked := converse(t, agent(), st, nil).say("go")
				left := 3
				for _, names := range order {
					if len(asked.Questions) != left {
						t.Fatalf("%d questions, want %d", len(asked.Questions), left)
					}
					var replies []question.Reply
					for _, q := range asked.Questions {
						if name := q.Text[:1]; strings.Contains(names, name) {
							replies = append(replies, qedtest.Reply(q, `"`+strings.ToUpper(name)+`"`))
						}
					}
					left -= len(replies)
					st = qedtest.Restore(t, qedtest.Log(t, st, "t")) // another process
					asked = converse(t, agent(), st, nil).turn(qed.Turn{Replies: replies})
				}
				if want := "send use aA use bB use cC"; asked.Text != want {
					t.Errorf("answer = %+v, want %q", asked, want)
				}
				l.Want(t, map[string]int{"look silent": 1, "send": 1, "look a": 1, "look b": 1, "look c": 1, "use aA": 1, "use bB": 1, "use cC": 1})
				if n := kindsOf(qedtest.Log(t, st, "t"))[store.Question]; n != 3 {
					t.Errorf("%d questions are recorded", n)
				}
			})
		}
	}
}

// An error takes precedence over a question: the run fails, and asks when it is
// resumed.
func TestOneAsksAnotherFails(t *testing.T) {
	noLeak(t)
	var l qedtest.Ledger
	asked := make(chan bool, 2)
	g := fanOut(branch{Name: "a", Run: func(ctx context.Context, _ trail) (string, error) {
		reply, err := qed.Interrupt[string](ctx, question.Question{Text: "Well?"})
		asked <- true
		return reply, err
	}}, branch{Name: "b", Run: func(ctx context.Context, _ trail) (string, error) {
		<-asked
		return qed.Step(ctx, "call", nil, func(context.Context) (string, error) {
			if l.Do("call") == 1 {
				return "", errBoom
			}
			return "fine", nil
		})
	}})
	c := converse(t, walks(t, g, nil), new(store.InMemory), nil)
	events, _, err := c.listen(qed.Turn{Text: "go"})
	if _, ok := errors.AsType[*qed.CallError](err); !ok {
		t.Fatalf("error = %v", err)
	}
	if told := ofKind[qed.Interrupted](events); len(told) > 0 {
		t.Errorf("got %v", told)
	}
	again := c.resume()
	asked <- true
	c.reply(again, `"good"`)
	l.Want(t, map[string]int{"call": 2})
}

// A question interrupts the run, whatever the code around it makes of the
// error.
func TestQuestionsThatCodeSwallows(t *testing.T) {
	ask := func(ctx context.Context) error {
		_, err := qed.Interrupt[string](ctx, question.Question{Text: "Well?"})
		return err
	}
	for name, f := range map[string]func(ctx context.Context) error{
		"in words":  func(ctx context.Context) error { return fmt.Errorf("it failed: %v", ask(ctx)) },
		"ignored":   func(ctx context.Context) error { ask(ctx); return nil },
		"cancelled": func(ctx context.Context) error { ask(ctx); return context.Canceled },
		"in a goroutine": func(ctx context.Context) error {
			var all sync.WaitGroup
			for range 4 {
				all.Go(func() { ask(ctx) })
			}
			all.Wait()
			return nil
		},
		"in a goroutine with a context of its own": func(ctx context.Context) error {
			var all sync.WaitGroup
			ctx, cancel := context.WithCancelCause(ctx)
			defer cancel(nil)
			for range 4 {
				all.Go(func() {
					if err := ask(ctx); err != nil {
						cancel(err)
					}
				})
			}
			all.Wait()
			return context.Cause(ctx)
		},
		"in a scope": func(ctx context.Context) error { ask(qed.WithNamespace(ctx, "s")); return nil },
		"in a memo": func(ctx context.Context) error {
			_, _ = qed.Step(ctx, "m", nil, func(ctx context.Context) (int, error) { return 1, ask(ctx) })
			return nil
		},
		"ignored in a memo": func(ctx context.Context) error {
			_, _ = qed.Step(ctx, "m", nil, func(ctx context.Context) (int, error) { ask(ctx); return 1, nil })
			return nil
		},
		"in a once": func(ctx context.Context) error {
			_, _ = qed.StepOnce(ctx, "m", nil, func(ctx context.Context) (int, error) { return 1, ask(ctx) })
			return nil
		},
		"in items": func(ctx context.Context) error {
			qed.Each(ctx, []int{1, 2}, func(i int) string { return fmt.Sprint(i) }, func(ctx context.Context, _ int) (int, error) { ask(ctx); return 1, nil })
			return nil
		},
		"in an agent within": func(ctx context.Context) error {
			qed.Ask(ctx, does(func(ctx context.Context, _ string) (string, error) { ask(ctx); return "", nil }), qed.Turn{Text: "you"})
			return nil
		},
		"in a graph within": func(ctx context.Context) error {
			r, _ := one(func(ctx context.Context, s trail) (trail, error) { ask(ctx); return s, nil }, nil).Compile(nil)
			r.Run(ctx, trail{})
			return nil
		},
		"in a tool": func(ctx context.Context) error {
			tool := qed.NewTool("ask", "", func(ctx context.Context, _ struct{}) (int, error) { ask(ctx); return 1, nil })
			tool.Interrupts = true
			registryDo(ctx, panicky{}, tool)
			return nil
		},
		"with a panic": func(ctx context.Context) error {
			defer func() { recover() }()
			if ask(ctx) != nil {
				panic("oh")
			}
			return nil
		},
	} {
		for kind, agent := range map[string]func() qed.Agent{
			"function": func() qed.Agent {
				return does(func(ctx context.Context, _ string) (string, error) { return "done", f(ctx) })
			},
			"node": func() qed.Agent {
				return walks(t, one(func(ctx context.Context, s trail) (trail, error) { return s, f(ctx) }, &qed.NodeOptions{Attempts: 3}), nil)
			},
			"node with OnError": func() qed.Agent {
				return walks(t, one(func(ctx context.Context, s trail) (trail, error) { return s, f(ctx) }, nil),
					&qed.AgentOptions[trail]{OnError: func(context.Context, trail, error) (qed.Answer, error) { return qed.Answer{Text: "partly"}, nil }})
			},
		} {
			t.Run(name+"/"+kind, func(t *testing.T) {
				noLeak(t)
				c := converse(t, agent(), new(store.InMemory), nil)
				asked := c.say("go")
				if len(asked.Questions) == 0 || asked.Text == "done" {
					t.Fatalf("answer = %+v", asked)
				}
				for len(asked.Questions) > 0 {
					var replies []question.Reply
					for _, q := range asked.Questions {
						replies = append(replies, qedtest.Reply(q, `"good"`))
					}
					asked, _ = c.try(qed.Turn{Replies: replies})
				}
			})
		}
	}
}

// panicky is a testing.TB that cannot fail.
type panicky struct{ testing.TB }

func (panicky) Helper() {}

// If the run cannot be interrupted, Interrupt fails at once.
func TestCannotInterrupt(t *testing.T) {
	agent := asks[string](question.Question{Text: "Well?"})
	for name, try := range map[string]func() error{
		"no store": func() error { _, err := qed.Ask(t.Context(), agent, qed.Turn{Thread: "t", Text: "go"}); return err },
		"no thread": func() error {
			_, err := qed.Ask(t.Context(), qed.Durable(agent, new(store.InMemory), nil), qed.Turn{Text: "go"})
			return err
		},
		"no agent": func() error {
			_, err := qed.Interrupt[string](t.Context(), question.Question{Text: "Well?"})
			return err
		},
		"other context": func() error {
			_, err := converse(t, does(func(context.Context, string) (string, error) {
				return qed.Interrupt[string](context.Background(), question.Question{Text: "Well?"})
			}), new(store.InMemory), nil).try(qed.Turn{Text: "go"})
			return err
		},
	} {
		if err := try(); !errors.Is(err, qed.ErrCannotInterrupt) {
			t.Errorf("%s: %v, want ErrCannotInterrupt", name, err)
		}
	}
}

// A tool with Interrupts set may ask. For other tools the model receives an
// error, and the run continues.
func TestToolsThatAsk(t *testing.T) {
	for _, asks := range []bool{true, false} {
		for _, repeat := range []bool{true, false} {
			t.Run(fmt.Sprintf("asks %v, repeat %v", asks, repeat), func(t *testing.T) {
				var l qedtest.Ledger
				tool := qed.NewTool("send", "", func(ctx context.Context, _ struct{}) (string, error) {
					l.Do("called")
					v, err := qed.Interrupt[string](ctx, question.Question{Text: "Really?"})
					if err != nil {
						return "", err
					}
					l.Do("sent")
					return v, nil
				})
				tool.Interrupts, tool.Idempotent = asks, repeat
				agent := does(func(ctx context.Context, _ string) (string, error) {
					results, err := registry(t, nil, tool).Do(ctx, call("send", "{}"))
					if err != nil {
						return "", err
					}
					if !asks && !errors.Is(results[0].Err, qed.ErrCannotInterrupt) {
						t.Errorf("the result is %v, want ErrCannotInterrupt", results[0].Err)
					}
					v, err := qed.Interrupt[string](ctx, question.Question{Text: "Else?"})
					return results[0].Message().Content + v, err
				})
				c := converse(t, agent, new(store.InMemory), nil)
				asked := c.say("go")
				if asks {
					asked = c.reply(asked, `"yes"`)
				}
				if a := c.reply(asked, `"no"`); asks && a.Text != `"yes"no` || !asks && !strings.HasPrefix(a.Text, "error: ") {
					t.Errorf("answer = %+v", a)
				}
				want := map[string]int{"called": 2, "sent": 1}
				if !asks {
					want = map[string]int{"called": l.Count()["called"]}
				}
				l.Want(t, want)
			})
		}
	}
}

// An at-most-once call is unresolved if the process dies after the reply to a
// question in the call.
func TestCrashAfterAQuestionInAnAtMostOnceCall(t *testing.T) {
	var l qedtest.Ledger
	agent := does(func(ctx context.Context, _ string) (string, error) {
		return qed.StepOnce(ctx, "send", nil, func(ctx context.Context) (string, error) {
			v, err := qed.Interrupt[string](ctx, question.Question{Text: "Really?"})
			if err == nil {
				l.Do("sent")
			}
			return v, err
		})
	})
	clock := qedtest.NewClock()
	st := qedtest.NewSnapshots(t, &l)
	c := converse(t, agent, st, nil)
	c.ctx = qed.WithClock(t.Context(), clock.Now)
	asked := c.say("go")
	replies := qedtest.Choose(t, asked, `"yes"`)
	before := len(st.Moments)
	c.turn(qed.Turn{Replies: replies})
	l.Want(t, map[string]int{"sent": 1})
	for _, m := range st.Moments[before : len(st.Moments)-1] {
		clock.Pass(1e12)
		after := converse(t, agent, qedtest.Restore(t, m.Log), nil)
		after.ctx = c.ctx
		a, err := after.try(qed.Turn{})
		last := m.Log[len(m.Log)-1]
		if last.Kind == store.Called != errors.Is(err, qed.ErrUnresolved) || err == nil && a.Text != "yes" {
			t.Errorf("after %s: answer %+v, %v", last.Kind, a, err)
		}
	}
}

// A graph that starts again with every message finds its questions in a
// namespace.
func TestRestart(t *testing.T) {
	var l qedtest.Ledger
	agent := func() qed.Agent {
		g := qed.NewGraph[trail]("g")
		g.Node("classify", func(ctx context.Context, s trail) (trail, error) {
			return s, qed.Remember(ctx, "seen", s.Seen[len(s.Seen)-1])
		}, nil)
		g.Node("task", noting(func(ctx context.Context) (string, error) {
			ctx = qed.WithNamespace(ctx, "task/1")
			if _, err := once(ctx, &l, "send"); err != nil {
				return "", err
			}
			return qed.Interrupt[string](ctx, question.Question{Text: "Well?"})
		}), nil)
		g.Node("more", noting(func(ctx context.Context) (string, error) { return once(ctx, &l, "more") }), nil)
		g.Edge(qed.Start, "classify")
		g.Edge("classify", "task")
		g.Edge("task", "more")
		g.Edge("more", qed.End)
		return qed.NewAgent(compile(t, g, nil),
			func(_ context.Context, s trail, turn qed.Turn) (trail, error) {
				text := turn.Text
				for _, r := range turn.Replies {
					text += string(r.Value)
				}
				s.N++
				s.Seen = append(s.Seen, text)
				return s, nil
			},
			func(_ context.Context, s trail) (qed.Answer, error) {
				return qed.Answer{Text: fmt.Sprint(s.N, strings.Join(s.Seen, " "))}, nil
			},
			&qed.AgentOptions[trail]{RestartOnReply: true})
	}
	clock := qedtest.NewClock()
	st := qedtest.NewSnapshots(t, &l)
	c := converse(t, agent(), st, nil)
	c.ctx = qed.WithClock(t.Context(), clock.Now)
	asked := c.say("go")
	before := len(st.Moments)
	want := c.reply(asked, `"good"`)
	if want.Text != `2go "good" good more` {
		t.Errorf("answer = %+v", want)
	}
	l.Want(t, map[string]int{"send": 1, "more": 1})
	for i, m := range st.Moments[before : len(st.Moments)-1] {
		clock.Pass(1e13)
		l = qedtest.Ledger{}
		after := converse(t, agent(), qedtest.Restore(t, m.Log), nil)
		after.ctx = c.ctx
		a, err := after.try(qed.Turn{})
		if unknown(m.Log) {
			if !errors.Is(err, qed.ErrUnresolved) {
				t.Errorf("moment %d: %v", i, err)
			}
		} else if err != nil || a.Text != want.Text {
			t.Errorf("moment %d: answer %+v, %v", i, a, err)
		}
	}
}
