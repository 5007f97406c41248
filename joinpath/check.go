package joinpath

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// check reports every broken rule of a schema. A partial schema may refer to
// tables that it does not list: those are another schema's.
func (s *Schema) check(partial bool) problems {
	var ps problems
	if s.Version != 0 && s.Version != Version {
		ps.add("version", "is %d, this package reads version %d", s.Version, Version)
	}
	h := hints(maxShown)
	columns := make(map[string]nameSet, len(s.Tables))
	for _, name := range slices.Sorted(maps.Keys(s.Tables)) {
		columns[name] = newNameSet(s.Tables[name].Columns)
		if len(ps) == maxProblems {
			break
		}
		for _, m := range s.Tables[name].check(name, columns[name], &h) {
			ps.add(fmt.Sprintf("tables[%q]", name), "%s", m.Message)
		}
	}
	seen := make(map[string]int, len(s.Relationships))
	for i, r := range s.Relationships {
		if len(ps) == maxProblems {
			break
		}
		found := r.checkShape()
		found = append(found, checkSide(columns, r.FromTable, side(r.FromColumns, r.FromColumn), partial, &h)...)
		found = append(found, checkSide(columns, r.ToTable, side(r.ToColumns, r.ToColumn), partial, &h)...)
		if len(found) == 0 {
			// The same pair listed from the other side is a second description
			// of one join, not a duplicate: object mappers write both.
			key := r.directedKey()
			if first, dup := seen[key]; dup {
				found.add("", "duplicate of relationships[%d]", first)
			} else {
				seen[key] = i
			}
		}
		for _, m := range found {
			ps.add(fmt.Sprintf("relationships[%d] (%v)", i, r), "%s", m.Message)
		}
	}
	return ps
}

func (t Table) check(name string, columns nameSet, h *hints) (ps problems) {
	checkName(&ps, "table name", name)
	for i, c := range t.Columns {
		checkName(&ps, "column name", c)
		if columns.first(c) != i {
			ps.add("", "column %q is listed twice", c)
		}
	}
	known := func(field string, names ...string) {
		for _, c := range names {
			if len(ps) < maxProblems && columns.first(c) < 0 {
				ps.add("", "%s: no column %q%s", field, c, h.didYouMean(c, t.Columns))
			}
		}
	}
	known("unique_columns", t.UniqueColumns...)
	for _, k := range t.UniqueKeys {
		if len(k) == 0 {
			ps.add("", "unique_keys: a key without columns")
		}
		known("unique_keys", k...)
	}
	known("primary_key", t.PrimaryKey...)
	known("types", slices.Sorted(maps.Keys(t.Types))...)
	known("column_comments", slices.Sorted(maps.Keys(t.ColumnComments))...)
	if t.Rows < 0 || t.Bytes < 0 {
		ps.add("", "rows or bytes are negative")
	}
	return ps
}

// checkShape checks what a relationship says by itself.
func (r Relationship) checkShape() (ps problems) {
	if !(r.Confidence >= 0 && r.Confidence <= 1) { // NaN fails too
		ps.add("", "confidence %v is outside 0 to 1", r.Confidence)
	}
	if !r.Cardinality.valid() {
		ps.add("", "cardinality %q is none of N:1, 1:N, 1:1, N:M", string(r.Cardinality))
	}
	if len(r.FromColumns) > 0 && r.FromColumn != "" && r.FromColumn != r.FromColumns[0] {
		ps.add("", "from_column %q is not the first of from_columns", r.FromColumn)
	}
	if len(r.ToColumns) > 0 && r.ToColumn != "" && r.ToColumn != r.ToColumns[0] {
		ps.add("", "to_column %q is not the first of to_columns", r.ToColumn)
	}
	from, to := r.Columns()
	if len(from) != len(to) {
		ps.add("", "%d from columns and %d to columns", len(from), len(to))
		return ps
	}
	if len(from) == 1 {
		return ps
	}
	pairs := make(map[[2]string]bool, len(from))
	for i := range from {
		p := [2]string{from[i], to[i]}
		if pairs[p] {
			ps.add("", "the pair %q = %q is listed twice", from[i], to[i])
		}
		pairs[p] = true
	}
	return ps
}

// checkSide checks that the table and columns of one side exist.
func checkSide(tables map[string]nameSet, table string, columns []string, partial bool, h *hints) (ps problems) {
	checkName(&ps, "table name", table)
	for _, c := range columns {
		checkName(&ps, "column name", c)
	}
	if len(ps) > 0 {
		return ps
	}
	t, ok := tables[table]
	if !ok {
		if !partial {
			ps.add("", "no table %q%s", table, h.didYouMean(table, slices.Collect(maps.Keys(tables))))
		}
		return ps
	}
	for _, c := range columns {
		if len(ps) < maxProblems && t.first(c) < 0 {
			ps.add("", "no column %q in table %q%s", c, table, h.didYouMean(c, t.names))
		}
	}
	return ps
}

// hints is how many more problems name what may have been meant: looking for it
// means a look at every name, and no more problems are written out.
type hints int

func (h *hints) didYouMean(name string, names []string) string {
	if *h == 0 {
		return ""
	}
	*h--
	return didYouMean(name, names)
}

func checkName(ps *problems, what, name string) {
	switch {
	case name == "":
		ps.add("", "%s is empty", what)
	case !utf8.ValidString(name):
		ps.add("", "%s %q is not UTF-8", what, name)
	}
}

// nameSet finds names in a list; short lists, most of them, need no index.
type nameSet struct {
	names []string
	index map[string]int
}

func newNameSet(names []string) nameSet {
	s := nameSet{names: names}
	if len(names) > 32 {
		s.index = make(map[string]int, len(names))
		for i, n := range slices.Backward(names) {
			s.index[n] = i
		}
	}
	return s
}

// first returns the first place of a name, or -1.
func (s nameSet) first(name string) int {
	if s.index == nil {
		return slices.Index(s.names, name)
	}
	if i, ok := s.index[name]; ok {
		return i
	}
	return -1
}

// String writes the relationship as "from.column -> to.column".
func (r Relationship) String() string {
	from, to := r.Columns()
	return sideString(r.FromTable, from) + " -> " + sideString(r.ToTable, to)
}

func sideString(table string, columns []string) string {
	if len(columns) == 1 {
		return table + "." + columns[0]
	}
	return table + ".(" + strings.Join(columns, ", ") + ")"
}

// directedKey identifies a relationship by its tables and column pairs; the
// order of the pairs does not matter, the direction does.
func (r Relationship) directedKey() string {
	from, to := r.Columns()
	return joinKey(r.FromTable, from, r.ToTable, to)
}

// key identifies the join whatever direction it is described in.
func (r Relationship) key() string {
	from, to := r.Columns()
	return min(joinKey(r.FromTable, from, r.ToTable, to), joinKey(r.ToTable, to, r.FromTable, from))
}

func joinKey(fromTable string, from []string, toTable string, to []string) string {
	pairs := make([][2]string, len(from))
	for i := range from {
		pairs[i] = [2]string{from[i], to[i]}
	}
	slices.SortFunc(pairs, func(a, b [2]string) int {
		return cmp.Or(strings.Compare(a[0], b[0]), strings.Compare(a[1], b[1]))
	})
	key := make([]byte, 0, 64)
	key = appendName(appendName(key, fromTable), toTable)
	for _, p := range pairs {
		key = appendName(appendName(key, p[0]), p[1])
	}
	return string(key)
}

// appendName writes a length before the name, so that no name imitates two.
func appendName(b []byte, name string) []byte {
	b = strconv.AppendInt(b, int64(len(name)), 10)
	return append(append(b, ':'), name...)
}
