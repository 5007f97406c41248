package postgresdb

import (
	"context"
	"database/sql"
	"strconv"
	"time"

	"github.com/qedkit/qed/internal/failure"
	"github.com/qedkit/qed/internal/keyset"
	"github.com/qedkit/qed/sqldb"
)

// A catalog reads the server's catalogue in one transaction, and so at one
// point in time.
type catalog struct {
	tx      *sql.Tx
	current string // the first schema of the account's search path that exists, or empty
}

// catalog begins a transaction that reads the catalogue; close ends it. The
// search path of its queries is pg_catalog alone.
func (e *engine) catalog(ctx context.Context, conn *sql.Conn) (c *catalog, err error) {
	tx, err := conn.BeginTx(ctx, &sql.TxOptions{Isolation: sql.LevelRepeatableRead, ReadOnly: true})
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			tx.Rollback()
		}
	}()
	if err := checkVersion(ctx, tx); err != nil {
		return nil, err
	}
	c = &catalog{tx: tx}
	const current = "SELECT coalesce(pg_catalog.current_schema()::pg_catalog.text, '')"
	if err := tx.QueryRowContext(ctx, current).Scan(&c.current); err != nil {
		return nil, err
	}
	limit := time.Hour
	if end, ok := ctx.Deadline(); ok {
		limit = max(time.Until(end), time.Millisecond)
	}
	_, err = tx.ExecContext(ctx, "SELECT pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', true), "+
		// Names of any bytes cannot be converted.
		"pg_catalog.set_config('client_encoding', CASE pg_catalog.getdatabaseencoding() WHEN 'SQL_ASCII' THEN 'SQL_ASCII' "+
		"ELSE 'UTF8' END, true), "+
		"pg_catalog.set_config('statement_timeout', '"+strconv.FormatInt(limit.Milliseconds(), 10)+"', true)")
	return c, err
}

func (c *catalog) close() { c.tx.Rollback() }

// oldest is the first version that writes every float without loss, and that
// knows WITH .. AS MATERIALIZED.
const oldest = 120000

// checkVersion returns an error if the server is too old.
func checkVersion(ctx context.Context, q keyset.Querier) error {
	var version int
	const query = "SELECT pg_catalog.current_setting('server_version_num')::pg_catalog.int4"
	if err := q.QueryRowContext(ctx, query).Scan(&version); err != nil {
		return err
	}
	if version >= oldest {
		return nil
	}
	text := strconv.Itoa(version / 10000)
	if version < 100000 { // before version 10, a major version had two numbers
		text += "." + strconv.Itoa(version/100%100)
	}
	return failure.Newf(sqldb.ErrUnreadable,
		"the server is PostgreSQL %s: %d is the oldest supported version", text, oldest/10000)
}
