package runlog_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/qedkit/qed/internal/runlog"
	"github.com/qedkit/qed/store"
)

// counted returns a function that returns how many records each append to st
// had until now.
func counted(st *faulty) func() []int {
	var mu sync.Mutex
	var sizes []int
	last := int64(0)
	st.append = func(ctx context.Context, do func() error) error {
		if err := do(); err != nil {
			return err
		}
		mu.Lock()
		defer mu.Unlock()
		n := 0
		for rec := range st.InMemory.Records(ctx, "t", store.Range{From: last + 1}) {
			last = rec.Seq
			n++
		}
		sizes = append(sizes, n)
		return nil
	}
	return func() []int {
		mu.Lock()
		defer mu.Unlock()
		return slices.Clone(sizes)
	}
}

// Records are appended in the order of the calls, with their numbers, before
// what is appended next, what is read, and the end.
func TestLater(t *testing.T) {
	for name, next := range map[string]struct {
		do    func(*runlog.Log) error
		sizes []int
	}{
		"append": {func(l *runlog.Log) error { return l.Append(record(store.Called)) }, []int{1, 3}},
		"append or keep": {
			func(l *runlog.Log) error { return l.AppendOrKeep(record(store.Question)) }, []int{1, 2, 1},
		},
		"end": {func(l *runlog.Log) error { return l.Finish(record(store.Ended)) }, []int{1, 3}},
		"time": {func(*runlog.Log) error {
			time.Sleep(10 * time.Millisecond)
			synctest.Wait()
			return nil
		}, []int{1, 2}},
		"read": {func(l *runlog.Log) error {
			n := 0
			err := l.Read(store.Range{}, func(store.Record) error { n++; return nil })
			if n != 3 {
				return errors.New("the read misses records")
			}
			return err
		}, []int{1, 2}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				st := new(faulty)
				sizes := counted(st)
				l, failed := open(t, st)
				stop := l.Start()
				if err := l.Append(record(store.Began)); err != nil {
					t.Fatal(err)
				}
				recs := []store.Record{record(store.Returned), record(store.Checkpoint)}
				for i := range recs {
					if err := l.Later(recs[i : i+1]...); err != nil {
						t.Fatal(err)
					}
					if rec := recs[i]; rec.Seq != int64(i+2) || rec.Run != 1 || !rec.Time.Equal(l.Now()) {
						t.Errorf("record %d is %+v", i, rec)
					}
				}
				if n := len(sizes()); n != 1 {
					t.Errorf("there were %d appends", n)
				}
				if err := next.do(l); err != nil {
					t.Error(err)
				}
				if got := sizes(); !slices.Equal(got, next.sizes) {
					t.Errorf("the appends have %v records, want %v", got, next.sizes)
				}
				got := st.kinds(t)
				if len(got) < 3 || got[1] != store.Returned || got[2] != store.Checkpoint || len(*failed) > 0 {
					t.Errorf("the log has %v, failed with %v", got, *failed)
				}
				stop()
			})
		})
	}
}

// While an append is under way, Later does not wait, up to a limit, and the
// numbers follow those of the append.
func TestLaterDoesNotWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := new(faulty)
		l, failed := open(t, st)
		defer l.Start()()
		if err := l.Append(record(store.Began)); err != nil {
			t.Fatal(err)
		}
		st.append = func(_ context.Context, do func() error) error { time.Sleep(time.Second); return do() }
		go l.Append(record(store.Called), record(store.Message))
		synctest.Wait()
		start := time.Now()
		data, _ := json.Marshal(strings.Repeat("x", 100_000))
		for i := range 11 {
			rec := []store.Record{{Kind: store.Checkpoint, Data: data}}
			if err := l.Later(rec...); err != nil || rec[0].Seq != int64(i+4) {
				t.Fatal(rec[0].Seq, err)
			}
		}
		if took := time.Since(start); took > 0 {
			t.Errorf("it waited %v", took)
		}
		if err := l.Later(store.Record{Kind: store.Checkpoint, Data: data}); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(start); took == 0 {
			t.Error("there is no limit")
		}
		if got := st.kinds(t); len(got) != 15 || len(*failed) > 0 {
			t.Errorf("%d records, failed with %v", len(got), *failed)
		}
	})
}

// If an append in the background fails, the log is lost. The records, and
// those after them, go with the end, once.
func TestLaterFails(t *testing.T) {
	for name, fail := range map[string]func(ctx context.Context, do func() error) error{
		"not made": func(context.Context, func() error) error { return errDown },
		"made":     func(_ context.Context, do func() error) error { do(); return errDown },
		"hangs":    func(ctx context.Context, _ func() error) error { return hang(ctx) },
	} {
		for _, with := range []string{"time", "an append", "Lose"} {
			t.Run(name+" "+with, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					st := new(faulty)
					l, failed := open(t, st)
					defer l.Start()()
					if err := l.Append(record(store.Began)); err != nil {
						t.Fatal(err)
					}
					st.append = fail
					st.read = func(context.Context) error { return errDown }
					l.Later(record(store.Checkpoint))
					l.Later(record(store.Returned))
					switch with {
					case "time":
						time.Sleep(time.Minute)
						synctest.Wait()
					case "an append":
						if err := l.Append(record(store.Called)); err != runlog.ErrLost {
							t.Errorf("append: %v, want ErrLost", err)
						}
					case "Lose":
						l.Lose(errDown)
					}
					if len(*failed) != 1 || l.Err() == nil {
						t.Errorf("failed with %v, reason %v", *failed, l.Err())
					}
					if err := l.Later(record(store.Saved)); err != runlog.ErrLost {
						t.Errorf("Later: %v, want ErrLost", err)
					}
					st.append, st.read = nil, nil
					if err := l.Finish(record(store.Ended)); err != nil {
						t.Errorf("finish: %v", err)
					}
					want := []store.Kind{store.Began, store.Checkpoint, store.Returned, store.Saved, store.Ended}
					if name == "made" && with == "an append" {
						want = slices.Insert(want, 3, store.Called)
					}
					if got := st.kinds(t); !slices.Equal(got, want) {
						t.Errorf("the log has %v, want %v", got, want)
					}
				})
			})
		}
	}
}

// A conflict in the background is reported at once, and ends all appends.
func TestLaterConflicts(t *testing.T) {
	for _, waits := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			st := new(faulty)
			l, failed := open(t, st)
			defer l.Start()()
			if err := l.Append(record(store.Began)); err != nil {
				t.Fatal(err)
			}
			if err := st.InMemory.Append(t.Context(), "t", 1, store.Record{Kind: store.Resumed, Run: 1}); err != nil {
				t.Fatal(err)
			}
			l.Later(record(store.Checkpoint))
			if waits {
				time.Sleep(time.Second)
				synctest.Wait()
				if len(*failed) != 1 || !errors.Is((*failed)[0], store.ErrConflict) {
					t.Errorf("failed with %v", *failed)
				}
			}
			if err := l.Finish(record(store.Ended)); !errors.Is(err, store.ErrConflict) {
				t.Errorf("finish: %v, want ErrConflict", err)
			}
			if got := st.kinds(t); len(got) != 2 || len(*failed) != 1 {
				t.Errorf("the log has %v, failed with %v", got, *failed)
			}
		})
	}
}

// After the run is stopped nothing is appended, and no goroutine is left: a
// bubble waits for its goroutines.
func TestLaterIsStopped(t *testing.T) {
	for _, under := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			st := new(faulty)
			l, _ := open(t, st)
			stop := l.Start()
			if err := l.Append(record(store.Began)); err != nil {
				t.Fatal(err)
			}
			st.append = func(ctx context.Context, _ func() error) error { return hang(ctx) }
			l.Later(record(store.Checkpoint))
			if under {
				time.Sleep(time.Second)
				l.Later(record(store.Checkpoint))
			}
			stop()
			st.append = nil
			if err := l.Later(record(store.Checkpoint)); err != runlog.ErrLost {
				t.Errorf("Later: %v, want ErrLost", err)
			}
			time.Sleep(time.Minute)
			if got := st.kinds(t); len(got) != 1 {
				t.Errorf("the log has %v", got)
			}
		})
	}
}

// With a store that never waits, records are appended at once.
func TestLaterNeverWaits(t *testing.T) {
	st := new(faulty)
	l := runlog.New(t.Context(), runlog.Options{
		Store: st, Thread: "t", Clock: time.Now, Lease: time.Minute, NeverWaits: true,
	})
	l.Position(0, 1)
	if err := l.Later(record(store.Began)); err != nil || len(st.kinds(t)) != 1 {
		t.Errorf("%v, %v", st.kinds(t), err)
	}
}
