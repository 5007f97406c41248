package mysql

import (
	"strconv"
	"strings"

	"github.com/qedkit/qed/internal/ascii"
	"github.com/qedkit/qed/internal/sqlast"
)

// syntaxError says what the grammar stumbled over, by what a person would call
// it where the tokens tell.
func syntaxError(text string, s *survey, failure error) *sqlast.Error {
	switch name := firstWord(text); name {
	case "SELECT", "WITH", "TABLE", "VALUES", "":
	default:
		return notSelect(text, name)
	}
	if s.into >= 0 {
		return &sqlast.Error{Code: sqlast.Into, Name: "INTO", Pos: sqlast.Pos(s.into), Message: "SELECT .. INTO is not allowed"}
	}
	at := failedAt(text, failure.Error())
	scan := scanner{src: text, at: max(at, 0)}
	t := scan.next()
	near := text[t.at:t.end]
	switch {
	case near == "@":
		return &sqlast.Error{Code: sqlast.Variable, Name: near, Pos: sqlast.Pos(at), Message: "variables are not allowed"}
	case near == "":
		near = "the end"
	default:
		near = strconv.Quote(sqlast.Clip(near))
	}
	return &sqlast.Error{Code: sqlast.Syntax, Pos: sqlast.Pos(at), Message: "syntax error at " + near}
}

// failedAt finds the offset in a message such as: line 1 column 8 near "..".
// The message quotes the text from there to its end, or says how long that is.
func failedAt(text, message string) int {
	_, rest, ok := strings.Cut(message, ` near "`)
	if !ok {
		return -1
	}
	if _, total, ok := strings.Cut(rest, `(total length `); ok {
		if n, err := strconv.Atoi(total[:digits(total)]); err == nil && n <= len(text) {
			return len(text) - n
		}
	}
	if end := strings.LastIndexByte(rest, '"'); end >= 0 && strings.HasSuffix(text, rest[:end]) {
		return len(text) - end
	}
	return -1
}

func notSelect(text, name string) *sqlast.Error {
	name = sqlast.Clip(name)
	return &sqlast.Error{Code: sqlast.NotSelect, Name: name, Pos: sqlast.Pos(firstToken(text).at),
		Message: name + " is not allowed: write a SELECT"}
}

func firstWord(text string) string {
	t := firstToken(text)
	if t.kind != word {
		return ""
	}
	return ascii.Upper(text[t.at:t.end])
}

// firstToken is the first token behind parentheses.
func firstToken(text string) token {
	scan := scanner{src: text}
	t := scan.next()
	for t.kind == mark && text[t.at] == '(' {
		t = scan.next()
	}
	return t
}
