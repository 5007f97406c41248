// Package sqlite is the SQL dialect of SQLite. Pass its [Dialect] to packages
// [secureview] and [sqldb/sqlitedb].
//
// Statements are parsed by github.com/sqlc-dev/meyer, a port of SQLite's own
// grammar. Functions in FROM other than json_each and json_tree are refused, and these
// after RIGHT or FULL JOIN. A policy may list tables of FTS5, with all their columns: MATCH
// with a literal, bm25, highlight, snippet and ORDER BY rank are allowed. The package does not
// import a database driver.
//
// [secureview]: https://pkg.go.dev/github.com/qedkit/qed/secureview
// [sqldb/sqlitedb]: https://pkg.go.dev/github.com/qedkit/qed/sqldb/sqlitedb
package sqlite

import (
	"github.com/qedkit/qed/internal/sqlast"
	"github.com/qedkit/qed/secureview/dialect"
)

// Dialect is the dialect of SQLite. The zero value is ready to use and safe for
// concurrent use.
type Dialect struct{}

var _ dialect.Dialect = Dialect{}

// Name returns "sqlite".
func (Dialect) Name() string { return "sqlite" }

// Flavor returns how SQLite scopes and compares names.
func (Dialect) Flavor() *sqlast.Flavor { return &flavor }

var flavor = sqlast.Flavor{
	CTESelfAlways:       true,
	AliasInWhere:        true,
	OnSeesAll:           true,
	DoubleQuotedStrings: true,
	DerivedSeesOuter:    true,
	RowID:               true,
	SearchTables:        true,
	RepeatsNumbered:     true,
	UsingInPlace:        true,
	AliasUnderCollate:   true,
	ValuesFromOne:       true,
}

// Append prints a tree. Unqualified columns are in backticks, because SQLite reads
// "x" as a string if there is no column x. Views are printed behind a barrier, unless the
// statement only compares, adds and counts: see barrierStyle.
func (Dialect) Append(dst []byte, q *sqlast.Query, physical bool) ([]byte, error) {
	if physical && !q.Simple {
		return barrierStyle.Append(dst, q, true)
	}
	return style.Append(dst, q, physical)
}

// AppendMatch compares texts: a cast keeps the collation of its column.
func (Dialect) AppendMatch(dst []byte, column string, values []string) []byte {
	return style.AppendMatch(dst, column, values, "CAST(", " AS TEXT) COLLATE BINARY")
}

// Quote returns a name in double quotes.
func (Dialect) Quote(name string) string {
	return string(sqlast.AppendQuoted(nil, name, '"'))
}

// Safe reports whether a function of SQLite, given in lower case, reads nothing but
// its arguments, the clock and random numbers, has no side effects, and does not
// return much more than its arguments.
func (Dialect) Safe(function string) bool {
	return bounds.Safe(function)
}

// Reread returns nil, because SQLite's authorizer makes this check when a statement
// is prepared.
func (Dialect) Reread(string, []dialect.TableName) error { return nil }
