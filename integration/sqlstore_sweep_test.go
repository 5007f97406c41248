package integration_test

import (
	"database/sql"
	"errors"
	"fmt"
	"math"
	"sync"
	"testing"
	"time"

	"github.com/qedkit/qed/store"
	"github.com/qedkit/qed/store/sqlstore"
)

// empty fails if the tables have rows.
func empty(t *testing.T, db *sql.DB) {
	t.Helper()
	for _, table := range []string{"qed_threads", "qed_records"} {
		var rows int
		if err := db.QueryRow("SELECT count(*) FROM " + table).Scan(&rows); err != nil || rows != 0 {
			t.Errorf("%d rows are left in %s, %v", rows, table, err)
		}
	}
}

func TestSQLStoreSweep(t *testing.T) {
	for _, e := range storeEngines {
		t.Run(e.name, func(t *testing.T) {
			db := e.create(t)("")
			s := newStore(t, db, e.dialect, keepAll)
			aged := func(age time.Duration) store.Record {
				return store.Record{Time: time.Now().Add(-age), Kind: store.Message, Data: []byte(`"text"`)}
			}
			const old = 250 // more than one search returns
			for i := range old {
				recs := []store.Record{aged(time.Hour), aged(time.Hour), aged(61 * time.Minute)}
				if err := s.Append(t.Context(), fmt.Sprint("old ", i), 0, recs...); err != nil {
					t.Fatal(err)
				}
			}
			if err := s.Append(t.Context(), "young", 0, aged(50*time.Hour), aged(59*time.Minute)); err != nil {
				t.Fatal(err)
			}
			for _, want := range []int{old, 0} {
				if n, err := s.Sweep(t.Context(), time.Hour); n != want || err != nil {
					t.Fatalf("swept %d, %v, want %d", n, err, want)
				}
			}
			if last, err := lastOf(t.Context(), s, "young"); last != 2 || err != nil {
				t.Errorf("the young thread ends at %d, %v", last, err)
			}
			if n, err := s.Sweep(t.Context(), time.Minute); n != 1 || err != nil {
				t.Fatalf("swept %d, %v, want 1", n, err)
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
			s, other := newStore(t, pool(""), e.dialect, keepAll), newStore(t, pool(""), e.dialect, keepAll)
			stayed := 0
			for i := range 60 {
				thread := fmt.Sprint("thread ", i)
				old := store.Record{Time: time.Unix(0, 0), Kind: store.Message}
				if err := s.Append(t.Context(), thread, 0, old); err != nil {
					t.Fatal(err)
				}
				var group sync.WaitGroup
				var appended, swept error
				group.Go(func() { appended = s.Append(t.Context(), thread, 1, entry(0, 0)) })
				group.Go(func() { _, swept = other.Sweep(t.Context(), time.Hour) })
				group.Wait()
				last, err := lastOf(t.Context(), s, thread)
				if swept != nil || err != nil {
					t.Fatal(swept, err)
				}
				if appended == nil && last != 2 ||
					appended != nil && (last != 0 || !errors.Is(appended, store.ErrConflict)) {
					t.Fatalf("the append returned %v, and the thread ends at %d", appended, last)
				}
				if last == 2 {
					stayed++
				}
			}
			t.Logf("%d of 60 threads stayed", stayed)
		})
	}
}

// A store sweeps at its start and at every interval, even after an error.
func TestSQLStoreSweepsByItself(t *testing.T) {
	for _, e := range storeEngines {
		t.Run(e.name, func(t *testing.T) {
			db := e.create(t)("")
			s := newStore(t, db, e.dialect, keepAll)
			add := func(thread string) {
				t.Helper()
				old := store.Record{Time: time.Now().Add(-25 * time.Hour), Kind: store.Message}
				if err := s.Append(t.Context(), thread, 0, old); err != nil {
					t.Fatal(err)
				}
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
			sweeping, err := sqlstore.New(t.Context(), db, e.dialect, &sqlstore.Options{
				SweepInterval: time.Millisecond, Retry: noRetry,
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
			mustExec(t, db, "ALTER TABLE qed_threads RENAME TO qed_lost")
			next(func(s sweep) bool { return s.deleted == 0 && s.err != nil })
			mustExec(t, db, "ALTER TABLE qed_lost RENAME TO qed_threads")
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
			if _, err := s.Sweep(t.Context(), math.MaxInt64); err != nil {
				t.Error(err)
			}
			empty(t, db)
		})
	}
}
