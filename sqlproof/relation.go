package sqlproof

import (
	"fmt"
	"slices"
	"strings"

	"github.com/qedkit/qed/dates"
	"github.com/qedkit/qed/internal/lists"
	"github.com/qedkit/qed/sqlproof/proof"
)

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
		severity := proof.Error
		if c := s.seenBy(nil); s.has(p.left.leaf) && s.has(p.right.leaf) && !(slices.Contains(c.missing([]attr{p.left.leaf.row}), p.right.leaf) &&
			slices.Contains(c.missing([]attr{p.right.leaf.row}), p.left.leaf)) {
			severity = proof.Question // other conditions choose one row
		}
		s.say(proof.Finding{
			Code: proof.JoinPartial, Severity: severity, Subject: joinText(&item), By: []string{item.Left, item.Right}, At: item.At,
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
			others = lists.Add(others, e.called())
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
	for i := range p.columns {
		tries = append(tries, p.columns[i:i+1])
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
				if n := slices.Index(e.from, column); n >= 0 && (!e.back || e.to.isKey(e.other)) {
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
					out = lists.Add(out, e.String())
				}
			}
		}
	}
	return out
}

func (t *table) isKey(columns []int) bool {
	return slices.ContainsFunc(t.keys, func(k key) bool { return equalSets(k.columns, columns) })
}

func (t *table) inKey(column int) bool {
	return slices.ContainsFunc(t.keys, func(k key) bool { return slices.Contains(k.columns, column) })
}

// String returns an edge as a condition.
func (e *edge) String() string {
	var all []string
	for i := range e.from {
		all = append(all, fmt.Sprintf("%s.%s = %s.%s", e.of.name, e.of.names[e.from[i]], e.to.name, e.to.names[e.other[i]]))
	}
	return strings.Join(all, " AND ")
}
