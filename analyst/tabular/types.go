package tabular

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
	Time    Type = "time"    // stored as 2006-01-02 15:04:05 or as the input spells it
	Text    Type = "text"    // stored as the input spells it; an empty cell is NULL
)

// forms are what a cell may be read as. A cell may fit several. A column has the
// first form that all its cells fit.
type form int

const (
	formInteger form = iota
	formPoint        // 1,234.56
	formComma        // 1.234,56
	formBoolean
	formISO   // 2006-01-02
	formStamp // times as programs write them
	formYMD   // 2006/01/02, 2006.1.2
	formNamed // 2 January 2006
	formDMY   // 02/01/2006, 02.01.2006
	formMDY   // 01/02/2006
	formDMY2  // 02/01/06
	formMDY2  // 01/02/06
	formYMD2  // 06/01/02
	formCount
	formText = formCount // of a text column
)

// formInfo describes a form. example is set if cells are converted.
var formInfo = [formCount]struct {
	kind          Type
	name, example string
}{
	formInteger: {kind: Integer, name: "integers"},
	formPoint:   {kind: Decimal, name: "decimals", example: "1,234.56"},
	formComma:   {kind: Decimal, name: "decimals with a comma", example: "1.234,56"},
	formBoolean: {kind: Boolean, name: "booleans"},
	formISO:     {kind: Date, name: "dates"},
	formStamp:   {kind: Time, name: "times"},
	formYMD:     {kind: Date, name: "dates", example: "2006/12/31"},
	formNamed:   {kind: Date, name: "dates", example: "31 December 2006"},
	formDMY:     {kind: Date, name: "dates", example: "31/12/2006"},
	formMDY:     {kind: Date, name: "dates", example: "12/31/2006"},
	formDMY2:    {kind: Date, name: "dates", example: "31/12/06"},
	formMDY2:    {kind: Date, name: "dates", example: "12/31/06"},
	formYMD2:    {kind: Date, name: "dates", example: "06/12/31"},
}

// isShort reports whether a form has years of two digits.
func (f form) isShort() bool { return f == formDMY2 || f == formMDY2 || f == formYMD2 }

// A reading is what a cell may be.
type reading struct {
	forms       uint // bits by form
	placeholder bool // such as N/A
	ambiguous   bool // the decimal sign is a comma or a point
	grouped     bool // as formPoint it has separators of thousands
	pointWhole  bool // as formPoint it is a whole number
	commaWhole  bool // as formComma it is a whole number
	clock       bool // it has a time of the day
	month       bool // it is a month without a day
	numeral     numeral
	stamp       stamp
}

func (r *reading) fit(f form)       { r.forms |= 1 << f }
func (r *reading) fits(f form) bool { return r.forms&(1<<f) != 0 }

// read returns what a cell that is not blank may be.
func read(c cell) (r reading) {
	s := strings.TrimSpace(c.text)
	if c.number {
		r.readNumber(s)
		return r
	}
	if !c.quoted && r.readPlain(s) {
		return r
	}
	if r.placeholder = column.IsPlaceholder(s); r.placeholder || c.quoted {
		return r
	}
	if len(s) <= 5 && (strings.EqualFold(s, "true") || strings.EqualFold(s, "false")) {
		r.fit(formBoolean)
		return r
	}
	digit := strings.IndexAny(s, "0123456789")
	if digit < 0 {
		return r
	}
	if digit <= maxBefore && !isISO(s) {
		if n, ok := readNumeral(s); ok {
			r.readNumeral(n)
		}
	}
	if r.forms == 0 && len(s) >= len("1.1.06") && len(s) <= 64 {
		r.readTime(s)
	}
	return r
}

// maxBefore is how many bytes of brackets, signs and units may stand before a number.
const maxBefore = 12

// readPlain reads the cells that most files have, as they take the most time: numbers as
// programs write them, with up to 15 digits. It returns false for all others.
func (r *reading) readPlain(s string) bool {
	digits := s
	if strings.HasPrefix(s, "-") {
		digits = s[1:]
	}
	if digits == "" || len(digits) > 16 {
		return false
	}
	point := -1
	for i := range len(digits) {
		switch c := digits[i]; {
		case c >= '0' && c <= '9':
		case c == '.' && point < 0:
			point = i
		default:
			return false
		}
	}
	whole := digits
	if point >= 0 {
		whole = digits[:point]
	}
	if whole == "" || len(whole) > 1 && whole[0] == '0' || point == len(digits)-1 {
		return false
	}
	n := numeral{digits: digits, negative: len(digits) < len(s)}
	r.numeral = n
	if point < 0 {
		r.forms = 1<<formInteger | 1<<formPoint | 1<<formComma
		r.pointWhole, r.commaWhole = true, true
		return true
	}
	r.fit(formPoint)
	if len(digits)-point == len(".000") && len(whole) <= 3 && whole != "0" {
		r.fit(formComma)
		r.commaWhole, r.ambiguous = true, true
	}
	return true
}

// readNumber reads a number of JSON, whose decimal sign is a point.
func (r *reading) readNumber(s string) {
	n := numeral{digits: strings.TrimPrefix(s, "-"), negative: strings.HasPrefix(s, "-")}
	plain, ok := n.plain('.')
	if !ok {
		return
	}
	if isWhole(plain) {
		r.fit(formInteger)
		r.pointWhole, r.commaWhole = true, true
	}
	r.fit(formPoint)
	r.fit(formComma)
}

// readNumeral reads a number. If it is one with either decimal sign, such as 1,234, it is
// ambiguous.
func (r *reading) readNumeral(n numeral) {
	if plain, ok := n.plain('.'); ok {
		r.fit(formPoint)
		r.pointWhole, r.grouped = isWhole(plain), strings.ContainsAny(n.digits, ",' ")
	}
	if plain, ok := n.plain(','); ok {
		r.fit(formComma)
		r.commaWhole = isWhole(plain)
	}
	if strings.ContainsAny(n.digits, ".,") {
		r.ambiguous = r.fits(formPoint) && r.fits(formComma)
	} else if r.fits(formPoint) {
		r.fit(formComma) // also 1e3
		if r.pointWhole && !r.grouped && !n.unusual {
			r.fit(formInteger)
		}
	}
	if r.forms != 0 {
		r.numeral = n
	}
}

// readTime reads a date or a time.
func (r *reading) readTime(s string) {
	isDigit := s[0] >= '0' && s[0] <= '9'
	if !isDigit && !startsDate(s) {
		return
	}
	if isISO(s) {
		r.fit(formISO)
		r.fit(formStamp)
		r.fit(formYMD)
		return
	}
	if _, ok := column.ParseTime(s); ok && len(s) < len(time.DateOnly) {
		r.month = true
	} else if ok && s[4] != '/' {
		r.fit(formStamp)
		r.stamp = stampOf(s)
	}
	if d, ok := readDay(s); ok {
		r.clock = d.clock
		for f := formYMD; f < formCount; f++ {
			if !d.orders[f].IsZero() {
				r.fit(f)
			}
		}
	}
}

// startsDate reports whether a text begins as a date does that begins with a word: with three
// letters of a month or of a day of the week.
func startsDate(s string) bool {
	end := strings.IndexAny(s, " ,.-")
	if end < 3 || end > len("September") {
		return false
	}
	word := strings.ToLower(s[:end])
	return months[word] > 0 || strings.Contains("mon tue wed thu fri sat sun", word[:3])
}

// isISO reports whether a text is a date such as 2006-01-02.
func isISO(s string) bool {
	if len(s) != len(time.DateOnly) || s[4] != '-' || s[7] != '-' {
		return false
	}
	_, err := time.Parse(time.DateOnly, s)
	return err == nil
}

// A stamp is how a time is written. Times of one stamp can be compared as texts.
type stamp struct {
	zone     string // the offset, or "" without one
	shape    string // the length and the sign before the time of the day
	fraction int    // the digits of the seconds after the point
}

func stampOf(s string) stamp {
	at := strings.IndexAny(s, "T ")
	if at != len(time.DateOnly) || s[4] != '-' { // a date or a month alone, or one of e-mail
		return stamp{}
	}
	clock, zone := s[at+1:], ""
	if end := strings.IndexAny(clock, "Z+- "); end >= 0 {
		clock, zone = clock[:end], strings.TrimSpace(clock[end:])
	}
	_, fraction, _ := strings.Cut(clock, ".")
	return stamp{zone: zone, shape: s[at:at+1] + strconv.Itoa(len(clock)), fraction: len(fraction)}
}

// A tableColumn collects what its cells may be.
type tableColumn struct {
	name, header string
	kind         Type
	form         form
	unit         string
	zoned        bool
	months       int    // cells such as 2006-01
	layout       string // of times that are written anew, those with a zone in UTC

	filled       int // cells that are not blank
	placeholders int
	ambiguous    int
	grouped      int
	pointWhole   int
	commaWhole   int
	clocks       int
	fits         [formCount]int
	firstMiss    [formCount]int // the first line that does not fit
	ambiguousAt  int            // the first line
	formulas     int
	formulaAt    int
	numbers      numberCount
	quoted       int // cells such as ="0012"
	blanks       int // cells with spaces alone
	repeats      int // cells that are the same as the header
	yearCells    int
	stamps       map[stamp]bool
}

const maxStamps = 100 // of a column

func (c *tableColumn) add(v cell, line int) {
	if v.quoted {
		c.quoted++
	}
	if v.blank() {
		if v.text != "" {
			c.blanks++
		}
		return
	}
	c.filled++
	if v.text == c.header {
		c.repeats++
	}
	if len(v.text) == len("2006") && isYear(v.text) {
		c.yearCells++
	}
	r := read(v)
	if r.placeholder {
		c.placeholders++
		return
	}
	for f := range c.fits {
		if r.fits(form(f)) {
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
	count(&c.clocks, r.clock)
	count(&c.months, r.month)
	if r.ambiguous && c.ambiguousAt == 0 {
		c.ambiguousAt = line
	}
	if r.numeral.digits != "" {
		c.numbers.add(r.numeral)
	}
	if r.fits(formStamp) && len(c.stamps) < maxStamps {
		if c.stamps == nil {
			c.stamps = map[stamp]bool{}
		}
		c.stamps[r.stamp] = true
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
	case proven[',']:
		return ','
	}
	return 0
}

// decide sets the type of the column and returns what is to be said about it.
// sign is the decimal sign of the table, or 0. It wins if it is chosen.
func (c *tableColumn) decide(sign rune, chosen bool) (warnings []Warning) {
	warn := func(kind WarningKind, line, count int, format string, args ...any) {
		w := Warning{Kind: kind, Column: c.name, Line: line, Count: count, Message: fmt.Sprintf(format, args...)}
		if kind == DecimalSign {
			w.Option = "Decimal"
		}
		warnings = append(warnings, w)
	}
	if c.formulas > 0 {
		warn(Formula, c.formulaAt, c.formulas, "%d cells of column %s start like a formula, first in line %d; they are text", c.formulas, c.name, c.formulaAt)
	}
	c.kind, c.form = Text, formText
	switch {
	case c.all(formPoint) || c.all(formComma):
		c.decideNumbers(sign, chosen, warn)
	case c.all(formBoolean):
		c.accept(formBoolean, warn)
	case c.all(formISO):
		c.accept(formISO, warn)
	case c.all(formStamp):
		c.decideStamps(warn)
	case !c.decideDays(warn):
		c.warnMixed(warn)
	}
	return warnings
}

type warnFunc func(kind WarningKind, line, count int, format string, args ...any)

func (c *tableColumn) decideNumbers(sign rune, chosen bool, warn warnFunc) {
	if doubt := c.numbers.doubt(); doubt != "" {
		warn(Doubtful, 0, c.values(), "the cells of column %s look like numbers, but %s; they are text", c.name, doubt)
		return
	}
	f, ok := c.numberForm(sign, chosen)
	if !ok {
		warn(DecimalSign, c.ambiguousAt, c.values(), "the numbers of column %s have a point or a comma, and it is not clear whether that is the decimal sign or separates thousands; they are text", c.name)
		return
	}
	c.unit = c.numbers.unit()
	c.accept(f, warn)
}

// decideStamps decides about times as programs write them. As texts they compare rightly only
// if they are written alike.
func (c *tableColumn) decideStamps(warn warnFunc) {
	zones, shapes, fraction := map[string]bool{}, map[string]bool{}, 0
	for s := range c.stamps {
		if s.shape != "" {
			zones[s.zone], shapes[s.shape], fraction = true, true, max(fraction, s.fraction)
		}
	}
	if zones[""] && len(zones) > 1 {
		warn(Doubtful, 0, c.values(), "some times of column %s have a zone and others have none, so they cannot be compared; they are text", c.name)
		return
	}
	c.accept(formStamp, warn)
	c.zoned = len(zones) > 0 && !zones[""]
	if len(zones) > 1 || len(shapes) > 1 {
		c.layout = time.DateTime
		if fraction > 0 {
			c.layout += "." + strings.Repeat("0", min(fraction, 9))
		}
		in := ""
		if !zones[""] {
			in = " in UTC"
			c.layout = strings.Replace(c.layout, " ", "T", 1) + "Z"
		}
		warn(Converted, 0, c.values(), "the times of column %s are written in several ways; all are written alike%s now", c.name, in)
	}
}

// decideDays decides about dates as people write them. It returns false if no order of day,
// month and year fits.
func (c *tableColumn) decideDays(warn warnFunc) bool {
	var fitting []form
	for f := formYMD; f < formCount; f++ {
		if c.all(f) {
			fitting = append(fitting, f)
		}
	}
	switch len(fitting) {
	case 0:
		return false
	case 1:
		c.accept(fitting[0], warn)
		if c.form.isShort() {
			warn(DayMonth, 0, c.values(), "the years of column %s have two digits; they are read as 1969 to 2068", c.name)
		}
	default:
		warn(DayMonth, 0, c.values(), "the dates of column %s fit several orders of day, month and year; they are text", c.name)
	}
	return true
}

// warnMixed says which cells keep a column from having a type.
func (c *tableColumn) warnMixed(warn warnFunc) {
	best := formInteger
	for f := range formCount {
		if c.fits[f] > c.fits[best] {
			best = f
		}
	}
	n := c.fits[best]
	if c.months > 0 && c.months == c.values() {
		warn(Doubtful, 0, c.months, "column %s has months without a day; they are text, whose order is that of time", c.name)
	}
	if n == 0 {
		return
	}
	at := c.firstMiss[best]
	where := ""
	if at > 0 {
		where = fmt.Sprintf(", first in line %d", at)
	}
	warn(Mixed, at, c.filled-n, "column %s has %d %s and %d other cells%s; it is text", c.name, n, formInfo[best].name, c.filled-n, where)
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
func (c *tableColumn) accept(f form, warn warnFunc) {
	info := formInfo[f]
	c.kind, c.form = info.kind, f
	if f == formPoint && c.pointWhole == c.values() || f == formComma && c.commaWhole == c.values() {
		c.kind = Integer
	}
	if c.clocks > 0 {
		c.kind = Time
	}
	switch {
	case c.unit != "":
		warn(Converted, 0, c.values(), "column %s has amounts in %s; the numbers are as written, without the unit", c.name, c.unit)
	case c.numbers.plain < c.numbers.cells:
		warn(Converted, 0, c.values(), "column %s has numbers with spaces, apostrophes, brackets or other signs; they were converted", c.name)
	case info.example != "" && (f != formPoint || c.grouped > 0):
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
	case formISO:
		return s
	case formStamp:
		return c.time(s)
	}
	d, _ := readDay(s)
	if c.kind == Time {
		return d.orders[c.form].Format(time.DateTime)
	}
	return d.orders[c.form].Format(time.DateOnly)
}

// time returns a time as it is stored.
func (c *tableColumn) time(s string) string {
	if c.layout == "" || len(s) <= len(time.DateOnly) {
		return s
	}
	at, _ := column.ParseTime(s)
	return at.UTC().Format(c.layout)
}

// isPlainNumber reports whether all cells are numbers as programs write them.
func (c *tableColumn) isPlainNumber() bool {
	return (c.form == formInteger || c.form == formPoint) && c.grouped == 0 && c.numbers.plain == c.numbers.cells
}

// number returns a number as it is stored. A number of JSON has a point as decimal
// sign whatever the column has.
func (c *tableColumn) number(s string, plain bool) any {
	if !plain && !c.isPlainNumber() {
		n, _ := readNumeral(s)
		sign := byte('.')
		if c.form == formComma && strings.Trim(n.digits, "0123456789eE+-") != "" {
			sign = ','
		}
		s, _ = n.plain(sign)
	}
	if c.kind == Integer {
		n, _ := strconv.ParseInt(s, 10, 64)
		return n
	}
	f, _ := column.ParseNumber(s)
	return f
}
