package lint

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/column"
	"github.com/qedkit/qed/internal/lists"
	"github.com/qedkit/qed/refusal"
)

// A field is a column of the rows.
type field struct {
	name     string
	plain    *column.Column // read without regard to the spec
	numbers  *column.Column // read as numbers; of another Kind if most cells are not
	cells    []any
	distinct int               // different cells, without nil
	times    map[int]time.Time // by row, read when they are needed
}

// rows returns the scope of a table.
func (l *linter) rows(t *qed.Table) (*scope, error) {
	switch {
	case t == nil || len(t.Rows) == 0 || len(t.Columns) == 0:
		return nil, refuse(refusal.Problem{Code: ErrNoData, Message: "there are no rows to draw"})
	case len(t.Rows) > maxRows:
		return nil, refuse(refusal.Problem{Code: ErrTooLarge, Message: fmt.Sprintf(
			"there are %d rows, and a chart has at most %d: group them in the query", len(t.Rows), maxRows)})
	}
	return newScope(t)
}

func newScope(t *qed.Table) (*scope, error) {
	sc := &scope{fields: map[string]*field{}, rows: float64(len(t.Rows))}
	for i, head := range t.Columns {
		plain, err := column.Read(t, i, "")
		if err != nil {
			return nil, refuse(refusal.Problem{Code: ErrMalformed, Message: err.Error()})
		}
		numbers := plain
		if plain.Kind == column.Texts {
			if numbers, err = column.Read(t, i, column.Numbers); err != nil {
				return nil, refuse(refusal.Problem{Code: ErrMalformed, Message: err.Error()})
			}
		}
		f := &field{name: head.Name, plain: plain, numbers: numbers, cells: make([]any, len(t.Rows))}
		seen := map[any]bool{}
		for row, cells := range t.Rows {
			f.cells[row] = cells[i]
			if cells[i] != nil {
				seen[cells[i]] = true
			}
		}
		f.distinct = len(seen)
		sc.fields[f.name] = f
	}
	return sc, nil
}

// span returns the smallest and the largest number, which are infinite if there is none.
func (f *field) span() (low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	for _, v := range f.numbers.Numbers {
		low, high = min(low, v), max(high, v)
	}
	return low, high
}

// isNumber reports whether the values are numbers.
func isNumber(f *field) bool { return f.numbers.Kind == column.Numbers }

// isDate reports whether the values are dates. For a browser numbers are milliseconds since
// 1970. Smaller ones are years or seconds for their author, and larger ones the digits of a
// date and a time.
func isDate(f *field) bool {
	if f.plain.Kind != column.Numbers {
		return f.plain.Kind == column.Times
	}
	for _, cell := range f.cells {
		n, ok := numberCell(cell)
		if cell != nil && (!ok || (math.Abs(n) < 1e11 || math.Abs(n) >= 1e13) && n != 0) {
			return false
		}
	}
	return true
}

func numberCell(cell any) (float64, bool) {
	switch cell := cell.(type) {
	case int64:
		return float64(cell), true
	case float64:
		return cell, true
	}
	return 0, false
}

// all reports whether every cell that is not nil is one of the values of c.
func (f *field) all(c *column.Column) bool {
	return lists.Count(f.cells, func(cell any) bool { return cell != nil }) == len(c.At)
}

// use records how the spec uses a field.
func (l *linter) use(f *field, as use) {
	u := l.uses[f.name]
	l.uses[f.name] = use{number: u.number || as.number, time: u.time || as.time}
}

// values returns the rows with the columns that the spec uses.
func (l *linter) values(sc *scope, n int) []object {
	rows := make([]object, n)
	for i := range rows {
		rows[i] = object{}
	}
	for name, u := range l.uses {
		f := sc.fields[name]
		if f == nil {
			continue
		}
		for i, cell := range l.written(f, u) {
			rows[i][name] = cell
		}
	}
	return rows
}

// written returns the cells of a field for a browser: what the spec uses as
// numbers or times, and is not, becomes null.
func (l *linter) written(f *field, u use) []any {
	switch {
	case u.time && f.plain.Kind == column.Times:
		out := make([]any, len(f.cells))
		for i, row := range f.plain.At {
			out[row] = browserTime(f.cells[row], f.plain.Times[i])
		}
		l.noteOther(f, f.plain)
		return out
	case !u.number && slices.ContainsFunc(f.cells, rounded):
		out := make([]any, len(f.cells))
		for i, cell := range f.cells {
			if out[i] = cell; cell != nil {
				out[i] = fmt.Sprint(cell)
			}
		}
		return out
	case f.numbers.Kind == column.Numbers && (u.number || f.all(f.plain)):
		out := make([]any, len(f.cells))
		for i, row := range f.numbers.At {
			out[row] = f.numbers.Numbers[i]
		}
		l.noteOther(f, f.numbers)
		return out
	}
	return f.cells
}

// rounded reports whether a browser rounds a whole number, such as an id. It is written as
// a text where it is not drawn as a number.
func rounded(cell any) bool {
	switch cell := cell.(type) {
	case int64:
		return cell > 1<<53 || cell < -(1<<53)
	case string:
		n, err := strconv.ParseInt(cell, 10, 64)
		return errors.Is(err, strconv.ErrRange) || rounded(n)
	}
	return false
}

func (l *linter) noteOther(f *field, c *column.Column) {
	if c.Other > 0 {
		l.note(l.texts.NotOfType(c.Other, c.Other+len(c.At), l.texts.Words(f.name), c.Kind))
	}
}

// noZone has the forms of times without a zone. Most of them browsers do not read, or read
// in UTC and show in their own zone: west of Greenwich on the day before.
var noZone = []string{
	time.DateOnly, "2006-01-02 15:04:05", "2006-01-02 15:04", "2006-01", "2006/01/02", "2006-01-02T15:04:05", "2006-01-02T15:04",
}

// browserTime writes a time so that a browser in any zone shows the clock of a
// cell without a zone, and the right moment of a cell with one.
func browserTime(cell any, at time.Time) string {
	const local, zoned = "2006-01-02T15:04:05.999", "2006-01-02T15:04:05.999Z07:00"
	text, ok := cell.(string)
	if !ok {
		if n, _ := numberCell(cell); n <= 9999 { // a year
			return at.Format(local)
		}
		return at.Format(zoned)
	}
	text = strings.TrimSpace(text)
	for _, form := range noZone {
		if _, err := time.Parse(form, text); err == nil {
			return at.Format(local)
		}
	}
	return at.Format(zoned)
}
