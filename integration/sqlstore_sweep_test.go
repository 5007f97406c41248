package integration_test

import (
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/qedkit/qed/store"
	"github.com/qedkit/qed/store/sqlstore"
)

// empty fails if the tables have rows.
func empty(t *testing.T, db *sql.DB) {
	t.Helper()
	for _, table := range []string{"qed_threads", "qed_headers", "qed_records"} {
		var rows int
		if err := db.QueryRow("SELECT count(*) FROM " + table).Scan(&rows); err != nil || rows != 0 {
			t.Errorf("%d rows are left in %s, %v", rows, table, err)
		}
	}
}

// addThread creates a thread whose last run has a status. Its records are written
// by a process whose clock is behind by a time.
func addThread(t *testing.T, s *sqlstore.Store, id string, status store.Status, behind time.Duration) {
	t.Helper()
	h := &store.Header{User: "ann", Status: status, Lease: 30 * time.Second}
	at := time.Now().Add(-behind)
	err := s.Append(t.Context(), id, 0,
		store.Record{Time: at, Kind: store.Began, Header: h}, store.Record{Time: at, Kind: store.Message})
	if err != nil {
		t.Fatal(err)
	}
}

// age makes all threads older by a time, on the server's clock.
func age(t *testing.T, db *sql.DB, d sqlstore.Dialect, by time.Duration) {
	t.Helper()
	mustExec(t, db, fmt.Sprint("UPDATE qed_headers SET updated = updated - ", by.Microseconds()))
	table := "qed_threads"
	if d == sqlstore.SQLite {
		table = "qed_records"
	}
	mustExec(t, db, fmt.Sprint("UPDATE ", table, " SET written = written - ", by.Microseconds()))
}

// listed returns the ids of all threads in alphabetical order.
func listed(t *testing.T, s *sqlstore.Store) (ids []string) {
	t.Helper()
	for info, err := range s.Threads(t.Context(), store.ThreadFilter{}) {
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, info.Thread)
	}
	slices.Sort(ids)
	return ids
}

// Threads go by age as the options say: on the clock of the server, and nothing
// that is running or waits for a reply unless that is asked for.
func TestSQLStoreSweep(t *testing.T) {
	const day = 24 * time.Hour
	for _, e := range storeEngines {
		t.Run(e.name, func(t *testing.T) {
			db := e.create(t)("")
			s := newStore(t, db, e.dialect, nil)
			all := map[string]store.Status{
				"answered": store.StatusAnswered, "failed": store.StatusFailed, "stopped": store.StatusStopped,
				"attached": store.StatusAttached,
				"running":  store.StatusRunning, "waiting": store.StatusInterrupted, "unknown": "something new",
			}
			for id, status := range all {
				addThread(t, s, id, status, 25*time.Hour) // by a clock that is wrong
			}
			if err := s.Append(t.Context(), "headless", 0, store.Record{Kind: store.Message}); err != nil {
				t.Fatal(err)
			}
			sweep := func(maxAge, maxUnfinishedAge time.Duration, left ...string) {
				t.Helper()
				before := listed(t, s)
				n, err := s.Sweep(t.Context(), maxAge, maxUnfinishedAge)
				if got := listed(t, s); !slices.Equal(got, left) || n != len(before)-len(left) || err != nil {
					t.Errorf("after a sweep of %v and %v that deleted %d, %v:\n got %q\nwant %q",
						maxAge, maxUnfinishedAge, n, err, got, left)
				}
			}
			every := []string{"answered", "attached", "failed", "running", "stopped", "unknown", "waiting"}
			sweep(0, 0, every...)
			sweep(day, day, every...)
			age(t, db, e.dialect, 25*time.Hour)
			addThread(t, s, "young", store.StatusAnswered, 0)
			sweep(0, 0, append(every, "young")...)
			sweep(26*time.Hour, 0, append(every, "young")...)
			sweep(day, 0, "running", "unknown", "waiting", "young")
			err := s.Append(t.Context(), "running", 2, store.Record{Time: time.Now(), Kind: store.Heartbeat})
			if err != nil {
				t.Fatal(err)
			}
			sweep(day, day, "running", "unknown", "young")
			age(t, db, e.dialect, 25*time.Hour)
			sweep(0, day, "unknown", "young")
			sweep(day, day, "unknown")
			if last, err := lastOf(t.Context(), s, "headless"); last != 1 || err != nil {
				t.Errorf("the thread without a header ends at %d, %v", last, err)
			}
			for _, id := range []string{"headless", "unknown"} {
				if err := s.Delete(t.Context(), id); err != nil {
					t.Error(err)
				}
			}
			empty(t, db)
		})
	}
}

// A sweep deletes any number of threads.
func TestSQLStoreSweepMany(t *testing.T) {
	for _, e := range storeEngines {
		t.Run(e.name, func(t *testing.T) {
			db := e.create(t)("")
			s := newStore(t, db, e.dialect, nil)
			const n = 250 // more than one page of a list
			for i := range n {
				addThread(t, s, fmt.Sprint(i), []store.Status{store.StatusAnswered, store.StatusFailed}[i%2], 0)
			}
			age(t, db, e.dialect, time.Hour)
			for _, want := range []int{n, 0} {
				if got, err := s.Sweep(t.Context(), time.Minute, 0); got != want || err != nil {
					t.Fatalf("swept %d, %v, want %d", got, err, want)
				}
			}
			empty(t, db)
		})
	}
}

// A thread that gets a record during a sweep either stays, or it is deleted in full
// and the append returns a conflict.
func TestSQLStoreSweepWhileWriting(t *testing.T) {
	for _, e := range storeEngines {
		t.Run(e.name, func(t *testing.T) {
			pool := e.create(t)
			db := pool("")
			s, other := newStore(t, pool(""), e.dialect, nil), newStore(t, pool(""), e.dialect, nil)
			stayed := 0
			for i := range 60 {
				id := fmt.Sprint("thread ", i)
				addThread(t, s, id, store.StatusAnswered, 0)
				age(t, db, e.dialect, 2*time.Hour)
				var group sync.WaitGroup
				var appended, swept error
				group.Go(func() {
					began := entry(0, 0)
					began.Time = began.Time.Add(-25 * time.Hour) // by a clock that is wrong
					began.Header = &store.Header{Status: store.StatusRunning}
					appended = s.Append(t.Context(), id, 2, began)
				})
				group.Go(func() { _, swept = other.Sweep(t.Context(), time.Hour, 0) })
				group.Wait()
				last, err := lastOf(t.Context(), s, id)
				if swept != nil || err != nil {
					t.Fatal(swept, err)
				}
				if appended == nil && last != 3 ||
					appended != nil && (last != 0 || !errors.Is(appended, store.ErrConflict)) {
					t.Fatalf("the append returned %v, and the thread ends at %d", appended, last)
				}
				if last == 3 {
					stayed++
				}
			}
			t.Logf("%d of 60 threads stayed", stayed)
		})
	}
}

// A store sweeps at every interval, even after an error. It does not sweep when
// it is opened.
func TestSQLStoreSweepsByItself(t *testing.T) {
	for _, e := range storeEngines {
		t.Run(e.name, func(t *testing.T) {
			db := e.create(t)("")
			s := newStore(t, db, e.dialect, nil)
			add := func(id string) {
				t.Helper()
				addThread(t, s, id, store.StatusAnswered, 0)
				age(t, db, e.dialect, 25*time.Hour)
			}
			type sweep struct {
				deleted int
				err     error
			}
			sweeps := make(chan sweep)
			next := func(want func(sweep) bool) {
				t.Helper()
				limit := time.After(time.Minute)
				for {
					select {
					case got := <-sweeps:
						if want(got) {
							return
						}
					case <-limit:
						t.Fatal("no such sweep within a minute")
					}
				}
			}
			add("written before the start")
			first := make(chan sweep, 2)
			slow := newStore(t, db, e.dialect, &sqlstore.Options{MaxAge: 24 * time.Hour, SweepInterval: time.Hour,
				OnSweep: func(deleted int, err error) { first <- sweep{deleted, err} }})
			if got := <-first; got.deleted != 1 || got.err != nil { // without waiting for an interval
				t.Errorf("the sweep at the start: %+v", got)
			}
			if err := slow.Close(); err != nil {
				t.Error(err)
			}
			add("written before the next start")
			sweeping, err := sqlstore.New(t.Context(), db, e.dialect, &sqlstore.Options{
				MaxAge: 24 * time.Hour, SweepInterval: time.Millisecond, Retry: noRetry,
				OnSweep: func(deleted int, err error) {
					select {
					case sweeps <- sweep{deleted, err}:
					case <-t.Context().Done():
					}
				},
			})
			if err != nil {
				t.Fatal(err)
			}
			next(func(s sweep) bool { return s.deleted == 1 && s.err == nil })
			mustExec(t, db, "ALTER TABLE qed_headers RENAME TO qed_lost")
			next(func(s sweep) bool { return s.deleted == 0 && s.err != nil })
			mustExec(t, db, "ALTER TABLE qed_lost RENAME TO qed_headers")
			add("written between two sweeps")
			next(func(s sweep) bool { return s.deleted == 1 && s.err == nil })
			closed := make(chan error)
			go func() { closed <- sweeping.Close() }()
			for {
				select {
				case <-sweeps: // a sweep that was running
					continue
				case err := <-closed:
					if err != nil {
						t.Error(err)
					}
				}
				break
			}
			empty(t, db)
		})
	}
}
