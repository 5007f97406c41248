// Package mysql is the SQL dialect of MySQL 8.0.21, of MariaDB 10.6 and of later
// versions. Pass its [Dialect] to packages secureview and sqldb/mysqldb.
//
// Statements are parsed by github.com/pingcap/tidb/pkg/parser. Each printed
// statement is parsed a second time by github.com/xwb1989/sqlparser, which shares
// no code with the first parser. The package does not import a database driver.
//
// Statements are read as by a server with the default sql_mode: || is OR, "x" is
// a string, and a backslash is an escape character. Connect with the default
// sql_mode and the character set utf8mb4. Printed statements do not depend on the
// mode, with one exception: under NO_BACKSLASH_ESCAPES a backslash in a string is
// doubled; the tokens stay the same.
//
// A few expressions that end a MariaDB server of version 10.11 are refused: JSON_EXTRACT
// as an operand of <=>, comparisons of rows next to JSON_OBJECTAGG, GROUP_CONCAT with a
// position in its ORDER BY next to WITH ROLLUP, comparisons with a query without FROM in
// a window, and a window function next to a column of the outer query in the ORDER BY of
// a subquery. So is what ends a MySQL server of version 9.7: an aggregate or a window
// function in the first SELECT of several that are the right side of EXCEPT or INTERSECT,
// and, if a subquery has the EXCEPT or INTERSECT, GROUP BY an expression of a column that
// is an aggregate of a derived table or belongs to a secure view: compute the expression
// in another derived table, and group by its column. Any other view is read as a table.
//
// A name that MySQL and MariaDB read differently is refused: a column that is also the
// alias of another item, in ORDER BY of a window. Qualify the column, or rename the alias.
// So is * over a RIGHT JOIN .. ON inside a join with USING or a NATURAL JOIN: they order its
// columns differently. Name the columns, or write LEFT JOIN.
//
// The servers know a column of a view, or of a derived table, by the table that the view or
// derived table reads. So A.x is refused if an item C.y has the name x, and C reads a table
// called A: in GROUP BY and HAVING, as in SELECT boss AS id FROM emp GROUP BY emp.id, boss
// over a view of emp, and in ORDER BY and windows if C is a derived table. Give C.y another
// alias.
//
// In HAVING of a subquery, a column of an outer query needs its table. In HAVING of a query
// WITH ROLLUP, a subquery may not name an outer column in its own HAVING.
//
// Two items of the select list that are one term of GROUP BY .. WITH ROLLUP are refused,
// because the spelling of the term decides which of them is NULL in a total.
//
// An alias in an expression of ORDER BY is refused next to DISTINCT, unless it is a column:
// order by the alias alone.
//
// If a statement has a LIMIT, such as the row limit of a guard, MySQL may give two columns of
// the result one name, as for SELECT DISTINCT d.k AS a, d.k AS b over a derived table d whose
// k is constant.
//
// GROUP_CONCAT in ORDER BY is refused next to GROUP BY and another GROUP_CONCAT of the same
// values, because MySQL takes one for the other: order by an alias.
//
// N'x' is read as 'x'. The item 'Sa' 'les' has the name Sa in MySQL, and the name Sales in
// the guard's statement.
//
// Regular expressions have to be literals, unless [Dialect.Version] is one of MySQL,
// and possessive repetitions, back references, recursion, verbs, and repetitions in
// assertions are refused. What is printed limits the steps that MariaDB takes for a
// match. If it reaches the limit, it returns no match and the warning 1139: package
// sqldb/mysqldb makes it an error. Connect to MariaDB with the default, empty
// default_regex_flags.
package mysql

import (
	"cmp"

	"github.com/qedkit/qed/internal/sqlast"
	"github.com/qedkit/qed/secureview/dialect"
)

// Dialect is the dialect of MySQL and MariaDB. The zero value is ready to use, for
// every server. A Dialect is safe for concurrent use.
type Dialect struct {
	// Version is the version of the server, as SELECT VERSION() returns it. Its
	// end may be missing: "8.4" for MySQL, "10.11-MariaDB" for MariaDB. With a
	// version, statements may also call the safe functions that only some servers
	// have, such as any_value of MySQL and to_char of MariaDB. Package sqldb/mysqldb
	// refuses a statement if the server does not have them. With a version of MySQL,
	// statements may use any regular expression.
	Version string
}

var _ dialect.Dialect = Dialect{}

// Name returns "mysql".
func (Dialect) Name() string { return "mysql" }

// Flavor returns how MySQL scopes and compares names. Table names are compared
// without case, even if the server distinguishes case: two tables of a policy that
// differ in case only are ambiguous.
func (Dialect) Flavor() *sqlast.Flavor { return &flavor }

var flavor = sqlast.Flavor{ServersVary: true}

// Append prints a tree. It uses forms that MySQL and MariaDB both read.
func (d Dialect) Append(dst []byte, q *sqlast.Query, physical bool) ([]byte, error) {
	if physical {
		if err := cmp.Or(refuseOuterWindows(q), refuseGroupedArms(q)); err != nil {
			return dst, err
		}
	}
	switch {
	case d.Version == "":
		return portable.Append(dst, q, physical)
	case parseServer(d.Version).mariaDB:
		return mariaDB.Append(dst, q, physical)
	}
	return style.Append(dst, q, physical)
}

// Quote returns a name in backticks.
func (Dialect) Quote(name string) string {
	return string(appendName(nil, name))
}

// Safe reports whether a function of MySQL or MariaDB, given in lower case, reads
// nothing but its arguments and the clock, has no side effects, and does not
// return much more than its arguments. Without a Version it reports the functions
// that every server has: a name that a server does not know could mean a stored
// function of its schema, which may read what it likes.
func (d Dialect) Safe(function string) bool {
	if safeFunctions[function] || d.Version == "" {
		return safeFunctions[function]
	}
	v, known := someServers[function]
	return known && v.include(parseServer(d.Version))
}
