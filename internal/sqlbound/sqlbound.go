// Package sqlbound refuses statements whose time or memory no limit of an engine
// bounds. It estimates the cost from the tree of a statement alone.
//
// An engine looks at its limits between rows and between operators, not inside a
// function. So the cost of computing one row has to be bounded beforehand:
//
//   - A value must not grow: nested calls of replace make gigabytes out of a few
//     bytes. Sizes of values are estimated, through subqueries and common table
//     expressions.
//   - A search for one text in another takes the product of their lengths. One of
//     them has to be short.
//   - An expression that names a column of a subquery is computed as often as it
//     names it, so a chain of subqueries can be exponential.
//
// Stored values count with a nominal size: a statement cannot make them longer.
package sqlbound

import (
	"fmt"

	"github.com/qedkit/qed/internal/sqlast"
	"github.com/qedkit/qed/internal/sqlbound/shape"
)

// Rules describe what is costly in a dialect.
type Rules struct {
	// Functions are the functions that a statement of the dialect may call, with
	// their rules. A function of a policy that is not among them is treated as one
	// that returns its arguments and a long stored value.
	Functions map[string]Function

	// Types are the rules of casts, by the first word of the type.
	Types map[string]Function

	// Exponents is set if numbers have as many digits as their exponent says and
	// multiplying them takes the product of their lengths (PostgreSQL).
	Exponents bool

	// Backtracking is set if nothing stops the matching of a regular expression
	// (MySQL).
	Backtracking bool

	// DistinctJSON is set if nothing bounds the memory of a JSON aggregate with
	// DISTINCT (SQLite). It may only collect stored values.
	DistinctJSON bool

	// Batched is set if the engine computes many rows before it looks at its limits
	// (DuckDB: 2048). The bounds of a row are then lower.
	Batched bool

	Shape shape.Rules // of common table expressions
}

// Safe reports whether a statement may call a function, whatever its policy says.
func (r *Rules) Safe(function string) bool {
	f, ok := r.Functions[function]
	return ok && !f.policy
}

// Check returns a [*sqlast.Error] for the first construct of a resolved query that
// could cost more than the rules allow.
func Check(q *sqlast.Query, resolved *sqlast.Resolution, r *Rules) error {
	if err := shape.Check(q, resolved, &r.Shape); err != nil {
		return err
	}
	if q.Simple {
		return nil
	}
	c := checker{rules: r, ctes: map[*sqlast.CTE]*cte{}, sizes: map[sqlast.Relation][]size{}}
	c.query(q)
	if c.err != nil {
		return c.err
	}
	return nil
}

// A checker walks a tree once, and the query of a recursive common table expression
// a few times. It does nothing after its first error.
type checker struct {
	rules *Rules
	ctes  map[*sqlast.CTE]*cte
	sizes map[sqlast.Relation][]size // of the computed columns of FROM
	items []size                     // of the select list that a clause may name
	done  []*cte                     // in the order in which they were estimated
	work  int64                      // of all expressions so far

	element size // a parameter of the enclosing lambda

	nodes int
	err   *sqlast.Error
}

// maxNodes bounds the time of the check: queries inside recursive ones are visited
// several times.
const maxNodes = 1 << 18

func (c *checker) fail(at sqlast.Pos, name, format string, args ...any) {
	if c.err == nil {
		c.err = &sqlast.Error{Code: sqlast.TooCostly, Name: name, Pos: at, Message: fmt.Sprintf(format, args...)}
	}
}

// root estimates an expression that is not part of another one, and adds its work.
func (c *checker) root(e sqlast.Expr) size {
	v := c.expr(e)
	c.work = add(c.work, v.work)
	if c.work > c.most(maxWork) {
		c.fail(e.At(), "", "the statement computes too much for one row, up to here: an expression that names a "+
			"column of a subquery is computed again for each use. Compute long texts once and search them less often")
	}
	return v
}

// most returns a bound of a row, or the part of it that a row of a batch may have.
func (c *checker) most(bound int64) int64 {
	if c.rules.Batched {
		return bound / batchPart
	}
	return bound
}

func (c *checker) optional(e sqlast.Expr) {
	if e != nil {
		c.root(e)
	}
}
