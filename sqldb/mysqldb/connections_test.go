package mysqldb

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"io"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/qedkit/qed/internal/poll"
	"github.com/qedkit/qed/sqldb"
)

// fakeDriver is a driver that returns the variables that a new connection is
// queried for, and counts how often.
type fakeDriver struct {
	version string
	count   atomic.Int64
}

func (a *fakeDriver) Connect(context.Context) (driver.Conn, error) { return &fakeConn{driver: a}, nil }
func (a *fakeDriver) Driver() driver.Driver                        { return nil }

type fakeConn struct{ driver *fakeDriver }

func (c *fakeConn) Close() error                        { return nil }
func (c *fakeConn) Prepare(string) (driver.Stmt, error) { return nil, errors.ErrUnsupported }
func (c *fakeConn) Begin() (driver.Tx, error)           { return nil, errors.ErrUnsupported }
func (c *fakeConn) QueryContext(_ context.Context, query string, _ []driver.NamedValue) (driver.Rows, error) {
	names := strings.Split(strings.TrimPrefix(query, "SELECT @@"), ", @@")
	if names[0] == "version" {
		c.driver.count.Add(1)
	}
	return &fakeRows{fakeConn: c, names: names}, nil
}

type fakeRows struct {
	*fakeConn
	names []string
	done  bool
}

func (r *fakeRows) Columns() []string { return r.names }
func (r *fakeRows) Next(dest []driver.Value) error {
	if r.done {
		return io.EOF
	}
	r.done = true
	for i, name := range r.names {
		switch value, ok := plainMariaDB[name]; {
		case ok:
			dest[i] = value
		case name == "version":
			dest[i] = r.driver.version
		default:
			dest[i] = int64(7)
		}
	}
	return nil
}

// Each connection is queried once, and forgotten when it is closed.
func TestConnections(t *testing.T) {
	a := &fakeDriver{version: "10.6.1-MariaDB"}
	pool := sql.OpenDB(a)
	defer pool.Close()
	pool.SetMaxIdleConns(1)
	var c connections
	use := func(n int) {
		t.Helper()
		held := make([]*sql.Conn, n)
		for i := range held {
			conn, err := pool.Conn(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			held[i] = conn
			s, err := c.server(t.Context(), conn)
			if err != nil || !s.mariaDB || !s.foldsNames || s.id != 7 {
				t.Fatalf("%+v, %v", s, err)
			}
		}
		for _, conn := range held {
			conn.Close()
		}
	}
	use(1)
	use(1)
	if n := a.count.Load(); n != 1 {
		t.Errorf("one connection was queried %d times", n)
	}
	use(20)
	if n := a.count.Load(); n != 20 {
		t.Errorf("20 connections were queried %d times", n)
	}
	known := func() (n int) {
		c.known.Range(func(any, any) bool { n++; return true })
		return n
	}
	poll.Until(t, "closed connections are forgotten", func() bool {
		runtime.GC()
		return known() <= 1
	})
	if n := known(); n != 1 {
		t.Errorf("%d connections are known, with one in the pool", n)
	}
}

func TestCheckVersion(t *testing.T) {
	for version, ok := range map[string]bool{
		"10.6.0-MariaDB": true, "10.11.19-MariaDB-0+deb12u1": true, "11.4.2-MariaDB": true, "10.5.29-MariaDB-log": false,
		"8.0.20": false, "8.0.21": true, "8.4.0-2": true, "9.7.4": true, "5.7.44-log": false, "": false,
	} {
		a := &fakeDriver{version: version}
		pool := sql.OpenDB(a)
		conn, err := pool.Conn(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := newServer(t.Context(), conn); ok != (err == nil) || !ok && !errors.Is(err, sqldb.ErrUnreadable) {
			t.Errorf("%s: %v", version, err)
		}
		conn.Close()
		pool.Close()
	}
}
