package postgresdb

import (
	"database/sql"
	"reflect"
	"strings"
)

// limitRows sets the maximum size of a message of the server, such as a row, on a
// connection of pgx, which otherwise reads messages of up to 1 GB as a whole. It
// finds the methods of pgx by their names, because this package imports no driver.
// It does nothing on a connection of another driver.
func limitRows(conn *sql.Conn, size int) error {
	return conn.Raw(func(driverConn any) error {
		v := reflect.ValueOf(driverConn)
		for _, method := range []func(reflect.Value) reflect.Value{
			func(v reflect.Value) reflect.Value { return v.MethodByName("Conn") },
			func(v reflect.Value) reflect.Value { return v.MethodByName("PgConn") },
			func(v reflect.Value) reflect.Value { return v.MethodByName("Frontend") },
		} {
			m := method(v)
			if !m.IsValid() || m.Type().NumIn() != 0 || m.Type().NumOut() != 1 {
				return nil
			}
			v = m.Call(nil)[0]
		}
		if frontend, ok := v.Interface().(interface{ SetMaxBodyLen(int) }); ok {
			frontend.SetMaxBodyLen(size)
		}
		return nil
	})
}

// isTooLong reports whether err is that of pgx about a message that exceeds its
// maximum size.
func isTooLong(err error) bool {
	return strings.Contains(err.Error(), "invalid body length: expected at most ")
}
