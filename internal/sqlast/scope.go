package sqlast

import (
	"slices"
	"unicode/utf8"

	"github.com/qedkit/qed/internal/ascii"
)

// scope is what the expressions of one SELECT block, or of the ORDER BY of a
// set operation, may name.
type scope struct {
	outer  *scope
	clause clause
	tables []binding
	lo, hi int      // tables[lo:hi] are those that the clause may name
	merged []merged // columns that USING made one
	items  []Item   // the select list, as soon as it is resolved
	names  []string // of a set operation: its columns; there are no tables

	groupBy []Expr
}

// clause says where an expression stands.
type clause uint8

const (
	inFrom clause = iota
	inItems
	inDistinctOn
	inOn
	inWhere
	inGroupBy
	inHaving
	inOrderBy
	inOther // VALUES, LIMIT
)

var clauseNames = [...]string{
	inFrom: "FROM", inItems: "the select list", inDistinctOn: "DISTINCT ON", inOn: "ON", inWhere: "WHERE",
	inGroupBy: "GROUP BY", inHaving: "HAVING", inOrderBy: "ORDER BY", inOther: "this place",
}

// binding is one table of a FROM.
type binding struct {
	alias   string   // as it is declared and printed
	columns []string // as they are declared and printed
	named   []string // as a statement names them, where several have one name; nil: as columns
	scalar  bool     // a row is the value of its only column
	object  *Object  // nil: a common table expression, a derived table or a table function
	read    int      // index of the object in the reading
}

// names is what a statement calls the columns.
func (b *binding) names() []string {
	if b.named != nil {
		return b.named
	}
	return b.columns
}

// name is what the binding stands for, to a reader: a table by its logical name,
// anything else by its alias.
func (b *binding) name() string {
	if b.object != nil {
		return b.object.Logical
	}
	return b.alias
}

// merged is a column that a JOIN .. USING made of several. Its members are
// tables that have it; its value is that of the first of value that is not
// NULL.
type merged struct {
	name    string
	join    *Join
	members []int
	value   []int
	place   int // its number among the columns of its table, from 1; 0: what its name says
}

// column returns the index of a column of the binding, or -1.
func (r *resolver) column(b *binding, name string) int {
	r.work += len(b.columns)
	return slices.IndexFunc(b.names(), func(c string) bool { return len(c) == len(name) && r.fold(c, name) })
}

// only returns the index of the column that a name means, or -1. It fails where
// several columns of the binding have the name.
func (r *resolver) only(at Pos, b *binding, name string) int {
	i := r.column(b, name)
	if b.named != nil && i >= 0 && slices.ContainsFunc(b.named[i+1:], func(c string) bool { return r.fold(c, name) }) {
		r.fail(AmbiguousColumn, at, name, "'%s' has two columns named '%s': give each an alias", b.alias, name)
	}
	return i
}

// tablesWith returns those of tables[lo:hi] that have the column. The answer
// holds until the next call.
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

// group returns the merged column that stands for name in all tables of found.
func (r *resolver) group(s *scope, name string, found []int) *merged {
	for i := len(s.merged) - 1; i >= 0; i-- {
		m := &s.merged[i]
		if r.fold(m.name, name) && !slices.ContainsFunc(found, func(t int) bool { return !slices.Contains(m.members, t) }) {
			return m
		}
	}
	return nil
}

// byAlias returns the table of the scope that a qualifier means, or -1.
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

// hidden reports whether an engine could take the qualifier for a table of a
// scope that is nearer than the one it was found in.
func (r *resolver) hidden(alias string, found *scope) bool {
	for s := r.scope; s != found; s = s.outer {
		for i := range s.tables {
			if r.fold(s.tables[i].alias, alias) {
				return true
			}
		}
	}
	return r.confusable(alias, found)
}

// confusable reports whether a nearer table, or another one of the same FROM,
// has a name that some collation takes for alias although it is another name.
func (r *resolver) confusable(alias string, found *scope) bool {
	if !r.nonASCII {
		return false
	}
	for s := r.scope; s != nil; s = s.outer {
		for i := range s.tables {
			if b := &s.tables[i]; b.alias != alias && alike(b.alias, alias) {
				return true
			}
		}
		if s == found {
			break
		}
	}
	return false
}

// alike reports whether a collation could hold two names to be the same: they
// have equally many characters and differ only where one is not ASCII, or in
// case.
func alike(a, b string) bool {
	for a != "" && b != "" {
		x, n := utf8.DecodeRuneInString(a)
		y, m := utf8.DecodeRuneInString(b)
		if x < utf8.RuneSelf && y < utf8.RuneSelf && ascii.LowerByte(byte(x)) != ascii.LowerByte(byte(y)) {
			return false
		}
		a, b = a[n:], b[m:]
	}
	return a == b
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
