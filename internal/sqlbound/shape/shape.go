// Package shape refuses statements whose planning no engine bounds, and prints a bound
// into recursion.
//
// It counts what an engine makes of a statement, not what is written:
//
//   - A FROM has at most 20 tables, with those of derived tables, of common table
//     expressions and of IN and EXISTS, which engines merge into it. PostgreSQL 15
//     needs 250 MB to plan 20 tables that are joined by one column under a LIMIT, 540
//     MB for 24 of them, and without a LIMIT 350 MB for 64 and 2.7 GB and 43 s for 200.
//   - All FROMs together cost PostgreSQL little more than one of 20 tables. Each of up to
//     8 tables costs a third of one with a table more: it tries all orders. Beyond, the
//     cost grows with the square of the number. So a statement may have 6 FROMs of 8
//     tables, or 19 of 7.
//   - All references to tables together are at most 256. A reference to a common
//     table expression or to a column of a derived table counts as all that it stands
//     for: MariaDB and SQLite copy it for each use, PostgreSQL if it is used once.
//   - What references add to the statement is at most 20,000 nodes of the tree. With
//     CASE WHEN x > 1 THEN x ELSE x + 1 END in 14 common table expressions, each of
//     which reads the one before, SQLite and PostgreSQL need more than 2.6 GB, and
//     MariaDB takes 30 s despite a limit of 5 s.
//   - ROLLUP, CUBE and GROUPING SETS make at most 256 groupings with together 4,096
//     terms. PostgreSQL plans 8,256 terms in 0.05 s and 42 MB, and 32,896 in 4.6 s and
//     515 MB.
//
// A secure view counts as one table.
//
// How many rows a statement makes is looked at for series of literal numbers only: the time
// limit of every engine ends series, products and recursion, which PostgreSQL, SQLite and
// DuckDB keep on disk and MariaDB within the memory of its session. In 8 s PostgreSQL 15
// held 34 MB and wrote 370 MB for series of 10^12 rows, their products, sorts and groups;
// DuckDB 1.5 held 229 MB.
package shape

import (
	"fmt"
	"slices"

	"github.com/qedkit/qed/internal/sqlast"
	"github.com/qedkit/qed/refusal"
)

const (
	maxJoined  = 20     // tables that are planned as one FROM
	maxPlanned = 420    // the cost of planning all FROMs: see planning
	maxTables  = 256    // references to tables, expanded
	maxGrowth  = 20_000 // nodes that references add
	maxSets    = 256    // groupings
	maxTerms   = 4096   // terms of these groupings
)

// Rules describe how an engine treats joins and common table expressions.
type Rules struct {
	// SharedCTEs is set if the engine computes a common table expression once that
	// is named several times (PostgreSQL). Others copy it for each use.
	SharedCTEs bool

	// PlansOrders is set if the planner's memory grows with the orders of joining the
	// tables of a FROM that it compares (PostgreSQL).
	PlansOrders bool

	// Recursion is how the rows of a recursion are bounded.
	Recursion RecursionBound
}

// A RecursionBound is how an engine ends a recursion.
type RecursionBound uint8

const (
	// BySession: the session of package sqldb has a limit, and the statement none.
	BySession RecursionBound = iota

	// LimitInside: a LIMIT of the recursive query ends it (SQLite). The queries that
	// read the recursion count its rows.
	LimitInside

	// LimitOutside: the engine computes no more rows than the queries around the
	// recursive one read, which count them (PostgreSQL, which refuses a LIMIT inside).
	LimitOutside
)

// Check returns a [*sqlast.Error] for the first construct of a resolved query that is
// too large when it is expanded. It adds a bound to recursive common table expressions,
// so that the tree changes.
func Check(q *sqlast.Query, resolved *sqlast.Resolution, r *Rules) error {
	if isSmall(resolved) {
		return nil
	}
	s := shaper{rules: r, results: map[sqlast.Relation]*result{}}
	s.visit = s.node
	if r.SharedCTEs {
		s.countUses(q)
	}
	s.query(q)
	s.sum.add(&s.shared)
	s.checkTotals(q)
	if s.err != nil {
		return s.err
	}
	for _, t := range s.unbounded {
		t.Bounded = true
	}
	return nil
}

// isSmall reports whether a query is within all bounds because it names few tables and
// has nothing that is expanded. Most statements are.
func isSmall(r *sqlast.Resolution) bool {
	isSeries := func(c *sqlast.Call) bool { return seriesRows(c) > maxSeries }
	return r.Plain && r.Tables <= 6 && !slices.ContainsFunc(r.Calls, isSeries)
}

// A shaper walks a tree once. It does nothing after its first error.
type shaper struct {
	rules *Rules
	visit func(sqlast.Node) bool
	ctes  map[*sqlast.CTE]*cte
	uses  map[*sqlast.CTE]int // filled if common table expressions are shared

	results map[sqlast.Relation]*result // of FROM

	sum     weight  // of the query or expression that is being counted
	shared  weight  // of the common table expressions that are computed once
	joined  float64 // tables of the last subquery that is a value
	written float64 // nodes of the statement itself

	unbounded []*sqlast.Table // references to recursions, whose rows are counted
	err       *sqlast.Error
}

// A weight is what a query or an expression becomes when its references are expanded.
// The fields are floating-point numbers, so that products cannot overflow.
type weight struct {
	tables  float64 // references to tables
	nodes   float64 // expressions and their parts
	planned float64 // the cost of planning each FROM
	sets    float64 // groupings of ROLLUP, CUBE and GROUPING SETS
	terms   float64 // terms of these groupings
}

func (w *weight) add(other *weight) {
	w.tables += other.tables
	w.nodes += other.nodes
	w.planned += other.planned
	w.sets += other.sets
	w.terms += other.terms
}

func (s *shaper) fail(code refusal.Code, at sqlast.Pos, name, format string, args ...any) {
	if s.err == nil {
		s.err = &sqlast.Error{Code: code, Name: name, Pos: at, Message: fmt.Sprintf(format, args...)}
	}
}

// checkTotals refuses a statement that is too large when it is expanded.
func (s *shaper) checkTotals(q *sqlast.Query) {
	w := &s.sum
	switch {
	case w.tables > maxTables:
		s.fail(sqlast.TooComplex, q.Pos, "WITH",
			"the statement reads more than %d tables when each reference to a common table expression, and to a column "+
				"that is a subquery, is written out: name each of them once, or split the question", maxTables)
	case w.planned > maxPlanned:
		s.fail(sqlast.TooComplex, q.Pos, "FROM",
			"the statement joins many tables in many places, when references to common table expressions are written "+
				"out: join fewer tables, or split the question")
	case w.nodes-s.written > maxGrowth:
		s.fail(sqlast.TooComplex, q.Pos, "WITH",
			"the statement grows too long when the common table expressions and columns that it names several times are "+
				"written out: name each of them once, or compute less in each")
	default:
		s.checkGroups(q.Pos, groupings{sets: w.sets, terms: w.terms})
	}
}
