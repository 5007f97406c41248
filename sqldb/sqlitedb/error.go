package sqlitedb

import (
	"errors"
	"fmt"
	"strings"

	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/qedkit/qed/internal/failure"
	"github.com/qedkit/qed/internal/sqlast"
	"github.com/qedkit/qed/sqldb"
)

type sqliteError struct {
	code    int32  // an extended result code
	message string // may contain values of rows if running is set
	running bool   // the statement was running, not being compiled
	denied  string // what the authorizer did not allow
	limit   int32  // the maximum size of a value, if it is lower than the option
}

func (e *sqliteError) Error() string { return "sqlitedb: " + e.text() }

// failed returns the error for a result code that SQLite has just returned.
func (c *driverConn) failed(code int32, running bool) error {
	e := &sqliteError{code: code, running: running}
	if c.limit < c.maxValue {
		e.limit = c.limit
	}
	if c.handle != 0 {
		e.message = libc.GoString(sqlite3.Xsqlite3_errmsg(c.tls, c.handle))
	}
	if c.access != nil {
		e.denied = c.access.denied()
	}
	return e
}

// text returns SQLite's message on one line. The message of an error in a
// running statement is cut before the first quote, because it may contain a
// value of a row.
func (e *sqliteError) text() string {
	s := e.message
	if e.running {
		if i := strings.IndexAny(s, `'"`+"`:"); i >= 0 {
			s = s[:i]
		}
	}
	return failure.Line(s)
}

// classify returns the [sqldb.Error] for an error of SQLite. It returns nil if the
// error is not known.
func classify(err error) *sqldb.Error {
	var e *sqliteError
	if !errors.As(err, &e) {
		if errors.Is(err, errNotGuarded) {
			return failure.Wrap(sqldb.ErrDenied, "only guarded statements run on this connection", err)
		}
		return nil
	}
	if e.running && strings.Contains(e.message, sqlast.EndlessRecursion) {
		return failure.Wrap(sqldb.ErrTooLarge, sqlast.EndlessRecursion, err)
	}
	kind, message := sqldb.ErrExecution, e.text()
	if e.running && strings.HasPrefix(e.message, "fts5: ") {
		message = `the text of MATCH is no search: write words, "a phrase", prefix*, AND, OR and NOT`
	}
	if message == "not authorized to use function: MATCH" {
		message = "MATCH searches only tables of FTS5: write LIKE '%word%'"
	}
	switch e.code & 0xff {
	case sqlite3.SQLITE_AUTH:
		kind, message = sqldb.ErrDenied, "the statement would "+e.denied+", which the guard did not see"
	case sqlite3.SQLITE_READONLY:
		kind, message = sqldb.ErrDenied, "the statement would write"
		if e.code != sqlite3.SQLITE_READONLY {
			kind = sqldb.ErrUnreadable
			message = "a write to the database was interrupted: open it once with a program that may write, which repairs it"
		}
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED:
		kind, message = sqldb.ErrUnavailable, "the database is locked by a writer: try again later"
	case sqlite3.SQLITE_TOOBIG:
		kind, message = sqldb.ErrTooLarge, "a value or a stored row is larger than Options.MaxValueBytes"
		if e.limit > 0 {
			message = fmt.Sprintf("a value or a stored row is larger than %d bytes, "+
				"the limit for a statement with so many columns and calls: name fewer", e.limit)
		}
	case sqlite3.SQLITE_NOMEM, sqlite3.SQLITE_FULL:
		kind, message = sqldb.ErrTooLarge, "out of memory or of space for temporary files: narrow the statement"
	case sqlite3.SQLITE_INTERRUPT:
		kind, message = sqldb.ErrCanceled, "the statement was stopped"
	case sqlite3.SQLITE_NOTADB:
		kind, message = sqldb.ErrNotDatabase, "the file is not a SQLite database, or it is encrypted: check the path"
	case sqlite3.SQLITE_CORRUPT:
		kind, message = sqldb.ErrNotDatabase, "the database is damaged: restore it, or run PRAGMA integrity_check on a copy"
	case sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM, sqlite3.SQLITE_IOERR:
		kind = sqldb.ErrUnreadable
		message = "the database cannot be opened or read: check the permissions of the file and, for WAL mode, its directory"
	}
	return failure.Wrap(kind, message, err)
}
