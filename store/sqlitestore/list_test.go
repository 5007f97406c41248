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
