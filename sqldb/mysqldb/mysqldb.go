// Package mysqldb reads MySQL and MariaDB databases for [sqldb.DB], through the
// host's own pool of github.com/go-sql-driver/mysql.
//
// A statement runs read-only, under the server's own time limit, with the
// session that the host gives to it ([sqldb.Options]) and nothing of it left
// afterwards: one SET before it and one after, which puts every variable back to
// what it was. What must not depend on how a pool is set up is part of them: the
// sql_mode, the character set, autocommit, how long a GROUP_CONCAT and how deep a
// recursion may be before a server answers a part for the whole.
//
// What nobody knows of is not put back: a stored function that a policy lets
// statements call must keep nothing in variables of the session, nor take locks.
//
// The server is the third reader of a statement, after those of dialect/mysql:
// what EXPLAIN says that it would read has to be what the guard saw. It is asked
// once for statements that differ in literals alone, and again after five
// minutes. An account that may read views, but not what lies behind them, cannot
// ask; there the server's own grants do that work. It is the account to have:
// package secureview prints its grants, [sqldb.DB.Check] tells what it has too
// much.
//
// A data source name needs neither parseTime=true, which would make another date
// of 2024-00-00, nor multiStatements=true: both are refused.
package mysqldb

import (
	"database/sql"
	"time"

	"github.com/qedkit/qed/internal/shapes"
	"github.com/qedkit/qed/sqldb"
)

// New returns a DB that reads a MySQL database, 8.0 or later, or a MariaDB one,
// 10.6 or later. Several pools are replicas of it. A nil opt means the defaults.
// The DB takes over the pools: [sqldb.DB.Close] closes them.
//
// Nothing is sent to a server yet. The error is a [*sqldb.Error] of kind
// [sqldb.ErrArgument].
func New(opt *sqldb.Options, pools ...*sql.DB) (*sqldb.DB, error) {
	return sqldb.New(newEngine(), opt, pools...)
}

func newEngine() *engine {
	return &engine{admitted: shapes.New(1000, 5*time.Minute)}
}
