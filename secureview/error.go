package secureview

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/qedkit/qed/internal/prompt"
	"github.com/qedkit/qed/internal/sqlast"
	"github.com/qedkit/qed/refusal"
)

// The codes of the problems in a [refusal.Error] of this package. They are
// targets of errors.Is.
const (
	// ErrInvalidPolicy: a policy contradicts itself. Returned by [New],
	// [ReadPolicy] and [Policy.ReadableTables].
	ErrInvalidPolicy refusal.Code = "invalid_policy"

	ErrUnknownTable    refusal.Code = "unknown_table"    // a table that is not listed, or a qualifier of no table
	ErrUnknownView     refusal.Code = "unknown_view"     // an invented secure view
	ErrUnknownSchema   refusal.Code = "unknown_schema"   // a schema that the policy does not declare
	ErrUnknownColumn   refusal.Code = "unknown_column"   // a column that is not listed for its table
	ErrAmbiguousColumn refusal.Code = "ambiguous_column" // a name that two columns in scope have, or a column and an alias
	ErrAmbiguousName   refusal.Code = "ambiguous_name"   // two tables of a FROM, or columns of a table, with one name
	ErrColumnCount     refusal.Code = "column_count"     // arms of a UNION or column lists with different lengths
	ErrMisplaced       refusal.Code = "misplaced"        // an aggregate, star or alias where it is not allowed
	ErrFunction        refusal.Code = "function"         // a function that is not known to be safe
	ErrRowLimit        refusal.Code = "row_limit"        // a LIMIT that is not a whole number
	ErrUnquotedDate    refusal.Code = "unquoted_date"    // a date without quotes, which is arithmetic: 2026-03-01 is 2022

	ErrMissingSetting refusal.Code = "missing_setting" // the session has no value for a parameter of a filter

	ErrNotSelect       refusal.Code = "not_select"       // a statement that is not a query
	ErrMultipleQueries refusal.Code = "multiple_queries" // more than one statement, or none
	ErrSyntax          refusal.Code = "syntax"           // a text that the grammar does not accept
	ErrUnsupported     refusal.Code = "unsupported"      // a construct that the guard does not support
	ErrVariable        refusal.Code = "variable"         // a user variable or system variable
	ErrParameter       refusal.Code = "parameter"        // a placeholder
	ErrInto            refusal.Code = "into"             // SELECT .. INTO
	ErrLocking         refusal.Code = "locking"          // FOR UPDATE and similar clauses
	ErrHint            refusal.Code = "hint"             // an optimizer hint or index hint

	ErrTooLarge       refusal.Code = "too_large"       // more bytes than the guard reads
	ErrTooDeep        refusal.Code = "too_deep"        // nested deeper than the guard reads
	ErrTooComplex     refusal.Code = "too_complex"     // more tables, columns or groupings than are resolved and planned
	ErrUnbounded      refusal.Code = "unbounded"       // a series of too many rows
	ErrTooCostly      refusal.Code = "too_costly"      // could take time or memory that no limit of the engine stops
	ErrInvalidText    refusal.Code = "invalid_text"    // not UTF-8, or with a NUL byte
	ErrParserMismatch refusal.Code = "parser_mismatch" // two parsers disagree about what is read
)

// maxMessage bounds a message in bytes: a statement may contain long names.
const maxMessage = 8 << 10

// refuse converts an error of a reader, the resolver or the printer into a
// [refusal.Error]. It is the only place that does so.
func refuse(err error, sql string) error {
	found, several := errors.AsType[sqlast.Errors](err)
	if !several {
		e, ok := errors.AsType[*sqlast.Error](err)
		if !ok {
			return problem(refusal.Problem{Code: ErrUnsupported, Message: err.Error()})
		}
		found = sqlast.Errors{e}
	}
	refused := &refusal.Error{Package: "secureview"}
	for _, e := range found {
		p := refusal.Problem{Code: e.Code, Name: prompt.Clip(e.Name, maxMessage), Message: prompt.Clip(e.Message, maxMessage), Candidates: e.Candidates}
		if e.Code != ErrParserMismatch { // its position is one in the printed text
			p.Line, p.Column = position(sql, int(e.Pos))
		}
		refused.Problems = append(refused.Problems, p)
	}
	return refused
}

func problem(p refusal.Problem) *refusal.Error {
	return &refusal.Error{Package: "secureview", Problems: []refusal.Problem{p}}
}

// position returns the line and column of a byte offset, both 0 if there is none.
func position(sql string, offset int) (line, column int) {
	if offset < 0 || offset > len(sql) {
		return 0, 0
	}
	before := sql[:offset]
	start := strings.LastIndexByte(before, '\n') + 1
	return strings.Count(before, "\n") + 1, utf8.RuneCountInString(before[start:]) + 1
}

// invalid returns the error for an entry of a policy.
func invalid(entry, format string, args ...any) error {
	return problem(refusal.Problem{
		Code: ErrInvalidPolicy, Name: entry, Message: "policy: " + entry + " " + fmt.Sprintf(format, args...),
	})
}
