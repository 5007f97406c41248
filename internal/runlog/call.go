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
	// look-ups and further attempts, a trim, and each record of a read. An append
	// of which the store reports that it waits for a connection or a lock
	// ([store.ErrBusy]) goes on waiting for a lease, or until the context of the
	// run is done. When the
	// context of the run ends, a read ends. Another operation gets half of the
	// patience from then on: the other half is left for the end of the run.
	patience = 10 * time.Second

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
type Calls struct{ abandoned atomic.Int32 }

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

// limited returns the context of an operation within the store's patience.
func (l *Log) limited() (context.Context, context.CancelFunc) {
	if l.opt.NeverWaits {
		return l.writing, func() {}
	}
	ctx, cancel := context.WithTimeout(l.writing, patience-grace)
	stop := context.AfterFunc(l.ctx, func() { time.AfterFunc(patience/2-grace, cancel) })
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
