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
)

// This is a database/sql driver for reading alone, straight on SQLite's C
// interface. The general driver of the same module stops a statement only
// until its first row, and reads the text of a DATETIME column as a time, which
// cannot be turned back into the text. Here a context stops a statement at any
// point, and a value is what is stored.

const pointerSize = libc.Tsize_t(unsafe.Sizeof(uintptr(0)))

// connector opens connections to one database.
type connector struct {
	name     string // a path or a URI; never shown
	flags    int32
	maxValue int32
}

func (c *connector) Driver() driver.Driver { return readOnly{} }

// readOnly is the driver as database/sql sees it. It opens nothing by itself.
type readOnly struct{}

func (readOnly) Open(string) (driver.Conn, error) { return nil, errNotGuarded }

var errNotGuarded = errors.New("sqlitedb: only guarded statements run on this connection")

// conn is one connection. Like every driver.Conn it serves one goroutine at a
// time; only stop is called from others.
type conn struct {
	tls    *libc.TLS
	handle uintptr // sqlite3*

	access    access          // what a statement may do; nil: nothing
	functions map[string]bool // the functions that SQLite holds harmless

	stopped atomic.Bool // the statement in hand is to end
}

// conns finds a connection from its handle, inside a callback of SQLite.
var conns sync.Map // uintptr -> *conn

// Connect opens a connection, on which nothing is allowed yet.
func (c *connector) Connect(ctx context.Context) (_ driver.Conn, err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	db := &conn{tls: libc.NewTLS()}
	defer func() {
		if err != nil {
			db.Close()
		}
	}()
	if err := db.open(c.name, c.flags); err != nil {
		return nil, err
	}
	if err := db.harden(ctx, c.maxValue); err != nil {
		return nil, err
	}
	defer db.allow(catalog{})()
	if db.functions, err = db.harmless(ctx); err != nil {
		return nil, err
	}
	// Reading the header is the first thing that touches the file.
	if _, err = db.scan(ctx, "SELECT count(*) FROM main.sqlite_schema"); err != nil {
		return nil, err
	}
	return db, nil
}

func (c *conn) open(name string, flags int32) error {
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
	c.handle = libc.AtomicLoadPUintptr(out) // set also where opening failed
	if rc != sqlite3.SQLITE_OK {
		return c.failed(rc, false)
	}
	conns.Store(c.handle, c)
	return nil
}

// harden takes away what reading does not need, before the first statement.
func (c *conn) harden(ctx context.Context, maxValue int32) error {
	sqlite3.Xsqlite3_set_authorizer(c.tls, c.handle, callback(authorize), c.handle)
	sqlite3.Xsqlite3_progress_handler(c.tls, c.handle, progressSteps, callback(progress), c.handle)
	sqlite3.Xsqlite3_busy_handler(c.tls, c.handle, callback(busy), c.handle)
	for id, limit := range map[int32]int32{
		sqlite3.SQLITE_LIMIT_LENGTH:              maxValue,
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
	defer c.allow(setup{})()
	for _, pragma := range []string{"query_only=ON", "cell_size_check=ON", "mmap_size=0", "temp_store=FILE"} {
		if _, err := c.scan(ctx, "PRAGMA "+pragma); err != nil {
			return err
		}
	}
	return nil
}

// Close ends the connection.
func (c *conn) Close() error {
	if c.tls == nil {
		return nil
	}
	if c.handle != 0 {
		conns.Delete(c.handle)
		sqlite3.Xsqlite3_close_v2(c.tls, c.handle)
	}
	c.tls.Close()
	*c = conn{}
	return nil
}

// Prepare and Begin are part of driver.Conn. With both refused, QueryContext is
// the only way in.
func (c *conn) Prepare(string) (driver.Stmt, error) { return nil, errNotGuarded }
func (c *conn) Begin() (driver.Tx, error)           { return nil, errNotGuarded }

// allow puts a in charge of what statements may do, until the function that it
// returns is called.
func (c *conn) allow(a access) (end func()) {
	before := c.access
	c.access = a
	return func() { c.access = before }
}

// watch stops the statement in hand once ctx is done. When the function that
// it returns has returned, nothing touches the connection any more.
func (c *conn) watch(ctx context.Context) (end func()) {
	c.stopped.Store(false)
	done := make(chan struct{})
	cancel := context.AfterFunc(ctx, func() {
		defer close(done)
		// The flag holds also where no statement runs at this moment, for
		// SQLite forgets an interrupt then.
		c.stopped.Store(true)
		tls := libc.NewTLS() // c.tls belongs to the statement's goroutine
		sqlite3.Xsqlite3_interrupt(tls, c.handle)
		tls.Close()
	})
	return func() {
		if !cancel() {
			<-done
		}
	}
}

// progressSteps is how many instructions of SQLite's machine lie between two
// looks at whether to go on.
const progressSteps = 1000

// progress is SQLite's question whether to go on; not 0 is no.
func progress(_ *libc.TLS, handle uintptr) int32 {
	if v, ok := conns.Load(handle); ok && v.(*conn).stopped.Load() {
		return 1
	}
	return 0
}

// busy is SQLite's question whether to try a locked database again; 0 is no.
func busy(_ *libc.TLS, handle uintptr, tries int32) int32 {
	const wait, limit = 5 * time.Millisecond, 1000 // five seconds in all
	v, ok := conns.Load(handle)
	if !ok || tries > limit || v.(*conn).stopped.Load() {
		return 0
	}
	time.Sleep(wait)
	return 1
}

// callback is the C function pointer of a Go function that is declared at the
// top level: such a function value points at a word that holds its code's
// address and never moves.
func callback[F any](f F) uintptr {
	return *(*uintptr)(unsafe.Pointer(&struct{ f F }{f}))
}

// harmless is the functions that SQLite itself marks as innocuous: no side
// effect, nothing revealed but what follows from the arguments.
func (c *conn) harmless(ctx context.Context) (map[string]bool, error) {
	rows, err := c.scan(ctx, "SELECT DISTINCT lower(name) FROM pragma_function_list WHERE flags & 0x200000")
	if err != nil {
		return nil, err
	}
	functions := make(map[string]bool, len(rows))
	for _, row := range rows {
		functions[row[0]] = true
	}
	return functions, nil
}
