package dialect

import (
	"slices"

	"github.com/qedkit/qed/internal/sqlast"
	"github.com/qedkit/qed/internal/sqlread"
)

// maxCaseCopies is the maximum number of bytes of operands that DuckDB's parser copies.
const maxCaseCopies = 64 << 10

// A caseOperand is the operand of a CASE that has no END yet.
type caseOperand struct {
	at, length int  // where it begins, 0 before its first token
	read       bool // its first WHEN was read
}

// A caseCheck refuses a CASE inside the operand of another one, and operands that are
// long for their number of WHENs. DuckDB's parser copies the operand for each WHEN, so
// that a few hundred bytes of nested operands take it longer than any limit, and nothing
// stops a parser.
type caseCheck struct {
	open   []caseOperand
	copies int
	named  bool // the next word is a name, because it is after a point, a dollar sign or AS
}

func (c *caseCheck) next(t sqlread.Token, token string) error {
	last := len(c.open) - 1
	if last >= 0 && c.open[last].at == 0 {
		c.open[last].at = t.At
	}
	isName := c.named
	c.named = namesNext(token) || token == "as" && !isName
	if isName {
		return nil
	}
	switch {
	case token == "case":
		if slices.ContainsFunc(c.open, func(o caseOperand) bool { return !o.read }) {
			return refuseCase(t.At, "a CASE in the operand of another CASE is not supported")
		}
		c.open = append(c.open, caseOperand{})
	case token == "when" && last >= 0:
		o := &c.open[last]
		if !o.read {
			o.length, o.read = t.At-o.at, true
		}
		if c.copies += o.length; c.copies > maxCaseCopies {
			return refuseCase(t.At, "a CASE has a long operand and many WHENs")
		}
	case token == "end" && last >= 0:
		c.open = c.open[:last]
	}
	return nil
}

func refuseCase(at int, message string) error {
	return &sqlast.Error{Code: sqlast.TooCostly, Name: "CASE", Pos: sqlast.Pos(at), Message: message +
		": compute the operand in a subquery, or write CASE WHEN x = .."}
}
