package sqlproof

import (
	"slices"
	"strings"
	"unicode"

	"github.com/qedkit/qed/internal/sqlast"
	"github.com/qedkit/qed/sqlproof/proof"
)

// rows is what is known about the rows of a subquery that a scope does not take apart.
type rows struct {
	columns []column
	keys    [][]int // sets of columns; an empty one: there is one row at most
	origins []origin
	unknown bool // a recursion: nothing is known
}

// A column is a column of a subquery.
type column struct {
	origin   int    // of rows.origins; -1: the value belongs to the row itself
	average  bool   // an average
	whole    bool   // a whole number, such as a count
	numbered bool   // row_number(), from 1
	table    *table // the column of a table that passes through; nil: none
	number   int    // of table
	nullable proof.Truth
	literals []string // that it has in any row; nil: others
}

// An origin is the rows from which a column comes.
type origin struct {
	rows   []attr
	unique bool     // these rows are in one row of the subquery at most
	whole  bool     // a row of the subquery has one of them
	by     []string // what repeats them, if they are not unique
	united kept     // by a UNION
}

// kept says what a UNION without ALL keeps of the rows that it unites.
type kept uint8

const (
	notUnited  kept = iota
	unitedRows      // one of several rows of an arm with equal values
	unitedKeys      // each row of an arm, unless one of the other arm is equal
)

// rowsOf returns what is known about the rows of a query. outer is the frame that it may
// name.
func (c *check) rowsOf(q *sqlast.Query, outer *frame) *rows {
	if known := c.rows[q]; known != nil {
		return known
	}
	if slices.Contains(c.within, q) {
		return &rows{unknown: true}
	}
	c.within = append(c.within, q)
	r := c.bodyRows(q, q.Body, outer)
	c.within = c.within[:len(c.within)-1]
	if n, ok := q.Limit.(*sqlast.Number); ok && n.Text == "1" && !q.Ties {
		r.keys = [][]int{{}}
	}
	c.rows[q] = r
	return r
}

func (c *check) bodyRows(q *sqlast.Query, b sqlast.Body, outer *frame) *rows {
	switch b := b.(type) {
	case *sqlast.Query:
		return c.rowsOf(b, outer)
	case *sqlast.Values:
		r := &rows{}
		if len(b.Rows) > 0 {
			r.columns = make([]column, len(b.Rows[0]))
			for i := range r.columns {
				r.columns[i] = column{origin: -1, literals: constant(b.Rows[0][i])}
			}
			r.keys = [][]int{{}}
		}
		for _, row := range b.Rows[min(1, len(b.Rows)):] {
			next := make([]column, len(row))
			for i := range row {
				next[i].literals = constant(row[i])
			}
			r.keys = apartKeys(r.columns, next, r.keys, [][]int{{}})
			for i := range min(len(row), len(r.columns)) {
				r.columns[i].literals = allLiterals(r.columns[i], next[i])
			}
		}
		return r
	case *sqlast.SetOp:
		return setRows(b, c.bodyRows(q, b.Left, outer), c.bodyRows(q, b.Right, outer))
	case *sqlast.Select:
		return c.blockRows(b, outer)
	}
	return &rows{unknown: true}
}

// setRows returns the rows of a set operation.
func setRows(b *sqlast.SetOp, left, right *rows) *rows {
	if left.unknown || right.unknown {
		return &rows{unknown: true}
	}
	out := &rows{columns: slices.Clone(left.columns)}
	united := unitedRows
	if len(left.keys) > 0 && len(right.keys) > 0 {
		united = unitedKeys
	}
	apart := united == unitedKeys && slices.ContainsFunc(count(min(len(left.columns), len(right.columns))), func(i int) bool {
		return differ(left.columns[i], right.columns[i])
	})
	arms := []*rows{left, right}
	if b.Kind != sqlast.Union { // the rows are those of the first
		out.keys, arms, united = slices.Clone(left.keys), arms[:1], notUnited
	}
	if b.Kind == sqlast.Intersect {
		out.keys = append(out.keys, right.keys...)
	}
	if !b.All {
		out.keys = append(out.keys, count(len(out.columns)))
	}
	if b.Kind == sqlast.Union {
		out.keys = append(out.keys, apartKeys(left.columns, right.columns, left.keys, right.keys)...)
	}
	for i := range out.columns {
		col := &out.columns[i]
		col.origin = -1
		if b.Kind == sqlast.Union && i < len(right.columns) {
			col.literals = allLiterals(left.columns[i], right.columns[i])
		}
		for _, arm := range arms {
			if i >= len(arm.columns) {
				continue
			}
			if c := arm.columns[i]; c.table != col.table || c.number != col.number {
				col.table = nil
			}
			if n := arm.columns[i].nullable; n == proof.Yes || n == proof.Unknown && col.nullable == proof.No {
				col.nullable = n
			}
			if arm.columns[i].origin >= 0 {
				out.unite(col, arm.origins[arm.columns[i].origin], !b.All && (b.Kind == sqlast.Union && !apart || len(arm.keys) == 0), united)
			}
		}
	}
	return out
}

// constant returns the text of a literal, so that different texts are different values in any
// collation, or nil.
func constant(e sqlast.Expr) []string {
	switch e := e.(type) {
	case *sqlast.String:
		if !strings.ContainsFunc(e.Value, func(r rune) bool { return r > unicode.MaxASCII }) {
			return []string{strings.TrimSpace(strings.ToLower(e.Value))}
		}
	case *sqlast.Number:
		if _, ok := smallNumber(e.Text); ok && (e.Text == "0" || e.Text[0] != '0') {
			return []string{e.Text}
		}
	}
	return nil
}

// differ reports whether two columns have no value in common.
func differ(a, b column) bool {
	return a.literals != nil && b.literals != nil &&
		!slices.ContainsFunc(a.literals, func(text string) bool { return slices.Contains(b.literals, text) })
}

func allLiterals(a, b column) []string {
	if a.literals == nil || b.literals == nil {
		return nil
	}
	return slices.Concat(a.literals, b.literals)
}

// apartKeys returns the columns that tell the rows of a union apart: those of each part, which
// have other literals in the other one.
func apartKeys(left, right []column, leftKeys, rightKeys [][]int) (keys [][]int) {
	for i := range min(len(left), len(right)) {
		tells := func(k []int) bool { return len(k) == 0 || len(k) == 1 && k[0] == i }
		if differ(left[i], right[i]) && slices.ContainsFunc(leftKeys, tells) && slices.ContainsFunc(rightKeys, tells) {
			keys = append(keys, []int{i})
		}
	}
	return keys
}

// unite sets from which rows a column of a set operation comes: the worse of its arms.
// merges says that the operation takes equal rows together, and how.
func (r *rows) unite(col *column, from origin, merges bool, how kept) {
	if col.origin >= 0 && !r.origins[col.origin].unique || from.unique && from.whole && !merges {
		return
	}
	o := origin{by: from.by, unique: from.unique, united: from.united}
	if merges && from.whole {
		o.united = how
	}
	r.origins = append(r.origins, o)
	col.origin = len(r.origins) - 1
}

func count(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}

// blockRows returns the rows of a SELECT.
func (c *check) blockRows(sel *sqlast.Select, outer *frame) *rows {
	s := c.newScope(sel, outer)
	s.mention(sel, nil)
	b := &block{view: s.seenBy(nil), sel: sel}
	b.grouped = len(sel.GroupBy) > 0 || aggregates(sel)
	b.together = b.grouped || sel.Distinct || sel.DistinctOn != nil
	b.group = b.terms()
	r := &rows{columns: make([]column, len(sel.Items))}
	for i, it := range sel.Items {
		r.columns[i] = b.column(r, it.Expr)
	}
	for _, l := range s.leaves {
		if l.rows != nil && l.rows.unknown {
			r.unknown = true
		}
	}
	r.keys = b.keys(r)
	return r
}

// A block is a SELECT whose rows are described.
type block struct {
	*view
	sel      *sqlast.Select
	grouped  bool
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
		for _, it := range b.sel.Items {
			terms = append(terms, it.Expr)
		}
	}
	b.exact = !b.sel.Rollup && b.sel.Groupings <= 1
	b.fixed = b.exact
	for _, e := range terms {
		e := b.term(b.sel, e)
		if _, a := b.value(b.frame, e); a != 0 {
			group = append(group, a)
			continue
		}
		columns := b.columns(b.frame, e)
		b.wide = append(b.wide, columns...)
		b.fixed = b.fixed && b.steady(b.frame, e)
		b.exact = b.exact && b.fixed && len(columns) == 0
	}
	b.wide = append(b.wide, group...)
	return group
}

// term returns what a term of GROUP BY or ORDER BY means: the item that it names or numbers.
func (c *check) term(sel *sqlast.Select, e sqlast.Expr) sqlast.Expr {
	switch e := e.(type) {
	case *sqlast.Number:
		if n, ok := smallNumber(e.Text); ok && n >= 1 && n <= len(sel.Items) {
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

func smallNumber(text string) (n int, ok bool) {
	for _, r := range text {
		if r < '0' || r > '9' || n > 1000 {
			return 0, false
		}
		n = 10*n + int(r-'0')
	}
	return n, text != ""
}

func (b *block) column(r *rows, e sqlast.Expr) column {
	out := column{origin: -1, literals: constant(e)}
	if call, ok := e.(*sqlast.Call); ok && call.Over == nil {
		out.average = call.Name == "avg"
		out.whole = call.Name == "count"
	}
	if l, a := b.value(b.frame, e); a != 0 {
		out.table, out.number = columnOf(l, a)
		if l.rows != nil {
			if i := slices.Index(l.attrs, a); i < len(l.rows.columns) {
				out.average, out.whole = l.rows.columns[i].average, l.rows.columns[i].whole
			}
		}
		out.nullable = b.nullable(l, a)
	}
	if sqlast.HasAggregate(e) || sqlast.HasWindow(e) {
		return out
	}
	rowsOf := b.rowsUnder(e)
	if len(rowsOf) == 0 {
		return out
	}
	out.origin = b.origin(r, rowsOf)
	return out
}

// columnOf returns the column of the schema that an attribute of a leaf is.
func columnOf(l *leaf, a attr) (*table, int) {
	i := slices.Index(l.attrs, a)
	switch {
	case i < 0:
	case l.rows != nil && i < len(l.rows.columns):
		return l.rows.columns[i].table, l.rows.columns[i].number
	case l.table != nil && i < len(l.columns) && l.columns[i] >= 0:
		return l.table, l.columns[i]
	}
	return nil, 0
}

// nullable reports whether a value may be NULL.
func (c *view) nullable(l *leaf, a attr) proof.Truth {
	if slices.ContainsFunc(c.free, func(side span) bool { return side.has(l.index) }) {
		return proof.Yes
	}
	if c.compared(l, a) || c.tested(l, a) {
		return proof.No
	}
	i := slices.Index(l.attrs, a)
	switch {
	case l.rows != nil && i < len(l.rows.columns):
		return l.rows.columns[i].nullable
	case l.table != nil && i < len(l.columns) && l.columns[i] >= 0:
		if l.table.notNull[l.columns[i]] {
			return proof.No
		}
		if l.table.nulls {
			return proof.Yes
		}
	}
	return proof.Unknown
}

// tested reports whether a WHERE removes the rows where a value is NULL.
func (c *view) tested(l *leaf, a attr) bool {
	for i := range c.conds {
		k := &c.conds[i]
		if !c.hard(k) {
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

// origin returns the number of the origin of a value of some rows.
func (b *block) origin(r *rows, of []attr) int {
	leaves := b.leavesOf(of)
	slices.Sort(of)
	for i, o := range r.origins {
		if slices.Equal(o.rows, of) {
			return i
		}
	}
	o := origin{rows: of}
	c := b.scope.seenBy(leaves)
	known := closure(c.n, c.rules, of, c.holds)
	switch {
	case !b.together:
		o.unique = len(c.missing(of)) == 0
	case b.fixed:
		o.unique = hasAll(known, b.wide)
	default:
		o.unique = len(c.missing(of)) == 0
	}
	if !o.unique {
		o.by = names(c.repeating(of, nil))
	}
	result := b.group
	if !b.together {
		result = nil
		for _, l := range b.leaves {
			result = append(result, l.row)
		}
	}
	o.whole = hasAll(closure(c.n, c.rules, result, c.holds), of)
	r.origins = append(r.origins, o)
	return len(r.origins) - 1
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
	at := map[attr]int{} // the column that has a value
	var all []attr
	for i, it := range b.sel.Items {
		if _, a := b.value(b.frame, it.Expr); a != 0 {
			if _, twice := at[a]; !twice {
				at[a] = i
				all = append(all, a)
			}
		}
	}
	add := func(attrs []attr, extra ...int) {
		k := slices.Clone(extra)
		for _, a := range attrs {
			k = append(k, at[a])
		}
		keys = append(keys, k)
	}
	if b.sel.Distinct && len(all) < len(b.sel.Items) {
		keys = append(keys, count(len(b.sel.Items)))
	}
	enough := func(attrs []attr) bool {
		known := closure(b.n, b.rules, attrs, b.holds)
		switch {
		case b.grouped || b.sel.DistinctOn != nil:
			return b.exact && hasAll(known, b.group)
		case b.sel.Distinct && len(all) == len(b.sel.Items):
			return hasAll(known, all)
		}
		return !slices.ContainsFunc(b.leaves, func(l *leaf) bool { return !known[l.row] })
	}
	for _, order := range [][]attr{all, reversed(all)} {
		if enough(order) {
			add(smallest(order, enough))
		}
	}
	for i, it := range b.sel.Items {
		if partition, ok := b.firstOf(it.Expr, enough); ok && within(at, partition) {
			r.columns[i].numbered = true
			add(partition, i)
		}
	}
	if x, ok := isFirst(b.sel.Qualify); ok {
		if partition, ok := b.firstOf(x, enough); ok && within(at, partition) {
			add(partition)
		}
	}
	return keys
}

func reversed(attrs []attr) []attr {
	out := slices.Clone(attrs)
	slices.Reverse(out)
	return out
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

func within(at map[attr]int, attrs []attr) bool {
	return !slices.ContainsFunc(attrs, func(a attr) bool { _, ok := at[a]; return !ok })
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

// firstOf returns the columns of PARTITION BY of row_number(): together with them its
// number tells rows apart. So does a rank in an order that is unique.
func (b *block) firstOf(e sqlast.Expr, unique func([]attr) bool) (partition []attr, ok bool) {
	call, ok := e.(*sqlast.Call)
	if !ok || call.Over == nil {
		return nil, false
	}
	w := window(b.sel, call.Over)
	for _, p := range w.PartitionBy {
		_, a := b.value(b.frame, p)
		if a == 0 {
			return nil, false
		}
		partition = append(partition, a)
	}
	switch call.Name {
	case "row_number":
		return partition, true
	case "rank", "dense_rank":
		ordered := slices.Clone(partition)
		for _, o := range w.OrderBy {
			if _, a := b.value(b.frame, o.Expr); a != 0 {
				ordered = append(ordered, a)
			}
		}
		return partition, unique(ordered)
	}
	return nil, false
}

// window returns the window of an OVER clause with what it takes from the windows of the
// WINDOW clause that it names: their partition, and their order if it has none.
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
		of = named.Base
	}
	return &whole
}
