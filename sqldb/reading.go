package sqldb

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"time"
)

// cleanupTime bounds what is done after a statement, whoever has gone meanwhile:
// to set its connection back, and to stop what is left of it.
const cleanupTime = 5 * time.Second

// drainTime is how long a driver may read away the rest of a result that was
// cut. A longer rest is stopped, which costs a connection.
const drainTime = 250 * time.Millisecond

// execute executes a reading on conn and closes that. When it returns, nothing
// of the reading runs on the server any more.
func (db *DB) execute(ctx context.Context, p *replica, conn *sql.Conn, r *Reading) (got result, err error) {
	ended := false // on the server
	defer func() {
		if !ended && db.stopper != nil {
			err = db.stop(ctx, p, r, err)
		}
	}()
	use(conn, func() (keep bool) {
		var release func(context.Context) error
		if release, err = db.engine.Admit(ctx, conn, r); err != nil {
			ended, err = db.ended(ctx, err)
			return false
		}
		got, ended, err = db.run(ctx, conn, r.SQL)
		if !ended && db.stopper != nil {
			return false
		}
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), cleanupTime)
		defer cancel()
		return release(ctx) == nil
	})
	return got, err
}

// run runs a statement that was admitted. It reports whether the statement has
// ended on the server, for better or worse.
func (db *DB) run(ctx context.Context, conn *sql.Conn, text string) (got result, ended bool, err error) {
	statement, cancel := context.WithCancel(ctx)
	defer cancel()
	rows, err := conn.QueryContext(statement, text)
	if err != nil {
		ended, err = db.ended(ctx, err)
		return got, ended, err
	}
	defer rows.Close()
	err = db.collect(rows, &got)
	switch {
	case !got.all:
		enough := time.AfterFunc(drainTime, cancel)
		ended = rows.Close() == nil && statement.Err() == nil
		enough.Stop()
		if err != nil {
			err = db.failure(ctx, err)
		}
	case err != nil:
		ended, err = db.ended(ctx, err)
	default:
		ended = true
	}
	return got, ended, err
}

// ended gives err its kind and reports whether it leaves nothing running: the
// server said it, or nothing was sent.
func (db *DB) ended(ctx context.Context, err error) (bool, error) {
	e := db.failure(ctx, err)
	if ctx.Err() != nil {
		return false, e
	}
	return e.Kind != ErrConnect || errors.Is(err, driver.ErrBadConn), e
}

// stop ends on the server what is left of a reading that ended with cause. A
// failure to do so is told along with that.
func (db *DB) stop(ctx context.Context, p *replica, r *Reading, cause error) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), cleanupTime)
	defer cancel()
	_, err := p.connect(ctx, 0, func(ctx context.Context, _ *replica, conn *sql.Conn) (again bool, err error) {
		use(conn, func() (keep bool) {
			err = db.stopper.Stop(ctx, conn, r)
			return err == nil
		})
		return true, err
	})
	var known *Error
	if err == nil || !errors.As(cause, &known) {
		return cause
	}
	e := *known
	e.Message += "; the server did not confirm that nothing of it runs any more"
	e.Err = errors.Join(e.Err, err)
	return &e
}
