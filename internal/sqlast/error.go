package sqlast

import (
	"fmt"

	"github.com/qedkit/qed/internal/prompt"
	"github.com/qedkit/qed/refusal"
)

// The codes of an [Error]. Package secureview documents them for callers, under
// the same names with the prefix Err.
const (
	TooLarge        refusal.Code = "too_large"
	InvalidText     refusal.Code = "invalid_text"
	TooDeep         refusal.Code = "too_deep"
	TooComplex      refusal.Code = "too_complex"
	Unbounded       refusal.Code = "unbounded"
	TooCostly       refusal.Code = "too_costly"
	Syntax          refusal.Code = "syntax"
	NotSelect       refusal.Code = "not_select"
	MultipleQueries refusal.Code = "multiple_queries"
	Unsupported     refusal.Code = "unsupported"
	Variable        refusal.Code = "variable"
	Parameter       refusal.Code = "parameter"
	Into            refusal.Code = "into"
	Locking         refusal.Code = "locking"
	Hint            refusal.Code = "hint"
	Function        refusal.Code = "function"
	UnknownSchema   refusal.Code = "unknown_schema"
	UnknownTable    refusal.Code = "unknown_table"
	UnknownView     refusal.Code = "unknown_view"
	UnknownColumn   refusal.Code = "unknown_column"
	AmbiguousColumn refusal.Code = "ambiguous_column"
	AmbiguousName   refusal.Code = "ambiguous_name"
	ColumnCount     refusal.Code = "column_count"
	Misplaced       refusal.Code = "misplaced"
	RowLimit        refusal.Code = "row_limit"
	UnquotedDate    refusal.Code = "unquoted_date"
	ParserMismatch  refusal.Code = "parser_mismatch"
)

// Error is a problem of a statement at a byte offset. Readers, [Resolve] and
// printers return it; package secureview converts it into a [refusal.Error],
// whose positions are lines and columns.
type Error struct {
	Code       refusal.Code
	Name       string   // the wrong name or construct, as it was written
	Pos        Pos      // byte offset into the text; -1: no position
	Candidates []string // names that may have been meant, best first
	Message    string   // one sentence for a person or a model; no prefix
}

// Error returns the message and the position.
func (e *Error) Error() string {
	if e.Pos < 0 {
		return e.Message
	}
	return fmt.Sprintf("%s (at byte %d)", e.Message, e.Pos)
}

// Errors are several problems of one statement, in the order in which they were found.
type Errors []*Error

// Error returns the message of the first one and the number of the others.
func (e Errors) Error() string {
	if len(e) == 1 {
		return e[0].Error()
	}
	return fmt.Sprintf("%v, and %d more", e[0], len(e)-1)
}

// Unwrap returns the problems.
func (e Errors) Unwrap() []error {
	all := make([]error, len(e))
	for i, problem := range e {
		all[i] = problem
	}
	return all
}

// Clip shortens a text that is quoted from a statement in an [Error].
func Clip(s string) string { return prompt.Clip(s, 80) }
