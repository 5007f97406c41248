package sqlproof

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/qedkit/qed/internal/lists"
	"github.com/qedkit/qed/internal/sqlast"
)

// judged is what was found out about the rows of a term.
type judged struct {
	of      []string
	by      []string
	leaves  []*leaf // that repeat them
	lookup  bool    // the first table of the FROM determines all: the value is looked up for each of its rows
	chasm   bool    // several independent joins
	known   bool    // the keys of the tables that repeat are known
	chosen  bool    // conditions that are no equalities may choose one of the rows
	joined  bool    // by columns of relationships, keys or nothing at all, not by others
	inside  bool    // a subquery repeated them
	merged  bool    // a subquery took different rows together
	again   bool    // the rows may be there several times
	totals  bool    // there are rows with totals of others
	window  bool    // only values of window functions are repeated
	united  kept    // if it was a UNION
	paired  bool    // the value is one of pairs of rows, see view.paired
	restsOn string
}

// judge finds out what repeats the rows of a term within a group.
func (g *grouping) judge(t term, group []attr) judged {
	key := fmt.Sprint(t, group)
	if _, ok := g.judged[key]; !ok {
		g.judged[key] = g.judgeNew(t, group)
	}
	return g.judged[key]
}

func (g *grouping) judgeNew(t term, group []attr) judged {
	c := g.seenBy(g.leavesOf(t))
	j := judged{known: true, joined: true}
	j.of = lists.Add(nil, lists.Map(g.leavesOf(t), func(l int) string { return g.leaves[l].label })...)
	start := lists.Add(t, group...)
	for _, row := range t {
		if l := g.leaves[g.owner[row]]; row != l.row {
			o := l.rows.origins[slices.Index(l.origins, row)]
			others := slices.DeleteFunc(slices.Clone(start), func(a attr) bool { return a == row })
			if !o.unique && slices.Contains(c.missing(others), l) {
				j.window = o.window && (j.window || !j.inside)
				j.inside, j.chosen = true, j.chosen || o.totals && c.filters(c, l) || slices.ContainsFunc(c.conds, func(k cond) bool {
					first, _ := c.firstRow(k.frame, k.expr) // as people drop rows that are there twice
					return first == l
				})
				j.totals = j.totals || o.totals
				j.by = lists.Add(j.by, o.by...)
				if len(o.by) == 0 {
					j.by = lists.Add(j.by, l.label)
				}
			}
			if o.unique && !o.whole {
				j.merged, j.united = true, o.united
			}
			j.again = j.again || o.again && !slices.ContainsFunc(group, func(a attr) bool { return l.column(a).apart })
		}
	}
	if j.inside {
		return j
	}
	j.leaves = c.repeating(start, t)
	if len(j.leaves) == 0 {
		if c.paired(t, group) {
			j.of, j.by, j.paired, j.merged = j.of[:1], j.of[1:], true, false
			return j
		}
		j.restsOn = c.keysUsed()
		if j.merged {
			j.by = j.of
		}
		return j
	}
	j.by = names(j.leaves)
	for _, l := range j.leaves {
		j.known = j.known && c.knowsKeys(l) && !c.byValueOfKey(l)
		j.joined = j.joined && c.joinedByKeys(l, start)
		j.chosen = j.chosen || c.byValidity(l) || c.amongOthers(l)
		start = append(slices.Clip(start), l.row)
	}
	for _, l := range c.leavesOf(t) { // a LATERAL subquery may have each row for one row of the others
		j.chosen = j.chosen || len(c.leaves[l].lateral) > 0
	}
	base := !slices.ContainsFunc(c.leavesOf(t), func(l int) bool { return c.leaves[l].rows != nil })
	j.lookup = base && len(g.leaves) > 0 && len(c.missing(append([]attr{g.leaves[0].row}, group...))) == 0
	of := g.leavesOf(t)
	unkeyed := slices.ContainsFunc(of, func(l int) bool { return !c.knowsKeys(g.leaves[l]) })
	of = append(of, lists.Map(j.leaves, func(l *leaf) int { return l.index })...)
	j.chasm = !j.lookup && !unkeyed && g.seenBy(of).independent(t, j.leaves)
	return j
}

// paired reports whether a value is made of rows of which none determines the others, such as
// an order's total times each rate of its currency. Then it belongs to none of them.
func (c *view) paired(t term, group []attr) bool {
	return len(t) > 1 && !slices.ContainsFunc(t, func(row attr) bool {
		missing := c.missing(lists.Add(term{row}, group...))
		return !slices.ContainsFunc(t, func(a attr) bool { return slices.Contains(missing, c.leaves[c.owner[a]]) })
	})
}

// repeating returns the leaves whose joins repeat the rows of start, in the order in which
// they are reached from the rows of t.
func (c *view) repeating(start []attr, t term) []*leaf {
	var out []*leaf
	start = slices.Clone(start)
	for missing := c.missing(start); len(missing) > 0; missing = c.missing(start) {
		next := c.nearest(start, missing)
		out = append(out, next)
		start = append(start, next.row)
	}
	return out
}

// nearest returns one of the missing leaves that a condition connects with a known one.
func (c *view) nearest(start []attr, missing []*leaf) *leaf {
	known := closure(c.n, c.rules, start, c.holds)
	for i := range c.conds {
		k := &c.conds[i]
		of := c.leavesOf(c.columns(k.frame, k.expr))
		if !slices.ContainsFunc(of, func(l int) bool {
			return known[c.leaves[l].row] || slices.ContainsFunc(start, func(a attr) bool { return c.owner[a] == l })
		}) {
			continue
		}
		for _, l := range missing {
			if slices.Contains(of, l.index) {
				return l
			}
		}
	}
	return missing[0]
}

// rowAttrs returns the rows of leaves.
func rowAttrs(leaves []*leaf) []attr { return lists.Map(leaves, func(l *leaf) attr { return l.row }) }

func names(leaves []*leaf) []string {
	return lists.Add(nil, lists.Map(leaves, func(l *leaf) string { return l.label })...)
}

// knowsKeys reports whether the schema shows which rows of a leaf are unique. It does if the
// leaf has a key, or is joined by a foreign key of its own and so is the many side. An account
// that reads a view sees no keys of the table behind it.
func (c *view) knowsKeys(l *leaf) bool {
	switch {
	case l.rows != nil:
		return !l.rows.unknown
	case l.call: // it may return a value once
		return !slices.ContainsFunc(l.attrs, func(a attr) bool { return a != 0 && c.compared(l, a) })
	case l.table == nil:
		return false
	}
	known := len(l.table.keys) > 0
	for _, e := range l.table.refers {
		switch {
		case !c.compares(l, e.from):
		case e.back && !l.table.isKey(e.from):
			return false // what others refer to is unique, although no key of the schema says so
		case !e.back:
			known = true
		}
	}
	return known
}

// byValueOfKey reports whether a condition compares a value that is computed from the key of a
// leaf, as in 'user:' || u.id = e.ref or p.id = (SELECT min(q.id) FROM q WHERE q.of = o.id), so
// that each key may have another one. LOWER, UPPER and collations lose some.
func (c *view) byValueOfKey(l *leaf) bool {
	of := func(k *cond, e sqlast.Expr) bool {
		_, column := c.value(k.frame, e)
		loses := sqlast.HasCall(e, func(call *sqlast.Call) bool { return call.Name == "lower" || call.Name == "upper" }) ||
			sqlast.Any(e, func(*sqlast.Collate) bool { return true })
		return column == 0 && !loses && slices.ContainsFunc(c.columns(k.frame, e), func(a attr) bool {
			t, n := columnOf(l, a)
			return c.owner[a] == l.index && t == l.table && t != nil && t.isKey([]int{n})
		})
	}
	return slices.ContainsFunc(c.conds, func(k cond) bool {
		for x, y := range equalities(k.expr) {
			if of(&k, x) || of(&k, y) {
				return true
			}
		}
		return false
	})
}

// compares reports whether conditions compare columns of a leaf with those of others.
func (c *view) compares(l *leaf, columns []int) bool {
	return !slices.ContainsFunc(columns, func(column int) bool {
		a := attrOf(l, column)
		return a == 0 || !slices.ContainsFunc(c.conds, func(k cond) bool {
			for x, y := range equalities(k.expr) {
				_, p := c.value(k.frame, x)
				_, q := c.value(k.frame, y)
				if p == a && q != 0 || q == a && p != 0 {
					return true
				}
			}
			return false
		})
	})
}

// joinedByKeys reports whether the columns that connect a leaf with others are part of a key
// or a relationship of its table, or no columns are compared. Nothing says whether other
// columns repeat. What is looked up by the leaf, and was not known before, repeats nothing.
func (c *view) joinedByKeys(l *leaf, known []attr) bool {
	if l.table == nil {
		return true
	}
	before, after := c.missing(known), c.missing(append(slices.Clip(known), l.row))
	for i := range c.conds {
		k := &c.conds[i]
		for x, y := range equalities(k.expr) {
			for range 2 {
				of, a := c.value(k.frame, x)
				other, _ := c.value(k.frame, y)
				if of == l && len(c.columns(k.frame, y)) > 0 && (!slices.Contains(before, other) || slices.Contains(after, other)) {
					if _, column := columnOf(l, a); !l.table.mentions(column) {
						return false
					}
				}
				x, y = y, x
			}
		}
	}
	return true
}

// mentions reports whether a column is part of a key or a relationship.
func (t *table) mentions(column int) bool {
	return t.inKey(column) || slices.ContainsFunc(t.refers, func(e *edge) bool { return slices.Contains(e.from, column) })
}

// byValidity reports whether a leaf is joined by a value of another one between two of its
// columns, as with periods of validity, or by a mark of the row that is valid. Periods may never
// overlap; no key says so.
func (c *view) byValidity(l *leaf) bool {
	only := func(k *cond, e sqlast.Expr) bool {
		of := c.leavesOf(c.columns(k.frame, e))
		return len(of) == 1 && of[0] == l.index
	}
	below, above, marked := false, false, false
	for i := range c.conds {
		k := &c.conds[i]
		if b, ok := k.expr.(*sqlast.Binary); only(k, k.expr) && (!ok || b.Op == sqlast.Eq) {
			c.eachColumn(k.frame, k.expr, func(_ *frame, n *sqlast.Column) { marked = marked || marks.MatchString(n.Name) })
		}
		for e := range atoms(k.expr) {
			switch e := e.(type) {
			case *sqlast.Between:
				marked = marked || !e.Not && only(k, e.Low) && only(k, e.High) && !only(k, e.X)
			case *sqlast.Binary:
				x, y := only(k, e.X), only(k, e.Y)
				switch e.Op {
				case sqlast.Lt, sqlast.Le:
					below, above = below || y && !x, above || x && !y
				case sqlast.Gt, sqlast.Ge:
					below, above = below || x && !y, above || y && !x
				}
			}
		}
	}
	return below && above || marked
}

// marks are the names of columns that mark one of several rows, such as is_current, or have
// the end of its validity, such as valid_to.
var marks = regexp.MustCompile(`(?i)(^|_)(current|latest|default|primary|end|ended|until|expires|expired|to)(_|$)`)

// amongOthers reports whether a condition compares a leaf with other rows of its table, as
// people choose the last one: NOT EXISTS a later one, no later one in an outer join, or IN the
// greatest of each group. It may leave one row.
func (c *view) amongOthers(l *leaf) bool {
	return l.table != nil && slices.ContainsFunc(c.conds, func(k cond) bool {
		if is, ok := k.expr.(*sqlast.Is); ok {
			of, _ := c.value(k.frame, is.X)
			return isNullTest(is) && k.join < 0 && of != nil && of != l && of.table == l.table
		}
		in, ok := k.expr.(*sqlast.In)
		if !ok || in.Not || in.Query == nil || !slices.Contains(c.leavesOf(c.columns(k.frame, k.expr)), l.index) {
			not, ok := k.expr.(*sqlast.Unary)
			return ok && not.Op == sqlast.Not && slices.Contains(c.leavesOf(c.columns(k.frame, k.expr)), l.index) && c.reads(not, l)
		}
		return picks(in.Query) && c.reads(in.Query, l)
	})
}

// picks reports whether a query selects some of its rows by comparing them with each other.
func picks(q *sqlast.Query) bool {
	return sqlast.Any(q, func(q *sqlast.Query) bool { return q.Limit != nil }) ||
		sqlast.Any(q, func(c *sqlast.Call) bool { return c.Over != nil || sqlast.IsAggregate(c) })
}

// reads reports whether a subquery of a node reads the table of a leaf.
func (c *view) reads(n sqlast.Node, l *leaf) bool {
	return sqlast.Any(n, func(t *sqlast.Table) bool { return t.Object == l.object })
}

// independent reports whether several leaves repeat the rows of a term, or one repeats rows
// next to others that the same rows repeat: none of them belongs to the other.
func (c *view) independent(t term, leaves []*leaf) bool {
	if len(leaves) > 1 {
		for _, l := range leaves {
			for _, other := range leaves {
				if l != other && !slices.Contains(c.missing([]attr{l.row}), other) {
					return false
				}
			}
		}
		return true
	}
	missing := c.missing([]attr{leaves[0].row})
	return slices.ContainsFunc(missing, func(l *leaf) bool {
		return slices.ContainsFunc(t, func(a attr) bool { return c.owner[a] == l.index })
	})
}

// keysUsed says on what the keys of the tables rest.
func (c *view) keysUsed() string {
	if len(c.leaves) < 2 {
		return ""
	}
	var out []string
	for _, l := range c.leaves {
		if l.table == nil {
			continue
		}
		for _, k := range l.table.keys {
			if c.keyOf(l, k) != nil {
				out = lists.Add(out, k.basis+" of "+l.table.name)
				break
			}
		}
	}
	return strings.Join(out, ", ")
}

// countsRows returns the table of which a count of values of some rows counts rows. more
// means that it counts others as well, which an outer join kept without a row of the table.
func (g *grouping) countsRows(terms []term, group []attr) (table string, more bool) {
	var of []int
	for _, t := range terms {
		of = append(of, g.leavesOf(t)...)
	}
	seen := g.seenBy(of)
	for _, l := range g.leaves {
		start := append([]attr{l.row}, group...)
		missing := slices.ContainsFunc(seen.free, func(side span) bool { return side.has(l.index) })
		switch {
		case !missing && len(seen.missing(start)) == 0:
			return l.label, false
		case missing && table == "" && len(g.seenBy(append(of, l.index)).missing(start)) == 0:
			table, more = l.label, true
		}
	}
	return table, more
}
