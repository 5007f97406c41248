package sqlstore

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// write is [Store.try] for operations that write.
func (s *Store) write(ctx context.Context, op string, do func() error) error {
	return s.try(ctx, op, func() error { return s.exclusive(ctx, do) })
}

// exclusive calls do. If the engine has a single writer, it makes the others
// wait here: SQLite would make them poll.
func (s *Store) exclusive(ctx context.Context, do func() error) error {
	if !s.engine.singleWriter() {
		return do()
	}
	select {
	case s.writing <- struct{}{}:
		defer func() { <-s.writing }()
		return do()
	case <-ctx.Done():
		return ctx.Err()
	}
}

// try calls do until it succeeds, fails with a permanent error, or the attempts
// of the retry policy are used up. op names the operation in errors. If ctx is
// done during a further attempt, the error has the reason of the one before.
func (s *Store) try(ctx context.Context, op string, do func() error) error {
	var last error
	waits := s.db.Stats().WaitCount
	for attempt := 1; ; attempt++ {
		if err := cancelled(ctx, op); err != nil {
			return after(last, err)
		}
		if s.open.Err() != nil {
			return ErrClosed
		}
		err := do()
		if err == nil {
			return nil
		}
		if ended := cancelled(ctx, op); ended != nil {
			if pool := s.db.Stats(); pool.WaitCount > waits && pool.InUse == pool.MaxOpenConnections {
				last = errPool
			}
			return after(last, ended)
		}
		if s.open.Err() != nil || errors.Is(err, ErrClosed) {
			return ErrClosed
		}
		last = &failure{op: op, err: err}
		if attempt >= s.opt.Retry.Attempts || permanent(err) {
			return last
		}
		wait, _ := s.opt.Retry.Delay(attempt, 0)
		select {
		case <-time.After(wait):
		case <-ctx.Done():
		case <-s.open.Done():
		}
	}
}

// after returns err with the error of the attempt before it, which may be nil.
func after(last, err error) error {
	if last == nil {
		return err
	}
	return fmt.Errorf("%w (before: %w)", err, last)
}
