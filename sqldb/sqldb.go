// Package sqldb reads SQL databases for agents: their tables with the types and
// keys, and the rows of statements that a guard has checked.
//
// Open a database with the package of its engine, which is [sqldb/sqlitedb],
// [sqldb/mysqldb] or [sqldb/postgresdb]. Call [DB.Check] once at the start of the
// program, [DB.Introspect] to get the schema, and [DB.Query] for each
// statement. [DB.Rows] iterates over the rows of a result that is too large for a
// table.
//
// [DB.Query] takes a [secureview.Statement] and nothing else, and only a
// [secureview.Guard] makes one. Each statement runs alone on a read-only
// connection, within limits of time, rows and bytes ([Options]). The engine
// checks the statement a second time: if the database would read more than the
// guard saw, the statement is refused before its first row.
//
// Settings, role and search path of a statement are a [Session], which
// [Options.Session] returns for each statement and the connection loses after
// it. Statements can be spread over replicas ([Options.Replicas]). A statement
// that is canceled or exceeds its time limit is stopped on the server too: when
// Query returns, nothing of it runs there.
//
// This package imports no driver. What differs between servers is an [Engine].
//
// [sqldb/mysqldb]: https://pkg.go.dev/github.com/qedkit/qed/sqldb/mysqldb
// [sqldb/postgresdb]: https://pkg.go.dev/github.com/qedkit/qed/sqldb/postgresdb
// [sqldb/sqlitedb]: https://pkg.go.dev/github.com/qedkit/qed/sqldb/sqlitedb
package sqldb

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"github.com/qedkit/qed/internal/option"
	"github.com/qedkit/qed/internal/timezone"
	"github.com/qedkit/qed/joinpath"
)

// Options configures a [DB]. A nil pointer and the zero value mean the
// defaults.
type Options struct {
	// Timeout is the time limit of a statement, from waiting for a connection
	// to the last row, and of an introspection and a check. 0 means 30 s. A
	// server that can enforce a time limit is given the same one, and the
	// client stops the statement half a second later. A deadline or a
	// cancellation of the caller's context takes effect at once.
	Timeout time.Duration

	// MaxRows is the maximum number of rows of a result. 0 means 1000. A lower
	// limit of the statement itself applies.
	MaxRows int

	// MaxBytes is the maximum size of all cells of a result together. 0 means
	// 4 MiB. The result ends before the row that would exceed it. A row of a
	// server that exceeds it by more than 8 MiB, before its cells are cut, is an
	// error of kind [ErrTooLarge], so that the memory is bounded.
	MaxBytes int

	// MaxCellBytes is the maximum size of one cell. 0 means 64 KiB. A longer
	// text is cut between two characters and ends with its original length.
	MaxCellBytes int

	// MaxOpenConns is the maximum number of open connections of each pool, and so
	// of statements that run at the same time. Further statements wait, and their
	// Timeout includes the wait. It wins over the limits of a pool given to New,
	// and as many connections stay open while they are idle. In Open, 0 means 8.
	// In New, 0 leaves the limits of the pool unchanged. How long a connection
	// lives is always the pool's choice ([sql.DB.SetConnMaxLifetime]). Choose
	// what the server can bear.
	MaxOpenConns int

	// Replicas are further pools of the same database, such as of replicas of
	// its server. Each statement runs on the pool with the fewest statements.
	// A pool that could not be reached is not used for a second, and for twice as
	// long after each further failure, up to a minute, unless no other is left. A
	// statement whose connection fails before its first row is retried on another pool.
	// SQLite has no replicas.
	Replicas []*sql.DB

	// Session returns the session of each statement. nil means that statements
	// have no session.
	Session SessionFunc

	// Zone is the time zone in which statements run: values with a time zone are
	// compared, grouped and shown in it, and the current date is the one there. It
	// is a name of the time zone database, such as "Europe/Berlin", or an offset,
	// such as "+02:00". Empty means the database's own: see [DB.Zone]. A statement
	// cannot change it.
	//
	//   - PostgreSQL shows a TIMESTAMPTZ with its offset, such as 2024-03-01
	//     00:30:00+01.
	//   - MySQL and MariaDB convert a TIMESTAMP, and show it without an offset, so
	//     that a zone with daylight saving time has an hour that is ambiguous. A
	//     server whose tables of time zones are empty knows offsets only: load
	//     them with mysql_tzinfo_to_sql, or statements fail with [ErrArgument].
	//   - DuckDB is like PostgreSQL, and knows offsets of whole hours only.
	//   - SQLite has no time zones and ignores it.
	Zone string

	// Skipped is called for everything that [DB.Introspect] leaves out of the
	// schema, such as a foreign key to a table that does not exist or a view
	// that is broken. It runs on the goroutine of Introspect. It may be nil.
	Skipped func(table, reason string)
}

func (o *Options) withDefaults() (Options, error) {
	out := option.Of(o)
	err := cmp.Or(
		option.Default("Options.Timeout", &out.Timeout, 30*time.Second),
		option.Default("Options.MaxRows", &out.MaxRows, 1000),
		option.Default("Options.MaxBytes", &out.MaxBytes, 4<<20),
		option.Default("Options.MaxCellBytes", &out.MaxCellBytes, 64<<10),
		option.Default("Options.MaxOpenConns", &out.MaxOpenConns, 0),
	)
	if err == nil {
		if _, unknown := timezone.Load(out.Zone); unknown != nil {
			err = fmt.Errorf("Options.Zone is %q: %w", out.Zone, unknown)
		}
	}
	if err != nil {
		return out, newError(ErrArgument, err.Error())
	}
	return out, nil
}

// A DB is a database that can be introspected and queried. It is safe for
// concurrent use. The zero DB is not usable: make one with Open or New of an
// engine's package.
type DB struct {
	engine    Engine
	stopper   Stopper        // the engine, or nil
	converter ValueConverter // the engine, or nil
	rowReader RowReader      // the engine, or nil
	zoner     Zoner          // the engine, or nil
	zone      atomic.Pointer[string]
	opt       Options
	replicas  *replicas
}

// New returns a DB that reads a database through pool, as engine does. Programs
// call New of an engine's package instead.
//
// The DB takes over the pool and those of [Options.Replicas]: [DB.Close] closes
// them. Nothing else may use them, or stopping a statement could have to wait
// for a connection. New connects to nothing. A nil opt means the defaults.
//
// The error is an [*Error] of kind [ErrArgument].
func New(engine Engine, pool *sql.DB, opt *Options) (*DB, error) {
	o, err := opt.withDefaults()
	if err != nil {
		return nil, err
	}
	if engine == nil {
		return nil, newError(ErrArgument, "the engine is nil")
	}
	pools := append([]*sql.DB{pool}, o.Replicas...)
	for i, p := range pools {
		if p == nil || slices.Contains(pools[:i], p) {
			return nil, newError(ErrArgument, "a pool is nil or given twice")
		}
	}
	if o.MaxOpenConns > 0 {
		for _, p := range pools {
			p.SetMaxOpenConns(o.MaxOpenConns)
			p.SetMaxIdleConns(o.MaxOpenConns)
		}
	}
	db := &DB{engine: engine, opt: o, replicas: newReplicas(pools)}
	db.stopper, _ = engine.(Stopper)
	db.converter, _ = engine.(ValueConverter)
	db.rowReader, _ = engine.(RowReader)
	if db.zoner, _ = engine.(Zoner); db.zoner != nil && o.Zone != "" {
		db.zone.Store(&db.opt.Zone)
	}
	return db, nil
}

// Dialect returns the name of the SQL dialect of the database, such as
// "sqlite". Only statements of this dialect are executed.
func (db *DB) Dialect() string { return db.engine.Dialect() }

// MaxRows returns the maximum number of rows of a result, [Options.MaxRows].
func (db *DB) MaxRows() int { return db.opt.MaxRows }

// Close waits for running statements and closes the pools. Later calls of the
// other methods return [ErrClosed].
func (db *DB) Close() error { return db.replicas.close() }

// Introspect reads the catalogue of the database: tables and views with their
// columns and types, primary and unique keys, and foreign keys. A foreign key
// becomes a relationship of confidence 1, whose cardinality follows from the
// keys. Tables of the engine itself are left out. [Options.Skipped] is called
// for what could not be used.
//
// schemas are the schemas to read: in MySQL and MariaDB, the databases. A table of the
// first one has its bare name, a table of another one is named schema.table
// ([joinpath.Table.Schema]), as in a policy and in statements. Pass
// [secureview.Policy.SchemaNames] to read those of a policy. An empty name, or none, is the
// default: the first schema of the account's search path that exists in PostgreSQL, the
// database of the connection in MySQL and MariaDB, and main in SQLite and DuckDB, of which
// no other is read.
//
// An account that may read only views sees no keys of the tables behind them,
// and so finds no joins. PostgreSQL shows them: such a table is
// [joinpath.Table.Unreadable]. With another server, introspect such a database once as
// the owner of its tables, save the schema ([joinpath.Schema.Write]), and read with the
// other account: an agent uses the keys of a table for the view that replaces it.
//
// The error is an [*Error]. It is of kind [ErrMissing] if one of schemas does not exist.
func (db *DB) Introspect(ctx context.Context, schemas ...string) (*joinpath.Schema, error) {
	type omission struct{ table, reason string }
	var schema *joinpath.Schema
	var skipped []omission
	err := db.ask(ctx, func(ctx context.Context, conn *sql.Conn) (err error) {
		skipped = nil // of an earlier attempt
		schema, err = db.engine.Introspect(ctx, conn, schemas, func(table, reason string) {
			skipped = append(skipped, omission{table, reason})
		})
		return err
	})
	if err != nil {
		return nil, err
	}
	if db.opt.Skipped != nil {
		for _, s := range skipped {
			db.opt.Skipped(s.table, s.reason)
		}
	}
	return schema, nil
}
