package joinpath

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// check reports every broken rule of a schema. The relationships of a partial
// schema may refer to tables that it does not list.
func (s *Schema) check(partial bool) report {
	c := checker{partial: partial, columns: make(map[string]map[string]bool, len(s.Tables)), schema: s}
	if s.Version != 0 && s.Version != Version {
		c.add("/version", "version %d is not supported, only version %d", s.Version, Version)
	}
	for _, name := range slices.Sorted(maps.Keys(s.Tables)) {
		if c.full() {
			return c.report
		}
		c.table(tablePath(name), name, s.Tables[name])
	}
	seen := make(map[string]int, len(s.Relationships))
	for i, r := range s.Relationships {
		if c.full() {
			break
		}
		before := len(c.problems)
		path := relationshipPath(i)
		c.relationship(path, r)
		if len(c.problems) > before {
			continue
		}
		// The same pair listed from the other side is a second description of one
		// join, not a duplicate: object mappers write both.
		key := r.directedKey()
		if first, dup := seen[key]; dup {
			c.add(path, "%v: the same as /relationships/%d", r, first)
		} else {
			seen[key] = i
		}
	}
	return c.report
}

// checker checks one schema.
type checker struct {
	report
	schema  *Schema
	partial bool
	columns map[string]map[string]bool // by table
}

func (c *checker) table(path, name string, t Table) {
	c.name(path, "table name", name)
	columns := make(map[string]bool, len(t.Columns))
	c.columns[name] = columns
	for _, column := range t.Columns {
		c.name(path, "column name", column)
		if columns[column] {
			c.add(path, "column %q is listed twice", column)
		}
		columns[column] = true
	}
	known := func(field string, names ...string) {
		for _, n := range names {
			if !columns[n] {
				c.unknown(path, n, t.Columns, "%s: no column %q", field, n)
			}
		}
	}
	if rest, ok := strings.CutPrefix(name, t.Schema+"."); t.Schema != "" && (!ok || rest == "") {
		c.add(path, "schema: the name of the table does not begin with %q and a dot", t.Schema)
	}
	known("unique_columns", t.UniqueColumns...)
	for _, k := range t.UniqueKeys {
		if len(k) == 0 {
			c.add(path, "unique_keys: a key without columns")
		}
		known("unique_keys", k...)
	}
	known("primary_key", t.PrimaryKey...)
	known("not_null", t.NotNull...)
	known("types", slices.Sorted(maps.Keys(t.Types))...)
	known("column_comments", slices.Sorted(maps.Keys(t.ColumnComments))...)
	if t.Rows < 0 || t.Bytes < 0 {
		c.add(path, "rows or bytes are negative")
	}
}

func (c *checker) relationship(path string, r Relationship) {
	if !(r.Confidence >= 0 && r.Confidence <= 1) { // NaN fails too
		c.add(path, "%v: confidence %v is not between 0 and 1", r, r.Confidence)
	}
	if !r.Cardinality.valid() {
		c.add(path, "%v: cardinality %q is none of N:1, 1:N, 1:1, N:M", r, string(r.Cardinality))
	}
	if len(r.FromColumns) > 0 && r.FromColumn != "" && r.FromColumn != r.FromColumns[0] {
		c.add(path, "%v: from_column %q is not the first of from_columns", r, r.FromColumn)
	}
	if len(r.ToColumns) > 0 && r.ToColumn != "" && r.ToColumn != r.ToColumns[0] {
		c.add(path, "%v: to_column %q is not the first of to_columns", r, r.ToColumn)
	}
	from, to := r.Columns()
	c.pairs(path, r, from, to)
	c.side(path, r, r.FromTable, from)
	c.side(path, r, r.ToTable, to)
}

// pairs checks the column pairs of a composite relationship.
func (c *checker) pairs(path string, r Relationship, from, to []string) {
	if len(from) != len(to) {
		c.add(path, "%v: %d from columns and %d to columns", r, len(from), len(to))
		return
	}
	if len(from) == 1 {
		return
	}
	seen := make(map[[2]string]bool, len(from))
	for i := range from {
		p := [2]string{from[i], to[i]}
		if seen[p] {
			c.add(path, "%v: the pair %q = %q is listed twice", r, from[i], to[i])
		}
		seen[p] = true
	}
}

// side checks that the table and the columns of one side exist.
func (c *checker) side(path string, r Relationship, table string, columns []string) {
	named := c.name(path, "table name", table)
	for _, column := range columns {
		named = c.name(path, "column name", column) && named
	}
	if !named {
		return
	}
	have, ok := c.columns[table]
	if !ok {
		if !c.partial {
			c.unknown(path, table, slices.Collect(maps.Keys(c.columns)), "%v: no table %q", r, table)
		}
		return
	}
	for _, column := range columns {
		if !have[column] {
			c.unknown(path, column, c.schema.Tables[table].Columns, "%v: no column %q in table %q", r, column, table)
		}
	}
}

func (c *checker) name(path, what, name string) bool {
	switch {
	case name == "":
		c.add(path, "a %s is empty", what)
	case !utf8.ValidString(name):
		c.add(path, "the %s %q is not UTF-8", what, name)
	case strings.ContainsRune(name, 0):
		c.add(path, "the %s %q has a NUL, which no database allows", what, name)
	default:
		return true
	}
	return false
}

// directedKey identifies a relationship by its tables and column pairs. The
// order of the pairs does not matter, the direction does.
func (r Relationship) directedKey() string {
	from, to := r.Columns()
	return joinKey(r.FromTable, from, r.ToTable, to)
}

// Key identifies the join: relationships that join the same columns of the same
// tables have the same key, in whichever direction and order they are described.
// It is an opaque text.
func (r Relationship) Key() string {
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

// appendName writes the length before the name, so that different lists of names
// never give the same key.
func appendName(b []byte, name string) []byte {
	b = strconv.AppendInt(b, int64(len(name)), 10)
	return append(append(b, ':'), name...)
}
