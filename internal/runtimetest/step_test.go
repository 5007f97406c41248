package runtimetest_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/qedtest"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/question"
	"github.com/qedkit/qed/store"
)

// once is memo for an at-most-once call.
func once(ctx context.Context, l *qedtest.Ledger, name string) (string, error) {
	pause(ctx)
	return qed.StepOnce(ctx, name, nil, func(context.Context) (string, error) { l.Do(name); return name, nil })
}

// A resumed run does not repeat its calls, whatever stopped it.
func TestNothingIsDoneTwice(t *testing.T) {
	type hindrance = func(ctx context.Context, l *qedtest.Ledger) error
	failOnce := func(_ context.Context, l *qedtest.Ledger) error {
		if l.Do("hindered") == 1 {
			return errBoom
		}
		return nil
	}
	for _, test := range []struct {
		name   string
		hinder hindrance
		opt    *qed.NodeOptions
		resume func(t *testing.T, c *talk) qed.Answer
	}{
		{"a question", func(ctx context.Context, l *qedtest.Ledger) error {
			_, err := qed.Interrupt[string](ctx, question.Question{Text: "How many?"})
			return err
		}, nil, func(t *testing.T, c *talk) qed.Answer { return c.reply(c.say("go"), `"two"`) }},
		{"a retry", failOnce, &qed.NodeOptions{Attempts: 2}, func(t *testing.T, c *talk) qed.Answer { return c.say("go") }},
		{"an error", failOnce, nil, func(t *testing.T, c *talk) qed.Answer {
			c.fails(qed.Turn{Text: "go"}, errBoom)
			return c.resume()
		}},
		{"a panic", func(ctx context.Context, l *qedtest.Ledger) error {
			if l.Do("hindered") == 1 {
				panic("oh")
			}
			return nil
		}, nil, func(t *testing.T, c *talk) qed.Answer {
			if _, err := c.try(qed.Turn{Text: "go"}); err == nil {
				t.Fatal("no error")
			}
			return c.resume()
		}},
		{"two questions", func(ctx context.Context, l *qedtest.Ledger) error {
			for range 2 {
				if _, err := qed.Interrupt[string](ctx, question.Question{Text: "How many?"}); err != nil {
					return err
				}
			}
			return nil
		}, nil, func(t *testing.T, c *talk) qed.Answer { return c.reply(c.reply(c.say("go"), `"two"`), `"three"`) }},
		{"a wrong reply", func(ctx context.Context, l *qedtest.Ledger) error {
			_, err := qed.Interrupt[string](ctx, question.Question{Text: "How many?"})
			return err
		}, nil, func(t *testing.T, c *talk) qed.Answer { return c.reply(c.reply(c.say("go"), `2`), `"three"`) }},
	} {
		for _, kind := range []string{"graph", "function"} {
			if kind == "function" && test.opt != nil {
				continue
			}
			t.Run(test.name+"/"+kind, func(t *testing.T) {
				noLeak(t)
				var l qedtest.Ledger
				work := func(ctx context.Context) (string, error) {
					a, err := memo(ctx, &l, "price")
					if err != nil {
						return "", err
					}
					b, err := once(ctx, &l, "send")
					if err != nil {
						return "", err
					}
					if err := test.hinder(ctx, &l); err != nil {
						return "", err
					}
					c, err := once(ctx, &l, "report")
					return a + b + c, err
				}
				agent := does(func(ctx context.Context, _ string) (string, error) { return work(ctx) })
				if kind == "graph" {
					agent = walks(t, one(noting(work), test.opt), nil)
				}
				c := converse(t, agent, new(store.InMemory), nil)
				if a := test.resume(t, c); a.Text != "pricesendreport" || !a.Saved {
					t.Errorf("answer = %+v", a)
				}
				done := l.Count()
				delete(done, "hindered")
				if diff := cmp.Diff(map[string]int{"price": 1, "send": 1, "report": 1}, done); diff != "" {
					t.Error(diff)
				}
			})
		}
	}
}

// cut returns the records of a log up to and including the n-th of a kind.
func cut(t testing.TB, log []store.Record, kind store.Kind, n int) []store.Record {
	t.Helper()
	for i, rec := range log {
		if rec.Kind == kind {
			if n--; n == 0 {
				return log[:i+1]
			}
		}
	}
	t.Fatalf("no record %s in %v", kind, log)
	return nil
}

// An unresolved call is not made again until a new turn begins.
func TestUnresolved(t *testing.T) {
	var l qedtest.Ledger
	c := qedtest.NewClock()
	agent := does(func(ctx context.Context, _ string) (string, error) { return once(ctx, &l, "send") })
	before := converse(t, agent, new(store.InMemory), nil)
	st := new(store.InMemory)
	before.agent = qed.Durable(agent, st, nil)
	before.ctx = qed.WithClock(t.Context(), c.Now)
	before.say("go")

	after := converse(t, agent, qedtest.Restore(t, cut(t, qedtest.Log(t, st, "t"), store.Called, 1)), nil)
	after.ctx = before.ctx
	c.Pass(time.Hour)
	for range 3 {
		after.fails(qed.Turn{}, qed.ErrUnresolved)
	}
	l.Want(t, map[string]int{"send": 1})
	if a := after.say("it was not sent"); a.Text != "send" || !a.Saved {
		t.Errorf("answer = %+v", a)
	}
	l.Want(t, map[string]int{"send": 2})
}

// A Step within the function of another one has its own record.
func TestNestedCalls(t *testing.T) {
	var l qedtest.Ledger
	c := converse(t, does(func(ctx context.Context, _ string) (string, error) {
		return qed.Step(ctx, "outer", nil, func(ctx context.Context) (string, error) {
			a, err := once(ctx, &l, "inner")
			if err != nil {
				return "", err
			}
			b, err := once(ctx, &l, "inner")
			if err != nil {
				return "", err
			}
			reply, err := qed.Interrupt[string](ctx, question.Question{Text: "Well?"})
			if err != nil {
				return "", err
			}
			l.Do("outer")
			return a + b + reply, nil
		})
	}), new(store.InMemory), nil)
	if a := c.reply(c.say("go"), `"good"`); a.Text != "innerinnergood" {
		t.Errorf("answer = %+v", a)
	}
	l.Want(t, map[string]int{"inner": 2, "outer": 1})
}

// Calls from goroutines that a node starts have no fixed order. They are made
// again, and nothing else is wrong.
func TestCallsFromOwnGoroutines(t *testing.T) {
	noLeak(t)
	c := converse(t, does(func(ctx context.Context, _ string) (string, error) {
		var all sync.WaitGroup
		for i := range 20 {
			all.Go(func() {
				if got, err := qed.Step(ctx, "call", nil, func(context.Context) (int, error) { return i, nil }); err != nil || got != i {
					t.Errorf("call %d: %d, %v", i, got, err)
				}
				if _, err := qed.Save(ctx, i); err != nil {
					t.Error(err)
				}
				if err := qed.Remember(qed.WithNamespace(ctx, fmt.Sprint("scope ", i)), "numbers", i); err != nil {
					t.Error(err)
				}
				qed.Now(ctx)
			})
		}
		all.Wait()
		n, err := qed.Remembered[int](ctx, "numbers", 0)
		return fmt.Sprint(len(n)), err
	}), new(store.InMemory), nil)
	if a := c.say("go"); a.Text != "20" || !a.Saved {
		t.Errorf("answer = %+v", a)
	}
}

// Now is when the run began, however often it is resumed.
func TestNow(t *testing.T) {
	clock := qedtest.NewClock()
	var seen []time.Time
	agent := does(func(ctx context.Context, _ string) (string, error) {
		seen = append(seen, qed.Now(ctx))
		clock.Pass(time.Minute)
		seen = append(seen, qed.Now(ctx))
		if len(seen) == 2 {
			return "", errBoom
		}
		return qed.Interrupt[string](ctx, question.Question{Text: "Well?"})
	})
	c := converse(t, agent, new(store.InMemory), nil)
	c.ctx = qed.WithClock(t.Context(), clock.Now)
	start := clock.Now()
	c.fails(qed.Turn{Text: "go"}, errBoom)
	c.reply(c.resume(), `"good"`)
	if len(seen) != 6 {
		t.Fatalf("%d times", len(seen))
	}
	for _, at := range seen {
		if !at.Equal(seen[0]) || at.Sub(start) > time.Second || at.Before(start) {
			t.Errorf("at %v, began %v, the turn at %v", at, seen[0], start)
		}
	}
	c.say("another")
	if last := seen[len(seen)-1]; !last.After(seen[0].Add(2 * time.Minute)) {
		t.Errorf("the next turn began at %v, the first at %v", last, seen[0])
	}
	// Without a store.
	seen = make([]time.Time, 2)
	if _, err := qed.Ask(c.ctx, agent, qed.Turn{}); !errors.Is(err, qed.ErrCannotInterrupt) {
		t.Fatal(err)
	}
	if seen[2] != seen[3] {
		t.Errorf("Now is %v and then %v in one turn", seen[2], seen[3])
	}
}

// Outside a durable run nothing is recorded, and errors are not changed.
func TestWithoutAStore(t *testing.T) {
	work := func(ctx context.Context, l *qedtest.Ledger) (string, error) {
		for range 2 {
			if _, err := memo(qed.WithNamespace(ctx, "s"), l, "price"); err != nil {
				return "", err
			}
			if _, err := once(ctx, l, "send"); err != nil {
				return "", err
			}
			if _, err := qed.Step(ctx, "fail", nil, func(context.Context) (any, error) { return nil, errBoom }); !errors.Is(err, errBoom) {
				return "", fmt.Errorf("the error of a call: %w", err)
			}
		}
		handle, err := qed.Save(ctx, []int{1})
		if err != nil || handle != "" {
			return "", fmt.Errorf("saved as %q: %v", handle, err)
		}
		if _, err := qed.Load[[]int](ctx, "saved/s0123456789abcdef"); !errors.Is(err, qed.ErrNotFound) {
			return "", fmt.Errorf("Kept: %v", err)
		}
		if err := qed.Remember(ctx, "n", 1); err != nil {
			return "", err
		}
		if n, err := qed.Remembered[int](ctx, "n", 0); err != nil || len(n) > 0 {
			return "", fmt.Errorf("remembered %v: %v", n, err)
		}
		if _, err := qed.Interrupt[string](ctx, question.Question{Text: "Well?"}); !errors.Is(err, qed.ErrCannotInterrupt) {
			return "", fmt.Errorf("Interrupt: %v", err)
		}
		return "done", nil
	}
	for name, try := range map[string]func(a qed.Agent) (qed.Answer, error){
		"not durable": func(a qed.Agent) (qed.Answer, error) {
			return qed.Ask(t.Context(), a, qed.Turn{Text: "go", Thread: "t"})
		},
		"without a thread": func(a qed.Agent) (qed.Answer, error) {
			return qed.Ask(t.Context(), qed.Durable(a, new(store.InMemory), nil), qed.Turn{Text: "go"})
		},
		"without a store": func(a qed.Agent) (qed.Answer, error) {
			return qed.Ask(t.Context(), qed.Durable(a, nil, nil), qed.Turn{Text: "go", Thread: "t"})
		},
		"outside any agent": nil,
	} {
		t.Run(name, func(t *testing.T) {
			var l qedtest.Ledger
			if try == nil {
				if _, err := work(t.Context(), &l); err != nil {
					t.Error(err)
				}
				if ctx := t.Context(); qed.WithNamespace(ctx, "s") != ctx {
					t.Error("a namespace outside a run")
				}
			} else if a, err := try(does(func(ctx context.Context, _ string) (string, error) { return work(ctx, &l) })); err != nil || a.Saved {
				t.Errorf("answer %+v, %v", a, err)
			}
			l.Want(t, map[string]int{"price": 2, "send": 2})
		})
	}
}

// An interrupted run makes no further call, whatever the code makes of the
// error.
func TestNothingAfterAQuestion(t *testing.T) {
	var l qedtest.Ledger
	c := converse(t, does(func(ctx context.Context, _ string) (string, error) {
		reply, err := qed.Interrupt[string](ctx, question.Question{Text: "Well?"})
		if err == nil {
			return reply, nil
		}
		for _, try := range []func(context.Context) error{
			func(ctx context.Context) error { _, err := memo(ctx, &l, "memo"); return err },
			func(ctx context.Context) error { _, err := once(ctx, &l, "once"); return err },
			func(ctx context.Context) error { _, err := once(qed.WithNamespace(ctx, "s"), &l, "once"); return err },
			func(ctx context.Context) error { _, err := qed.Save(ctx, 1); return err },
			func(ctx context.Context) error { return qed.Remember(ctx, "n", 1) },
			func(ctx context.Context) error {
				_, err := qed.Interrupt[string](ctx, question.Question{Text: "And?"})
				return err
			},
			func(ctx context.Context) error {
				return registryDo(ctx, t, qed.NewTool("look", "", func(context.Context, struct{}) (int, error) { l.Do("tool"); return 1, nil }))
			},
		} {
			if err := try(ctx); !errors.Is(err, qed.ErrInterrupted) {
				t.Errorf("error = %v, want ErrInterrupted", err)
			}
		}
		return "", err
	}), new(store.InMemory), nil)
	asked := c.say("go")
	if len(asked.Questions) != 1 {
		t.Errorf("questions = %v", asked.Questions)
	}
	l.Want(t, nil)
	c.reply(asked, `"good"`)
}

// registryDo calls tools, each by its name, and returns the errors of Do and of
// the results.
func registryDo(ctx context.Context, t testing.TB, tools ...qed.Tool) error {
	var calls []llm.ToolCall
	for _, tool := range tools {
		calls = append(calls, call(tool.Name, "{}"))
	}
	results, err := registry(t, nil, tools...).Do(ctx, calls...)
	for _, r := range results {
		err = errors.Join(err, r.Err)
	}
	return err
}
