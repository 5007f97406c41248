package runlog_test

import (
	"context"
	"errors"
	"iter"
	"testing"
	"testing/synctest"
	"time"

	"github.com/qedkit/qed/internal/runlog"
	"github.com/qedkit/qed/store"
)

// A read is given up if the store does not answer, and is retried if it fails.
func TestRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := new(faulty)
		l, _ := open(t, st)
		defer l.Start()()
		if err := l.Append(record(store.Began), record(store.Message)); err != nil {
			t.Fatal(err)
		}
		tries, n := 0, 0
		st.read = func(context.Context) error {
			if tries++; tries < 3 {
				return errDown
			}
			return nil
		}
		read := func() error {
			n = 0
			return l.Read(store.Range{}, func(store.Record) error { n++; return nil })
		}
		if err := l.Retry(read); err != nil || n != 2 || tries != 3 {
			t.Errorf("%d records in %d attempts, %v", n, tries, err)
		}
		st.read = hang
		start := time.Now()
		if err := read(); !errors.Is(err, runlog.ErrTimeout) || time.Since(start) > 6*time.Second {
			t.Errorf("%v after %v, want ErrTimeout", err, time.Since(start))
		}
	})
}

// The patience is for each record: a long read is not given up, and one without
// progress is. A store that ignores its context is abandoned.
func TestReadWithoutProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := &slow{wait: 3 * time.Second, left: 1 << 30, hung: make(chan bool)}
		l, _ := open(t, st)
		defer l.Start()()
		recs := make([]store.Record, 50)
		for i := range recs {
			recs[i] = record(store.Checkpoint)
		}
		if err := l.Append(recs...); err != nil {
			t.Fatal(err)
		}
		n := 0
		read := func() error {
			n = 0
			return l.Read(store.Range{}, func(store.Record) error { n++; return nil })
		}
		if err := read(); err != nil || n != 50 {
			t.Errorf("%d records, %v", n, err)
		}
		st.left = 20
		start := time.Now()
		if err := read(); !errors.Is(err, runlog.ErrTimeout) || n != 20 || time.Since(start) > 20*3*time.Second+6*time.Second {
			t.Errorf("%d records, %v after %v", n, err, time.Since(start))
		}
		close(st.hung)
		time.Sleep(time.Minute) // the call ends, and its records have no effect
		if n != 20 {
			t.Errorf("%d records", n)
		}
	})
}

// A slow store takes its time for each record. After some of them it hangs, and
// ignores its context.
type slow struct {
	store.InMemory
	wait time.Duration
	left int
	hung chan bool
}

func (s *slow) Records(ctx context.Context, thread string, r store.Range) iter.Seq2[store.Record, error] {
	return func(yield func(store.Record, error) bool) {
		n := 0
		for rec, err := range s.InMemory.Records(ctx, thread, r) {
			if n++; n > s.left {
				<-s.hung
			}
			time.Sleep(s.wait)
			if !yield(rec, err) {
				return
			}
		}
	}
}
