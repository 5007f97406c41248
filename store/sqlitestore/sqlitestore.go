// Package sqlitestore keeps conversations in a file: a [sqlstore.Store] on SQLite,
// with the driver modernc.org/sqlite, which needs no C.
//
//	store, err := sqlitestore.Open("/var/lib/myservice/conversations.db", nil)
//
// Several processes of one machine can share a file. It must not lie on a network
// file system: share a server between machines, as package sqlstore says.
//
// # What survives
//
// What an append has confirmed survives the end of the process, however it ends. It survives
// a failure of the power as well, as each commit waits until the disk has it (PRAGMA
// synchronous = FULL): a run relies on it, as it records that it is about to do what must not be
// done twice. The states of graphs alone are not waited for: see Lazy of [sqlstore.Options].
// Who can do without opens a pool of his own, with synchronous = NORMAL, and
// gives it to [sqlstore.New]: then a failure of the power loses the last moments, but
// never the rest.
//
// Beside the file lie two more while it is open, with its name and -wal and -shm. They
// are part of it. Give conversations a file of their own: locks of SQLite are lost where the
// same process opens and closes its file by other means.
//
// Threads in which nothing was recorded for 24 hours are deleted, those that wait for a reply
// too: see MaxAge of [sqlstore.Options].
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

	"github.com/qedkit/qed/store/sqlstore"
)

// connections is how many there are at most: one that writes, and some that read.
const connections = 8

// Open opens the database file at path, and makes it where there is none, for its owner's
// eyes only. The folder must exist. A path is a path: it is never read as a URI, and
// ":memory:" is refused, as [github.com/qedkit/qed.MemoryStore] is for that. Nil options
// mean the defaults. Closing the store closes the file.
func Open(path string, opt *sqlstore.Options) (*sqlstore.Store, error) {
	if path == "" || path == ":memory:" || strings.HasPrefix(path, "file::memory:") {
		return nil, errors.New("sqlitestore: Open needs the path of a file: for conversations in memory there is qed.MemoryStore")
	}
	if strings.IndexByte(path, 0) >= 0 {
		return nil, errors.New("sqlitestore: the path holds a NUL byte")
	}
	name := filepath.Base(path)
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("sqlitestore: the working folder cannot be found: %w", err)
	}
	if err := create(path); err != nil {
		return nil, fmt.Errorf("sqlitestore: %s cannot be opened: %w", name, err)
	}
	db, err := pool(path, "full", connections)
	if err != nil {
		return nil, fmt.Errorf("sqlitestore: %s cannot be opened: %w", name, err)
	}
	var own sqlstore.Options
	if opt != nil {
		own = *opt
	}
	own.CloseDB = true
	if own.Lazy, err = pool(path, "normal", 1); err != nil {
		db.Close()
		return nil, fmt.Errorf("sqlitestore: %s cannot be opened: %w", name, err)
	}
	store, err := sqlstore.New(context.Background(), db, sqlstore.SQLite, &own)
	if err != nil {
		db.Close()
		own.Lazy.Close()
		return nil, fmt.Errorf("sqlitestore: %s: %w", name, err)
	}
	return store, nil
}

// pool opens a file, with commits that wait for the disk (full) or do not (normal).
func pool(path, synchronous string, connections int) (*sql.DB, error) {
	db, err := sql.Open("sqlite", dsn(path, synchronous))
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(connections)
	db.SetMaxIdleConns(connections)
	return db, nil
}

// dsn is how the driver is told of a file, and of what each connection is told.
func dsn(path, synchronous string) string {
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path // a drive letter
	}
	u := url.URL{Scheme: "file", Path: path, RawQuery: url.Values{
		"_txlock": {"immediate"}, // a transaction that begins to read first would not wait for a lock later
		"_pragma": {"busy_timeout(5000)", "journal_mode(wal)", "synchronous(" + synchronous + ")"},
	}.Encode()}
	return u.String()
}

// creating keeps the closing of a file that was just made apart from its being opened: it
// would take the locks away that SQLite has on it, in the whole process.
var creating sync.Mutex

// create makes the file at path, unless there is one. SQLite would make it for everybody to read.
func create(path string) error {
	creating.Lock()
	defer creating.Unlock()
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		if inner, ok := errors.AsType[*fs.PathError](err); ok {
			err = inner.Err // without the folder
		}
		return err
	}
	return f.Close()
}
