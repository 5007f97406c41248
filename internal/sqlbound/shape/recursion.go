package shape

import (
	"strconv"

	"github.com/qedkit/qed/internal/sqlast"
)

// limitInside applies the LIMIT of a recursive query, in an engine that stops by it. The
// engine may make rows before the statement reads them, so a recursion without a LIMIT gets
// one above the bound. limitInside reports whether the recursion is bounded by its own
// LIMIT.
//
// Whether and when a recursion ends is not looked at: a statement fails if it reads more
// than [sqlast.MaxRecursion] of its rows, or if the session's limit of steps is reached. To
// cut the rows would be a wrong answer. The bound is printed around the steps and not into
// them, as a column with the depth would be: such a column makes rows distinct that UNION
// would find equal.
func (s *shaper) limitInside(c *cte) bool {
	if s.rules.Recursion != LimitInside {
		return false
	}
	q := c.Query
	n, ok := q.Limit.(*sqlast.Number)
	switch {
	case q.Limit == nil || sqlast.IsNegative(q.Limit): // a negative limit is none
	case !ok || !n.IsWhole():
		s.fail(sqlast.RowLimit, q.Limit.At(), "LIMIT", "LIMIT of a recursive query must be a whole number, not an expression")
	default:
		if rows, err := strconv.Atoi(n.Text); err == nil && rows <= sqlast.MaxRecursion {
			return true
		}
	}
	q.Limit = &sqlast.Number{Pos: c.Pos, Text: strconv.Itoa(sqlast.MaxRecursion + 1)}
	return false
}
