package llm

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
)

// Kind is a way in which a call of a model can fail. It is an error itself, so that
//
//	errors.Is(err, llm.ErrRateLimit)
//
// says whether err, or anything it wraps, is an [*Error] of that kind.
// A cancelled call has no kind: it matches [context.Canceled].
type Kind string

const (
	ErrTimeout       Kind = "timeout"        // no reply in time
	ErrRateLimit     Kind = "rate limit"     // too many calls: it works again later
	ErrUnavailable   Kind = "unavailable"    // the server cannot be reached, or failed
	ErrTruncated     Kind = "truncated"      // the reply broke off: see Error.Partial
	ErrAuth          Kind = "auth"           // the key is missing, wrong, or not allowed this
	ErrQuota         Kind = "quota"          // the account has no credit left
	ErrContextLength Kind = "context length" // the request is longer than the model can read
	ErrRefusal       Kind = "refusal"        // the model or a filter declined
	ErrBadRequest    Kind = "bad request"    // the provider takes no such request
	ErrInvalidOutput Kind = "invalid output" // the reply is not what was asked for: malformed JSON, or not of its schema
	ErrProtocol      Kind = "protocol"       // the server does not speak the provider's protocol
)

// Error returns the kind's name.
func (k Kind) Error() string { return "llm: " + string(k) }

// Error is how a call of a model failed. Callers tell errors apart by [Kind], with [errors.Is].
//
// Its text never holds a key, and holds at most a short beginning of what a server or a model said.
type Error struct {
	Kind     Kind
	Provider string // such as "openai"; empty when no provider was involved
	Status   int    // the HTTP status; 0 when there was none

	// RetryAfter is how long the provider wants to be left alone; 0 when it did not say.
	RetryAfter time.Duration

	Message string
	Err     error // what is behind it; may be nil

	// Partial is what had arrived when the reply broke off or was refused; nil when nothing had.
	// Its Usage counts, where the provider reported it.
	Partial *Response
}

// Error says what failed, and where.
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

// Is reports whether target is e's [Kind].
func (e *Error) Is(target error) bool {
	k, ok := target.(Kind)
	return ok && k == e.Kind
}

// ended is the error for a context that is done: [ErrTimeout] after its deadline, else one that matches
// [context.Canceled], with the reason where one was given.
func ended(ctx context.Context) error {
	switch err, cause := ctx.Err(), context.Cause(ctx); {
	case errors.Is(err, context.DeadlineExceeded):
		return &Error{Kind: ErrTimeout, Message: "the context's deadline has passed", Err: err}
	case errors.Is(cause, err):
		return fmt.Errorf("llm: %w", err)
	default:
		return fmt.Errorf("llm: %w: %w", err, cause)
	}
}
