package sqlite

import "github.com/qedkit/qed/internal/sqlast"

// barrierStyle prints views behind a barrier: a subquery with LIMIT -1, which SQLite
// neither merges with the outer query nor gives its conditions. SQLite merges other views
// into the statement that reads them, and then evaluates the conditions of both in the
// order that it considers cheapest. An expression that fails for some values, such as
// abs(x) for the smallest integer, would tell by its error whether a row that the view
// hides has such a value. Simple statements have none, and use the indexes of the table.
var barrierStyle = func() sqlast.Style {
	s := style
	s.Barrier, s.BarrierEnd = true, " LIMIT -1"
	return s
}()
