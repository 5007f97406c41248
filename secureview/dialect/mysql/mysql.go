// Package mysql is the SQL dialect of MySQL 8.0.21, of MariaDB 10.6 and of later
// versions. Pass its [Dialect] to packages [secureview] and [sqldb/mysqldb].
//
// Statements are parsed by github.com/pingcap/tidb/pkg/parser. Each printed
// statement is parsed a second time by github.com/xwb1989/sqlparser, which shares
// no code with the first parser. The package does not import a database driver.
//
// Statements are read as by a server with the default sql_mode: || is OR, "x" is
// a string, and a backslash is an escape character. Connect with the default
// sql_mode and the character set utf8mb4. Printed statements do not depend on the
// mode, with one exception: under NO_BACKSLASH_ESCAPES a backslash in a string is
// doubled; the tokens stay the same. Connect to MariaDB with the default, empty
// default_regex_flags.
//
// Some expressions that end a server, or that MySQL and MariaDB read differently, are
// refused with the way to write them instead. The document docs/mysql.md of this module
// lists them: https://github.com/qedkit/qed/blob/main/docs/mysql.md
//
// [secureview]: https://pkg.go.dev/github.com/qedkit/qed/secureview
// [sqldb/mysqldb]: https://pkg.go.dev/github.com/qedkit/qed/sqldb/mysqldb
package mysql

import (
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
	switch {
	case d.Version == "":
		return portable.Append(dst, q, physical)
	case parseServer(d.Version).mariaDB:
		return mariaDB.Append(dst, q, physical)
	}
	return style.Append(dst, q, physical)
}

// AppendMatch compares bytes: the comparison of a column depends on its collation.
func (Dialect) AppendMatch(dst []byte, column string, values []string) []byte {
	return style.AppendMatch(dst, column, values, "CAST(", " AS BINARY)")
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
	v, varies := someServers[function]
	return bounds.Safe(function) && (!varies || v.include(parseServer(d.Version)))
}
