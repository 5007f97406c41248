package mcpkit

import (
	"errors"
	"fmt"
	"strings"
	"unicode"

	"github.com/qedkit/qed/internal/prompt"
)

var (
	// ErrClosed says that a [Client] was closed.
	ErrClosed = errors.New("mcpkit: the client is closed")

	// ErrUnavailable says that an MCP server cannot be reached, or that its connection broke.
	ErrUnavailable = errors.New("mcpkit: the MCP server cannot be reached")

	// ErrTooManyTools says that a server lists more tools than [ClientOptions] allow, or
	// that its list does not end.
	ErrTooManyTools = errors.New("mcpkit: the MCP server lists too many tools")
)

// A ToolError says why a tool of an MCP server cannot be used.
type ToolError struct {
	Tool string // as the server calls it, cut after 128 bytes
	Err  error
}

// Error names the tool, quoted, and says what is wrong with it.
func (e *ToolError) Error() string { return fmt.Sprintf("mcpkit: tool %q: %v", e.Tool, e.Err) }

// Unwrap returns Err.
func (e *ToolError) Unwrap() error { return e.Err }

func refused(tool, format string, args ...any) *ToolError {
	return &ToolError{prompt.Clip(tool, 128), fmt.Errorf(format, args...)}
}

// A quiet error tells whoever reads it what happened, and its cause only to errors.Is,
// errors.As and the host's log: an address with a key in it may stand in the cause.
type quiet struct {
	text  string
	cause error
}

func (e *quiet) Error() string { return e.text }
func (e *quiet) Unwrap() error { return e.cause }

// clean returns a text of somebody whom nobody vouches for, without what cannot be seen
// and may be obeyed: control characters other than line ends and tabs, and characters that
// only say how others are shown. It is cut after n bytes.
func clean(text string, n int) string {
	text = strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case unicode.Is(unicode.Cc, r) || unicode.Is(unicode.Cf, r) && r != '\u200d':
			return -1
		}
		return r
	}, strings.ToValidUTF8(prompt.Clip(text, 2*n+1), "?"))
	return prompt.Clip(strings.TrimSpace(text), n)
}
