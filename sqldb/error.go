package sqldb

import (
	"context"
	"errors"
	"fmt"
)

// Kind is a way in which reading a database can fail. It is an error itself,
// so that
//
//	errors.Is(err, sqldb.ErrTimeout)
//
// says whether err, or anything it wraps, is an [*Error] of that kind.
type Kind string

const (
	ErrArgument    Kind = "argument"       // a nil, negative or foreign argument
	ErrConnect     Kind = "connect"        // no connection, or the database is locked: it may work again later
	ErrMissing     Kind = "missing"        // there is no such database
	ErrUnreadable  Kind = "unreadable"     // it is there, but cannot be opened or read
	ErrNotDatabase Kind = "not a database" // it is of another format, or damaged
	ErrEmpty       Kind = "empty schema"   // it has no tables and no views
	ErrWritable    Kind = "writable"       // it could be written, which nothing here may
	ErrTimeout     Kind = "timeout"        // longer than Options.Timeout, or than the caller's deadline
	ErrCancelled   Kind = "cancelled"      // the caller's context was cancelled
	ErrDenied      Kind = "denied"         // the engine would do more than the guard saw
	ErrTooLarge    Kind = "too large"      // one row, value or intermediate result is beyond a limit
	ErrExecution   Kind = "execution"      // the engine refused the statement, or failed in it
)

// Error returns the kind's name.
func (k Kind) Error() string { return "sqldb: " + string(k) }

// Error is how reading a database failed. Callers tell errors apart by [Kind],
// with [errors.Is]; a timeout and a cancellation also match
// [context.DeadlineExceeded] and [context.Canceled].
//
// Its text holds neither values of rows nor anything of a connection string
// but a file's own name. What a person or a model wrote in a statement can
// appear in it.
type Error struct {
	Kind    Kind
	Message string // one sentence, with the remedy where there is one
	Err     error  // what is behind it; may be nil
}

// Error says what failed.
func (e *Error) Error() string {
	if e.Message == "" {
		return e.Kind.Error()
	}
	return e.Kind.Error() + ": " + e.Message
}

// Unwrap returns Err.
func (e *Error) Unwrap() error { return e.Err }

// Is reports whether target is e's [Kind].
func (e *Error) Is(target error) bool {
	k, ok := target.(Kind)
	return ok && k == e.Kind
}

// failure gives err its kind. The context comes first: what an engine says
// about a statement that was stopped is noise. Unknown errors of a driver keep
// their text to themselves, as it may hold a connection string.
func (db *DB) failure(ctx context.Context, err error) error {
	switch ctxErr := ctx.Err(); {
	case errors.Is(ctxErr, context.DeadlineExceeded):
		return &Error{ErrTimeout, fmt.Sprintf("stopped after the time limit (Options.Timeout is %v)", db.opt.Timeout), ctxErr}
	case ctxErr != nil:
		return &Error{ErrCancelled, "stopped by the caller", ctxErr}
	}
	var known *Error
	if errors.As(err, &known) {
		return known
	}
	if e := db.engine.Classify(err); e != nil {
		return e
	}
	return &Error{ErrConnect, "the driver failed; see the wrapped error", err}
}
