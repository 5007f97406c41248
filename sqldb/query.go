package sqldb

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"encoding/hex"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/secureview"
)

// Query executes a statement that a guard let pass and returns its rows. The
// table is Truncated where more rows would have come: beyond
// [Options.MaxRows] or [Options.MaxBytes], or beyond a limit that the guard
// added, where as many rows came as it allows.
//
// When ctx ends, the statement is stopped on the server too, and nothing of it
// runs any more when Query returns.
//
// The error is an [*Error].
func (db *DB) Query(ctx context.Context, stmt *secureview.Statement) (*qed.Table, error) {
	if stmt == nil || stmt.Dialect() == nil {
		return nil, &Error{Kind: ErrArgument, Message: "there is no statement: let a secureview.Guard make one"}
	}
	if got := stmt.Dialect().Name(); got != db.Dialect() {
		return nil, &Error{Kind: ErrArgument, Message: fmt.Sprintf("the statement is written for %s, the database speaks %s", got, db.Dialect())}
	}
	r := &Reading{SQL: stmt.SQL()}
	for _, read := range stmt.Reads() {
		r.Objects = append(r.Objects, Object{Schema: read.Object.Schema, Name: read.Object.Name, Columns: read.Columns})
	}
	table, err := db.read(ctx, r)
	if err != nil {
		return nil, err
	}
	if stmt.Capped() && len(table.Rows) >= stmt.Limit() {
		table.Truncated = true
	}
	return table, nil
}

// read executes one reading on a connection of its own.
func (db *DB) read(ctx context.Context, r *Reading) (*qed.Table, error) {
	var table *qed.Table
	err := db.pinned(ctx, func(ctx context.Context, conn *sql.Conn) error {
		release, err := db.engine.Admit(ctx, conn, r)
		if err != nil {
			return err
		}
		defer func() {
			if release() != nil {
				discard(conn)
			}
		}()
		rows, err := conn.QueryContext(ctx, r.SQL)
		if err != nil {
			return err
		}
		defer rows.Close()
		table, err = db.collect(rows)
		return err
	})
	if err != nil {
		return nil, err
	}
	return table, nil
}

// discard keeps a connection from going back to the pool.
func discard(conn *sql.Conn) {
	_ = conn.Raw(func(any) error { return driver.ErrBadConn })
}

// collect reads rows within the limits of rows and bytes. It reads one row more
// than it keeps, so that Truncated is true exactly where more would come.
func (db *DB) collect(rows *sql.Rows) (*qed.Table, error) {
	table, err := header(rows)
	if err != nil {
		return nil, err
	}
	cells := make([]any, len(table.Columns))
	scan := make([]any, len(cells))
	for i := range cells {
		scan[i] = &cells[i]
	}
	for size := 0; rows.Next(); {
		if len(table.Rows) == db.opt.MaxRows {
			table.Truncated = true
			return table, nil
		}
		if err := rows.Scan(scan...); err != nil {
			return nil, err
		}
		for i := range cells {
			cells[i] = text(cells[i], db.opt.MaxCellBytes)
			size += weight(cells[i])
		}
		if size > db.opt.MaxBytes {
			if len(table.Rows) == 0 {
				return nil, &Error{Kind: ErrTooLarge, Message: fmt.Sprintf("a single row exceeds %d bytes (Options.MaxBytes): select fewer columns", db.opt.MaxBytes)}
			}
			table.Truncated = true
			return table, nil
		}
		if err := table.Append(cells...); err != nil {
			return nil, err
		}
	}
	if err := rows.Err(); err != nil {
		return nil, err
	}
	return table, nil
}

func header(rows *sql.Rows) (*qed.Table, error) {
	types, err := rows.ColumnTypes()
	if err != nil {
		return nil, err
	}
	table := &qed.Table{Columns: make([]qed.Column, len(types))}
	for i, t := range types {
		table.Columns[i] = qed.Column{Name: valid(t.Name()), Type: valid(t.DatabaseTypeName())}
	}
	return table, nil
}

func valid(name string) string { return strings.ToValidUTF8(name, "\uFFFD") }

// text turns strings and bytes into what a table shows, shortened to about
// limit bytes: their text, or hexadecimal digits where that is not UTF-8. A
// shortened value says so at its end, or a reader would take it for the whole.
func text(v any, limit int) any {
	var s string
	switch v := v.(type) {
	case string:
		s = v
	case []byte:
		if v == nil {
			return nil
		}
		s = string(v)
	default:
		return v
	}
	n, mark := len(s), ""
	if !utf8.ValidString(s) {
		if 2*n > limit {
			s, mark = s[:limit/2], cutMark(n)
		}
		return "0x" + hex.EncodeToString([]byte(s)) + mark
	}
	if n > limit {
		for !utf8.RuneStart(s[limit]) {
			limit--
		}
		s, mark = s[:limit], cutMark(n)
	}
	return s + mark
}

func cutMark(n int) string { return fmt.Sprintf("… (cut: %d bytes)", n) }

// weight is what a cell counts towards the byte limit.
func weight(cell any) int {
	if s, ok := cell.(string); ok {
		return len(s)
	}
	return 8
}
