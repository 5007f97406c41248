package runlog

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/qedkit/qed/store"
)

const (
	// patience is how long an operation waits for the store: an append with its
	// look-ups and further attempts, a trim, and each record of a read. When the
	// context of the run ends, a read ends. Another operation gets half of the
	// patience from then on: the other half is left for the end of the run.
	patience = 5 * time.Second

	// shortPatience is the patience while the store is down: since an operation of
	// any run did not end in time, until an append succeeds.
	shortPatience = time.Second

	// grace is the last part of patience. A store that has not returned when
	// its context was done for so long is abandoned.
	grace = 200 * time.Millisecond

	// maxAbandoned limits the abandoned calls that have not returned.
	maxAbandoned = 16
)

// ErrTimeout reports that the store did not answer in time.
var ErrTimeout = fmt.Errorf("qed: the store does not answer: %w", context.DeadlineExceeded)

// timeout returns the error of an operation whose time was over when it failed
// with err. It names what the store waited for, if err does.
func timeout(err error) error {
	if errors.Is(err, store.ErrBusy) {
		return fmt.Errorf("%w: %w", ErrTimeout, err)
	}
	return ErrTimeout
}

// Calls makes the calls of a store. It abandons a call that does not return
// when its context is done: the goroutine of the call ends when the store
// returns, and what it returns has no effect. There are at most 16 such
// goroutines. While there are, other calls fail with [ErrTimeout] at once.
//
// The zero value is ready to use. Logs of the same store share one.
//
// Calls remembers that the store is down: since an operation did not end in time,
// until an append succeeds. A lock of another process can last longer than any turn,
// and only one of the runs should wait for it. While the store is down, one append at
// a time tries whether it works again, with a short patience. Others fail at once.
type Calls struct {
	abandoned atomic.Int32
	down      atomic.Bool
	probing   atomic.Bool
}

// patience returns how long an operation may wait for the store.
func (c *Calls) patience() time.Duration {
	if c.down.Load() {
		return shortPatience
	}
	return patience
}

// enter begins an append, which must call leave with its error. It returns
// [ErrTimeout] while the store is down and another append tries it, unless the append
// is the last of its run.
func (c *Calls) enter(last bool) (limit time.Duration, leave func(error), err error) {
	limit = c.patience()
	probes := limit == shortPatience && c.probing.CompareAndSwap(false, true)
	if limit == shortPatience && !probes && !last {
		return 0, nil, ErrTimeout
	}
	return limit, func(err error) {
		if probes {
			c.probing.Store(false)
		}
		c.down.Store(errors.Is(err, ErrTimeout))
	}, nil
}

// Do calls f on a goroutine of its own. A panic becomes an error. If ctx is done
// and f does not return, its error is that of ctx.
func (c *Calls) Do(ctx context.Context, f func(context.Context) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if c.abandoned.Load() >= maxAbandoned {
		return ErrTimeout
	}
	done := make(chan error, 1)
	var over atomic.Bool // the call has returned, or is abandoned
	go func() {
		err := errors.New("the store ended its goroutine")
		defer func() {
			done <- err
			if over.Swap(true) {
				c.abandoned.Add(-1)
			}
		}()
		defer recoverInto(&err)
		err = f(ctx)
	}()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
	}
	late := time.NewTimer(grace)
	defer late.Stop()
	select {
	case err := <-done:
		return err
	case <-late.C:
	}
	c.abandoned.Add(1)
	if over.Swap(true) { // it has returned meanwhile
		c.abandoned.Add(-1)
		return <-done
	}
	return ctx.Err()
}

// call calls f, which calls the store.
func (l *Log) call(ctx context.Context, f func(context.Context) error) (err error) {
	if !l.opt.NeverWaits {
		return l.opt.Calls.Do(ctx, f)
	}
	defer recoverInto(&err)
	return f(ctx)
}

// limited returns the context of an operation within a limit.
func (l *Log) limited(limit time.Duration) (context.Context, context.CancelFunc) {
	if l.opt.NeverWaits {
		return l.writing, func() {}
	}
	ctx, cancel := context.WithTimeout(l.writing, limit-grace)
	stop := context.AfterFunc(l.ctx, func() { time.AfterFunc(limit/2-grace, cancel) })
	return ctx, func() { stop(); cancel() }
}

// recoverInto turns a panic of the store into an error.
func recoverInto(err *error) {
	switch v := recover().(type) {
	case nil:
	case error:
		*err = fmt.Errorf("the store panicked: %w", v)
	default:
		*err = fmt.Errorf("the store panicked: %v", v)
	}
}
