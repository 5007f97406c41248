package sqltimes

import (
	"cmp"
	"slices"

	"github.com/qedkit/qed/internal/ascii"
	"github.com/qedkit/qed/internal/sqlast"
)

type reader struct {
	dialect        string
	types          func(o *sqlast.Object, column string) string
	unknownAreDays bool

	envs   map[*sqlast.Select]*env
	owners map[*relation]*env // the FROM that has a relation
	wheres map[*env]map[key]set
	found  []found

	read       map[sqlast.Node]bool // the literals that were read
	passed     map[key]bool         // columns of unknown kind in conditions that were not read
	incomplete bool
	looks      bool
	top        sqlast.Body // of the whole statement
}

// found is what a condition leaves of one column.
type found struct {
	key      key
	set      set
	in       *env
	optional bool // the ELSE of a CASE
}

// An env is the relations that the expressions of a SELECT may name.
type env struct {
	outer     *env
	relations map[string]*relation

	// matched has the relations whose rows an outer join matches only if a condition on
	// times holds. The rows that it keeps are of all times.
	matched map[string]bool
}

// A relation is an entry of a FROM.
type relation struct {
	object  *sqlast.Object
	query   *sqlast.Query // of a derived table or common table expression
	columns []string      // the names that its alias gives its columns
	env     *env          // around query
}

const (
	maxDepth = 20  // of queries through which a column is followed, and of functions
	maxFound = 300 // conditions; each is compared with all others
)

func (in *env) find(c *sqlast.Column) (*relation, *env) {
	for ; in != nil; in = in.outer {
		if rel, ok := in.relations[c.Table]; ok {
			return rel, in
		}
	}
	return nil, nil
}

// itemOf returns the expression of a column of a derived table, and the env in
// which it is computed. It returns nil for a column of a table, and for one that a
// set operation or a recursion computes.
func (r *reader) itemOf(rel *relation, column string) (sqlast.Expr, *env) {
	if rel.query == nil {
		return nil, nil
	}
	body := rel.query.Body
	for {
		q, ok := body.(*sqlast.Query)
		if !ok {
			break
		}
		body = q.Body
	}
	sel, ok := body.(*sqlast.Select)
	if !ok {
		return nil, nil
	}
	at := slices.IndexFunc(rel.columns, func(name string) bool { return ascii.EqualFold(name, column) })
	if at < 0 {
		at = slices.IndexFunc(sel.Items, func(it sqlast.Item) bool {
			c, isColumn := it.Expr.(*sqlast.Column)
			return ascii.EqualFold(it.Alias, column) || it.Alias == "" && isColumn && ascii.EqualFold(c.Name, column)
		})
	}
	if at < 0 || at >= len(sel.Items) {
		return nil, nil
	}
	isStar := func(it sqlast.Item) bool { _, ok := it.Expr.(*sqlast.Star); return ok }
	if isStar(sel.Items[at]) || rel.columns != nil && slices.ContainsFunc(sel.Items[:at], isStar) {
		return nil, nil
	}
	return sel.Items[at].Expr, r.env(sel, rel.env)
}

// env returns the env of a SELECT, which is made once.
func (r *reader) env(sel *sqlast.Select, outer *env) *env {
	if in, ok := r.envs[sel]; ok {
		return in
	}
	in := &env{outer: outer, relations: map[string]*relation{}}
	r.envs[sel] = in
	in.add(sel.From)
	return in
}

func (in *env) add(rel sqlast.Relation) {
	switch rel := rel.(type) {
	case *sqlast.Table:
		entry := &relation{object: rel.Object}
		if rel.CTE != nil {
			entry = &relation{query: rel.CTE.Query, columns: rel.CTE.Columns}
		}
		in.relations[rel.Alias] = entry
	case *sqlast.Derived:
		in.relations[rel.Alias] = &relation{query: rel.Query, columns: rel.Columns, env: in.outer}
		if rel.Lateral {
			in.relations[rel.Alias].env = in
		}
	case *sqlast.TableFunction:
		in.relations[cmp.Or(rel.Alias, rel.Calls[0].Name)] = &relation{}
	case *sqlast.Join:
		in.add(rel.Left)
		in.add(rel.Right)
	}
}

func (r *reader) query(q *sqlast.Query, outer *env) {
	if q == nil {
		return
	}
	if q.With != nil {
		for _, c := range q.With.CTEs {
			r.query(c.Query, nil)
		}
	}
	r.body(q.Body, outer)
	sel, _ := q.Body.(*sqlast.Select)
	if sel != nil {
		outer = r.env(sel, outer)
	}
	for _, o := range q.OrderBy {
		r.subqueries(o.Expr, outer)
		r.lookTerm(o.Expr, sel, outer)
	}
}

// lookTerm notes whether a term of GROUP BY or ORDER BY may be a time. sel may be
// nil.
func (r *reader) lookTerm(e sqlast.Expr, sel *sqlast.Select, in *env) {
	if n, ok := number(e); ok && sel != nil && 0 < n && n <= len(sel.Items) {
		e = sel.Items[n-1].Expr
	}
	r.look(e, in)
}

func (r *reader) body(b sqlast.Body, outer *env) {
	switch b := b.(type) {
	case *sqlast.Query:
		r.query(b, outer)
	case *sqlast.SetOp:
		before := len(r.found)
		r.body(b.Left, outer)
		between := len(r.found)
		r.body(b.Right, outer)
		if (between > before) != (len(r.found) > between) {
			r.incomplete = true // the rows of the other side have all times
		}
	case *sqlast.Values:
		for _, row := range b.Rows {
			for _, e := range row {
				r.subqueries(e, outer)
			}
		}
	case *sqlast.Select:
		r.selectBlock(b, outer)
	}
}

func (r *reader) selectBlock(sel *sqlast.Select, outer *env) {
	in := r.env(sel, outer)
	where := r.relation(sel.From, in).and(r.condition(sel.Where, in))
	r.wheres[in] = where.sets
	r.add(where.sets, in, false)
	r.subqueries(sel.Where, in)
	before := len(r.found)
	for _, it := range sel.Items {
		r.value(it.Expr, in)
	}
	if r.unlimited(sel, in, r.found[before:]) {
		r.incomplete = true
	}
	for _, e := range sel.GroupBy {
		r.value(e, in)
		r.lookTerm(e, sel, in)
	}
	for _, e := range slices.Concat(sel.DistinctOn, []sqlast.Expr{sel.Having, sel.Qualify}) {
		r.value(e, in)
	}
	for _, w := range sel.Windows {
		r.subqueries(w, in)
	}
}

// relation reads a FROM. It returns the conditions that limit all rows of it.
func (r *reader) relation(rel sqlast.Relation, in *env) limits {
	switch rel := rel.(type) {
	case *sqlast.Derived:
		outer := in.outer
		if rel.Lateral {
			outer = in
		}
		r.query(rel.Query, outer)
	case *sqlast.TableFunction:
		for _, c := range rel.Calls {
			r.subqueries(c, in)
			if isTime(c) || slices.ContainsFunc(c.Args, isTime) {
				r.incomplete = true // a calendar that the statement makes
			}
		}
	case *sqlast.Join:
		both := r.relation(rel.Left, in).and(r.relation(rel.Right, in))
		on := r.condition(rel.On, in)
		r.subqueries(rel.On, in)
		if rel.AsOf {
			r.incomplete = true
		}
		if rel.Kind == sqlast.InnerJoin {
			return both.and(on)
		}
		if len(on.sets) > 0 {
			in.match(rel)
		}
		r.add(on.sets, in, false)
		return both
	}
	return limits{only: true}
}

// add notes what a condition leaves.
func (r *reader) add(sets map[key]set, in *env, optional bool) {
	if len(r.found) > maxFound {
		r.incomplete = true
		return
	}
	for k, s := range sets {
		r.found = append(r.found, found{k, s, in, optional})
	}
}

// value reads the conditions within a value, such as those of a CASE.
func (r *reader) value(e sqlast.Expr, in *env) {
	switch e := e.(type) {
	case nil:
		return
	case *sqlast.Case:
		r.caseOf(e, in)
		return
	case *sqlast.Binary:
		if _, compares := flipped[e.Op]; compares || e.Op == sqlast.And || e.Op == sqlast.Or {
			r.add(r.condition(e, in).sets, in, false)
			r.subqueries(e, in)
			return
		}
	case *sqlast.Between, *sqlast.In, *sqlast.Like:
		r.add(r.condition(e, in).sets, in, false)
		r.subqueries(e, in)
		return
	case *sqlast.Call:
		args := e.Args
		if e.Name == "min" || e.Name == "max" || e.Over != nil {
			r.look(e, in)
		}
		if (e.Name == "if" || e.Name == "iif") && len(args) > 0 {
			r.add(r.condition(args[0], in).sets, in, false)
			r.subqueries(args[0], in)
			args = args[1:]
		}
		if e.Filter != nil {
			r.add(r.condition(e.Filter, in).sets, in, false)
			r.subqueries(e.Filter, in)
		}
		for _, a := range args {
			r.value(a, in)
		}
		return
	case *sqlast.Subquery:
		r.query(e.Query, in)
		return
	case *sqlast.Cast:
		r.value(e.X, in)
		return
	case *sqlast.Unary:
		if e.Op == sqlast.Not {
			r.add(r.condition(e, in).sets, in, false)
			r.subqueries(e, in)
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
	r.other(e, in)
}

// other passes over an expression whose conditions, if it has any, are not read.
func (r *reader) other(e sqlast.Expr, in *env) {
	r.subqueries(e, in)
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
func (r *reader) caseOf(e *sqlast.Case, in *env) {
	rest := limits{only: true} // what the earlier branches left
	known := true
	for _, w := range e.Whens {
		cond := w.Cond
		if e.Operand != nil {
			cond = &sqlast.Binary{Pos: e.Pos, Op: sqlast.Eq, X: e.Operand, Y: w.Cond}
		}
		l := r.condition(cond, in)
		r.subqueries(cond, in)
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

func (r *reader) subqueries(n sqlast.Node, in *env) {
	if n == nil {
		return
	}
	sqlast.Walk(n, func(n sqlast.Node) bool {
		if q, ok := n.(*sqlast.Query); ok {
			r.query(q, in)
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
