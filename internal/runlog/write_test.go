package runlog_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/qedkit/qed/internal/runlog"
	"github.com/qedkit/qed/store"
)

// An append that was made, whose answer and look-ups are lost, is no conflict
// with itself.
func TestNoConflictWithItself(t *testing.T) {
	for name, kinds := range map[string][]store.Kind{"one record": {store.Returned}, "two": {store.Memory, store.Returned}} {
		for failedReads := range 4 {
			synctest.Test(t, func(t *testing.T) {
				st := new(faulty)
				l, failed := open(t, st)
				if err := l.Append(record(store.Began)); err != nil {
					t.Fatal(err)
				}
				heard := false
				st.append = func(_ context.Context, do func() error) error {
					err := do()
					if err == nil && !heard {
						heard = true
						return errDown
					}
					return err
				}
				reads := 0
				st.read = func(context.Context) error {
					if reads++; reads <= failedReads {
						return errDown
					}
					return nil
				}
				var recs []store.Record
				for _, kind := range kinds {
					recs = append(recs, record(kind))
				}
				err := l.Append(recs...)
				if lost := failedReads >= 3; (err != nil) != lost || lost && err != runlog.ErrLost {
					t.Errorf("%s, %d reads failed: %v", name, failedReads, err)
				}
				if err := l.Finish(record(store.Ended)); err != nil {
					t.Errorf("%s, %d reads failed: finish: %v, failed with %v", name, failedReads, err, *failed)
				}
				if got := st.kinds(t); len(got) != 2+len(kinds) || got[len(got)-1] != store.Ended {
					t.Errorf("%s, %d reads failed: the log has %v", name, failedReads, got)
				}
			})
		}
	}
}

// What could not be appended is appended with the end, once, in its order, also
// if the append was made, or is made while the end is appended.
func TestFinishAppendsWhatWasKept(t *testing.T) {
	for name, late := range map[string]func(made bool) bool{
		"not made":      func(bool) bool { return false },
		"made":          func(bool) bool { return true },
		"made too late": func(made bool) bool { return made },
	} {
		synctest.Test(t, func(t *testing.T) {
			st := new(faulty)
			l, _ := open(t, st)
			if err := l.Append(record(store.Began)); err != nil {
				t.Fatal(err)
			}
			var first func() error
			st.append = func(_ context.Context, do func() error) error {
				if first == nil {
					first = do
					if late(false) {
						do()
					}
				}
				return errDown
			}
			st.read = func(context.Context) error { return errDown }
			for _, kind := range []store.Kind{store.Returned, store.Checkpoint, store.Question, store.Checkpoint} {
				if err := l.AppendOrKeep(record(kind)); err != runlog.ErrLost {
					t.Errorf("%s: %v", name, err)
				}
			}
			if err := l.Append(record(store.Called)); err != runlog.ErrLost {
				t.Errorf("%s: %v", name, err)
			}
			st.read = nil
			st.append = func(_ context.Context, do func() error) error {
				st.append = nil
				if late(true) {
					first()
				}
				return do()
			}
			if err := l.Finish(record(store.Ended)); err != nil {
				t.Errorf("%s: finish: %v", name, err)
			}
			want := []store.Kind{store.Began, store.Returned, store.Question, store.Checkpoint, store.Ended}
			if got := st.kinds(t); !slices.Equal(got, want) {
				t.Errorf("%s: the log has %v, want %v", name, got, want)
			}
			if err := l.AppendOrKeep(record(store.Returned)); err != runlog.ErrLost || len(st.kinds(t)) != len(want) {
				t.Errorf("%s: after the end: %v, %v", name, err, st.kinds(t))
			}
		})
	}
}

// What is kept for the end is limited.
func TestKeptIsLimited(t *testing.T) {
	st := new(faulty)
	l, _ := open(t, st)
	if err := l.Append(record(store.Began)); err != nil {
		t.Fatal(err)
	}
	l.Lose(errDown)
	large := func(address string) store.Record {
		return store.Record{Kind: store.Checkpoint, Address: address, Data: make([]byte, 5<<20)}
	}
	for range 3 { // only the last state of a graph is kept
		l.AppendOrKeep(large("a"))
	}
	if !l.Kept() {
		t.Error("a state is not kept")
	}
	l.AppendOrKeep(large("b"))
	if l.Kept() || l.Discard() {
		t.Error("states of 10 MiB are kept")
	}
	if err := l.Finish(record(store.Ended)); err != nil || len(st.kinds(t)) != 2 {
		t.Errorf("finish: %v, %v", err, st.kinds(t))
	}
}

// The error of an operation whose time was over names what the store waited for.
func TestTimeoutOfABusyStore(t *testing.T) {
	for _, busy := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			wait := func(ctx context.Context) error {
				<-ctx.Done()
				if busy {
					return fmt.Errorf("the pool is empty: %w", store.ErrBusy)
				}
				return ctx.Err()
			}
			st := &faulty{append: func(ctx context.Context, _ func() error) error { return wait(ctx) }, read: wait}
			l, _ := open(t, st)
			read := l.Read(store.Range{}, func(store.Record) error { return nil })
			other, _ := open(t, st)
			other.Append(record(store.Began))
			for _, err := range []error{read, other.Err()} {
				if !errors.Is(err, runlog.ErrTimeout) || errors.Is(err, store.ErrBusy) != busy {
					t.Errorf("busy %v: %v", busy, err)
				}
			}
		})
	}
}

// A store whose lock is held elsewhere is waited for once: the other appends of all
// logs fail soon, until one of them succeeds.
func TestStoreIsDown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		locked, tries := true, 0
		st := &faulty{append: func(ctx context.Context, do func() error) error {
			if tries++; !locked {
				return do()
			}
			<-ctx.Done()
			return fmt.Errorf("%w: locked", store.ErrBusy)
		}}
		calls := new(runlog.Calls)
		thread := 0
		turn := func() (time.Duration, error) {
			thread++
			l := runlog.New(t.Context(), runlog.Options{
				Store: st, Thread: fmt.Sprint("t", thread), Clock: time.Now, Lease: time.Minute, Calls: calls,
			})
			defer l.Start()()
			l.Position(0, 1)
			began := time.Now()
			l.AppendOrKeep(record(store.Began))
			err := l.Finish(record(store.Ended))
			return time.Since(began), err
		}
		if took, err := turn(); err != runlog.ErrLost || took > 6*time.Second {
			t.Errorf("the first turn takes %v, %v", took, err)
		}
		before := tries
		for range 3 {
			if took, err := turn(); err != runlog.ErrLost || took > 2*time.Second {
				t.Errorf("a further turn takes %v, %v", took, err)
			}
		}
		if made := tries - before; made > 6 {
			t.Errorf("%d appends of 3 turns wait for the lock", made)
		}
		locked = false
		for range 2 {
			if took, err := turn(); err != nil || took > 0 {
				t.Errorf("afterwards: %v, %v", took, err)
			}
		}
	})
}
