package serve_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/store"
)

// racing is a store in which somebody else begins a turn of the same conversation just
// before one does.
type racing struct {
	*store.InMemory
	raced atomic.Bool
}

func (r *racing) Append(ctx context.Context, thread string, after int64, recs ...store.Record) error {
	if strings.HasPrefix(thread, store.Reserved) && !r.raced.Swap(true) {
		other := store.Record{Kind: store.Began, Time: time.Now(), Data: []byte(`{"turn":"other"}`)}
		if err := r.InMemory.Append(ctx, thread, after, other); err != nil {
			return err
		}
	}
	return r.InMemory.Append(ctx, thread, after, recs...)
}

// A turn is not harmed if another one begins at the same time, or what was saved late
// of the turn before comes between.
func TestTurnsBeginTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := &racing{InMemory: new(store.InMemory)}
		client, _, closeAll := newPipeServer(t, qed.AgentFunc(paced), st)
		other, _, closeOther := newPipeServer(t, qed.AgentFunc(paced), st)
		whole := sendBy(t, client, "POST", "http://localhost/internal/chat/stream", chat("a", "hello"), "User", "rosa")
		if text(whole.frames) != pacedText {
			t.Fatalf("%+v", whole)
		}
		turn, _, _ := strings.Cut(whole.frames[0].id, ".")
		again := sendBy(t, other, "GET", "http://localhost/internal/chat/stream/a", "", "User", "rosa", "Last-Event-ID", turn+".0")
		if !slices.Equal(whole.frames, again.frames) {
			t.Errorf("%+v", again)
		}
		closeAll()
		closeOther()
	})
}

// flapping is a store that saves the first records of a turn and reports an error, and
// then fails now and then.
type flapping struct {
	*store.InMemory
	appends atomic.Int64 // of the events of turns, from the time when it is set to 1
	thread  atomic.Value // of the events
}

func (f *flapping) Append(ctx context.Context, thread string, after int64, recs ...store.Record) error {
	if strings.HasPrefix(thread, store.Reserved) && f.appends.Load() > 0 {
		f.thread.Store(thread)
		switch f.appends.Add(1) - 1 {
		case 1:
			return errors.Join(errSecret, f.InMemory.Append(ctx, thread, after, recs...))
		case 2, 3, 5, 6:
			return errSecret
		}
	}
	return f.InMemory.Append(ctx, thread, after, recs...)
}

// The events of an earlier turn are removed also if those of the next one are saved in
// several attempts.
func TestEarlierEventsAreRemoved(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := &flapping{InMemory: new(store.InMemory)}
		client, _, closeAll := newPipeServer(t, qed.AgentFunc(paced), st)
		for range 2 {
			got := sendBy(t, client, "POST", "http://localhost/internal/chat/stream", chat("a", "hello"), "User", "rosa")
			if text(got.frames) != pacedText {
				t.Fatalf("%+v", got)
			}
			st.appends.Add(1)
		}
		began := 0
		for _, err := range st.Records(t.Context(), st.thread.Load().(string), store.Range{Kinds: []store.Kind{store.Began}}) {
			if err != nil {
				t.Fatal(err)
			}
			began++
		}
		if began != 1 || st.appends.Load() < 8 {
			t.Errorf("%d turns are left after %d appends", began, st.appends.Load())
		}
		closeAll()
	})
}
