// Package mysqldb opens MySQL and MariaDB databases for sqldb.DB.
//
// [Open] opens a database by its data source name, and [New] uses a pool that
// the program has opened with github.com/go-sql-driver/mysql. MySQL 8.0.21
// and MariaDB 10.6 are the oldest servers that are supported.
//
// A statement runs read-only, under the server's own time limit and with the
// session of [sqldb.Options]. One SET before the statement and one after it set
// and restore the variables of the connection. They include those on which the
// meaning of a statement depends: sql_mode, the character set, autocommit, and
// the limits above which a server returns only a part of a GROUP_CONCAT or of a
// recursion. On MariaDB, a recursion of more than 100,000 steps is an error of kind
// [sqldb.ErrTooLarge]. That costs one more statement after a statement WITH
// RECURSIVE.
//
// A session of MariaDB may hold 256 MB of the server's memory, or less if its
// max_session_mem_used is lower. A statement that needs more, as for the values that a
// GROUP_CONCAT sorts, is an error of kind [sqldb.ErrTooLarge]. Neither this limit nor
// MySQL's connection_memory_limit counts the values of JSON_OBJECTAGG, and those of
// JSON_ARRAYAGG on MySQL: only the time limit bounds them.
//
// No other variables are restored. A stored function that a policy allows must not
// keep values in other variables of the session, and must not take locks.
//
// The server checks each statement after package [dialect/mysql]: the tables that
// it would read, according to EXPLAIN, must be those that the guard saw. It is
// asked once for all statements that differ only in literals, and again after
// five minutes. A statement whose EXPLAIN takes more than two seconds is refused. So is
// one with a subquery that the server executes for EXPLAIN with more warnings than the
// server keeps: 65,535 on MariaDB, and on MySQL max_error_count, unless
// explain_json_format_version is 2.
//
// An account that may read views, but not the tables behind them, cannot use
// EXPLAIN. Use such an account: the server's grants then do this check. Package
// [secureview/provision] prints them, and [sqldb.DB.Check] reports what the account
// may do beyond them.
//
// MariaDB does not look at its limits while it matches a regular expression. Package
// [dialect/mysql] therefore limits the steps of each match, to about 0.1 seconds of a
// processor for each text and pattern. A statement for which MariaDB reached that limit
// is an error of kind [sqldb.ErrTooLarge], because MariaDB treats the text as one that
// does not match. Texts of more than 20,000 characters in REGEXP_REPLACE are such
// errors too, and so is a statement with repetitions in a pattern or WITH RECURSIVE that
// has more than 65,535 warnings: the server keeps no more, and the one about the limit
// could be missing. The check costs one more statement after each statement with
// repetitions in a pattern. MySQL has a limit of its own, regexp_time_limit.
//
// The Version of the dialect of a statement must be the server's or one with the
// same functions. If the dialect has a Version, a database with a stored routine
// that is named like one of the functions of that version is refused.
//
// A data source name must not contain parseTime=true, which would change dates
// such as 2024-00-00, nor multiStatements=true. Both are refused.
//
// [dialect/mysql]: https://pkg.go.dev/github.com/qedkit/qed/secureview/dialect/mysql
// [secureview/provision]: https://pkg.go.dev/github.com/qedkit/qed/secureview/provision
package mysqldb

import (
	"cmp"
	"database/sql"
	"time"

	"github.com/go-sql-driver/mysql"

	"github.com/qedkit/qed/internal/failure"
	"github.com/qedkit/qed/internal/lru"
	"github.com/qedkit/qed/internal/option"
	"github.com/qedkit/qed/sqldb"
)

// Options configures [Open] and [New]. A nil pointer and the zero value mean
// the defaults.
type Options struct {
	sqldb.Options
}

// Open opens the database of a data source name in the form of
// github.com/go-sql-driver/mysql, such as "user:password@tcp(host:3306)/shop".
// It connects to nothing: the first call of a method of the DB does.
//
// The error is a [*sqldb.Error] of kind [sqldb.ErrArgument].
func Open(dsn string, opt *Options) (*sqldb.DB, error) {
	config, err := mysql.ParseDSN(dsn)
	if err != nil {
		return nil, failure.Wrap(sqldb.ErrArgument,
			"the data source name is invalid: write user:password@tcp(host:3306)/database", err)
	}
	config.Logger = &mysql.NopLogger{} // what the driver logs is also returned as an error
	pool, err := OpenPool(config)
	if err != nil {
		return nil, err
	}
	o := option.Of(opt)
	o.MaxOpenConns = cmp.Or(o.MaxOpenConns, defaultConns)
	db, err := New(pool, &o)
	if err != nil {
		pool.Close()
		return nil, err
	}
	return db, nil
}

// New returns a DB that reads the database of pool, which must use the driver
// github.com/go-sql-driver/mysql. Open the pool with [OpenPool]: in any other pool
// nothing bounds the memory for a row, which the driver reads as a whole. The DB
// takes over the pool and those of [sqldb.Options.Replicas]: [sqldb.DB.Close]
// closes them. New connects to nothing: the first call of a method of the DB does.
//
// The error is a [*sqldb.Error] of kind [sqldb.ErrArgument].
func New(pool *sql.DB, opt *Options) (*sqldb.DB, error) {
	o := option.Of(opt)
	return sqldb.New(newEngine(), pool, &o.Options)
}

const defaultConns = 8

// What a server said about a statement is valid for checkedTime: a view may be
// replaced meanwhile.
const (
	maxChecked  = 1000
	checkedTime = 5 * time.Minute
)

func newEngine() *engine {
	return &engine{
		checked:  lru.New[fingerprint, struct{}](maxChecked, checkedTime),
		suitable: lru.New[poolVersion, struct{}](maxChecked, checkedTime),
	}
}
