package mysql

import (
	"strconv"
	"strings"

	"github.com/qedkit/qed/internal/ascii"
	"github.com/qedkit/qed/internal/sqlast"
	"github.com/qedkit/qed/internal/sqlread"
	"github.com/qedkit/qed/internal/wordset"
)

// syntaxError returns the error of a statement that the grammar does not parse. It
// names the construct if the tokens show which one it is. The grammar failed at the
// given offset, or at -1.
func syntaxError(text string, s *survey, at int) *sqlast.Error {
	switch name := firstWord(text); name {
	case "SELECT", "WITH", "TABLE", "VALUES", "":
	default:
		return sqlread.NotSelect(name, firstToken(text).at)
	}
	if s.into >= 0 {
		return &sqlast.Error{Code: sqlast.Into, Name: "INTO", Pos: sqlast.Pos(s.into),
			Message: "SELECT .. INTO is not allowed"}
	}
	near, remedy := failedToken(text, max(at, 0))
	switch {
	case remedy != "":
		return &sqlast.Error{Code: sqlast.Unsupported, Name: near, Pos: sqlast.Pos(at), Message: remedy}
	case near == "@":
		return &sqlast.Error{Code: sqlast.Variable, Name: near, Pos: sqlast.Pos(at), Message: "variables are not allowed: use a window function, or WITH for a value"}
	case near == "":
		near = "the end of the statement"
	case afterPredicate[ascii.Upper(near)]:
		near += ": put the operands of LIKE, REGEXP, IN, BETWEEN and IS into parentheses"
	default:
		near = strconv.Quote(sqlast.Clip(near))
	}
	return &sqlast.Error{Code: sqlast.Syntax, Pos: sqlast.Pos(at), Message: "syntax error at " + near}
}

// failedToken returns the token at an offset. If the grammar fails there because it does
// not have a construct of the servers, remedy says what to write instead.
func failedToken(text string, at int) (near, remedy string) {
	var prev [3]token // the last one first
	scan := scanner{src: text}
	t := scan.next()
	for t.kind != endOfText && t.at < at {
		prev = [3]token{t, prev[0], prev[1]}
		t = scan.next()
	}
	near = text[t.at:t.end]
	switch opens := isMark(text, t, '('); {
	case opens && isWord(text, prev[0], "JSON_TABLE"), isWord(text, t, "COLUMNS"):
		return "JSON_TABLE", "JSON_TABLE is not supported: read single values with JSON_EXTRACT, test for one with " +
			"JSON_CONTAINS, or ask for a view that has a row for each element"
	case opens && isWord(text, prev[1], "AS") && isMark(text, prev[2], ')'):
		return near, "a list of columns after an alias is not supported: name the columns in the subquery, as in (SELECT 1 AS id)"
	case opens && isWord(text, prev[0], "GROUP") && isWord(text, prev[1], "WITHIN"):
		return near, "WITHIN GROUP is not supported. For a median, " + medianRemedy
	case isWord(text, t, "SOUNDS"), isWord(text, prev[0], "SOUNDS"):
		return near, "SOUNDS LIKE is not supported: write SOUNDEX(a) = SOUNDEX(b)"
	}
	return near, ""
}

const medianRemedy = "number the rows in a subquery, with ROW_NUMBER() OVER (PARTITION BY k ORDER BY x) AS i, " +
	"COUNT(*) OVER (PARTITION BY k) AS n and WHERE x IS NOT NULL, and take AVG(x) of those with i BETWEEN n / 2 AND n / 2 + 1"

// afterPredicate are operators that MariaDB allows after a predicate and the grammar
// does not.
var afterPredicate = wordset.Of("+ - * / % = < > LIKE RLIKE REGEXP IN NOT BETWEEN IS DIV MOD")

// failedAt returns the offset in a message of the grammar such as: line 1 column 8
// near "..". The message quotes the text from there to its end, or has its length.
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

func firstWord(text string) string {
	t := firstToken(text)
	if t.kind != word {
		return ""
	}
	return ascii.Upper(text[t.at:t.end])
}

// firstToken returns the first token after opening parentheses.
func firstToken(text string) token {
	scan := scanner{src: text}
	t := scan.next()
	for t.kind == mark && text[t.at] == '(' {
		t = scan.next()
	}
	return t
}
