// Package sqlitedb opens SQLite databases for sqldb.DB: read-only and without
// cgo. SQLite's own authorizer checks each statement a second time while it is
// compiled.
//
// [Open] opens a database by its path or URI. There is no New: the package has
// a small driver of its own, which is not registered with database/sql. It does
// not affect other uses of SQLite in the process.
//
// A statement stops at its time limit, and when its context ends, between two
// instructions of SQLite's virtual machine. A single call of a function, such as
// replace or instr, and a single comparison with LIKE or GLOB run to their end.
// Options.MaxValueBytes bounds the size of their arguments, and thereby the time of
// those that take linear time. The guard bounds the others, whose time is the
// product of two sizes: it refuses a pattern, a needle or a set of characters that
// it cannot show to be short.
//
// A statement that sorts, groups or collects more than a few megabytes writes
// temporary files, which are deleted with it. Only its time limit and the disk
// bound their size.
package sqlitedb

import (
	"cmp"
	"database/sql"
	"errors"
	"io"
	"path/filepath"
	"strings"

	sqlite3 "modernc.org/sqlite/lib"

	"github.com/qedkit/qed/internal/failure"
	"github.com/qedkit/qed/sqldb"
)

// Options configures [Open]. A nil pointer and the zero value mean the
// defaults. SQLite has neither replicas nor sessions: with Replicas Open
// returns an error, and Session may return only settings that filters of the policy compare.
type Options struct {
	sqldb.Options

	// MaxValueBytes is the maximum size of every value that a statement reads
	// or computes, and of every stored row that it visits, whatever columns it
	// reads. 0 means 1 MiB. It limits the memory, and with the guard the time
	// of a call, as the comment of this package explains. Increase it for tables
	// with documents or pictures. A statement that could hold more than 48 such values at once,
	// by its calls and its columns, has a lower limit: 48 times
	// MaxValueBytes bounds the values of a row together.
	MaxValueBytes int

	// Immutable promises that no program writes to the file while it is open.
	// SQLite then takes no locks and needs no files next to the database. Use
	// it for read-only media, and for a database in WAL mode in a directory
	// that cannot be written. If a program does write, results are wrong.
	Immutable bool
}

// Open opens a database file for reading. The file must exist; it is never
// created or written. A database in WAL mode is read together with its log, for
// which SQLite may create the -shm file next to it.
//
// A path that begins with "file:" is a URI as SQLite defines it. Use one to
// share a database in memory within a process: "file:/name?vfs=memdb". The code
// that fills it must use the same name and keep a connection open. The path
// ":memory:" is an error, because such a database would always be empty.
//
// The error is a [*sqldb.Error] of kind [sqldb.ErrMissing],
// [sqldb.ErrUnreadable], [sqldb.ErrNotDatabase] or [sqldb.ErrArgument]. Open
// reads only the first bytes of a file, and nothing of a URI. Other problems
// are reported when the database is first read, which is usually by
// [sqldb.DB.Check].
func Open(path string, opt *Options) (*sqldb.DB, error) {
	var o Options
	if opt != nil {
		o = *opt
	}
	if o.MaxValueBytes < 0 || o.MaxValueBytes > maxValueBytes {
		return nil, failure.Newf(sqldb.ErrArgument,
			"Options.MaxValueBytes is %d: it must be between 0 and %d", o.MaxValueBytes, maxValueBytes)
	}
	if len(o.Replicas) > 0 {
		return nil, failure.New(sqldb.ErrArgument, "Options.Replicas is set, and SQLite has no replicas")
	}
	o.MaxValueBytes = cmp.Or(o.MaxValueBytes, 1<<20)
	o.MaxOpenConns = cmp.Or(o.MaxOpenConns, defaultConns)
	c, err := newConnector(path, &o)
	if err != nil {
		return nil, err
	}
	pool := sql.OpenDB(c)
	db, err := sqldb.New(engine{}, pool, &o.Options)
	if err != nil {
		pool.Close()
		return nil, err
	}
	return db, nil
}

const (
	defaultConns  = 8             // the default of MaxOpenConns
	maxValueBytes = 1_000_000_000 // the limit of SQLite
)

func newConnector(path string, o *Options) (*connector, error) {
	c := &connector{
		name:     path,
		flags:    sqlite3.SQLITE_OPEN_READONLY | sqlite3.SQLITE_OPEN_NOMUTEX | sqlite3.SQLITE_OPEN_EXRESCODE,
		maxValue: int32(o.MaxValueBytes),
	}
	if strings.IndexByte(path, 0) >= 0 {
		return nil, failure.New(sqldb.ErrArgument, "the path contains a NUL byte")
	}
	if strings.HasPrefix(path, "file:") {
		c.flags |= sqlite3.SQLITE_OPEN_URI
		if o.Immutable {
			return nil, failure.New(sqldb.ErrArgument, "Options.Immutable is for a path: add immutable=1 to the URI")
		}
		return c, nil
	}
	switch {
	case path == "":
		return nil, failure.New(sqldb.ErrArgument, "the path is empty: use the path of the database file")
	case strings.Contains(path, "://"):
		return nil, failure.New(sqldb.ErrArgument,
			`the path is a URL: use the path of a file, or a URI of SQLite, which begins with "file:"`)
	case path == ":memory:":
		return nil, failure.New(sqldb.ErrArgument,
			`a private database in memory is always empty: use a file, or a shared one as "file:/name?vfs=memdb"`)
	}
	if err := readable(path); err != nil {
		return nil, err
	}
	if o.Immutable {
		abs, err := filepath.Abs(path)
		if err != nil {
			return nil, failure.Wrap(sqldb.ErrUnreadable, "the working directory cannot be found", err)
		}
		c.name = "file:" + uriPath(filepath.ToSlash(abs)) + "?immutable=1"
		c.flags |= sqlite3.SQLITE_OPEN_URI
	}
	return c, nil
}

// readable returns an error if path is not a readable database. SQLite would
// report that later and with less detail.
func readable(path string) error {
	f, err := failure.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	name := filepath.Base(path)
	head := make([]byte, len(magic))
	switch n, err := io.ReadFull(f, head); {
	case err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF):
		return failure.Wrap(sqldb.ErrUnreadable, name+" cannot be read", errors.Unwrap(err))
	case n > 0 && string(head) != magic: // an empty file is an empty database
		return failure.New(sqldb.ErrNotDatabase, name+" is not a SQLite database, or it is encrypted: check the path")
	}
	return nil
}

// magic is the beginning of every database file.
const magic = "SQLite format 3\x00"

func uriPath(path string) string {
	if !strings.HasPrefix(path, "/") {
		path = "/" + path // begins with a drive letter
	}
	return strings.NewReplacer("%", "%25", "?", "%3f", "#", "%23").Replace(path)
}
