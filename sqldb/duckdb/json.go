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

// writtenByDuckDB are the types whose texts DuckDB writes itself. The driver returns 24:00:00
// as 00:00:00, and values of the others in forms of its own.
var writtenByDuckDB = map[duckdb.Type]bool{
	duckdb.TYPE_TIME: true, duckdb.TYPE_TIME_TZ: true, duckdb.TYPE_INTERVAL: true, duckdb.TYPE_UUID: true,
}

// withTexts returns a query that has the columns of some types as texts: those of
// [readAsJSON] as JSON, those of [writtenByDuckDB], and JSON, whose numbers the driver returns
// as float64.
func withTexts(ctx context.Context, conn *sql.Conn, query string) (string, error) {
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
			column := fmt.Sprintf("c%d", i)
			names = append(names, column)
			text := column
			switch info, err := stmt.ColumnTypeInfo(i); {
			case err == nil && readAsJSON(info):
				text = "system.main.to_json(" + column + ")::VARCHAR"
			case err != nil || info.Alias() != "" || writtenByDuckDB[info.InternalType()]: // the driver knows no ROW(1, 2)
				text += "::VARCHAR"
			}
			found = found || text != column
			items = append(items, text+" AS "+quote(name))
		}
		return nil
	})
	if err != nil || !found {
		return query, err
	}
	return fmt.Sprintf("SELECT %s FROM (%s) AS q(%s)", strings.Join(items, ", "), query, strings.Join(names, ", ")), nil
}

// readAsJSON reports whether DuckDB itself has to write the values of a type as JSON: all
// that consist of several values, except for lists of numbers and texts. The driver
//
//   - compares each key of a MAP with all others, which with many keys outlives every time
//     limit, and cannot compare lists and structures
//   - returns dates, times and identifiers within lists without their type and zone
//   - returns the fields of a structure without their order
func readAsJSON(t duckdb.TypeInfo) bool {
	switch d := t.Details().(type) {
	case *duckdb.ListDetails:
		return !isPlain(d.Child)
	case *duckdb.ArrayDetails:
		return !isPlain(d.Child)
	case *duckdb.MapDetails, *duckdb.StructDetails, *duckdb.UnionDetails:
		return true
	}
	return false
}

// isPlain reports whether the values of a type are numbers or texts, or lists of them.
func isPlain(t duckdb.TypeInfo) bool {
	if t.Alias() != "" {
		return false
	}
	switch t.InternalType() {
	case duckdb.TYPE_LIST, duckdb.TYPE_ARRAY:
		return !readAsJSON(t)
	case duckdb.TYPE_BOOLEAN, duckdb.TYPE_TINYINT, duckdb.TYPE_SMALLINT, duckdb.TYPE_INTEGER, duckdb.TYPE_BIGINT,
		duckdb.TYPE_UTINYINT, duckdb.TYPE_USMALLINT, duckdb.TYPE_UINTEGER, duckdb.TYPE_UBIGINT,
		duckdb.TYPE_HUGEINT, duckdb.TYPE_UHUGEINT, duckdb.TYPE_BIGNUM,
		duckdb.TYPE_FLOAT, duckdb.TYPE_DOUBLE, duckdb.TYPE_DECIMAL, duckdb.TYPE_VARCHAR, duckdb.TYPE_ENUM:
		return true
	}
	return false
}
