package mcpkit

import (
	"errors"
	"fmt"
	"strings"
	"unicode"

	"github.com/qedkit/qed/internal/prompt"
)

var (
	// ErrClosed is returned when a [Client] was closed.
	ErrClosed = errors.New("mcpkit: the client is closed")

	// ErrUnavailable is returned when an MCP server cannot be reached, or when its
	// connection broke.
	ErrUnavailable = errors.New("mcpkit: the MCP server cannot be reached")

	// ErrTooManyTools is returned when a server lists more than 128
	// tools, or when its list does not end.
	ErrTooManyTools = errors.New("mcpkit: the MCP server lists too many tools")
)

// A ToolError is the reason why a tool of an MCP server cannot be used.
type ToolError struct {
	Tool string // the server's name of the tool, cut after 128 bytes
	Err  error
}

// Error returns the quoted name of the tool and the reason.
func (e *ToolError) Error() string { return fmt.Sprintf("mcpkit: tool %q: %v", e.Tool, e.Err) }

// Unwrap returns Err.
func (e *ToolError) Unwrap() error { return e.Err }

func refused(tool, format string, args ...any) *ToolError {
	return &ToolError{Tool: prompt.Clip(tool, 128), Err: fmt.Errorf(format, args...)}
}

// A quietError has a text that everybody may read. Its cause, which may hold a URL
// with a key, is only found by errors.Is and errors.As.
type quietError struct {
	text  string
	cause error
}

func (e *quietError) Error() string { return e.text }
func (e *quietError) Unwrap() error { return e.cause }

// clean returns an untrusted text without control characters (except line ends and
// tabs) and without invisible formatting characters, which a terminal or a model may
// obey. It is cut after n bytes.
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
