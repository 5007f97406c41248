// Package sqlread has what the readers of the SQL dialects share.
package sqlread

import (
	"fmt"

	"github.com/qedkit/qed/internal/ascii"
	"github.com/qedkit/qed/internal/sqlast"
)

// IsPlainWord reports whether s consists of lower-case ASCII letters, digits and
// underscores, and does not begin with a digit. Such a name of a function can be
// printed without quotes.
func IsPlainWord(s string) bool {
	for i := range len(s) {
		if c := s[i]; !('a' <= c && c <= 'z' || c == '_' || i > 0 && ascii.IsDigit(c)) {
			return false
		}
	}
	return s != ""
}

// NotSelect returns the error of a statement that is not a query. name is the
// keyword of the statement, which is at the offset at.
func NotSelect(name string, at int) *sqlast.Error {
	name = sqlast.Clip(name)
	return &sqlast.Error{
		Code: sqlast.NotSelect, Name: name, Pos: sqlast.Pos(at), Message: name + " is not allowed: write a SELECT",
	}
}

// ErrGrammarFails is the error of a text on which a grammar panics.
var ErrGrammarFails = &sqlast.Error{Code: sqlast.Syntax, Pos: -1, Message: "the grammar fails on this statement"}

// NotOne returns the error of a text that has not one statement but n, the second of
// them at the offset second, or -1.
func NotOne(n int, second sqlast.Pos) *sqlast.Error {
	message := "there is no statement"
	if n > 1 {
		message = fmt.Sprintf("there are %d statements; write one", n)
	}
	return &sqlast.Error{Code: sqlast.MultipleQueries, Pos: second, Message: message}
}

// TooDeep returns the error of a tree with more than [sqlast.MaxDepth] levels.
func TooDeep(at sqlast.Pos) *sqlast.Error {
	return &sqlast.Error{Code: sqlast.TooDeep, Pos: at, Message: fmt.Sprintf("the statement nests deeper than %d levels", sqlast.MaxDepth)}
}
