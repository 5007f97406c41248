package sqlproof

import (
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/qedkit/qed/dates"
	"github.com/qedkit/qed/internal/sqlast"
	"github.com/qedkit/qed/sqlproof/proof"
)

// A compared is a pair of relations of which a condition compares columns.
type compared struct {
	left, right side
	columns     [][2]int // of the tables of both sides; empty: computed values
	names       [][2]string
	at          sqlast.Pos
}

// A side is a relation of a join, with the table that its columns come from.
type side struct {
	label string
	table *table
	leaf  *leaf
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
		for x, y := range equalities(k.expr) {
			pairs = s.compare(pairs, k.frame, x, k.frame, y)
		}
		sqlast.Walk(k.expr, func(n sqlast.Node) bool {
			if in, ok := n.(*sqlast.In); ok && in.Query != nil {
				pairs = s.compareIn(pairs, k.frame, in)
			}
			_, query := n.(*sqlast.Query)
			return !query
		})
	}
	for _, p := range pairs {
		s.checkPair(p)
	}
	s.computed(pairs)
	s.products(connected)
}

// computed adds an item for each pair of relations that is connected only by a condition
// about computed values, or by another comparison than equality.
func (s *scope) computed(pairs []*compared) {
	type two struct{ a, b *leaf }
	seen := map[two]bool{}
	for _, p := range pairs {
		seen[two{p.left.leaf, p.right.leaf}], seen[two{p.right.leaf, p.left.leaf}] = true, true
	}
	for i := range s.conds {
		k := &s.conds[i]
		if k.frame != s.frame {
			continue
		}
		for e := range atoms(k.expr) {
			of := s.leavesOf(s.columns(k.frame, e))
			for j := 1; j < len(of); j++ {
				p := two{s.leaves[of[0]], s.leaves[of[j]]}
				if !seen[p] {
					s.report.Joins = append(s.report.Joins, proof.Join{Left: p.a.label, Right: p.b.label, Verdict: dates.NotChecked, At: int(e.At())})
				}
				seen[p], seen[two{p.b, p.a}] = true, true
			}
		}
	}
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

// compare adds a pair of columns that are compared.
func (s *scope) compare(pairs []*compared, f *frame, x sqlast.Expr, g *frame, y sqlast.Expr) []*compared {
	if f.scope == s && f != s.frame && g != s.frame {
		return pairs // a condition inside a subquery, which is checked there
	}
	left, a, nameA := origin1(f, x)
	right, b, nameB := origin1(g, y)
	if left.leaf == nil || right.leaf == nil || left.leaf == right.leaf {
		return pairs
	}
	at := x.At()
	p := &compared{left: left, right: right, at: at}
	for _, other := range pairs {
		switch {
		case other.left.leaf == left.leaf && other.right.leaf == right.leaf:
			p = other
		case other.left.leaf == right.leaf && other.right.leaf == left.leaf:
			p, a, b, nameA, nameB = other, b, a, nameB, nameA
		}
	}
	p.names = append(p.names, [2]string{nameA, nameB})
	if p.left.table != nil && p.right.table != nil && a >= 0 && b >= 0 {
		p.columns = append(p.columns, [2]int{a, b})
	}
	if !slices.Contains(pairs, p) {
		pairs = append(pairs, p)
	}
	return pairs
}

// origin1 returns the relation that a column is of, in the scope of a frame or in an
// enclosing one, and the number of the column in its table.
func origin1(f *frame, e sqlast.Expr) (side, int, string) {
	for ; f != nil; f = f.scope.frame.outer {
		if l, a := f.scope.value(f, e); a != 0 {
			out := side{label: l.label, leaf: l}
			t, column := columnOf(l, a)
			if t == nil {
				column = -1
			}
			out.table = t
			name := ""
			if c, ok := e.(*sqlast.Column); ok {
				name = c.Name
			}
			return out, column, name
		}
	}
	return side{}, -1, ""
}

// compareIn adds the pairs of x IN (SELECT y ..).
func (s *scope) compareIn(pairs []*compared, f *frame, in *sqlast.In) []*compared {
	sel, ok := in.Query.Body.(*sqlast.Select)
	if !ok || sel.From == nil {
		return pairs
	}
	inner := s.newScope(sel, f)
	x := items(in.X)
	for i := range min(len(x), len(sel.Items)) {
		pairs = s.compare(pairs, f, x[i], inner.frame, sel.Items[i].Expr)
	}
	return pairs
}

// checkPair adds the item of a pair of relations.
func (s *scope) checkPair(p *compared) {
	item := proof.Join{Left: p.left.label, Right: p.right.label, Columns: p.names, Verdict: dates.NotChecked, At: int(p.at)}
	defer func() { s.report.Joins = append(s.report.Joins, item) }()
	if len(p.columns) == 0 {
		return
	}
	if p.left.table == p.right.table && allSame(p.columns) {
		item.Verdict, item.RestsOn = dates.Proved, "the same column of the same table"
		return
	}
	edges := s.prover.edges[pair{p.left.table, p.right.table}]
	var partial *edge
	for _, e := range edges {
		switch n := s.covers(p, e); {
		case n == len(e.from):
			item.Verdict, item.RestsOn = dates.Proved, e.basis
			return
		case n > 0 && partial == nil:
			partial = e
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
	if third, ok := p.siblings(); ok {
		item.Verdict, item.RestsOn = dates.Proved, "both refer to "+third
		return
	}
	s.unknownJoin(&item, p, edges)
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
	var c *view
	for i := range e.from {
		want := [2]int{e.from[i], e.other[i]}
		if slices.Contains(p.columns, want) {
			n++
			continue
		}
		if len(e.from) == 1 || !s.has(p.left.leaf) || !s.has(p.right.leaf) {
			continue
		}
		if c == nil {
			c = s.seenBy([]int{})
		}
		if a, b := attrOf(p.left.leaf, want[0]), attrOf(p.right.leaf, want[1]); a != 0 && b != 0 &&
			closure(c.n, c.rules, []attr{a}, c.holds)[b] && closure(c.n, c.rules, []attr{b}, c.holds)[a] {
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
// of one of them.
func (p *compared) siblings() (third string, ok bool) {
	for _, c := range p.columns {
		found := false
		for _, e := range p.left.table.refers {
			for _, f := range p.right.table.refers {
				if len(e.from) == 1 && len(f.from) == 1 && e.from[0] == c[0] && f.from[0] == c[1] && e.to == f.to && e.other[0] == f.other[0] {
					found, third = true, e.to.name
				}
			}
		}
		if !found {
			return "", false
		}
	}
	return third, true
}

// unknownJoin says that a join compares columns of no relationship, if the schema says which
// columns belong together instead.
func (s *scope) unknownJoin(item *proof.Join, p *compared, edges []*edge) {
	f := proof.Finding{Code: proof.JoinUnknown, Subject: joinText(item), By: []string{item.Left, item.Right}, At: item.At}
	f.Message = joinText(item) + " compares columns of no known relationship"
	var near []string
	for _, e := range edges {
		near = append(near, e.String())
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
		at := s.frame.sel.Pos
		s.report.Joins = append(s.report.Joins, proof.Join{Left: left, Right: right, Verdict: dates.Contradicted, At: int(at)})
		f := proof.Finding{
			Code: proof.Cartesian, Severity: proof.Question, Subject: right, By: []string{left, right}, At: int(at),
			Message: fmt.Sprintf("no condition connects %s with %s: each row of one is combined with all rows of the other", right, left),
			Fix:     "add the condition that joins them, or leave out the table that is not needed",
		}
		if edge := s.forgotten(l); edge != nil {
			f.Fix = "add the condition " + edge.String()
		}
		if aggregates(s.frame.sel) || s.onOneSide(l) {
			f.Severity = proof.Error
		}
		s.say(f)
	}
}

// forgotten returns a relationship of the table of a leaf with one before it, or nil.
func (s *scope) forgotten(l *leaf) *edge {
	for _, other := range s.leaves[:l.index] {
		if edges := s.prover.edges[pair{other.table, l.table}]; l.table != nil && len(edges) > 0 {
			return edges[0]
		}
	}
	return nil
}

// onOneSide reports whether a leaf was joined with an ON that names columns of one table
// only.
func (s *scope) onOneSide(l *leaf) bool {
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
