package sqlproof

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/qedkit/qed/internal/lists"
	"github.com/qedkit/qed/internal/sqlast"
	"github.com/qedkit/qed/sqlproof/proof"
)

// blockRows returns the rows of a SELECT, the query of which has an order.
func (c *check) blockRows(sel *sqlast.Select, order []sqlast.Order, outer *frame) *rows {
	s := c.newScope(sel, outer)
	s.mention(sel, nil)
	b := &block{view: s.seenBy(nil), sel: sel}
	b.grouped = len(sel.GroupBy) > 0 || aggregates(sel)
	b.together = b.grouped || sel.Distinct || sel.DistinctOn != nil
	b.group = b.terms()
	b.chosen = sel.DistinctOn != nil && len(order) > len(sel.DistinctOn) || c.dialect == "sqlite" && b.grouped && extremes(sel, order) == 1
	r := &rows{columns: make([]column, len(sel.Items)), told: b.told()}
	for i, it := range sel.Items {
		r.columns[i] = b.column(r, it.Expr)
	}
	r.unknown = s.unknown()
	r.keys = b.keys(r)
	for i, it := range sel.Items { // DISTINCT may take equal values of groups together
		if col := &r.columns[i]; b.grouped && sel.Distinct && len(r.keys) == 1 && col.origin < 0 && sqlast.HasAggregate(it.Expr) {
			col.origin = r.add(origin{unique: true})
		}
	}
	return r
}

// unknown reports whether nothing is known about the rows of a block: about those of a leaf,
// or because a function of the SELECT list returns several rows for each.
func (s *scope) unknown() bool {
	sel := s.frame.sel
	return slices.ContainsFunc(s.leaves, func(l *leaf) bool { return l.rows != nil && l.rows.unknown }) ||
		slices.ContainsFunc(sel.Items, func(it sqlast.Item) bool { return sqlast.ReturnsRows(it.Expr) }) ||
		slices.ContainsFunc(slices.Concat(sel.GroupBy, sel.DistinctOn), sqlast.ReturnsRows)
}

// repeats reports whether a function of ORDER BY returns several rows for each that is ordered.
func repeats(order []sqlast.Order) bool {
	return slices.ContainsFunc(order, func(o sqlast.Order) bool { return sqlast.ReturnsRows(o.Expr) })
}

// A block is a SELECT whose rows are described.
type block struct {
	*view
	sel      *sqlast.Select
	by       []sqlast.Expr // the terms by which rows are taken together
	grouped  bool
	chosen   bool   // a value that the group does not determine comes from one row that is chosen
	together bool   // several joined rows may become one
	group    []attr // the values that a row of the result has one of
	wide     []attr // these, and the values from which others of them are computed
	exact    bool   // group has all of the values that tell rows of the result apart
	fixed    bool   // wide determines them
}

// terms returns the columns by which rows are taken together.
func (b *block) terms() (group []attr) {
	var terms []sqlast.Expr
	switch {
	case b.sel.DistinctOn != nil:
		terms = b.sel.DistinctOn
	case b.grouped:
		terms = b.sel.GroupBy
	case b.sel.Distinct:
		terms = lists.Map(b.sel.Items, func(it sqlast.Item) sqlast.Expr { return it.Expr })
	}
	b.exact = oneGrouping(b.sel)
	b.fixed = b.exact
	for _, e := range terms {
		e := b.term(b.sel, e)
		b.by = append(b.by, e)
		if _, a := b.value(b.frame, e); a != 0 {
			group = append(group, a)
			continue
		}
		columns, ok := b.partition(e)
		if !ok {
			columns = b.columns(b.frame, e)
			b.fixed = b.fixed && b.steady(b.frame, e)
		}
		b.wide = append(b.wide, columns...)
		b.exact = b.exact && b.fixed && len(columns) == 0
	}
	b.wide = append(b.wide, group...)
	return group
}

// oneGrouping reports whether each row of a block is one group of all terms.
func oneGrouping(sel *sqlast.Select) bool { return !sel.Rollup && sel.Groupings <= 1 }

// partition returns the values that a value is computed for by a window function: those of its
// PARTITION BY, if it is one for all rows of each.
func (b *block) partition(e sqlast.Expr) (of []attr, ok bool) {
	call, ok := e.(*sqlast.Call)
	if !ok || call.Over == nil {
		return nil, false
	}
	w, plain := window(b.sel, call.Over), *call
	plain.Over = nil
	of = b.valuesOf(w.PartitionBy)
	whole := len(w.OrderBy) == 0
	if f := w.Frame; f != nil {
		whole = f.Start.Kind == sqlast.UnboundedPreceding && f.End.Kind == sqlast.UnboundedFollowing && f.Exclude == sqlast.ExcludeNoOthers
	}
	first := call.Name == "first_value"
	return of, !slices.Contains(of, 0) &&
		(whole && (first || call.Name == "last_value" || call.Name == "nth_value" || sqlast.IsAggregate(&plain)) || first && w.Frame == nil && !call.IgnoreNulls)
}

// term returns what a term of GROUP BY or ORDER BY means: the item that it names or numbers.
func (c *check) term(sel *sqlast.Select, e sqlast.Expr) sqlast.Expr {
	switch e := e.(type) {
	case *sqlast.Number:
		if n, err := strconv.Atoi(e.Text); err == nil && n >= 1 && n <= len(sel.Items) {
			return sel.Items[n-1].Expr
		}
	case *sqlast.Column:
		if e.Of == nil {
			for _, it := range sel.Items {
				if strings.EqualFold(it.Alias, e.Name) {
					return it.Expr
				}
			}
		}
	}
	return e
}

func (b *block) column(r *rows, e sqlast.Expr) column {
	call, _ := e.(*sqlast.Call)
	out := column{origin: -1, literals: constant(e), numbered: call != nil && call.Name == "row_number"}
	out.counted = call != nil && call.Over != nil && counting[call.Name]
	out.average, out.whole = isAverage(e), sqlast.HasAggregate(e) && b.isWhole(e)
	if l, a := b.value(b.frame, e); a != 0 {
		out.table, out.number = columnOf(l, a)
		out.average, out.whole, out.counted = l.column(a).average, l.column(a).whole, l.column(a).counted
		out.nullable = b.nullable(l, a)
	}
	b.eachColumn(b.frame, e, func(f *frame, c *sqlast.Column) {
		if l, a := b.value(f, c); a != 0 {
			out.reads = lists.Add(out.reads, l.column(a).reads...)
			if t, n := columnOf(l, a); t != nil {
				out.reads = lists.Add(out.reads, field{t, n})
			}
		}
	})
	for _, l := range b.leaves {
		if l.table != nil && sqlast.HasCall(e, func(c *sqlast.Call) bool { return c.Star }) {
			out.reads = append(out.reads, field{l.table, -1})
		}
	}
	of, parted := b.partition(e)
	switch {
	case parted:
		switch at := b.origin(r, of, false); {
		case r.origins[at].unique && (r.origins[at].whole || !b.sel.Distinct):
		case b.grouped && b.sel.Distinct: // it may leave one row of each partition
			out.origin = r.add(origin{unique: true, whole: true, again: true})
		default: // DISTINCT takes equal values of partitions together, or rows repeat them
			r.origins[at].window, out.origin = !r.origins[at].unique, at
		}
	case b.grouped && sqlast.HasAggregate(e):
		if !oneGrouping(b.sel) {
			out.origin = r.add(origin{totals: true})
		}
	case sqlast.HasAggregate(e) || sqlast.HasWindow(e):
	default:
		if of := b.rowsUnder(e); len(of) > 0 {
			chosen := b.chosen && !hasAll(closure(b.n, b.rules, b.group, b.holds), b.columns(b.frame, e))
			out.origin = b.origin(r, of, chosen)
		}
	}
	return out
}

// told returns the columns that conditions compare with a literal of their own type. Which row
// of a table that is read several times they are about is not known.
func (b *block) told() map[field][]string {
	all := map[field][]string{}
	for i := range b.conds {
		k := &b.conds[i]
		for x, y := range equalities(k.expr) {
			l, a := b.value(k.frame, x)
			literal := constant(y)
			if a == 0 || literal == nil || !b.hard(k) || slices.ContainsFunc(b.leaves, func(o *leaf) bool { return o.rows != nil || o != l && o.table == l.table }) {
				continue
			}
			_, text := y.(*sqlast.String)
			if t, n := columnOf(l, a); t != nil && (text && t.types[n] == textKind || !text && t.types[n].isNumber()) {
				all[field{t, n}] = literal
			}
		}
	}
	return all
}

// itemsOf returns the numbers of the items that have the values of some expressions, if each
// has one.
func (b *block) itemsOf(list []sqlast.Expr) (at []int, ok bool) {
	for _, e := range list {
		_, a := b.value(b.frame, e)
		i := slices.IndexFunc(b.sel.Items, func(it sqlast.Item) bool {
			if _, other := b.value(b.frame, it.Expr); a != 0 {
				return a == other
			}
			return sqlast.EqualExpr(it.Expr, e)
		})
		if i < 0 {
			return nil, false
		}
		at = append(at, i)
	}
	return at, true
}

// isAverage reports whether a value is an average, or one aggregate divided by another one.
func isAverage(e sqlast.Expr) bool {
	switch e := e.(type) {
	case *sqlast.Binary:
		both := sqlast.HasAggregate(e.X) && sqlast.HasAggregate(e.Y)
		return e.Op == sqlast.Div && both || e.Op == sqlast.Mul && !both && (isAverage(e.X) || isAverage(e.Y))
	case *sqlast.Call:
		return e.Name == "avg" && e.Over == nil || len(e.Args) > 0 && (e.Name == "round" || e.Name == "coalesce") && isAverage(e.Args[0])
	}
	return false
}

// columnOf returns the column of the schema that an attribute of a leaf is.
func columnOf(l *leaf, a attr) (*table, int) {
	if c := l.column(a); l.rows != nil {
		return c.table, c.number
	}
	if i := slices.Index(l.attrs, a); l.table != nil && i >= 0 && i < len(l.columns) && l.columns[i] >= 0 {
		return l.table, l.columns[i]
	}
	return nil, 0
}

// nullable reports whether a value may be NULL.
func (c *view) nullable(l *leaf, a attr) proof.Truth {
	if slices.ContainsFunc(c.free, func(side span) bool { return side.has(l.index) }) {
		return proof.Yes
	}
	if c.compared(l, a) || c.tested(a, nil) {
		return proof.No
	}
	switch t, i := columnOf(l, a); {
	case l.rows != nil:
		return l.column(a).nullable
	case t == nil:
	case t.notNull[i]:
		return proof.No
	case t.nulls:
		return proof.Yes
	}
	return proof.Unknown
}

// tested reports whether a condition other than one removes the rows where a value is NULL.
func (c *view) tested(a attr, but *cond) bool {
	for i := range c.conds {
		k := &c.conds[i]
		if k == but || !c.hard(k) {
			continue
		}
		for _, e := range strict(k.expr) {
			if _, b := c.value(k.frame, e); b == a {
				return true
			}
		}
	}
	return false
}

// origin returns the number of the origin of a value of some rows, of which one may be chosen.
func (b *block) origin(r *rows, of []attr, chosen bool) int {
	leaves := b.leavesOf(of)
	slices.Sort(of)
	for i, o := range r.origins {
		if slices.Equal(o.rows, of) && o.chosen == chosen {
			return i
		}
	}
	o := origin{rows: of, chosen: chosen}
	c := b.scope.seenBy(leaves)
	o.unique = len(c.missing(of)) == 0
	if b.together && b.fixed {
		o.unique = hasAll(closure(c.n, c.rules, of, c.holds), b.wide)
	}
	if !o.unique {
		o.by = names(c.repeating(of, nil))
	}
	result := b.group
	if !b.together || chosen {
		result = rowAttrs(b.leaves)
	}
	o.whole = hasAll(closure(c.n, c.rules, result, c.holds), of)
	if len(leaves) == 1 && !o.whole { // DISTINCT of all columns of a table without keys drops rows that are there twice
		t := b.leaves[leaves[0]].table
		o.again = t != nil && len(t.keys) == 0 && len(b.group) >= len(t.names)
		o.whole = o.again
	}
	return r.add(o)
}

func (s *scope) leavesOf(attrs []attr) (leaves []int) {
	for _, a := range attrs {
		if l := s.owner[a]; l >= 0 && !slices.Contains(leaves, l) {
			leaves = append(leaves, l)
		}
	}
	slices.Sort(leaves)
	return leaves
}

// keys returns the keys of the rows of a block.
func (b *block) keys(r *rows) (keys [][]int) {
	if b.grouped && len(b.sel.GroupBy) == 0 && b.sel.DistinctOn == nil {
		return [][]int{{}}
	}
	if b.sel.From == nil {
		return [][]int{{}}
	}
	var all []attr
	var at []int // the item that has a value
	for i, it := range b.sel.Items {
		if _, a := b.value(b.frame, it.Expr); a != 0 && !slices.Contains(all, a) {
			all, at = append(all, a), append(at, i)
		}
	}
	if b.sel.Distinct {
		keys = append(keys, lists.Indexes(len(b.sel.Items)))
	}
	if (b.grouped || b.sel.DistinctOn != nil) && oneGrouping(b.sel) {
		if k, ok := b.itemsOf(b.by); ok {
			keys = append(keys, k)
		}
	}
	enough := func(attrs []attr) bool {
		known := closure(b.n, b.rules, attrs, b.holds)
		switch {
		case b.grouped || b.sel.DistinctOn != nil:
			return b.exact && hasAll(known, b.group)
		case b.sel.Distinct:
			return b.fixed && hasAll(known, b.wide)
		}
		return !slices.ContainsFunc(b.leaves, func(l *leaf) bool { return !known[l.row] })
	}
	last := slices.Clone(all)
	slices.Reverse(last)
	for _, order := range [][]attr{all, last} {
		if enough(order) {
			keys = append(keys, lists.Map(smallest(order, enough), func(a attr) int { return at[slices.Index(all, a)] }))
		}
	}
	for i, it := range b.sel.Items {
		if partition, ok := b.firstOf(it.Expr, enough); ok {
			r.columns[i].numbered = true
			keys = append(keys, append(partition, i))
		}
	}
	for _, e := range sqlast.Conjuncts(b.sel.Qualify) {
		if x, ok := isFirst(e); ok {
			if partition, ok := b.firstOf(x, enough); ok {
				keys = append(keys, partition)
			}
		}
	}
	return keys
}

// smallest leaves out what a key does not need.
func smallest(attrs []attr, enough func([]attr) bool) []attr {
	for i := 0; i < len(attrs); {
		less := slices.Delete(slices.Clone(attrs), i, i+1)
		if enough(less) {
			attrs = less
		} else {
			i++
		}
	}
	return attrs
}

// isFirst returns x if a condition on a number from 1 selects the first: x = 1, x <= 1 or x < 2.
func isFirst(e sqlast.Expr) (x sqlast.Expr, ok bool) {
	b, ok := e.(*sqlast.Binary)
	if !ok {
		return nil, false
	}
	n, ok := b.Y.(*sqlast.Number)
	return b.X, ok && (n.Text == "1" && (b.Op == sqlast.Eq || b.Op == sqlast.Le) || n.Text == "2" && b.Op == sqlast.Lt)
}

// firstOf returns the items with the PARTITION BY of row_number(): together with them its
// number tells rows apart. So does a rank in an order that is unique.
func (b *block) firstOf(e sqlast.Expr, unique func([]attr) bool) (partition []int, ok bool) {
	call, ok := e.(*sqlast.Call)
	if !ok || call.Over == nil {
		return nil, false
	}
	w := window(b.sel, call.Over)
	partition, ok = b.itemsOf(w.PartitionBy)
	switch call.Name {
	case "row_number":
		return partition, ok
	case "rank", "dense_rank":
		return partition, ok && unique(slices.Concat(b.valuesOf(w.PartitionBy), b.valuesOf(lists.Map(w.OrderBy, func(o sqlast.Order) sqlast.Expr { return o.Expr }))))
	}
	return nil, false
}

// window returns the window of an OVER clause with what it takes from the windows of the
// WINDOW clause that it names: their partition, and their order and frame if it has none.
func window(sel *sqlast.Select, w *sqlast.Window) *sqlast.Window {
	whole := *w
	of := w.Base
	if w.Bare {
		of = w.Name
	}
	for range sel.Windows { // each is named once at most
		i := slices.IndexFunc(sel.Windows, func(named *sqlast.Window) bool { return strings.EqualFold(named.Name, of) })
		if of == "" || i < 0 {
			break
		}
		named := sel.Windows[i]
		if len(whole.PartitionBy) == 0 {
			whole.PartitionBy = named.PartitionBy
		}
		if len(whole.OrderBy) == 0 {
			whole.OrderBy = named.OrderBy
		}
		whole.Frame = cmp.Or(whole.Frame, named.Frame)
		of = named.Base
	}
	return &whole
}
