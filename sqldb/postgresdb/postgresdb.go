// Package postgresdb opens PostgreSQL databases for sqldb.DB.
//
// [Open] opens a database by its connection string, and [New] uses a pool of
// github.com/jackc/pgx/v5/stdlib that the program has opened. Rows are read with
// pgx itself, which costs less than database/sql. PostgreSQL 12 is the oldest
// server that is supported; the tests run with 15 and 18.
//
// Each statement runs in its own read-only transaction, which is rolled back
// after it and ends the [sqldb.Session]. That costs two round trips more than
// the statement alone. The first time in a while that a statement of a form
// runs, a few more round trips let the server plan it. A statement is refused if
// its plan opens a table that the guard did not see and that no view of the
// statement reads, or if planning takes longer than two seconds.
//
// Operators are PostgreSQL's own and those of the extensions whose types a statement
// reads, such as citext, hstore or vector. If others could put operators next to an
// extension's, because everybody may create objects in its schema, such a statement is
// an error of kind [sqldb.ErrAccount], whose text has the remedy. The same holds for a
// schema that the account may not use.
//
// The aggregates of a statement that hold all their values, such as array_agg, and
// ARRAY(query) may collect 8 MB of text, and with DISTINCT 32 MB. A statement that
// collects more is an error of kind [sqldb.ErrTooLarge]. Only the time limit bounds the
// hash tables of NOT IN, EXCEPT and INTERSECT over products of tables.
//
// What outlives a transaction is not undone. A function of the database that a
// policy allows must not take advisory locks of the session, and must not keep
// values in the session, as with %_SHARED of PL/Perl.
//
// With pgx, add default_query_exec_mode=exec to the connection string. A model
// rarely writes the same statement twice, and this mode saves the round trip
// and the memory of preparing each.
//
// A server that logs statements also logs the settings of sessions, including
// keys. The module pg_stat_statements does not store them.
package postgresdb

import (
	"cmp"
	"database/sql"
	"time"

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

// Open opens the database of a connection string in the form of
// github.com/jackc/pgx, such as "postgres://user:password@host:5432/shop". It
// connects to nothing: the first call of a method of the DB does.
//
// The error is a [*sqldb.Error] of kind [sqldb.ErrArgument].
func Open(dsn string, opt *Options) (*sqldb.DB, error) {
	pool, err := sql.Open("pgx", dsn)
	if err != nil {
		return nil, failure.Wrap(sqldb.ErrArgument, "the driver pgx is not registered", err)
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

// New returns a DB that reads the database of pool, whose driver has to be
// github.com/jackc/pgx/v5/stdlib. With another driver each call of the DB is an
// error of kind [sqldb.ErrArgument]. The DB takes over the pool
// and those of [sqldb.Options.Replicas]: [sqldb.DB.Close] closes them. New
// connects to nothing: the first call of a method of the DB does.
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
		checked:   lru.New[fingerprint, []string](maxChecked, checkedTime),
		supported: lru.New[int, struct{}](maxChecked, checkedTime),
	}
}
