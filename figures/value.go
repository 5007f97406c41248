package figures

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"
	"time"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/column"
)

// A kind is what a value is.
type kind int

const (
	missing kind = iota // NULL, or computed from NULL
	number
	moment // a date or a time
	span   // the time between two moments, in days
	words  // any other text
)

// A value is a cell, or was computed from cells. Numbers are exact.
type value struct {
	kind     kind
	num      *big.Rat // of a number, and of a span
	decimals int      // digits after the point in a decimal; -1: as many as the number needs
	ratio    bool     // a share, shown in percent
	unit     string   // as the cell has it, such as "kg", "$" or "%"
	before   bool     // the unit stands before the number
	label    bool     // an identifier or a year: its digits are not grouped

	time  time.Time
	clock bool // time has a time of day
	month bool // time is a whole month

	text string // of words
}

// cellValue returns the value of a cell in a column with the given name.
func cellValue(name string, c any) value {
	switch c := c.(type) {
	case nil:
		return value{}
	case bool:
		return value{kind: words, text: strconv.FormatBool(c)}
	case int64:
		label := column.IsIdentifier(name) || column.IsCalendar(name)
		return value{kind: number, num: new(big.Rat).SetInt64(c), label: label}
	case float64:
		v := decimal(strconv.FormatFloat(c, 'f', -1, 64))
		v.decimals = -1
		return v
	case string:
		return textValue(name, c)
	}
	return value{kind: words, text: fmt.Sprint(c)}
}

// decimal returns the value of a number in the form of Go.
func decimal(text string) value {
	num, ok := new(big.Rat).SetString(text)
	if !ok {
		return value{kind: words, text: text}
	}
	_, fraction, _ := strings.Cut(text, ".")
	return value{kind: number, num: num, decimals: len(fraction)}
}

// maxNumberText is the length of the longest text that is read as a number.
const maxNumberText = 64

// textValue returns the value of a text: a number as databases write it, a time,
// or a number with a unit, such as "12.5 kg".
func textValue(name, text string) value {
	trimmed := strings.TrimSpace(text)
	switch n, ok := plainNumber(trimmed); {
	case trimmed == "":
		return value{}
	case len(trimmed) > maxNumberText || column.IsIdentifier(name):
		return value{kind: words, text: text}
	case ok && !strings.ContainsAny(trimmed, "eE"):
		return decimal(trimmed)
	case ok && n.readings[0].last > -30 && n.readings[0].last < 30:
		return decimal(strconv.FormatFloat(n.signed(), 'f', -1, 64))
	}
	if t, ok := column.ParseTime(trimmed); ok {
		_, offset := t.Zone() // the day begins in the zone of the time
		local := t.Add(time.Duration(offset) * time.Second)
		clock, month := !local.Truncate(24*time.Hour).Equal(local), len(trimmed) == len("2006-01")
		return value{kind: moment, time: t, clock: clock, month: month}
	}
	if v, ok := withUnit(trimmed); ok {
		return v
	}
	return value{kind: words, text: text}
}

func (n *Number) signed() float64 {
	v := n.readings[0].value()
	if n.Negative {
		return -v
	}
	return v
}

// withUnit reads a text such as "12.5 kg" or "$1,234.50".
func withUnit(text string) (value, bool) {
	all := Find(text, StyleOf(text))
	if len(all) != 1 || len(all[0].readings) != 1 || all[0].power != 0 || all[0].attached {
		return value{}, false
	}
	n, flat := all[0], plain(text)
	if len(flat) != len(text) {
		return value{}, false // its positions are those of another text
	}
	before := strings.TrimSpace(flat[:n.begin])
	negative := strings.HasPrefix(before, "-") // as in -$2.00 and -2 kg
	before = strings.Trim(before, "- ")
	after := strings.TrimSpace(flat[n.end:])
	if n.Percent {
		after = "%"
	}
	if (before != "") == (after != "") || len(before)+len(after) > 12 || strings.ContainsAny(before+after, "0123456789()/:") {
		return value{}, false
	}
	r := n.readings[0]
	num := new(big.Rat)
	if _, ok := num.SetString(r.digits + "e" + strconv.Itoa(r.last)); !ok {
		num.SetInt64(0)
	}
	if negative || n.Negative {
		num.Neg(num)
	}
	return value{
		kind: number, num: num, decimals: max(0, -r.last), unit: before + after, before: before != "",
	}, true
}

// A Table is rows to which a text may refer.
type Table struct {
	// Name is the name of the table in references such as {late.r1.hours}. The
	// first table of a [Source] needs none.
	Name string

	Rows qed.Table

	// Query is the index of the query that returned the rows, in the Queries of
	// the answer. 0 is the first query; -1 means none.
	Query int
}

// columnIndex returns the index of a column, or -1. Letter case does not matter
// unless two names differ in nothing else.
func (t *Table) columnIndex(name string) int {
	found := -1
	for i, c := range t.Rows.Columns {
		switch {
		case c.Name == name:
			return i
		case strings.EqualFold(c.Name, name) && found >= 0:
			return -1
		case strings.EqualFold(c.Name, name):
			found = i
		}
	}
	return found
}

func (t *Table) columnNames() []string {
	names := make([]string, len(t.Rows.Columns))
	for i, c := range t.Rows.Columns {
		names[i] = c.Name
	}
	return names
}
