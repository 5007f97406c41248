package sqlast

import (
	"fmt"
	"slices"
	"sync"

	"github.com/qedkit/qed/internal/ascii"
	"github.com/qedkit/qed/refusal"
)

// These limits bound the time of resolving a statement: stars multiply columns, and
// names may be looked up in many tables.
const (
	maxTables  = 500     // names and subqueries in FROM, in the whole statement
	maxColumns = 2000    // columns of one SELECT
	maxStars   = 20_000  // columns that stars expand to, in the whole statement
	maxWeight  = 50_000  // growth of the printed statement: see resolver.weigh
	maxWork    = 1 << 23 // comparisons of names
)

// Resolve binds every name of q as the engine would, but only to tables and columns
// of the catalog. It writes the result into the tree, so that the engine has no
// choice left:
//
//   - A [Table] has an Object or a CTE, and an Alias.
//   - A [Column] is qualified by an alias and has its declared spelling. The
//     exception is the alias of an item of its own select list, where the engine
//     prefers the alias.
//   - Stars become lists of columns, except those that are a row. NATURAL and USING
//     become ON. Other references to select aliases become the expression itself or
//     its position.
//   - A double-quoted string becomes a String, an unquoted true or false a Bool.
//   - A common table expression that is named like a table of the catalog, or like
//     another one of the statement, gets another name.
//
// Its error is an [*Error], or [Errors] if tables and columns do not exist: all of them are
// found, and the resolution has the calls for further checks. The tree must not be used
// after an error.
func Resolve(q *Query, f *Flavor, c Catalog) (*Resolution, error) {
	r := resolvers.Get().(*resolver)
	defer r.release()
	r.flavor, r.catalog, r.resolution = f, c, &Resolution{Plain: true}
	r.query(q, nil)
	if r.err == nil {
		r.resolution.Columns = r.publish(q.Body)
	}
	if len(r.missing) > 0 { // what else is wrong may follow from it
		return r.resolution, r.missing
	}
	if r.err != nil {
		return nil, r.err
	}
	r.setPrinted(q)
	r.resolution.Tables = r.tables
	q.Simple = r.simple()
	return r.resolution, nil
}

// A resolver walks a tree once. It does nothing after its first error.
type resolver struct {
	flavor     *Flavor
	catalog    Catalog
	resolution *Resolution
	err        *Error
	missing    Errors     // tables and columns that do not exist
	explained  []string   // tables whose columns a message about them lists
	confused   []Relation // tables that are printed with another alias

	scope  *scope   // where columns are looked up
	with   *env     // where tables are looked up, before the catalog
	params []string // the parameters of the enclosing lambda
	visit  func(*Expr)

	args   []Expr   // the arguments of the enclosing call
	issued []string // names of common table expressions, as they are printed
	found  []int    // the buffer of tablesWith

	depth, tables, stars, weight, work, derived int

	nodes   int  // expressions
	complex bool // has an expression that is not simple
	sums    bool // calls sum
	queries bool // has an expression with a subquery
}

var resolvers = sync.Pool{New: func() any {
	r := &resolver{}
	r.visit = r.expr
	return r
}}

// release returns the resolver to the pool, without anything of the statement.
func (r *resolver) release() {
	*r = resolver{visit: r.visit, found: r.found[:0]}
	resolvers.Put(r)
}

// fold reports whether two names are the same. It ignores the case of ASCII letters only:
// with Unicode case folding, a CTE could hide a table from the guard that the engine then
// reads.
func (*resolver) fold(a, b string) bool { return ascii.EqualFold(a, b) }

// countTable counts a table or common table expression of the statement.
func (r *resolver) countTable(at Pos) {
	if r.tables++; r.tables > maxTables {
		r.fail(TooComplex, at, "", "the statement has more than %d tables", maxTables)
	}
}

// checkWidth reports whether a select list may have n columns.
func (r *resolver) checkWidth(at Pos, n int) bool {
	if n > maxColumns {
		r.fail(TooComplex, at, "", "a select list has more than %d columns", maxColumns)
	}
	return n <= maxColumns
}

// sameInCase refuses a name that differs from another one in case only, for which engines
// that know the case take something else.
func (r *resolver) sameInCase(at Pos, name string) {
	r.fail(AmbiguousName, at, name, "'%s' and another name of the statement differ in case only: rename one", name)
}

// repeated refuses two columns of a table with one name.
func (r *resolver) repeated(code refusal.Code, at Pos, table, column string) {
	r.fail(code, at, column, "'%s' has two columns named '%s': give each an alias", table, column)
}

// weigh counts a text that is printed more often than it was written. Names of
// usual length count as 0.
func (r *resolver) weigh(length int) { r.weight += length / 32 }

// maxMissing is how many names that do not exist are reported.
const maxMissing = 10

// missed records a name that does not exist, unless it is known. The resolver goes on, to
// find all of them.
func (r *resolver) missed(e *Error) {
	switch {
	case r.err != nil || r.misses(e.Code, e.Name):
	case len(r.missing) == maxMissing:
		r.err = e
	default:
		r.missing = append(r.missing, e)
	}
}

// misses reports whether a name is among those that do not exist.
func (r *resolver) misses(code refusal.Code, name string) bool {
	return slices.ContainsFunc(r.missing, func(e *Error) bool { return e.Code == code && e.Name == name })
}

func (r *resolver) fail(code refusal.Code, at Pos, name, format string, args ...any) {
	if r.err == nil {
		r.err = &Error{Code: code, Name: name, Pos: at, Message: fmt.Sprintf(format, args...)}
	}
}

// enter counts a level of nesting and reports whether to continue.
func (r *resolver) enter(n Node) bool {
	r.depth++
	switch {
	case r.err != nil:
	case r.depth > 4*MaxDepth:
		r.fail(TooDeep, n.At(), "", "the statement nests too deep")
	default:
		return !r.spent(n.At())
	}
	return false
}

// spent reports whether resolving exceeds a limit or has failed.
func (r *resolver) spent(at Pos) bool {
	switch {
	case r.work > maxWork:
		r.fail(TooComplex, at, "", "the statement names too many columns of too many tables")
	case r.weight > maxWeight:
		r.fail(TooComplex, at, "", "the statement grows too long when its aliases and stars are written out")
	}
	return r.err != nil
}

// query resolves a query. If q is the query of a common table expression, self is
// that expression.
func (r *resolver) query(q *Query, self *cte) {
	defer func() { r.depth-- }()
	if !r.enter(q) {
		return
	}
	outer, with := r.scope, r.with
	if q.With != nil {
		r.declare(q.With)
	}
	s := r.body(q.Body, self)
	if len(q.OrderBy) > 0 && r.err == nil {
		if s == nil {
			s = &scope{outer: outer, names: r.names(q.Body)}
		}
		r.scope = s
		r.orderBy(q, s)
	}
	r.scope = nil // LIMIT and OFFSET see no columns
	r.optional(&q.Limit)
	r.optional(&q.Offset)
	r.scope, r.with = outer, with
}

// body resolves a body. It returns the scope of a [Select], and nil for others.
func (r *resolver) body(b Body, self *cte) *scope {
	var s *scope
	switch b := b.(type) {
	case *Query:
		r.query(b, self)
		return nil
	case *SetOp:
		r.setOp(b, self)
		return nil
	case *Values:
		r.values(b)
	case *Select:
		s = r.selectBlock(b)
	default:
		r.fail(Unsupported, -1, "", "a query has no body: %T", b)
	}
	if self != nil && r.err == nil {
		r.setColumns(self, b)
	}
	return s
}

func (r *resolver) setOp(s *SetOp, self *cte) {
	defer func() { r.depth-- }()
	if !r.enter(s) {
		return
	}
	r.body(s.Left, self)
	r.body(s.Right, nil)
	if r.err != nil {
		return
	}
	if n, m := width(s.Left), width(s.Right); n != m {
		r.fail(ColumnCount, s.Right.At(), "", "the arms of the set operation have %d and %d columns", n, m)
	}
}

func (r *resolver) values(v *Values) {
	outer := r.scope
	r.scope = &scope{outer: outer, clause: inOther}
	for _, row := range v.Rows {
		if len(row) != len(v.Rows[0]) {
			r.fail(ColumnCount, v.Pos, "",
				"the rows of VALUES have %d and %d columns", len(v.Rows[0]), len(row))
		}
		r.exprs(row)
	}
	r.scope = outer
}

// first returns the arm that names the columns of a body.
func first(b Body) Body {
	for {
		switch x := b.(type) {
		case *Query:
			b = x.Body
		case *SetOp:
			b = x.Left
		default:
			return b
		}
	}
}

// width returns the number of columns of a resolved body.
func width(b Body) int {
	switch b := first(b).(type) {
	case *Select:
		return len(b.Items)
	case *Values:
		if len(b.Rows) > 0 {
			return len(b.Rows[0])
		}
	}
	return 0
}
