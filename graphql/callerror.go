package graphql

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
)

// Kind is a way in which a call of a server can fail. It is an error itself, so that
//
//	errors.Is(err, graphql.ErrRateLimit)
//
// says whether err, or anything it wraps, is a [*CallError] of that kind.
// A cancelled call has no kind: it matches [context.Canceled].
type Kind string

const (
	ErrAuth             Kind = "auth"               // the credentials are missing, wrong, or not allowed this
	ErrRateLimit        Kind = "rate limit"         // too many calls: it works again later
	ErrTimeout          Kind = "timeout"            // no answer in time
	ErrUnavailable      Kind = "unavailable"        // the server cannot be reached, or failed
	ErrRefused          Kind = "refused"            // the server answered with errors and no data
	ErrProtocol         Kind = "protocol"           // what answers does not speak GraphQL over HTTP
	ErrResponseTooLarge Kind = "response too large" // more than ClientConfig.MaxBytes
	ErrInvalidCall      Kind = "invalid call"       // a configuration that cannot be used, or a Query that no Guard made
)

// Error returns the kind's name.
func (k Kind) Error() string { return "graphql: " + string(k) }

// CallError is why a call gave no data. Callers tell them apart by [Kind], with
// [errors.Is]. Its text holds no credentials and no URL, and of what a server said
// at most a short beginning.
type CallError struct {
	Kind   Kind
	Status int // the HTTP status; 0: there was none

	// RetryAfter is how long the server wants to be left alone; 0: it did not say.
	RetryAfter time.Duration

	Message string
	Errors  []FieldError // what the server answered instead of data
	Err     error        // what is behind it; may be nil
}

// Error says what failed.
func (e *CallError) Error() string {
	var b strings.Builder
	b.WriteString("graphql: " + string(e.Kind))
	if e.Status != 0 {
		fmt.Fprintf(&b, " (HTTP %d)", e.Status)
	}
	if e.Message != "" {
		b.WriteString(": " + e.Message)
	}
	return b.String()
}

// Unwrap returns Err.
func (e *CallError) Unwrap() error { return e.Err }

// Is reports whether target is e's [Kind].
func (e *CallError) Is(target error) bool {
	k, ok := target.(Kind)
	return ok && k == e.Kind
}

// ended is the error for a context that is done: [ErrTimeout] after its deadline,
// else one that matches [context.Canceled], with the reason where one was given.
func ended(ctx context.Context) error {
	switch err, cause := ctx.Err(), context.Cause(ctx); {
	case errors.Is(err, context.DeadlineExceeded):
		return &CallError{Kind: ErrTimeout, Message: "the context's deadline has passed", Err: err}
	case errors.Is(cause, err):
		return fmt.Errorf("graphql: %w", err)
	default:
		return fmt.Errorf("graphql: %w: %w", err, cause)
	}
}
