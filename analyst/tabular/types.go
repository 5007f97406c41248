package tabular

import (
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

// formInfo describes a form. example is set if cells are converted, and order for dates that
// another order may fit too.
var formInfo = [formCount]struct {
	kind    Type
	example string
	order   string
}{
	formInteger: {kind: Integer},
	formPoint:   {kind: Decimal, example: "1,234.56"},
	formComma:   {kind: Decimal, example: "1.234,56"},
	formBoolean: {kind: Boolean},
	formISO:     {kind: Date},
	formStamp:   {kind: Time},
	formYMD:     {kind: Date, example: "2006/12/31"},
	formNamed:   {kind: Date, example: "31 December 2006"},
	formDMY:     {kind: Date, example: "31/12/2006", order: "dmy"},
	formMDY:     {kind: Date, example: "12/31/2006", order: "mdy"},
	formDMY2:    {kind: Date, example: "31/12/06", order: "dmy"},
	formMDY2:    {kind: Date, example: "12/31/06", order: "mdy"},
	formYMD2:    {kind: Date, example: "06/12/31", order: "ymd"},
}

// dateOrders are the values of Options.DateOrder.
var dateOrders = []string{"dmy", "mdy", "ymd"}

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

// isLike reports whether a cell may be one of a column of a form, such as a date of another order.
func (r *reading) isLike(f form) bool {
	const numbers = 1<<formInteger | 1<<formPoint | 1<<formComma
	switch {
	case numbers&(1<<f) != 0:
		return r.forms&numbers != 0
	case f == formBoolean:
		return r.fits(f)
	}
	return r.forms&^(numbers|1<<formBoolean) != 0
}

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
	if digit <= maxBefore && !isWord(s[:digit]) && !isISO(s) {
		if n, ok := readNumeral(s); ok {
			r.readNumeral(n)
		}
	}
	if r.forms == 0 && len(s) >= len("1.1.06") && len(s) <= 64 {
		r.readTime(s)
	}
	return r
}

// isWord reports whether a text has more letters than a currency.
func isWord(s string) bool {
	letters := 0
	for i := range len(s) {
		if c := s[i] | 0x20; c >= 'a' && c <= 'z' {
			letters++
		}
	}
	return letters > 3
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

// readNumber reads a number of JSON or Excel, whose decimal sign is a point. A unit may follow
// after a blank.
func (r *reading) readNumber(s string) {
	s, unit, _ := strings.Cut(s, " ")
	n := numeral{digits: strings.TrimPrefix(s, "-"), negative: strings.HasPrefix(s, "-"), unit: unit, certain: true}
	plain, ok := n.plain('.')
	if !ok {
		return
	}
	if isWhole(plain) {
		r.pointWhole, r.commaWhole = true, true
		if unit == "" {
			r.fit(formInteger)
		}
	}
	r.fit(formPoint)
	r.fit(formComma)
	r.numeral = n
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

// startsDate reports whether a text begins as a date does that begins with a word: a month
// or a day of the week.
func startsDate(s string) bool {
	end := strings.IndexAny(s, " ,.-")
	if end < 2 || end > len("Donnerstag") {
		return false
	}
	word := strings.ToLower(s[:end])
	return monthOf(word) > 0 || weekdays[word]
}

// isISO reports whether a text is a date such as 2006-01-02.
func isISO(s string) bool {
	if len(s) != len(time.DateOnly) || s[4] != '-' {
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

// mail is the shape of times as e-mail has them, whose order as texts is not that of time.
const mail = "mail"

func stampOf(s string) stamp {
	if s[0] < '0' || s[0] > '9' {
		return stamp{zone: "GMT", shape: mail}
	}
	at := strings.IndexAny(s, "T ")
	if at != len(time.DateOnly) || s[4] != '-' { // a date alone
		return stamp{}
	}
	clock, zone := s[at+1:], ""
	if end := strings.IndexAny(clock, "Z+- "); end >= 0 {
		clock, zone = clock[:end], strings.TrimSpace(clock[end:])
	}
	_, fraction, _ := strings.Cut(clock, ".")
	return stamp{zone: zone, shape: s[at:at+1] + strconv.Itoa(len(clock)), fraction: len(fraction)}
}
