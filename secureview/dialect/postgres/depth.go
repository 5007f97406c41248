package postgres

import (
	"fmt"
	"strings"

	"github.com/qedkit/qed/internal/sqlast"
	"github.com/qedkit/qed/internal/sqlread"
)

// maxOperators is the maximum number of operators of a statement. The grammar's stack
// is large enough for eight times as many in one expression. A pair of parentheses,
// which may contain a query, counts as several.
const (
	maxOperators = 400
	weightOfOpen = 3
)

// checkDepth refuses a text that is too deep for the grammar, or that takes its lexer
// a quadratic time. All operators of the statement count, as if each were an operand
// of the next one.
func checkDepth(text string) error {
	operators, nesting, deepest := 0, 0, 0
	scan := sqlread.Scanner{Src: text}
	for t := scan.Next(); t.Kind != sqlread.EndOfText && !scan.Crowded; t = scan.Next() {
		src := text[t.At:t.End]
		switch {
		case t.Kind == sqlread.Sign || src == "::":
			operators++
		case t.Kind == sqlread.Word:
			operators += levels[strings.ToUpper(src[:min(len(src), longestOperator)])]
		case src == "(" || src == "[" || src == "{":
			nesting++
			deepest = max(deepest, nesting)
		case src == ")" || src == "]" || src == "}":
			nesting = max(nesting-1, 0)
		}
		if nesting > sqlast.MaxNesting {
			return sqlast.NestsTooDeep(t.At)
		}
		if operators+weightOfOpen*deepest > maxOperators {
			return &sqlast.Error{Code: sqlast.TooDeep, Pos: sqlast.Pos(t.At), Message: fmt.Sprintf(
				"the statement has more than %d operators and nested parentheses: shorten it, for example by IN with a list", maxOperators)}
		}
	}
	if scan.Crowded {
		return &sqlast.Error{Code: sqlast.TooComplex, Pos: sqlast.Pos(scan.At),
			Message: "too many operator characters follow one another"}
	}
	return nil
}

// levels are the words that make a tree deeper, and by how much. AND and OR do not:
// the grammar makes lists of them.
var levels = map[string]int{
	"NOT": 1, "IS": 1, "ISNULL": 1, "NOTNULL": 1, "LIKE": 1, "ILIKE": 1, "SIMILAR": 1, "IN": 1, "COLLATE": 1, "AT": 1,
	"OPERATOR": 1, "OVERLAPS": 1, "BETWEEN": 2, "JOIN": 1, "UNION": 1, "INTERSECT": 1, "EXCEPT": 1, "CASE": 3,
}

const longestOperator = len("INTERSECT") + 1 // a longer word is none
