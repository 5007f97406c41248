package sqlitedb

import (
	"context"
	"database/sql/driver"
	"io"
	"strings"
	"unsafe"

	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/qedkit/qed/internal/lists"
)

// QueryContext compiles one SELECT. The statement runs while its rows are read,
// and ends with ctx.
func (c *driverConn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	if len(args) > 0 {
		return nil, errNotGuarded
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	end := c.watch(ctx)
	stmt, err := c.prepare(query)
	if err == nil && c.access != nil {
		if err = c.access.afterPrepare(ctx, c); err != nil {
			sqlite3.Xsqlite3_finalize(c.tls, stmt)
		}
	}
	if err != nil {
		end()
		if ctx.Err() != nil { // compiling a join of many tables may take long
			err = ctx.Err()
		}
		return nil, err
	}
	return &rows{conn: c, stmt: stmt, ctx: ctx, end: end, columns: c.columns(stmt)}, nil
}

// prepare compiles a text that must be exactly one SELECT. SQLite calls the
// authorizer meanwhile.
func (c *driverConn) prepare(query string) (stmt uintptr, err error) {
	if c.handle == 0 {
		return 0, driver.ErrBadConn
	}
	if strings.IndexByte(query, 0) >= 0 {
		return 0, &sqliteError{code: sqlite3.SQLITE_ERROR, message: "a NUL byte in the statement"}
	}
	zSQL, err := libc.CString(query)
	if err != nil {
		return 0, err
	}
	defer libc.Xfree(c.tls, zSQL)
	out := libc.Xcalloc(c.tls, 2, pointerSize) // the statement and the end of its text
	if out == 0 {
		return 0, &sqliteError{code: sqlite3.SQLITE_NOMEM}
	}
	defer libc.Xfree(c.tls, out)
	rc := sqlite3.Xsqlite3_prepare_v2(c.tls, c.handle, zSQL, int32(len(query)+1), out, out+uintptr(pointerSize))
	if rc != sqlite3.SQLITE_OK {
		return 0, c.failed(rc, false)
	}
	stmt = libc.AtomicLoadPUintptr(out)
	rest := query[libc.AtomicLoadPUintptr(out+uintptr(pointerSize))-zSQL:]
	switch {
	case stmt == 0, strings.TrimSpace(rest) != "":
		err = &sqliteError{code: sqlite3.SQLITE_ERROR, message: "not exactly one statement"}
	case sqlite3.Xsqlite3_stmt_readonly(c.tls, stmt) == 0:
		err = &sqliteError{code: sqlite3.SQLITE_READONLY, message: "not a reading statement"}
	}
	if err != nil {
		sqlite3.Xsqlite3_finalize(c.tls, stmt)
		return 0, err
	}
	return stmt, nil
}

type column struct{ name, declared string }

func (c *driverConn) columns(stmt uintptr) []column {
	columns := make([]column, sqlite3.Xsqlite3_column_count(c.tls, stmt))
	for i := range columns {
		columns[i].name = libc.GoString(sqlite3.Xsqlite3_column_name(c.tls, stmt, int32(i)))
		if z := sqlite3.Xsqlite3_column_decltype(c.tls, stmt, int32(i)); z != 0 {
			columns[i].declared = libc.GoString(z)
		}
	}
	return columns
}

// rows runs a prepared statement, a step a row.
type rows struct {
	conn    *driverConn
	stmt    uintptr
	ctx     context.Context
	end     func() // of the watch
	columns []column
	done    bool
}

func (r *rows) Columns() []string {
	return lists.Map(r.columns, func(c column) string { return c.name })
}

// ColumnTypeDatabaseTypeName returns the declared type as it was written. It
// returns "" for an expression.
func (r *rows) ColumnTypeDatabaseTypeName(i int) string { return r.columns[i].declared }

// Close ends the statement.
func (r *rows) Close() error {
	if r.end != nil {
		r.end()
		r.end = nil
		sqlite3.Xsqlite3_finalize(r.conn.tls, r.stmt)
	}
	return nil
}

func (r *rows) Next(dest []driver.Value) error {
	if r.done {
		return io.EOF
	}
	c := r.conn
	switch rc := sqlite3.Xsqlite3_step(c.tls, r.stmt); {
	case r.ctx.Err() != nil:
		r.done = true
		return r.ctx.Err()
	case rc == sqlite3.SQLITE_DONE:
		r.done = true
		return io.EOF
	case rc != sqlite3.SQLITE_ROW:
		r.done = true
		return c.failed(rc, true)
	}
	for i := range dest {
		dest[i] = c.value(r.stmt, int32(i))
	}
	return nil
}

// value returns a value as it is stored: int64, float64, []byte or nil. The bytes
// of a text or blob belong to SQLite and are valid until the next step, as a
// driver may return them: the caller copies what it needs.
func (c *driverConn) value(stmt uintptr, i int32) driver.Value {
	switch sqlite3.Xsqlite3_column_type(c.tls, stmt, i) {
	case sqlite3.SQLITE_INTEGER:
		return sqlite3.Xsqlite3_column_int64(c.tls, stmt, i)
	case sqlite3.SQLITE_FLOAT:
		return sqlite3.Xsqlite3_column_double(c.tls, stmt, i)
	case sqlite3.SQLITE_TEXT:
		return bytesAt(sqlite3.Xsqlite3_column_text(c.tls, stmt, i), sqlite3.Xsqlite3_column_bytes(c.tls, stmt, i))
	case sqlite3.SQLITE_BLOB:
		return bytesAt(sqlite3.Xsqlite3_column_blob(c.tls, stmt, i), sqlite3.Xsqlite3_column_bytes(c.tls, stmt, i))
	}
	return nil
}

// bytesAt returns n bytes of SQLite's memory, which Go does not manage.
func bytesAt(p uintptr, n int32) []byte {
	if n == 0 {
		return []byte{} // p may be 0
	}
	return unsafe.Slice(*(**byte)(unsafe.Pointer(&p)), n)
}

// scan runs a statement of this package and returns its rows, each value as
// text.
func (c *driverConn) scan(ctx context.Context, query string) ([][]string, error) {
	all, err := c.QueryContext(ctx, query, nil)
	if err != nil {
		return nil, err
	}
	defer all.Close()
	var out [][]string
	dest := make([]driver.Value, len(all.Columns()))
	for {
		switch err := all.Next(dest); err {
		case nil:
			row := make([]string, len(dest))
			for i := range dest {
				row[i] = libc.GoString(sqlite3.Xsqlite3_column_text(c.tls, all.(*rows).stmt, int32(i)))
			}
			out = append(out, row)
		case io.EOF:
			return out, nil
		default:
			return nil, err
		}
	}
}
