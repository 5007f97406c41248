// Package postgres is the dialect of PostgreSQL 12 and later: its grammar, its
// scoping, its spelling and the functions that are safe to call.
//
// Statements are read by PostgreSQL's own grammar, of version 17, through
// github.com/wasilibs/go-pgquery, which runs it as WebAssembly: no C compiler is
// needed. A program has one instance of it, at which statements take turns. The
// first waits about a second until it is there, whatever its context says; a
// program that would rather wait at its start calls Dialect{}.Read("SELECT 1")
// then. The package links no database driver.
//
// What is printed is meant for a connection with search_path = pg_catalog: there
// functions, operators, types and collations without a schema are those of
// PostgreSQL itself. Tables are always printed with theirs. It means the same with
// standard_conforming_strings on and off.
package postgres

import (
	"github.com/qedkit/qed/dialect"
	"github.com/qedkit/qed/internal/ascii"
	"github.com/qedkit/qed/internal/sqlast"
)

// Dialect is the dialect of PostgreSQL. The zero value is ready to use, and safe
// for concurrent use.
type Dialect struct{}

var _ dialect.Dialect = Dialect{}

// Name returns "postgres".
func (Dialect) Name() string { return "postgres" }

// Flavor returns how PostgreSQL scopes names. They are compared without case,
// also where they stand in quotes, and printed as the policy spells them: so
// workOrder is found without its quotes. Two tables or columns of a policy that
// differ in case alone are ambiguous.
func (Dialect) Flavor() *sqlast.Flavor { return &flavor }

var flavor = sqlast.Flavor{
	DerivedSeesOuter:   true,
	CTESeesOuter:       true,
	RowByAlias:         true,
	RepeatsUnnamed:     true,
	HavingTakesColumn:  true,
	ForwardIfRecursive: true,
	AliasAlone:         true,
	OrderByOutput:      true,
	UsingKeepsSides:    true,
	ShortLists:         true,
	ValuesFromOne:      true,
	MaxName:            63,
	Fold:               ascii.EqualFold,
}

// Append prints a tree. Names stand in double quotes.
func (Dialect) Append(dst []byte, q *sqlast.Query, physical bool) ([]byte, error) {
	return style.Append(dst, q, physical)
}

// Quote prints a name in double quotes.
func (Dialect) Quote(name string) string { return string(appendName(nil, name)) }

// Safe reports whether a function of PostgreSQL reads nothing but its arguments,
// the clock and chance, has no effect beside its result, and cannot make much out
// of little. Functions that answer many rows, such as generate_series, are safe:
// the number of rows and the time of a statement are bounded elsewhere.
func (Dialect) Safe(function string) bool {
	return safeFunctions[function]
}

// Reread returns nil: the server is the second reader. Package postgresdb has it
// explain a statement before it is run, and compares the tables that it names.
func (Dialect) Reread(string, []dialect.TableName) error { return nil }
