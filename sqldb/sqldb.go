// Package sqldb reads a database that agents ask questions of: its catalogue,
// as a [joinpath.Schema], and rows, through statements that a guard let pass.
//
// [DB.Query] takes a [secureview.Statement] and nothing else, and only a guard
// makes one: no text reaches a database unread. Each statement runs alone on a
// read-only connection of its own, within limits of time, rows and bytes
// ([Options]). Where the engine can tell what a statement will read, it is the
// second reader: whatever it names beyond what the guard saw is refused before
// the first row.
//
// What differs between servers is an [Engine]. This package imports no driver;
// an engine's own package does, and opens databases: sqldb/sqlitedb.
package sqldb

import (
	"context"
	"database/sql"
	"time"

	"github.com/qedkit/qed/joinpath"
)

// Options limits what a statement may cost. The zero value, like a nil
// pointer, stands for the defaults.
type Options struct {
	// Timeout bounds a statement from waiting for a connection to its last
	// row, and also an introspection; 0 means 30 s.
	Timeout time.Duration

	// MaxRows bounds the rows of a result; 0 means 100. A statement with a
	// lower limit of its own keeps it.
	MaxRows int

	// MaxBytes bounds the cells of a result together; 0 means 4 MiB.
	// The result ends before the row that would exceed it.
	MaxBytes int

	// MaxCellBytes bounds one cell; 0 means 64 KiB. A longer text is cut
	// at a character, and its end says how long it was.
	MaxCellBytes int

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
	if out.Timeout < 0 || out.MaxRows < 0 || out.MaxBytes < 0 || out.MaxCellBytes < 0 {
		return out, &Error{Kind: ErrArgument, Message: "a limit in Options is negative; 0 means its default"}
	}
	if out.Timeout == 0 {
		out.Timeout = 30 * time.Second
	}
	if out.MaxRows == 0 {
		out.MaxRows = 100
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
// concurrent use. The zero DB is not usable; call [New], or the Open function
// of an engine's package.
type DB struct {
	pool   *sql.DB
	engine Engine
	opt    Options
}

// New returns a DB that reads through pool as engine does. A nil opt means the
// defaults. The DB takes over the pool: [DB.Close] closes it.
func New(pool *sql.DB, engine Engine, opt *Options) (*DB, error) {
	if pool == nil || engine == nil {
		return nil, &Error{Kind: ErrArgument, Message: "New needs a pool and an engine"}
	}
	o, err := opt.withDefaults()
	if err != nil {
		return nil, err
	}
	return &DB{pool: pool, engine: engine, opt: o}, nil
}

// Dialect is the name of the SQL dialect that the database speaks, such as
// "sqlite". Only statements of this dialect are executed.
func (db *DB) Dialect() string { return db.engine.Dialect() }

// Close closes the pool. Statements that are still running end first.
func (db *DB) Close() error { return db.pool.Close() }

// Introspect reads the catalogue: tables and views with their columns and
// types, primary and unique keys, and foreign keys as relationships of
// confidence 1 whose cardinality follows from the keys. Tables of the engine
// itself are left out. See [Options.Skipped] for what could not be used.
//
// The error is an [*Error].
func (db *DB) Introspect(ctx context.Context) (*joinpath.Schema, error) {
	var schema *joinpath.Schema
	err := db.pinned(ctx, func(ctx context.Context, conn *sql.Conn) (err error) {
		schema, err = db.engine.Introspect(ctx, conn, func(table, reason string) {
			if db.opt.Skipped != nil {
				db.opt.Skipped(table, reason)
			}
		})
		return err
	})
	if err != nil {
		return nil, err
	}
	return schema, nil
}

// Check reports whether the database can be read, has a table or view at all
// ([ErrEmpty]), and cannot be written through this DB ([ErrWritable]). It is
// cheap: call it when a program starts.
//
// The error is an [*Error].
func (db *DB) Check(ctx context.Context) error {
	return db.pinned(ctx, db.engine.Check)
}

// pinned runs do on one connection, within the time limit, and gives every
// error its kind.
func (db *DB) pinned(ctx context.Context, do func(context.Context, *sql.Conn) error) error {
	ctx, cancel := context.WithTimeout(ctx, db.opt.Timeout)
	defer cancel()
	conn, err := db.pool.Conn(ctx)
	if err != nil {
		return db.failure(ctx, err)
	}
	defer conn.Close()
	if err := do(ctx, conn); err != nil {
		return db.failure(ctx, err)
	}
	return nil
}
