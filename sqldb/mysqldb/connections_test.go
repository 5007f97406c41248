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
	"time"

	"github.com/qedkit/qed/sqldb"
)

// asked is a driver that answers what a connection is asked first, and counts.
type asked struct {
	version string
	count   atomic.Int64
}

func (a *asked) Connect(context.Context) (driver.Conn, error) { return &askedConn{asked: a}, nil }
func (a *asked) Driver() driver.Driver                        { return nil }

type askedConn struct{ asked *asked }

func (c *askedConn) Close() error                        { return nil }
func (c *askedConn) Prepare(string) (driver.Stmt, error) { return nil, errors.ErrUnsupported }
func (c *askedConn) Begin() (driver.Tx, error)           { return nil, errors.ErrUnsupported }
func (c *askedConn) QueryContext(_ context.Context, query string, _ []driver.NamedValue) (driver.Rows, error) {
	names := strings.Split(strings.TrimPrefix(query, "SELECT @@"), ", @@")
	if names[0] == "version" {
		c.asked.count.Add(1)
	}
	return &askedRows{askedConn: c, names: names}, nil
}

type askedRows struct {
	*askedConn
	names []string
	done  bool
}

func (r *askedRows) Columns() []string { return r.names }
func (r *askedRows) Next(dest []driver.Value) error {
	if r.done {
		return io.EOF
	}
	r.done = true
	for i, name := range r.names {
		switch value, ok := plainMariaDB[name]; {
		case ok:
			dest[i] = value
		case name == "version":
			dest[i] = r.asked.version
		default:
			dest[i] = int64(7)
		}
	}
	return nil
}

// TestConnections: a connection is asked once, another one anew, and one that is
// closed is forgotten.
func TestConnections(t *testing.T) {
	a := &asked{version: "10.6.1-MariaDB"}
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
			s, err := c.of(t.Context(), conn)
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
		t.Errorf("one connection was asked %d times", n)
	}
	use(20)
	if n := a.count.Load(); n != 20 {
		t.Errorf("20 connections were asked %d times", n)
	}
	known := func() (n int) {
		c.known.Range(func(any, any) bool { n++; return true })
		return n
	}
	for end := time.Now().Add(5 * time.Second); known() > 1 && time.Now().Before(end); {
		runtime.GC()
		time.Sleep(time.Millisecond)
	}
	if n := known(); n != 1 {
		t.Errorf("%d connections are known, with one in the pool", n)
	}
}

func TestOldEnough(t *testing.T) {
	for version, ok := range map[string]bool{
		"10.6.0-MariaDB": true, "10.11.19-MariaDB-0+deb12u1": true, "11.4.2-MariaDB": true, "10.5.29-MariaDB-log": false,
		"8.0.11": true, "8.4.0-2": true, "9.7.4": true, "5.7.44-log": false, "": false,
	} {
		a := &asked{version: version}
		pool := sql.OpenDB(a)
		conn, err := pool.Conn(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := ask(t.Context(), conn); ok != (err == nil) || !ok && !errors.Is(err, sqldb.ErrUnreadable) {
			t.Errorf("%s: %v", version, err)
		}
		conn.Close()
		pool.Close()
	}
}
