package runtimetest_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/qedtest"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/question"
	"github.com/qedkit/qed/store"
)

// handled makes a call fail, and then asks, so that the run is resumed after
// it. It returns the error of the first time and of the second.
func handled(t *testing.T, call func(ctx context.Context) error) (live, replayed error) {
	t.Helper()
	var errs []error
	agent := does(func(ctx context.Context, _ string) (string, error) {
		errs = append(errs, call(ctx))
		return qed.Interrupt[string](ctx, question.Question{Text: "What now?"})
	})
	c := converse(t, agent, new(store.InMemory), nil)
	c.reply(c.say("go"), `"go on"`)
	if len(errs) != 2 || errs[0] == nil || errs[1] == nil {
		t.Fatalf("errors = %v, want two", errs)
	}
	return errs[0], errs[1]
}

func TestFailedCallsAreTheSameWhenReplayed(t *testing.T) {
	model := func(kind llm.ErrorKind) *llm.Error {
		return &llm.Error{Kind: kind, Provider: "p", Status: 429, Message: "m", Partial: &llm.Response{Message: llm.Message{Role: llm.RoleAssistant, Content: "half"}}}
	}
	errs := map[string]error{
		"plain":   errBoom,
		"wrapped": fmt.Errorf("calling: %w", model(llm.ErrRefusal)),
		"joined":  errors.Join(errBoom, model(llm.ErrTimeout)),
		"broken":  errors.New("a\xffb\x00"),
		"unsaved": qed.ErrNotRecorded,
	}
	for _, kind := range []llm.ErrorKind{llm.ErrTimeout, llm.ErrRateLimit, llm.ErrUnavailable, llm.ErrTruncated, llm.ErrAuth, llm.ErrQuota, llm.ErrContextLength,
		llm.ErrRefusal, llm.ErrBadRequest, llm.ErrInvalidOutput, llm.ErrProtocol} {
		errs[string(kind)] = model(kind)
	}
	for name, failure := range errs {
		for how, call := range map[string]func(context.Context) error{
			"memo": func(ctx context.Context) error {
				_, err := qed.Step(ctx, "call", nil, func(context.Context) (int, error) { return 7, failure })
				return err
			},
			"once": func(ctx context.Context) error {
				_, err := qed.StepOnce(ctx, "call", nil, func(context.Context) (int, error) { return 7, failure })
				return err
			},
			"recorded": func(ctx context.Context) error {
				_, err := qed.DurableModel(llm.ModelFunc(func(context.Context, *llm.Request, func(llm.Delta)) (*llm.Response, error) {
					return nil, failure
				})).Generate(ctx, &llm.Request{Name: "call"}, nil)
				return err
			},
			"scope": func(ctx context.Context) error {
				_, err := qed.Step(qed.WithNamespace(ctx, "task/1"), "call", nil, func(context.Context) (int, error) { return 7, failure })
				return err
			},
		} {
			t.Run(name+"/"+how, func(t *testing.T) {
				live, replayed := handled(t, call)
				for which, err := range map[string]error{"live": live, "replayed": replayed} {
					failed, ok := errors.AsType[*qed.CallError](err)
					if !ok || failed.Name != "call" {
						t.Fatalf("%s: %#v, want a CallError", which, err)
					}
					var want llm.ErrorKind
					if e, ok := errors.AsType[*llm.Error](failure); ok {
						want = e.Kind
					}
					got, isModel := errors.AsType[*llm.Error](err)
					if isModel != (want != "") || isModel && (got.Kind != want || !errors.Is(err, want) || got.Status != 429 || got.Partial.Message.Content != "half") {
						t.Errorf("%s: %#v is not of kind %q", which, got, want)
					}
				}
				if live.Error() != replayed.Error() {
					t.Errorf("live %q, replayed %q", live, replayed)
				}
			})
		}
	}
}

// A node's next attempt makes a failed call again; a replay of that attempt
// does not.
func TestFailuresAreRetriedByAttempt(t *testing.T) {
	var l qedtest.Ledger
	agent := walks(t, one(noting(func(ctx context.Context) (string, error) {
		_, err := qed.Step(ctx, "shaky", nil, func(context.Context) (int, error) {
			if l.Do("shaky") < 3 {
				return 0, errBoom
			}
			return 1, nil
		})
		if err != nil {
			return "", err
		}
		return qed.Interrupt[string](ctx, question.Question{Text: "Well?"})
	}), &qed.NodeOptions{Attempts: 3}), nil)
	c := converse(t, agent, new(store.InMemory), nil)
	if a := c.reply(c.say("go"), `"good"`); a.Text != "good" {
		t.Errorf("answer = %+v", a)
	}
	l.Want(t, map[string]int{"shaky": 3})
}

// A call that always fails is made again by every empty turn; an at-most-once
// call is not.
func TestEmptyTurnsTryAgain(t *testing.T) {
	for _, test := range []struct {
		name string
		call func(ctx context.Context, l *qedtest.Ledger) error
		want int // how often it is called
	}{
		{"memo", func(ctx context.Context, l *qedtest.Ledger) error {
			_, err := qed.Step(ctx, "call", nil, func(context.Context) (int, error) { l.Do("call"); return 0, errBoom })
			return err
		}, 4},
		{"memo in attempts", func(ctx context.Context, l *qedtest.Ledger) error {
			_, err := compileAttempts(func(ctx context.Context) error {
				_, err := qed.Step(ctx, "call", nil, func(context.Context) (int, error) { l.Do("call"); return 0, errBoom })
				return err
			}).Run(ctx, trail{})
			return err
		}, 8},
		{"memo in a memo", func(ctx context.Context, l *qedtest.Ledger) error {
			_, err := qed.Step(ctx, "outer", nil, func(ctx context.Context) (int, error) {
				return qed.Step(ctx, "call", nil, func(context.Context) (int, error) { l.Do("call"); return 0, errBoom })
			})
			return err
		}, 4},
		{"memo in a branch", func(ctx context.Context, l *qedtest.Ledger) error {
			_, err := qed.Each(ctx, []string{"a"}, func(s string) string { return s }, func(ctx context.Context, _ string) (int, error) {
				return qed.Step(ctx, "call", nil, func(context.Context) (int, error) { l.Do("call"); return 0, errBoom })
			})
			return err
		}, 4},
		{"memo in a scope", func(ctx context.Context, l *qedtest.Ledger) error {
			_, err := qed.Step(qed.WithNamespace(ctx, "task"), "call", nil, func(context.Context) (int, error) { l.Do("call"); return 0, errBoom })
			return err
		}, 4},
		{"model", func(ctx context.Context, l *qedtest.Ledger) error {
			_, err := qed.DurableModel(llm.ModelFunc(func(context.Context, *llm.Request, func(llm.Delta)) (*llm.Response, error) {
				l.Do("call")
				return nil, &llm.Error{Kind: llm.ErrUnavailable}
			})).Generate(ctx, &llm.Request{}, nil)
			return err
		}, 4},
		{"once", func(ctx context.Context, l *qedtest.Ledger) error {
			_, err := qed.StepOnce(ctx, "call", nil, func(context.Context) (int, error) { l.Do("call"); return 0, errBoom })
			return err
		}, 1},
		{"once in attempts", func(ctx context.Context, l *qedtest.Ledger) error {
			_, err := compileAttempts(func(ctx context.Context) error {
				_, err := qed.StepOnce(ctx, "call", nil, func(context.Context) (int, error) { l.Do("call"); return 0, errBoom })
				return err
			}).Run(ctx, trail{})
			return err
		}, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			var l qedtest.Ledger
			c := converse(t, does(func(ctx context.Context, _ string) (string, error) { return "", test.call(ctx, &l) }), new(store.InMemory), nil)
			for i := range 4 {
				turn := qed.Turn{Text: "go"}
				if i > 0 {
					turn.Text = ""
				}
				_, err := c.try(turn)
				if _, ok := errors.AsType[*qed.CallError](err); !ok {
					t.Fatalf("turn %d: error = %v", i, err)
				}
			}
			l.Want(t, map[string]int{"call": test.want})
		})
	}
}

// compileAttempts returns a graph of one node that has two attempts.
func compileAttempts(f func(context.Context) error) *qed.Runner[trail] {
	g := one(func(ctx context.Context, s trail) (trail, error) { return s, f(ctx) }, &qed.NodeOptions{Attempts: 2})
	r, err := g.Compile(nil)
	if err != nil {
		panic(err)
	}
	return r
}

// A task that failed in one turn is tried again in the next; an at-most-once
// call is not.
func TestFailuresInANamespaceOfAnEarlierTurn(t *testing.T) {
	var l qedtest.Ledger
	agent := does(func(ctx context.Context, _ string) (string, error) {
		ctx = qed.WithNamespace(ctx, "task/1")
		_, err := qed.Step(ctx, "look", nil, func(context.Context) (int, error) { l.Do("look"); return 0, errBoom })
		_, err2 := qed.StepOnce(ctx, "send", nil, func(context.Context) (int, error) { l.Do("send"); return 0, errBoom })
		if err == nil || err2 == nil {
			t.Error("no error")
		}
		return "done", nil
	})
	c := converse(t, agent, new(store.InMemory), nil)
	for range 3 {
		c.say("go")
	}
	l.Want(t, map[string]int{"look": 3, "send": 1})
}

// A cancelled call is not recorded: a resumed run makes it again.
func TestCancelledCallsAreNotRecorded(t *testing.T) {
	t.Run("the turn", func(t *testing.T) {
		noLeak(t)
		var l qedtest.Ledger
		ctx, cancel := context.WithCancel(t.Context())
		agent := does(func(ctx context.Context, _ string) (string, error) {
			return qed.Step(ctx, "call", nil, func(ctx context.Context) (string, error) {
				if l.Do("call") == 1 {
					cancel()
					<-ctx.Done()
					return "", ctx.Err()
				}
				return "done", nil
			})
		})
		st := new(store.InMemory)
		c := converse(t, agent, st, nil)
		c.ctx = ctx
		c.fails(qed.Turn{Text: "go"}, context.Canceled)
		if hasKind(qedtest.Log(t, st, "t"), store.Returned) {
			t.Error("a cancelled call is recorded")
		}
		c.ctx = t.Context()
		if a := c.resume(); a.Text != "done" {
			t.Errorf("answer = %+v", a)
		}
	})
	t.Run("a call that succeeded meanwhile", func(t *testing.T) {
		var l qedtest.Ledger
		ctx, cancel := context.WithCancel(t.Context())
		agent := does(func(ctx context.Context, _ string) (string, error) {
			return qed.StepOnce(ctx, "call", nil, func(ctx context.Context) (string, error) {
				l.Do("call")
				cancel()
				return "done", nil
			})
		})
		c := converse(t, agent, new(store.InMemory), nil)
		c.ctx = ctx
		c.fails(qed.Turn{Text: "go"}, context.Canceled)
		c.ctx = t.Context()
		a, err := c.try(qed.Turn{})
		if l.Want(t, map[string]int{"call": 1}); err == nil && a.Text != "done" || err != nil && !errors.Is(err, qed.ErrUnresolved) {
			t.Errorf("answer = %+v, %v", a, err)
		}
	})
	t.Run("by a sibling", func(t *testing.T) {
		noLeak(t)
		var l qedtest.Ledger
		begun := make(chan bool, 2)
		branches := func(ctx context.Context) (string, error) {
			_, err := qed.Each(ctx, []string{"a", "b"}, func(s string) string { return s }, func(ctx context.Context, item string) (int, error) {
				return qed.Step(ctx, "call", nil, func(ctx context.Context) (int, error) {
					if l.Do(item) > 1 {
						return 1, nil
					}
					if item == "b" {
						begun <- true
						<-ctx.Done()
						return 0, ctx.Err()
					}
					<-begun
					return 0, errBoom
				})
			})
			return "done", err
		}
		st := new(store.InMemory)
		c := converse(t, walks(t, one(noting(branches), nil), nil), st, nil)
		if _, err := c.try(qed.Turn{Text: "go"}); err == nil {
			t.Fatal("no error")
		}
		if n := kindsOf(qedtest.Log(t, st, "t"))[store.Returned]; n != 1 {
			t.Errorf("%d calls are recorded, want that of a alone", n)
		}
		if a, err := c.try(qed.Turn{}); err != nil || a.Text != "done" {
			t.Errorf("answer = %+v, %v", a, err)
		}
	})
}

// After a panic it is not known what the call did.
func TestPanickingCalls(t *testing.T) {
	for name, test := range map[string]struct {
		call func(ctx context.Context, f func(context.Context) (int, error)) (int, error)
		then error
	}{
		"memo": {func(ctx context.Context, f func(context.Context) (int, error)) (int, error) {
			return qed.Step(ctx, "call", nil, f)
		}, nil},
		"once": {func(ctx context.Context, f func(context.Context) (int, error)) (int, error) {
			return qed.StepOnce(ctx, "call", nil, f)
		}, qed.ErrUnresolved},
	} {
		t.Run(name, func(t *testing.T) {
			var l qedtest.Ledger
			c := converse(t, does(func(ctx context.Context, _ string) (string, error) {
				_, err := test.call(ctx, func(context.Context) (int, error) {
					if l.Do("call") == 1 {
						panic(errBoom)
					}
					return 1, nil
				})
				return "done", err
			}), new(store.InMemory), nil)
			err := c.fails(qed.Turn{Text: "go"}, errBoom)
			if _, ok := errors.AsType[*qed.PanicError](err); !ok {
				t.Errorf("error = %v, want a panic", err)
			}
			if _, err := c.try(qed.Turn{}); !errors.Is(err, test.then) {
				t.Errorf("error = %v, want %v", err, test.then)
			}
		})
	}
}
