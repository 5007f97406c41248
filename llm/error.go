package llm

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
)

// ErrorKind is why a call of a model failed. It is an error, so that it can be
// the target of errors.Is:
//
//	errors.Is(err, llm.ErrRateLimit)
//
// reports whether err is or wraps an [*Error] of that kind. A cancelled call has
// no kind: its error matches [context.Canceled].
type ErrorKind string

const (
	ErrTimeout       ErrorKind = "timeout"        // no reply in time
	ErrRateLimit     ErrorKind = "rate limit"     // too many calls; a later one may succeed
	ErrUnavailable   ErrorKind = "unavailable"    // the server cannot be reached, or it failed
	ErrTruncated     ErrorKind = "truncated"      // the reply is incomplete: see Error.Partial
	ErrAuth          ErrorKind = "auth"           // the key is missing, wrong, or lacks a permission
	ErrQuota         ErrorKind = "quota"          // the account has no credit left
	ErrContextLength ErrorKind = "context length" // the request exceeds the model's context window
	ErrRefusal       ErrorKind = "refusal"        // the model or a filter declined
	ErrBadRequest    ErrorKind = "bad request"    // the provider does not accept the request
	ErrInvalidOutput ErrorKind = "invalid output" // the reply is malformed JSON, or violates its schema
	ErrProtocol      ErrorKind = "protocol"       // the server does not follow the provider's protocol
)

// Error returns the name of the kind.
func (k ErrorKind) Error() string { return "llm: " + string(k) }

// An Error is a failed call of a model. Test its kind with errors.Is and an
// [ErrorKind].
//
// Its text never contains the API key. It quotes at most a short part of what
// the server or the model sent.
type Error struct {
	Kind     ErrorKind
	Provider string // such as "openai"; empty if no provider was involved
	Status   int    // the HTTP status, or 0

	// RetryAfter is the pause that the provider asks for. It is 0 if the provider
	// did not name one.
	RetryAfter time.Duration

	Message string
	Err     error // the cause; may be nil

	// Partial is the part of the reply that arrived before it broke off or was
	// refused. It is nil if nothing arrived. Its Usage is counted, as far as the
	// provider reported it.
	Partial *Response
}

// Error returns the provider, the kind, the HTTP status and the message.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString("llm: ")
	if e.Provider != "" {
		b.WriteString(e.Provider + ": ")
	}
	b.WriteString(string(e.Kind))
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

// contextError returns the error for a context that is done: one of kind
// [ErrTimeout] after its deadline, and otherwise one that matches
// [context.Canceled] and the cause of the cancellation.
func contextError(ctx context.Context) error {
	switch err, cause := ctx.Err(), context.Cause(ctx); {
	case errors.Is(err, context.DeadlineExceeded):
		return &Error{Kind: ErrTimeout, Message: "the context's deadline has passed", Err: err}
	case errors.Is(cause, err):
		return fmt.Errorf("llm: %w", err)
	default:
		return fmt.Errorf("llm: %w: %w", err, cause)
	}
}
