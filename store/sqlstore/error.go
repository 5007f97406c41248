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
)

var (
	// ErrClosed says that the store was closed.
	ErrClosed = errors.New("sqlstore: the store is closed")

	// ErrSchema says that the tables are of a newer version than this package knows.
	ErrSchema = errors.New("sqlstore: the tables are of a newer version")

	errMigrating = errors.New("another process is changing the tables, and does not end")
)

// A failure is an error of the database. What the driver says is for the host's log alone,
// as drivers write addresses, accounts and values.
type failure struct {
	doing string
	err   error
}

func (f *failure) Error() string { return "sqlstore: " + f.doing + ": " + reason(f.err) }

// Unwrap returns the driver's error.
func (f *failure) Unwrap() error { return f.err }

// reason says what can be said of an error of any driver.
func reason(err error) string {
	if e, ok := errors.AsType[syscall.Errno](err); ok {
		return e.Error()
	}
	if e, ok := errors.AsType[sqlState](err); ok {
		return "the database refuses it with SQLSTATE " + e.SQLState() + "; the wrapped error says more"
	}
	if e, ok := errors.AsType[sqliteCode](err); ok {
		if text := sqliteCodes[e.Code()&0xff]; text != "" {
			return text
		}
		return fmt.Sprintf("SQLite refuses it with code %d; the wrapped error says more", e.Code())
	}
	for _, known := range []error{driver.ErrBadConn, sql.ErrConnDone, io.EOF, io.ErrUnexpectedEOF} {
		if errors.Is(err, known) {
			return "the connection is lost"
		}
	}
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return "the database does not answer"
	case errors.Is(err, errMigrating):
		return errMigrating.Error()
	}
	return "the database refuses it, or cannot be reached; the wrapped error says more"
}

// Errors of PostgreSQL, by whatever driver, say what they are in this way.
type sqlState interface {
	error
	SQLState() string
}

// Errors of SQLite, by most drivers, say what they are in this way.
type sqliteCode interface {
	error
	Code() int
}

const (
	sqliteBusy   = 5
	sqliteLocked = 6
)

var sqliteCodes = map[int]string{
	sqliteBusy:   "the database is locked",
	sqliteLocked: "a table of the database is locked",
	8:            "the database can only be read",
	10:           "the disk failed",
	11:           "the database is damaged",
	13:           "the disk is full",
	14:           "the database file cannot be opened",
	26:           "the file is not an SQLite database",
}

// lasting reports whether the same will only fail again. Where a driver does not say, it
// may pass.
func lasting(err error) bool {
	if e, ok := errors.AsType[sqlState](err); ok {
		for _, passing := range []string{
			"08", // the connection
			"40", // a deadlock, a serialization failure
			"53", // too many connections, no memory, no room
			"55", // a lock that cannot be had
			"57", // the server is shutting down, or starting
			"58", // the system around it
		} {
			if strings.HasPrefix(e.SQLState(), passing) {
				return e.SQLState() == "53100" // the disk is full
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

// cancelled returns nil, or an error that matches both ctx's error and its cause.
func cancelled(ctx context.Context, doing string) error {
	err := ctx.Err()
	if err == nil {
		return nil
	}
	if cause := context.Cause(ctx); !errors.Is(cause, err) {
		return fmt.Errorf("sqlstore: %s: %w: %w", doing, err, cause)
	}
	return fmt.Errorf("sqlstore: %s: %w", doing, context.Cause(ctx))
}
