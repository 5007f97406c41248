package sqldb

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// A Kind is a reason why a database could not be read. It is an error, so that
// it can be the target of errors.Is:
//
//	if errors.Is(err, sqldb.ErrTimeout) {
type Kind string

const (
	ErrArgument    Kind = "argument"       // an argument, an option or a session is invalid
	ErrSession     Kind = "session"        // Options.Session failed, or what it returned does not fit, such as a wrong key
	ErrUnavailable Kind = "unavailable"    // no connection, or the database is locked: it may work again later
	ErrClosed      Kind = "closed"         // the DB was closed
	ErrMissing     Kind = "missing"        // there is no such database
	ErrUnreadable  Kind = "unreadable"     // the database exists, but cannot be opened or read
	ErrNotDatabase Kind = "not a database" // the file has another format, or is damaged
	ErrEmpty       Kind = "empty schema"   // the database has no tables and no views
	ErrWritable    Kind = "writable"       // the database could be written through this DB
	ErrAccount     Kind = "account"        // the account or the server is not set up as it should be: see Error.Findings
	ErrTimeout     Kind = "timeout"        // Options.Timeout or the deadline of the context was exceeded
	ErrCanceled    Kind = "canceled"       // the context was canceled
	ErrDenied      Kind = "denied"         // the database would do more than the guard saw
	ErrTooLarge    Kind = "too large"      // a row, a value, an intermediate result or the work of planning exceeds a limit
	ErrExecution   Kind = "execution"      // the database refused the statement, or failed to execute it
)

// Error returns the name of the kind.
func (k Kind) Error() string { return "sqldb: " + string(k) }

// An Error says why a database could not be read. errors.Is finds its [Kind].
// For [ErrTimeout] it also finds [context.DeadlineExceeded], for [ErrCanceled]
// [context.Canceled].
//
// The text contains no values of rows or sessions. Of a connection string it
// contains at most the base name of a file. It may contain parts of the
// statement.
type Error struct {
	Kind    Kind
	Message string // one sentence, with what to do about it if that is known
	Err     error  // the cause; may be nil

	// Findings are the results of a check, for [ErrAccount].
	Findings []Finding
}

func newError(kind Kind, message string) *Error {
	return &Error{Kind: kind, Message: message}
}

func errorf(kind Kind, format string, args ...any) *Error {
	return newError(kind, fmt.Sprintf(format, args...))
}

// Error returns the kind and the message.
func (e *Error) Error() string {
	if e.Message == "" {
		return e.Kind.Error()
	}
	return e.Kind.Error() + ": " + e.Message
}

// Unwrap returns Err.
func (e *Error) Unwrap() error { return e.Err }

// Is reports whether target is the [Kind] of e, or the context's error for that
// kind.
func (e *Error) Is(target error) bool {
	switch target {
	case context.DeadlineExceeded:
		return e.Kind == ErrTimeout
	case context.Canceled:
		return e.Kind == ErrCanceled
	}
	k, ok := target.(Kind)
	return ok && k == e.Kind
}

// failure returns the [Error] for err. The context is considered first, because
// the error of a statement that was stopped has many forms. The text of a
// driver error that is not known is not shown: it may contain a connection
// string.
func (db *DB) failure(ctx context.Context, err error) *Error {
	ctxErr := ctx.Err()
	if end, ok := ctx.Deadline(); ok && ctxErr == nil && timedOut(err) && !time.Now().Before(end) {
		ctxErr = context.DeadlineExceeded // the driver saw the deadline before the context did
	}
	switch {
	case ctxErr == nil:
	case context.Cause(ctx) == errTimeLimit:
		message := fmt.Sprintf("stopped after the time limit (Options.Timeout is %v)", db.opt.Timeout)
		return &Error{Kind: ErrTimeout, Message: message, Err: ctxErr}
	case errors.Is(ctxErr, context.DeadlineExceeded):
		return &Error{Kind: ErrTimeout, Message: "stopped at the deadline of the context", Err: ctxErr}
	default:
		return &Error{Kind: ErrCanceled, Message: "stopped because the context was canceled", Err: ctxErr}
	}
	if known, ok := errors.AsType[*Error](err); ok {
		return known
	}
	if e := db.engine.Classify(err); e != nil {
		return e
	}
	return &Error{Kind: ErrUnavailable, Message: "the driver failed; see the wrapped error", Err: err}
}

// timedOut reports whether err is the timeout of a network operation.
func timedOut(err error) bool {
	var e interface{ Timeout() bool }
	return errors.As(err, &e) && e.Timeout()
}

// errTimeLimit is the cause of a context that ended after Options.Timeout.
var errTimeLimit = errors.New("sqldb: Options.Timeout")
