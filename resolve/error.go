package resolve

import (
	"errors"
	"fmt"
	"strings"
)

// ErrUnresolved is matched by every [*TermError].
var ErrUnresolved = errors.New("not resolved")

// A TermError says that a tool could not find out what terms mean: nobody could be asked, or all
// of them had to be resolved. Within a durable run it is a [qed.CallError] with its text.
type TermError struct {
	Terms []UnresolvedTerm
	Err   error // [qed.ErrCannotInterrupt] where nobody could be asked, else nil
}

// An UnresolvedTerm is one of which it is not known what it means.
type UnresolvedTerm struct {
	Text    string   `json:"text"`
	Kind    string   `json:"kind,omitempty"` // of a field, its source
	Nearest []string `json:"nearest"`        // what is called like it, and what tells it from others of its name
}

// maxNearest is how much of a name, and of what tells it from others, an error shows, in bytes.
const maxNearest = 300

// Error names the terms and what they could mean.
func (e *TermError) Error() string {
	parts := make([]string, len(e.Terms))
	for i, t := range e.Terms {
		parts[i] = shown(t.Text) + " is not known"
		if len(t.Nearest) > 0 {
			parts[i] = shown(t.Text) + " could be " + listed(t.Nearest, maxNearest)
		}
	}
	text := "resolve: " + strings.Join(parts, "; ")
	if e.Err != nil {
		return fmt.Sprintf("%s: name the one that is meant: %v", text, e.Err)
	}
	return text + ": all terms have to be resolved"
}

// Is reports whether target is [ErrUnresolved].
func (e *TermError) Is(target error) bool { return target == ErrUnresolved }

// Unwrap returns Err.
func (e *TermError) Unwrap() error { return e.Err }
