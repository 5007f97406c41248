package sqldb

import (
	"context"
	"database/sql"
	"time"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/joinpath"
	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/secureview/dialect"
)

// An Engine is what differs between database servers. The packages of the
// engines, such as sqldb/sqlitedb, implement it; programs do not call it. An
// Engine is safe for concurrent use, a connection is not.
type Engine interface {
	// Dialect returns the name of the SQL dialect that the engine executes.
	Dialect() string

	// Introspect reads the catalogue: see [DB.Introspect]. It calls skipped for what it
	// leaves out.
	Introspect(ctx context.Context, conn *sql.Conn, schemas []string, skipped func(table, reason string)) (*joinpath.Schema, error)

	// Check returns what the account may do that the policy does not need, and
	// what it cannot do that the policy does need. With a nil policy it checks
	// the account alone. The error says why the database cannot be read, or is
	// of kind [ErrEmpty] or [ErrWritable].
	Check(ctx context.Context, conn *sql.Conn, p *secureview.Policy) ([]Finding, error)

	// Admit prepares the connection for one query: read-only, with the session
	// and the time limit of q. It returns an error of kind [ErrDenied] if the
	// statement would read more than q.Objects. It may put a comment before
	// q.SQL. If it gave up waiting for the server, the cause of the error is
	// [context.DeadlineExceeded], and the statement is stopped.
	//
	// release undoes all of this. Its context does not end with that of the
	// caller. The connection is closed if release fails. It is closed without
	// release if Admit fails, and before [Stopper.Stop] is called.
	Admit(ctx context.Context, conn *sql.Conn, q *Query) (release func(context.Context) error, err error)

	// Classify turns an error of the driver into an [*Error] whose text is safe
	// to show. It returns nil for an error that it does not know.
	Classify(err error) *Error
}

// A Stopper is an [Engine] whose server may continue a statement after its
// connection was closed. Such a server enforces [Query.Timeout] itself.
type Stopper interface {
	// Stop stops on the server what is left of a query, and returns when it
	// has ended or if nothing of it runs. conn is another connection of the
	// same pool. Stop is called when the query's context ended or its
	// connection failed, also if that happened in Admit.
	Stop(ctx context.Context, conn *sql.Conn, q *Query) error
}

// A ValueConverter is an [Engine] whose drivers return some values in another
// form than the server writes them.
type ValueConverter interface {
	// ConvertValue returns the cell for a driver's value. columnType is the
	// type of the column as the driver names it. ConvertValue may return value
	// itself, but it does not retain it.
	ConvertValue(columnType string, value any) any
}

// A RowReader is an [Engine] that reads rows with its driver, at less cost than
// through database/sql.
type RowReader interface {
	// ReadRows executes q.SQL on conn and calls read with its rows, which are
	// valid until read returns. It returns an error if the statement failed
	// before, and does not call read then.
	ReadRows(ctx context.Context, conn *sql.Conn, q *Query, read func(Rows)) error
}

// A Zoner is an [Engine] whose database has a time zone. Its Admit sets the zone of
// a query, unless the database always has it.
type Zoner interface {
	// Zone returns the time zone that conn has by itself, as [Options.Zone] names
	// it. It returns an empty text if the zone has no such name.
	Zone(ctx context.Context, conn *sql.Conn) (string, error)
}

// Rows are the rows of a statement. The methods are like those of [sql.Rows].
type Rows interface {
	Columns() ([]qed.Column, error)
	Next() bool
	Scan(row *Row) error // adds one cell for each column
	Err() error
	Close() error
}

// A Query is a statement that a guard has checked, as an [Engine] sees it. Each
// attempt to execute a statement has its own Query; what a Query points to is
// shared and read-only.
type Query struct {
	SQL     string
	Dialect dialect.Dialect // of SQL
	Objects []Object        // what the statement reads
	Merged  [][]Object      // see [secureview.Statement.Merged]
	Fields  []Object        // see [secureview.Statement.Fields]
	Session *Session        // never nil
	Timeout time.Duration   // the time limit for the server, at least 1 ms
	Zone    string          // the time zone, as [Options.Zone] names it; empty means that of the connection

	// MaxRowBytes is the maximum size of a row as the server sends it. An engine
	// tells its driver, if the driver can be told, or sets Receiver.
	MaxRowBytes int

	// Receiver is set by Admit if the driver itself would read a row of any size.
	Receiver Receiver

	// Complete is set by Admit if the server may return a part of the result with
	// nothing but a warning. It is called after the last row, before release, and
	// returns an error if the server did so.
	Complete func(context.Context) error

	// Tag identifies the query on a server. It consists of letters and digits
	// and cannot be guessed.
	Tag string

	// Pool is the number of the pool that the query runs on: 0 is the pool
	// given to [New], n is the n-th of [Options.Replicas], counted from 1.
	Pool int
}

// A Receiver limits what the connection of a query receives for a row.
type Receiver interface {
	// Next is called before each row. It allows MaxRowBytes more to be received.
	Next()

	// Exceeded reports whether the connection failed because a row was larger.
	Exceeded() bool
}

// An Object is a table or view that a [Query] reads, as the catalogue spells
// it, with the columns that the statement and the filter of the policy read.
type Object struct {
	Schema  string // empty if the engine has no schemas
	Name    string
	Columns []string
}
