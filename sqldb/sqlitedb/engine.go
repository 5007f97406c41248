package sqlitedb

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"io"
	"strings"

	"github.com/qedkit/qed/internal/ascii"
	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/sqldb"
)

// engine is SQLite, for package sqldb.
type engine struct{}

func (engine) Dialect() string { return "sqlite" }

func (engine) Classify(err error) *sqldb.Error { return classify(err) }

// Admit lets one statement read what r names, and what the views among that
// read in turn. The release takes everything away again.
func (engine) Admit(ctx context.Context, pinned *sql.Conn, r *sqldb.Reading) (func(context.Context) error, error) {
	if s := r.Session; len(s.Settings) > 0 || s.Role != "" || len(s.SearchPath) > 0 {
		return nil, &sqldb.Error{Kind: sqldb.ErrArgument, Message: "SQLite has no sessions: Options.Session must answer nil, or be nil"}
	}
	g := &grant{named: reach{}, views: map[string]reach{}, joins: joinsInside(r.SQL)}
	for _, o := range r.Objects {
		table := ascii.Lower(o.Name)
		if g.named[table] == nil {
			g.named[table] = map[string]bool{}
		}
		for _, column := range o.Columns {
			g.named.add(table, ascii.Lower(column))
		}
	}
	var snapshot driver.Rows
	err := raw(pinned, func(c *conn) (err error) {
		if snapshot, err = c.snapshot(ctx); err != nil {
			return err
		}
		for _, o := range r.Objects {
			if err := c.closure(g.views, o.Name); err != nil {
				snapshot.Close()
				return err
			}
		}
		c.access = g
		return nil
	})
	if err != nil {
		return nil, err
	}
	release := func(context.Context) error {
		return raw(pinned, func(c *conn) error {
			c.access = nil
			return snapshot.Close()
		})
	}
	return release, nil
}

// joinsInside reports whether a printed text has a join in parentheses; where
// that is in a string, it does no harm.
func joinsInside(text string) bool {
	return strings.Contains(text, ` JOIN ("`) || strings.Contains(text, ` JOIN ((`)
}

// snapshot begins a read transaction, which lasts until the rows are closed. In
// it SQLite notices that another connection changed the schema, and no further
// change can come between what is learned about a view and its being read.
func (c *conn) snapshot(ctx context.Context) (driver.Rows, error) {
	defer c.allow(catalog{})()
	rows, err := c.QueryContext(ctx, "SELECT rootpage FROM main.sqlite_schema", nil)
	if err != nil {
		return nil, err
	}
	if err := rows.Next(make([]driver.Value, 1)); err != nil && err != io.EOF {
		rows.Close()
		return nil, err
	}
	return rows, nil
}

// Check answers what [sqldb.DB.Check] promises.
func (engine) Check(ctx context.Context, pinned *sql.Conn, _ *secureview.Policy) ([]sqldb.Finding, error) {
	return nil, raw(pinned, func(c *conn) error {
		defer c.allow(catalog{})()
		queryOnly, err := c.queryOnly(ctx)
		if err != nil {
			return err
		}
		if !queryOnly {
			return &sqldb.Error{Kind: sqldb.ErrWritable, Message: "the connection is not read-only"}
		}
		found, err := c.scan(ctx, `SELECT 1 FROM main.sqlite_schema WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite\_%' ESCAPE '\' LIMIT 1`)
		if err != nil {
			return err
		}
		if len(found) == 0 {
			return &sqldb.Error{Kind: sqldb.ErrEmpty, Message: "the database has no tables: check that it is the right file"}
		}
		return nil
	})
}

func (c *conn) queryOnly(ctx context.Context) (bool, error) {
	rows, err := c.scan(ctx, "PRAGMA main.query_only")
	return len(rows) == 1 && rows[0][0] == "1", err
}

// raw runs do on the driver's own connection.
func raw(pinned *sql.Conn, do func(*conn) error) error {
	return pinned.Raw(func(driverConn any) error {
		c, ok := driverConn.(*conn)
		if !ok {
			return &sqldb.Error{Kind: sqldb.ErrArgument, Message: "the pool was not opened by sqlitedb.Open"}
		}
		return do(c)
	})
}
