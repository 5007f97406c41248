package sqlproof

import (
	"fmt"
	"slices"

	"github.com/qedkit/qed/dates"
	"github.com/qedkit/qed/internal/sqlast"
	"github.com/qedkit/qed/sqlproof/proof"
)

// products adds an item for each relation that nothing connects with those before it.
func (s *scope) products(connected groups[int]) {
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
		if l.call || single[l.row] && (l.rows != nil || !rows || !s.refersTo(l)) {
			continue // a value of a subquery or of a table of settings, or all are one row each
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
		if aggregates(s.frame.sel) || slices.ContainsFunc(s.conds, func(k cond) bool { // an ON without another table
			return k.join >= 0 && s.joins[k.join].mid <= l.index && l.index < k.hi && k.frame == s.frame
		}) {
			f.Severity = proof.Error
		}
		s.say(f)
	}
}

// refersTo reports whether the table of a leaf has a relationship with that of another one.
func (s *scope) refersTo(l *leaf) bool {
	return l.table == nil || slices.ContainsFunc(s.leaves, func(other *leaf) bool {
		return other != l && other.table != nil && len(s.prover.edges[pair{other.table, l.table}]) > 0
	})
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
func (s *scope) connectCalls(connected groups[int]) {
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

// groups are sets of what is connected.
type groups[T comparable] map[T]T

func (g groups[T]) find(x T) T {
	for next, ok := g[x]; ok; next, ok = g[x] {
		x = next
	}
	return x
}

func (g groups[T]) join(a, b T) {
	if a, b = g.find(a), g.find(b); a != b {
		g[a] = b
	}
}

func (g groups[T]) same(a, b T) bool { return g.find(a) == g.find(b) }
