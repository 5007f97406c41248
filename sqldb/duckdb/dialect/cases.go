package dialect

import (
	"github.com/qedkit/qed/internal/sqlast"
	"github.com/qedkit/qed/internal/sqlread"
)

// maxCaseCopies is the maximum number of bytes of operands that DuckDB's parser copies.
const maxCaseCopies = 64 << 10

// A caseCheck refuses a CASE inside the operand of another one, and operands that are
// long for the number of WHENs. DuckDB's parser copies the operand for each WHEN, so
// that a few hundred bytes of nested operands take it longer than any limit, and nothing
// stops a parser. Each WHEN counts as one of the longest operand before it.
type caseCheck struct {
	operand bool // between CASE and its first WHEN
	at      int  // where the operand begins, 0 before its first token
	longest int
	copies  int
	named   bool // the next word is a name, because it is after a point, a dollar sign or AS
}

func (c *caseCheck) next(t sqlread.Token, token string) error {
	if c.operand && c.at == 0 {
		c.at = t.At
	}
	isName := c.named
	c.named = namesNext(token) || token == "as" && !isName
	switch {
	case isName:
	case token == "case" && c.operand:
		return refuseCase(t.At, "a CASE in the operand of another CASE is not supported")
	case token == "case":
		c.operand, c.at = true, 0
	case token == "when":
		if c.operand {
			c.operand, c.longest = false, max(c.longest, t.At-c.at)
		}
		if c.copies += c.longest; c.copies > maxCaseCopies {
			return refuseCase(t.At, "a CASE has a long operand and many WHENs")
		}
	}
	return nil
}

func refuseCase(at int, message string) error {
	return &sqlast.Error{Code: sqlast.TooCostly, Name: "CASE", Pos: sqlast.Pos(at), Message: message +
		": compute the operand in a subquery, or write CASE WHEN x = .."}
}
