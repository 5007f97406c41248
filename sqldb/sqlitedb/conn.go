package sqlitedb

import (
	"context"
	"database/sql/driver"
	"errors"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/qedkit/qed/internal/lists"
)

// This is a read-only driver for database/sql on SQLite's C interface. It
// exists because the general driver of the same module can stop a statement
// only before its first row, and because it reads the text of a DATETIME column
// as a time, from which the text cannot be restored. This driver stops a
// statement at any point and returns values as they are stored.

const pointerSize = libc.Tsize_t(unsafe.Sizeof(uintptr(0)))

// A connector opens connections to one database.
type connector struct {
	name     string // a path or a URI; no error contains it
	flags    int32
	maxValue int32
}

func (c *connector) Driver() driver.Driver { return readOnly{} }

// readOnly is the driver for database/sql. It cannot open databases by name.
type readOnly struct{}

func (readOnly) Open(string) (driver.Conn, error) { return nil, errNotGuarded }

var errNotGuarded = errors.New("sqlitedb: only guarded statements run on this connection")

// A driverConn is one connection. Like every driver.Conn it is used by one
// goroutine at a time; only stopped is set by others.
type driverConn struct {
	tls    *libc.TLS
	handle uintptr // sqlite3*

	access    access          // what a statement may do; nil means nothing
	functions map[string]bool // the functions that SQLite marks as innocuous

	maxValue int32 // the maximum size of a value
	limit    int32 // the same, of the running statement

	stopped atomic.Bool // the running statement must end
}

// conns has the connections by their handles, for the callbacks of SQLite.
var conns sync.Map // uintptr -> *driverConn

// Connect opens a connection, on which nothing is allowed yet.
func (c *connector) Connect(ctx context.Context) (_ driver.Conn, err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	db := &driverConn{tls: libc.NewTLS(), maxValue: c.maxValue, limit: c.maxValue}
	defer func() {
		if err != nil {
			db.Close()
		}
	}()
	if err := db.open(c.name, c.flags); err != nil {
		return nil, err
	}
	if err := db.harden(ctx); err != nil {
		return nil, err
	}
	defer db.setAccess(catalog{})()
	if db.functions, err = db.innocuous(ctx); err != nil {
		return nil, err
	}
	// SQLite reads the file only with the first statement.
	if _, err = db.scan(ctx, "SELECT count(*) FROM main.sqlite_schema"); err != nil {
		return nil, err
	}
	return db, nil
}

func (c *driverConn) open(name string, flags int32) error {
	zName, err := libc.CString(name)
	if err != nil {
		return err
	}
	defer libc.Xfree(c.tls, zName)
	out := libc.Xcalloc(c.tls, 1, pointerSize)
	if out == 0 {
		return &sqliteError{code: sqlite3.SQLITE_NOMEM}
	}
	defer libc.Xfree(c.tls, out)
	rc := sqlite3.Xsqlite3_open_v2(c.tls, zName, out, flags, 0)
	c.handle = libc.AtomicLoadPUintptr(out) // also set if opening failed
	if rc != sqlite3.SQLITE_OK {
		return c.failed(rc, false)
	}
	conns.Store(c.handle, c)
	return nil
}

// harden disables what reading does not need, before the first statement.
func (c *driverConn) harden(ctx context.Context) error {
	sqlite3.Xsqlite3_set_authorizer(c.tls, c.handle, callback(authorize), c.handle)
	sqlite3.Xsqlite3_progress_handler(c.tls, c.handle, progressSteps, callback(progress), c.handle)
	sqlite3.Xsqlite3_busy_handler(c.tls, c.handle, callback(busy), c.handle)
	for id, limit := range map[int32]int32{
		sqlite3.SQLITE_LIMIT_LENGTH:              c.maxValue,
		sqlite3.SQLITE_LIMIT_SQL_LENGTH:          1 << 20,
		sqlite3.SQLITE_LIMIT_ATTACHED:            0,
		sqlite3.SQLITE_LIMIT_WORKER_THREADS:      0,
		sqlite3.SQLITE_LIMIT_LIKE_PATTERN_LENGTH: 1000,
		sqlite3.SQLITE_LIMIT_VDBE_OP:             1 << 20,
	} {
		sqlite3.Xsqlite3_limit(c.tls, c.handle, id, limit)
	}
	for op, on := range map[int32]int32{
		sqlite3.SQLITE_DBCONFIG_DEFENSIVE:             1,
		sqlite3.SQLITE_DBCONFIG_TRUSTED_SCHEMA:        0,
		sqlite3.SQLITE_DBCONFIG_ENABLE_TRIGGER:        0,
		sqlite3.SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION: 0,
	} {
		list := libc.NewVaList(on, uintptr(0))
		rc := sqlite3.Xsqlite3_db_config(c.tls, c.handle, op, list)
		libc.Xfree(c.tls, list)
		if rc != sqlite3.SQLITE_OK {
			return c.failed(rc, false)
		}
	}
	defer c.setAccess(setup{})()
	for _, pragma := range []string{"query_only=ON", "cell_size_check=ON", "mmap_size=0", "temp_store=FILE"} {
		if _, err := c.scan(ctx, "PRAGMA "+pragma); err != nil {
			return err
		}
	}
	return nil
}

// Close closes the connection.
func (c *driverConn) Close() error {
	if c.tls == nil {
		return nil
	}
	if c.handle != 0 {
		conns.Delete(c.handle)
		sqlite3.Xsqlite3_close_v2(c.tls, c.handle)
	}
	c.tls.Close()
	*c = driverConn{}
	return nil
}

// Prepare and Begin are part of driver.Conn. Both return an error, so that
// QueryContext is the only method that executes a statement.
func (c *driverConn) Prepare(string) (driver.Stmt, error) { return nil, errNotGuarded }
func (c *driverConn) Begin() (driver.Tx, error)           { return nil, errNotGuarded }

// setAccess sets what statements may do. The function that it returns restores
// what was set before.
func (c *driverConn) setAccess(a access) (end func()) {
	before := c.access
	c.access = a
	return func() { c.access = before }
}

func (c *driverConn) setLimit(size int32) {
	c.limit = size
	sqlite3.Xsqlite3_limit(c.tls, c.handle, sqlite3.SQLITE_LIMIT_LENGTH, size)
}

// watch stops the running statement when ctx is done. The caller must call end,
// after which nothing uses the connection any more.
func (c *driverConn) watch(ctx context.Context) (end func()) {
	c.stopped.Store(false)
	done := make(chan struct{})
	cancel := context.AfterFunc(ctx, func() {
		defer close(done)
		// The flag is needed because SQLite ignores an interrupt while no
		// statement runs.
		c.stopped.Store(true)
		tls := libc.NewTLS() // c.tls belongs to the goroutine of the statement
		sqlite3.Xsqlite3_interrupt(tls, c.handle)
		tls.Close()
	})
	return func() {
		if !cancel() {
			<-done
		}
	}
}

// progressSteps is the number of instructions of SQLite's virtual machine
// between two calls of progress.
const progressSteps = 1000

// progress is the progress handler of SQLite. It returns 1 to stop the
// statement.
func progress(_ *libc.TLS, handle uintptr) int32 {
	if v, ok := conns.Load(handle); ok && v.(*driverConn).stopped.Load() {
		return 1
	}
	return 0
}

// busy is the busy handler of SQLite. It returns 1 to try a locked database
// again.
func busy(_ *libc.TLS, handle uintptr, tries int32) int32 {
	const wait, limit = 5 * time.Millisecond, 1000 // five seconds in all
	v, ok := conns.Load(handle)
	if !ok || tries > limit || v.(*driverConn).stopped.Load() {
		return 0
	}
	time.Sleep(wait)
	return 1
}

// callback returns the C function pointer of a Go function that is declared at
// the top level. The value of such a function points to a word that contains
// the address of its code and never moves.
func callback[F any](f F) uintptr {
	return *(*uintptr)(unsafe.Pointer(&struct{ f F }{f}))
}

// innocuous returns the functions that SQLite marks as innocuous: they have no
// side effect, and their result depends on nothing but the arguments.
func (c *driverConn) innocuous(ctx context.Context) (map[string]bool, error) {
	rows, err := c.scan(ctx, "SELECT DISTINCT lower(name) FROM pragma_function_list WHERE flags & 0x200000")
	if err != nil {
		return nil, err
	}
	return lists.Set(rows, func(row []string) string { return row[0] }), nil
}
