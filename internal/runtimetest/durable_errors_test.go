package runtimetest_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/qedtest"
	"github.com/qedkit/qed/question"
	"github.com/qedkit/qed/store"
)

// A failure is how an append of a store fails: whether it is made, and what is
// returned.
type failure func(ctx context.Context, do func() error) error

var errDown = errors.New("the store is down")

var (
	notMade  failure = func(context.Context, func() error) error { return errDown }
	unheard  failure = func(_ context.Context, do func() error) error { do(); return errDown }
	hanging  failure = func(ctx context.Context, _ func() error) error { <-ctx.Done(); return ctx.Err() }
	lateLost failure = func(ctx context.Context, do func() error) error { do(); <-ctx.Done(); return ctx.Err() }
	panicked failure = func(context.Context, func() error) error { panic("the store's") }
	slow     failure = func(_ context.Context, do func() error) error { time.Sleep(2 * time.Second); return do() }
)

// failsAt returns a store of which n appends fail, beginning with the first-th.
func failsAt(inner store.Store, first, n int, how failure) *qedtest.Store {
	count := 0
	return &qedtest.Store{Store: inner, OnAppend: func(ctx context.Context, _ []store.Record, do func(context.Context) error) error {
		if count++; count < first || count >= first+n {
			return do(ctx)
		}
		return how(ctx, func() error { return do(ctx) })
	}}
}

const always = 1 << 30

// ordinary is an agent of a graph whose calls may all be repeated. It makes one
// call at a time, as goroutines that wait for each other stop the clock of a
// synctest.
func ordinary(t testing.TB, l *qedtest.Ledger) qed.Agent {
	return walks(t, row(
		noting(func(ctx context.Context) (string, error) { return memo(ctx, l, "look") }),
		noting(func(ctx context.Context) (string, error) {
			_, err := qed.Each(ctx, []string{"x"}, func(s string) string { return s }, func(ctx context.Context, item string) (string, error) {
				return memo(ctx, l, "item "+item)
			})
			return "each", err
		}),
		noting(func(ctx context.Context) (string, error) {
			handle, err := qed.Save(ctx, []int{1})
			if err != nil {
				return "", err
			}
			if handle == "" {
				return "kept", nil
			}
			_, err = qed.Load[[]int](ctx, handle)
			return "kept", err
		}),
		noting(func(ctx context.Context) (string, error) { return memo(qed.WithNamespace(ctx, "task"), l, "task") }),
		noting(func(ctx context.Context) (string, error) { return "remembered", qed.Remember(ctx, "said", "a") }),
	), nil)
}

// A store that fails, at any append and in any way, does not fail the turn.
// Every call is made once.
func TestStoreFails(t *testing.T) {
	clean := qedtest.NewSnapshots(t, new(qedtest.Ledger))
	var want qed.Answer
	synctest.Test(t, func(t *testing.T) { // as below: the time decides what is appended together
		want = converse(t, ordinary(t, new(qedtest.Ledger)), clean, nil).say("go")
	})
	appends := len(clean.Moments)
	for _, test := range []struct {
		name    string
		how     failure
		n       int // how many appends fail
		unsaved bool
		patient time.Duration // how long a turn may take
		lost    bool          // the end may be saved although the store reported an error
	}{
		{"once", notMade, 1, false, time.Second, false},
		{"twice", notMade, 2, false, time.Second, false},
		{"three times", notMade, 3, true, time.Second, false},
		{"for good", notMade, always, true, 2 * time.Second, false},
		{"unheard once", unheard, 1, false, time.Second, false},
		{"unheard three times", unheard, 3, false, time.Second, false},
		{"unheard for good", unheard, always, false, 10 * time.Second, false},
		{"hangs once", hanging, 1, true, time.Minute, false},
		{"hangs for good", hanging, always, true, time.Minute, false},
		{"lost once", lateLost, 1, true, time.Minute, true},
		{"lost for good", lateLost, always, true, time.Minute, true},
		{"panics once", panicked, 1, false, time.Second, false},
		{"panics for good", panicked, always, true, 2 * time.Second, false},
		{"slow", slow, always, false, 10 * time.Minute, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			for n := 1; n <= appends; n++ {
				t.Run(fmt.Sprint(n), func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) {
						var l qedtest.Ledger
						inner := new(store.InMemory)
						c := converse(t, ordinary(t, &l), failsAt(inner, n, test.n, test.how), nil)
						start := time.Now()
						events, a, err := c.listen(qed.Turn{Text: "go"})
						if err != nil || a.Text != want.Text {
							t.Fatalf("answer %+v, %v", a, err)
						}
						if took := time.Since(start); took > test.patient {
							t.Errorf("it took %v", took)
						}
						told := warnings(events, "not_saved") > 0
						if test.unsaved != told && !(test.n == 3 && n == appends) {
							t.Errorf("saved %v, got %v, want %v", a.Saved, told, test.unsaved)
						}
						log := qedtest.Log(t, inner, "t")
						over := len(log) > 0 && isOver(log)
						if a.Saved && !over || over && !a.Saved && !test.lost {
							t.Errorf("saved %v, and the log has %v", a.Saved, kindsOf(log))
						}
						l.Want(t, map[string]int{"look": 1, "item x": 1, "task": 1})
						if !test.unsaved && !a.Saved {
							t.Error("it is not saved")
						}
						if a.Saved && !test.unsaved {
							if diff := cmp.Diff(kindsOf(qedtest.Log(t, clean, "t")), kindsOf(log)); diff != "" {
								t.Error(diff)
							}
						}
						// The store works again.
						time.Sleep(time.Minute)
						c.agent = qed.Durable(ordinary(t, &l), inner, nil)
						if a := c.say("again"); a.Text != want.Text || !a.Saved {
							t.Errorf("the next turn: %+v", a)
						}
					})
				})
			}
		})
	}
}

// If the store works again before the end, the end is saved.
func TestStoreComesBack(t *testing.T) {
	for _, how := range []failure{notMade, unheard, hanging, lateLost} {
		for n := 2; n <= 7; n++ {
			synctest.Test(t, func(t *testing.T) {
				inner := new(store.InMemory)
				var down atomic.Bool
				count := 0
				st := &qedtest.Store{Store: inner, OnAppend: func(ctx context.Context, recs []store.Record, do func(context.Context) error) error {
					if count++; count == n {
						down.Store(true)
					}
					if down.Load() {
						return how(ctx, func() error { return do(ctx) })
					}
					return do(ctx)
				}, OnRecords: func(ctx context.Context, r store.Range, do func(context.Context) qedtest.Records) qedtest.Records {
					if down.Load() {
						return qedtest.Failing(errDown)
					}
					return do(ctx)
				}}
				var l qedtest.Ledger
				c := converse(t, does(func(ctx context.Context, text string) (string, error) {
					for i := range 6 {
						if _, err := memo(ctx, &l, fmt.Sprint(i)); err != nil {
							return "", err
						}
						time.Sleep(time.Second) // each result is appended by itself
					}
					down.Store(false)
					return "answer", nil
				}), st, nil)
				a := c.say("go")
				log := qedtest.Log(t, inner, "t")
				if !a.Saved || !isOver(log) {
					t.Errorf("saved %v, and the log ends with %+v", a.Saved, log[len(log)-1])
				}
				for i, rec := range log {
					if rec.Seq != int64(i+1) {
						t.Errorf("number %d is %d", i+1, rec.Seq)
					}
				}
				if messages, err := qed.Messages(t.Context(), inner, "t", 0); err != nil || len(messages) != 2 {
					t.Errorf("messages %v, %v", messages, err)
				}
				c.say("and now?")
			})
		}
	}
}

// If the store does not work, at-most-once calls are refused, and all other
// calls are made.
func TestRefusedWithoutAStore(t *testing.T) {
	for _, from := range []int{1, 2, 3} {
		synctest.Test(t, func(t *testing.T) {
			var l qedtest.Ledger
			c := converse(t, does(func(ctx context.Context, _ string) (string, error) {
				if _, err := memo(ctx, &l, "first"); err != nil {
					return "", err
				}
				time.Sleep(time.Second) // each result is appended by itself
				if _, err := memo(ctx, &l, "look"); err != nil {
					return "", err
				}
				time.Sleep(time.Second)
				if _, err := once(ctx, &l, "send"); !errors.Is(err, qed.ErrNotRecorded) {
					t.Errorf("StepOnce: %v, want ErrNotRecorded", err)
				}
				if _, err := memo(ctx, &l, "look"); err != nil {
					return "", err
				}
				tool := func(name string, repeat bool) qed.Tool {
					tool := qed.NewTool(name, "", func(context.Context, struct{}) (int, error) { l.Do(name); return 1, nil })
					tool.Idempotent = repeat
					return tool
				}
				if err := registryDo(ctx, t, tool("write", false)); !errors.Is(err, qed.ErrNotRecorded) {
					t.Errorf("a tool that must not be repeated: %v", err)
				}
				if err := registryDo(ctx, t, tool("read", true)); err != nil {
					t.Errorf("a tool that may be repeated: %v", err)
				}
				if handle, err := qed.Save(ctx, 1); handle != "" || err != nil {
					t.Errorf("saved as %q, %v", handle, err)
				}
				if _, err := qed.Load[int](ctx, "saved/s0123456789abcdef"); err == nil {
					t.Error("a value is found")
				}
				return "done", qed.Remember(ctx, "n", 1)
			}), failsAt(new(store.InMemory), from, always, notMade), nil)
			if a := c.say("go"); a.Saved || a.Text != "done" {
				t.Errorf("answer = %+v", a)
			}
			l.Want(t, map[string]int{"first": 1, "look": 2, "read": 1})
		})
	}
}

// A question that could not be saved is shown, and is not resumable.
func TestQuestionThatIsNotSaved(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		inner := new(store.InMemory)
		down := false
		st := &qedtest.Store{Store: inner, OnAppend: func(ctx context.Context, recs []store.Record, do func(context.Context) error) error {
			if down = down || hasKind(recs, store.Question); down {
				return errDown
			}
			return do(ctx)
		}}
		c := converse(t, does(func(ctx context.Context, _ string) (string, error) {
			return qed.Interrupt[string](ctx, question.Question{Text: "Well?"})
		}), st, nil)
		events, a, err := c.listen(qed.Turn{Text: "go"})
		if err != nil || len(a.Questions) != 1 || a.Questions[0].Resumable {
			t.Fatalf("answer = %+v, %v", a, err)
		}
		if asked := ofKind[qed.Interrupted](events); len(asked) != 1 || asked[0].Question.Resumable {
			t.Errorf("got %v", asked)
		}
		c.fails(qed.Turn{Replies: qedtest.Choose(t, a, `"good"`)}, qed.ErrQuestionClosed)
		c.agent = qed.Durable(does(func(ctx context.Context, _ string) (string, error) {
			return qed.Interrupt[string](ctx, question.Question{Text: "Well?"})
		}), inner, nil)
		time.Sleep(time.Minute)
		if a := c.say("again"); len(a.Questions) != 1 || !a.Questions[0].Resumable {
			t.Errorf("answer = %+v", a)
		}
	})
}

// A store that cannot be read.
func TestStoreCannotBeRead(t *testing.T) {
	hang := func(ctx context.Context) qedtest.Records {
		return func(yield func(store.Record, error) bool) { <-ctx.Done(); yield(store.Record{}, ctx.Err()) }
	}
	for name, read := range map[string]func(ctx context.Context) qedtest.Records{
		"fails": func(context.Context) qedtest.Records { return qedtest.Failing(errDown) },
		"hangs": hang,
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				inner := new(store.InMemory)
				var l qedtest.Ledger
				agent := does(func(ctx context.Context, text string) (string, error) {
					if text == "ask" {
						return qed.Interrupt[string](ctx, question.Question{Text: "Well?"})
					}
					if _, err := once(ctx, &l, "send"); err != nil && !errors.Is(err, qed.ErrNotRecorded) {
						return "", err
					}
					return memo(ctx, &l, "look")
				})
				converse(t, agent, inner, nil).say("before")
				before := len(qedtest.Log(t, inner, "t"))
				st := &qedtest.Store{Store: inner, OnRecords: func(ctx context.Context, r store.Range, _ func(context.Context) qedtest.Records) qedtest.Records {
					return read(ctx)
				}}
				c := converse(t, agent, st, nil)
				start := time.Now()
				for _, turn := range []qed.Turn{{}, {Replies: []question.Reply{{Question: "q", Value: []byte(`1`)}}}} {
					if _, err := c.try(turn); err == nil {
						t.Errorf("turn %+v: no error", turn)
					}
				}
				events, a, err := c.listen(qed.Turn{Text: "go"})
				if err != nil || a.Saved || a.Text != "look" || warnings(events, "not_saved") == 0 {
					t.Errorf("answer %+v, %v, got %v", a, err, events)
				}
				if took := time.Since(start); took > 2*time.Minute {
					t.Errorf("it took %v", took)
				}
				l.Want(t, map[string]int{"send": 1, "look": 2})
				if now := len(qedtest.Log(t, inner, "t")); now != before {
					t.Errorf("%d records were added, without knowing what is there", now-before)
				}
			})
		})
	}
	t.Run("fails once", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			inner := new(store.InMemory)
			asking := does(func(ctx context.Context, text string) (string, error) {
				return qed.Interrupt[string](ctx, question.Question{Text: "Well?"})
			})
			asked := converse(t, asking, inner, nil).say("before")
			for n := 1; n <= 4; n++ {
				for _, turn := range []qed.Turn{{Text: "go"}, {}, {Replies: qedtest.Choose(t, asked, `"good"`)}} {
					count := 0
					st := &qedtest.Store{Store: qedtest.Restore(t, qedtest.Log(t, inner, "t")), OnRecords: func(ctx context.Context, r store.Range, do func(context.Context) qedtest.Records) qedtest.Records {
						if count++; count == n {
							return qedtest.Failing(errDown)
						}
						return do(ctx)
					}}
					if a, err := converse(t, asking, st, nil).try(turn); err != nil || !a.Saved {
						t.Errorf("read %d of turn %+v: answer %+v, %v", n, turn, a, err)
					}
				}
			}
		})
	})
}

// Every read of a store that hangs is given up.
func TestStoreHangsWhileReading(t *testing.T) {
	for n := 1; n <= 8; n++ {
		synctest.Test(t, func(t *testing.T) {
			inner := new(store.InMemory)
			agent := func() qed.Agent {
				return does(func(ctx context.Context, text string) (string, error) {
					var l qedtest.Ledger
					memo(qed.WithNamespace(ctx, "task"), &l, "look")
					qed.Remembered[int](ctx, "n", 0)
					qed.Load[int](ctx, "saved/s0123456789abcdef")
					return "answer", qed.Remember(ctx, "n", 1)
				})
			}
			converse(t, agent(), inner, nil).say("before")
			count := 0
			st := &qedtest.Store{Store: inner, OnRecords: func(ctx context.Context, r store.Range, do func(context.Context) qedtest.Records) qedtest.Records {
				if count++; count == n {
					return func(yield func(store.Record, error) bool) { <-ctx.Done(); yield(store.Record{}, ctx.Err()) }
				}
				return do(ctx)
			}}
			start := time.Now()
			a, err := converse(t, agent(), st, nil).try(qed.Turn{Text: "go"})
			if err != nil || a.Text != "answer" {
				t.Errorf("read %d: answer %+v, %v", n, a, err)
			}
			if took := time.Since(start); took > time.Minute {
				t.Errorf("read %d: it took %v", n, took)
			}
		})
	}
}

// If old details cannot be removed, the turn neither fails nor hangs.
func TestTrimFails(t *testing.T) {
	for name, trim := range map[string]func(ctx context.Context, do func(context.Context) error) error{
		"fails":  func(context.Context, func(context.Context) error) error { return errDown },
		"hangs":  func(ctx context.Context, _ func(context.Context) error) error { <-ctx.Done(); return ctx.Err() },
		"panics": func(context.Context, func(context.Context) error) error { panic("the store's") },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var l qedtest.Ledger
				c := converse(t, ordinary(t, &l), &qedtest.Store{Store: new(store.InMemory), OnTrim: trim}, &qed.DurableOptions{KeepRuns: 1})
				start := time.Now()
				for range 2 {
					events, a, err := c.listen(qed.Turn{Text: "go"})
					if err != nil || !a.Saved {
						t.Errorf("answer = %+v, %v", a, err)
					}
					if warnings(events, "not_saved") != 1 {
						t.Errorf("got %v", events)
					}
				}
				if took := time.Since(start); took > time.Minute {
					t.Errorf("it took %v", took)
				}
			})
		})
	}
}

// A store that panics in the heartbeat does not end the process.
func TestPanicInTheHeartbeat(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := hold()
		st := &qedtest.Store{Store: new(store.InMemory), OnAppend: func(ctx context.Context, recs []store.Record, do func(context.Context) error) error {
			if hasKind(recs, store.Heartbeat) {
				panic("the store's")
			}
			return do(ctx)
		}}
		c := converse(t, h, st, nil)
		go func() {
			time.Sleep(5 * time.Minute)
			h.let <- true
		}()
		if a := c.say("go"); a.Text != "let go" || !a.Saved {
			t.Errorf("answer = %+v", a)
		}
	})
}

// An answer that cannot be saved is returned, and the thread accepts the next
// turn.
func TestAnswerThatCannotBeSaved(t *testing.T) {
	nan := &qed.Table{Columns: []qed.Column{{Name: "n"}}, Rows: [][]any{{func() {}}}}
	c := converse(t, qed.AgentFunc(func(ctx context.Context, turn qed.Turn) (qed.Answer, error) {
		return qed.Answer{Text: "here", Table: nan}, nil
	}), new(store.InMemory), nil)
	for range 2 {
		events, a, err := c.listen(qed.Turn{Text: "go"})
		if err != nil || a.Table != nan || a.Saved || warnings(events, "not_saved") != 1 {
			t.Errorf("answer %+v, %v, got %v", a, err, events)
		}
	}
}

// A turn that cannot be recorded is refused before anything is done.
func TestTurnThatCannotBeRecorded(t *testing.T) {
	c := converse(t, does(func(context.Context, string) (string, error) { t.Error("it ran"); return "", nil }), new(store.InMemory), nil)
	for name, id := range map[string]string{"long": strings.Repeat("x", 10<<10), "control character": "a\x00b", "newline": "a\nb", "no UTF-8": "\xff"} {
		c.thread = id
		if _, err := c.try(qed.Turn{Text: "go"}); !errors.Is(err, store.ErrInvalidThread) {
			t.Errorf("%s: %v, want ErrInvalidThread", name, err)
		}
	}
	c.thread = "t"
	for name, turn := range map[string]qed.Turn{"nothing": {}, "a reply": {Replies: []question.Reply{{Question: "q1", Value: []byte(`"x"`)}}},
		"a text and a reply": {Text: "go", Replies: []question.Reply{{Question: "q1", Value: []byte(`"x"`)}}}} {
		if _, err := c.try(turn); !errors.Is(err, qed.ErrQuestionClosed) {
			t.Errorf("%s: %v, want ErrQuestionClosed", name, err)
		}
	}
	c.agent = qed.Durable(does(func(context.Context, string) (string, error) { return "here", nil }), new(store.InMemory), nil)
	for _, id := range []string{"a", strings.Repeat("x", 200), "ü/ß %2F'\"", "../.."} {
		c.thread = id
		if a := c.say("go"); !a.Saved {
			t.Errorf("%q: %+v", id, a)
		}
	}
}

// A store that loses a record which it reported as saved ends the run.
func TestStoreForgets(t *testing.T) {
	for n := 1; n <= 4; n++ {
		synctest.Test(t, func(t *testing.T) {
			var l qedtest.Ledger
			c := converse(t, does(func(ctx context.Context, _ string) (string, error) {
				for i := range 3 {
					if _, err := memo(ctx, &l, fmt.Sprint(i)); err != nil {
						return "", err
					}
					time.Sleep(time.Second) // each result is appended by itself
				}
				return once(ctx, &l, "send")
			}), failsAt(new(store.InMemory), n, 1, func(context.Context, func() error) error { return nil }), nil)
			c.fails(qed.Turn{Text: "go"}, store.ErrConflict)
			if l.Count()["send"] > 0 {
				t.Errorf("append %d was forgotten, and it went on", n)
			}
		})
	}
}
