package mysqldb

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"time"

	"github.com/qedkit/qed/internal/shapes"
	"github.com/qedkit/qed/sqldb"
)

// engine is MySQL and MariaDB, for package sqldb.
type engine struct {
	connections connections
	admitted    *shapes.Cache // statements that the server was asked about, and pools that were looked at
}

var (
	_ sqldb.Engine  = (*engine)(nil)
	_ sqldb.Stopper = (*engine)(nil)
	_ sqldb.Celler  = (*engine)(nil)
)

func (*engine) Dialect() string { return "mysql" }

func (*engine) Classify(err error) *sqldb.Error { return classify(err) }

// Admit makes the session that r asks for and, unless it is known, has the server
// say what the statement would read. The release is one statement.
func (e *engine) Admit(ctx context.Context, conn *sql.Conn, r *sqldb.Reading) (func(context.Context) error, error) {
	s, err := e.connections.of(ctx, conn)
	if err != nil {
		return nil, err
	}
	if err := e.suitable(ctx, conn, r.Pool, s.version); err != nil {
		return nil, err
	}
	shape := r.Shape()
	known := e.admitted.Has(shape)
	set, err := s.session(r.Session, r.Timeout, !known)
	if err != nil {
		return nil, err
	}
	if err := set.enter(ctx, conn); err != nil {
		return nil, err
	}
	if r.Session.Role != "" {
		if err := setRole(ctx, conn, r.Session.Role); err != nil {
			return nil, err
		}
	}
	text := r.SQL
	r.SQL = s.mark(r.Tag) + text
	if !known {
		if err := reread(ctx, conn, s, r, text); err != nil {
			return nil, err
		}
		e.admitted.Add(shape)
	}
	return func(ctx context.Context) error {
		if r.Session.Role != "" {
			return errRole
		}
		return set.leave(ctx, conn)
	}, nil
}

// errRole keeps a connection from being used again: there is no statement that
// sets back a role to what it was.
var errRole = errors.New("mysqldb: the connection has a role")

// suitable refuses a pool whose data source name is unsuitable. It looks again
// when the server has changed, and from time to time.
func (e *engine) suitable(ctx context.Context, conn *sql.Conn, pool int, version string) error {
	key := fmt.Sprintf("pool %d, version %s", pool, version)
	if e.admitted.Has(key) {
		return nil
	}
	findings, err := unsuitable(ctx, conn)
	if err != nil {
		return err
	}
	if len(findings) > 0 {
		return &sqldb.Error{Kind: sqldb.ErrAccount, Message: findings[0].Message, Findings: findings}
	}
	e.admitted.Add(key)
	return nil
}

// own runs do under settings of our own, as far as the deadline of ctx goes.
func (e *engine) own(ctx context.Context, conn *sql.Conn, do func(*server) error) error {
	s, err := e.connections.of(ctx, conn)
	if err != nil {
		return err
	}
	limit := time.Duration(0)
	if end, ok := ctx.Deadline(); ok {
		limit = time.Until(end)
	}
	set, err := s.session(&sqldb.Session{}, limit, true)
	if err != nil {
		return err
	}
	if err := set.enter(ctx, conn); err != nil {
		return err
	}
	err = do(s)
	if set.leave(ctx, conn) != nil {
		discard(conn)
	}
	return err
}

// discard keeps a connection from going back to the pool.
func discard(conn *sql.Conn) {
	_ = conn.Raw(func(any) error { return driver.ErrBadConn })
}
