package dataset

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// A Type is the type of a column, found over all its rows.
type Type string

const (
	Integer Type = "integer"
	Decimal Type = "decimal"
	Boolean Type = "boolean" // stored as 1 and 0
	Date    Type = "date"    // stored as 2006-01-02
	Time    Type = "time"    // stored as the input spells it
	Text    Type = "text"
)

// declared returns the type in the table definition.
func (t Type) declared() string {
	switch t {
	case Integer:
		return "INTEGER"
	case Decimal:
		return "REAL"
	case Boolean:
		return "BOOLEAN"
	}
	return "TEXT"
}

// forms are what a cell may be read as. A cell may fit several.
const (
	formInteger = iota
	formDecimal // with a point
	formComma   // 1.234,56
	formBoolean
	formISO      // 2006-01-02
	formDotted   // 02.01.2006
	formDayMonth // 02/01/2006
	formMonthDay // 01/02/2006
	formTime
	formCount
)

var formNames = [formCount]string{"integers", "decimals", "decimals with a comma", "booleans", "dates", "dates", "dates", "dates", "times"}

var (
	integerForm = regexp.MustCompile(`^[+-]?(0|[1-9][0-9]*)$`)
	decimalForm = regexp.MustCompile(`^[+-]?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$`)
	commaForm   = regexp.MustCompile(`^[+-]?(0|[1-9][0-9]*|[1-9][0-9]{0,2}(\.[0-9]{3})+)(,[0-9]+)?$`)
)

var dateLayouts = map[int]string{formISO: "2006-01-02", formDotted: "2.1.2006", formDayMonth: "2/1/2006", formMonthDay: "1/2/2006"}

var timeLayouts = []string{time.RFC3339Nano, "2006-01-02 15:04:05.999999999", "2006-01-02T15:04:05.999999999", "2006-01-02 15:04", "2006-01-02T15:04"}

// forms returns the forms that a text fits, as bits.
func forms(s string) (bits uint) {
	first := s[0]
	if first >= '0' && first <= '9' || first == '-' || first == '+' {
		if len(s) <= 20 && integerForm.MatchString(s) {
			if _, err := strconv.ParseInt(s, 10, 64); err == nil {
				return 1<<formInteger | 1<<formDecimal | 1<<formComma
			}
			return 0 // an identifier, too long for an integer
		}
		if len(s) <= 40 && decimalForm.MatchString(s) {
			if f, err := strconv.ParseFloat(s, 64); err == nil && !math.IsInf(f, 0) {
				bits |= 1 << formDecimal
			}
		}
		if len(s) <= 40 && commaForm.MatchString(s) {
			bits |= 1 << formComma
		}
		if len(s) <= 10 && len(s) >= 8 {
			for form, layout := range dateLayouts {
				if _, err := time.Parse(layout, s); err == nil {
					bits |= 1 << form
				}
			}
		}
		if len(s) >= 16 && len(s) <= 40 {
			for _, layout := range timeLayouts {
				if _, err := time.Parse(layout, s); err == nil {
					return bits | 1<<formTime
				}
			}
		}
		return bits
	}
	if len(s) <= 5 && (strings.EqualFold(s, "true") || strings.EqualFold(s, "false")) {
		return 1 << formBoolean
	}
	return 0
}

// A column collects what its cells may be.
type column struct {
	name, header string
	kind         Type
	form         int

	filled    int // cells that are not NULL
	fits      [formCount]int
	firstMiss [formCount]int // the first line that does not fit
	formulas  int
	formulaAt int
}

func (c *column) add(v cell, line int) {
	if v.null || v.text == "" {
		return
	}
	c.filled++
	var bits uint
	if !v.quoted {
		bits = forms(v.text)
	}
	for i := range c.fits {
		if bits&(1<<i) != 0 {
			c.fits[i]++
		} else if c.firstMiss[i] == 0 {
			c.firstMiss[i] = line
		}
	}
	switch v.text[0] {
	case '=', '@', '+', '-':
		if bits == 0 {
			if c.formulas++; c.formulaAt == 0 {
				c.formulaAt = line
			}
		}
	}
}

// decide sets the type of the column and returns what is to be said about it.
func (c *column) decide() (warnings []Warning) {
	warn := func(kind WarningKind, line, count int, format string, args ...any) {
		warnings = append(warnings, Warning{Kind: kind, Column: c.name, Line: line, Count: count, Message: fmt.Sprintf(format, args...)})
	}
	if c.formulas > 0 {
		warn(Formula, c.formulaAt, c.formulas, "%d cells of column %s start like a formula, first in line %d; they are text", c.formulas, c.name, c.formulaAt)
	}
	c.kind, c.form = Text, -1
	if c.filled == 0 {
		return warnings
	}
	all := func(form int) bool { return c.fits[form] == c.filled }
	types := [formCount]Type{Integer, Decimal, Decimal, Boolean, Date, Date, Date, Date, Time}
	if all(formDayMonth) && all(formMonthDay) {
		warn(DayMonth, 0, c.filled, "the dates of column %s fit both day/month and month/day; they are text", c.name)
		return warnings
	}
	for form := range types {
		if all(form) {
			c.kind, c.form = types[form], form
			if form == formComma || form > formISO && form < formTime {
				warn(Converted, 0, c.filled, "column %s has %s written as in %q; they were converted", c.name, formNames[form],
					[]string{formComma: "1.234,56", formDotted: "31.12.2006", formDayMonth: "31/12/2006", formMonthDay: "12/31/2006"}[form])
			}
			return warnings
		}
	}
	best := 0
	for form := range c.fits {
		if c.fits[form] > c.fits[best] {
			best = form
		}
	}
	if n := c.fits[best]; n > 0 {
		warn(Mixed, c.firstMiss[best], c.filled-n, "column %s has %d %s and %d other cells, first in line %d; it is text", c.name, n, formNames[best], c.filled-n, c.firstMiss[best])
	}
	return warnings
}

// value returns a cell as it is stored. Empty cells of a column that is not
// text are NULL, as are empty cells of a text column.
func (c *column) value(v cell) any {
	if v.null || v.text == "" {
		return nil
	}
	switch c.form {
	case formInteger:
		n, _ := strconv.ParseInt(v.text, 10, 64) // add has parsed it
		return n
	case formDecimal:
		f, _ := strconv.ParseFloat(v.text, 64)
		return f
	case formComma:
		f, _ := strconv.ParseFloat(strings.Replace(strings.ReplaceAll(v.text, ".", ""), ",", ".", 1), 64)
		return f
	case formBoolean:
		return strings.EqualFold(v.text, "true")
	case formDotted, formDayMonth, formMonthDay:
		t, _ := time.Parse(dateLayouts[c.form], v.text)
		return t.Format(time.DateOnly)
	}
	return v.text
}
