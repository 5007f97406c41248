package mysqldb

import (
	"context"
	"database/sql"
	"reflect"
	"runtime"
	"sync"
	"weak"
)

// connections holds what each connection returned when it was first used, for
// as long as database/sql keeps the connection.
type connections struct {
	known sync.Map // weak.Pointer[byte] to the driver's connection -> *server
}

// server returns the server of conn, and queries conn on its first use.
func (c *connections) server(ctx context.Context, conn *sql.Conn) (*server, error) {
	key, ok, err := identity(conn)
	if err != nil {
		return nil, err
	}
	if ok {
		if s, found := c.known.Load(key); found {
			return s.(*server), nil
		}
	}
	s, err := newServer(ctx, conn)
	if err != nil {
		return nil, err
	}
	if ok {
		c.known.Store(key, s)
		runtime.AddCleanup(key.Value(), func(key weak.Pointer[byte]) { c.known.Delete(key) }, key)
	}
	return s, nil
}

// identity returns a weak pointer to the driver's own connection. ok is false
// if that is not a pointer, as may happen with a driver that wraps another one.
func identity(conn *sql.Conn) (key weak.Pointer[byte], ok bool, err error) {
	err = conn.Raw(func(driverConn any) error {
		key, ok = identityOf(driverConn)
		return nil
	})
	return key, ok, err
}

func identityOf(driverConn any) (key weak.Pointer[byte], ok bool) {
	v := reflect.ValueOf(driverConn)
	if ok = v.Kind() == reflect.Pointer && v.Type().Elem().Size() > 0; ok {
		key = weak.Make((*byte)(v.UnsafePointer()))
	}
	return key, ok
}
