package sqlast

// checkAsOf refuses an ASOF LEFT JOIN whose ON has more than comparisons of left tables
// with right ones, which are the tables of s from middle to end. For such a condition
// DuckDB 1.5 chooses a kind of join that confuses columns if a side is EXCEPT ALL or
// INTERSECT ALL. It fails with an error after which the database has to be opened again.
func (r *resolver) checkAsOf(j *Join, s *scope, middle, end int) {
	if r.err != nil || !j.AsOf || j.Kind != LeftJoin {
		return
	}
	if e := r.unpaired(j.On, s, middle, end); e != nil {
		r.fail(Unsupported, e.At(), "ASOF LEFT JOIN", "ON of an ASOF LEFT JOIN has more than =, <, <=, > and >= between the "+
			"left and the right tables: filter in a subquery of one side, or in WHERE")
	}
}

// unpaired returns a part of a condition that does not compare left tables with right
// ones, or nil.
func (r *resolver) unpaired(e Expr, s *scope, middle, end int) Expr {
	b, ok := e.(*Binary)
	if !ok {
		return e
	}
	switch b.Op {
	case And:
		if part := r.unpaired(b.X, s, middle, end); part != nil {
			return part
		}
		return r.unpaired(b.Y, s, middle, end)
	case Eq, Lt, Le, Gt, Ge:
		x, y := r.sideOf(b.X, s, middle, end), r.sideOf(b.Y, s, middle, end)
		if x == leftSide && y == rightSide || x == rightSide && y == leftSide {
			return nil
		}
	}
	return e
}

// Bits for the tables of which an expression has columns.
const (
	leftSide = 1 << iota
	rightSide
	otherSide // tables of enclosing queries and subqueries
)

// sideOf returns the bits of an expression.
func (r *resolver) sideOf(e Expr, s *scope, middle, end int) int {
	sides := 0
	Walk(e, func(n Node) bool {
		switch n := n.(type) {
		case *Column:
			switch i := r.byAlias(s, "", n.Table); {
			case i < 0 || i >= end:
				sides |= otherSide
			case i < middle:
				sides |= leftSide
			default:
				sides |= rightSide
			}
		case *Query:
			sides |= otherSide
		}
		return sides&otherSide == 0
	})
	return sides
}
