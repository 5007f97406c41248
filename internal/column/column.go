// Package column reads a column of a [qed.Table]: it decides whether the cells
// are numbers, times, booleans or texts, and returns their values.
//
// Packages stats, chart and chart/lint all read columns with it, so a trend and
// a chart of the same rows never disagree about what a cell is.
//
// # Rules
//
//   - Missing cells are null, blank text and floats that are not numbers.
//   - Numbers are int64 and float64 cells, and text as databases write decimals:
//     "12", "-0.5", "1.5e3". Text with a leading zero ("00412"), a plus sign, a
//     percent sign or thousands separators is text.
//   - Times are text in the forms of [ParseTime].
//   - Placeholders such as "N/A", "NULL" and "-" are missing in a column of
//     numbers or times, and text in a column of texts. So are the years 1 and
//     9999, which programs write for "never", and MySQL's date 0000-00-00.
//   - A column has numbers, or times, if at least nine of ten of its other cells
//     have. The rest are counted as Other and are not among the values.
//   - Column.Type of the table decides where the cells cannot. In a column of a
//     text type (VARCHAR, keyword, ID, ...) decimals are text, because they are
//     usually codes. In a column of a time type whole numbers are times.
package column

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/prompt"
)

// A Kind is what the cells of a column are.
type Kind string

const (
	Empty    Kind = "empty" // all cells are missing
	Numbers  Kind = "numbers"
	Times    Kind = "times"
	Booleans Kind = "booleans"
	Texts    Kind = "texts" // and mixed cells
)

// A Column is a column that was read. One of Numbers, Times and Texts is filled,
// by Kind; Booleans have Texts.
type Column struct {
	Name string
	Kind Kind
	Rows int

	Missing int
	Other   int // cells that are not of the Kind, and not missing

	Numbers []float64
	Times   []time.Time // with the offset that they are written with; UTC without one
	Texts   []string    // without blanks around them
	At      []int       // the row of each value

	// large has the numbers that float64 may round, in full. Nil: there are none.
	large map[string]bool
}

// Read reads column i of t.
//
// want is the kind that the caller needs, or empty. Numbers reads decimals in a
// column of a text type as numbers. Times reads whole numbers as times: 1000 to
// 9999 are years, and from 1e8 on they are seconds, milliseconds, microseconds
// or nanoseconds since 1970, by their size.
//
// Cells of a type that a Table does not have and rows of another length than
// t.Columns are errors.
func Read(t *qed.Table, i int, want Kind) (*Column, error) {
	head := t.Columns[i]
	c := &Column{Name: head.Name, Rows: len(t.Rows)}
	r := NewReader(head.Type, want)
	cells := make([]Class, len(t.Rows))
	var count [Classes]int
	for row, values := range t.Rows {
		if len(values) != len(t.Columns) {
			return nil, fmt.Errorf("row %d has %d cells for %d columns", row, len(values), len(t.Columns))
		}
		class, number, at, err := r.Classify(values[i])
		if err != nil {
			return nil, fmt.Errorf("row %d, column %s: %w", row, prompt.Quote(prompt.Clip(head.Name, 80)), err)
		}
		switch class {
		case CellNumber:
			c.Numbers = append(c.Numbers, number)
		case CellTime:
			c.Times = append(c.Times, at)
		}
		cells[row] = class
		count[class]++
	}
	c.Kind, c.Missing, c.Other = Decide(count)
	c.keep(t, i, cells)
	return c, nil
}

// Decide returns the Kind of a column with these numbers of cells, and how many of
// them are missing and of another kind.
func Decide(count [Classes]int) (kind Kind, missing, other int) {
	rows := 0
	for _, n := range count {
		rows += n
	}
	missing = count[CellMissing] + count[CellPlaceholder]
	values := rows - missing
	mostly := func(n int) bool { return values > 0 && n*10 >= values*9 }
	switch {
	case mostly(count[CellNumber]):
		return Numbers, missing, values - count[CellNumber]
	case mostly(count[CellTime]):
		return Times, missing, values - count[CellTime]
	}
	missing = count[CellMissing]
	switch rows - missing {
	case 0:
		return Empty, missing, 0
	case count[CellBoolean]:
		return Booleans, missing, 0
	}
	return Texts, missing, 0
}

// keep drops the values of other kinds, and fills Texts and At.
func (c *Column) keep(t *qed.Table, i int, cells []Class) {
	keeps := func(class Class) bool { return class != CellMissing }
	switch c.Kind {
	case Numbers:
		c.Times = nil
		keeps = func(class Class) bool { return class == CellNumber }
	case Times:
		c.Numbers = nil
		keeps = func(class Class) bool { return class == CellTime }
	default:
		c.Numbers, c.Times = nil, nil
	}
	for row, class := range cells {
		if !keeps(class) {
			continue
		}
		c.At = append(c.At, row)
		if c.Kind == Numbers {
			if number := c.Numbers[len(c.At)-1]; math.Abs(number) >= maxExactInt {
				c.addLarge(t.Rows[row][i], number)
			}
		}
		if c.Kind == Texts || c.Kind == Booleans {
			text, _ := Text(t.Rows[row][i])
			c.Texts = append(c.Texts, text)
		}
	}
}

// A Class is what one cell is.
type Class byte

const (
	CellMissing     Class = iota
	CellPlaceholder       // missing, unless the column has texts
	CellNumber
	CellTime
	CellBoolean
	CellText
	Classes // their number
)

// A Reader classifies the cells of one column.
type Reader struct {
	numbersAsTimes bool
	decimalsAsText bool
}

// NewReader returns the Reader of a column of a database type. [Read] explains
// want.
func NewReader(columnType string, want Kind) Reader {
	return Reader{
		numbersAsTimes: want == Times || want == "" && isTimeType(columnType),
		decimalsAsText: want != Numbers && isTextType(columnType),
	}
}

// Classify returns what a cell is, with its number or its time.
func (r Reader) Classify(cell any) (c Class, number float64, at time.Time, err error) {
	switch cell := cell.(type) {
	case nil:
		return CellMissing, 0, at, nil
	case bool:
		return CellBoolean, 0, at, nil
	case int64:
		number = float64(cell)
	case float64:
		if math.IsNaN(cell) || math.IsInf(cell, 0) {
			return CellMissing, 0, at, nil
		}
		number = cell
	case string:
		c, number, at := r.text(strings.TrimSpace(cell))
		return c, number, at, nil
	default:
		return 0, 0, at, fmt.Errorf("a cell cannot be %T: add rows with Append", cell)
	}
	if r.numbersAsTimes {
		if at, ok := numberTime(cell); ok {
			return CellTime, 0, at, nil
		}
	}
	return CellNumber, number, at, nil
}

func (r Reader) text(text string) (c Class, number float64, at time.Time) {
	if text == "" {
		return CellMissing, 0, at
	}
	if at, ok := ParseTime(text); ok {
		if isNever(at) {
			return CellPlaceholder, 0, at
		}
		return CellTime, 0, at
	}
	if IsPlaceholder(text) {
		return CellPlaceholder, 0, at
	}
	number, ok := ParseNumber(text)
	if !ok {
		return CellText, 0, at
	}
	if r.numbersAsTimes {
		if n, err := strconv.ParseInt(text, 10, 64); err == nil {
			if at, ok := numberTime(n); ok {
				return CellTime, 0, at
			}
		}
	}
	if r.decimalsAsText {
		return CellText, 0, at
	}
	return CellNumber, number, at
}

// IsPlaceholder reports whether programs write text where they have no value.
func IsPlaceholder(text string) bool {
	if strings.HasPrefix(text, "0000-00-00") {
		return true
	}
	if len(text) > len("+infinity") {
		return false
	}
	switch strings.ToLower(strings.TrimLeft(text, "+-")) {
	case "", "nan", "null", "none", "nil", "n/a", "na", `\n`, "inf", "infinity",
		"#n/a", "#div/0!", "#ref!", "#value!", "#name?", "#num!", "#null!", "#nv", "#wert!", "#bezug!", "#zahl!": // of spreadsheets
		return true
	}
	return false
}

// ParseNumber reads a number as databases write decimals. It refuses the
// hexadecimal digits, underscores and words that strconv reads.
func ParseNumber(text string) (float64, bool) {
	digits := strings.TrimPrefix(text, "-")
	if digits == "" || len(text) > 400 || strings.Trim(digits, "0123456789.eE+-") != "" {
		return 0, false
	}
	leadingZero := len(digits) > 1 && digits[0] == '0' && digits[1] >= '0' && digits[1] <= '9'
	if digits[0] == '+' || digits[0] == '-' || leadingZero {
		return 0, false
	}
	v, err := strconv.ParseFloat(text, 64)
	return v, err == nil
}

// Text returns a cell as text without blanks around it, and false for a missing
// cell. A number has the same text as int64 and as float64.
func Text(cell any) (string, bool) {
	switch cell := cell.(type) {
	case bool:
		return strconv.FormatBool(cell), true
	case int64:
		return strconv.FormatInt(cell, 10), true
	case float64:
		if math.Abs(cell) < 1e15 {
			return strconv.FormatFloat(cell, 'f', -1, 64), true
		}
		return strconv.FormatFloat(cell, 'g', -1, 64), true
	case string:
		text := strings.TrimSpace(cell)
		return text, text != ""
	}
	return "", false
}
