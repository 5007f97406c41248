// Package refusal is the error with which every check of qed refuses something
// that a model or a person wrote: an SQL statement, a search body, a GraphQL
// query, a chart, a policy.
//
// A check returns an [*Error] with one or more [Problem]s. Each problem has a
// [Code] that a program can test with errors.Is, a message that a model can
// act on, and the names that may have been meant:
//
//	var refused *refusal.Error
//	if errors.As(err, &refused) {
//		for _, p := range refused.Problems {
//			log.Println(p.Code, p.Message, p.Candidates)
//		}
//	}
//
// The codes are constants of the packages that use them, such as
// secureview.ErrUnknownTable. Codes with the same text are the same code, so
// errors.Is(err, esquery.ErrUnknownField) also matches a problem of package
// [graphql].
//
// [graphql]: https://pkg.go.dev/github.com/qedkit/qed/query/graphql
package refusal

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/qedkit/qed/internal/prompt"
	"github.com/qedkit/qed/internal/wordset"
)

// A Code names a kind of problem, such as "unknown_table". The text of a code
// does not change between versions. A Code is an error, so that it can be the
// target of errors.Is.
type Code string

// Error returns the text of the code.
func (c Code) Error() string { return string(c) }

// A Problem is one thing that is wrong with the refused text. It may repeat
// names and literals of that text, shortened; it never holds rows, documents or
// secrets.
type Problem struct {
	Code Code `json:"code"`

	// Name is the name, construct or entry that is wrong. It is empty when no
	// single name is wrong.
	Name string `json:"name,omitempty"`

	// Path is the location in structured text: a JSON Pointer (RFC 6901) into a
	// JSON document, or names joined by dots in a GraphQL query. It is empty
	// when the problem concerns the whole text, or when Line is set.
	Path string `json:"path,omitempty"`

	// Line and Column are the location in a text, counted from 1; a column is a
	// character. Both are 0 when the location is not known.
	Line   int `json:"line,omitempty"`
	Column int `json:"column,omitempty"`

	// Message is one sentence for a person or a model: what is wrong and what
	// would be right. It does not repeat the location.
	Message string `json:"message"`

	// Candidates are names that may have been meant, best first.
	Candidates []string `json:"candidates,omitempty"`

	// Fix is what replaced the wrong part, if the check corrected it. A text
	// whose problems all have a Fix is accepted.
	Fix string `json:"fix,omitempty"`
}

// String returns the message with the location before it and the candidates
// after it. Candidates that the message names already are not repeated, a long
// Path is cut, and characters that cannot be shown are escaped: the text is safe
// for a terminal. The fields hold the text as it was written.
func (p Problem) String() string {
	var b strings.Builder
	if p.Path != "" {
		b.WriteString(printable(prompt.Clip(p.Path, maxPath)) + ": ")
	}
	b.WriteString(printable(p.Message))
	unnamed := func(c string) bool { return !wordset.HasWord(p.Message, c) }
	if slices.ContainsFunc(p.Candidates, unnamed) {
		b.WriteString(" (did you mean " + printable(strings.Join(p.Candidates, ", ")) + "?)")
	}
	if p.Line > 0 {
		fmt.Fprintf(&b, " (line %d, column %d)", p.Line, p.Column)
	}
	return b.String()
}

// maxPath is how many bytes of a path the text of a problem has: the keys of a
// path may be as long as the document.
const maxPath = 300

// printable escapes what a terminal obeys or does not show, such as the start of
// an escape sequence or a change of the writing direction. Line breaks stay.
func printable(text string) string {
	hidden := func(r rune) bool { return !unicode.IsPrint(r) && r != '\n' && r != '\t' }
	if !strings.ContainsFunc(text, hidden) {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		if hidden(r) {
			quoted := strconv.QuoteRuneToASCII(r)
			b.WriteString(quoted[1 : len(quoted)-1])
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

// An Error is the reason why a text was refused.
//
// errors.Is finds the [Code] of any of its problems, and Err.
type Error struct {
	// Package is the name of the package that refused the text.
	Package string `json:"-"`

	// Problems has at least one entry, the most basic problem first.
	Problems []Problem `json:"problems"`

	// Err is the cause, such as the error of a server. It may be nil.
	Err error `json:"-"`
}

// maxListed is how many problems the text of an [Error] lists.
const maxListed = 5

// Error returns the problems, one after the other, after the package's name.
func (e *Error) Error() string {
	var b strings.Builder
	if e.Package != "" {
		b.WriteString(e.Package + ": ")
	}
	for i, p := range e.Problems {
		if i == maxListed {
			fmt.Fprintf(&b, "; and %d more", len(e.Problems)-i)
			break
		}
		if i > 0 {
			b.WriteString("; ")
		}
		b.WriteString(p.String())
	}
	return b.String()
}

// Is reports whether target is the [Code] of one of the problems.
func (e *Error) Is(target error) bool {
	code, ok := target.(Code)
	return ok && slices.ContainsFunc(e.Problems, func(p Problem) bool { return p.Code == code })
}

// Unwrap returns Err.
func (e *Error) Unwrap() error { return e.Err }
