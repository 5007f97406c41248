package postgresdb

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"time"

	"github.com/qedkit/qed/internal/lru"
	"github.com/qedkit/qed/sqldb"
)

type engine struct {
	checked   *lru.Cache[fingerprint, []string] // queries whose tables the server has confirmed: see operatorPath
	supported *lru.Cache[int, struct{}]         // pools whose server's version was checked
}

type fingerprint = [sha256.Size]byte // of a sqldb.Query

var (
	_ sqldb.Engine    = (*engine)(nil)
	_ sqldb.Stopper   = (*engine)(nil)
	_ sqldb.RowReader = (*engine)(nil)
	_ sqldb.Zoner     = (*engine)(nil)
)

func (*engine) Dialect() string { return "postgres" }

func (*engine) Classify(err error) *sqldb.Error { return classify(err) }

// Admit begins the transaction of one statement. All settings are local to the
// transaction, so that the release only ends it.
func (e *engine) Admit(ctx context.Context, conn *sql.Conn, q *sqldb.Query) (func(context.Context) error, error) {
	key := q.Fingerprint()
	path, checked := e.checked.Get(key)
	limit := q.Timeout
	if !checked {
		limit = min(limit, planTime)
	}
	text, err := begin(q, limit, path)
	if err != nil {
		return nil, err
	}
	if _, err := conn.ExecContext(ctx, text); err != nil {
		return nil, refusedSession(err)
	}
	if !checked {
		if err := e.checkPool(ctx, conn, q.Pool); err != nil {
			return nil, err
		}
		path, keep, err := planned(ctx, conn, q)
		if err != nil {
			return nil, err
		}
		if keep {
			e.checked.Add(key, path)
		}
	}
	if err := limitRows(conn, q.MaxRowBytes); err != nil {
		return nil, err
	}
	return func(ctx context.Context) error {
		_, err := conn.ExecContext(ctx, "ROLLBACK")
		return err
	}, nil
}

// checkPool returns an error if the server of a pool is too old. It checks
// again after a while.
func (e *engine) checkPool(ctx context.Context, conn *sql.Conn, pool int) error {
	if _, ok := e.supported.Get(pool); ok {
		return nil
	}
	err := checkVersion(ctx, conn)
	if err == nil {
		e.supported.Add(pool, struct{}{})
	}
	return err
}

// Stop ends the server's process of a query and waits until it is gone. The
// account may end its own processes, whatever role they have.
func (*engine) Stop(ctx context.Context, conn *sql.Conn, q *sqldb.Query) error {
	query := `SELECT pg_catalog.count(pg_catalog.pg_terminate_backend(pid)) FROM pg_catalog.pg_stat_activity
		WHERE application_name = ` + literal(application+q.Tag) + ` AND usename = SESSION_USER
			AND pid <> pg_catalog.pg_backend_pid()`
	for wait := time.Millisecond; ; wait = min(2*wait, 50*time.Millisecond) {
		var running int
		if err := conn.QueryRowContext(ctx, query).Scan(&running); err != nil || running == 0 {
			return err
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
