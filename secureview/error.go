package secureview

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Code says what kind of thing is wrong. Its text is stable. A Code is an error,
// so that errors.Is(err, secureview.ErrUnknownTable) asks for it.
type Code string

// Error returns the code with the package's name.
func (c Code) Error() string { return "secureview: " + string(c) }

// The codes of an [Error].
const (
	ErrInvalidPolicy Code = "invalid_policy" // a policy that contradicts itself, from New and ReadPolicy

	ErrUnknownTable    Code = "unknown_table"    // a table that the policy does not list, or a qualifier of no table
	ErrUnknownView     Code = "unknown_view"     // an invented secure view
	ErrUnknownSchema   Code = "unknown_schema"   // a schema that the policy does not declare
	ErrUnknownColumn   Code = "unknown_column"   // a column that is not listed for its table
	ErrAmbiguousColumn Code = "ambiguous_column" // a name that two tables in scope have
	ErrAmbiguousName   Code = "ambiguous_name"   // two tables of one name in one FROM, two columns of one derived table
	ErrColumnCount     Code = "column_count"     // arms of a UNION or lists of columns of different lengths
	ErrMisplaced       Code = "misplaced"        // an aggregate, star, alias or reference where it cannot stand
	ErrFunction        Code = "function"         // a function that is not known to be safe
	ErrRowLimit        Code = "row_limit"        // a LIMIT that cannot be lowered

	ErrNotSelect       Code = "not_select"       // a statement that is no query
	ErrMultipleQueries Code = "multiple_queries" // more than one statement, or none
	ErrSyntax          Code = "syntax"           // a text that the grammar does not read
	ErrUnsupported     Code = "unsupported"      // a construct that cannot be executed
	ErrVariable        Code = "variable"         // a user or system variable
	ErrParameter       Code = "parameter"        // a placeholder
	ErrInto            Code = "into"             // SELECT .. INTO
	ErrLocking         Code = "locking"          // FOR UPDATE and the like
	ErrHint            Code = "hint"             // a hint for the optimizer

	ErrTooLarge      Code = "too_large"      // more text than is read
	ErrTooDeep       Code = "too_deep"       // nested deeper than is read
	ErrTooComplex    Code = "too_complex"    // more tables or columns than are resolved
	ErrInvalidText   Code = "invalid_text"   // not UTF-8, or a NUL byte
	ErrSecondReading Code = "second_reading" // two readers disagree about what is read
)

// Error is why a statement or a policy was refused. It holds names and places of
// the statement and the policy, never rows.
//
// errors.Is takes a [Code] for its target.
type Error struct {
	Code       Code     `json:"code"`
	Name       string   `json:"name,omitempty"`       // the offending name, construct or entry
	Offset     int      `json:"offset"`               // byte offset into the statement; -1: no place
	Line       int      `json:"line,omitempty"`       // counted from 1; 0: no place
	Column     int      `json:"column,omitempty"`     // in characters, counted from 1; 0: no place
	Message    string   `json:"message"`              // one sentence for a person or a model, without the place
	Candidates []string `json:"candidates,omitempty"` // what may have been meant, best first
}

// Error returns the message with the package's name and the place.
func (e *Error) Error() string {
	if e.Line == 0 {
		return "secureview: " + e.Message
	}
	return fmt.Sprintf("secureview: %s (line %d, column %d)", e.Message, e.Line, e.Column)
}

// Unwrap returns the code.
func (e *Error) Unwrap() error { return e.Code }

// place works out line and column of the offset.
func (e *Error) place(sql string) {
	if e.Offset < 0 || e.Offset > len(sql) {
		e.Offset = -1
		return
	}
	before := sql[:e.Offset]
	start := strings.LastIndexByte(before, '\n') + 1
	e.Line = strings.Count(before, "\n") + 1
	e.Column = utf8.RuneCountInString(before[start:]) + 1
}

// maxMessage bounds a message in bytes: a statement may hold long names.
const maxMessage = 8 << 10

func clip(message string) string {
	if len(message) <= maxMessage {
		return message
	}
	return strings.ToValidUTF8(message[:maxMessage], "") + " ..."
}

// invalid is the error of an entry of a policy.
func invalid(entry, format string, args ...any) error {
	return &Error{Code: ErrInvalidPolicy, Name: entry, Offset: -1, Message: "policy: " + entry + " " + fmt.Sprintf(format, args...)}
}
