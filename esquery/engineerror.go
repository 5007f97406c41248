package esquery

import (
	"fmt"
	"strings"
	"time"
)

// An ErrorKind is a kind of [EngineError]. It can be the target of errors.Is:
//
//	errors.Is(err, esquery.ErrNotFound)
//
// A canceled search has no kind: its error matches [context.Canceled].
type ErrorKind string

const (
	ErrUnavailable ErrorKind = "unavailable"       // no connection, or the engine failed
	ErrTimeout     ErrorKind = "timeout"           // no answer in time
	ErrRateLimit   ErrorKind = "too many requests" // the engine asks for a pause
	ErrAuth        ErrorKind = "auth"              // credentials are missing, wrong or without the permission
	ErrNotFound    ErrorKind = "not found"         // the index does not exist, or is closed
	ErrBadRequest  ErrorKind = "bad request"       // the engine rejects the search
	ErrTooLarge    ErrorKind = "too large"         // the search or its answer is too large
	ErrPartial     ErrorKind = "partial"           // shards failed or time ran out: see EngineError.Partial
	ErrExpired     ErrorKind = "expired"           // the point in time that pages are read from is gone
	ErrProtocol    ErrorKind = "protocol"          // the server is neither Elasticsearch nor OpenSearch
)

// Error returns the name of the kind.
func (k ErrorKind) Error() string { return "esquery: " + string(k) }

// An EngineError is a failure of an engine. errors.Is matches it with its
// [ErrorKind].
//
// Its text never holds credentials. It can hold the shortened message of the
// engine, which repeats names and values of the search.
type EngineError struct {
	Kind   ErrorKind
	Status int    // the HTTP status; 0 without an answer
	Type   string // the name that the engine uses, such as "parsing_exception"; may be empty
	Reason string // a message of the engine, or of the client
	Index  string // as the search named it; empty if the error is not about one index

	// RetryAfter is the pause that the engine asks for. It is 0 if the engine
	// did not name one.
	RetryAfter time.Duration
	// Partial is the result of an [ErrPartial]. It is nil for all other kinds.
	Partial *Result

	Err error // the cause; may be nil
}

// Error returns the kind, the status, the index and the reason.
func (e *EngineError) Error() string {
	var b strings.Builder
	b.WriteString(e.Kind.Error())
	switch {
	case e.Status != 0 && e.Type != "":
		fmt.Fprintf(&b, " (HTTP %d, %s)", e.Status, e.Type)
	case e.Status != 0:
		fmt.Fprintf(&b, " (HTTP %d)", e.Status)
	case e.Type != "":
		fmt.Fprintf(&b, " (%s)", e.Type)
	}
	if e.Index != "" {
		b.WriteString(": index " + quoted(e.Index))
	}
	if e.Reason != "" {
		b.WriteString(": " + e.Reason)
	}
	return b.String()
}

// Unwrap returns Err.
func (e *EngineError) Unwrap() error { return e.Err }

// Is reports whether target is the [ErrorKind] of e.
func (e *EngineError) Is(target error) bool {
	kind, ok := target.(ErrorKind)
	return ok && kind == e.Kind
}
