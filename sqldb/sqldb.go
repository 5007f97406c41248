// Package sqldb reads a database that agents ask questions of: its catalogue,
// as a [joinpath.Schema], and rows, through statements that a guard let pass.
//
// [DB.Query] takes a [secureview.Statement] and nothing else, and only a guard
// makes one: no text reaches a database unread. Each statement runs alone on a
// read-only connection of its own, within limits of time, rows and bytes
// ([Options]). The engine is the second reader: whatever it names beyond what
// the guard saw is refused before the first row.
//
// What differs between servers is an [Engine]. Each has a package of its own,
// which opens databases: sqldb/sqlitedb, sqldb/mysqldb, sqldb/postgresdb. This
// package imports no driver.
//
// Who asks, with which key and in which role, is a [Session] that the host gives
// for each statement ([Options.Session]); the connection forgets it afterwards.
// Where one server is not enough, reads go to replicas of it ([New]). And a
// statement whose caller has gone, or whose time is up, is ended on the server,
// not only here: when Query returns, nothing of it runs any more.
package sqldb

import (
	"context"
	"database/sql"
	"slices"
	"time"

	"github.com/qedkit/qed/joinpath"
)

// Options limits what a statement may cost. The zero value, like a nil
// pointer, stands for the defaults.
type Options struct {
	// Timeout bounds a statement from waiting for a connection to its last
	// row, and also an introspection and a check; 0 means 30 s. A server that
	// can keeps to it by itself, and this side steps in half a second later.
	// What the caller's context says acts at once.
	Timeout time.Duration

	// MaxRows bounds the rows of a result; 0 means 1000. A statement with a
	// lower limit of its own keeps it.
	MaxRows int

	// MaxBytes bounds the cells of a result together; 0 means 4 MiB.
	// The result ends before the row that would exceed it.
	MaxBytes int

	// MaxCellBytes bounds one cell; 0 means 64 KiB. A longer text is cut
	// at a character, and its end says how long it was.
	MaxCellBytes int

	// Session, if not nil, answers what a session is told before a statement.
	Session SessionFunc

	// Backoff is how long a replica that could not be reached is left alone,
	// and then twice as long each time up to a minute; 0 means 1 s.
	Backoff time.Duration

	// Skipped, if not nil, is told what [DB.Introspect] leaves out of the
	// schema and why: a foreign key to a table that does not exist, a view
	// that is broken. It is called on the goroutine of Introspect.
	Skipped func(table, reason string)
}

func (o *Options) withDefaults() (Options, error) {
	var out Options
	if o != nil {
		out = *o
	}
	if out.Timeout < 0 || out.MaxRows < 0 || out.MaxBytes < 0 || out.MaxCellBytes < 0 || out.Backoff < 0 {
		return out, &Error{Kind: ErrArgument, Message: "a limit in Options is negative; 0 means its default"}
	}
	if out.Timeout == 0 {
		out.Timeout = 30 * time.Second
	}
	if out.Backoff == 0 {
		out.Backoff = time.Second
	}
	if out.MaxRows == 0 {
		out.MaxRows = 1000
	}
	if out.MaxBytes == 0 {
		out.MaxBytes = 4 << 20
	}
	if out.MaxCellBytes == 0 {
		out.MaxCellBytes = 64 << 10
	}
	return out, nil
}

// DB is a database that can be introspected and read. It is safe for
// concurrent use. The zero DB is not usable; call [New], or the function of an
// engine's package that opens one.
type DB struct {
	engine   Engine
	stopper  Stopper // the engine, where it is one
	celler   Celler  // likewise
	opt      Options
	replicas *replicas
}

// New returns a DB that reads through pools as engine does; several pools are
// replicas of one database. Each reading goes to the one of least load that is
// well. A pool that could not be reached is left alone for a while
// ([Options.Backoff]), and a reading whose connection fails before its first row
// is tried on the next one. With all of them lost, one is still tried.
//
// A nil opt means the defaults. The DB takes over the pools: set their limits
// before; [DB.Close] closes them. Set their MaxOpenConns above all, to what the
// server can bear. Whoever else uses them may keep a statement from being
// stopped in time.
func New(engine Engine, opt *Options, pools ...*sql.DB) (*DB, error) {
	if engine == nil || len(pools) == 0 {
		return nil, &Error{Kind: ErrArgument, Message: "New needs an engine and a pool"}
	}
	for i, pool := range pools {
		if pool == nil || slices.Contains(pools[:i], pool) {
			return nil, &Error{Kind: ErrArgument, Message: "a pool is nil or given twice"}
		}
	}
	o, err := opt.withDefaults()
	if err != nil {
		return nil, err
	}
	db := &DB{engine: engine, opt: o, replicas: newReplicas(o.Backoff, pools)}
	db.stopper, _ = engine.(Stopper)
	db.celler, _ = engine.(Celler)
	return db, nil
}

// Dialect is the name of the SQL dialect that the database speaks, such as
// "sqlite". Only statements of this dialect are executed.
func (db *DB) Dialect() string { return db.engine.Dialect() }

// MaxRows is how many rows a result has at most: [Options.MaxRows].
func (db *DB) MaxRows() int { return db.opt.MaxRows }

// Close waits for the statements that are still running, and closes the pools.
// Those that come later fail.
func (db *DB) Close() error { return db.replicas.close() }

// Introspect reads the catalogue: tables and views with their columns and
// types, primary and unique keys, and foreign keys as relationships of
// confidence 1 whose cardinality follows from the keys. Tables of the engine
// itself are left out. See [Options.Skipped] for what could not be used.
//
// An account that may read only the views of some tables sees no keys of what is
// behind them, so that nothing joins there. Introspect such a database once, as
// the owner of its tables, keep the schema ([joinpath.Schema.Write]), and read
// with the other account: an agent takes the keys of a table for its view's.
//
// The error is an [*Error].
func (db *DB) Introspect(ctx context.Context) (*joinpath.Schema, error) {
	type omission struct{ table, reason string }
	var schema *joinpath.Schema
	var skipped []omission
	err := db.pinned(ctx, func(ctx context.Context, conn *sql.Conn) (err error) {
		skipped = nil
		schema, err = db.engine.Introspect(ctx, conn, func(table, reason string) {
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

// pinned runs do on one connection of a replica, within the time limit, and
// gives every error its kind.
func (db *DB) pinned(ctx context.Context, do func(context.Context, *sql.Conn) error) error {
	ctx, cancel := context.WithTimeoutCause(ctx, db.opt.Timeout, errTimeLimit)
	defer cancel()
	return db.anywhere(ctx, func(ctx context.Context, _ *replica, conn *sql.Conn) (again bool, err error) {
		use(conn, func() (keep bool) {
			if e := do(ctx, conn); e != nil {
				err = db.failure(ctx, e)
			}
			return ctx.Err() == nil
		})
		return true, err
	})
}
