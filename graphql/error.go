package graphql

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// Code says what kind of thing is wrong. Its text is stable. A Code is an error,
// so that errors.Is(err, graphql.ErrUnknownField) asks for it.
type Code string

// Error returns the code with the package's name.
func (c Code) Error() string { return "graphql: " + string(c) }

// The codes of a [Problem].
const (
	ErrInvalidSchema  Code = "invalid_schema"  // an introspection answer or an SDL that cannot be used
	ErrInvalidOptions Code = "invalid_options" // options that contradict themselves or the schema

	ErrTooLarge    Code = "too_large"    // more bytes, tokens, fields, fragments or directives than are read
	ErrInvalidText Code = "invalid_text" // not UTF-8, or a NUL byte
	ErrSyntax      Code = "syntax"       // no GraphQL
	ErrOperations  Code = "operations"   // not exactly one operation
	ErrNotQuery    Code = "not_query"    // a mutation or a subscription
	ErrUnsupported Code = "unsupported"  // a construct that servers do not share

	ErrIntrospection    Code = "introspection"     // __schema or __type
	ErrUnknownField     Code = "unknown_field"     // a field that the type does not have
	ErrUnknownArgument  Code = "unknown_argument"  // an argument that the field or directive does not have
	ErrUnknownType      Code = "unknown_type"      // a type that the schema does not have
	ErrUnknownFragment  Code = "unknown_fragment"  // a fragment that is not defined
	ErrUnknownVariable  Code = "unknown_variable"  // a variable that is not declared
	ErrUnknownDirective Code = "unknown_directive" // a directive that the schema does not have, or that is not allowed

	ErrMissingArgument Code = "missing_argument" // a required argument that is not there
	ErrFixedArgument   Code = "fixed_argument"   // another value for an argument that code sets
	ErrValue           Code = "value"            // a literal that its type does not take
	ErrVariable        Code = "variable"         // a variable of the wrong type, or a value that it does not take
	ErrSelection       Code = "selection"        // a selection on a scalar, or none on an object
	ErrFragment        Code = "fragment"         // a fragment in a cycle, or where it can never match
	ErrDirective       Code = "directive"        // a directive where it cannot stand, or twice
	ErrDuplicate       Code = "duplicate"        // a name that is there twice
	ErrConflict        Code = "conflict"         // two different fields under one name in the answer
	ErrUnused          Code = "unused"           // a variable or fragment that nothing uses

	ErrTooDeep      Code = "too_deep"      // fields nested deeper than Options.MaxDepth
	ErrTooExpensive Code = "too_expensive" // a cost above Options.MaxCost
)

// Problem is one thing that is wrong with a query, a schema or options.
type Problem struct {
	Code Code `json:"code"`

	// Path says where: names in the answer joined by dots, arguments in
	// parentheses, variables with their $, "fragment F" for what is in one. For a
	// schema and options it is the entry. Empty: the whole.
	Path string `json:"path,omitempty"`

	Line       int      `json:"line,omitempty"`   // counted from 1; 0: no place
	Column     int      `json:"column,omitempty"` // in characters, counted from 1; 0: no place
	Message    string   `json:"message"`          // for a person or a model, without the place
	Candidates []string `json:"candidates,omitempty"`
}

// Error is why a query, a schema or options were refused. It holds names, and
// literals of the query itself cut short; never values of variables or of code.
//
// errors.Is takes a [Code] for its target, and finds it in any of the Problems.
type Error struct {
	Problems []Problem `json:"problems"` // at least one; at most 20
}

// Error returns all messages with their places.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString("graphql: ")
	for i, p := range e.Problems {
		if i > 0 {
			b.WriteString("; ")
		}
		b.WriteString(p.Message)
		if p.Line > 0 {
			fmt.Fprintf(&b, " (line %d, column %d)", p.Line, p.Column)
		}
	}
	return b.String()
}

// Is reports whether target is the [Code] of one of the Problems.
func (e *Error) Is(target error) bool {
	code, ok := target.(Code)
	return ok && slices.ContainsFunc(e.Problems, func(p Problem) bool { return p.Code == code })
}

const (
	maxProblems   = 20
	maxMessage    = 400 // bytes
	maxCandidates = 5
)

// pending is a problem that may be told. Its candidates are looked for when it is:
// to compare a name with all that a schema has takes long.
type pending struct {
	Problem
	meant near
}

// near is a name that does not exist, and among which it may have been meant.
type near struct {
	name  string
	names func() []string // nil: none
	known []string        // the candidates, where they are known already
}

// maxCompared bounds the names that are compared for one error.
const maxCompared = 20_000

// tell looks for candidates, for the first problems first.
func tell(list []pending) []Problem {
	told := make([]Problem, len(list))
	room := maxCompared
	for i, p := range list {
		told[i] = p.Problem
		told[i].Candidates = p.meant.known
		if p.meant.names == nil {
			continue
		}
		if names := p.meant.names(); len(names) <= room {
			room -= len(names)
			told[i].Candidates = candidates(p.meant.name, names)
		}
	}
	return told
}

// clip bounds what a query or a server can make an error say.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "..."
}

// refused is the error of one problem that has no place in a query.
func refused(code Code, path, format string, args ...any) *Error {
	return &Error{Problems: []Problem{{Code: code, Path: clip(path, maxMessage), Message: clip(fmt.Sprintf(format, args...), maxMessage)}}}
}
