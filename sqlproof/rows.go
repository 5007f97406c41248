package sqlproof

import (
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/qedkit/qed/internal/lists"
	"github.com/qedkit/qed/internal/sqlast"
	"github.com/qedkit/qed/sqlproof/proof"
)

// rows is what is known about the rows of a subquery that a scope does not take apart.
type rows struct {
	columns []column
	keys    [][]int // sets of columns; an empty one: there is one row at most
	origins []origin
	told    map[field][]string // columns that have one of some literals in all rows
	unknown bool               // a recursion: nothing is known
}

// A field is a column of a table of the schema; -1 stands for the rows that are counted.
type field struct {
	table  *table
	number int
}

// A column is a column of a subquery.
type column struct {
	origin   int    // of rows.origins; -1: the value belongs to the row itself
	average  bool   // an average
	whole    bool   // a whole number, such as a count
	counted  bool   // a count of rows by a window
	numbered bool   // row_number(), from 1
	apart    bool   // the arms of a UNION have different literals
	table    *table // the column of a table that passes through; nil: none
	number   int    // of table
	nullable proof.Truth
	literals []string // that it has in any row; nil: others
	reads    []field  // from which it is computed
}

// An origin is the rows from which a column comes.
type origin struct {
	rows   []attr
	unique bool     // these rows are in one row of the subquery at most
	whole  bool     // a row of the subquery has one of them
	by     []string // what repeats them, if they are not unique
	united kept     // by a UNION
	again  bool     // they may be there several times: arms of a UNION ALL read them, or their table has no key
	totals bool     // there are rows with totals of others, as ROLLUP makes them
	window bool     // it is one value for all rows of a partition
	chosen bool     // of several rows one is chosen, as by DISTINCT ON
}

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
	r.unknown = r.unknown || repeats(q.OrderBy)
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
		var all *rows
		for _, row := range b.Rows {
			r := &rows{columns: make([]column, len(row)), keys: [][]int{{}}}
			for i, e := range row {
				r.columns[i] = column{origin: -1, literals: constant(e)}
			}
			if all != nil {
				r = setRows(&sqlast.SetOp{All: true}, all, r)
			}
			all = r
		}
		return all
	case *sqlast.SetOp:
		return setRows(b, c.bodyRows(q, b.Left, outer), c.bodyRows(q, b.Right, outer))
	case *sqlast.Select:
		return c.blockRows(b, q.OrderBy, outer)
	}
	return &rows{unknown: true}
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
		if _, err := strconv.Atoi(e.Text); err == nil && (e.Text == "0" || e.Text[0] != '0') {
			return []string{e.Text}
		}
	}
	return nil
}

// kept says what a UNION without ALL keeps of the rows that it unites.
type kept uint8

const (
	notUnited  kept = iota
	unitedRows      // one of several rows of an arm with equal values
	unitedKeys      // each row of an arm, unless one of the other arm is equal
)

// setRows returns the rows of a set operation.
func setRows(b *sqlast.SetOp, left, right *rows) *rows {
	if left.unknown || right.unknown {
		return &rows{unknown: true}
	}
	out := &rows{columns: slices.Clone(left.columns), told: map[field][]string{}}
	united := unitedRows
	if len(left.keys) > 0 && len(right.keys) > 0 {
		united = unitedKeys
	}
	apart := united == unitedKeys && slices.ContainsFunc(lists.Indexes(min(len(left.columns), len(right.columns))), func(i int) bool {
		return differ(left.columns[i].literals, right.columns[i].literals)
	})
	arms := []*rows{left, right}
	if b.Kind != sqlast.Union { // the rows are those of the first
		out.keys, arms, united = slices.Clone(left.keys), arms[:1], notUnited
	}
	if b.Kind == sqlast.Intersect {
		out.keys = append(out.keys, right.keys...)
	}
	if !b.All {
		out.keys = append(out.keys, lists.Indexes(len(out.columns)))
	}
	if b.Kind == sqlast.Union {
		out.keys = append(out.keys, apartKeys(left.columns, right.columns, left.keys, right.keys)...)
	}
	for f, literals := range left.told {
		if all := allLiterals(literals, right.told[f]); b.Kind == sqlast.Union && all != nil {
			out.told[f] = all
		}
	}
	for i := range out.columns {
		col := &out.columns[i]
		col.origin = -1
		if b.Kind == sqlast.Union && i < len(right.columns) {
			a, b := left.columns[i], right.columns[i]
			col.literals, col.apart = allLiterals(a.literals, b.literals), differ(a.literals, b.literals)
			col.reads = lists.Add(a.reads, b.reads...)
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
			from := origin{unique: true, whole: true}
			if o := arm.columns[i].origin; o >= 0 {
				from = arm.origins[o]
			} else if arm.columns[i].literals != nil {
				continue
			}
			out.unite(col, from, !b.All && (b.Kind == sqlast.Union && !apart || len(arm.keys) == 0), united)
		}
		if b.Kind == sqlast.Union && b.All && col.origin < 0 && i < len(right.columns) && again(left, right, i) {
			out.unite(col, origin{unique: true, whole: true, again: true}, false, united)
		}
	}
	return out
}

// again reports whether a column may have values of the same rows of a table in both arms of a
// union: it is computed from one column of the table, and no other one has other literals.
func again(left, right *rows, i int) bool {
	return slices.ContainsFunc(left.columns[i].reads, func(read field) bool {
		apart := false
		for f, literals := range left.told {
			apart = apart || f.table == read.table && differ(literals, right.told[f])
		}
		return !apart && slices.Contains(right.columns[i].reads, read)
	})
}

// differ reports whether two columns have no value in common, given their literals.
func differ(a, b []string) bool {
	return a != nil && b != nil && !slices.ContainsFunc(a, func(text string) bool { return slices.Contains(b, text) })
}

func allLiterals(a, b []string) []string {
	if a == nil || b == nil {
		return nil
	}
	return slices.Concat(a, b)
}

// apartKeys returns the columns that tell the rows of a union apart: those of each part, which
// have other literals in the other one.
func apartKeys(left, right []column, leftKeys, rightKeys [][]int) (keys [][]int) {
	for i := range min(len(left), len(right)) {
		tells := func(k []int) bool { return len(k) == 0 || len(k) == 1 && k[0] == i }
		if differ(left[i].literals, right[i].literals) && slices.ContainsFunc(leftKeys, tells) && slices.ContainsFunc(rightKeys, tells) {
			keys = append(keys, []int{i})
		}
	}
	return keys
}

// add returns the number of an origin that it adds.
func (r *rows) add(o origin) int {
	r.origins = append(r.origins, o)
	return len(r.origins) - 1
}

// unite sets from which rows a column of a set operation comes: the worse of its arms.
// merges says that the operation takes equal rows together, and how.
func (r *rows) unite(col *column, from origin, merges bool, how kept) {
	if col.origin >= 0 && !r.origins[col.origin].unique || from.unique && from.whole && !merges && !from.again {
		return
	}
	if merges && from.whole {
		from.whole, from.united = false, how
	}
	from.rows = nil
	col.origin = r.add(from)
}
