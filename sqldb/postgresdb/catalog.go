package postgresdb

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"github.com/qedkit/qed/sqldb"
)

// catalog reads the server's catalogue in one transaction, which sees it at one
// moment.
type catalog struct {
	tx     *sql.Tx
	schema string // the one to introspect
}

// catalog begins to read the catalogue; close ends that. Names in its queries are
// looked for in the server's own schema alone.
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
	c = &catalog{tx: tx, schema: e.schema}
	if c.schema == "" {
		var current sql.NullString
		if err := tx.QueryRowContext(ctx, "SELECT pg_catalog.current_schema()::pg_catalog.text").Scan(&current); err != nil {
			return nil, err
		}
		c.schema = current.String
	}
	limit := time.Hour
	if end, ok := ctx.Deadline(); ok {
		limit = max(time.Until(end), time.Millisecond)
	}
	_, err = tx.ExecContext(ctx, "SELECT pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', true), pg_catalog.set_config('client_encoding', 'UTF8', true), "+
		"pg_catalog.set_config('statement_timeout', '"+strconv.FormatInt(limit.Milliseconds(), 10)+"', true)")
	return c, err
}

func (c *catalog) close() { c.tx.Rollback() }

// each runs a query and calls row for each of its rows, once that is in dest.
func (c *catalog) each(ctx context.Context, query string, dest []any, row func() error) error {
	rows, err := c.tx.QueryContext(ctx, query)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := rows.Scan(dest...); err != nil {
			return err
		}
		if err := row(); err != nil {
			return err
		}
	}
	return rows.Err()
}

// list is a list of names, as the catalogue's queries answer it.
type list []string

// Scan reads a list in JSON.
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
	return fmt.Errorf("postgresdb: a list as %T", value)
}

// oldest is the first server that writes every float so that it reads back as it
// was, and that knows WITH .. AS MATERIALIZED.
const oldest = 120000

// checkVersion refuses a server that is too old.
func checkVersion(ctx context.Context, q interface {
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}) error {
	var version int
	if err := q.QueryRowContext(ctx, "SELECT pg_catalog.current_setting('server_version_num')::pg_catalog.int4").Scan(&version); err != nil {
		return err
	}
	if version >= oldest {
		return nil
	}
	is := strconv.Itoa(version / 10000)
	if version < 100000 { // when two numbers made a major version
		is += "." + strconv.Itoa(version/100%100)
	}
	return &sqldb.Error{Kind: sqldb.ErrUnreadable, Message: fmt.Sprintf("the server is PostgreSQL %s: %d is the oldest that can be read", is, oldest/10000)}
}
