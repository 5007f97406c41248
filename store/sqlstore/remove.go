package sqlstore

import (
	"context"
	"database/sql"
	"math"
	"time"

	"github.com/qedkit/qed/store"
)

// Trim does what [qed.Store] says.
func (s *Store) Trim(ctx context.Context, thread string, before int64, kinds ...store.Kind) error {
	const doing = "trimming a thread"
	if err := store.CheckThread(thread); err != nil {
		return err
	}
	// Whatever is appended meanwhile, what is the last record now is at most the last one.
	id, head, err := s.head(ctx, doing, thread)
	before = min(before, head)
	if err != nil || before <= 1 || len(kinds) == 0 {
		return err
	}
	kind, params := s.kinds(kinds)
	return s.write(ctx, doing, func() error {
		text := "DELETE FROM qed_records WHERE " + s.engine.texts().within + " AND " + kind
		_, err := session{s, nil}.exec(ctx, text, append([]any{id, 1, before - 1}, params...)...)
		return err
	})
}

// Delete does what [qed.Store] says.
func (s *Store) Delete(ctx context.Context, thread string) error {
	const doing = "deleting a thread"
	if err := store.CheckThread(thread); err != nil {
		return err
	}
	id, _, err := s.head(ctx, doing, thread)
	if err != nil || id == 0 {
		return err
	}
	_, err = s.remove(ctx, doing, id, math.MaxInt64)
	return err
}

// Sweep deletes the threads whose last record is older than olderThan, and returns how
// many. A thread that somebody appends to meanwhile stays. Each is deleted by itself, so
// nobody waits for long. The sweeps that [New] begins do the same.
func (s *Store) Sweep(ctx context.Context, olderThan time.Duration) (deleted int, err error) {
	before := time.Now().Add(-olderThan).UnixMicro()
	last := int64(0)
	for {
		ids, err := s.idle(ctx, last, before)
		if err != nil || len(ids) == 0 {
			return deleted, err
		}
		for _, id := range ids {
			start := time.Now()
			gone, err := s.remove(ctx, sweeping, id, before)
			if err != nil {
				return deleted, err
			}
			if gone {
				deleted++
			}
			if s.engine.serial() {
				// Writers of other processes come by chance when nobody writes: half of the time.
				select {
				case <-time.After(time.Since(start)):
				case <-ctx.Done():
				}
			}
		}
		last = ids[len(ids)-1]
	}
}

const sweeping = "sweeping"

// idle returns the numbers of some threads above a number whose last record was written
// before a time.
func (s *Store) idle(ctx context.Context, above, before int64) (ids []int64, err error) {
	err = s.try(ctx, sweeping, func() error {
		ids = nil
		return s.query(ctx, s.engine.texts().idle, []any{above, before, 100}, func(rows *sql.Rows) error {
			for rows.Next() {
				var id int64
				if err := rows.Scan(&id); err != nil {
					return err
				}
				ids = append(ids, id)
			}
			return rows.Err()
		})
	})
	return ids, err
}

// sweeps sweeps until the store is closed.
func (s *Store) sweeps() {
	tick := time.NewTicker(s.opt.SweepInterval)
	defer tick.Stop()
	for {
		deleted, err := s.Sweep(s.life, s.opt.MaxAge)
		if s.life.Err() != nil {
			return
		}
		if s.opt.OnSweep != nil {
			s.opt.OnSweep(deleted, err)
		}
		select {
		case <-tick.C:
		case <-s.life.Done():
			return
		}
	}
}

// remove deletes a thread with all its records, unless its last one was not written before
// a time.
func (s *Store) remove(ctx context.Context, doing string, id, before int64) (gone bool, err error) {
	err = s.write(ctx, doing, func() (err error) {
		gone, err = s.transaction(ctx, func(on session) (bool, error) {
			// The thread first: from here on nobody appends to it.
			n, err := on.exec(ctx, s.engine.texts().forget, id, before)
			if n == 0 || err != nil {
				return false, err
			}
			_, err = on.exec(ctx, "DELETE FROM qed_records WHERE "+s.engine.texts().within, id, 1, maxSeq)
			return true, err
		})
		return err
	})
	return gone, err
}
