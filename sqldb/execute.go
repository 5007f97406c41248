package sqldb

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"time"
)

// cleanupTime is the time limit of what is done after a statement, even if the
// caller's context has ended: resetting its connection and stopping what is
// left of it.
const cleanupTime = 5 * time.Second

// drainTime is how long a driver may read the rest of a result that was cut. A
// longer rest is stopped, which costs a connection.
const drainTime = 250 * time.Millisecond

// execute admits q on conn, calls do, and closes conn. When it returns, nothing of the
// query runs on the server any more.
func (db *DB) execute(
	ctx context.Context, r *replica, conn *sql.Conn, q *Query, do func(context.Context, *sql.Conn, *Query) (ended bool, err error),
) (err error) {
	ended := false // on the server
	defer func() {
		if ended || db.stopper == nil {
			return
		}
		patience := cleanupTime
		if gaveUp(ctx, err) {
			patience = grace // the server does not look for interrupts
		}
		err = db.stop(ctx, r, q, patience, err)
	}()
	withConn(conn, func() (keep bool) {
		var release func(context.Context) error
		if release, err = db.engine.Admit(ctx, conn, q); err != nil {
			ended, err = db.ended(ctx, err)
			return false
		}
		ended, err = do(ctx, conn, q)
		if !ended && db.stopper != nil {
			return false
		}
		if err == nil && q.Complete != nil {
			if err = q.Complete(ctx); err != nil {
				err = db.failure(ctx, err)
				return false
			}
		}
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), cleanupTime)
		defer cancel()
		return release(ctx) == nil
	})
	return err
}

// run runs a statement that was admitted. It reports whether the statement has
// ended on the server, with success or not.
func (db *DB) run(ctx context.Context, conn *sql.Conn, q *Query, to *receiver) (got result, ended bool, err error) {
	statement, cancel := context.WithCancel(ctx)
	defer cancel()
	failed := db.open(statement, conn, q, func(rows Rows) {
		defer rows.Close()
		defer cancel() // before Close, which reads the rest after a panic
		err = db.each(rows, q, to, &got)
		switch {
		case err != nil && q.Receiver != nil && q.Receiver.Exceeded():
			err = errorf(ErrTooLarge, "a row exceeds %d bytes (8 MiB more than Options.MaxBytes): select fewer columns, "+
				"or parts of long values", q.MaxRowBytes)
		case !got.complete:
			timer := time.AfterFunc(drainTime, cancel)
			ended = rows.Close() == nil && statement.Err() == nil
			timer.Stop()
			if err != nil {
				err = db.failure(ctx, err)
			}
		case err != nil:
			ended, err = db.ended(ctx, err)
		default:
			ended = true
		}
	})
	if failed != nil {
		ended, err = db.ended(ctx, failed)
	}
	return got, ended, err
}

// ended returns the [Error] for err, and reports whether nothing runs on the
// server any more: the server returned err, or nothing was sent to it. A driver
// that returns [ErrTooLarge] for a row may have closed the connection itself.
func (db *DB) ended(ctx context.Context, err error) (bool, error) {
	e := db.failure(ctx, err)
	if ctx.Err() != nil || gaveUp(ctx, e) {
		return false, e
	}
	return e.Kind != ErrUnavailable && e.Kind != ErrTooLarge || errors.Is(err, driver.ErrBadConn), e
}

// gaveUp reports whether an engine gave up waiting for the server before ctx
// ended.
func gaveUp(ctx context.Context, err error) bool {
	var e *Error
	return ctx.Err() == nil && errors.As(err, &e) && errors.Is(e.Err, context.DeadlineExceeded)
}

// stop stops on the server what is left of a query that ended with cause. It
// returns cause, with a note if the query could not be stopped in time.
func (db *DB) stop(ctx context.Context, r *replica, q *Query, patience time.Duration, cause error) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer cancel()
	_, err := r.connect(ctx, 0, func(ctx context.Context, _ *replica, conn *sql.Conn) (retry bool, err error) {
		withConn(conn, func() (keep bool) {
			err = db.stopper.Stop(ctx, conn, q)
			return err == nil
		})
		return true, err
	})
	var known *Error
	if err == nil || !errors.As(cause, &known) {
		return cause
	}
	e := *known
	e.Message += "; the server did not confirm that the statement has ended"
	e.Err = errors.Join(e.Err, err)
	return &e
}
