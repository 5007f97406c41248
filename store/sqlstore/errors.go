package sqlstore

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"

	"github.com/qedkit/qed/store"
)

var (
	// ErrClosed means that the store was closed.
	ErrClosed = errors.New("sqlstore: the store is closed")

	// ErrNewerSchema means that the tables have a newer version than this
	// package supports.
	ErrNewerSchema = errors.New("sqlstore: the tables have a newer version")

	errPool = fmt.Errorf("%w: all connections of the pool are in use; a larger sql.DB.SetMaxOpenConns may help",
		store.ErrBusy)

	errMigrating = errors.New("another process has been migrating the tables for too long")
)

// A failure is an error of the database. Its text does not contain that of the
// driver, because drivers include addresses, accounts and values.
type failure struct {
	op  string
	err error
}

func (f *failure) Error() string { return "sqlstore: " + f.op + ": " + reason(f.err) }

// Unwrap returns the driver's error.
func (f *failure) Unwrap() error { return f.err }

// Is reports whether f matches [store.ErrBusy].
func (f *failure) Is(target error) bool {
	if target != store.ErrBusy {
		return false
	}
	if e, ok := errors.AsType[sqliteCode](f.err); ok {
		return e.Code()&0xff == sqliteBusy || e.Code()&0xff == sqliteLocked
	}
	e, ok := errors.AsType[sqlState](f.err)
	return ok && (e.SQLState() == stateLocked || e.SQLState() == stateConnections)
}

// reason describes an error of a driver without its text.
func reason(err error) string {
	if e, ok := errors.AsType[syscall.Errno](err); ok {
		return e.Error()
	}
	if e, ok := errors.AsType[sqlState](err); ok {
		return "the database returned SQLSTATE " + e.SQLState() + "; the wrapped error has the details"
	}
	if e, ok := errors.AsType[sqliteCode](err); ok {
		if text := sqliteCodes[e.Code()&0xff]; text != "" {
			return text
		}
		return fmt.Sprintf("SQLite returned code %d; the wrapped error has the details", e.Code())
	}
	for _, known := range []error{driver.ErrBadConn, sql.ErrConnDone, io.EOF, io.ErrUnexpectedEOF} {
		if errors.Is(err, known) {
			return "the connection was lost"
		}
	}
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return "the database does not respond"
	case errors.Is(err, errMigrating):
		return errMigrating.Error()
	}
	return "the database returned an error or cannot be reached; the wrapped error has the details"
}

// sqlState is implemented by the errors of every driver for PostgreSQL.
type sqlState interface {
	error
	SQLState() string
}

// sqliteCode is implemented by the errors of most drivers for SQLite.
type sqliteCode interface {
	error
	Code() int
}

const (
	sqliteBusy   = 5
	sqliteLocked = 6
	sqliteTooBig = 18
)

var sqliteCodes = map[int]string{
	sqliteBusy:   "the database is locked",
	sqliteLocked: "a table of the database is locked",
	8:            "the database is read-only",
	10:           "the disk failed",
	11:           "the database is damaged",
	13:           "the disk is full",
	sqliteTooBig: ErrTooLarge.Error(),
	14:           "the database file cannot be opened",
	26:           "the file is not an SQLite database",
}

// passing are the classes of SQLSTATE whose errors are transient.
var passing = []string{
	"08", // connection
	"40", // deadlock, serialization failure
	"53", // too many connections, out of memory, disk full
	"55", // lock not available
	"57", // the server is shutting down or starting
	"58", // errors of the system around the server
}

const (
	stateDiskFull    = "53100"
	stateConnections = "53300" // too many
	stateLocked      = "55P03"
)

// permanent reports whether the same operation would fail again. An error of
// unknown kind may be transient.
func permanent(err error) bool {
	if e, ok := errors.AsType[sqlState](err); ok {
		for _, class := range passing {
			if strings.HasPrefix(e.SQLState(), class) {
				return e.SQLState() == stateDiskFull
			}
		}
		return true
	}
	if e, ok := errors.AsType[sqliteCode](err); ok {
		code := e.Code() & 0xff
		return code != sqliteBusy && code != sqliteLocked
	}
	return errors.Is(err, errMigrating)
}

// cancelled returns nil while ctx is active. Then it returns an error that
// matches ctx's error and its cause.
func cancelled(ctx context.Context, op string) error {
	err := ctx.Err()
	if err == nil {
		return nil
	}
	if cause := context.Cause(ctx); !errors.Is(cause, err) {
		return fmt.Errorf("sqlstore: %s: %w: %w", op, err, cause)
	}
	return fmt.Errorf("sqlstore: %s: %w", op, context.Cause(ctx))
}
