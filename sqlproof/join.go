package sqlproof

import (
	"cmp"
	"slices"

	"github.com/qedkit/qed/dates"
	"github.com/qedkit/qed/internal/sqlast"
	"github.com/qedkit/qed/sqlproof/proof"
)

// subqueryKind is the kind of a pair whose right side is computed for each row of the left.
const subqueryKind = "subquery"

// A compared is a pair of relations of which a condition compares columns.
type compared struct {
	left, right side
	kind        string
	columns     [][2]int // of the tables of both sides; empty: computed values
	names       [][2]string
	at          sqlast.Pos
}

// A side is a relation of a join, with the table that its columns come from.
type side struct {
	leaf  *leaf
	table *table
}

// item returns the item of a pair of relations.
func (s *scope) item(left, right side, kind string, at sqlast.Pos) proof.Join {
	j := proof.Join{Left: left.leaf.label, Right: right.leaf.label, Kind: kind, Verdict: dates.NotChecked, At: int(at)}
	if j.Left == j.Right {
		j.Left, j.Right = cmp.Or(left.leaf.alias(), j.Left), cmp.Or(right.leaf.alias(), j.Right)
	}
	for i, side := range []side{left, right} {
		if side.table != nil {
			j.Tables[i] = side.table.name
		} else if o := side.leaf.object; o != nil {
			j.Tables[i] = o.Logical
		}
	}
	return j
}

// alias returns the alias of a table, or "".
func (l *leaf) alias() string {
	if t, ok := l.rel.(*sqlast.Table); ok {
		return t.Alias
	}
	return ""
}

// checkJoins checks the joins of a block, and those of its conditions with enclosing blocks.
func (s *scope) checkJoins() {
	var pairs []*compared
	connected := groups[int]{}
	for i := range s.conds {
		k := &s.conds[i]
		for e := range atoms(k.expr) {
			of := s.leavesOf(s.columns(k.frame, e))
			for _, l := range of {
				connected.join(of[0], l)
			}
		}
		if !s.onOneSide(k) {
			for x, y := range equalities(k.expr) {
				pairs = s.compare(pairs, k.frame, x, k.frame, y, "")
			}
		}
		pairs = s.compareQueries(pairs, k.frame, k.expr)
	}
	eachExpr(s.frame.sel, nil, func(e sqlast.Expr) {
		if e != s.frame.sel.Where { // its conditions are among those above
			pairs = s.compareQueries(pairs, s.frame, e)
		}
	})
	first := len(s.report.Joins)
	for _, p := range pairs {
		s.checkPair(p)
	}
	s.relate(s.report.Joins[first:], pairs)
	s.otherwise(pairs)
	s.products(connected)
}

// compareQueries adds the pairs of values and subqueries that an expression compares.
func (s *scope) compareQueries(pairs []*compared, f *frame, e sqlast.Expr) []*compared {
	sqlast.Walk(e, func(n sqlast.Node) bool {
		if q, x := comparedQuery(n); len(x) > 0 {
			pairs = s.compareRows(pairs, f, q.Body, x, cmp.Or(s.kinds[q], subqueryKind))
		} else if q != nil {
			s.unrelated(f, q)
		}
		_, query := n.(*sqlast.Query)
		return !query
	})
	return pairs
}

// onOneSide reports whether a condition of ON names columns of a side only whose rows the
// join keeps: it selects the rows that may match, and joins nothing.
func (s *scope) onOneSide(k *cond) bool {
	if k.join < 0 || s.joins[k.join].kind == sqlast.InnerJoin {
		return false
	}
	j := &s.joins[k.join]
	left, right := false, false
	for _, l := range s.leavesOf(s.columns(k.frame, k.expr)) {
		left, right = left || l < j.mid, right || l >= j.mid
	}
	return left != right && (left && j.kind != sqlast.RightJoin || right && j.kind != sqlast.LeftJoin)
}

// comparedQuery returns the subquery with whose rows a condition compares values for
// equality, and the values. They are none for EXISTS.
func comparedQuery(n sqlast.Node) (*sqlast.Query, []sqlast.Expr) {
	switch n := n.(type) {
	case *sqlast.Exists:
		return n.Query, nil
	case *sqlast.In:
		if n.Query != nil {
			return n.Query, items(n.X)
		}
	case *sqlast.Quantified:
		if n.Query != nil && (n.Op == sqlast.Eq && !n.All || n.Op == sqlast.Ne && n.All) {
			return n.Query, items(n.X)
		}
	case *sqlast.Binary:
		x, y := n.X, n.Y
		if _, ok := x.(*sqlast.Subquery); ok {
			x, y = y, x
		}
		if q, ok := y.(*sqlast.Subquery); ok && n.Op == sqlast.Eq {
			return q.Query, items(x)
		}
	}
	return nil, nil
}

// selecting sets the kinds of the subqueries that a condition tests for matching rows.
func (c *check) selecting(e sqlast.Expr) {
	not := false
	for {
		u, ok := e.(*sqlast.Unary)
		if !ok || u.Op != sqlast.Not {
			break
		}
		e, not = u.X, !not
	}
	switch n := e.(type) {
	case *sqlast.In:
		not = not != n.Not
	case *sqlast.Quantified:
		not = not != n.All
	}
	_, value := e.(*sqlast.Binary)
	switch q, _ := comparedQuery(e); {
	case q == nil:
	case !not:
		c.kinds[q] = "semi"
	case !value:
		c.kinds[q] = "anti"
	}
}

// joinKinds are the names of the kinds of joins in a [proof.Join].
var joinKinds = map[sqlast.JoinKind]string{
	sqlast.InnerJoin: "inner", sqlast.LeftJoin: "left", sqlast.RightJoin: "right", sqlast.FullJoin: "full",
}

// kindBetween returns the kind of the join that combines two leaves.
func (s *scope) kindBetween(a, b *leaf) string {
	for _, j := range s.joins {
		if j.lo <= a.index && a.index < j.mid && j.mid <= b.index && b.index < j.hi && joinKinds[j.kind] != "" {
			return joinKinds[j.kind]
		}
	}
	return "inner"
}

// relate says of joins whether relationships are the reason for them. Of the others, those
// of tables that are joined by relationships are further conditions. The rest follows no
// relationship, where those of the tables are known.
func (s *scope) relate(joins []proof.Join, pairs []*compared) {
	joined := groups[*leaf]{}
	for i, p := range pairs {
		if joins[i].Relationship == "" && s.follows(p) {
			joins[i].Relationship = proof.Implied
		}
		if joins[i].Relationship != "" {
			joined.join(p.left.leaf, p.right.leaf)
		}
	}
	for i, p := range pairs {
		same := p.left.table == p.right.table && allSame(p.columns)
		if joins[i].Relationship == "" && !same && !joined.same(p.left.leaf, p.right.leaf) && p.left.related() && p.right.related() {
			joins[i].Relationship = proof.NoRelationship
		}
	}
}

// side returns a leaf with its table, or the first one of which it has a column.
func (l *leaf) side() side {
	if l.rows != nil {
		for _, c := range l.rows.columns {
			if c.table != nil {
				return side{l, c.table}
			}
		}
	}
	return side{l, l.table}
}

func (s side) related() bool { return s.table != nil && s.table.related }

// follows reports whether the equalities of a pair follow from relationships that hold
// between other tables of the scope.
func (s *scope) follows(p *compared) bool {
	if len(p.columns) == 0 || !s.has(p.left.leaf) || !s.has(p.right.leaf) {
		return false
	}
	linked := groups[attr]{}
	for _, a := range s.leaves {
		for _, b := range s.leaves[a.index+1:] {
			for _, e := range s.prover.edges[pair{a.table, b.table}] {
				if s.holds(a, b, e) {
					for i := range e.from {
						linked.join(attrOf(a, e.from[i]), attrOf(b, e.other[i]))
					}
				}
			}
		}
	}
	return !slices.ContainsFunc(p.columns, func(n [2]int) bool {
		a, b := attrOf(p.left.leaf, n[0]), attrOf(p.right.leaf, n[1])
		return a == 0 || b == 0 || !linked.same(a, b)
	})
}

// holds reports whether conditions make the columns of a relationship equal in two leaves.
func (s *scope) holds(a, b *leaf, e *edge) bool {
	for i := range e.from {
		if !s.same(attrOf(a, e.from[i]), attrOf(b, e.other[i])) {
			return false
		}
	}
	return true
}

// same reports whether conditions make two attributes equal to each other, or to the same
// literal.
func (s *scope) same(a, b attr) bool {
	if s.classes == nil || s.equatable < s.n {
		s.classes, s.equatable = groups[any]{}, s.n
		for i := range s.conds {
			k := &s.conds[i]
			if s.onOneSide(k) {
				continue
			}
			for x, y := range equalities(k.expr) {
				if v, w := s.equated(k.frame, x), s.equated(k.frame, y); v != nil && w != nil {
					s.classes.join(v, w)
				}
			}
		}
	}
	return a != 0 && b != 0 && s.classes.same(a, b)
}

// equated returns the attribute of a column, the text of a literal, or nil.
func (s *scope) equated(f *frame, e sqlast.Expr) any {
	switch e := e.(type) {
	case *sqlast.Number:
		return e.Text
	case *sqlast.String:
		return "'" + e.Value
	}
	if _, a := s.value(f, e); a != 0 {
		return a
	}
	return nil
}

// otherwise adds an item for each pair of relations that is connected only by a condition
// about computed values, or by another comparison than equality.
func (s *scope) otherwise(pairs []*compared) {
	type two struct{ a, b *leaf }
	seen, joined := map[two]bool{}, groups[*leaf]{}
	for _, p := range pairs {
		seen[two{p.left.leaf, p.right.leaf}], seen[two{p.right.leaf, p.left.leaf}] = true, true
		joined.join(p.left.leaf, p.right.leaf)
	}
	for i := range s.conds {
		k := &s.conds[i]
		if k.frame != s.frame {
			continue
		}
		for e := range atoms(k.expr) {
			named := s.named(k.frame, e)
			for _, n := range named[min(1, len(named)):] {
				p := two{named[0].leaf, n.leaf}
				if p.a == p.b || seen[p] || !s.has(p.a) && !s.has(p.b) {
					continue
				}
				seen[p], seen[two{p.b, p.a}] = true, true
				kind := s.nested
				if s.has(p.a) && s.has(p.b) {
					if p.a.index > p.b.index {
						p.a, p.b = p.b, p.a
					}
					kind = s.kindBetween(p.a, p.b)
				} else if s.has(p.a) {
					p.a, p.b = p.b, p.a
				}
				left, right := p.a.side(), p.b.side()
				item := s.item(left, right, kind, e.At())
				item.Condition = true
				if left.related() && right.related() && !joined.same(p.a, p.b) && !s.namesEdge(left, right, named) {
					item.Relationship = proof.NoRelationship
				}
				joined.join(p.a, p.b)
				s.report.Joins = append(s.report.Joins, item)
			}
		}
	}
}
