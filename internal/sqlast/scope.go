package sqlast

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// A scope holds the names that the expressions of one SELECT block, or of the
// ORDER BY of a set operation, may use.
type scope struct {
	outer   *scope
	clause  clause
	tables  []binding
	lo, hi  int      // tables[lo:hi] are those that the clause may name
	merged  []merged // the columns that USING merged
	merging []*Join  // the joins with USING and NATURAL, also without common columns
	items   []Item   // the select list, once it is resolved
	done    int      // the number of items that are resolved
	names   []string // the columns of a set operation, which has no tables

	groupBy   []Expr
	windowed  bool // the block has a window, if servers vary
	distinct  bool // SELECT DISTINCT
	rollup    bool // GROUP BY .. WITH ROLLUP
	constants bool // GROUP BY has several groupings, and a constant in one of them

	searched  *Column // a full-text table, or a column of it, in which a condition searches
	aggregate *Call   // the aggregate function that is being resolved
}

// A clause is the part of a block that contains an expression.
type clause uint8

const (
	inFrom clause = iota
	inItems
	inDistinctOn
	inOn
	inWhere
	inGroupBy
	inHaving
	inQualify
	inOrderBy
	inOther // VALUES, LIMIT
)

var clauseNames = [...]string{
	inFrom: "FROM", inItems: "the select list", inDistinctOn: "DISTINCT ON", inOn: "ON", inWhere: "WHERE",
	inGroupBy: "GROUP BY", inHaving: "HAVING", inQualify: "QUALIFY", inOrderBy: "ORDER BY", inOther: "this clause",
}

// A binding is one table of a FROM.
type binding struct {
	rel     Relation
	alias   string   // as it is declared and printed
	columns []string // as they are declared and printed
	named   []string // as a statement names them, if several have one name; nil: as columns
	scalar  bool     // a row is the value of the only column
	query   *Query   // that of a derived table or common table expression
	missing bool     // the table does not exist, and any name may be a column of it
	object  *Object  // nil: a common table expression, a derived table or a table function
	read    int      // the index of the object in the resolution
}

// names returns the columns' names in a statement.
func (b *binding) names() []string {
	if b.named != nil {
		return b.named
	}
	return b.columns
}

// name returns the name for messages: the logical name of a table, and the alias of
// anything else.
func (b *binding) name() string {
	if b.object != nil {
		return b.object.Logical
	}
	return b.alias
}

// A merged column is one that a JOIN .. USING made from several. Members are the
// tables that have it. Its value is the first value of the tables in value that is
// not NULL.
type merged struct {
	listed  int // orders the columns of USING; 0 in a NATURAL JOIN
	name    string
	join    *Join
	members []int
	value   []int
	number  int // its number among the columns of its table, from 1; 0: look up its name
}

// column returns the index of the column of b with the name, or -1. A name in the same
// case comes before names that differ in case.
func (r *resolver) column(b *binding, name string) int {
	r.work += len(b.columns)
	if i := slices.Index(b.names(), name); i >= 0 {
		return i
	}
	return slices.IndexFunc(b.names(), func(c string) bool { return len(c) == len(name) && r.fold(c, name) })
}

// uniqueColumn returns the index of the column with the name, or -1. It fails if
// several columns of b have the name.
func (r *resolver) uniqueColumn(at Pos, b *binding, name string) int {
	i := r.column(b, name)
	again := func(c string) bool { return r.fold(c, name) }
	if b.named != nil && i >= 0 && (slices.ContainsFunc(b.named[:i], again) || slices.ContainsFunc(b.named[i+1:], again)) {
		r.repeated(AmbiguousColumn, at, b.alias, name)
	}
	return i
}

// tablesWith returns those of tables[lo:hi] that have the column. The result is
// valid until the next call.
func (r *resolver) tablesWith(s *scope, lo, hi int, name string) []int {
	found := r.found[:0]
	for i := lo; i < hi; i++ {
		if r.column(&s.tables[i], name) >= 0 {
			found = append(found, i)
		}
	}
	r.found = found
	return found
}

// group returns the merged column for name whose members include all tables of
// found, or nil.
func (r *resolver) group(s *scope, name string, found []int) *merged {
	for i := len(s.merged) - 1; i >= 0; i-- {
		m := &s.merged[i]
		isOther := func(t int) bool { return !slices.Contains(m.members, t) }
		if r.fold(m.name, name) && !slices.ContainsFunc(found, isOther) {
			return m
		}
	}
	return nil
}

// byAlias returns the index of the table of the scope with the alias, or -1.
func (r *resolver) byAlias(s *scope, schema, alias string) int {
	r.work += len(s.tables)
	for i := range s.tables {
		b := &s.tables[i]
		if r.fold(b.alias, alias) && (schema == "" || b.object != nil && r.fold(b.object.Schema, schema)) {
			return i
		}
	}
	return -1
}

// hidden reports whether a nearer table than those of found has the alias.
func (r *resolver) hidden(alias string, found *scope) bool {
	for s := r.scope; s != found; s = s.outer {
		if r.byAlias(s, "", alias) >= 0 {
			return true
		}
	}
	return false
}

func isASCII(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r >= utf8.RuneSelf })
}
