package sqlstore

import (
	"context"
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
	condition, params := kindCondition(s.engine, kinds)
	return s.write(ctx, op, func() error {
		text := s.engine.texts().trim + condition
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
	_, err = s.remove(ctx, op, s.engine.texts().deleteThread, key)
	return err
}

// finished are the statuses of threads that nobody waits for.
var finished = []store.Status{store.StatusAnswered, store.StatusFailed, store.StatusStopped, store.StatusAttached}

// unfinished are the other statuses. The process of a crashed run may return, or
// another one may resume the run.
var unfinished = []store.Status{store.StatusRunning, store.StatusCrashed, store.StatusInterrupted}

// Sweep deletes threads by age, and returns their number. A store with
// [Options].MaxAge or MaxUnfinishedAge calls Sweep itself.
//
//   - maxAge is for threads whose last run was answered, failed or stopped, and for
//     those with [store.StatusAttached]. maxUnfinishedAge is for threads whose last
//     run is running, has crashed or waits for a reply. An age of 0 or less keeps
//     the threads.
//   - The age of a thread is the time since its last run ended, or for an
//     unfinished or attached one since its last record. It is by the clock of the database
//     server, and for SQLite by that of the machine.
//   - A thread without a header is kept: see [store.Header].
//   - A thread that gets a new record meanwhile stays. Each thread is deleted in
//     its own transaction, so other writers wait only shortly.
func (s *Store) Sweep(ctx context.Context, maxAge, maxUnfinishedAge time.Duration) (deleted int, err error) {
	now, err := s.now(ctx, sweeping)
	if err != nil {
		return 0, err
	}
	for _, group := range []struct {
		statuses []store.Status
		age      time.Duration
	}{{finished, maxAge}, {unfinished, maxUnfinishedAge}} {
		if group.age <= 0 {
			continue
		}
		before := now.Add(-group.age)
		for e, err := range s.entries(ctx, sweeping, store.ThreadFilter{Statuses: group.statuses, To: before}) {
			if err != nil {
				return deleted, err
			}
			if !e.written.Before(before) {
				continue
			}
			gone, err := s.expire(ctx, e)
			if err != nil {
				return deleted, err
			}
			if gone {
				deleted++
			}
		}
	}
	return deleted, nil
}

const sweeping = "sweeping"

// expire deletes a thread if it has no new record.
func (s *Store) expire(ctx context.Context, e entry) (gone bool, err error) {
	start := time.Now()
	t := s.engine.texts()
	gone, err = s.remove(ctx, sweeping, t.deleteThread+t.ifLast, e.at.Key, e.Last)
	if err == nil && s.engine.singleWriter() {
		// Writers of other processes poll for the lock. Leave it free half of
		// the time.
		select {
		case <-time.After(time.Since(start)):
		case <-ctx.Done():
		}
	}
	return gone, err
}

// sweepUntilClosed calls Sweep now and after every interval. A process that is
// restarted more often than that deletes old threads too.
func (s *Store) sweepUntilClosed() {
	tick := time.NewTicker(s.opt.SweepInterval)
	defer tick.Stop()
	for {
		deleted, err := s.Sweep(s.open, s.opt.MaxAge, s.opt.MaxUnfinishedAge)
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

// remove deletes a thread with its records. text deletes the row of the thread;
// its first parameter is the thread's key. If it deletes no row, nothing is
// deleted.
func (s *Store) remove(ctx context.Context, op, text string, params ...any) (gone bool, err error) {
	err = s.write(ctx, op, func() (err error) {
		gone, err = s.transaction(ctx, func(on session) (bool, error) {
			// Delete the row of the thread first: it locks out appends.
			n, err := on.exec(ctx, text, params...)
			if n == 0 || err != nil {
				return false, err
			}
			if _, err := on.exec(ctx, "DELETE FROM qed_headers WHERE thread = ?", params[0]); err != nil {
				return false, err
			}
			_, err = on.exec(ctx, s.engine.texts().deleteRecords, params[0])
			return true, err
		})
		return err
	})
	return gone, err
}
