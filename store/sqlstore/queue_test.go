package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	driver "modernc.org/sqlite"

	"github.com/qedkit/qed/internal/poll"
	"github.com/qedkit/qed/store"
)

// A held is a store whose appends wait for a group until it is released.
type held struct {
	*Store
	db *sql.DB
}

// hold opens a store on an SQLite file, all of whose lanes are in use.
func hold(t *testing.T) *held {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+filepath.Join(t.TempDir(), "host.db")+
		"?_txlock=immediate&_pragma=journal_mode(wal)&_pragma=synchronous(normal)")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	s, err := New(t.Context(), db, SQLite, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	s.queue.busy = s.engine.lanes()
	return &held{s, db}
}

// release passes a lane on, as an append does that was made.
func (h *held) release() { h.queue.next() }

// start starts an append of two records.
func (h *held) start(ctx context.Context, thread string, after int64) chan error {
	done := make(chan error, 1)
	go func() {
		done <- h.Append(ctx, thread, after, said(thread), said(thread))
	}()
	return done
}

// wait returns when n appends wait for a group.
func (h *held) wait(t *testing.T, n int) {
	t.Helper()
	h.until(t, func() bool {
		waiting := 0
		for _, g := range h.queue.waiting {
			waiting += len(g.appends)
		}
		return waiting == n
	})
}

// until returns when the queue is in a state.
func (h *held) until(t *testing.T, state func() bool) {
	t.Helper()
	poll.Until(t, "the queue reaches the state", func() bool {
		h.queue.mu.Lock()
		defer h.queue.mu.Unlock()
		return state()
	})
}

func said(text string) store.Record {
	return store.Record{Time: time.Now(), Kind: store.Message, Address: text, Data: fmt.Appendf(nil, "%q", text)}
}

// length returns the number of records of a thread, which must have no gap.
func (h *held) length(t *testing.T, thread string) (n int64) {
	t.Helper()
	for rec, err := range h.Records(context.Background(), thread, store.Range{}) {
		if n++; err != nil || rec.Seq != n || rec.Address != thread {
			t.Fatalf("record %d of %s is number %d of %s, %v", n, thread, rec.Seq, rec.Address, err)
		}
	}
	return n
}

// A conflict of an append does not concern the other appends of its group.
func TestGroupConflict(t *testing.T) {
	h := hold(t)
	after := []int64{0, 1, 0, 7, 0, -1}
	var done []chan error
	for i, n := range after {
		done = append(done, h.start(t.Context(), fmt.Sprint("thread ", i), n))
	}
	same := []chan error{h.start(t.Context(), "same", 0), h.start(t.Context(), "same", 0)}
	h.wait(t, len(after)+1) // a negative number does not wait
	h.release()
	for i, n := range after {
		err := <-done[i]
		want := int64(2)
		if n != 0 {
			want = 0
		}
		if errors.Is(err, store.ErrConflict) != (n != 0) || err != nil && n == 0 {
			t.Errorf("after %d: %v", n, err)
		}
		if got := h.length(t, fmt.Sprint("thread ", i)); got != want {
			t.Errorf("after %d: %d records, want %d", n, got, want)
		}
	}
	one, two := <-same[0], <-same[1]
	if (one == nil) == (two == nil) || !errors.Is(errors.Join(one, two), store.ErrConflict) || h.length(t, "same") != 2 {
		t.Errorf("two appends to a thread: %v, %v", one, two)
	}
}

// An append that the database refuses does not fail the other appends of its
// group.
func TestGroupRefused(t *testing.T) {
	h := hold(t)
	if _, err := h.db.Exec(`CREATE TRIGGER refuse BEFORE INSERT ON qed_records WHEN new.address = 'refused'
		BEGIN SELECT RAISE(ABORT, 'refused'); END`); err != nil {
		t.Fatal(err)
	}
	refused, others := h.start(t.Context(), "refused", 0), []chan error{}
	for i := range 5 {
		others = append(others, h.start(t.Context(), fmt.Sprint("thread ", i), 0))
	}
	h.wait(t, 6)
	h.release()
	var cause *driver.Error
	if err := <-refused; !errors.As(err, &cause) {
		t.Errorf("refused: %v", err)
	}
	for i, done := range others {
		if err := <-done; err != nil {
			t.Errorf("thread %d: %v", i, err)
		}
	}
	for i := range 5 {
		if n := h.length(t, fmt.Sprint("thread ", i)); n != 2 {
			t.Errorf("thread %d has %d records", i, n)
		}
	}
	if n := h.length(t, "refused"); n != 0 {
		t.Errorf("the refused append made %d records", n)
	}
}

// An append whose context ends while it waits returns at once and is not made.
// Another append of its group is made.
func TestGroupCancelled(t *testing.T) {
	h := hold(t)
	ctx, cancel := context.WithCancelCause(t.Context())
	cause := errors.New("why")
	one, two := h.start(ctx, "one", 0), h.start(t.Context(), "two", 0)
	h.wait(t, 2)
	cancel(cause)
	if err := <-one; !errors.Is(err, context.Canceled) || !errors.Is(err, cause) {
		t.Errorf("cancelled: %v", err)
	}
	h.release()
	if err := <-two; err != nil {
		t.Error(err)
	}
	if one, two := h.length(t, "one"), h.length(t, "two"); one != 0 || two != 2 {
		t.Errorf("%d records of the cancelled append, and %d of the other one", one, two)
	}
}

// A group that every caller left is not made, and does not stop the next one.
func TestGroupLeft(t *testing.T) {
	h := hold(t)
	ctx, cancel := context.WithCancel(t.Context())
	one, two := h.start(ctx, "one", 0), h.start(ctx, "two", 0)
	h.wait(t, 2)
	h.writing <- struct{}{}
	h.release()
	three := h.start(t.Context(), "three", 0)
	h.wait(t, 1)
	cancel()
	for _, done := range []chan error{one, two} {
		if err := <-done; !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	}
	h.wait(t, 0)
	<-h.writing
	if err := <-three; err != nil {
		t.Error(err)
	}
	if one, three := h.length(t, "one"), h.length(t, "three"); one != 0 || three != 2 {
		t.Errorf("%d and %d records", one, three)
	}
}

// Close ends a group that is being made, lets waiting appends fail with
// ErrClosed, and leaves no goroutine.
func TestGroupClose(t *testing.T) {
	h := hold(t)
	h.writing <- struct{}{}
	one := h.start(t.Context(), "one", 0)
	h.wait(t, 1)
	h.release()
	two := h.start(t.Context(), "two", 0)
	h.wait(t, 1)
	if err := h.Close(); err != nil {
		t.Error(err)
	}
	for _, done := range []chan error{one, two} {
		if err := <-done; !errors.Is(err, ErrClosed) {
			t.Error(err)
		}
	}
	if err := h.Append(t.Context(), "three", 0, said("three")); !errors.Is(err, ErrClosed) {
		t.Error(err)
	}
	stacks := make([]byte, 1<<20)
	if stacks := string(stacks[:runtime.Stack(stacks, true)]); strings.Contains(stacks, "(*queue).run") {
		t.Error("a group is still made")
	}
}
