package runtimetest_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/qedtest"
	"github.com/qedkit/qed/question"
	"github.com/qedkit/qed/store"
)

// interviewer makes an at-most-once call, a step, remembers something, and asks
// a question. Then it makes another at-most-once call.
func interviewer(t testing.TB, l *qedtest.Ledger) qed.Agent {
	return walks(t, row(
		noting(func(ctx context.Context) (string, error) { return once(ctx, l, "send") }),
		noting(func(ctx context.Context) (string, error) {
			if err := qed.Remember(ctx, "said", "a"); err != nil {
				return "", err
			}
			if _, err := memo(ctx, l, "look"); err != nil {
				return "", err
			}
			return qed.Interrupt[string](ctx, question.Question{Text: "Well?"})
		}),
		noting(func(ctx context.Context) (string, error) { return once(ctx, l, "more") }),
	), nil)
}

// If the store fails for a while and works again at the end, a run that asks
// can be resumed: the question and all else that the resumed run needs is
// recorded with the end, whichever append failed first.
func TestQuestionOutlastsAPassingFailure(t *testing.T) {
	clean := qedtest.NewSnapshots(t, new(qedtest.Ledger))
	converse(t, interviewer(t, new(qedtest.Ledger)), clean, nil).say("go")
	want := qedtest.Log(t, clean, "t")
	for name, how := range map[string]failure{"not made": notMade, "unheard": unheard} {
		for n := 1; n < len(clean.Moments); n++ { // the last one is the end
			t.Run(fmt.Sprint(name, " ", n), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					var l qedtest.Ledger
					inner := new(store.InMemory)
					count := 0
					failing := func() bool { return count >= n && count < n+3 }
					st := &qedtest.Store{Store: inner,
						OnAppend: func(ctx context.Context, _ []store.Record, do func(context.Context) error) error {
							if count++; failing() {
								return how(ctx, func() error { return do(ctx) })
							}
							return do(ctx)
						},
						OnRecords: func(ctx context.Context, _ store.Range, do func(context.Context) qedtest.Records) qedtest.Records {
							if failing() {
								return qedtest.Failing(errDown)
							}
							return do(ctx)
						},
					}
					c := converse(t, interviewer(t, &l), st, nil)
					events, asked, err := c.listen(qed.Turn{Text: "go"})
					called := clean.Moments[n-1].Log[len(clean.Moments[n-1].Log)-1].Kind == store.Called || n == 1
					if called { // an at-most-once call is refused before the question
						if !errors.Is(err, qed.ErrNotRecorded) {
							t.Fatalf("answer %+v, %v", asked, err)
						}
						if asked, err = c.try(qed.Turn{}); err != nil {
							t.Fatal(err)
						}
					} else if told := ofKind[qed.Interrupted](events); len(told) != 1 || !told[0].Question.Resumable {
						t.Errorf("got %v", told)
					}
					if err != nil || !asked.Saved || len(asked.Questions) != 1 || !asked.Questions[0].Resumable {
						t.Fatalf("answer %+v, %v", asked, err)
					}
					if thread, err := qed.Inspect(t.Context(), inner, "t"); err != nil || thread.Status != store.StatusInterrupted || len(thread.Unresolved) > 0 {
						t.Errorf("%+v, %v", thread, err)
					}
					if !called {
						got := qedtest.Log(t, inner, "t")
						for i := range want {
							if i < len(got) && got[i].Kind != want[i].Kind {
								t.Errorf("record %d is a %s, want a %s", i+1, got[i].Kind, want[i].Kind)
							}
						}
					}
					other := converse(t, interviewer(t, &l), inner, nil)
					if a := other.reply(asked, `"good"`); a.Text != "send good more" {
						t.Errorf("answer = %+v", a)
					}
					l.Want(t, map[string]int{"send": 1, "look": 1, "more": 1})
				})
			})
		}
	}
}

// If the question cannot be saved with the end either, the run has failed, and
// asks again when it is resumed. No at-most-once call is repeated.
func TestQuestionThatTheStoreRefuses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var l qedtest.Ledger
		inner := new(store.InMemory)
		refuses := true
		st := &qedtest.Store{Store: inner, OnAppend: func(ctx context.Context, recs []store.Record, do func(context.Context) error) error {
			if refuses && hasKind(recs, store.Question) {
				return errDown
			}
			return do(ctx)
		}}
		c := converse(t, interviewer(t, &l), st, nil)
		events, a, err := c.listen(qed.Turn{Text: "go"})
		if err != nil || a.Saved || len(a.Questions) != 1 || a.Questions[0].Resumable {
			t.Fatalf("answer %+v, %v", a, err)
		}
		if told := ofKind[qed.Interrupted](events); len(told) != 1 || told[0].Question.Resumable {
			t.Errorf("got %v", told)
		}
		if thread, err := qed.Inspect(t.Context(), inner, "t"); err != nil || thread.Status != store.StatusFailed {
			t.Errorf("%+v, %v", thread, err)
		}
		refuses = false
		asked := c.resume()
		if a := c.reply(asked, `"good"`); a.Text != "send good more" {
			t.Errorf("answer = %+v", a)
		}
		l.Want(t, map[string]int{"send": 1, "look": 1, "more": 1})
	})
}

// After the end nothing is recorded, whatever an abandoned tool does.
func TestNothingIsRecordedAfterTheEnd(t *testing.T) {
	for name, late := range map[string]func(ctx context.Context) error{
		"returns": func(context.Context) error { return nil },
		"fails":   func(context.Context) error { return errBoom },
		"asks": func(ctx context.Context) error {
			_, err := qed.Interrupt[string](ctx, question.Question{Text: "Well?"})
			return err
		},
		"remembers": func(ctx context.Context) error { return qed.Remember(ctx, "a", 1) },
		"saves":     func(ctx context.Context) error { _, err := qed.Save(ctx, 1); return err },
		"calls": func(ctx context.Context) error {
			_, err := qed.StepOnce(ctx, "late", nil, func(context.Context) (int, error) { t.Error("called"); return 1, nil })
			return err
		},
	} {
		for _, fails := range []bool{false, true} {
			t.Run(fmt.Sprint(name, fails), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					inner := new(store.InMemory)
					writes, written, release := make(chan bool), make(chan bool), make(chan bool)
					st := &qedtest.Store{Store: inner, OnAppend: func(ctx context.Context, recs []store.Record, do func(context.Context) error) error {
						if !hasKind(recs, store.Ended) {
							return do(context.WithoutCancel(ctx)) // as a server that has begun to append
						}
						close(writes) // the tool goes on while the end is appended
						time.Sleep(time.Second)
						defer close(written)
						return do(ctx)
					}}
					c := converse(t, does(func(ctx context.Context, _ string) (string, error) {
						go func() { // it ignores its context
							qed.Step(ctx, "slow", nil, func(ctx context.Context) (int, error) {
								<-release
								return 1, late(ctx)
							})
						}()
						if fails {
							return "", errBoom
						}
						return "answer", nil
					}), st, nil)
					go func() { <-writes; close(release) }()
					c.try(qed.Turn{Text: "go"})
					<-written
					time.Sleep(time.Minute)
					if log := qedtest.Log(t, inner, "t"); log[len(log)-1].Kind != store.Ended {
						t.Errorf("the log ends with a %s", log[len(log)-1].Kind)
					}
					if _, err := qed.Inspect(t.Context(), inner, "t"); err != nil {
						t.Error(err)
					}
				})
			})
		}
	}
}

// A function that ends its goroutine ends the turn: the thread is free at once.
func TestGoexitReleasesTheThread(t *testing.T) {
	st := new(store.InMemory)
	exits := true
	agent := walks(t, row(noting(func(ctx context.Context) (string, error) {
		if exits {
			runtime.Goexit()
		}
		return "answer", nil
	})), nil)
	c := converse(t, agent, st, nil)
	for _, try := range []func(){
		func() { c.try(qed.Turn{Text: "go"}) },
		func() { c.listen(qed.Turn{Text: "go"}) },
	} {
		done := make(chan bool)
		go func() { defer close(done); try() }()
		<-done
		if thread, err := qed.Inspect(t.Context(), st, "t"); err != nil || thread.Status != store.StatusFailed {
			t.Errorf("%+v, %v", thread, err)
		}
	}
	exits = false
	if a := c.resume(); a.Text != "answer" {
		t.Errorf("answer = %+v", a)
	}
}

// If the beginning of a run is lost, and another process takes a turn meanwhile,
// the answer is not saved, and is returned.
func TestLostBeginningAndAnotherTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		inner := new(store.InMemory)
		other := converse(t, does(func(context.Context, string) (string, error) { return "other", nil }), inner, nil)
		c := converse(t, does(func(context.Context, string) (string, error) {
			other.say("meanwhile")
			return "answer", nil
		}), failsAt(inner, 1, 3, notMade), nil)
		if a := c.say("go"); a.Text != "answer" || a.Saved {
			t.Errorf("answer = %+v", a)
		}
		if messages, err := qed.Messages(t.Context(), inner, "t", 0); err != nil || len(messages) != 2 {
			t.Errorf("messages %v, %v", messages, err)
		}
	})
}

// A turn whose context ends before its agent is called leaves the thread free.
func TestStoppedBeforeTheAgent(t *testing.T) {
	inner := new(store.InMemory)
	agent := does(func(context.Context, string) (string, error) { return "answer", nil })
	converse(t, agent, inner, nil).say("before")
	ctx, cancel := context.WithCancel(t.Context())
	begun := false
	st := &qedtest.Store{Store: inner,
		OnAppend: func(ctx context.Context, recs []store.Record, do func(context.Context) error) error {
			begun = begun || hasKind(recs, store.Began)
			return do(ctx)
		},
		OnRecords: func(ctx context.Context, r store.Range, do func(context.Context) qedtest.Records) qedtest.Records {
			if begun {
				cancel()
			}
			return do(ctx)
		},
	}
	c := converse(t, agent, st, nil)
	c.ctx = ctx
	c.fails(qed.Turn{Text: "go"}, context.Canceled)
	if thread, err := qed.Inspect(t.Context(), inner, "t"); err != nil || thread.Status != store.StatusStopped {
		t.Errorf("%+v, %v", thread, err)
	}
}

// What an agent does that goes on for long after its context ended is recorded.
func TestAgentThatIgnoresItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		inner := new(store.InMemory)
		ctx, cancel := context.WithCancel(t.Context())
		c := converse(t, does(func(ctx context.Context, _ string) (string, error) {
			return qed.StepOnce(ctx, "send", nil, func(context.Context) (string, error) {
				cancel()
				time.Sleep(10 * time.Minute)
				return "sent", nil
			})
		}), failsAt(inner, 4, always, slow), nil) // the call's result, and the end
		c.ctx = ctx
		events, _, err := c.listen(qed.Turn{Text: "go"})
		if !errors.Is(err, context.Canceled) || warnings(events, "not_saved") > 0 {
			t.Errorf("%v, %v", err, events)
		}
		thread, err := qed.Inspect(t.Context(), inner, "t")
		if err != nil || thread.Status != store.StatusStopped || len(thread.Unresolved) > 0 {
			t.Errorf("%+v, %v", thread, err)
		}
	})
}
