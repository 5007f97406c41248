package dialect

import (
	"fmt"
	"strconv"

	"github.com/qedkit/qed/internal/sqlast"
)

// A wholeArgument is an argument that says how much a function makes or keeps, or how
// far it goes. Only a number that is written in the statement can be bounded.
type wholeArgument struct {
	at    int // its position, from 0
	least int64
	most  int64
}

// wholeArguments are those arguments. DuckDB does not count what they cost against
// its limits, and ends the process or makes the database unusable for the largest.
var wholeArguments = map[string]wholeArgument{
	"lag":       {1, -1_000_000, 1_000_000},
	"lead":      {1, -1_000_000, 1_000_000},
	"nth_value": {1, 1, 1_000_000},
	"ntile":     {0, 1, 1_000_000},
	"min":       {1, 1, 1000},
	"max":       {1, 1, 1000},
	"arg_min":   {2, 1, 1000},
	"arg_max":   {2, 1, 1000},
	"argmin":    {2, 1, 1000},
	"argmax":    {2, 1, 1000},
	"min_by":    {2, 1, 1000},
	"max_by":    {2, 1, 1000},
	"bitstring": {1, 1, 10_000},
}

// checkWhole refuses a call with such an argument that is no number of the statement,
// or one out of bounds.
func (r *reader) checkWhole(at sqlast.Pos, name string, args []sqlast.Expr) {
	a, ok := wholeArguments[name]
	if !ok || len(args) <= a.at {
		return
	}
	if n, ok := wholeNumber(args[a.at]); !ok || n < a.least || n > a.most {
		r.fail(sqlast.TooCostly, at, name, fmt.Sprintf("argument %d of %s has to be a number from %d to %d, "+
			"written in the statement", a.at+1, name, a.least, a.most))
	}
}

// wholeNumber returns the value of a whole number with or without a sign.
func wholeNumber(e sqlast.Expr) (int64, bool) {
	sign := int64(1)
	if u, ok := e.(*sqlast.Unary); ok && u.Op == sqlast.Minus {
		e, sign = u.X, -1
	}
	number, ok := e.(*sqlast.Number)
	if !ok {
		return 0, false
	}
	n, err := strconv.ParseInt(number.Text, 10, 64)
	return sign * n, err == nil
}
