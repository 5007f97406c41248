package sqlproof

import (
	"slices"
	"strings"

	"github.com/qedkit/qed/internal/lists"
	"github.com/qedkit/qed/internal/sqlast"
)

// said returns the dependencies between the values that a condition compares, in the rows
// that fulfil it.
func (s *scope) said(c *cond) (rules []dependency) {
	for x, y := range equalities(c.expr) {
		for range 2 {
			_, a := s.value(c.frame, x)
			if a == 0 {
				a = s.injected(c.frame, x)
			}
			if a != 0 && s.steady(c.frame, y) && !s.converted(c.frame, x, y) {
				rules = append(rules, dependency{s.columns(c.frame, y), a, c.lo, c.hi})
			}
			x, y = y, x
		}
	}
	if _, a := s.firstRow(c.frame, c.expr); a != 0 {
		rules = append(rules, dependency{nil, a, c.lo, c.hi})
	}
	return rules
}

// converted reports whether x is a text that is compared as another type: '5' and '05' are
// equal to one number, so y does not determine x.
func (s *scope) converted(f *frame, x, y sqlast.Expr) bool {
	other := s.kindOf(f, y)
	return s.kindOf(f, x) == textKind && other != textKind && other != unknownKind
}

// equalities calls yield with the pairs of values that are equal if e is true.
func equalities(e sqlast.Expr) func(yield func(x, y sqlast.Expr) bool) {
	return func(yield func(x, y sqlast.Expr) bool) {
		var x, y []sqlast.Expr
		switch e := e.(type) {
		case *sqlast.Binary:
			if e.Op == sqlast.Eq || e.Op == sqlast.Same {
				x, y = items(e.X), items(e.Y)
			}
		case *sqlast.In:
			if len(e.List) == 1 && !e.Not {
				x, y = items(e.X), items(e.List[0])
			}
		}
		for i := range min(len(x), len(y)) {
			if !yield(x[i], y[i]) {
				return
			}
		}
	}
}

// items returns the values of a row, or e alone.
func items(e sqlast.Expr) []sqlast.Expr {
	if row, ok := e.(*sqlast.Row); ok {
		return row.Items
	}
	return []sqlast.Expr{e}
}

// firstRow returns the leaf, and its column, of which a condition selects the rows that are
// numbered 1.
func (s *scope) firstRow(f *frame, e sqlast.Expr) (*leaf, attr) {
	if x, ok := isFirst(e); ok {
		if l, a := s.value(f, x); a != 0 && l.column(a).numbered {
			return l, a
		}
	}
	return nil, 0
}

// injected returns the column of CAST(column AS TEXT) if different values of it have
// different texts, or 0.
func (s *scope) injected(f *frame, e sqlast.Expr) attr {
	cast, ok := e.(*sqlast.Cast)
	if !ok || cast.Try || !isPlainText(cast.Type) || s.dialect == "postgres" && strings.EqualFold(cast.Type, "char") {
		return 0
	}
	_, a := s.value(f, cast.X)
	if k := s.kindOf(f, cast.X); !k.isWhole() && (k != unknownKind || s.dialect == "mysql") {
		return 0
	}
	return a
}

// steadyCalls are functions whose value depends on their arguments alone, in a statement.
var steadyCalls = map[string]bool{
	"lower": true, "upper": true, "trim": true, "coalesce": true, "ifnull": true, "nullif": true, "abs": true, "round": true,
	"date": true, "datetime": true, "strftime": true, "date_trunc": true, "date_format": true, "year": true, "month": true,
	"extract": true, "substr": true, "substring": true, "concat": true, "now": true, "curdate": true, "current_date": true,
	"date_add": true, "date_sub": true, "to_date": true, "str_to_date": true, "make_date": true, "length": true, "julianday": true,
}

// steady reports whether the value of an expression depends only on the columns that it
// names. With a COLLATE several texts are equal to it. A subquery is steady if it has one value,
// and no LIMIT that chooses any of the rows for those of the scope.
func (s *scope) steady(f *frame, e sqlast.Expr) bool {
	steady := true
	sqlast.Walk(e, func(n sqlast.Node) bool {
		switch n := n.(type) {
		case *sqlast.Call:
			steady = steady && (steadyCalls[n.Name] || n.Over == nil && sqlast.IsAggregate(n))
		case *sqlast.Query:
			steady = steady && (n.Limit == nil || len(n.OrderBy) > 0 || len(s.columns(f, n)) == 0)
		case *sqlast.Exists, *sqlast.Collate, *sqlast.Star, *sqlast.ArrayQuery, *sqlast.Quantified, *sqlast.Param, *sqlast.Lambda:
			steady = false
		case *sqlast.In:
			steady = steady && n.Query == nil
		}
		return steady
	})
	return steady
}

// A view is a scope seen by an aggregate whose value comes from some leaves. Rows in
// which these are missing do not count for it, so an outer join that adds such rows is an
// inner join for it.
type view struct {
	*scope
	of    []int
	attrs int // how many the scope had: with more, the rules are others
	rules []dependency
	free  []span // sides of outer joins whose rows may be missing: constants of theirs hold for them only
}

type span struct{ lo, hi int }

func (r span) has(leaf int) bool { return r.lo <= leaf && leaf < r.hi }

// seenBy returns the view of an aggregate of values of some leaves.
func (s *scope) seenBy(of []int) *view {
	for _, c := range s.views {
		if c.attrs == s.n && slices.Equal(c.of, of) {
			return c
		}
	}
	c := &view{scope: s, of: slices.Clone(of), attrs: s.n}
	s.views = append(s.views, c)
	needed := make([]bool, len(s.leaves)) // the leaves that are there in each row
	for _, l := range of {
		needed[l] = true
	}
	for again := true; again; {
		again = false
		c.free = c.free[:0]
		for _, j := range s.joins {
			left, right := j.mayMiss(needed)
			if left {
				c.free = append(c.free, span{j.lo, j.mid})
			}
			if right {
				c.free = append(c.free, span{j.mid, j.hi})
			}
		}
		for i := range s.conds {
			k := &s.conds[i]
			if !c.hard(k) || k.join < 0 && isNullTest(k.expr) {
				continue
			}
			for _, l := range s.rejected(k) {
				if !needed[l] {
					needed[l], again = true, true
				}
			}
		}
	}
	c.rules = slices.Clip(s.rules)
	c.leafRules()
	c.outerRules()
	return c
}

// mayMiss reports which sides of a join may be missing in a row.
func (j *join) mayMiss(needed []bool) (left, right bool) {
	has := func(lo, hi int) bool { return slices.Contains(needed[lo:hi], true) }
	left = (j.kind == sqlast.RightJoin || j.kind == sqlast.FullJoin) && !has(j.lo, j.mid)
	right = (j.kind == sqlast.LeftJoin || j.kind == sqlast.FullJoin) && !has(j.mid, j.hi)
	return left, right
}

// hard reports whether a condition is true in each row of the scope.
func (c *view) hard(k *cond) bool {
	if k.join >= 0 {
		if j := &c.joins[k.join]; j.kind != sqlast.InnerJoin && c.keeps(j) {
			return false
		}
	}
	return !slices.ContainsFunc(c.free, func(r span) bool { return r.lo <= k.lo && k.hi <= r.hi })
}

// keeps reports whether a join keeps rows without a match.
func (c *view) keeps(j *join) bool {
	return slices.Contains(c.free, span{j.lo, j.mid}) && (j.kind == sqlast.RightJoin || j.kind == sqlast.FullJoin) ||
		slices.Contains(c.free, span{j.mid, j.hi}) && (j.kind == sqlast.LeftJoin || j.kind == sqlast.FullJoin)
}

// holds reports whether a rule holds in each row: constants of a side that may be missing
// do not.
func (c *view) holds(r *dependency) bool {
	return len(r.from) > 0 || !slices.ContainsFunc(c.free, func(side span) bool { return side.lo <= r.lo && r.hi <= side.hi })
}

// leafRules adds the keys of the leaves.
func (c *view) leafRules() {
	for _, l := range c.leaves {
		switch {
		case l.rows != nil:
			c.subqueryRules(l)
		case l.table != nil:
			for _, k := range l.table.keys {
				if from := c.keyOf(l, k); from != nil {
					c.rules = append(c.rules, dependency{from, l.row, l.index, l.index + 1})
				}
			}
		}
	}
}

// keyOf returns the attributes of a key of a table, or nil if a statement that names only
// these columns cannot tell rows apart by it: a column was not mentioned, or may be NULL.
func (c *view) keyOf(l *leaf, k key) (from []attr) {
	for _, column := range k.columns {
		i := slices.Index(l.columns, column)
		if i < 0 || i >= len(l.attrs) || l.attrs[i] == 0 || !l.table.notNull[column] && !c.compared(l, l.attrs[i]) {
			return nil
		}
		from = append(from, l.attrs[i])
	}
	return from
}

// compared reports whether a value is not NULL in the rows where its leaf is not missing,
// because it is compared by =.
func (c *view) compared(l *leaf, a attr) bool {
	for i := range c.conds {
		k := &c.conds[i]
		if b, ok := k.expr.(*sqlast.Binary); ok && b.Op == sqlast.Same || !c.matched(k, l) {
			continue
		}
		for x, y := range equalities(k.expr) {
			_, p := c.value(k.frame, x)
			_, q := c.value(k.frame, y)
			if p == a || q == a {
				return true
			}
		}
	}
	return false
}

// matched reports whether a condition is true in the rows where a leaf is not missing.
func (c *view) matched(k *cond, l *leaf) bool {
	if k.join < 0 {
		return true // the WHERE of the scope, or that of a subquery with the leaf
	}
	j := &c.joins[k.join]
	switch {
	case !c.keeps(j):
		return true
	case j.mid <= l.index && l.index < j.hi:
		return slices.Contains(c.free, span{j.mid, j.hi}) && !slices.Contains(c.free, span{j.lo, j.mid})
	case j.lo <= l.index && l.index < j.mid:
		return slices.Contains(c.free, span{j.lo, j.mid}) && !slices.Contains(c.free, span{j.mid, j.hi})
	}
	return false
}

// subqueryRules adds the keys of a subquery, and how its rows belong to those from which
// its columns come.
func (c *view) subqueryRules(l *leaf) {
	at := func(from []attr, to attr) {
		c.rules = append(c.rules, dependency{from, to, l.index, l.index + 1})
	}
	for _, a := range l.lateral { // its rows are made for each of these values
		at([]attr{l.row}, a)
	}
	for _, k := range l.rows.keys {
		from := slices.Clone(l.lateral)
		for _, i := range k {
			if i >= len(l.attrs) || l.attrs[i] == 0 {
				from = nil
				break
			}
			from = append(from, l.attrs[i])
		}
		if from != nil || len(k) == 0 {
			at(from, l.row)
		}
	}
	for i, o := range l.rows.origins {
		if o.unique {
			at(append([]attr{l.origins[i]}, l.lateral...), l.row)
		}
		if o.whole {
			at([]attr{l.row}, l.origins[i])
		}
	}
}

// outerRules adds what outer joins say: a row on one side determines its match on the other
// if it has one at most.
func (c *view) outerRules() {
	for i := range c.joins {
		j := &c.joins[i]
		if j.asOf {
			c.asOfRules(j)
		}
		if j.kind == sqlast.InnerJoin {
			continue
		}
		var said []dependency
		var named []attr
		for n := range c.conds {
			if c.conds[n].join == i {
				said = append(said, c.said(&c.conds[n])...)
				named = append(named, c.columns(c.conds[n].frame, c.conds[n].expr)...)
			}
		}
		left, right := slices.Contains(c.free, span{j.lo, j.mid}), slices.Contains(c.free, span{j.mid, j.hi})
		switch {
		case !left && !right:
			c.rules = append(c.rules, said...)
		case right && !left:
			c.match(said, named, span{j.lo, j.mid}, span{j.mid, j.hi})
		case left && !right:
			c.match(said, named, span{j.mid, j.hi}, span{j.lo, j.mid})
		}
	}
	c.antiRules()
}

// match adds the rules of an outer join that keeps the rows of one side.
func (c *view) match(said []dependency, named []attr, kept, other span) {
	start := lists.Filter(named, func(a attr) bool { return kept.has(c.owner[a]) })
	rules := slices.Concat(c.rules, said)
	known := closure(c.n, rules, start, func(r *dependency) bool {
		inside := other.lo <= r.lo && r.hi <= other.hi
		if inside && len(r.from) == 0 { // a constant of the other side, unless it may be missing there
			return !slices.ContainsFunc(c.free, func(f span) bool {
				return f != other && f.lo <= r.lo && r.hi <= f.hi && other.lo <= f.lo && f.hi <= other.hi
			})
		}
		return inside || slices.ContainsFunc(said, func(d dependency) bool { return d.to == r.to && slices.Equal(d.from, r.from) })
	})
	for _, l := range c.leaves[other.lo:other.hi] {
		if known[l.row] {
			c.rules = append(c.rules, dependency{start, l.row, kept.lo, other.hi})
		}
	}
}

// asOfRules adds that a row has one nearest row at most.
func (c *view) asOfRules(j *join) {
	rows := rowAttrs(c.leaves[j.lo:j.mid])
	for _, l := range c.leaves[j.mid:j.hi] {
		c.rules = append(c.rules, dependency{rows, l.row, j.lo, j.hi})
	}
}

// antiRules adds that the side of an outer join is missing in every row, where a WHERE
// tests a column of it for NULL that is NULL only then.
func (c *view) antiRules() {
	for i := range c.conds {
		k := &c.conds[i]
		is, ok := k.expr.(*sqlast.Is)
		if !ok || !isNullTest(is) || k.join >= 0 {
			continue
		}
		l, a := c.value(k.frame, is.X)
		if a == 0 {
			continue
		}
		if t, n := columnOf(l, a); !(l.table != nil && t != nil && t.notNull[n] || c.compared(l, a)) {
			continue
		}
		side := span{0, len(c.leaves) + 1} // the innermost: a larger one may be there without it
		for _, free := range c.free {
			if free.has(l.index) && free.hi-free.lo < side.hi-side.lo {
				side = free
			}
		}
		if side.hi > len(c.leaves) {
			continue // it is never missing
		}
		for _, missing := range c.leaves[side.lo:side.hi] {
			c.rules = append(c.rules, dependency{nil, missing.row, 0, len(c.leaves)})
		}
	}
}

func isNullTest(e sqlast.Expr) bool {
	is, ok := e.(*sqlast.Is)
	return ok && is.Test == sqlast.IsNull && !is.Not
}

// rejected returns the leaves that are not missing in a row for which a condition is true.
func (s *scope) rejected(k *cond) []int {
	if k.rejects == nil {
		k.rejects = make([]int, 0, 2)
		for _, e := range strict(k.expr) {
			if l, _ := s.value(k.frame, e); l != nil && l.index >= k.lo && l.index < k.hi {
				k.rejects = append(k.rejects, l.index)
			}
		}
	}
	return k.rejects
}

// strict returns columns without which a condition is not true: if one is NULL, so is the
// condition.
func strict(e sqlast.Expr) []sqlast.Expr {
	switch e := e.(type) {
	case *sqlast.Column:
		return []sqlast.Expr{e}
	case *sqlast.Binary:
		switch {
		case e.Op == sqlast.Same || e.Op == sqlast.NotSame || e.Op == sqlast.Or || e.Op == sqlast.Xor:
			return nil
		case e.Op == sqlast.And || e.Op <= sqlast.Mod:
			return append(strict(e.X), strict(e.Y)...)
		}
	case *sqlast.Unary:
		if b, ok := e.X.(*sqlast.Binary); e.Op != sqlast.Not || ok && b.Op != sqlast.And {
			return strict(e.X)
		}
	case *sqlast.Is:
		if e.Not && e.Test == sqlast.IsNull || !e.Not && e.Test == sqlast.IsTrue {
			return strict(e.X)
		}
	case *sqlast.Between:
		if e.Not {
			return strict(e.X)
		}
		return append(strict(e.X), append(strict(e.Low), strict(e.High)...)...)
	case *sqlast.In:
		if !e.Not || e.Query == nil {
			return strict(e.X)
		}
	case *sqlast.Like:
		return append(strict(e.X), strict(e.Pattern)...)
	case *sqlast.Cast:
		return strict(e.X)
	case *sqlast.Collate:
		return strict(e.X)
	case *sqlast.Call:
		switch e.Name {
		case "lower", "upper", "date", "abs", "round", "length", "year", "month", "strftime", "trim":
			for _, arg := range e.Args {
				if found := strict(arg); len(found) > 0 {
					return found
				}
			}
		}
	}
	return nil
}

// missing returns the leaves whose rows are not determined by start.
func (c *view) missing(start []attr) []*leaf {
	known := closure(c.n, c.rules, start, c.holds)
	return lists.Filter(c.leaves, func(l *leaf) bool { return !known[l.row] })
}
