package dialect

import (
	"slices"

	"github.com/qedkit/qed/internal/ascii"
	"github.com/qedkit/qed/internal/sqlast"
)

// maxCaseCopies is the maximum number of bytes of operands that DuckDB's parser copies.
const maxCaseCopies = 64 << 10

// A caseOperand is the operand of a CASE that has no END yet.
type caseOperand struct {
	at, length int
	read       bool // its first WHEN was read
}

// checkCases refuses a CASE inside the operand of another one, and operands that are
// long for their number of WHENs. DuckDB's parser copies the operand for each WHEN, so
// that a few hundred bytes of nested operands take it longer than any limit, and nothing
// stops a parser.
func checkCases(text string) error {
	var open []caseOperand
	refuse := func(at int, message string) error {
		return &sqlast.Error{Code: sqlast.TooCostly, Name: "CASE", Pos: sqlast.Pos(at), Message: message +
			": compute the operand in a subquery, or write CASE WHEN x = .."}
	}
	copies := 0
	before := "" // the keyword before, or "." for a point
	for i := 0; i < len(text); {
		start := i
		kind, end := token(text, i)
		i = end
		if kind == blankToken {
			continue
		}
		isName := before == "." || before == "as"
		if before = ""; kind == '.' {
			before = "."
		}
		if kind != wordToken {
			continue
		}
		before = keyword(text[start:end])
		if isName {
			continue
		}
		switch last := len(open) - 1; {
		case before == "case":
			if slices.ContainsFunc(open, func(c caseOperand) bool { return !c.read }) {
				return refuse(start, "a CASE in the operand of another CASE is not supported")
			}
			open = append(open, caseOperand{at: pastBlank(text, end)})
		case before == "when" && last >= 0:
			c := &open[last]
			if !c.read {
				c.length, c.read = start-c.at, true
			}
			if copies += c.length; copies > maxCaseCopies {
				return refuse(start, "a CASE has a long operand and many WHENs")
			}
		case before == "end" && last >= 0:
			open = open[:last]
		}
	}
	return nil
}

// keyword returns a word in lower case if it is a keyword that checkCases looks for. It
// returns "" for any other word.
func keyword(word string) string {
	for _, known := range [...]string{"as", "case", "when", "end"} {
		if ascii.EqualFold(word, known) {
			return known
		}
	}
	return ""
}
