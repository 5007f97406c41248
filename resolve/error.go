package resolve

import (
	"errors"
	"fmt"
	"strings"
)

var (
	// ErrUnresolved is matched by every [*UnresolvedError].
	ErrUnresolved = errors.New("not resolved")
	// ErrInvalidTerm is matched by the error for a term that cannot be a name: it
	// has no letter and no digit, or it is too long.
	ErrInvalidTerm = errors.New("not a name")
	// ErrUnknownSource is matched by the error for a source without fields.
	ErrUnknownSource = errors.New("unknown source")
)

// An UnresolvedError is the error of a tool that could not resolve terms: nobody
// could be asked. A durable run records it as a
// [qed.CallError] with its text.
type UnresolvedError struct {
	Terms []UnresolvedTerm
	Err   error // [qed.ErrCannotInterrupt] if nobody could be asked, else nil
}

// An UnresolvedTerm is a term that was not resolved.
type UnresolvedTerm struct {
	Text string `json:"text"`
	Kind string `json:"kind,omitempty"` // for a field, its source
	// Nearest are the most similar names. A name of several candidates is followed
	// by what distinguishes them.
	Nearest []string `json:"nearest"`
}

// maxNearest limits one of the Nearest in an error, in bytes.
const maxNearest = 300

// Error lists the terms and what each could mean.
func (e *UnresolvedError) Error() string {
	parts := make([]string, len(e.Terms))
	for i, t := range e.Terms {
		parts[i] = shown(t.Text) + " is not known"
		if len(t.Nearest) > 0 {
			parts[i] = shown(t.Text) + " could be " + listed(t.Nearest, maxNearest)
		}
	}
	text := "resolve: " + strings.Join(parts, "; ")
	if e.Err != nil {
		return fmt.Sprintf("%s: use the full name of the one that is meant: %v", text, e.Err)
	}
	return text + ": all terms have to be resolved"
}

// Is reports whether target is [ErrUnresolved].
func (e *UnresolvedError) Is(target error) bool { return target == ErrUnresolved }

// Unwrap returns Err.
func (e *UnresolvedError) Unwrap() error { return e.Err }
