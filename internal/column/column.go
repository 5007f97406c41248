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
	r := reader{
		numbersAsTimes: want == Times || want == "" && isTimeType(head.Type),
		decimalsAsText: want != Numbers && isTextType(head.Type),
	}
	cells := make([]class, len(t.Rows))
	var count [classes]int
	for row, values := range t.Rows {
		if len(values) != len(t.Columns) {
			return nil, fmt.Errorf("row %d has %d cells for %d columns", row, len(values), len(t.Columns))
		}
		class, number, at, err := r.classify(values[i])
		if err != nil {
			return nil, fmt.Errorf("row %d, column %s: %w", row, prompt.Quote(prompt.Clip(head.Name, 80)), err)
		}
		switch class {
		case classNumber:
			c.Numbers = append(c.Numbers, number)
		case classTime:
			c.Times = append(c.Times, at)
		}
		cells[row] = class
		count[class]++
	}
	c.decide(count)
	c.keep(t, i, cells)
	return c, nil
}

// decide sets the Kind, Missing and Other.
func (c *Column) decide(count [classes]int) {
	values := c.Rows - count[classMissing] - count[classPlaceholder]
	mostly := func(n int) bool { return values > 0 && n*10 >= values*9 }
	c.Missing = count[classMissing] + count[classPlaceholder]
	switch {
	case mostly(count[classNumber]):
		c.Kind, c.Other = Numbers, values-count[classNumber]
		return
	case mostly(count[classTime]):
		c.Kind, c.Other = Times, values-count[classTime]
		return
	}
	c.Missing = count[classMissing]
	switch c.Rows - c.Missing {
	case 0:
		c.Kind = Empty
	case count[classBoolean]:
		c.Kind = Booleans
	default:
		c.Kind = Texts
	}
}

// keep drops the values of other kinds, and fills Texts and At.
func (c *Column) keep(t *qed.Table, i int, cells []class) {
	keeps := func(class class) bool { return class != classMissing }
	switch c.Kind {
	case Numbers:
		c.Times = nil
		keeps = func(class class) bool { return class == classNumber }
	case Times:
		c.Numbers = nil
		keeps = func(class class) bool { return class == classTime }
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

// A class is what one cell is.
type class byte

const (
	classMissing     class = iota
	classPlaceholder       // missing, unless the column has texts
	classNumber
	classTime
	classBoolean
	classText
	classes
)

// A reader classifies the cells of one column.
type reader struct {
	numbersAsTimes bool
	decimalsAsText bool
}

func (r reader) classify(cell any) (c class, number float64, at time.Time, err error) {
	switch cell := cell.(type) {
	case nil:
		return classMissing, 0, at, nil
	case bool:
		return classBoolean, 0, at, nil
	case int64:
		number = float64(cell)
	case float64:
		if math.IsNaN(cell) || math.IsInf(cell, 0) {
			return classMissing, 0, at, nil
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
			return classTime, 0, at, nil
		}
	}
	return classNumber, number, at, nil
}

func (r reader) text(text string) (c class, number float64, at time.Time) {
	if text == "" {
		return classMissing, 0, at
	}
	if at, ok := ParseTime(text); ok {
		if isNever(at) {
			return classPlaceholder, 0, at
		}
		return classTime, 0, at
	}
	if IsPlaceholder(text) {
		return classPlaceholder, 0, at
	}
	number, ok := ParseNumber(text)
	if !ok {
		return classText, 0, at
	}
	if r.numbersAsTimes {
		if n, err := strconv.ParseInt(text, 10, 64); err == nil {
			if at, ok := numberTime(n); ok {
				return classTime, 0, at
			}
		}
	}
	if r.decimalsAsText {
		return classText, 0, at
	}
	return classNumber, number, at
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
	case "", "nan", "null", "none", "nil", "n/a", "na", "inf", "infinity":
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
