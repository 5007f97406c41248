package sqlast

import (
	"fmt"
	"unicode/utf8"
)

// Code says what kind of thing is wrong with a statement. Package secureview
// shows the same codes to callers.
type Code string

const (
	TooLarge        Code = "too_large"        // more text than is read
	InvalidText     Code = "invalid_text"     // not UTF-8, or a NUL byte
	TooDeep         Code = "too_deep"         // nested deeper than is read
	TooComplex      Code = "too_complex"      // more tables or output columns than are resolved
	Syntax          Code = "syntax"           // the grammar does not read it
	NotSelect       Code = "not_select"       // a statement of another kind
	MultipleQueries Code = "multiple_queries" // more than one statement, or none
	Unsupported     Code = "unsupported"      // a construct that has no node
	Variable        Code = "variable"         // a user or system variable
	Parameter       Code = "parameter"        // a placeholder
	Into            Code = "into"             // SELECT .. INTO
	Locking         Code = "locking"          // FOR UPDATE and the like
	Hint            Code = "hint"             // an optimizer or index hint
	Function        Code = "function"         // a function outside the allow-list
	UnknownSchema   Code = "unknown_schema"   // a schema that is not declared
	UnknownTable    Code = "unknown_table"    // a table that does not exist or is not allowed
	UnknownView     Code = "unknown_view"     // an invented secure view
	UnknownColumn   Code = "unknown_column"   // a column that does not exist in its table
	AmbiguousColumn Code = "ambiguous_column" // a name that two tables have
	AmbiguousName   Code = "ambiguous_name"   // two tables of one name in one FROM, two CTEs of one name
	ColumnCount     Code = "column_count"     // arms or column lists of different lengths
	Misplaced       Code = "misplaced"        // an aggregate, star or alias where it cannot stand
	RowLimit        Code = "row_limit"        // a LIMIT that cannot be lowered
	SecondReading   Code = "second_reading"   // two readers disagree about what is read
)

// Error is what is wrong with a statement, and where.
type Error struct {
	Code       Code
	Name       string   // the offending name or construct, as it was written
	Pos        Pos      // byte offset into the text; -1 where there is none
	Candidates []string // what may have been meant, best first
	Message    string   // one sentence for a person or a model; no prefix
}

func (e *Error) Error() string {
	if e.Pos < 0 {
		return e.Message
	}
	return fmt.Sprintf("%s (at byte %d)", e.Message, e.Pos)
}

// Clip shortens what is quoted from a statement in an [Error].
func Clip(s string) string {
	const most = 80
	if len(s) <= most {
		return s
	}
	n := most
	for !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + ".."
}
