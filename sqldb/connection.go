package sqldb

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"time"
)

// connectTime is the maximum wait for a connection while another replica could
// be used instead.
const connectTime = 5 * time.Second

// An attempt does something with a connection of r, and closes the connection.
// Its error is an [*Error]. retry reports that nothing came of the attempt yet,
// so that it can be repeated on another connection.
type attempt func(ctx context.Context, r *replica, conn *sql.Conn) (retry bool, err error)

// A connectError is the reason why a pool returned no connection.
type connectError struct{ error }

func (e *connectError) Unwrap() error { return e.error }

// onAnyReplica makes an attempt on one replica after another until one of them
// is reached: first on the healthy ones, then on one that is down.
func (db *DB) onAnyReplica(ctx context.Context, do attempt) error {
	var err error = newError(ErrClosed, "the DB was closed")
	var tried []*replica
	for {
		r, healthy := db.replicas.choose(tried)
		if r == nil {
			return err
		}
		var connectLimit time.Duration
		if end, ok := ctx.Deadline(); ok && healthy && len(tried)+1 < len(db.replicas.all) {
			connectLimit = min(time.Until(end)/2, connectTime)
		}
		var retry bool
		if retry, err = db.onReplica(ctx, r, connectLimit, do); !retry || !healthy {
			return err
		}
		tried = append(tried, r)
	}
}

// onReplica makes an attempt on r, which was chosen or acquired, and releases
// r. It reports whether r could not be reached, so that the attempt can be
// repeated on another replica.
func (db *DB) onReplica(
	ctx context.Context, r *replica, connectLimit time.Duration, do attempt,
) (retry bool, err error) {
	state := unknown
	defer func() { db.replicas.release(r, state) }()
	if r.slots != nil {
		select {
		case r.slots <- struct{}{}:
			defer func() { <-r.slots }()
		case <-ctx.Done():
			e := db.failure(ctx, ctx.Err())
			e.Message += fmt.Sprintf(", while all %d connections of the pool were in use", cap(r.slots))
			return false, e
		}
	}
	retry, err = r.connect(ctx, connectLimit, do)
	var noConn *connectError
	if errors.As(err, &noConn) {
		err = noConn.error
	}
	var known *Error
	if err != nil && !errors.As(err, &known) {
		known = db.failure(ctx, err)
		if noConn != nil && known.Kind == ErrTimeout {
			known.Message += ", before there was a connection: check the address of the server"
		}
		err = known
	}
	switch {
	case err == nil:
		state = healthy
	case ctx.Err() != nil:
	case noConn != nil:
		state = down // also if the server refuses the account: another server may accept it
	case known.Kind != ErrUnavailable:
		state = healthy // the server returned this error
	case retry:
		state = down
	}
	return state == down, err
}

// connect makes an attempt on a connection of the pool. If the connection was
// idle and turns out to be closed, before anything was sent, the attempt is
// repeated on the next one: database/sql does not do that for a [sql.Conn].
// connectLimit bounds the wait for a connection; 0 means no limit.
func (r *replica) connect(ctx context.Context, connectLimit time.Duration, do attempt) (retry bool, err error) {
	for {
		idle := r.pool.Stats().Idle > 0
		conn, err := r.conn(ctx, connectLimit)
		if err != nil {
			return true, &connectError{err}
		}
		if retry, err = do(ctx, r, conn); !retry || !idle || !errors.Is(err, driver.ErrBadConn) {
			return retry, err
		}
	}
}

func (r *replica) conn(ctx context.Context, limit time.Duration) (*sql.Conn, error) {
	if limit <= 0 {
		return r.pool.Conn(ctx)
	}
	short, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	conn, err := r.pool.Conn(short)
	if err != nil && short.Err() != nil && ctx.Err() == nil {
		return nil, errorf(ErrUnavailable, "no connection within %v", limit)
	}
	return conn, err
}

// withConn calls do and returns conn to its pool. It closes the connection
// instead if do returns false or panics.
func withConn(conn *sql.Conn, do func() (keep bool)) {
	keep, panicked := false, true
	defer func() {
		switch {
		case panicked:
			abandon(conn)
		case keep:
			conn.Close()
		default:
			discard(conn)
		}
	}()
	keep = do()
	panicked = false
}

// discard closes a connection instead of returning it to the pool.
func discard(conn *sql.Conn) {
	_ = conn.Raw(func(any) error { return driver.ErrBadConn })
}

// abandon is discard during a panic. If the driver panicked, database/sql may
// hold a lock forever that closing waits for. The connection, and with it one
// of the pool's connections, is then given up after a while.
func abandon(conn *sql.Conn) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		discard(conn)
	}()
	select {
	case <-done:
	case <-time.After(cleanupTime):
	}
}
