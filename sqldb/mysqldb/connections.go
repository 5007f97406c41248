package mysqldb

import (
	"context"
	"database/sql"
	"reflect"
	"runtime"
	"sync"
	"weak"
)

// connections knows what each connection told when it was first used, for as
// long as database/sql keeps it.
type connections struct {
	known sync.Map // weak.Pointer[byte], to the driver's connection: *server
}

// of returns what conn told, and asks it where it was not asked.
func (c *connections) of(ctx context.Context, conn *sql.Conn) (*server, error) {
	key, ok, err := identity(conn)
	if err != nil {
		return nil, err
	}
	if ok {
		if s, found := c.known.Load(key); found {
			return s.(*server), nil
		}
	}
	s, err := ask(ctx, conn)
	if err != nil {
		return nil, err
	}
	if ok {
		c.known.Store(key, s)
		runtime.AddCleanup(key.Value(), func(key weak.Pointer[byte]) { c.known.Delete(key) }, key)
	}
	return s, nil
}

// identity is the address of the driver's own connection, which keeps nothing
// alive. A driver around the driver may have none.
func identity(conn *sql.Conn) (key weak.Pointer[byte], ok bool, err error) {
	err = conn.Raw(func(driverConn any) error {
		v := reflect.ValueOf(driverConn)
		if ok = v.Kind() == reflect.Pointer && v.Type().Elem().Size() > 0; ok {
			key = weak.Make((*byte)(v.UnsafePointer()))
		}
		return nil
	})
	return key, ok, err
}
