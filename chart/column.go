package chart

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/qedkit/qed"
)

// A measure is the type of a field, in Vega-Lite's words.
type measure string

const (
	quantitative measure = "quantitative"
	temporal     measure = "temporal"
	ordinal      measure = "ordinal"
	nominal      measure = "nominal"
)

// A column is one of a table, with its cells as they are drawn: nil, a float64, a
// time.Time in UTC, or a string.
type column struct {
	name  string
	typ   measure
	cells []any

	whole    bool // all numbers are whole
	distinct int  // how many different cells it has, without nil
	values   int  // how many cells it has, without nil
	byDay    bool // all times are midnight

	undated   int  // values that are no dates, of a column of dates
	someDates bool // most texts of the column are dates
}

// numeric reports whether the cells are numbers, whatever they are for.
func (c *column) numeric() bool { return c.typ == quantitative || c.typ == ordinal }

// read returns the columns of t that have a name. Two of one name are an error only where
// they are asked for.
func read(t *qed.Table) ([]*column, error) {
	columns := make([]*column, len(t.Columns))
	for j, head := range t.Columns {
		columns[j] = &column{name: head.Name, cells: make([]any, len(t.Rows))}
	}
	for i, row := range t.Rows {
		if len(row) != len(columns) {
			return nil, refuse(Problem{Code: Malformed, Message: fmt.Sprintf("row %d has %d cells for %d columns", i, len(row), len(columns))})
		}
		for j, cell := range row {
			columns[j].cells[i] = cell
		}
	}
	for j, c := range columns {
		c.infer(t.Columns[j].Type)
	}
	return columns, nil
}

// infer finds out what the cells are, and brings them into one form.
func (c *column) infer(databaseType string) {
	switch {
	case c.numbers(databaseType):
		c.typ = quantitative
		if c.whole && (calendarName(c.name) || identifierName(c.name)) {
			c.typ = ordinal
		}
	case c.times():
		c.typ = temporal
	default:
		c.typ = nominal
		for i, cell := range c.cells {
			switch cell := cell.(type) {
			case nil, string:
			case float64:
				c.cells[i] = strconv.FormatFloat(cell, 'g', -1, 64)
			default:
				c.cells[i] = fmt.Sprint(cell)
			}
		}
	}
	c.tell()
}

// tell counts the values.
func (c *column) tell() {
	c.values = 0
	seen := map[any]bool{}
	for _, cell := range c.cells {
		if cell != nil {
			c.values++
			seen[cell] = true
		}
	}
	c.distinct = len(seen)
}

// maxNumber is how large a number can be drawn: the distance of two larger ones is none.
// Larger ones count as no value.
const maxNumber = 1e300

// numbers reports whether all cells are numbers, and changes them to float64. A decimal
// comes from a database as text: there its type decides.
func (c *column) numbers(databaseType string) bool {
	out := make([]any, len(c.cells))
	whole, any := true, false
	asText := numericType(databaseType)
	for i, cell := range c.cells {
		switch cell := cell.(type) {
		case nil:
			continue
		case int64:
			if cell > 1<<53 || cell < -1<<53 {
				if identifierName(c.name) {
					return false // a browser would round it
				}
			}
			out[i] = float64(cell)
		case float64:
			if math.Abs(cell) > maxNumber {
				continue
			}
			out[i] = cell
			whole = whole && cell == math.Trunc(cell)
		case string:
			if notNumber(cell) {
				continue // as a table writes what is no number
			}
			f, err := strconv.ParseFloat(cell, 64)
			if !asText || err != nil || math.IsNaN(f) {
				return false
			}
			if math.Abs(f) > maxNumber {
				continue
			}
			out[i] = f
			whole = whole && f == math.Trunc(f)
		default:
			return false
		}
		any = true
	}
	if any {
		c.cells, c.whole = out, whole
	}
	return any
}

func notNumber(s string) bool { return s == "NaN" || s == "+Inf" || s == "-Inf" }

// numericType reports whether a database's type holds numbers.
func numericType(name string) bool {
	name = strings.ToLower(name)
	if strings.Contains(name, "interval") || strings.Contains(name, "point") {
		return false
	}
	for _, part := range []string{"decimal", "numeric", "number", "int", "float", "double", "real", "money"} {
		if strings.Contains(name, part) {
			return true
		}
	}
	return false
}

// identifierName reports whether numbers under the name tell things apart.
func identifierName(name string) bool {
	n := strings.ToLower(name)
	for _, word := range []string{"id", "uuid", "zip", "zipcode", "code"} {
		if n == word || strings.HasSuffix(n, "_"+word) || strings.HasSuffix(n, " "+word) {
			return true
		}
	}
	return strings.HasSuffix(name, "Id") || strings.HasSuffix(name, "ID")
}

// calendarName reports whether whole numbers under the name are parts of a date.
func calendarName(name string) bool {
	n := strings.ToLower(name)
	for _, word := range []string{"year", "quarter", "month", "week", "weekday", "day", "hour"} {
		if n == word || strings.HasSuffix(n, "_"+word) || strings.HasSuffix(n, " "+word) || strings.HasSuffix(n, "_of_"+word) {
			return true
		}
	}
	return false
}

// layouts are how databases and people write dates. Each takes a fraction of a second
// where it has seconds.
var layouts = []string{
	"2006-01-02",
	time.RFC3339Nano,
	"2006-01-02T15:04:05",
	"2006-01-02 15:04:05",
	"2006-01-02 15:04:05Z07:00",
	"2006-01-02 15:04:05Z07",
	"2006-01-02 15:04:05 -0700 MST",
	"2006-01-02T15:04",
	"2006-01-02 15:04",
	"2006-01",
	"2006/01/02",
}

func readTime(s string) (time.Time, bool) {
	if len(s) < 7 || len(s) > 40 || s[0] < '0' || s[0] > '9' {
		return time.Time{}, false
	}
	for _, layout := range layouts {
		if when, err := time.Parse(layout, s); err == nil {
			return when, true
		}
	}
	return time.Time{}, false
}

// mostlyDates makes a column of texts one of dates where at least nine of ten of its values are,
// as in package stats; the others count as none.
func (c *column) mostlyDates() {
	if c.typ != nominal {
		return
	}
	dates := 0
	for _, cell := range c.cells {
		if isDate(cell) {
			dates++
		}
	}
	if dates*10 < c.values*9 || dates == 0 {
		c.someDates = dates*2 > c.values
		return
	}
	c.undated = c.values - dates
	cells := make([]any, len(c.cells)) // c keeps the rows of the table as they are
	for i, cell := range c.cells {
		if isDate(cell) {
			cells[i] = cell
		}
	}
	c.cells = cells
	if c.times() {
		c.typ = temporal
	}
	c.tell()
}

func isDate(cell any) bool {
	text, ok := cell.(string)
	if !ok {
		return false
	}
	_, ok = readTime(text)
	return ok
}

// times reports whether all cells are dates, and changes them to times in UTC.
func (c *column) times() bool {
	out := make([]any, len(c.cells))
	any, byDay, sameOffset := false, true, true
	var offset int
	for i, cell := range c.cells {
		if cell == nil {
			continue
		}
		text, ok := cell.(string)
		if !ok {
			return false
		}
		if strings.HasPrefix(text, "0000-00-00") {
			continue // MySQL's date that is none
		}
		when, ok := readTime(text)
		if !ok {
			return false
		}
		_, o := when.Zone()
		sameOffset = sameOffset && (!any || o == offset)
		out[i], offset, any = when, o, true
	}
	if !any {
		return false
	}
	for i, cell := range out {
		if cell == nil {
			continue
		}
		when := cell.(time.Time)
		if sameOffset { // the clock on the wall
			when = time.Date(when.Year(), when.Month(), when.Day(), when.Hour(), when.Minute(), when.Second(), when.Nanosecond(), time.UTC)
		}
		when = when.UTC().Truncate(time.Millisecond)
		byDay = byDay && when.Equal(when.Truncate(24*time.Hour))
		out[i] = when
	}
	c.cells, c.byDay = out, byDay
	return true
}
