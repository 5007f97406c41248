package integration_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/qedkit/qed/store"
	"github.com/qedkit/qed/store/sqlstore"
)

// entry returns the nth record of a writer.
func entry(writer, n int) store.Record {
	data := fmt.Appendf(nil, `"%d of %d"`, n, writer)
	return store.Record{Time: time.Now(), Kind: store.Message, Address: fmt.Sprint(writer), Data: data}
}

// lastOf returns the number of a thread's last record.
func lastOf(ctx context.Context, s store.Store, thread string) (int64, error) {
	for rec, err := range s.Records(ctx, thread, store.Range{NewestFirst: true, Limit: 1}) {
		return rec.Seq, err
	}
	return 0, nil
}

// Several processes append to one thread, each with its own pool. Of concurrent
// appends one succeeds and the others get a conflict; none is lost or made twice.
func TestSQLStoreRace(t *testing.T) {
	const processes, each = 4, 25
	for _, e := range storeEngines {
		t.Run(e.name, func(t *testing.T) {
			pool := e.create(t)
			var group sync.WaitGroup
			stores := make([]*sqlstore.Store, processes)
			for p := range stores {
				stores[p] = newStore(t, pool(""), e.dialect, nil)
			}
			conflicts := make([]int, processes)
			for p, s := range stores {
				group.Go(func() {
					for n := 0; n < each; {
						after, err := lastOf(t.Context(), s, "thread")
						if err == nil {
							err = s.Append(t.Context(), "thread", after, entry(p, n))
						}
						switch {
						case err == nil:
							n++
						case errors.Is(err, store.ErrConflict):
							conflicts[p]++
						default:
							t.Errorf("process %d: %v", p, err)
							return
						}
					}
				})
			}
			group.Wait()
			next := make([]int, processes)
			seq := int64(0)
			for rec, err := range stores[0].Records(t.Context(), "thread", store.Range{}) {
				if err != nil {
					t.Fatal(err)
				}
				var p, n int
				fmt.Sscanf(string(rec.Data), `"%d of %d`, &n, &p)
				if seq++; rec.Seq != seq || n != next[p] {
					t.Errorf("record %d has number %d and is record %d of process %d, want %d",
						seq, rec.Seq, n, p, next[p])
				}
				next[p]++
			}
			if seq != processes*each {
				t.Errorf("%d records, want %d", seq, processes*each)
			}
			t.Logf("conflicts: %v", conflicts)
		})
	}
}

// Concurrent appends, trims, deletions and sweeps fail only with conflicts, and
// leave whole threads or none.
func TestSQLStoreConcurrentChanges(t *testing.T) {
	for _, e := range storeEngines {
		t.Run(e.name, func(t *testing.T) {
			pool := e.create(t)
			ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
			defer cancel()
			var group sync.WaitGroup
			work := func(name string, do func(s *sqlstore.Store, n int) error) {
				s := newStore(t, pool(""), e.dialect, nil)
				group.Go(func() {
					for n := 0; ctx.Err() == nil; n++ {
						if err := do(s, n); err != nil && !errors.Is(err, store.ErrConflict) && ctx.Err() == nil {
							t.Errorf("%s: %v", name, err)
							return
						}
					}
				})
			}
			thread := func(n int) string { return fmt.Sprint("thread ", n%3) }
			for w := range 2 {
				work("append", func(s *sqlstore.Store, n int) error {
					after, err := lastOf(ctx, s, thread(n))
					if err == nil {
						first := entry(w, n)
						first.Header = &store.Header{User: "ann", Status: store.StatusAnswered}
						err = s.Append(ctx, thread(n), after, first, entry(w, n), entry(w, n))
					}
					return err
				})
			}
			work("trim", func(s *sqlstore.Store, n int) error {
				return s.Trim(ctx, thread(n), int64(n%20), store.Message)
			})
			work("delete", func(s *sqlstore.Store, n int) error {
				time.Sleep(5 * time.Millisecond)
				return s.Delete(ctx, thread(n))
			})
			work("sweep", func(s *sqlstore.Store, n int) error {
				_, err := s.Sweep(ctx, 3*time.Millisecond, 0)
				return err
			})
			work("list", func(s *sqlstore.Store, n int) error {
				for info, err := range s.Threads(ctx, store.ThreadFilter{}) {
					if err != nil || info.User != "ann" || info.Last < 3 {
						return errors.Join(err, fmt.Errorf("listed %+v", info))
					}
				}
				return nil
			})
			group.Wait()

			db := pool("")
			s := newStore(t, db, e.dialect, nil)
			for n := range 3 {
				after, err := lastOf(t.Context(), s, thread(n))
				if err == nil {
					err = s.Append(t.Context(), thread(n), after, entry(9, 9))
				}
				if err == nil {
					err = s.Delete(t.Context(), thread(n))
				}
				if err != nil {
					t.Error(err)
				}
			}
			empty(t, db)
		})
	}
}
