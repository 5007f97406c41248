package stats

import (
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
	"time"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/prompt"
)

// A Kind says what the cells of a column are.
type Kind string

const (
	Empty    Kind = "empty" // all cells are missing
	Numbers  Kind = "numbers"
	Texts    Kind = "texts" // and whatever is mixed
	Times    Kind = "times"
	Booleans Kind = "booleans"
)

// A column is one that was read. Of numbers, times and texts the one of its kind is filled.
type column struct {
	name    string
	kind    Kind
	rows    int
	missing int
	other   int // cells that are not of the kind

	numbers []float64
	times   []time.Time
	texts   []string // of texts and booleans
	at      []int    // the row of each value

	// large are the numbers of cells that a float64 may round, exactly; nil: there are none.
	large map[string]bool
}

// A class says what one cell is.
type class byte

const (
	classMissing     class = iota
	classPlaceholder       // missing, unless the column is of texts
	classNumber
	classTime
	classBoolean
	classText
	classes
)

// classify reads one cell. Where it is asked for as a time, whole numbers are times.
func classify(cell any, asTime bool) (c class, number float64, at time.Time) {
	switch cell := cell.(type) {
	case nil:
		return classMissing, 0, at
	case bool:
		return classBoolean, 0, at
	case int64:
		number = float64(cell)
	case float64:
		if math.IsNaN(cell) || math.IsInf(cell, 0) {
			return classMissing, 0, at
		}
		number = cell
	case string:
		text := strings.TrimSpace(cell)
		if text == "" {
			return classMissing, 0, at
		}
		if at, ok := parseTime(text); ok {
			if never(at) {
				return classPlaceholder, 0, at
			}
			return classTime, 0, at
		}
		if isPlaceholder(text) {
			return classPlaceholder, 0, at
		}
		var ok bool
		if number, ok = parseNumber(text); !ok {
			return classText, 0, at
		}
		if asTime {
			if n, err := strconv.ParseInt(text, 10, 64); err == nil {
				return classify(n, true)
			}
		}
		return classNumber, number, at
	}
	if asTime {
		if at, ok := cellTime(cell); ok {
			return classTime, 0, at
		}
	}
	return classNumber, number, at
}

// read reads the column at a place of t. Where it is asked for as a time, whole numbers are
// read as times.
func read(t *qed.Table, place int, asTime bool) (*column, error) {
	c := &column{name: t.Columns[place].Name, rows: len(t.Rows)}
	each := make([]class, len(t.Rows))
	var count [classes]int
	for i, row := range t.Rows {
		if len(row) != len(t.Columns) {
			return nil, fmt.Errorf("stats: row %d has %d cells for %d columns", i, len(row), len(t.Columns))
		}
		switch row[place].(type) {
		case nil, bool, int64, float64, string:
		default:
			return nil, fmt.Errorf("stats: row %d, column %q: a cell cannot be %T: add rows with Append",
				i, prompt.Clip(c.name, maxNameBytes), row[place])
		}
		var number float64
		var at time.Time
		each[i], number, at = classify(row[place], asTime)
		count[each[i]]++
		switch each[i] {
		case classNumber:
			c.numbers = append(c.numbers, number)
			if math.Abs(number) >= exactUpTo {
				c.addLarge(row[place], number)
			}
		case classTime:
			c.times = append(c.times, at)
		}
	}
	c.missing = count[classMissing]
	placeholders := count[classPlaceholder]
	values := c.rows - c.missing - placeholders
	of := classes
	switch {
	case values == 0 && placeholders == 0:
		c.kind = Empty
	case values > 0 && mostly(count[classNumber], values):
		c.kind, of = Numbers, classNumber
	case values > 0 && mostly(count[classTime], values):
		c.kind, of = Times, classTime
	case count[classBoolean] == c.rows-c.missing:
		c.kind = Booleans
	default:
		c.kind = Texts
	}
	if c.kind != Numbers {
		c.numbers, c.large = nil, nil
	}
	if c.kind != Times {
		c.times = nil
	}
	if of != classes {
		c.missing += placeholders
		c.other = values - count[of]
	}
	for i, class := range each {
		switch {
		case of != classes && class == of:
			c.at = append(c.at, i)
		case of == classes && class != classMissing:
			text, _ := cellText(t.Rows[i][place])
			c.texts, c.at = append(c.texts, text), append(c.at, i)
		}
	}
	return c, nil
}

// exactUpTo is up to where a float64 has all whole numbers.
const exactUpTo = 1 << 53

// addLarge notes a number that a float64 may round. Beyond a size that nobody writes out, it is
// taken as rounded.
func (c *column) addLarge(cell any, number float64) {
	text := strconv.FormatFloat(number, 'g', -1, 64)
	if math.Abs(number) < 1e40 {
		var v big.Rat
		switch cell := cell.(type) {
		case int64:
			v.SetInt64(cell)
		case float64:
			v.SetFloat64(cell)
		case string:
			v.SetString(strings.TrimSpace(cell)) // it is a number: parseNumber took it
		}
		text = v.RatString()
	}
	if c.large == nil {
		c.large = map[string]bool{}
	}
	c.large[text] = true
}

// different is how many different numbers a column has of which some are large.
func (c *column) different() int {
	small := map[float64]bool{}
	for _, v := range c.numbers {
		if math.Abs(v) < exactUpTo {
			small[v] = true
		}
	}
	return len(small) + len(c.large)
}

// same says that values are the same, as far as can be told.
func (c *column) same(what string) string {
	if len(c.large) > 1 || !isConstant(c.numbers) {
		return what + " are the same in their first 12 digits, and what comes after may be rounded"
	}
	return what + " are the same"
}

func mostly(n, of int) bool { return n*10 >= of*9 }

// isPlaceholder reports whether a text is what programs write where they have no number.
func isPlaceholder(text string) bool {
	if len(text) > 9 {
		return false
	}
	switch strings.ToLower(strings.TrimLeft(text, "+-")) {
	case "", "nan", "null", "none", "nil", "n/a", "na", "inf", "infinity":
		return true
	}
	return false
}

// parseNumber reads a number as databases write decimals. What strconv reads besides, such as
// hexadecimal digits, underscores and words, is none.
func parseNumber(text string) (float64, bool) {
	digits := strings.TrimPrefix(text, "-")
	if digits == "" || len(text) > 400 || strings.Trim(digits, "0123456789.eE+-") != "" {
		return 0, false
	}
	if digits[0] == '+' || digits[0] == '-' || len(digits) > 1 && digits[0] == '0' && digits[1] >= '0' && digits[1] <= '9' {
		return 0, false
	}
	v, err := strconv.ParseFloat(text, 64)
	return v, err == nil
}

// cellText is a cell as the name of a group. A number is written as it is in either type.
func cellText(cell any) (string, bool) {
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

// numeric reads a column that must have numbers.
func numeric(t *qed.Table, name string) (*column, error) {
	place, err := find(t, name)
	if err != nil {
		return nil, err
	}
	c, err := read(t, place, false)
	if err != nil {
		return nil, err
	}
	if c.kind != Numbers && c.kind != Empty {
		return nil, &ColumnError{Column: name, Reason: "it has " + string(c.kind) + ", not numbers"}
	}
	return c, nil
}

// dense returns the column's numbers by row, NaN where there is none.
func (c *column) dense() []float64 {
	all := make([]float64, c.rows)
	for i := range all {
		all[i] = math.NaN()
	}
	for i, row := range c.at {
		all[row] = c.numbers[i]
	}
	return all
}
