package sqlstore

import (
	"context"
	"database/sql"
	"math"
	"time"

	"github.com/qedkit/qed/store"
)

// Trim implements [store.Store].
func (s *Store) Trim(ctx context.Context, thread string, before int64, kinds ...store.Kind) error {
	const op = "trimming a thread"
	if err := store.CheckThread(thread); err != nil {
		return err
	}
	// The thread may grow meanwhile, but its present last record never becomes
	// one after the last, so the last record is safe.
	key, head, err := s.head(ctx, op, thread)
	before = min(before, head)
	if err != nil || before <= 1 || len(kinds) == 0 {
		return err
	}
	condition, params := s.kinds(kinds)
	return s.write(ctx, op, func() error {
		text := "DELETE FROM qed_records WHERE " + s.engine.texts().within + " AND " + condition
		_, err := session{s: s}.exec(ctx, text, append([]any{key, 1, before - 1}, params...)...)
		return err
	})
}

// Delete implements [store.Store].
func (s *Store) Delete(ctx context.Context, thread string) error {
	const op = "deleting a thread"
	if err := store.CheckThread(thread); err != nil {
		return err
	}
	key, _, err := s.head(ctx, op, thread)
	if err != nil || key == 0 {
		return err
	}
	_, err = s.remove(ctx, op, key, math.MaxInt64)
	return err
}

// Sweep deletes the threads whose last record is older than olderThan, and
// returns their number. A thread that gets a new record meanwhile stays. Each
// thread is deleted in its own transaction, so other writers wait only shortly. A
// store with Options.MaxAge calls Sweep itself.
func (s *Store) Sweep(ctx context.Context, olderThan time.Duration) (deleted int, err error) {
	before := time.Now().Add(-olderThan).UnixMicro()
	last := int64(0)
	for {
		keys, err := s.expired(ctx, last, before)
		if err != nil || len(keys) == 0 {
			return deleted, err
		}
		for _, key := range keys {
			start := time.Now()
			gone, err := s.remove(ctx, sweeping, key, before)
			if err != nil {
				return deleted, err
			}
			if gone {
				deleted++
			}
			if s.engine.singleWriter() {
				// Writers of other processes poll for the lock. Leave it free
				// half of the time.
				select {
				case <-time.After(time.Since(start)):
				case <-ctx.Done():
				}
			}
		}
		last = keys[len(keys)-1]
	}
}

const sweeping = "sweeping"

// expired returns the keys of up to 100 threads, greater than above, whose last
// record was written before a time.
func (s *Store) expired(ctx context.Context, above, before int64) (keys []int64, err error) {
	err = s.try(ctx, sweeping, func() error {
		keys = nil
		return s.query(ctx, s.engine.texts().expired, []any{above, before, 100}, func(rows *sql.Rows) error {
			for rows.Next() {
				var key int64
				if err := rows.Scan(&key); err != nil {
					return err
				}
				keys = append(keys, key)
			}
			return rows.Err()
		})
	})
	return keys, err
}

// sweepUntilClosed calls Sweep at once and then at every interval.
func (s *Store) sweepUntilClosed() {
	tick := time.NewTicker(s.opt.SweepInterval)
	defer tick.Stop()
	for {
		deleted, err := s.Sweep(s.open, s.opt.MaxAge)
		if s.open.Err() != nil {
			return
		}
		if s.opt.OnSweep != nil {
			s.opt.OnSweep(deleted, err)
		}
		select {
		case <-tick.C:
		case <-s.open.Done():
			return
		}
	}
}

// remove deletes a thread with its records if its last record was written before
// a time.
func (s *Store) remove(ctx context.Context, op string, key, before int64) (gone bool, err error) {
	err = s.write(ctx, op, func() (err error) {
		gone, err = s.transaction(ctx, func(on session) (bool, error) {
			// Delete the row of the thread first: it locks out appends.
			n, err := on.exec(ctx, s.engine.texts().deleteThread, key, before)
			if n == 0 || err != nil {
				return false, err
			}
			_, err = on.exec(ctx, "DELETE FROM qed_records WHERE "+s.engine.texts().within, key, 1, maxSeq)
			return true, err
		})
		return err
	})
	return gone, err
}
