package postgresdb

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"github.com/qedkit/qed/internal/failure"
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

func (c *catalog) each(ctx context.Context, query string, dest []any, row func()) error {
	return each(ctx, c.tx, query, dest, row)
}

// A querier is a connection or a transaction.
type querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// each runs a query and calls row after it has scanned each row into dest.
func each(ctx context.Context, q querier, query string, dest []any, row func()) error {
	rows, err := q.QueryContext(ctx, query)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := rows.Scan(dest...); err != nil {
			return err
		}
		row()
	}
	return rows.Err()
}

// A list is a list of names, which the queries return as JSON.
type list []string

// Scan parses the JSON.
func (l *list) Scan(value any) error {
	*l = nil
	switch v := value.(type) {
	case nil:
		return nil
	case []byte:
		return json.Unmarshal(v, (*[]string)(l))
	case string:
		return json.Unmarshal([]byte(v), (*[]string)(l))
	}
	return fmt.Errorf("postgresdb: scan %T as a list of names", value)
}

// oldest is the first version that writes every float without loss, and that
// knows WITH .. AS MATERIALIZED.
const oldest = 120000

// checkVersion returns an error if the server is too old.
func checkVersion(ctx context.Context, q querier) error {
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
