package sqlitedb

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"io"
	"maps"
	"strings"

	"github.com/qedkit/qed/internal/ascii"
	"github.com/qedkit/qed/internal/failure"
	"github.com/qedkit/qed/internal/policycheck"
	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/secureview/dialect"
	"github.com/qedkit/qed/secureview/dialect/sqlite"
	"github.com/qedkit/qed/sqldb"
)

type engine struct{}

func (engine) Dialect() string { return "sqlite" }

func (engine) Classify(err error) *sqldb.Error { return classify(err) }

// Admit allows one statement to read the objects of q and what the views among
// them read. The release withdraws that.
func (engine) Admit(ctx context.Context, conn *sql.Conn, q *sqldb.Query) (func(context.Context) error, error) {
	if s := q.Session; len(s.Settings) > 0 || s.Role != "" || len(s.SearchPath) > 0 {
		return nil, failure.New(sqldb.ErrArgument,
			"SQLite has no sessions: Options.Session may return only settings that filters of the policy compare")
	}
	g := &grant{named: columnSet{}, views: map[string]columnSet{}, search: columnSet{}, nestedJoins: hasNestedJoin(q.SQL)}
	for _, o := range q.Objects {
		table := ascii.Lower(o.Name)
		if g.named[table] == nil {
			g.named[table] = map[string]bool{}
		}
		for _, column := range o.Columns {
			g.named.add(table, ascii.Lower(column))
		}
	}
	var snapshot driver.Rows
	err := withDriverConn(conn, func(c *driverConn) (err error) {
		if snapshot, err = c.snapshot(ctx); err != nil {
			return err
		}
		for _, o := range q.Objects {
			if err = c.addSearch(ctx, g, o.Name, q.SQL); err == nil && g.search[ascii.Lower(o.Name)] == nil {
				err = c.addReads(g.views, o.Name)
			}
			if err != nil {
				snapshot.Close()
				return err
			}
		}
		c.access = g
		c.setLimit(valueLimit(q.SQL, c.maxValue))
		return nil
	})
	if err != nil {
		return nil, err
	}
	release := func(context.Context) error {
		return withDriverConn(conn, func(c *driverConn) error {
			c.access = nil
			c.setLimit(c.maxValue)
			return snapshot.Close()
		})
	}
	return release, nil
}

// Functions returns the functions that statements may call in this build of SQLite.
func (engine) Functions(_ context.Context, conn *sql.Conn, _ dialect.Dialect) (has map[string]bool, err error) {
	err = withDriverConn(conn, func(c *driverConn) error {
		has = maps.Clone(c.functions)
		has["json_each"], has["json_tree"] = true, true // they are tables
		return nil
	})
	return has, err
}

// hasNestedJoin reports whether a printed statement has a join in parentheses.
// A string with such a text does no harm.
func hasNestedJoin(text string) bool {
	return strings.Contains(text, ` JOIN ("`) || strings.Contains(text, ` JOIN ((`)
}

// snapshot begins a read transaction, which lasts until the rows are closed.
// SQLite then notices a change of the schema by another connection, and a view
// cannot change between its check and the statement.
func (c *driverConn) snapshot(ctx context.Context) (driver.Rows, error) {
	defer c.setAccess(catalog{})()
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

// Check returns the tables, views and columns that a policy lists and the database does not
// have: SQLite has no accounts.
func (e engine) Check(ctx context.Context, conn *sql.Conn, p *secureview.Policy) ([]sqldb.Finding, error) {
	err := withDriverConn(conn, func(c *driverConn) error {
		defer c.setAccess(catalog{})()
		queryOnly, err := c.queryOnly(ctx)
		if err == nil && !queryOnly {
			err = failure.New(sqldb.ErrWritable, "the connection is not read-only")
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	schema, err := e.Introspect(ctx, conn, nil, func(string, string) {})
	if err != nil {
		return nil, err
	}
	return policycheck.Schema(p, sqlite.Dialect{}, schema)
}

func (c *driverConn) queryOnly(ctx context.Context) (bool, error) {
	rows, err := c.scan(ctx, "PRAGMA main.query_only")
	return len(rows) == 1 && rows[0][0] == "1", err
}

// withDriverConn calls do with the driver's connection. Only this package makes
// an engine, so that the pool always has its driver.
func withDriverConn(conn *sql.Conn, do func(*driverConn) error) error {
	return conn.Raw(func(c any) error { return do(c.(*driverConn)) })
}
