// Package sqlitestore keeps conversations in an SQLite file. [Open] makes a
// [sqlstore.Store] with the driver modernc.org/sqlite, which needs no C compiler.
//
//	st, err := sqlitestore.Open("/var/lib/myservice/conversations.db", nil)
//
// Several processes of one machine can share a file. The file must not be on a
// network file system; to share conversations between machines use a database
// server with package [sqlstore].
//
// # Durability
//
// A confirmed append survives the end of the process, and also a power failure:
// each commit waits until the data are on the disk (PRAGMA synchronous = FULL). A
// run depends on it, because it records an at-most-once call before it makes the
// call. Only checkpoints and heartbeats are not waited for, see CheckpointDB of
// [sqlstore.Options]. A program that does not need this opens a pool with
// synchronous = NORMAL and passes it to [sqlstore.New]: then a power failure can
// lose the most recent records, but no older ones.
//
// # Files
//
// While the file is open, two files next to it belong to it: their names end in
// -wal and -shm. Use the file for nothing else: if the same process opens and
// closes it by other means, SQLite loses its locks.
//
// Threads are kept for ever, unless MaxAge or MaxUnfinishedAge of
// [sqlstore.Options] says otherwise.
//
// [sqlstore]: https://pkg.go.dev/github.com/qedkit/qed/store/sqlstore
package sqlitestore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"

	_ "modernc.org/sqlite" // the driver

	"github.com/qedkit/qed/internal/option"
	"github.com/qedkit/qed/store/sqlstore"
)

// connections limits the pool: one connection writes, the others read.
const connections = 8

// Open opens the database file at path. Closing the store closes the file.
//
//   - If the file does not exist, Open creates it, readable only by its owner.
//     The directory must exist.
//   - path is never interpreted as a URI, and ":memory:" is refused: use
//     [github.com/qedkit/qed/store.InMemory] instead.
//   - Nil options mean the defaults: nothing is deleted by age. Open sets
//     CheckpointDB and CloseDB itself.
func Open(path string, opt *sqlstore.Options) (*sqlstore.Store, error) {
	if path == "" || path == ":memory:" || strings.HasPrefix(path, "file::memory:") {
		return nil, errors.New("sqlitestore: Open needs the path of a file; use store.InMemory for memory")
	}
	if strings.IndexByte(path, 0) >= 0 {
		return nil, errors.New("sqlitestore: the path contains a NUL byte")
	}
	name := filepath.Base(path) // errors do not show the directory
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("sqlitestore: the working directory cannot be found: %w", err)
	}
	if err := create(path); err != nil {
		return nil, fmt.Errorf("sqlitestore: %s cannot be opened: %w", name, err)
	}
	own := option.Of(opt)
	own.CloseDB = true
	db, err := pool(path, "full", connections)
	if err != nil {
		return nil, fmt.Errorf("sqlitestore: %s cannot be opened: %w", name, err)
	}
	if own.CheckpointDB, err = pool(path, "normal", 1); err != nil {
		db.Close()
		return nil, fmt.Errorf("sqlitestore: %s cannot be opened: %w", name, err)
	}
	st, err := sqlstore.New(context.Background(), db, sqlstore.SQLite, &own)
	if err != nil {
		db.Close()
		own.CheckpointDB.Close()
		return nil, fmt.Errorf("sqlitestore: %s: %w", name, err)
	}
	return st, nil
}

// pool opens a file with commits that wait for the disk (full) or do not
// (normal).
func pool(path, synchronous string, connections int) (*sql.DB, error) {
	db, err := sql.Open("sqlite", dsn(path, synchronous))
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(connections)
	db.SetMaxIdleConns(connections)
	return db, nil
}

// dsn returns the data source name of a file, with the settings of each
// connection.
func dsn(path, synchronous string) string {
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path // a drive letter
	}
	u := url.URL{Scheme: "file", Path: path, RawQuery: url.Values{
		"_txlock": {"immediate"}, // a transaction that begins with a read would not wait for a lock later
		"_pragma": {"busy_timeout(5000)", "journal_mode(wal)", "synchronous(" + synchronous + ")"},
	}.Encode()}
	return u.String()
}

// creating is held while create has a file open. Closing a file releases all
// POSIX locks that the process has on it, also those of a connection that another
// call of Open made.
var creating sync.Mutex

// create creates the file at path unless it exists. SQLite would create it
// readable by everybody.
func create(path string) error {
	creating.Lock()
	defer creating.Unlock()
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		if inner, ok := errors.AsType[*fs.PathError](err); ok {
			err = inner.Err // without the directory
		}
		return err
	}
	return f.Close()
}
