package sqldb

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"time"
)

// connectTime bounds the wait for a connection where another replica is left to
// go to.
const connectTime = 5 * time.Second

// attempt works on a connection of p, which it closes; its errors are [*Error].
// again says of an error that nothing came of the attempt yet, so that another
// may be made.
type attempt func(ctx context.Context, p *replica, conn *sql.Conn) (again bool, err error)

// unreached is why there is no connection of a pool.
type unreached struct{ error }

func (u *unreached) Unwrap() error { return u.error }

// anywhere makes an attempt on one replica after another until one is reached:
// on those that are well, and then on one of those that are left alone.
func (db *DB) anywhere(ctx context.Context, do attempt) error {
	var err error = &Error{Kind: ErrClosed, Message: "the DB was closed"}
	var tried []*replica
	for {
		p, well := db.replicas.choose(tried)
		if p == nil {
			return err
		}
		var patience time.Duration
		if end, ok := ctx.Deadline(); ok && well && len(tried)+1 < len(db.replicas.all) {
			patience = min(time.Until(end)/2, connectTime)
		}
		var again bool
		if again, err = db.on(ctx, p, patience, do); !again || !well {
			return err
		}
		tried = append(tried, p)
	}
}

// on makes an attempt on p, which was chosen, and reports whether it may be made
// on another because p was not reached.
func (db *DB) on(ctx context.Context, p *replica, patience time.Duration, do attempt) (again bool, err error) {
	health := unknown
	defer func() { db.replicas.leave(p, health) }()
	if p.slots != nil {
		select {
		case p.slots <- struct{}{}:
			defer func() { <-p.slots }()
		case <-ctx.Done():
			e := db.failure(ctx, ctx.Err())
			e.Message += fmt.Sprintf(", while all %d connections of the pool were in use", cap(p.slots))
			return false, e
		}
	}
	again, err = p.connect(ctx, patience, do)
	var away *unreached
	if errors.As(err, &away) {
		err = away.error
	}
	var known *Error
	if err != nil && !errors.As(err, &known) {
		known = db.failure(ctx, err)
		err = known
	}
	switch {
	case err == nil:
		health = well
	case ctx.Err() != nil:
	case away != nil:
		health = lost // also where the server refuses the account: another may take it
	case known.Kind != ErrConnect:
		health = well // it answered
	case again:
		health = lost
	}
	return health == lost, err
}

// connect makes an attempt on a connection of the pool. One that was kept and
// turns out to be closed, before anything was sent, makes room for another: for
// a connection that is held, database/sql does not do that itself. With
// patience, a connection is waited for no longer than that.
func (p *replica) connect(ctx context.Context, patience time.Duration, do attempt) (again bool, err error) {
	for {
		kept := p.pool.Stats().Idle > 0
		conn, err := p.conn(ctx, patience)
		if err != nil {
			return true, &unreached{err}
		}
		if again, err = do(ctx, p, conn); !again || !kept || !errors.Is(err, driver.ErrBadConn) {
			return again, err
		}
	}
}

func (p *replica) conn(ctx context.Context, patience time.Duration) (*sql.Conn, error) {
	if patience <= 0 {
		return p.pool.Conn(ctx)
	}
	short, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	conn, err := p.pool.Conn(short)
	if err != nil && short.Err() != nil && ctx.Err() == nil {
		return nil, &Error{Kind: ErrConnect, Message: fmt.Sprintf("no connection came within %v", patience)}
	}
	return conn, err
}

// use closes conn after do: for good where do says that it is not to be kept,
// or panics.
func use(conn *sql.Conn, do func() (keep bool)) {
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

// discard closes a connection and keeps it from going back to the pool.
func discard(conn *sql.Conn) {
	_ = conn.Raw(func(any) error { return driver.ErrBadConn })
}

// abandon is discard during a panic. Where it was the driver that panicked,
// database/sql may hold a lock for ever that closing waits for: then the
// connection is given up, and with it one of the pool's.
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
