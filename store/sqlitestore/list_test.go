package sqlitestore_test

import (
	"fmt"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/qedkit/qed/store"
	"github.com/qedkit/qed/store/sqlitestore"
)

// A list of several statuses has a thread once, also if the thread gets another
// status while the list is read.
func TestListWithConcurrentUpdates(t *testing.T) {
	st, err := sqlitestore.Open(filepath.Join(t.TempDir(), "conversations.db"), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	statuses := []store.Status{store.StatusAnswered, store.StatusFailed, store.StatusRunning, store.StatusStopped}
	stop := make(chan struct{})
	var writers sync.WaitGroup
	for i := range 4 {
		writers.Go(func() {
			for after := int64(0); ; after++ {
				select {
				case <-stop:
					return
				default:
				}
				rec := store.Record{Kind: store.Began, Header: &store.Header{Status: statuses[after%4], Lease: time.Hour}}
				if err := st.Append(t.Context(), fmt.Sprint(i), after, rec); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	for range 2000 {
		seen := map[string]string{}
		for info, err := range st.Threads(t.Context(), store.ThreadFilter{Statuses: statuses}) {
			if err != nil {
				t.Fatal(err)
			}
			if before, ok := seen[info.Thread]; ok {
				t.Errorf("thread %s is listed twice, as %s and as %s", info.Thread, before, info.Status)
			}
			seen[info.Thread] = string(info.Status)
		}
	}
	close(stop)
	writers.Wait()
}

// The copy of a thread whose run has crashed is listed and swept as such.
func TestCopyOfACrashedThread(t *testing.T) {
	var from store.InMemory
	rec := store.Record{Kind: store.Began, Header: &store.Header{Status: store.StatusRunning, Lease: -time.Second}}
	if err := from.Append(t.Context(), "thread", 0, rec); err != nil {
		t.Fatal(err)
	}
	st, err := sqlitestore.Open(filepath.Join(t.TempDir(), "conversations.db"), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	crashed := store.ThreadFilter{Statuses: []store.Status{store.StatusCrashed}}
	for info, err := range from.Threads(t.Context(), crashed) {
		if err == nil {
			err = store.CopyThread(t.Context(), &from, st, info.Thread, &info.Header)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	listed := 0
	for _, err := range st.Threads(t.Context(), crashed) {
		if listed++; err != nil {
			t.Fatal(err)
		}
	}
	if listed != 1 {
		t.Errorf("%d crashed threads are listed, want 1", listed)
	}
	if deleted, err := st.Sweep(t.Context(), 0, time.Nanosecond); deleted != 1 || err != nil {
		t.Errorf("%d threads were swept, %v, want 1", deleted, err)
	}
}
