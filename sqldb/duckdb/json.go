package duckdb

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"strings"

	"github.com/duckdb/duckdb-go/v2"
)

// withJSON returns a query that has the columns of some types as JSON: see readAsJSON.
// The driver compares each key of a MAP with all others: with many keys that outlives
// every time limit, and it cannot compare lists and structures.
func withJSON(ctx context.Context, conn *sql.Conn, query string) (string, error) {
	var names, items []string
	found := false
	err := conn.Raw(func(raw any) (err error) {
		prepared, err := raw.(driver.ConnPrepareContext).PrepareContext(ctx, query)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, prepared.Close()) }()
		stmt := prepared.(*duckdb.Stmt)
		n, err := stmt.ColumnCount()
		if err != nil {
			return err
		}
		for i := range n {
			name, err := stmt.ColumnName(i)
			if err != nil {
				return err
			}
			info, err := stmt.ColumnTypeInfo(i)
			if err != nil {
				return err
			}
			column := fmt.Sprintf("c%d", i)
			names = append(names, column)
			if readAsJSON(info, false) {
				found = true
				column = "system.main.to_json(" + column + ")::VARCHAR"
			}
			items = append(items, column+" AS "+quote(name))
		}
		return nil
	})
	if err != nil || !found {
		return query, err
	}
	return fmt.Sprintf("SELECT %s FROM (%s) AS q(%s)", strings.Join(items, ", "), query, strings.Join(names, ", ")), nil
}

// readAsJSON reports whether a type has a MAP, or values with a time zone within
// lists or structures, which the driver returns without it.
func readAsJSON(t duckdb.TypeInfo, nested bool) bool {
	switch d := t.Details().(type) {
	case *duckdb.MapDetails:
		return true
	case *duckdb.ListDetails:
		return readAsJSON(d.Child, true)
	case *duckdb.ArrayDetails:
		return readAsJSON(d.Child, true)
	case *duckdb.UnionDetails:
		for _, m := range d.Members {
			if readAsJSON(m.Type, true) {
				return true
			}
		}
	case *duckdb.StructDetails:
		for _, e := range d.Entries {
			if readAsJSON(e.Info(), true) {
				return true
			}
		}
	}
	return nested && t.InternalType() == duckdb.TYPE_TIMESTAMP_TZ
}
