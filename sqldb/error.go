package sqldb

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Kind is a way in which reading a database can fail. It is an error itself,
// so that
//
//	errors.Is(err, sqldb.ErrTimeout)
//
// says whether err, or anything it wraps, is an [*Error] of that kind.
type Kind string

const (
	ErrArgument    Kind = "argument"       // a nil, negative or foreign argument, or a session that cannot be made
	ErrSession     Kind = "session"        // Options.Session failed, or what it gave does not fit, such as a wrong key
	ErrConnect     Kind = "connect"        // no connection, or the database is locked: it may work again later
	ErrClosed      Kind = "closed"         // the DB was closed
	ErrMissing     Kind = "missing"        // there is no such database
	ErrUnreadable  Kind = "unreadable"     // it is there, but cannot be opened or read
	ErrNotDatabase Kind = "not a database" // it is of another format, or damaged
	ErrEmpty       Kind = "empty schema"   // it has no tables and no views
	ErrWritable    Kind = "writable"       // it could be written, which nothing here may
	ErrAccount     Kind = "account"        // the account or the server is not as it should be: see Error.Findings
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
// Its text holds neither values of rows or sessions nor anything of a
// connection string but a file's own name. What a person or a model wrote in a
// statement can appear in it.
type Error struct {
	Kind    Kind
	Message string // one sentence, with the remedy where there is one
	Err     error  // what is behind it; may be nil

	Findings []Finding // of kind ErrAccount: what is wrong, each with its cure
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

// Is reports whether target is e's [Kind], or the context's error of that kind.
func (e *Error) Is(target error) bool {
	switch target {
	case context.DeadlineExceeded:
		return e.Kind == ErrTimeout
	case context.Canceled:
		return e.Kind == ErrCancelled
	}
	k, ok := target.(Kind)
	return ok && k == e.Kind
}

// failure gives err its kind. The context comes first: what an engine says
// about a statement that was stopped is noise. Unknown errors of a driver keep
// their text to themselves, as it may hold a connection string.
func (db *DB) failure(ctx context.Context, err error) *Error {
	ctxErr := ctx.Err()
	if end, ok := ctx.Deadline(); ok && ctxErr == nil && timedOut(err) && !time.Now().Before(end) {
		ctxErr = context.DeadlineExceeded // the driver's clock was a little earlier
	}
	switch {
	case ctxErr == nil:
	case context.Cause(ctx) == errTimeLimit:
		return &Error{Kind: ErrTimeout, Message: fmt.Sprintf("stopped after the time limit (Options.Timeout is %v)", db.opt.Timeout), Err: ctxErr}
	case errors.Is(ctxErr, context.DeadlineExceeded):
		return &Error{Kind: ErrTimeout, Message: "stopped at its deadline", Err: ctxErr}
	default:
		return &Error{Kind: ErrCancelled, Message: "stopped by the caller", Err: ctxErr}
	}
	var known *Error
	if errors.As(err, &known) {
		return known
	}
	if e := db.engine.Classify(err); e != nil {
		return e
	}
	return &Error{Kind: ErrConnect, Message: "the driver failed; see the wrapped error", Err: err}
}

// timedOut reports whether err is that of a network operation whose time was up.
func timedOut(err error) bool {
	var e interface{ Timeout() bool }
	return errors.As(err, &e) && e.Timeout()
}

// errTimeLimit is why a context ends at the time limit of the options.
var errTimeLimit = errors.New("sqldb: Options.Timeout")
