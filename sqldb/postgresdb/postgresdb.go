// Package postgresdb reads PostgreSQL for [sqldb.DB], from version 12 on; it is
// tested with 15 and 18.
//
// Each statement runs in a read-only transaction of its own, which the server
// rolls back after it: what the statement's session was told ([sqldb.Session])
// ends with it. That costs two round trips more than the bare statement. What is
// new costs a few more: before a statement of a form that was not seen lately,
// the server is asked to plan it, and it does not run if that opens a table which
// the guard did not see and no view of its own explains.
//
// What outlives a transaction is not undone: a function of the database that a
// policy lets statements call must take no advisory lock of the session, and keep
// nothing in one (as PL/Perl's %_SHARED does).
//
// The package works through database/sql and brings no driver. It is made for
// github.com/jackc/pgx/v5/stdlib, and any driver will do that runs several
// statements in one text and whose errors have a method SQLState() string. With
// pgx, add default_query_exec_mode=exec to the connection string: a model rarely
// writes the same statement twice, and this saves the round trip and the memory
// for preparing each.
//
// A server that logs statements logs the settings of sessions too, keys among
// them; pg_stat_statements does not keep them.
package postgresdb

import (
	"database/sql"
	"time"

	"github.com/qedkit/qed/internal/shapes"
	"github.com/qedkit/qed/sqldb"
)

// Options configures [New]. The zero value, like a nil pointer, stands for the
// defaults.
type Options struct {
	sqldb.Options

	// Schema is the schema that [sqldb.DB.Introspect] reads; empty: the one
	// where the account's new tables would go, mostly "public". A policy
	// names the schemas of statements.
	Schema string
}

// New returns a DB that reads through pools; several are replicas of one
// database. The DB takes over the pools: its Close closes them. New connects to
// nothing: [sqldb.DB.Check] does, and tells what the account may do beyond what
// a policy needs.
//
// The error is a [*sqldb.Error] of kind [sqldb.ErrArgument].
func New(opt *Options, pools ...*sql.DB) (*sqldb.DB, error) {
	var o Options
	if opt != nil {
		o = *opt
	}
	e := &engine{schema: o.Schema, seen: shapes.New(seenStatements, seenFor)}
	return sqldb.New(e, &o.Options, pools...)
}

const (
	seenStatements = 1024
	seenFor        = 5 * time.Minute // a view may be made anew meanwhile
)
