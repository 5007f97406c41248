package postgresdb

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/qedkit/qed/internal/shapes"
	"github.com/qedkit/qed/sqldb"
)

// engine is PostgreSQL, for package sqldb.
type engine struct {
	schema string
	seen   *shapes.Cache // the statements that a server has read, and the servers that will do
}

var (
	_ sqldb.Engine  = (*engine)(nil)
	_ sqldb.Stopper = (*engine)(nil)
)

func (*engine) Dialect() string { return "postgres" }

func (*engine) Classify(err error) *sqldb.Error { return classify(err) }

// Admit begins the transaction of one statement. Everything in it is local to
// the transaction, so that its end is all there is to undo.
func (e *engine) Admit(ctx context.Context, conn *sql.Conn, r *sqldb.Reading) (func(context.Context) error, error) {
	begin, err := begin(r)
	if err != nil {
		return nil, err
	}
	if _, err := conn.ExecContext(ctx, begin); err != nil {
		return nil, refusedSession(err)
	}
	if shape := r.Shape(); !e.seen.Has(shape) {
		if err := e.supported(ctx, conn, r.Pool); err != nil {
			return nil, err
		}
		if err := reread(ctx, conn, r, begin); err != nil {
			return nil, err
		}
		e.seen.Add(shape)
	}
	return func(ctx context.Context) error {
		_, err := conn.ExecContext(ctx, "ROLLBACK")
		return err
	}, nil
}

// supported remembers for a while that a pool's server is one that will do.
func (e *engine) supported(ctx context.Context, conn *sql.Conn, pool int) error {
	key := fmt.Sprintf("version of %d", pool)
	if e.seen.Has(key) {
		return nil
	}
	err := checkVersion(ctx, conn)
	if err == nil {
		e.seen.Add(key)
	}
	return err
}
