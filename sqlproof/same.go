package sqlproof

import (
	"slices"

	"github.com/qedkit/qed/internal/ascii"
	"github.com/qedkit/qed/internal/sqlast"
	"github.com/qedkit/qed/secureview"
)

// Same reports whether the column that a statement names at an offset can be any of the
// columns of that name in the tables of the same FROM, given by their aliases: they are whole
// numbers, and conditions make them equal in each row that the statement reads. It reports
// false if that is not certain.
func (p *Prover) Same(s *secureview.Statement, at int, aliases []string) bool {
	var named *sqlast.Column
	var blocks []*sqlast.Select
	sqlast.Walk(s.Query(), func(n sqlast.Node) bool {
		switch n := n.(type) {
		case *sqlast.Column:
			if int(n.Pos) == at {
				named = n
			}
		case *sqlast.Select:
			blocks = append(blocks, n)
		}
		return true
	})
	for _, sel := range blocks {
		if named != nil && sel.From != nil && named.Of != nil && slices.Contains(sqlast.Relations(sel.From), named.Of) {
			return p.newCheck(s).newScope(sel, nil).interchangeable(named, aliases)
		}
	}
	return false
}

// interchangeable reports whether a column is in each row equal to those of its name in other
// tables.
func (s *scope) interchangeable(named *sqlast.Column, aliases []string) bool {
	sel := s.frame.sel
	if !oneGrouping(sel) || s.inOuterJoin(named) {
		return false
	}
	attrs, kinds := s.attrsOf(named.Name, aliases)
	_, own := s.value(s.frame, named)
	if len(attrs) < len(aliases) || !slices.Contains(attrs, own) || len(slices.Compact(kinds)) > 1 || !kinds[0].isWhole() {
		return false
	}
	c := s.seenBy(nil)
	equal := groups[attr]{}
	for i := range s.conds {
		k := &s.conds[i]
		if e, ok := k.expr.(*sqlast.Binary); ok && e.Op == sqlast.Eq && c.hard(k) {
			_, a := s.value(k.frame, e.X)
			_, b := s.value(k.frame, e.Y)
			if a != 0 && b != 0 {
				equal.join(a, b)
			}
		}
	}
	return !slices.ContainsFunc(attrs, func(a attr) bool { return !equal.same(a, attrs[0]) })
}

// inOuterJoin reports whether a column stands in a condition of ON, where there are outer
// joins: which rows that condition sees differs from those that the block reads.
func (s *scope) inOuterJoin(named *sqlast.Column) bool {
	if !slices.ContainsFunc(s.joins, func(j join) bool { return j.kind != sqlast.InnerJoin || j.asOf }) {
		return false
	}
	found := false
	eachOn(s.frame.sel.From, func(e sqlast.Expr) {
		found = found || sqlast.Any(e, func(c *sqlast.Column) bool { return c == named })
	})
	return found
}

// attrsOf returns the columns of a name in tables of the FROM, and their kinds.
func (s *scope) attrsOf(column string, aliases []string) (attrs []attr, kinds []kind) {
	for _, r := range sqlast.Relations(s.frame.sel.From) {
		t, ok := r.(*sqlast.Table)
		if !ok || t.Object == nil || !slices.ContainsFunc(aliases, func(a string) bool { return ascii.EqualFold(a, t.Alias) }) {
			continue
		}
		part := s.find(s.frame, t)
		i := slices.IndexFunc(t.Object.Columns, func(name string) bool { return ascii.EqualFold(name, column) })
		if part == nil || part.leaf == nil || part.leaf.table == nil || i < 0 || part.leaf.columns[i] < 0 {
			continue
		}
		attrs = append(attrs, s.columnOf(part.leaf, i))
		kinds = append(kinds, part.leaf.table.types[part.leaf.columns[i]])
	}
	return attrs, kinds
}
