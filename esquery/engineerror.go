package esquery

import (
	"fmt"
	"strings"
	"time"
)

// ErrorKind is a way in which an engine can fail. It is an error itself, so that
//
//	errors.Is(err, esquery.ErrNotFound)
//
// says whether err, or anything it wraps, is an [*EngineError] of that kind.
// A cancelled search has no kind: it matches [context.Canceled].
type ErrorKind string

const (
	ErrUnavailable ErrorKind = "unavailable"       // it cannot be reached, or failed
	ErrTimeout     ErrorKind = "timeout"           // no answer in time
	ErrRateLimit   ErrorKind = "too many requests" // it works again later
	ErrAuth        ErrorKind = "auth"              // the credentials are missing, wrong, or not allowed this
	ErrNotFound    ErrorKind = "not found"         // there is no such index
	ErrBadRequest  ErrorKind = "bad request"       // it does not take this search
	ErrTooLarge    ErrorKind = "too large"         // the answer, or the search, is larger than it may be
	ErrPartial     ErrorKind = "partial"           // shards failed, or time ran out: see EngineError.Partial
	ErrExpired     ErrorKind = "expired"           // the engine's view of the index, which pages are read from, is gone
	ErrProtocol    ErrorKind = "protocol"          // what answers is neither Elasticsearch nor OpenSearch
)

// Error returns the kind's name.
func (k ErrorKind) Error() string { return "esquery: " + string(k) }

// EngineError is how an engine failed to answer. Callers tell errors apart by
// [ErrorKind], with [errors.Is].
//
// Its text never holds credentials. It may hold what the engine says of a search, cut
// short, which repeats the names and values of that search.
type EngineError struct {
	Kind   ErrorKind
	Status int    // the HTTP status; 0 where there was none
	Type   string // as the engine names it, such as "parsing_exception"; empty: it did not
	Reason string // in the engine's words, or in ours
	Index  string // as the search named it; empty where it is not about one

	// RetryAfter is how long the engine wants to be left alone; 0: it did not say.
	RetryAfter time.Duration
	// Partial is what came of an [ErrPartial]; nil for all other kinds.
	Partial *Result

	Err error // what is behind it; may be nil
}

// Error says what failed, and where.
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

// Is reports whether target is e's [ErrorKind].
func (e *EngineError) Is(target error) bool {
	kind, ok := target.(ErrorKind)
	return ok && kind == e.Kind
}
