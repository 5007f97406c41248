package sqlitedb

import (
	"errors"
	"strings"
	"unicode"

	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/qedkit/qed/sqldb"
)

// sqliteError is what SQLite answered.
type sqliteError struct {
	code    int32  // an extended result code
	message string // SQLite's own; may hold values when running is set
	running bool   // in the middle of a statement, not while it was compiled
	denied  string // what the authorizer did not let pass
}

func (e *sqliteError) Error() string { return "sqlitedb: " + e.text() }

// failed is the error for a result code that was just received.
func (c *conn) failed(code int32, running bool) error {
	e := &sqliteError{code: code, running: running}
	if c.handle != 0 {
		e.message = libc.GoString(sqlite3.Xsqlite3_errmsg(c.tls, c.handle))
	}
	if c.access != nil {
		e.denied = c.access.refused()
	}
	return e
}

// text is SQLite's message, without what could be a value of a row: messages
// that arise while a statement runs can quote one.
func (e *sqliteError) text() string {
	s := e.message
	if e.running {
		if i := strings.IndexAny(s, `'"`+"`:"); i >= 0 {
			s = s[:i]
		}
	}
	s = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
	const longest = 300
	if r := []rune(s); len(r) > longest {
		s = string(r[:longest]) + "…"
	}
	return strings.TrimSpace(s)
}

// classify gives SQLite's result codes their kind and a remedy.
func classify(err error) *sqldb.Error {
	var e *sqliteError
	if !errors.As(err, &e) {
		if errors.Is(err, errNotGuarded) {
			return &sqldb.Error{Kind: sqldb.ErrDenied, Message: "only guarded statements run on this connection", Err: err}
		}
		return nil
	}
	kind, message := sqldb.ErrExecution, e.text()
	switch e.code & 0xff {
	case sqlite3.SQLITE_AUTH:
		kind, message = sqldb.ErrDenied, "the statement would "+e.denied+", which the guard did not see"
	case sqlite3.SQLITE_READONLY:
		kind, message = sqldb.ErrDenied, "the statement would write"
		if e.code != sqlite3.SQLITE_READONLY {
			kind, message = sqldb.ErrUnreadable, "the database was left in the middle of a write: open it once with a program that may write, so that it is repaired"
		}
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED:
		kind, message = sqldb.ErrConnect, "the database is locked by a writer: try again later"
	case sqlite3.SQLITE_TOOBIG:
		kind, message = sqldb.ErrTooLarge, "a value or a stored row is larger than Options.MaxValueBytes"
	case sqlite3.SQLITE_NOMEM, sqlite3.SQLITE_FULL:
		kind, message = sqldb.ErrTooLarge, "out of memory or of space for temporary files: narrow the statement"
	case sqlite3.SQLITE_INTERRUPT:
		kind, message = sqldb.ErrCancelled, "the statement was stopped"
	case sqlite3.SQLITE_NOTADB:
		kind, message = sqldb.ErrNotDatabase, "the file is not a SQLite database, or it is encrypted: check the path"
	case sqlite3.SQLITE_CORRUPT:
		kind, message = sqldb.ErrNotDatabase, "the database is damaged: restore it, or run PRAGMA integrity_check on a copy"
	case sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM, sqlite3.SQLITE_IOERR:
		kind, message = sqldb.ErrUnreadable, "the database cannot be opened or read: check the permissions of the file and, for one in WAL mode, of its folder"
	}
	return &sqldb.Error{Kind: kind, Message: message, Err: err}
}
