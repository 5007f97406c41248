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
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/question"
	"github.com/qedkit/qed/store"
)

// everything is an agent whose turns record every kind of record: two turns and
// a reply do.
func everything(t testing.TB, l *qedtest.Ledger) qed.Agent {
	return walks(t, row(
		noting(func(ctx context.Context) (string, error) { return memo(ctx, l, "look") }),
		noting(func(ctx context.Context) (string, error) { return once(ctx, l, "send") }),
		noting(func(ctx context.Context) (string, error) {
			if _, err := memo(qed.WithNamespace(ctx, "task"), l, "task"); err != nil {
				return "", err
			}
			if _, err := qed.Save(ctx, []int{1}); err != nil {
				return "", err
			}
			select { // long enough for a heartbeat
			case <-time.After(17 * time.Second):
				return "waited", qed.Remember(ctx, "said", "a")
			case <-ctx.Done():
				return "", ctx.Err()
			}
		}),
		noting(func(ctx context.Context) (string, error) {
			return qed.Interrupt[string](ctx, question.Question{Text: "Well?"})
		}),
	), nil)
}

// everythingOptions make the turns of everything summarise and trim.
func everythingOptions() *qed.DurableOptions {
	model := llm.ModelFunc(func(context.Context, *llm.Request, func(llm.Delta)) (*llm.Response, error) {
		return &llm.Response{Message: llm.Message{Role: llm.RoleAssistant, Content: "short"}, FinishReason: llm.FinishStop}, nil
	})
	return &qed.DurableOptions{KeepRuns: 1, Memory: &qed.Memory{Messages: 1, Summarizer: model}}
}

// An operation is the n-th call of a method of a store.
type operation struct {
	name string // "append", "records" or "trim"
	n    int
	what string // the kinds of the records
}

func (o operation) String() string { return fmt.Sprint(o.name, " ", o.n, " ", o.what) }

// watched returns a store that calls at before each of its operations.
func watched(inner store.Store, at func(ctx context.Context, o operation, do func(context.Context) error) error) *qedtest.Store {
	var mu sync.Mutex
	count := map[string]int{}
	call := func(ctx context.Context, name, what string, do func(context.Context) error) error {
		mu.Lock()
		count[name]++
		o := operation{name, count[name], what}
		mu.Unlock()
		return at(ctx, o, do)
	}
	return &qedtest.Store{Store: inner,
		OnAppend: func(ctx context.Context, recs []store.Record, do func(context.Context) error) error {
			what := ""
			for _, rec := range recs {
				what += string(rec.Kind) + ","
			}
			return call(ctx, "append", what, do)
		},
		OnRecords: func(ctx context.Context, r store.Range, do func(context.Context) qedtest.Records) qedtest.Records {
			return func(yield func(store.Record, error) bool) {
				var recs qedtest.Records
				err := call(ctx, "records", fmt.Sprint(r.Kinds), func(ctx context.Context) error { recs = do(ctx); return nil })
				if err != nil {
					yield(store.Record{}, err)
					return
				}
				recs(yield)
			}
		},
		OnTrim: func(ctx context.Context, do func(context.Context) error) error { return call(ctx, "trim", "", do) },
	}
}

// talkOfEverything takes turns until one fails: three, and the reply to the
// third.
func talkOfEverything(c *talk) error {
	var asked qed.Answer
	for _, turn := range []qed.Turn{{Text: "one"}, {Text: "two"}, {Text: "three"}, {}} {
		if turn.Text == "" {
			for _, q := range asked.Questions {
				turn.Replies = append(turn.Replies, qedtest.Reply(q, `"good"`))
			}
		}
		var err error
		if asked, err = c.try(turn); err != nil {
			return err
		}
	}
	return nil
}

// Whatever operation of the store hangs, and whether the store watches its
// context or not, a turn whose context ends returns within the patience. A late
// result has no effect, and the thread can be used afterwards.
func TestStoreHangsAnywhere(t *testing.T) {
	var all []operation
	synctest.Test(t, func(t *testing.T) {
		inner := new(store.InMemory)
		st := watched(inner, func(ctx context.Context, o operation, do func(context.Context) error) error {
			all = append(all, o)
			return do(ctx)
		})
		if err := talkOfEverything(converse(t, everything(t, new(qedtest.Ledger)), st, everythingOptions())); err != nil {
			t.Fatal(err)
		}
		kinds := kindsOf(qedtest.Log(t, inner, "t"))
		for _, kind := range []store.Kind{
			store.Began, store.Resumed, store.Ended, store.Heartbeat, store.Checkpoint, store.Called, store.Returned,
			store.Question, store.Reply, store.Message, store.Summary, store.Saved, store.Memory,
		} {
			if kinds[kind] == 0 {
				t.Errorf("no record of kind %s", kind)
			}
		}
	})
	for _, at := range all {
		for _, watches := range []bool{true, false} {
			for _, forGood := range []bool{true, false} {
				t.Run(fmt.Sprint(at, " watches ", watches, " for good ", forGood), func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) { hangAt(t, at, watches, forGood) })
				})
			}
		}
	}
}

func hangAt(t *testing.T, at operation, watches, forGood bool) {
	ctx, cancel := context.WithCancel(t.Context())
	release := make(chan bool)
	var hung, returned atomic.Bool
	var left time.Time
	inner := new(store.InMemory)
	st := watched(inner, func(ctx context.Context, o operation, do func(context.Context) error) error {
		if o == at {
			hung.Store(true)
			time.AfterFunc(time.Second, func() { left = time.Now(); cancel() })
		}
		if !hung.Load() || o != at && !forGood {
			return do(ctx)
		}
		if !watches {
			<-release
			return do(context.WithoutCancel(ctx)) // it does it now
		}
		<-ctx.Done()
		return ctx.Err()
	})
	var l qedtest.Ledger
	c := converse(t, everything(t, &l), st, everythingOptions())
	c.ctx = ctx
	time.AfterFunc(10*time.Minute, func() {
		if !returned.Load() {
			panic("the turn does not return")
		}
	})
	talkOfEverything(c)
	returned.Store(true)
	if took := time.Since(left); !hung.Load() || took > 10*time.Second {
		t.Errorf("hung %v; the turn returned %v after its context ended", hung.Load(), took)
	}
	close(release)
	synctest.Wait()
	time.Sleep(time.Minute) // longer than the lease
	sent := l.Count()["send"]
	c = converse(t, everything(t, &l), inner, nil)
	if a := c.say("again"); !a.Saved || len(a.Questions) != 1 {
		t.Errorf("the next turn: %+v", a)
	}
	if sent > 3 || l.Count()["send"] != sent+1 {
		t.Errorf("three turns sent %d times, and another one %d times", sent, l.Count()["send"]-sent)
	}
}

// A store that is slow with each record, and with a pause at each operation,
// is not one that hangs.
func TestStoreIsSlow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := watched(new(store.InMemory), func(ctx context.Context, _ operation, do func(context.Context) error) error {
			time.Sleep(4 * time.Second)
			return do(ctx)
		})
		var l qedtest.Ledger
		c := converse(t, everything(t, &l), st, nil)
		if err := talkOfEverything(c); err != nil {
			t.Error(err)
		}
	})
}

// A store that ignores its context keeps a bounded number of goroutines,
// however many turns it hangs.
func TestStoreHangsForManyTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan bool)
		var hangs atomic.Int32
		st := watched(new(store.InMemory), func(context.Context, operation, func(context.Context) error) error {
			hangs.Add(1)
			<-release
			return errDown
		})
		c := converse(t, does(func(context.Context, string) (string, error) { return "answer", nil }), st, nil)
		for i := range 40 {
			c.thread = fmt.Sprint("thread ", i)
			if a := c.say("go"); a.Saved || a.Text != "answer" {
				t.Errorf("answer = %+v", a)
			}
		}
		if n := hangs.Load(); n > 16 {
			t.Errorf("%d calls hang", n)
		}
		close(release)
		synctest.Wait()
		before := hangs.Load()
		c.say("go")
		if hangs.Load() == before {
			t.Error("the store is not called any more")
		}
	})
}

// The error of a run that cannot be resumed, as the store does not answer, is
// one of time.
func TestResumeWithAHangingStore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		inner := new(store.InMemory)
		agent := everything(t, new(qedtest.Ledger))
		converse(t, agent, inner, nil).say("go")
		st := watched(inner, func(ctx context.Context, _ operation, _ func(context.Context) error) error {
			<-ctx.Done()
			return ctx.Err()
		})
		start := time.Now()
		_, err := converse(t, agent, st, nil).try(qed.Turn{})
		if !errors.Is(err, context.DeadlineExceeded) || time.Since(start) > 10*time.Second {
			t.Errorf("%v after %v", err, time.Since(start))
		}
	})
}

// A process is paused at any operation of its store, for longer than the lease,
// before or after the operation is made. Another one resumes the run meanwhile,
// or begins another. When the first one goes on, no at-most-once call was made
// twice, and the thread is as the other one left it.
func TestPausedAnywhere(t *testing.T) {
	talk := func(c *talk) (err error) {
		asked, err := c.try(qed.Turn{Text: "go"})
		if err != nil || len(asked.Questions) == 0 {
			return err
		}
		_, err = c.try(qed.Turn{Replies: []question.Reply{qedtest.Reply(asked.Questions[0], `"good"`)}})
		return err
	}
	var all []operation
	synctest.Test(t, func(t *testing.T) {
		st := watched(new(store.InMemory), func(ctx context.Context, o operation, do func(context.Context) error) error {
			all = append(all, o)
			return do(ctx)
		})
		if err := talk(converse(t, interviewer(t, new(qedtest.Ledger)), st, nil)); err != nil {
			t.Fatal(err)
		}
	})
	for _, at := range all {
		for _, before := range []bool{true, false} {
			for _, turn := range []qed.Turn{{}, {Text: "go"}} {
				t.Run(fmt.Sprintf("%v before %v, then %q", at, before, turn.Text), func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) {
						var l qedtest.Ledger
						inner := new(store.InMemory)
						other := converse(t, interviewer(t, &l), inner, nil)
						other.ctx = qed.WithClock(t.Context(), func() time.Time { return time.Now().Add(time.Hour) })
						var left []store.Record
						st := watched(inner, func(ctx context.Context, o operation, do func(context.Context) error) error {
							if o != at {
								return do(ctx)
							}
							if before {
								other.try(turn)
								left = qedtest.Log(t, inner, "t")
								return do(ctx)
							}
							err := do(ctx)
							other.try(turn)
							left = qedtest.Log(t, inner, "t")
							return err
						})
						err := talk(converse(t, interviewer(t, &l), st, nil))
						log := qedtest.Log(t, inner, "t")
						made, runs := l.Count(), kindsOf(log)[store.Began]
						if made["send"] > runs || made["more"] > runs {
							t.Errorf("%d runs made the calls %v", runs, made)
						}
						taken := len(left) > 0 && left[len(left)-1].Kind == store.Ended && left[len(left)-1].Run == log[len(log)-1].Run
						if errors.Is(err, store.ErrConflict) && taken && len(log) != len(left) {
							t.Errorf("it had %d records, and then %d", len(left), len(log))
						}
						if _, err := qed.Inspect(t.Context(), inner, "t"); err != nil {
							t.Error(err)
						}
						if a := other.say("again"); !a.Saved {
							t.Errorf("the next turn: %+v", a)
						}
					})
				})
			}
		}
	}
}
