package postgresdb

import (
	"context"
	"database/sql"
	"time"

	"github.com/qedkit/qed/sqldb"
)

// Stop ends the server's process of a reading and waits until it has gone. The
// account may end its own; who it is does not change with a role.
func (*engine) Stop(ctx context.Context, conn *sql.Conn, r *sqldb.Reading) error {
	query := `SELECT pg_catalog.count(pg_catalog.pg_terminate_backend(pid)) FROM pg_catalog.pg_stat_activity
		WHERE application_name = ` + literal(application+r.Tag) + ` AND usename = SESSION_USER AND pid <> pg_catalog.pg_backend_pid()`
	for pause := time.Millisecond; ; pause = min(2*pause, 50*time.Millisecond) {
		var left int
		if err := conn.QueryRowContext(ctx, query).Scan(&left); err != nil || left == 0 {
			return err
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
