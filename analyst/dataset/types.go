package dataset

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/qedkit/qed/internal/column"
)

// A Type is the type of a column, found over all its rows.
type Type string

const (
	Integer Type = "integer"
	Decimal Type = "decimal"
	Boolean Type = "boolean" // stored as 1 and 0
	Date    Type = "date"    // stored as 2006-01-02
	Time    Type = "time"    // stored as the input spells it
	Text    Type = "text"    // stored as the input spells it; an empty cell is NULL
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

// forms are what a cell may be read as. A cell may fit several. A column has the
// first form that all its cells fit.
type form int

const (
	formInteger form = iota
	formPoint        // 1,234.56
	formComma        // 1.234,56
	formBoolean
	formISO      // 2006-01-02
	formSlashed  // 2006/01/02
	formDotted   // 02.01.2006
	formDayMonth // 02/01/2006
	formMonthDay // 01/02/2006
	formTime
	formCount
	formText = formCount // of a text column
)

// formInfo describes a form. A date has a layout. example is set if cells are
// converted.
var formInfo = [formCount]struct {
	kind                  Type
	name, layout, example string
}{
	formInteger:  {kind: Integer, name: "integers"},
	formPoint:    {kind: Decimal, name: "decimals", example: "1,234.56"},
	formComma:    {kind: Decimal, name: "decimals with a comma", example: "1.234,56"},
	formBoolean:  {kind: Boolean, name: "booleans"},
	formISO:      {kind: Date, name: "dates", layout: time.DateOnly},
	formSlashed:  {kind: Date, name: "dates", layout: "2006/01/02", example: "2006/12/31"},
	formDotted:   {kind: Date, name: "dates", layout: "2.1.2006", example: "31.12.2006"},
	formDayMonth: {kind: Date, name: "dates", layout: "2/1/2006", example: "31/12/2006"},
	formMonthDay: {kind: Date, name: "dates", layout: "1/2/2006", example: "12/31/2006"},
	formTime:     {kind: Time, name: "times"},
}

// A reading is what a cell may be.
type reading struct {
	forms       uint // bits by form
	placeholder bool // such as N/A
	ambiguous   bool // the decimal sign is a comma or a point
	grouped     bool // as formPoint it has commas between thousands
	pointWhole  bool // as formPoint it is a whole number
	commaWhole  bool // as formComma it is a whole number
}

func (r *reading) fit(f form) { r.forms |= 1 << f }

// read returns what a cell that is not blank may be.
func read(c cell) (r reading) {
	s := strings.TrimSpace(c.text)
	if c.number {
		r.readNumber(s)
		return r
	}
	if r.placeholder = column.IsPlaceholder(s); r.placeholder {
		return r
	}
	if len(s) <= 5 && (strings.EqualFold(s, "true") || strings.EqualFold(s, "false")) {
		r.fit(formBoolean)
		return r
	}
	if !strings.ContainsAny(s, ".,") {
		r.readNumber(s)
	} else {
		r.readDecimal(s)
	}
	if r.forms == 0 && len(s) >= len("1/1/2006") {
		r.readTime(s)
	}
	return r
}

// readNumber reads a number without a separator of thousands, whose decimal sign
// is a point. Whole numbers beyond int64 are text: they are identifiers, and a
// float64 would lose digits.
func (r *reading) readNumber(s string) {
	if _, ok := column.ParseNumber(s); !ok {
		return
	}
	if isWhole(s) {
		if _, err := strconv.ParseInt(s, 10, 64); err != nil {
			return
		}
		r.fit(formInteger)
		r.pointWhole, r.commaWhole = true, true
	}
	r.fit(formPoint)
	r.fit(formComma)
}

// readDecimal reads a number that has a point or a comma. If it is a number with
// either decimal sign, such as 1,234, it is ambiguous.
func (r *reading) readDecimal(s string) {
	if plain, ok := normalize(s, '.', ','); ok {
		r.fit(formPoint)
		r.pointWhole, r.grouped = isWhole(plain), strings.Contains(s, ",")
	}
	if plain, ok := normalize(s, ',', '.'); ok {
		r.fit(formComma)
		r.commaWhole = isWhole(plain)
	}
	r.ambiguous = r.forms == 1<<formPoint|1<<formComma
}

// isWhole reports whether a number is written with digits alone.
func isWhole(number string) bool { return !strings.ContainsAny(number, ".eE") }

// normalize returns a number without separators of thousands and with a point as
// decimal sign. It reports whether that is a number.
func normalize(s string, decimal, group byte) (string, bool) {
	whole, fraction, hasFraction := strings.Cut(s, string(decimal))
	groups := strings.Split(whole, string(group))
	for i, digits := range groups {
		if i == 0 {
			digits = strings.TrimPrefix(digits, "-")
		}
		if len(groups) > 1 && (len(digits) == 0 || len(digits) > 3 || i > 0 && len(digits) != 3) {
			return "", false
		}
	}
	plain := strings.Join(groups, "")
	if hasFraction {
		plain += "." + fraction
	}
	if _, ok := column.ParseNumber(plain); !ok {
		return "", false
	}
	if isWhole(plain) {
		_, err := strconv.ParseInt(plain, 10, 64)
		return plain, err == nil
	}
	return plain, true
}

func (r *reading) readTime(s string) {
	if len(s) <= len(time.DateOnly) {
		for f := formISO; f <= formMonthDay; f++ {
			layout := formInfo[f].layout
			sign := strings.Trim(layout, "0126")[:1]
			if strings.Count(s, sign) != 2 {
				continue
			}
			if _, err := time.Parse(layout, s); err == nil {
				r.fit(f)
			}
		}
	}
	if _, ok := column.ParseTime(s); ok {
		r.fit(formTime)
	}
}

// A tableColumn collects what its cells may be.
type tableColumn struct {
	name, header string
	kind         Type
	form         form

	filled       int // cells that are not blank
	placeholders int
	ambiguous    int
	grouped      int
	pointWhole   int
	commaWhole   int
	fits         [formCount]int
	firstMiss    [formCount]int // the first line that does not fit
	ambiguousAt  int            // the first line
	formulas     int
	formulaAt    int
}

func (c *tableColumn) add(v cell, line int) {
	if v.blank() {
		return
	}
	c.filled++
	r := read(v)
	if r.placeholder {
		c.placeholders++
		return
	}
	for f := range c.fits {
		if r.forms&(1<<f) != 0 {
			c.fits[f]++
		} else if c.firstMiss[f] == 0 {
			c.firstMiss[f] = line
		}
	}
	count := func(n *int, is bool) {
		if is {
			*n++
		}
	}
	count(&c.ambiguous, r.ambiguous)
	count(&c.grouped, r.grouped)
	count(&c.pointWhole, r.pointWhole)
	count(&c.commaWhole, r.commaWhole)
	if r.ambiguous && c.ambiguousAt == 0 {
		c.ambiguousAt = line
	}
	if r.forms == 0 && strings.ContainsRune("=@+-", rune(v.text[0])) {
		if c.formulas++; c.formulaAt == 0 {
			c.formulaAt = line
		}
	}
}

// values returns the number of cells that a column of numbers or times has.
func (c *tableColumn) values() int { return c.filled - c.placeholders }

func (c *tableColumn) all(f form) bool {
	if f == formBoolean {
		return c.filled > 0 && c.fits[f] == c.filled
	}
	return c.values() > 0 && c.fits[f] == c.values()
}

// provenSign returns the decimal sign of a column of numbers if its own cells
// prove it.
func (c *tableColumn) provenSign() rune {
	switch point, comma := c.all(formPoint), c.all(formComma); {
	case point && !comma:
		return '.'
	case comma && !point:
		return ','
	}
	return 0
}

// decimalSign returns the decimal sign of columns whose cells do not prove it,
// such as 1,234. It is 0 if it is unknown.
func (l *loader) decimalSign() rune {
	if l.opt.Decimal != 0 {
		return l.opt.Decimal
	}
	proven := map[rune]bool{}
	for _, c := range l.columns {
		proven[c.provenSign()] = true
	}
	switch {
	case proven['.'] && proven[',']:
		return 0
	case proven['.']:
		return '.'
	case proven[','], l.comma == ';':
		return ','
	}
	return 0
}

// decide sets the type of the column and returns what is to be said about it.
// sign is the decimal sign of the table, or 0. It wins if it is chosen.
func (c *tableColumn) decide(sign rune, chosen bool) (warnings []Warning) {
	warn := func(kind WarningKind, line, count int, format string, args ...any) {
		warnings = append(warnings, Warning{Kind: kind, Column: c.name, Line: line, Count: count, Message: fmt.Sprintf(format, args...)})
	}
	if c.formulas > 0 {
		warn(Formula, c.formulaAt, c.formulas, "%d cells of column %s start like a formula, first in line %d; they are text", c.formulas, c.name, c.formulaAt)
	}
	c.kind, c.form = Text, formText
	if c.all(formDayMonth) && c.all(formMonthDay) {
		warn(DayMonth, 0, c.filled, "the dates of column %s fit both day/month and month/day; they are text", c.name)
		return warnings
	}
	if c.all(formPoint) || c.all(formComma) {
		f, ok := c.numberForm(sign, chosen)
		if !ok {
			warn(DecimalSign, c.ambiguousAt, c.values(), "the numbers of column %s have a point or a comma, and it is not clear whether that is the decimal sign or separates thousands; they are text; set Options.Decimal", c.name)
			return warnings
		}
		c.accept(f, warn)
		return warnings
	}
	for f := formBoolean; f < formCount; f++ {
		if c.all(f) {
			c.accept(f, warn)
			return warnings
		}
	}
	best := formInteger
	for f := range formCount {
		if c.fits[f] > c.fits[best] {
			best = f
		}
	}
	if n := c.fits[best]; n > 0 {
		at := c.firstMiss[best]
		where := ""
		if at > 0 {
			where = fmt.Sprintf(", first in line %d", at)
		}
		warn(Mixed, at, c.filled-n, "column %s has %d %s and %d other cells%s; it is text", c.name, n, formInfo[best].name, c.filled-n, where)
	}
	return warnings
}

// numberForm returns the form of a column of numbers, and false if the decimal
// sign of its cells is unknown or is not the chosen one.
func (c *tableColumn) numberForm(sign rune, chosen bool) (form, bool) {
	proven := c.provenSign()
	switch {
	case c.all(formInteger):
		return formInteger, true
	case proven != 0 && chosen && proven != sign:
		return formText, false
	case proven != 0:
		sign = proven
	case c.ambiguous == 0:
		sign = '.'
	}
	switch sign {
	case '.':
		return formPoint, true
	case ',':
		return formComma, true
	}
	return formText, false
}

// accept makes f the form of the column.
func (c *tableColumn) accept(f form, warn func(WarningKind, int, int, string, ...any)) {
	info := formInfo[f]
	c.kind, c.form = info.kind, f
	if f == formPoint && c.pointWhole == c.values() || f == formComma && c.commaWhole == c.values() {
		c.kind = Integer
	}
	if info.example != "" && (f != formPoint || c.grouped > 0) {
		warn(Converted, 0, c.values(), "column %s has %s written as in %q; they were converted", c.name, info.name, info.example)
	}
	if c.placeholders > 0 {
		warn(Missing, 0, c.placeholders, "%d cells of column %s are placeholders such as N/A; they are NULL", c.placeholders, c.name)
	}
}

// value returns a cell as it is stored. add has checked that it fits the form.
func (c *tableColumn) value(v cell) any {
	if v.null || v.text == "" {
		return nil
	}
	if c.form == formText {
		return v.text
	}
	s := strings.TrimSpace(v.text)
	if s == "" || column.IsPlaceholder(s) {
		return nil
	}
	switch c.form {
	case formInteger, formPoint, formComma:
		return c.number(s, v.number)
	case formBoolean:
		return strings.EqualFold(s, "true")
	case formTime:
		return s
	}
	day, _ := time.Parse(formInfo[c.form].layout, s)
	return day.Format(time.DateOnly)
}

// number returns a number as it is stored. A number of JSON has a point as decimal
// sign whatever the column has.
func (c *tableColumn) number(s string, plain bool) any {
	switch {
	case plain:
	case c.form == formPoint:
		s, _ = normalize(s, '.', ',')
	case c.form == formComma:
		s, _ = normalize(s, ',', '.')
	}
	if c.kind == Integer {
		n, _ := strconv.ParseInt(s, 10, 64)
		return n
	}
	f, _ := column.ParseNumber(s)
	return f
}
