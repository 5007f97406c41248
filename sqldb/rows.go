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

// result is what came of a statement.
type result struct {
	table *qed.Table
	seen  bool // a row came
	all   bool // and no other is to come
}

// collect reads rows within the limits of rows and bytes. It reads one row more
// than it keeps, so that Truncated is true exactly where more would come.
func (db *DB) collect(rows *sql.Rows, got *result) error {
	table, err := header(rows)
	if err != nil {
		return err
	}
	got.table = table
	scanned := make([]scanner, len(table.Columns))
	scan := make([]any, len(scanned))
	for i, column := range table.Columns {
		scanned[i] = scanner{db: db, columnType: column.Type}
		scan[i] = &scanned[i]
	}
	for size := 0; rows.Next(); {
		got.seen = true
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
			size += weight(row[i])
		}
		if size > db.opt.MaxBytes {
			if len(table.Rows) == 0 {
				return &Error{Kind: ErrTooLarge, Message: fmt.Sprintf("a single row exceeds %d bytes (Options.MaxBytes): select fewer columns", db.opt.MaxBytes)}
			}
			table.Truncated = true
			return nil
		}
		if done {
			table.Rows = append(table.Rows, row)
		} else if err := table.Append(row...); err != nil {
			return &Error{Kind: ErrExecution, Message: "the driver gave a value that no cell can hold; see the wrapped error", Err: err}
		}
	}
	got.all = true
	return rows.Err()
}

// scanner makes cells of what a driver hands over in one column. It is handed bytes
// that are still the driver's: text copies them, and nothing else does.
type scanner struct {
	db         *DB
	columnType string
	cell       any
	done       bool // it is what a cell may be, or else the table makes one of it
}

// Scan puts a value into the cell.
func (s *scanner) Scan(value any) error {
	if s.db.celler != nil {
		value = s.db.celler.Cell(s.columnType, value)
	}
	s.cell = text(value, s.db.opt.MaxCellBytes)
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

// text turns strings and bytes into what a table shows, shortened to about
// limit bytes: their text, or hexadecimal digits where that is not UTF-8. A
// shortened value says so at its end, or a reader would take it for the whole.
func text(v any, limit int) any {
	var s string
	switch bare := v.(type) {
	case string:
		s = bare
	case []byte:
		if bare == nil {
			return nil
		}
		s = string(bare)
		v = s
	default:
		return v
	}
	n := len(s)
	if !utf8.ValidString(s) {
		mark := ""
		if 2*n > limit {
			s, mark = s[:limit/2], cutMark(n)
		}
		return "0x" + hex.EncodeToString([]byte(s)) + mark
	}
	if n <= limit {
		return v
	}
	for !utf8.RuneStart(s[limit]) {
		limit--
	}
	return s[:limit] + cutMark(n)
}

func cutMark(n int) string { return fmt.Sprintf("… (cut: %d bytes)", n) }

// weight is what a cell counts towards the byte limit.
func weight(cell any) int {
	if s, ok := cell.(string); ok {
		return len(s)
	}
	return 8
}
