// Package sqlite is the SQLite dialect: its grammar, its scoping, its spelling
// and the functions that are safe to call.
//
// Statements are read by github.com/sqlc-dev/meyer, a port of SQLite's own
// grammar. The package links no database driver.
package sqlite

import (
	"github.com/qedkit/qed/dialect"
	"github.com/qedkit/qed/internal/ascii"
	"github.com/qedkit/qed/internal/sqlast"
)

// Dialect is SQLite's dialect. The zero value is ready to use, and safe for
// concurrent use.
type Dialect struct{}

var _ dialect.Dialect = Dialect{}

// Name returns "sqlite".
func (Dialect) Name() string { return "sqlite" }

// Flavor returns how SQLite scopes and folds names.
func (Dialect) Flavor() *sqlast.Flavor { return &flavor }

var flavor = sqlast.Flavor{
	CTEForward:          true,
	CTESelfAlways:       true,
	AliasInWhere:        true,
	OnSeesAll:           true,
	DoubleQuotedStrings: true,
	DerivedSeesOuter:    true,
	RowID:               true,
	HavingTakesColumn:   true,
	NamesRepeat:         true,
	UsingInPlace:        true,
	AliasUnderCollate:   true,
	ValuesFromOne:       true,
	Fold:                ascii.EqualFold,
}

// Append prints a tree. Unqualified columns stand in backticks, because SQLite
// takes a "x" that is no column for a string.
func (Dialect) Append(dst []byte, q *sqlast.Query, physical bool) ([]byte, error) {
	return style.Append(dst, q, physical)
}

// Quote prints a name in double quotes.
func (Dialect) Quote(name string) string {
	return string(appendQuoted(nil, name, '"'))
}

// Safe reports whether a function of SQLite reads nothing but its arguments, has
// no effect beside its result, and cannot make much out of little.
func (Dialect) Safe(function string) bool {
	_, ok := safeFunctions[function]
	return ok
}

// Reread returns nil: SQLite's authorizer is the second reader, when a statement
// is prepared.
func (Dialect) Reread(string, []dialect.TableName) error { return nil }
