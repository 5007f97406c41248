package shape

import (
	"slices"
	"strconv"

	"github.com/qedkit/qed/internal/sqlast"
)

// recursionRows is how many rows a recursion over constants counts as, where rows that
// constants make are multiplied. How many it really has is counted while it runs.
const recursionRows = 1000

// recursion checks that the steps of a recursive common table expression do not multiply
// its rows, and sets the rows of its result. Whether and when it ends is not looked at: a
// statement fails if it reads more than [sqlast.MaxRecursion] of its rows, or if the
// session's limit of steps is reached. To cut the rows would be a wrong answer. The bound
// is printed around the steps and not into them, as a column with the depth would be: such
// a column makes rows distinct that UNION would find equal.
func (s *shaper) recursion(c *cte, r *result) {
	outermost := s.outermost
	defer func() { s.outermost = outermost }()
	if !c.isDirect() {
		s.fail(sqlast.Unbounded, c.Pos, c.Name, "each step of the recursive common table expression '%s' must be an arm of its "+
			"UNION and name '%s' once, in its FROM and not in a subquery", c.Name, c.Name)
		return
	}
	perStep, linked := 0.0, true
	for i := range c.steps {
		st := &c.steps[i]
		perStep += st.rows
		stored, isLinked := s.joins(c, st)
		linked = linked && stored
		if stored && !isLinked || st.rows > 1 || !linked && len(c.steps) > 1 {
			s.fail(sqlast.Unbounded, c.Pos, c.Name, "each step of the recursive common table expression '%s' multiplies its rows: "+
				"write one step, and join it with a table by a condition on a column of '%s'", c.Name, c.Name)
			return
		}
	}
	before := max(1, r.rows-perStep)
	r.columns = slices.Clone(r.columns)
	r.apart()
	if r.rows = before; !linked {
		r.rows = max(before, recursionRows)
	}
	for i := range r.columns {
		r.columns[i].repeats = before
	}
	c.counted = !s.limitInside(c, r)
	s.sum.made += r.rows
}

// limitInside applies the LIMIT of the recursive query, in an engine that stops by it.
// The engine also makes the rows that OFFSET leaves out. It may make rows before the
// statement reads them, so a recursion without a LIMIT gets one above the bound.
// limitInside reports whether the recursion is bounded by its own LIMIT.
func (s *shaper) limitInside(c *cte, r *result) bool {
	if s.rules.Recursion != LimitInside {
		return false
	}
	q := c.Query
	n, limited := wholeNumber(q.Limit)
	skipped, known := wholeNumber(q.Offset)
	known = known || q.Offset == nil || sqlast.IsNegative(q.Offset) // a negative OFFSET is 0
	none := q.Limit == nil || sqlast.IsNegative(q.Limit)            // a negative limit is none
	switch {
	case limited && known && n+skipped <= sqlast.MaxRecursion:
		r.rows = max(1, n)
		s.sum.made += skipped
		return true
	case !limited && !none:
		s.fail(sqlast.RowLimit, q.Limit.At(), "LIMIT", "LIMIT of a recursive query must be a whole number, not an expression")
	case !known || skipped > sqlast.MaxRecursion:
		s.fail(sqlast.RowLimit, q.Offset.At(), "OFFSET", "OFFSET of a recursive query must be a whole number up to %d",
			sqlast.MaxRecursion)
	default:
		q.Limit = &sqlast.Number{Pos: c.Pos, Text: strconv.Itoa(sqlast.MaxRecursion + 1)}
	}
	return false
}

// isDirect reports whether every reference of c to itself is in the FROM of an arm of
// its own, and no arm has two.
func (c *cte) isDirect() bool {
	arms := armsOf(c.Query.Body)
	for i := range c.steps {
		st := &c.steps[i]
		direct := 0
		for _, r := range leaves(st.From) {
			if t, ok := r.(*sqlast.Table); ok && t.CTE == c.CTE {
				direct++
			}
		}
		if direct != 1 || !slices.Contains(arms, sqlast.Body(st.Select)) {
			return false
		}
	}
	return c.selves == len(c.steps) && len(arms) > len(c.steps)
}

// armsOf returns the arms of the UNIONs of a body.
func armsOf(b sqlast.Body) []sqlast.Body {
	switch b := b.(type) {
	case *sqlast.SetOp:
		if b.Kind == sqlast.Union {
			return append(armsOf(b.Left), armsOf(b.Right)...)
		}
	case *sqlast.Query:
		if b.With == nil && b.Limit == nil {
			return armsOf(b.Body)
		}
	}
	return []sqlast.Body{b}
}

// joins reports whether a step has stored tables, and whether a condition links them with
// the recursion.
func (s *shaper) joins(c *cte, st *step) (stored, linked bool) {
	alias := ""
	var tables []string
	for _, r := range leaves(st.From) {
		if t, ok := r.(*sqlast.Table); ok && t.CTE == c.CTE {
			alias = t.Alias
		} else if !s.isSingle(r) && s.isStored(r) {
			tables = append(tables, aliasOf(r))
		}
	}
	return len(tables) > 0, slices.ContainsFunc(append(onConditions(st.From), conjuncts(st.Where)...), func(e sqlast.Expr) bool {
		return namesTable(e, alias) && slices.ContainsFunc(tables, func(table string) bool { return namesTable(e, table) })
	})
}

// namesTable reports whether an expression has a column of the table with this alias.
func namesTable(e sqlast.Expr, alias string) bool {
	return contains(e, func(n sqlast.Node) bool {
		c, ok := n.(*sqlast.Column)
		return ok && c.Table == alias
	})
}

// isStored reports whether a table of a step has rows that are not generated.
func (s *shaper) isStored(r sqlast.Relation) bool {
	switch r := r.(type) {
	case *sqlast.Table:
		c := s.ctes[r.CTE]
		return c == nil || c.result == nil || c.result.rows <= 1
	case *sqlast.Derived:
		_, values := r.Query.Body.(*sqlast.Values)
		return !values
	}
	return false
}

// isSingle reports whether a table of a step is a subquery that has one row, such as
// one with the parameters of a statement.
func (s *shaper) isSingle(r sqlast.Relation) bool {
	var q *sqlast.Query
	switch r := r.(type) {
	case *sqlast.Derived:
		q = r.Query
	case *sqlast.Table:
		if r.CTE != nil {
			q = r.CTE.Query
		}
	}
	if q == nil {
		return false
	}
	b, ok := q.Body.(*sqlast.Select)
	return ok && b.GroupBy == nil && (b.From == nil || aggregates(b))
}

func aliasOf(r sqlast.Relation) string {
	switch r := r.(type) {
	case *sqlast.Table:
		return r.Alias
	case *sqlast.Derived:
		return r.Alias
	}
	return ""
}

// aggregates reports whether a block without GROUP BY has one row because one of its
// columns is an aggregate.
func aggregates(b *sqlast.Select) bool {
	return slices.ContainsFunc(b.Items, func(it sqlast.Item) bool {
		return contains(it.Expr, func(n sqlast.Node) bool {
			c, ok := n.(*sqlast.Call)
			return ok && c.Over == nil && len(c.Args) <= 1 && aggregate[c.Name]
		})
	})
}

var aggregate = map[string]bool{"count": true, "min": true, "max": true, "sum": true, "avg": true}
