package mysqldb

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"net"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"weak"

	"github.com/go-sql-driver/mysql"

	"github.com/qedkit/qed/internal/failure"
	"github.com/qedkit/qed/sqldb"
)

// OpenPool opens a pool for [New] or [sqldb.Options.Replicas] whose connections
// read no row that is much larger than [sqldb.Options.MaxBytes]. The driver itself
// reads a row as a whole, whatever its size. OpenPool sets DialFunc of a copy of
// the configuration, unless config has one: rows are then not limited.
//
// The error is a [*sqldb.Error] of kind [sqldb.ErrArgument]. Compression is one: the
// size of a compressed row says nothing about its memory.
func OpenPool(config *mysql.Config) (*sql.DB, error) {
	dsn := config.FormatDSN()
	if strings.Contains(dsn[strings.LastIndexByte(dsn, '?')+1:], "compress=true") {
		return nil, failure.New(sqldb.ErrArgument, "the data source name has compress=true: leave it out")
	}
	config = config.Clone()
	if config.DialFunc == nil && (config.Net == "tcp" || config.Net == "unix") {
		config.DialFunc = dial
	}
	c, err := mysql.NewConnector(config)
	if err != nil {
		return nil, failure.Wrap(sqldb.ErrArgument,
			"a parameter of the data source name is invalid; see the wrapped error", err)
	}
	return sql.OpenDB(connector{c}), nil
}

// A meter limits the bytes that a connection receives between two calls of Next.
// It implements [sqldb.Receiver].
type meter struct {
	limit    atomic.Int64
	left     atomic.Int64
	exceeded atomic.Bool
}

func (m *meter) Next() { m.left.Store(m.limit.Load()) }

func (m *meter) Exceeded() bool { return m.exceeded.Load() }

var meters sync.Map // weak.Pointer[byte] -> *meter

// A connector registers the meter of each connection that it opens.
type connector struct{ driver.Connector }

type meterKey struct{}

func (c connector) Connect(ctx context.Context) (driver.Conn, error) {
	m := &meter{}
	conn, err := c.Connector.Connect(context.WithValue(ctx, meterKey{}, m))
	if err != nil {
		return nil, err
	}
	if key, ok := identityOf(conn); ok {
		meters.Store(key, m)
		runtime.AddCleanup(key.Value(), func(key weak.Pointer[byte]) { meters.Delete(key) }, key)
	}
	return conn, nil
}

func dial(ctx context.Context, network, addr string) (net.Conn, error) {
	var d net.Dialer
	conn, err := d.DialContext(ctx, network, addr)
	m, ok := ctx.Value(meterKey{}).(*meter)
	if err != nil || !ok {
		return conn, err
	}
	return &meteredConn{Conn: conn, meter: m}, nil
}

// A meteredConn is a network connection that fails when its meter is exceeded.
type meteredConn struct {
	net.Conn
	meter *meter
}

var errRowTooLarge = errors.New("mysqldb: the row is too large")

func (c *meteredConn) Read(p []byte) (int, error) {
	limited := c.meter.limit.Load() > 0
	if limited && c.meter.left.Load() <= 0 {
		c.meter.exceeded.Store(true)
		return 0, errRowTooLarge
	}
	n, err := c.Conn.Read(p)
	if limited {
		c.meter.left.Add(-int64(n))
	}
	return n, err
}

// SyscallConn lets the driver find out whether an idle connection was closed.
func (c *meteredConn) SyscallConn() (syscall.RawConn, error) {
	if conn, ok := c.Conn.(syscall.Conn); ok {
		return conn.SyscallConn()
	}
	return nil, errors.ErrUnsupported
}

// meterOf returns the meter of a connection with the limit of a row, or nil if the
// connection has none.
func meterOf(conn *sql.Conn, limit int) (*meter, error) {
	key, ok, err := identity(conn)
	if err != nil || !ok {
		return nil, err
	}
	found, ok := meters.Load(key)
	if !ok {
		return nil, nil
	}
	m := found.(*meter)
	m.limit.Store(int64(limit))
	m.Next()
	return m, nil
}
