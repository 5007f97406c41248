package shape

import (
	"math"
	"slices"
	"strconv"

	"github.com/qedkit/qed/internal/sqlast"
)

// recursion checks that a recursive common table expression ends, and sets the rows
// of its result. The end is visible in one of these ways:
//
//   - A column of each step grows by a constant, from a constant to a constant, as in
//     SELECT n + 1 FROM r WHERE n < 100. The rows are counted.
//   - The column grows to a stored value, or a text of the row becomes shorter.
//   - Each step is joined with a stored table by a condition on a column of the
//     recursion.
//
// In the last two, data decides when the recursion ends, and a cycle in the data
// never ends it. The statement then fails if it reads more than
// [sqlast.MaxRecursion] of its rows: to cut them would be a wrong answer. The bound is
// printed around the steps and not into them, as a column with the depth would be:
// such a column makes rows distinct that UNION would find equal.
func (s *shaper) recursion(c *cte, r *result) {
	outermost := s.outermost
	defer func() { s.outermost = outermost }()
	if !c.isDirect() {
		s.fail(sqlast.Unbounded, c.Pos, c.Name, "each step of the recursive common table expression '%s' must be an arm of its "+
			"UNION and name '%s' once, in its FROM and not in a subquery", c.Name, c.Name)
		return
	}
	perStep, steps := 0.0, 0.0
	for i := range c.steps {
		st := &c.steps[i]
		perStep += st.rows
		steps = max(steps, s.stepsOf(c, st))
	}
	before := max(1, r.rows-perStep)
	r.columns = slices.Clone(r.columns)
	r.apart()
	r.rows = before * (steps + 1)
	if perStep > 1 {
		r.rows = before * math.Pow(perStep, steps+1)
	}
	for i := range r.columns {
		r.columns[i].repeats = before
	}
	if s.limitInside(c, r) {
		return
	}
	switch {
	case c.endless && perStep <= float64(len(c.steps)):
		r.rows = before
	case r.rows <= maxRows:
		s.sum.made += r.rows
	case steps <= maxRows || perStep > 1 && !math.IsInf(steps, 1):
		s.tooManyRows(c.Pos, c.Name)
	default:
		s.fail(sqlast.Unbounded, c.Pos, c.Name, "the recursive common table expression '%s' has no visible end, or one after more "+
			"than %d rows: let a column grow to a constant, as in SELECT n + 1 FROM %s WHERE n < 100, or join each step with "+
			"a table by a condition on a column of '%s'", c.Name, maxRows, c.Name, c.Name)
	}
}

// limitInside applies the LIMIT of the recursive query, in an engine that stops by it.
// The engine also makes the rows that OFFSET leaves out. It may make rows before the
// statement reads them, so an endless recursion gets a LIMIT one above the bound.
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
		r.rows = min(r.rows, max(1, n))
		s.sum.made += r.rows + skipped
		c.endless = false
		return true
	case !c.endless:
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

// stepsOf returns how often a step can be repeated: a number if constants decide, and
// infinity otherwise. It sets endless if data decides, or how many rows a step makes.
func (s *shaper) stepsOf(c *cte, st *step) float64 {
	w := walk{shaper: s, cte: c, step: st, names: namesOf(c.CTE)}
	for _, r := range leaves(st.From) {
		if t, ok := r.(*sqlast.Table); ok && t.CTE == c.CTE {
			w.alias = t.Alias
		} else if !s.isSingle(r) && s.isStored(r) {
			w.stored = append(w.stored, r)
		}
	}
	conditions := append(onConditions(st.From), conjuncts(st.Where)...)
	linked := slices.ContainsFunc(conditions, w.links)
	if len(w.stored) > 0 && !linked {
		return math.Inf(1) // each step would multiply the rows by those of a table
	}
	steps, data := math.Inf(1), linked
	for _, e := range conditions {
		n, grows := w.end(e)
		steps, data = min(steps, n), data || grows
	}
	c.endless = c.endless || linked || math.IsInf(steps, 1) && data
	return steps
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

// A walk is one step of a recursion while its end is looked for.
type walk struct {
	*shaper
	cte    *cte
	step   *step
	alias  string            // of the recursion in the step
	names  []string          // of its columns
	stored []sqlast.Relation // the other tables of the step that have several rows
}

// column returns the number of the column of the recursion that e is, or -1.
func (w *walk) column(e sqlast.Expr) int {
	if c, ok := e.(*sqlast.Column); ok && c.Table == w.alias {
		return slices.Index(w.names, c.Name)
	}
	return -1
}

// item returns the expression of the step for a column, or nil.
func (w *walk) item(i int) sqlast.Expr {
	if i < 0 || i >= len(w.step.Items) {
		return nil
	}
	return w.step.Items[i].Expr
}

// links reports whether a condition names both a column of the recursion and one of
// another table of the step.
func (w *walk) links(e sqlast.Expr) bool {
	own := contains(e, func(n sqlast.Node) bool {
		c, ok := n.(*sqlast.Column)
		return ok && c.Table == w.alias
	})
	return own && contains(e, func(n sqlast.Node) bool {
		c, ok := n.(*sqlast.Column)
		return ok && slices.ContainsFunc(w.stored, func(r sqlast.Relation) bool { return aliasOf(r) == c.Table })
	})
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
