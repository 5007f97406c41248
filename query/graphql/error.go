package graphql

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
)

// An ErrorKind is a way in which a request to a server fails. It is an error, so
// that it can be the target of errors.Is:
//
//	errors.Is(err, graphql.ErrRateLimit)
//
// A cancelled request has no kind: its error matches [context.Canceled].
type ErrorKind string

const (
	ErrAuth             ErrorKind = "auth"               // the credentials are missing, wrong, or not sufficient
	ErrRateLimit        ErrorKind = "rate limit"         // too many requests; a later one may succeed
	ErrTimeout          ErrorKind = "timeout"            // no complete response in time
	ErrUnavailable      ErrorKind = "unavailable"        // the server cannot be reached, or failed
	ErrBadRequest       ErrorKind = "bad request"        // the server returned errors and no data
	ErrProtocol         ErrorKind = "protocol"           // the response is not GraphQL over HTTP
	ErrResponseTooLarge ErrorKind = "response too large" // more than 16 MiB
)

// Error returns the name of the kind.
func (k ErrorKind) Error() string { return "graphql: " + string(k) }

// An Error is the failure of a request that returned no data. Test its kind with
// errors.Is and an [ErrorKind]. Its text holds no credentials and no URL, and at
// most a short beginning of what the server said.
type Error struct {
	Kind   ErrorKind
	Status int // the HTTP status, or 0 if there was no response

	// RetryAfter is the pause that the server asks for. It is 0 if the server did
	// not name one.
	RetryAfter time.Duration

	Message string
	Errors  []FieldError // what the server returned instead of data
	Err     error        // the cause; may be nil
}

// Error returns the kind, the status and the message.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(e.Kind.Error())
	if e.Status != 0 {
		fmt.Fprintf(&b, " (HTTP %d)", e.Status)
	}
	if e.Message != "" {
		b.WriteString(": " + e.Message)
	}
	return b.String()
}

// Unwrap returns Err.
func (e *Error) Unwrap() error { return e.Err }

// Is reports whether target is the [ErrorKind] of e.
func (e *Error) Is(target error) bool {
	k, ok := target.(ErrorKind)
	return ok && k == e.Kind
}

// ended returns the error of a request whose context is done.
func ended(ctx context.Context) error {
	err, cause := ctx.Err(), context.Cause(ctx)
	if errors.Is(err, context.DeadlineExceeded) {
		return &Error{Kind: ErrTimeout, Message: "the context's deadline has passed", Err: err}
	}
	if errors.Is(cause, err) {
		return fmt.Errorf("graphql: %w", err)
	}
	return fmt.Errorf("graphql: %w: %w", err, cause)
}
