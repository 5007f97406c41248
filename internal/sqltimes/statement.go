package sqltimes

import (
	"slices"

	"github.com/qedkit/qed/internal/ascii"
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
func (r *reader) itemOf(rel sqlast.Relation, column string) sqlast.Expr {
	var body sqlast.Body
	var columns []string // the names that its alias gives its columns
	switch rel := rel.(type) {
	case *sqlast.Table:
		if rel.CTE == nil {
			return nil
		}
		body, columns = rel.CTE.Query, rel.CTE.Columns
	case *sqlast.Derived:
		body, columns = rel.Query, rel.Columns
	default:
		return nil
	}
	for {
		q, ok := body.(*sqlast.Query)
		if !ok {
			break
		}
		body = q.Body
	}
	sel, ok := body.(*sqlast.Select)
	if !ok {
		return nil
	}
	at := slices.IndexFunc(columns, func(name string) bool { return ascii.EqualFold(name, column) })
	if at < 0 {
		at = slices.IndexFunc(sel.Items, func(it sqlast.Item) bool {
			c, isColumn := it.Expr.(*sqlast.Column)
			return ascii.EqualFold(it.Alias, column) || it.Alias == "" && isColumn && ascii.EqualFold(c.Name, column)
		})
	}
	if at < 0 || at >= len(sel.Items) {
		return nil
	}
	isStar := func(it sqlast.Item) bool { _, ok := it.Expr.(*sqlast.Star); return ok }
	if isStar(sel.Items[at]) || columns != nil && slices.ContainsFunc(sel.Items[:at], isStar) {
		return nil
	}
	return sel.Items[at].Expr
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
	switch e := e.(type) {
	case nil:
		return
	case *sqlast.Case:
		r.caseOf(e, in)
		return
	case *sqlast.Binary:
		if _, compares := flipped[e.Op]; compares || e.Op == sqlast.And || e.Op == sqlast.Or {
			r.add(r.condition(e).sets, in, false)
			r.subqueries(e)
			return
		}
	case *sqlast.Between, *sqlast.In, *sqlast.Like:
		r.add(r.condition(e).sets, in, false)
		r.subqueries(e)
		return
	case *sqlast.Call:
		args := e.Args
		if (e.Name == "if" || e.Name == "iif") && len(args) > 0 {
			r.add(r.condition(args[0]).sets, in, false)
			r.subqueries(args[0])
			args = args[1:]
		}
		if e.Filter != nil {
			r.add(r.condition(e.Filter).sets, in, false)
			r.subqueries(e.Filter)
		}
		for _, a := range args {
			r.value(a, in)
		}
		return
	case *sqlast.Subquery:
		r.query(e.Query)
		return
	case *sqlast.Cast:
		r.value(e.X, in)
		return
	case *sqlast.Unary:
		if e.Op == sqlast.Not {
			r.add(r.condition(e).sets, in, false)
			r.subqueries(e)
			return
		}
		r.value(e.X, in)
		return
	}
	if b, ok := e.(*sqlast.Binary); ok {
		r.value(b.X, in)
		r.value(b.Y, in)
		return
	}
	r.other(e)
}

// other passes over an expression whose conditions, if it has any, are not read.
func (r *reader) other(e sqlast.Expr) {
	r.subqueries(e)
	sqlast.Walk(e, func(n sqlast.Node) bool {
		switch n.(type) {
		case *sqlast.Query:
			return false
		case *sqlast.Case, *sqlast.Between, *sqlast.In, *sqlast.Like:
			r.incomplete = true
		}
		return true
	})
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
	}
	switch e.Else.(type) {
	case nil, *sqlast.Null, *sqlast.Number:
	default:
		if known && len(rest.sets) > 0 {
			r.add(rest.sets, in, true)
		}
	}
	r.value(e.Else, in)
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
