// Package dialect is the SQL dialect of DuckDB. Pass its [Dialect] to package
// [secureview]. Package [duckdb] has the databases that run its statements.
//
// Statements are parsed by DuckDB itself: json_serialize_sql turns a SELECT into
// a tree, which this package reads. A program has one small database in memory for
// that, without tables, without access to files, and with one thread. The first
// call of Read opens it. The package needs cgo.
//
// These are refused, with what to write instead:
//
//   - PIVOT: write one aggregate with FILTER (WHERE ..) for each column; UNPIVOT: write
//     UNION ALL
//   - COLUMNS(..), * LIKE and * SIMILAR TO: name the columns
//   - POSITIONAL JOIN: join by row_number() in two subqueries
//   - SEMI and ANTI JOIN: write WHERE [NOT] EXISTS (SELECT ..)
//   - EXCEPT ALL and INTERSECT ALL: write EXCEPT or INTERSECT
//   - USING SAMPLE and TABLESAMPLE: write ORDER BY random() LIMIT 100
//   - * RENAME: name the columns
//   - casts to STRUCT, MAP and arrays, and numbers of more than 18 digits
//   - approx_quantile and approx_top_k: write quantile_cont, or count with ORDER BY and LIMIT
//   - over a window: mode, entropy and histogram, and aggregates with an ORDER BY among their
//     arguments or with DISTINCT next to EXCLUDE: join a subquery with GROUP BY
//   - UNION BY NAME: name the columns of both queries in the same order
//   - table functions except generate_series, range and unnest: read the tables of the
//     policy
//   - OVER after a method call, as in x.sum() OVER (..): make the column the first argument
//   - format and printf with a format that is not a literal, that numbers its values, or
//     that has a width or precision above 99 or from a value: write the values in their
//     order
//   - lambdas inside lambdas, and a parameter of a lambda that is also a column
//   - a name in REPLACE that several tables have
//   - GROUP BY ALL next to a subquery that names a column of the block: write the groups
//   - an ON that names a table before the last comma
//   - GROUP BY ALL, where HAVING names a column by which DuckDB would group as well
//   - in ROLLUP, CUBE and GROUPING SETS, one column or expression in two spellings: DuckDB
//     makes two groups
//   - in ORDER BY, a constant with a sign by its alias, as in -n, if ROLLUP, CUBE or
//     GROUPING SETS have the constant
//   - a GROUP BY with more than 256 grouping sets, or with too many terms in all of them
//   - spaces and invisible characters that are not ASCII, except in quotes and comments
//   - a CASE in the operand of another CASE
//   - more than 6 levels of subqueries that are values or conditions
//   - a path after -> and ->> that is computed or has two dots: name each level, as in
//     '$.a.b'
//   - several texts in one row that aggregates collect, and texts that are computed
//     from such a text: their size has no bound that the statement shows
//   - levenshtein, translate and other slow functions of such a text
//
// Package [duckdb] refuses, by the plan of the statement, mode, entropy and histogram for
// which DuckDB expects more than 250,000 groups: it does not count their memory against its
// limit.
//
// [duckdb]: https://pkg.go.dev/github.com/qedkit/qed/sqldb/duckdb
// [secureview]: https://pkg.go.dev/github.com/qedkit/qed/secureview
package dialect

import (
	"strings"

	"github.com/qedkit/qed/internal/sqlast"
	"github.com/qedkit/qed/secureview/dialect"
)

// Dialect is the dialect of DuckDB. The zero value is ready to use and safe for
// concurrent use.
type Dialect struct{}

var _ dialect.Dialect = Dialect{}

// Name returns "duckdb".
func (Dialect) Name() string { return "duckdb" }

// Flavor returns how DuckDB scopes and compares names.
func (Dialect) Flavor() *sqlast.Flavor { return &flavor }

var flavor = sqlast.Flavor{
	ShortLists:       true,
	GroupsAsWritten:  true,
	AliasInWhere:     true,
	AliasInItems:     true,
	DerivedSeesOuter: true,
	CTESeesOuter:     true,
	RepeatsUnnamed:   true,
	UsingInPlace:     true,
	NamedCalls: map[string]string{
		"current_date": "current_date", "current_time": "get_current_time",
		"current_timestamp": "get_current_timestamp", "localtime": "current_localtime",
		"localtimestamp": "current_localtimestamp",
	},
}

// Append prints a tree. Names are in double quotes. A view that replaces a table is
// printed as a subquery with a limit: DuckDB moves conditions into views, and its
// casts and sums fail for some values, so that an error would tell what a view
// hides.
func (Dialect) Append(dst []byte, q *sqlast.Query, physical bool) ([]byte, error) {
	return style.Append(dst, q, physical)
}

// AppendMatch compares texts: a comparison may ignore case by the collation of a column.
func (Dialect) AppendMatch(dst []byte, column string, values []string) []byte {
	return style.AppendMatch(dst, column, values, "CAST(", ` AS VARCHAR) COLLATE "C"`)
}

// Quote returns a name in double quotes.
func (Dialect) Quote(name string) string { return string(appendName(nil, name)) }

// Safe reports whether a function of DuckDB, given in lower case, reads nothing but
// its arguments, the clock and random numbers, has no side effects, and does not
// return values much larger than its arguments.
func (Dialect) Safe(function string) bool { return bounds.Safe(function) }

// HashRow returns an expression that has the same value for equal rows, and with a
// probability of 2^-64 for others. Columns are quoted names.
func (Dialect) HashRow(columns []string) string { return "hash(" + strings.Join(columns, ", ") + ")" }

// Reread returns nil, because the engine makes this check: before it runs a
// statement, it compares the tables of DuckDB's plan.
func (Dialect) Reread(string, []dialect.TableName) error { return nil }
