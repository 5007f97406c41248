// Package sqlitedb opens SQLite databases for [sqldb.DB]: read-only, without
// cgo, with SQLite's own authorizer as the second reader of every statement.
//
// It brings a small driver of its own, which is not registered with
// database/sql and changes nothing for other users of SQLite in the process.
//
// What a statement sorts, groups or collects beyond a few megabytes goes to
// temporary files, which vanish with it. Their size is bounded by its time limit
// and the disk alone.
package sqlitedb

import (
	"database/sql"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	sqlite3 "modernc.org/sqlite/lib"

	"github.com/qedkit/qed/sqldb"
)

// Options configures [Open]. The zero value, like a nil pointer, stands for
// the defaults.
type Options struct {
	sqldb.Options

	// Connections bounds the statements that run at the same time; 0 means 8.
	// Others wait, and their time limit runs meanwhile.
	Connections int

	// MaxValueBytes bounds every value that SQLite makes or reads while a
	// statement runs, and every stored row that it visits, whichever of its
	// columns are read; 0 means 1 MiB. It bounds memory, and also the time
	// of one function call, which nothing can interrupt. Raise it for
	// tables that keep documents or pictures.
	MaxValueBytes int

	// Immutable says that nobody writes to the file while it is open. SQLite
	// then takes no locks and needs no files beside it: for a database on
	// read-only media, or one in WAL mode in a folder that cannot be
	// written. With a writer after all, results are wrong.
	Immutable bool
}

// Open opens a database file for reading. The file must exist and is never
// created or written. One in WAL mode is read along with its log; SQLite may
// put its -shm file back beside it.
//
// A path that begins with "file:" is a URI as SQLite defines it. That is how to
// share a database in memory within a process: "file:/name?vfs=memdb", where
// the program that fills it uses the same name and keeps a connection open. A
// private database in memory (":memory:") would always be empty, so it is an
// error.
//
// The error is a [*sqldb.Error]: of kind [sqldb.ErrMissing],
// [sqldb.ErrUnreadable], [sqldb.ErrNotDatabase] or [sqldb.ErrArgument]. Of the file
// Open reads its first bytes alone, and of a URI nothing: that it is encrypted or
// damaged further in, or that a URI leads to no database, is told when it is
// first read, by [sqldb.DB.Check] or [sqldb.DB.Introspect] mostly.
func Open(path string, opt *Options) (*sqldb.DB, error) {
	var o Options
	if opt != nil {
		o = *opt
	}
	if o.Connections < 0 || o.MaxValueBytes < 0 || o.MaxValueBytes > maxValueBytes {
		return nil, &sqldb.Error{Kind: sqldb.ErrArgument, Message: "Options.Connections or Options.MaxValueBytes is out of range"}
	}
	if o.Connections == 0 {
		o.Connections = 8
	}
	if o.MaxValueBytes == 0 {
		o.MaxValueBytes = 1 << 20
	}
	c, err := newConnector(path, &o)
	if err != nil {
		return nil, err
	}
	pool := sql.OpenDB(c)
	pool.SetMaxOpenConns(o.Connections)
	pool.SetMaxIdleConns(o.Connections)
	db, err := sqldb.New(engine{}, &o.Options, pool)
	if err != nil {
		return nil, errors.Join(err, pool.Close())
	}
	return db, nil
}

const maxValueBytes = 1_000_000_000 // SQLite's own

func newConnector(path string, o *Options) (*connector, error) {
	c := &connector{
		name:     path,
		flags:    sqlite3.SQLITE_OPEN_READONLY | sqlite3.SQLITE_OPEN_NOMUTEX | sqlite3.SQLITE_OPEN_EXRESCODE,
		maxValue: int32(o.MaxValueBytes),
	}
	if strings.IndexByte(path, 0) >= 0 {
		return nil, &sqldb.Error{Kind: sqldb.ErrArgument, Message: "the path holds a NUL byte"}
	}
	if strings.HasPrefix(path, "file:") {
		c.flags |= sqlite3.SQLITE_OPEN_URI
		if o.Immutable {
			return nil, &sqldb.Error{Kind: sqldb.ErrArgument, Message: "Options.Immutable is for a path: write immutable=1 into the URI"}
		}
		return c, nil
	}
	switch {
	case path == "":
		return nil, &sqldb.Error{Kind: sqldb.ErrArgument, Message: "the path is empty: name the database's file"}
	case strings.Contains(path, "://"):
		return nil, &sqldb.Error{Kind: sqldb.ErrArgument, Message: `the path is a URL, and this opens files: name one, or write a URI of SQLite, which begins with "file:"`}
	case path == ":memory:":
		return nil, &sqldb.Error{Kind: sqldb.ErrArgument, Message: `a private database in memory is always empty: name a file, or share one in memory as "file:/name?vfs=memdb"`}
	}
	if err := readable(path); err != nil {
		return nil, err
	}
	if o.Immutable {
		abs, err := filepath.Abs(path)
		if err != nil {
			return nil, &sqldb.Error{Kind: sqldb.ErrUnreadable, Message: "the working folder cannot be found", Err: err}
		}
		c.name = "file:" + uriPath(filepath.ToSlash(abs)) + "?immutable=1"
		c.flags |= sqlite3.SQLITE_OPEN_URI
	}
	return c, nil
}

// readable says early, and by name, what SQLite would say late and vaguely.
func readable(path string) error {
	name := filepath.Base(path)
	f, err := os.Open(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		where := ""
		if _, err := os.Stat(filepath.Dir(path)); errors.Is(err, fs.ErrNotExist) {
			where = ", and no folder that it would be in"
		}
		return &sqldb.Error{Kind: sqldb.ErrMissing, Message: "there is no file " + name + where + ": check the path; it is not created", Err: fs.ErrNotExist}
	case errors.Is(err, fs.ErrPermission):
		return &sqldb.Error{Kind: sqldb.ErrUnreadable, Message: "this user may not read " + name, Err: fs.ErrPermission}
	case err != nil:
		return &sqldb.Error{Kind: sqldb.ErrUnreadable, Message: name + " cannot be opened", Err: errors.Unwrap(err)}
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && !info.Mode().IsRegular() {
		return &sqldb.Error{Kind: sqldb.ErrUnreadable, Message: name + " is not a regular file"}
	}
	head := make([]byte, len(magic))
	switch n, err := io.ReadFull(f, head); {
	case err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF):
		return &sqldb.Error{Kind: sqldb.ErrUnreadable, Message: name + " cannot be read", Err: errors.Unwrap(err)}
	case n > 0 && string(head) != magic: // an empty file is an empty database
		return &sqldb.Error{Kind: sqldb.ErrNotDatabase, Message: name + " is not a SQLite database, or it is encrypted: check the path"}
	}
	return nil
}

// magic is how every database file begins.
const magic = "SQLite format 3\x00"

// uriPath escapes what a URI would take for its query, fragment or an escape.
func uriPath(path string) string {
	if !strings.HasPrefix(path, "/") {
		path = "/" + path // a drive letter
	}
	return strings.NewReplacer("%", "%25", "?", "%3f", "#", "%23").Replace(path)
}
