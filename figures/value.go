package figures

import (
	"math/big"
	"strings"
	"time"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/lists"
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
	label    bool     // an identifier or a year: its digits are not grouped

	time  time.Time
	clock bool // time has a time of day
	month bool // time is a whole month

	text string // of words, and of a text that was read as something else
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
	return lists.Map(t.Rows.Columns, func(c qed.Column) string { return c.Name })
}
