package sqlstore

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"
)

// write is try for what changes something.
func (s *Store) write(ctx context.Context, doing string, do func() error) error {
	if !s.engine.serial() {
		return s.try(ctx, doing, do)
	}
	return s.try(ctx, doing, func() error {
		// The engine itself makes writers wait by having them ask again and again.
		select {
		case s.writing <- struct{}{}:
			defer func() { <-s.writing }()
			return do()
		case <-ctx.Done():
			return ctx.Err()
		}
	})
}

// try does something until it succeeds, or the attempts are used up, or fails in a
// way that lasts.
func (s *Store) try(ctx context.Context, doing string, do func() error) error {
	wait := s.opt.RetryDelay
	for attempt := 0; ; attempt++ {
		if err := cancelled(ctx, doing); err != nil {
			return err
		}
		if s.life.Err() != nil {
			return ErrClosed
		}
		err := do()
		if err == nil {
			return nil
		}
		if ended := cancelled(ctx, doing); ended != nil {
			return ended
		}
		if s.life.Err() != nil || errors.Is(err, ErrClosed) {
			return ErrClosed
		}
		if attempt >= s.opt.RetryAttempts || lasting(err) {
			return &failure{doing, err}
		}
		select {
		case <-time.After(wait + rand.N(wait/4+1)):
		case <-ctx.Done():
		case <-s.life.Done():
		}
		wait *= 2
	}
}
