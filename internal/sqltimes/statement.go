package sqltimes

import (
	"slices"
	"strings"

	"github.com/qedkit/qed/internal/sqlast"
)

type reader struct {
	dialect        string
	types          func(o *sqlast.Object, column string) string
	unknownAreDays bool

	owners  map[sqlast.Relation]*sqlast.Select // the SELECT whose FROM has a relation
	wheres  map[*sqlast.Select]map[key]set
	matched map[*sqlast.Select]map[sqlast.Relation]bool // see match
	found   []found

	read       map[sqlast.Node]bool // the literals that were read
	passed     map[key]bool         // columns of unknown kind in conditions that were not read
	incomplete bool
	top        sqlast.Body // of the whole statement
}

// found is what a condition leaves of one column.
type found struct {
	key      key
	set      set
	in       *sqlast.Select
	optional bool // the ELSE of a CASE
}

const (
	maxDepth = 20  // of queries through which a column is followed, and of functions
	maxFound = 300 // conditions; each is compared with all others
)

// itemOf returns the expression of a column of a derived table or common table expression. It
// returns nil for a column of a table, and for one that a set operation or a recursion
// computes.
func itemOf(c *sqlast.Column) sqlast.Expr {
	var body sqlast.Body
	switch rel := c.Of.(type) {
	case *sqlast.Table:
		if rel.CTE != nil {
			body = rel.CTE.Query
		}
	case *sqlast.Derived:
		body = rel.Query
	}
	for q, ok := body.(*sqlast.Query); ok; q, ok = body.(*sqlast.Query) {
		body = q.Body
	}
	if sel, ok := body.(*sqlast.Select); ok && c.Index < len(sel.Items) {
		return sel.Items[c.Index].Expr
	}
	return nil
}

func (r *reader) query(q *sqlast.Query) {
	if q == nil {
		return
	}
	if q.With != nil {
		for _, c := range q.With.CTEs {
			r.query(c.Query)
		}
	}
	r.body(q.Body)
	for _, o := range q.OrderBy {
		r.subqueries(o.Expr)
	}
}

func (r *reader) body(b sqlast.Body) {
	switch b := b.(type) {
	case *sqlast.Query:
		r.query(b)
	case *sqlast.SetOp:
		before := len(r.found)
		r.body(b.Left)
		between := len(r.found)
		r.body(b.Right)
		if (between > before) != (len(r.found) > between) {
			r.incomplete = true // the rows of the other side have all times
		}
	case *sqlast.Values:
		for _, row := range b.Rows {
			for _, e := range row {
				r.subqueries(e)
			}
		}
	case *sqlast.Select:
		r.selectBlock(b)
	}
}

func (r *reader) selectBlock(sel *sqlast.Select) {
	where := r.relation(sel.From, sel).and(r.condition(sel.Where))
	r.wheres[sel] = where.sets
	r.add(where.sets, sel, false)
	r.subqueries(sel.Where)
	before := len(r.found)
	for _, it := range sel.Items {
		r.value(it.Expr, sel)
	}
	if r.unlimited(sel, r.found[before:]) {
		r.incomplete = true
	}
	for _, e := range slices.Concat(sel.GroupBy, sel.DistinctOn, []sqlast.Expr{sel.Having, sel.Qualify}) {
		r.value(e, sel)
	}
	for _, w := range sel.Windows {
		r.subqueries(w)
	}
}

// relation reads a FROM. It returns the conditions that limit all rows of it.
func (r *reader) relation(rel sqlast.Relation, in *sqlast.Select) limits {
	switch rel := rel.(type) {
	case *sqlast.Derived:
		r.query(rel.Query)
	case *sqlast.TableFunction:
		for _, c := range rel.Calls {
			r.subqueries(c)
			if isTime(c) || slices.ContainsFunc(c.Args, isTime) {
				r.incomplete = true // a calendar that the statement makes
			}
		}
	case *sqlast.Join:
		both := r.relation(rel.Left, in).and(r.relation(rel.Right, in))
		on := r.condition(rel.On)
		r.subqueries(rel.On)
		if rel.AsOf {
			r.incomplete = true
		}
		if rel.Kind == sqlast.InnerJoin {
			return both.and(on)
		}
		if len(on.sets) > 0 {
			r.match(rel, in)
		}
		r.add(on.sets, in, false)
		return both
	}
	return limits{only: true}
}

// add notes what a condition leaves.
func (r *reader) add(sets map[key]set, in *sqlast.Select, optional bool) {
	if len(r.found) > maxFound {
		r.incomplete = true
		return
	}
	for k, s := range sets {
		r.found = append(r.found, found{k, s, in, optional})
	}
}

// value reads the conditions within a value, such as those of a CASE.
func (r *reader) value(e sqlast.Expr, in *sqlast.Select) {
	sqlast.Walk(e, func(n sqlast.Node) bool {
		switch n := n.(type) {
		case *sqlast.Query:
			r.query(n)
			return false
		case *sqlast.Case:
			r.caseOf(n, in)
			return false
		case *sqlast.Call:
			if (n.Name == "if" || n.Name == "iif") && len(n.Args) == 3 {
				r.caseOf(&sqlast.Case{Pos: n.Pos, Whens: []sqlast.When{{Cond: n.Args[0], Result: n.Args[1]}}, Else: n.Args[2]}, in)
				return false
			}
		case *sqlast.Window:
			r.subqueries(n)
			return false
		case *sqlast.Is:
			r.incomplete = r.incomplete || isCondition(n.X) // it may turn it round
		case *sqlast.Binary:
			if n.Op == sqlast.Sub || n.Op == sqlast.Xor {
				r.incomplete = r.incomplete || isCondition(n.X) || isCondition(n.Y) // so do these
			}
		}
		if e, ok := n.(sqlast.Expr); ok && isCondition(e) {
			r.add(r.condition(e).sets, in, false)
			r.subqueries(e)
			return false
		}
		return true
	})
}

// isCondition reports whether an expression is a condition that may be read.
func isCondition(e sqlast.Expr) bool {
	switch e := e.(type) {
	case *sqlast.Binary:
		_, compares := flipped[e.Op]
		return compares || e.Op == sqlast.And || e.Op == sqlast.Or
	case *sqlast.Unary:
		return e.Op == sqlast.Not
	case *sqlast.Between, *sqlast.In, *sqlast.Like:
		return true
	}
	return false
}

// caseOf reads the branches of a CASE. A row is in the first that fits it.
func (r *reader) caseOf(e *sqlast.Case, in *sqlast.Select) {
	rest := limits{only: true} // what the earlier branches left
	known := true
	for _, w := range e.Whens {
		cond := w.Cond
		if e.Operand != nil {
			cond = &sqlast.Binary{Pos: e.Pos, Op: sqlast.Eq, X: e.Operand, Y: w.Cond}
		}
		l := r.condition(cond)
		r.subqueries(cond)
		if len(l.sets) > 0 {
			branch := l
			if known {
				branch = l.and(limits{sets: overlap(rest.sets, l.sets), only: true})
			}
			r.add(branch.sets, in, false)
		}
		if k, s, ok := l.single(); ok && known {
			others, ok := s.complement()
			known = ok
			rest = rest.and(limits{map[key]set{k: others}, true})
		}
		r.value(w.Result, in)
		r.incomplete = r.incomplete || isNothing(w.Result) && !isNothing(e.Else) // the others count
	}
	if known && len(rest.sets) > 0 && !isNothing(e.Else) {
		r.add(rest.sets, in, true)
	}
	r.value(e.Else, in)
}

// isNothing reports whether a value is NULL or 0.
func isNothing(e sqlast.Expr) bool {
	n, number := e.(*sqlast.Number)
	_, null := e.(*sqlast.Null)
	return e == nil || null || number && strings.Trim(n.Text, "0.") == ""
}

// overlap returns the sets of a whose columns b has.
func overlap(a, b map[key]set) map[key]set {
	both := map[key]set{}
	for k, s := range a {
		if _, ok := b[k]; ok {
			both[k] = s
		}
	}
	return both
}

func (r *reader) subqueries(n sqlast.Node) {
	if n == nil {
		return
	}
	sqlast.Walk(n, func(n sqlast.Node) bool {
		if q, ok := n.(*sqlast.Query); ok {
			r.query(q)
			return false
		}
		return true
	})
}

// markRead notes the literals of an expression as read.
func (r *reader) markRead(e sqlast.Expr) {
	sqlast.Walk(e, func(n sqlast.Node) bool {
		r.read[n] = true
		return true
	})
}
