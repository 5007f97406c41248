package sqldb

import (
	"database/sql"
	"encoding/hex"
	"fmt"
	"math"
	"strings"
	"unicode/utf8"

	"github.com/qedkit/qed"
)

// result is the result of a statement, or its beginning.
type result struct {
	table    *qed.Table
	hasRow   bool // a row was read
	complete bool // all rows were read
}

// collect reads rows within the limits of rows and bytes. It reads one row more
// than it keeps, so that Truncated is set exactly if there are more rows.
func (db *DB) collect(rows *sql.Rows, receiver Receiver, got *result) error {
	table, err := header(rows)
	if err != nil {
		return err
	}
	got.table = table
	scanned := make([]scanner, len(table.Columns))
	scan := make([]any, len(scanned))
	size := 0
	for i, column := range table.Columns {
		scanned[i] = scanner{db: db, columnType: column.Type, size: &size}
		scan[i] = &scanned[i]
	}
	next := func() bool {
		if receiver != nil {
			receiver.Next()
		}
		return rows.Next()
	}
	for next() {
		got.hasRow = true
		if len(table.Rows) == db.opt.MaxRows {
			table.Truncated = true
			return nil
		}
		if err := rows.Scan(scan...); err != nil {
			return err
		}
		row, done := make([]any, len(scanned)), true
		for i := range scanned {
			row[i], done = scanned[i].cell, done && scanned[i].done
		}
		if size > db.opt.MaxBytes {
			if len(table.Rows) == 0 {
				return errorf(ErrTooLarge,
					"a single row exceeds %d bytes (Options.MaxBytes): select fewer columns", db.opt.MaxBytes)
			}
			table.Truncated = true
			return nil
		}
		if done {
			table.Rows = append(table.Rows, row)
		} else if err := table.Append(row...); err != nil {
			const message = "the driver returned a value that a table cannot hold; see the wrapped error"
			return &Error{Kind: ErrExecution, Message: message, Err: err}
		}
	}
	got.complete = true
	return rows.Err()
}

// A scanner turns the driver's values of one column into cells. The bytes that
// it gets belong to the driver; only text copies them.
type scanner struct {
	db         *DB
	columnType string
	size       *int // the size of all cells of the result
	cell       any
	done       bool // cell needs no conversion by Table.Append
}

// Scan sets the cell. It does nothing if the result is too large already: the row
// is then dropped, and its other cells are not copied.
func (s *scanner) Scan(value any) error {
	if *s.size > s.db.opt.MaxBytes {
		return nil
	}
	if s.db.converter != nil {
		value = s.db.converter.ConvertValue(s.columnType, value)
	}
	s.cell = text(value, s.db.opt.MaxCellBytes)
	*s.size += weight(s.cell)
	switch v := s.cell.(type) {
	case nil, bool, int64, string: // valid UTF-8, as text makes it
		s.done = true
	case float64:
		s.done = !math.IsNaN(v) && !math.IsInf(v, 0)
	default:
		s.done = false
	}
	return nil
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

// text returns the text of strings and bytes, and hexadecimal digits if they
// are not UTF-8. It shortens them to about limit bytes, and copies no more than
// that. A shortened value ends with its original length, so that nobody takes it
// for the whole. Other values are returned unchanged.
func text(v any, limit int) any {
	switch bare := v.(type) {
	case string:
		if len(bare) <= limit && utf8.ValidString(bare) {
			return v
		}
		return shorten(bare, utf8.ValidString(bare), limit)
	case []byte:
		if bare == nil {
			return nil
		}
		return shorten(bare, utf8.Valid(bare), limit)
	}
	return v
}

func shorten[T string | []byte](s T, valid bool, limit int) string {
	n, mark := len(s), ""
	if !valid {
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
	return string(s) + mark
}

func cutMark(n int) string { return fmt.Sprintf("… (cut: %d bytes)", n) }

// weight returns the size of a cell for [Options.MaxBytes].
func weight(cell any) int {
	if s, ok := cell.(string); ok {
		return len(s)
	}
	return 8
}
