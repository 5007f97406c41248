// Package dialect defines what differs between SQL dialects: the grammar, how
// statements are printed, how names are looked up, and which functions are safe.
//
// A name that could mean two things is refused in every dialect, with the remedy: qualify
// it, or rename the alias. That is
//
//   - in GROUP BY, HAVING, QUALIFY, DISTINCT ON, ORDER BY of a window and expressions of
//     ORDER BY: a column that is also the alias of another item, and a column that USING or
//     NATURAL merged next to an item that is one of its parts
//   - a select alias that is also a name of an enclosing query
//   - an alias that two items have
//   - a name that several tables have
//   - a name that differs from the nearest one in case, but not from one further out
//   - a common table expression that is declared later
//
// An alias that is a whole term of ORDER BY means its item. WHERE, the select list and the
// arguments of aggregate functions prefer columns. A select alias cannot be used in a
// subquery, and one of an expression with COLLATE has to be a whole term.
//
// Pass a [Dialect] to packages [secureview] and [sqldb]. Each dialect is a package of
// its own ([dialect/sqlite], [dialect/mysql], [dialect/postgres], and [duckdb/dialect], a module of
// its own that needs cgo), so that a program links only the grammars that it uses.
//
// [dialect/mysql]: https://pkg.go.dev/github.com/qedkit/qed/secureview/dialect/mysql
// [dialect/postgres]: https://pkg.go.dev/github.com/qedkit/qed/secureview/dialect/postgres
// [dialect/sqlite]: https://pkg.go.dev/github.com/qedkit/qed/secureview/dialect/sqlite
// [duckdb/dialect]: https://pkg.go.dev/github.com/qedkit/qed/sqldb/duckdb/dialect
// [secureview]: https://pkg.go.dev/github.com/qedkit/qed/secureview
// [sqldb]: https://pkg.go.dev/github.com/qedkit/qed/sqldb
package dialect

import (
	"github.com/qedkit/qed/internal/sqlast"
	"github.com/qedkit/qed/internal/sqlbound"
)

// A Dialect is one SQL dialect. It is safe for concurrent use.
//
// The interface is sealed: only packages of this module implement it. A Guard of
// package secureview is as safe as its dialect. A reader that misses a table, or a
// printer that quotes a name wrongly, would let a statement read what its policy
// hides, so every dialect is held to the attack tests of this module and to its
// corpus of statements. The methods that read and print statements use the
// module's internal tree, which other modules cannot name. Do not embed a Dialect
// to override some of its methods: nothing checks the result.
type Dialect interface {
	// Name returns the name of the dialect in policies and messages: "sqlite",
	// "mysql", "postgres" or "duckdb".
	Name() string

	// Quote returns a name as an identifier of the dialect. It fits
	// joinpath.Plan.SQL.
	Quote(name string) string

	// Safe reports whether a function, given in lower case, reads nothing but its
	// arguments and has no side effects.
	Safe(function string) bool

	// Reread parses a printed statement with a second parser. It returns a
	// *sqlast.Error unless the statement reads exactly the tables in want. It
	// returns nil if the database engine itself makes this check.
	Reread(printed string, want []TableName) error

	// AppendMatch appends the condition that a column, which is printed already, has one
	// of these values as text, byte by byte. It is neither true nor false if there are none.
	AppendMatch(dst []byte, column string, values []string) []byte

	// Bounds returns what the engine cannot bound while a statement runs.
	Bounds() *sqlbound.Rules

	// Language reads statements into the internal tree and prints them. It seals
	// the interface.
	sqlast.Language
}

// TableName is the name of a table or view.
type TableName struct {
	Schema string `json:"schema,omitempty"`
	Name   string `json:"name"`
}

// String returns schema.name, or the name alone if there is no schema.
func (t TableName) String() string {
	if t.Schema == "" {
		return t.Name
	}
	return t.Schema + "." + t.Name
}
