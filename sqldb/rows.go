package sqldb

import (
	"context"
	"database/sql"
	"encoding/hex"
	"fmt"
	"math"
	"strings"
	"unicode/utf8"

	"github.com/qedkit/qed"
)

// limits are the maximum number of rows of a result, and the maximum size of all
// its cells. A negative number means no limit.
type limits struct{ rows, bytes int }

// A receiver gets the rows of a statement. Nothing is retried after the first
// row.
type receiver struct {
	limits
	header func([]qed.Column)     // called once for each attempt
	row    func(cells []any) bool // reports whether to go on
}

// result is what became of a statement.
type result struct {
	hasRow    bool // a row was read
	complete  bool // all rows were read
	truncated bool // there are more rows than the limits allow
}

// open executes q and calls read with its rows. It returns an error if the
// statement failed before.
func (db *DB) open(ctx context.Context, conn *sql.Conn, q *Query, read func(Rows)) error {
	if db.rowReader != nil {
		return db.rowReader.ReadRows(ctx, conn, q, read)
	}
	rows, err := conn.QueryContext(ctx, q.SQL)
	if err == nil {
		read(&sqlRows{Rows: rows, converter: db.converter})
	}
	return err
}

// each passes rows on within the limits. It reads one row more than it passes
// on, so that got.truncated is set exactly if there are more rows.
func (db *DB) each(rows Rows, q *Query, to *receiver, got *result) error {
	columns, err := rows.Columns()
	if err != nil {
		return err
	}
	to.header(columns)
	row := Row{columns: columns, maxCell: db.opt.MaxCellBytes}
	total := 0
	next := func() bool {
		if q.Receiver != nil {
			q.Receiver.Next()
		}
		return rows.Next()
	}
	for n := 0; next(); n++ {
		got.hasRow = true
		if n == to.rows {
			got.truncated = true
			return nil
		}
		left := db.opt.MaxBytes
		if to.bytes >= 0 {
			left = min(left, to.bytes-total)
		}
		row.begin(left)
		if err := rows.Scan(&row); err != nil {
			return err
		}
		if row.size > left {
			if n == 0 || left == db.opt.MaxBytes {
				return errorf(ErrTooLarge,
					"a single row exceeds %d bytes (Options.MaxBytes): select fewer columns", left)
			}
			got.truncated = true
			return nil
		}
		total += row.size
		cells, err := row.end()
		if err != nil {
			const message = "the driver returned a value that a table cannot hold; see the wrapped error"
			return &Error{Kind: ErrExecution, Message: message, Err: err}
		}
		if !to.row(cells) {
			return nil
		}
	}
	got.complete = true
	return rows.Err()
}

// A Row takes the cells of one row from an [Engine]. It cuts them as
// [Options.MaxCellBytes] says, and copies no more than that.
type Row struct {
	columns []qed.Column
	maxCell int
	maxSize int // further cells are dropped

	cells []any
	size  int
	other bool // a cell needs conversion by Table.Append
}

func (r *Row) begin(maxSize int) {
	r.cells = make([]any, 0, len(r.columns))
	r.maxSize, r.size, r.other = maxSize, 0, false
}

// Add adds a cell. It keeps no reference to bytes.
func (r *Row) Add(value any) {
	switch v := value.(type) {
	case nil, bool, int64:
	case string:
		if r.size > r.maxSize {
			value = nil
		} else if valid := utf8.ValidString(v); !valid || len(v) > r.maxCell {
			value = shorten(v, valid, r.maxCell)
		}
	case []byte:
		if v != nil {
			r.AddText(v)
			return
		}
		value = nil
	case float64:
		r.other = r.other || math.IsNaN(v) || math.IsInf(v, 0)
	default:
		r.other = true
	}
	r.size += weight(value)
	r.cells = append(r.cells, value)
}

// AddText adds a cell with a text, which is not NULL. Bytes that are not UTF-8
// become hexadecimal digits.
func (r *Row) AddText(text []byte) {
	if r.size > r.maxSize {
		r.cells = append(r.cells, nil)
		return
	}
	short := shorten(text, utf8.Valid(text), r.maxCell)
	r.size += len(short)
	r.cells = append(r.cells, short)
}

func (r *Row) end() ([]any, error) {
	if !r.other && len(r.cells) == len(r.columns) {
		return r.cells, nil
	}
	table := qed.Table{Columns: r.columns}
	if err := table.Append(r.cells...); err != nil {
		return nil, err
	}
	return table.Rows[0], nil
}

type sqlRows struct {
	*sql.Rows
	converter ValueConverter // may be nil
	targets   []any          // one *target for each column
}

// A target adds the driver's values of a column to a row. The bytes that it gets
// belong to the driver.
type target struct {
	rows       *sqlRows
	columnType string
	row        *Row
}

func (r *sqlRows) Columns() ([]qed.Column, error) {
	types, err := r.ColumnTypes()
	if err != nil {
		return nil, err
	}
	columns := make([]qed.Column, len(types))
	r.targets = make([]any, len(types))
	for i, t := range types {
		columns[i] = qed.Column{Name: valid(t.Name()), Type: valid(t.DatabaseTypeName())}
		r.targets[i] = &target{rows: r, columnType: columns[i].Type}
	}
	return columns, nil
}

func (r *sqlRows) Scan(row *Row) error {
	for _, t := range r.targets {
		t.(*target).row = row
	}
	return r.Rows.Scan(r.targets...)
}

// Scan adds a cell. It implements [sql.Scanner].
func (t *target) Scan(value any) error {
	if t.rows.converter != nil {
		value = t.rows.converter.ConvertValue(t.columnType, value)
	}
	t.row.Add(value)
	return nil
}

func valid(name string) string { return strings.ToValidUTF8(name, "\uFFFD") }

// shorten returns a text that is UTF-8, or otherwise hexadecimal digits. It
// shortens it to about limit bytes, and copies no more than that. A shortened
// value ends with its original length, so that nobody takes it for the whole.
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
