package dialect

import (
	"slices"

	"github.com/qedkit/qed/internal/ascii"
	"github.com/qedkit/qed/internal/sqlast"
)

// checkCases refuses a CASE inside the operand of another one. DuckDB's parser
// copies the operand for each WHEN, so that a few hundred bytes of such operands
// take it longer than any limit, and nothing stops a parser.
func checkCases(text string) error {
	var operands []bool // for each open CASE: its operand is being read
	before := ""        // the keyword before, or "." for a point
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
		switch last := len(operands) - 1; {
		case before == "case":
			if slices.Contains(operands, true) {
				return &sqlast.Error{Code: sqlast.TooCostly, Name: "CASE", Pos: sqlast.Pos(start), Message: "a CASE " +
					"in the operand of another CASE is not supported: compute the operand in a subquery, or write CASE WHEN x = .."}
			}
			operands = append(operands, true)
		case before == "when" && last >= 0:
			operands[last] = false
		case before == "end" && last >= 0:
			operands = operands[:last]
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
