package runlog_test

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"testing"
	"testing/synctest"
	"time"

	"github.com/qedkit/qed/internal/runlog"
	"github.com/qedkit/qed/store"
)

var errDown = errors.New("the store is down")

// A faulty is a store whose appends and reads go through functions.
type faulty struct {
	store.InMemory
	append func(ctx context.Context, do func() error) error
	read   func(ctx context.Context) error // an error takes the place of the records
}

func (f *faulty) Append(ctx context.Context, thread string, after int64, recs ...store.Record) error {
	do := func() error { return f.InMemory.Append(ctx, thread, after, recs...) }
	if f.append == nil {
		return do()
	}
	return f.append(ctx, do)
}

func (f *faulty) Records(ctx context.Context, thread string, r store.Range) iter.Seq2[store.Record, error] {
	if f.read != nil {
		if err := f.read(ctx); err != nil {
			return func(yield func(store.Record, error) bool) { yield(store.Record{}, err) }
		}
	}
	return f.InMemory.Records(ctx, thread, r)
}

// kinds returns the kinds of the records of the thread, and fails the test if a
// number is missing.
func (f *faulty) kinds(t *testing.T) (kinds []store.Kind) {
	t.Helper()
	for rec, err := range f.InMemory.Records(t.Context(), "t", store.Range{}) {
		if err != nil {
			t.Fatal(err)
		}
		if kinds = append(kinds, rec.Kind); rec.Seq != int64(len(kinds)) || rec.Run != 1 {
			t.Errorf("record %d has number %d and run %d", len(kinds), rec.Seq, rec.Run)
		}
	}
	return kinds
}

// open returns the log of a run that starts on an empty thread, and the errors
// with which it failed.
func open(t *testing.T, st store.Store) (*runlog.Log, *[]error) {
	var failed []error
	l := runlog.New(t.Context(), runlog.Options{
		Store: st, Thread: "t", Clock: time.Now, Lease: 30 * time.Second,
		Failed: func(err error) { failed = append(failed, err) },
	})
	l.Position(0, 1)
	return l, &failed
}

func record(kind store.Kind) store.Record {
	return store.Record{Kind: kind, Data: json.RawMessage(`1`)}
}

func hang(ctx context.Context) error {
	<-ctx.Done()
	return ctx.Err()
}

// An append is made once, however often the store fails for a moment.
func TestAppendIsRetried(t *testing.T) {
	for name, fail := range map[string]func(n int, do func() error) error{
		"not made": func(n int, do func() error) error {
			if n < 3 {
				return errDown
			}
			return do()
		},
		"made, and lost on the way back": func(n int, do func() error) error {
			if err := do(); err != nil {
				return err
			}
			return errDown
		},
		"panic": func(n int, do func() error) error {
			if n < 3 {
				panic("the driver's")
			}
			return do()
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				n := 0
				st := &faulty{append: func(_ context.Context, do func() error) error { n++; return fail(n, do) }}
				l, failed := open(t, st)
				defer l.Start()()
				for _, kind := range []store.Kind{store.Began, store.Message} {
					n = 0
					if err := l.Append(record(kind)); err != nil {
						t.Fatal(err)
					}
				}
				if got := st.kinds(t); len(got) != 2 || got[1] != store.Message || len(*failed) > 0 {
					t.Errorf("the log has %v, failed with %v", got, *failed)
				}
				if head, possible := l.Head(); head != 2 || len(possible) > 0 {
					t.Errorf("head %d, %v", head, possible)
				}
			})
		})
	}
}

// A store that stays down loses the log. Finish tries again.
func TestLost(t *testing.T) {
	for name, down := range map[string]func(context.Context) error{
		"fails": func(context.Context) error { return errDown },
		"hangs": hang,
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				st := new(faulty)
				l, failed := open(t, st)
				defer l.Start()()
				if err := l.Append(record(store.Began)); err != nil {
					t.Fatal(err)
				}
				st.append = func(ctx context.Context, do func() error) error { return down(ctx) }
				st.read = down
				start := time.Now()
				if err := l.Append(record(store.Checkpoint), record(store.Checkpoint)); err != runlog.ErrLost {
					t.Errorf("append: %v, want ErrLost", err)
				}
				if took := time.Since(start); took > 11*time.Second {
					t.Errorf("it took %v", took)
				}
				if err := l.Append(record(store.Checkpoint)); err != runlog.ErrLost || len(*failed) != 1 || l.Err() == nil {
					t.Errorf("append: %v, failed with %v, reason %v", err, *failed, l.Err())
				}
				if name == "hangs" && !errors.Is(l.Err(), runlog.ErrTimeout) {
					t.Errorf("reason %v, want ErrTimeout", l.Err())
				}
				if head, possible := l.Head(); head != 1 || len(possible) != 1 || possible[0].Seq != 3 {
					t.Errorf("head %d, %v, want 1, 3", head, possible)
				}
				st.append, st.read = nil, nil
				if err := l.Finish(record(store.Ended)); err != nil {
					t.Errorf("finish: %v", err)
				}
				if got := st.kinds(t); len(got) != 2 || got[1] != store.Ended {
					t.Errorf("the log has %v", got)
				}
			})
		})
	}
}

// If somebody else appended, nothing more is appended, not even the end.
func TestConflict(t *testing.T) {
	st := new(faulty)
	l, failed := open(t, st)
	if err := l.Append(record(store.Began)); err != nil {
		t.Fatal(err)
	}
	if err := st.InMemory.Append(t.Context(), "t", 1, store.Record{Kind: store.Resumed, Run: 1}); err != nil {
		t.Fatal(err)
	}
	if err := l.Append(record(store.Checkpoint)); !errors.Is(err, store.ErrConflict) {
		t.Errorf("append: %v, want ErrConflict", err)
	}
	if err := l.Append(record(store.Checkpoint)); err != runlog.ErrLost {
		t.Errorf("second append: %v, want ErrLost", err)
	}
	if err := l.Finish(record(store.Ended)); err == nil || !errors.Is(l.Err(), store.ErrConflict) || len(*failed) != 1 {
		t.Errorf("finish: %v, reason %v, failed with %v", err, l.Err(), *failed)
	}
	if got := st.kinds(t); len(got) != 2 {
		t.Errorf("the log has %v", got)
	}
}

// If somebody else appended while the outcome of an append is unknown, that is a
// conflict and not a retry.
func TestConflictOfAnUnknownAppend(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := new(faulty)
		st.append = func(ctx context.Context, do func() error) error {
			st.append = nil
			st.InMemory.Append(ctx, "t", 0, store.Record{Kind: store.Began, Run: 1, Data: json.RawMessage(`2`)})
			return errDown
		}
		l, _ := open(t, st)
		if err := l.Append(record(store.Began)); !errors.Is(err, store.ErrConflict) {
			t.Errorf("append: %v, want ErrConflict", err)
		}
	})
}

// The heartbeat appends a sign of life every third of the lease, until the end.
func TestHeartbeat(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := new(faulty)
		l, _ := open(t, st)
		stop := l.Start()
		time.Sleep(time.Minute)
		if got := st.kinds(t); len(got) > 0 {
			t.Errorf("before the run: %v", got)
		}
		if err := l.Append(record(store.Began)); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute + time.Second)
		if got := len(st.kinds(t)) - 1; got < 3 || got > 6 {
			t.Errorf("%d signs of life in two leases", got)
		}
		if err := l.Finish(record(store.Ended)); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		stop()
		time.Sleep(time.Minute)
		if got := st.kinds(t); got[len(got)-1] != store.Ended {
			t.Errorf("after the end: %v", got)
		}
	})
}
