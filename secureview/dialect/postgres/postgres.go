// Package postgres is the SQL dialect of PostgreSQL 12 and later. Pass its
// [Dialect] to packages [secureview] and [sqldb/postgresdb].
//
// Statements are parsed by PostgreSQL's own grammar, version 17, which
// github.com/wasilibs/go-pgquery runs as WebAssembly, without cgo. A program has
// one instance of it, so statements are parsed one after the other. The first call
// of Read takes about a second to start it and does not stop when its context is
// done; call Dialect{}.Read("SELECT 1") at the start of the program to avoid the
// delay later. The package does not import a database driver.
//
// A guard does not know the types of columns. Functions in FROM whose columns depend
// on them are refused, and the argument of unnest is read as an array: a stored
// tsvector or multirange needs a cast, as in unnest(c::tsvector).
//
// Run printed statements on a connection with search_path = pg_catalog: functions,
// operators, types and collations without a schema are then PostgreSQL's own. For the
// operators of an extension's types, such as citext, its schema has to follow, and nobody
// else may create objects there: [sqldb/postgresdb] adds and checks it.
// Tables are always printed with their schema. Printed statements do not depend on
// standard_conforming_strings.
//
// Execute each printed statement in a transaction of its own. array_agg, string_agg,
// range_agg, the JSON aggregates and ARRAY(query) count the bytes that they collect in
// the settings qed.collected and, with DISTINCT, qed.distinct, which end with the
// transaction. A statement that collects more than 8 MB of text, or 32 MB with
// DISTINCT, fails. Because of the count, the server computes a subquery or common table
// expression with such a call as it is written, not in parallel, and with columns that
// nothing needs. A division by zero there fails, which the server could otherwise have
// left out.
//
// [secureview]: https://pkg.go.dev/github.com/qedkit/qed/secureview
// [sqldb/postgresdb]: https://pkg.go.dev/github.com/qedkit/qed/sqldb/postgresdb
package postgres

import (
	"github.com/qedkit/qed/internal/sqlast"
	"github.com/qedkit/qed/secureview/dialect"
)

// Dialect is the dialect of PostgreSQL. The zero value is ready to use and safe
// for concurrent use.
type Dialect struct{}

var _ dialect.Dialect = Dialect{}

// Name returns "postgres".
func (Dialect) Name() string { return "postgres" }

// Flavor returns how PostgreSQL scopes and compares names. A name means the column or
// alias with the same case, as on the server. If there is none, it means the one that
// differs in case, so that workOrder needs no quotes. It is refused if a query further out
// has the name in the same case. Names are printed as the policy spells them. Two tables or
// columns of a policy that differ in case only are ambiguous.
func (Dialect) Flavor() *sqlast.Flavor { return &flavor }

var flavor = sqlast.Flavor{
	OutputNames:      true,
	ShortLists:       true,
	DerivedSeesOuter: true,
	CTESeesOuter:     true,
	RowByAlias:       true,
	RepeatsUnnamed:   true,
	UsingKeepsSides:  true,
	ValuesFromOne:    true,
	MaxName:          63,
}

// Append prints a tree. Names are in double quotes.
func (Dialect) Append(dst []byte, q *sqlast.Query, physical bool) ([]byte, error) {
	return style.Append(dst, q, physical)
}

// AppendMatch compares texts in the collation "C".
func (Dialect) AppendMatch(dst []byte, column string, values []string) []byte {
	return style.AppendMatch(dst, column, values, "CAST(", ` AS pg_catalog.text) COLLATE pg_catalog."C"`)
}

// Quote returns a name in double quotes.
func (Dialect) Quote(name string) string { return string(appendName(nil, name)) }

// Safe reports whether a function of PostgreSQL, given in lower case, reads nothing
// but its arguments, the clock and random numbers, has no side effects, and does
// not return values much larger than its arguments. Functions that return many
// rows, such as generate_series, are safe: packages secureview and postgresdb limit
// the rows and the time of a statement.
func (Dialect) Safe(function string) bool {
	return bounds.Safe(function)
}

// Reread returns nil, because package postgresdb makes this check: it compares the
// tables in the server's EXPLAIN of a statement with those that the guard saw.
func (Dialect) Reread(string, []dialect.TableName) error { return nil }
