package shape

import (
	"math"
	"strconv"

	"github.com/qedkit/qed/internal/sqlast"
)

// maxSeries is how many rows the series of one FROM may have, if whole numbers say it.
const maxSeries = 1_000_000

// checkSeries refuses a product of series that has too many rows, among them a single
// one. The time limit ends other series too, but later and without saying why.
func (s *shaper) checkSeries(at sqlast.Pos, rows float64) {
	if rows > maxSeries {
		s.fail(sqlast.Unbounded, at, "FROM", "series make more than %d rows here: use shorter or fewer ones", maxSeries)
	}
}

// seriesRows returns the number of rows of generate_series or range with literal whole
// numbers, and 1 for any other call.
func seriesRows(c *sqlast.Call) float64 {
	if c.Name != "generate_series" && c.Name != "range" || len(c.Args) > 3 {
		return 1
	}
	bounds := []float64{0, 0, 1}
	for i, arg := range c.Args {
		n, ok := literal(arg)
		if !ok {
			return 1
		}
		if len(c.Args) == 1 {
			i = 1
		}
		bounds[i] = n
	}
	if bounds[2] == 0 { // the engine refuses it
		return 1
	}
	return max(1, math.Floor((bounds[1]-bounds[0])/bounds[2])+1)
}

// literal returns the value of a whole number with or without a minus.
func literal(e sqlast.Expr) (float64, bool) {
	sign := 1.0
	if u, ok := e.(*sqlast.Unary); ok && u.Op == sqlast.Minus {
		e, sign = u.X, -1
	}
	n, ok := e.(*sqlast.Number)
	if !ok || !n.IsWhole() {
		return 0, false
	}
	value, err := strconv.ParseFloat(n.Text, 64)
	return sign * value, err == nil
}
