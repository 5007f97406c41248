package sqlproof

import (
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/qedkit/qed/dates"
	"github.com/qedkit/qed/internal/sqlast"
	"github.com/qedkit/qed/joinpath"
	"github.com/qedkit/qed/sqlproof/proof"
)

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
		j.Left, j.Right = first(left.leaf.alias(), j.Left), first(right.leaf.alias(), j.Right)
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
	connected := newGroups(len(s.leaves))
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
			pairs = s.compareRows(pairs, f, q.Body, x, first(s.kinds[q], subqueryKind))
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
	joined := &leafGroups{}
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

// leafGroups are sets of leaves, also of those of other scopes.
type leafGroups struct {
	groups
	leaves []*leaf
}

func (g *leafGroups) number(l *leaf) int {
	if i := slices.Index(g.leaves, l); i >= 0 {
		return i
	}
	g.leaves, g.of = append(g.leaves, l), append(g.of, len(g.of))
	return len(g.leaves) - 1
}

func (g *leafGroups) join(a, b *leaf) { g.groups.join(g.number(a), g.number(b)) }

func (g *leafGroups) same(a, b *leaf) bool { return g.groups.same(g.number(a), g.number(b)) }

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
	linked := newGroups(s.n)
	for _, a := range s.leaves {
		for _, b := range s.leaves[a.index+1:] {
			for _, e := range s.prover.edges[pair{a.table, b.table}] {
				if s.holds(a, b, e) {
					for i := range e.from {
						linked.join(int(attrOf(a, e.from[i])), int(attrOf(b, e.other[i])))
					}
				}
			}
		}
	}
	return !slices.ContainsFunc(p.columns, func(n [2]int) bool {
		a, b := attrOf(p.left.leaf, n[0]), attrOf(p.right.leaf, n[1])
		return a == 0 || b == 0 || !linked.same(int(a), int(b))
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
		s.classes, s.equatable = newGroups(s.n), s.n
		literals := map[string]attr{}
		for i := range s.conds {
			k := &s.conds[i]
			if s.onOneSide(k) {
				continue
			}
			for x, y := range equalities(k.expr) {
				v, w := s.equated(k.frame, x, literals), s.equated(k.frame, y, literals)
				if v != 0 && w != 0 {
					s.classes.join(int(v), int(w))
				}
			}
		}
	}
	return a != 0 && b != 0 && s.classes.same(int(a), int(b))
}

// equated returns the attribute of a column, or one that stands for a literal, or 0.
func (s *scope) equated(f *frame, e sqlast.Expr, literals map[string]attr) attr {
	switch e.(type) {
	case *sqlast.Number, *sqlast.String:
		text := describe(e)
		if literals[text] == 0 {
			s.classes.of = append(s.classes.of, len(s.classes.of))
			literals[text] = attr(len(s.classes.of) - 1)
		}
		return literals[text]
	}
	_, a := s.value(f, e)
	return a
}

// otherwise adds an item for each pair of relations that is connected only by a condition
// about computed values, or by another comparison than equality.
func (s *scope) otherwise(pairs []*compared) {
	type two struct{ a, b *leaf }
	seen, joined := map[two]bool{}, &leafGroups{}
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

// A name is a column that a condition names.
type name struct {
	leaf *leaf
	attr attr
}

// named returns the columns that a condition names, of the scope and of enclosing ones.
func (s *scope) named(f *frame, e sqlast.Expr) (all []name) {
	for ; f != nil; f = f.scope.frame.outer {
		f.scope.eachColumn(f, e, func(g *frame, c *sqlast.Column) {
			if l, a := f.scope.value(g, c); a != 0 {
				all = append(all, name{l, a})
			}
		})
	}
	return all
}

// namesEdge reports whether a condition names the columns of a relationship of both sides.
func (s *scope) namesEdge(left, right side, named []name) bool {
	for _, e := range s.prover.edges[pair{left.table, right.table}] {
		for i := range e.from {
			if slices.Contains(named, name{left.leaf, attrOf(left.leaf, e.from[i])}) && slices.Contains(named, name{right.leaf, attrOf(right.leaf, e.other[i])}) {
				return true
			}
		}
	}
	return false
}

// atoms calls yield with the conditions that e connects by AND, OR and NOT. One about
// several tables connects them; several ones about a table each do not.
func atoms(e sqlast.Expr) iter.Seq[sqlast.Expr] {
	return func(yield func(sqlast.Expr) bool) { eachAtom(e, yield) }
}

func eachAtom(e sqlast.Expr, yield func(sqlast.Expr) bool) bool {
	switch e := e.(type) {
	case *sqlast.Binary:
		if e.Op == sqlast.And || e.Op == sqlast.Or {
			return eachAtom(e.X, yield) && eachAtom(e.Y, yield)
		}
	case *sqlast.Unary:
		if e.Op == sqlast.Not {
			return eachAtom(e.X, yield)
		}
	}
	return yield(e)
}

// compare adds a pair of columns that are compared. kind is empty for a condition of the
// scope.
func (s *scope) compare(pairs []*compared, f *frame, x sqlast.Expr, g *frame, y sqlast.Expr, kind string) []*compared {
	if f.scope == s && f != s.frame && g != s.frame && kind == "" {
		return pairs // a condition inside a subquery, which is checked there
	}
	left, a, nameA := origin1(f, x)
	right, b, nameB := origin1(g, y)
	if left.leaf == nil || right.leaf == nil || left.leaf == right.leaf {
		return pairs
	}
	if kind == "" {
		inside := s.has(left.leaf) && s.has(right.leaf)
		if inside && left.leaf.index > right.leaf.index || !inside && s.has(left.leaf) {
			left, right, a, b, nameA, nameB = right, left, b, a, nameB, nameA
		}
		kind = s.nested
		if inside {
			kind = s.kindBetween(left.leaf, right.leaf)
		}
	}
	p := &compared{left: left, right: right, kind: kind, at: x.At()}
	for _, other := range pairs {
		if other.left == left && other.right == right {
			p = other
		}
	}
	names := [2]string{nameA, nameB}
	if slices.Contains(p.names, names) {
		return pairs
	}
	p.names = append(p.names, names)
	if p.left.table != nil && p.right.table != nil {
		p.columns = append(p.columns, [2]int{a, b})
	}
	if !slices.Contains(pairs, p) {
		pairs = append(pairs, p)
	}
	return pairs
}

// origin1 returns the relation that a column is of, in the scope of a frame or in an
// enclosing one, and the number and the name of the column in its table.
func origin1(f *frame, e sqlast.Expr) (side, int, string) {
	for ; f != nil; f = f.scope.frame.outer {
		l, a := f.scope.value(f, f.scope.merged(f, e))
		if a == 0 {
			continue
		}
		if t, column := columnOf(l, a); t != nil {
			return side{l, t}, column, t.names[column]
		}
		name := ""
		if _, e := f.scope.follow(f, e); e != nil {
			if c, ok := e.(*sqlast.Column); ok {
				name = c.Name
			}
		}
		return side{leaf: l}, -1, name
	}
	return side{}, -1, ""
}

// merged returns a column of those that USING of outer joins merged, or e.
func (s *scope) merged(f *frame, e sqlast.Expr) sqlast.Expr {
	call, ok := e.(*sqlast.Call)
	if !ok || call.Name != "coalesce" || len(call.Args) == 0 {
		return e
	}
	_, a := s.value(f, call.Args[0])
	for _, arg := range call.Args[1:] {
		if _, b := s.value(f, arg); !s.same(a, b) {
			return e
		}
	}
	return call.Args[0]
}

// compareRows adds the pairs of values and the columns of a body with which they are
// compared.
func (s *scope) compareRows(pairs []*compared, f *frame, body sqlast.Body, x []sqlast.Expr, kind string) []*compared {
	switch b := body.(type) {
	case *sqlast.Query:
		return s.compareRows(pairs, f, b.Body, x, kind)
	case *sqlast.SetOp:
		return s.compareRows(s.compareRows(pairs, f, b.Left, x, kind), f, b.Right, x, kind)
	case *sqlast.Select:
		if b.From == nil {
			break
		}
		inner := s.newScope(b, f)
		for i := range min(len(x), len(b.Items)) {
			pairs = s.compare(pairs, f, x[i], inner.frame, b.Items[i].Expr, kind)
		}
	}
	return pairs
}

const subqueryKind = "subquery"

// checkPair adds the item of a pair of relations.
func (s *scope) checkPair(p *compared) {
	item := s.item(p.left, p.right, p.kind, p.at)
	item.Columns = p.names
	defer func() { s.report.Joins = append(s.report.Joins, item) }()
	if len(p.columns) == 0 {
		return
	}
	edges := s.prover.edges[pair{p.left.table, p.right.table}]
	if p.left.table == p.right.table && allSame(p.columns) {
		item.Verdict, item.RestsOn = dates.Proved, "the same column of the same table"
		return
	}
	var best, partial *edge
	for _, e := range edges {
		switch n := s.covers(p, e); {
		case n == len(e.from):
			if best == nil || e.better(best) {
				best = e
			}
		case n > 0 && partial == nil && !e.shared:
			partial = e
		}
	}
	if best != nil {
		best.describe(&item)
		s.role(&item, best, edges)
		return
	}
	if third, ok := p.siblings(); ok {
		item.Relationship = proof.Implied
		if partial == nil {
			item.Verdict, item.RestsOn = dates.Proved, "both refer to "+third
			return
		}
	}
	if partial != nil {
		item.Verdict = dates.Contradicted
		s.say(proof.Finding{
			Code: proof.JoinPartial, Severity: proof.Error, Subject: joinText(&item), By: []string{item.Left, item.Right}, At: item.At,
			Message: fmt.Sprintf("%s compares only a part of a key: %s", joinText(&item), partial),
			Fix:     "compare the other columns of the key as well",
		})
		return
	}
	s.unknownJoin(&item, p, edges)
}

// better reports whether an edge has more columns than another one, or is more certain.
func (e *edge) better(other *edge) bool {
	return len(e.from) > len(other.from) || len(e.from) == len(other.from) && e.confidence > other.confidence
}

// describe says that a join follows a relationship.
func (e *edge) describe(j *proof.Join) {
	j.Relationship, j.Role, j.Confidence, j.Cardinality = proof.Known, e.role, e.confidence, e.cardinality
	j.RestsOn = e.basis
	if !e.shared {
		j.Verdict = dates.Proved
	}
}

// role says that a join follows one of several relationships of its tables. It says nothing
// of order_id next to alt_order_id: a name without a further word is what people mean.
func (s *scope) role(item *proof.Join, used *edge, edges []*edge) {
	if !used.declared {
		return
	}
	var others []string
	for _, e := range edges {
		if e.declared && e.back == used.back && !slices.Equal(e.referring(), used.referring()) &&
			!strings.Contains(strings.ToLower(e.called()), strings.ToLower(used.called())) {
			others = appendNew(others, e.called())
		}
	}
	if len(others) == 0 {
		return
	}
	s.say(proof.Finding{
		Code: proof.JoinRole, Severity: proof.Note, Subject: used.called(), Of: others, By: []string{item.Left, item.Right}, At: item.At,
		Message: fmt.Sprintf("%s joins %s and %s by %s, and not by %s", joinText(item), item.Left, item.Right, used.called(), list(others)),
		Fix:     "compare the other column if that is what was asked for",
	})
}

// referring returns the columns that refer to the other table.
func (e *edge) referring() []int {
	if e.back {
		return e.other
	}
	return e.from
}

// called returns the role of an edge, or the names of the columns that refer to the other
// table.
func (e *edge) called() string {
	if e.role != "" {
		return e.role
	}
	of := e.of
	if e.back {
		of = e.to
	}
	var names []string
	for _, i := range e.referring() {
		names = append(names, of.names[i])
	}
	return strings.Join(names, ", ")
}

func joinText(j *proof.Join) string {
	if len(j.Columns) == 0 {
		return j.Left + ", " + j.Right
	}
	return fmt.Sprintf("%s.%s = %s.%s", j.Left, j.Columns[0][0], j.Right, j.Columns[0][1])
}

func allSame(columns [][2]int) bool {
	return !slices.ContainsFunc(columns, func(c [2]int) bool { return c[0] != c[1] })
}

// covers returns how many of the columns of a relationship a pair compares, or binds to
// equal values by other conditions.
func (s *scope) covers(p *compared, e *edge) (n int) {
	for i := range e.from {
		want := [2]int{e.from[i], e.other[i]}
		if slices.Contains(p.columns, want) {
			n++
			continue
		}
		if len(e.from) == 1 || !s.has(p.left.leaf) || !s.has(p.right.leaf) {
			continue
		}
		if s.same(attrOf(p.left.leaf, want[0]), attrOf(p.right.leaf, want[1])) {
			n++
		}
	}
	if n > 0 && n < len(e.from) && !slices.ContainsFunc(e.from, func(i int) bool {
		return slices.ContainsFunc(p.columns, func(c [2]int) bool { return c[0] == i })
	}) {
		return 0
	}
	return n
}

// has reports whether a leaf is one of the scope, and not of an enclosing one.
func (s *scope) has(l *leaf) bool { return l.index < len(s.leaves) && s.leaves[l.index] == l }

func attrOf(l *leaf, column int) attr {
	if l.rows != nil {
		return 0
	}
	if i := slices.Index(l.columns, column); i >= 0 && i < len(l.attrs) {
		return l.attrs[i]
	}
	return 0
}

// siblings reports whether both columns of a pair refer to one column of a third table, or
// of one of them, directly or over several relationships.
func (p *compared) siblings() (third string, ok bool) {
	tries := [][][2]int{p.columns}
	if len(p.columns) > 1 {
		for i := range p.columns {
			tries = append(tries, p.columns[i:i+1])
		}
	}
	for _, columns := range tries {
		left, right := reference{table: p.left.table}, reference{table: p.right.table}
		for _, c := range columns {
			left.columns, right.columns = append(left.columns, c[0]), append(right.columns, c[1])
		}
		for _, a := range left.targets() {
			for _, b := range right.targets() {
				if a.equal(b) && !left.equal(right) {
					return a.table.name, true
				}
			}
		}
	}
	return "", false
}

// A reference is columns of a table.
type reference struct {
	table   *table
	columns []int
}

func (r reference) equal(other reference) bool {
	return r.table == other.table && slices.Equal(r.columns, other.columns)
}

// targets returns the reference and the columns to which it refers, directly or over
// several relationships.
func (r reference) targets() []reference {
	all := []reference{r}
	for i := 0; i < len(all) && len(all) < maxTargets; i++ {
		for _, e := range all[i].table.refers {
			next := reference{table: e.to}
			for _, column := range all[i].columns {
				if n := slices.Index(e.from, column); n >= 0 && (!e.back || e.cardinality == string(joinpath.OneToOne)) {
					next.columns = append(next.columns, e.other[n])
				}
			}
			if len(next.columns) == len(r.columns) && len(e.from) == len(r.columns) && !slices.ContainsFunc(all, next.equal) {
				all = append(all, next)
			}
		}
	}
	return all
}

// maxTargets is how many columns are followed from one.
const maxTargets = 200

// unknownJoin says that a join compares columns of no relationship, if the schema says which
// columns belong together instead.
func (s *scope) unknownJoin(item *proof.Join, p *compared, edges []*edge) {
	f := proof.Finding{Code: proof.JoinUnknown, Subject: joinText(item), By: []string{item.Left, item.Right}, At: item.At}
	f.Message = joinText(item) + " compares columns of no known relationship"
	var near []string
	for _, e := range edges {
		if !e.shared {
			near = append(near, e.String())
		}
	}
	elsewhere := p.refersElsewhere()
	switch {
	case len(near) > 0:
		f.Severity = proof.Question
		if p.misused() {
			f.Severity = proof.Error
		}
		f.Fix = "the relationship of these tables is " + strings.Join(near, ", or ")
	case len(elsewhere) > 0:
		f.Severity = proof.Question
		f.Fix = "the schema has " + strings.Join(elsewhere, ", and ")
	default:
		return
	}
	item.Verdict = dates.Contradicted
	s.say(f)
}

// misused reports whether a pair compares a foreign key with a column that it does not refer
// to, or two keys.
func (p *compared) misused() bool {
	return slices.ContainsFunc(p.columns, func(c [2]int) bool {
		left, right := p.left.table, p.right.table
		return left.isForeign(c[0]) || right.isForeign(c[1]) || left.isKey(c[:1]) || right.isKey(c[1:])
	})
}

// isForeign reports whether a column is a foreign key.
func (t *table) isForeign(column int) bool {
	return slices.ContainsFunc(t.refers, func(e *edge) bool { return !e.back && len(e.from) == 1 && e.from[0] == column })
}

// refersElsewhere returns the relationships of compared columns with other tables.
func (p *compared) refersElsewhere() (out []string) {
	for _, c := range p.columns {
		for i, t := range []*table{p.left.table, p.right.table} {
			for _, e := range t.refers {
				if slices.Equal(e.from, c[i:i+1]) && e.to.isKey(e.other) && e.to != p.left.table && e.to != p.right.table {
					out = appendNew(out, e.String())
				}
			}
		}
	}
	return out
}

func (t *table) isKey(columns []int) bool {
	return slices.ContainsFunc(t.keys, func(k key) bool { return equalSets(k.columns, columns) })
}

// String returns an edge as a condition.
func (e *edge) String() string {
	var all []string
	for i := range e.from {
		all = append(all, fmt.Sprintf("%s.%s = %s.%s", e.of.name, e.of.columnName(e.from[i]), e.to.name, e.to.columnName(e.other[i])))
	}
	return strings.Join(all, " AND ")
}

func (t *table) columnName(i int) string { return t.names[i] }

// products adds an item for each relation that nothing connects with those before it.
func (s *scope) products(connected *groups) {
	if len(s.leaves) < 2 {
		return
	}
	one := s.seenBy(nil)
	single := closure(one.n, one.rules, nil, one.holds)
	for _, l := range s.leaves { // what a LATERAL subquery or a function depends on
		for _, a := range l.lateral {
			connected.join(l.index, s.owner[a])
		}
	}
	s.connectCalls(connected)
	first := -1
	rows := slices.ContainsFunc(s.leaves, func(l *leaf) bool { return !single[l.row] })
	for _, l := range s.leaves {
		if l.call || single[l.row] && (l.rows != nil || !rows) {
			continue // a value of a subquery, or all are one row each
		}
		if first < 0 {
			first = l.index
			continue
		}
		if connected.same(first, l.index) {
			continue
		}
		connected.join(first, l.index)
		left, right := s.leaves[first].label, l.label
		if s.partOf(first) == s.partOf(l.index) && s.partOf(first) >= 0 {
			continue // inside a subquery, which is checked there
		}
		item := s.item(s.leaves[first].side(), l.side(), s.kindBetween(s.leaves[first], l), s.frame.sel.Pos)
		edges := s.prover.edges[pair{s.leaves[first].table, l.table}]
		if i := slices.IndexFunc(edges, func(e *edge) bool { return s.holds(s.leaves[first], l, e) }); i >= 0 { // by the same literals
			e := edges[i]
			e.describe(&item)
			for i := range e.from {
				item.Columns = append(item.Columns, [2]string{e.of.names[e.from[i]], e.to.names[e.other[i]]})
			}
			s.report.Joins = append(s.report.Joins, item)
			continue
		}
		item.Verdict = dates.Contradicted
		if s.leaves[first].side().related() && l.side().related() {
			item.Relationship = proof.NoRelationship
		}
		s.report.Joins = append(s.report.Joins, item)
		at := item.At
		f := proof.Finding{
			Code: proof.Cartesian, Severity: proof.Question, Subject: right, By: []string{left, right}, At: at,
			Message: fmt.Sprintf("no condition connects %s with %s: each row of one is combined with all rows of the other", right, left),
			Fix:     "add the condition that joins them, or leave out the table that is not needed",
		}
		if edge := s.forgotten(l); edge != nil {
			f.Fix = "add the condition " + edge.String()
		}
		if aggregates(s.frame.sel) || s.hasOneSided(l) {
			f.Severity = proof.Error
		}
		s.say(f)
	}
}

// forgotten returns a relationship of the table of a leaf with one before it, or nil.
func (s *scope) forgotten(l *leaf) *edge {
	for _, other := range s.leaves[:l.index] {
		if edges := s.prover.edges[pair{other.table, l.table}]; l.table != nil && len(edges) > 0 && !edges[0].shared {
			return edges[0]
		}
	}
	return nil
}

// hasOneSided reports whether a leaf was joined with an ON that names columns of one table
// only.
func (s *scope) hasOneSided(l *leaf) bool {
	return slices.ContainsFunc(s.conds, func(k cond) bool {
		return k.join >= 0 && s.joins[k.join].mid <= l.index && l.index < k.hi && k.frame == s.frame
	})
}

// partOf returns the number of the subquery of the block's FROM that a leaf was taken out
// of, or -1.
func (s *scope) partOf(leaf int) int {
	for i, p := range s.frame.parts {
		if p.inner != nil && p.inner.has(s.leaves[leaf]) {
			return i
		}
	}
	return -1
}

func (f *frame) has(l *leaf) bool {
	return slices.ContainsFunc(f.parts, func(p part) bool { return p.leaf == l || p.inner != nil && p.inner.has(l) })
}

// connectCalls connects table functions with what they are called for.
func (s *scope) connectCalls(connected *groups) {
	for _, p := range s.frame.parts {
		call, ok := p.rel.(*sqlast.TableFunction)
		if !ok {
			continue
		}
		for _, a := range s.columns(s.frame, call) {
			connected.join(p.leaf.index, s.owner[a])
		}
	}
}

// groups are sets of leaves.
type groups struct{ of []int }

func newGroups(n int) *groups { return &groups{count(n)} }

func (g *groups) join(a, b int) {
	if from, to := g.of[a], g.of[b]; from != to {
		for i := range g.of {
			if g.of[i] == from {
				g.of[i] = to
			}
		}
	}
}

func (g *groups) same(a, b int) bool { return g.of[a] == g.of[b] }
