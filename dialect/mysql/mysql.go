// Package mysql is the dialect of MySQL 8 and MariaDB 10.6 and later: their
// grammar, their scoping, their spelling and the functions that are safe to call.
//
// Statements are read by github.com/pingcap/tidb/pkg/parser. What was printed is
// read a second time by github.com/xwb1989/sqlparser, which shares no code with
// it. The package links no database driver.
//
// A text is taken as a server with the default sql_mode takes it: || is OR, "x"
// is a string, a backslash escapes. What is printed avoids everything that
// depends on the mode, with one exception: a server under NO_BACKSLASH_ESCAPES
// sees the same tokens, but two backslashes in a string that holds one. Connect
// with the default mode and with the character set utf8mb4.
package mysql

import (
	"github.com/qedkit/qed/dialect"
	"github.com/qedkit/qed/internal/ascii"
	"github.com/qedkit/qed/internal/sqlast"
)

// Dialect is the dialect of MySQL and MariaDB. The zero value is ready to use,
// and safe for concurrent use.
type Dialect struct{}

var _ dialect.Dialect = Dialect{}

// Name returns "mysql".
func (Dialect) Name() string { return "mysql" }

// Flavor returns how MySQL scopes and folds names. Names of tables are compared
// without case on every server, also where the server tells them apart: two
// tables of a policy that differ in case alone are ambiguous.
func (Dialect) Flavor() *sqlast.Flavor { return &flavor }

var flavor = sqlast.Flavor{Fold: ascii.EqualFold}

// Append prints a tree. It is given to servers of both brands, so that it has no
// form that only one of them reads where there is another.
func (Dialect) Append(dst []byte, q *sqlast.Query, physical bool) ([]byte, error) {
	return style.Append(dst, q, physical)
}

// Quote prints a name in backticks.
func (Dialect) Quote(name string) string {
	return string(appendName(nil, name))
}

// Safe reports whether a function of MySQL or MariaDB reads nothing but its
// arguments and the clock, has no effect beside its result, and cannot make much
// out of little.
func (Dialect) Safe(function string) bool {
	_, ok := safeFunctions[function]
	return ok
}
