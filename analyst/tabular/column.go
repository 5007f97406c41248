package tabular

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/qedkit/qed/internal/column"
	"github.com/qedkit/qed/internal/prompt"
)

// A tableColumn collects what its cells may be.
type tableColumn struct {
	texts        *texts
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
	firstMiss    [formCount]Evidence // the first cell that does not fit
	examples     []string
	ambiguousAt  int // the first line
	formulas     int
	formulaAt    int
	numbers      numberCount
	quoted       int // cells such as ="0012"
	blanks       int // cells with spaces alone
	repeats      int // cells that are the same as the header
	yearCells    int
	compactDates int // cells such as 20060102
	codes        int // cells that differ from the header in digits alone
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
	c.show(v.text)
	if v.text == c.header {
		c.repeats++
	}
	if len(v.text) == len(c.header) && differInDigits(v.text, c.header) {
		c.codes++
	}
	if len(v.text) == len("2006") && isYear(v.text) {
		c.yearCells++
	}
	if len(v.text) == len("20060102") && isCompactDate(v.text) {
		c.compactDates++
	}
	r := read(v)
	if r.placeholder {
		c.placeholders++
		return
	}
	miss := Evidence{Line: line}
	for f := range c.fits {
		if r.fits(form(f)) {
			c.fits[f]++
		} else if c.firstMiss[f].Line == 0 {
			if miss.Cell == "" {
				miss.Cell = strings.Clone(prompt.Clip(v.text, exampleBytes))
			}
			c.firstMiss[f] = miss
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

// show keeps a cell as an example.
func (c *tableColumn) show(text string) {
	if len(c.examples) == maxExamples {
		return
	}
	if text = prompt.Clip(text, exampleBytes); !slices.Contains(c.examples, text) {
		c.examples = append(c.examples, strings.Clone(text))
	}
}

const (
	maxExamples  = 3
	exampleBytes = 64
)

// report returns the column of a table with a number of rows.
func (c *tableColumn) report(rows int) Column {
	out := Column{Name: c.name, Header: c.header, Type: c.kind, Unit: c.unit, Zoned: c.zoned, Missing: rows - c.filled, Examples: c.examples}
	if c.form != formText {
		out.Missing += c.placeholders
	}
	if at := c.evidence(); at.Line > 0 {
		out.Evidence = &at
	}
	return out
}

// rivals are the forms in which many cells can be read as well.
var rivals = map[form][]form{
	formPoint: {formComma}, formComma: {formPoint}, formDMY: {formMDY}, formMDY: {formDMY},
	formDMY2: {formMDY2, formYMD2}, formMDY2: {formDMY2, formYMD2}, formYMD2: {formDMY2, formMDY2},
}

// evidence returns the cell after which the column can have no other form, or that keeps it
// from having a type.
func (c *tableColumn) evidence() (last Evidence) {
	if c.form == formText && c.fits[c.commonest()] > 0 {
		return c.firstMiss[c.commonest()]
	}
	for _, f := range rivals[c.form] {
		if c.all(f) {
			return Evidence{} // another column or an option decides
		}
		if at := c.firstMiss[f]; at.Line > last.Line {
			last = at
		}
	}
	return last
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
	return shown(l, l.opt.Decimal, (*tableColumn).provenSign)
}

// dateOrder returns the order of dates of columns whose cells do not prove it, or "".
func (l *loader) dateOrder() string {
	return shown(l, l.opt.DateOrder, func(c *tableColumn) string {
		if fitting := c.dateForms(); len(fitting) == 1 {
			return formInfo[fitting[0]].order
		}
		return ""
	})
}

// shown returns what is chosen, or else what the columns show that show it, if it is the same
// in all of them. The zero value means that a column does not show it.
func shown[T comparable](l *loader, chosen T, of func(*tableColumn) T) (found T) {
	var none T
	if chosen != none {
		return chosen
	}
	for _, c := range l.columns {
		switch is := of(c); {
		case is == none || is == found:
		case found != none:
			return none
		default:
			found = is
		}
	}
	return found
}

// decide sets the type of the column and returns what is to be said about it.
// sign is the decimal sign of the table, or 0. It wins if it is chosen. order is the order of
// its dates, or "".
func (c *tableColumn) decide(sign rune, chosen bool, order string) (warnings []Warning) {
	warn := func(kind WarningKind, line, count int, text string, values ...string) {
		w := Warning{Kind: kind, Column: c.name, Line: line, Count: count}
		switch text {
		case c.texts.DecimalSign:
			w.Option, w.Choices = "Decimal", []string{".", ","}
		case c.texts.Orders:
			w.Option = "DateOrder"
			for _, f := range c.dateForms() {
				w.Choices = append(w.Choices, formInfo[f].order)
			}
		}
		warnings = append(warnings, w.message(text, values...))
	}
	if c.formulas > 0 {
		warn(Formula, c.formulaAt, c.formulas, c.texts.Formulas)
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
	case !c.decideDays(order, warn):
		c.warnMixed(warn)
	}
	return warnings
}

type warnFunc func(kind WarningKind, line, count int, text string, values ...string)

func (c *tableColumn) decideNumbers(sign rune, chosen bool, warn warnFunc) {
	if doubt := c.numbers.doubt(c.texts); doubt != "" {
		warn(Doubtful, 0, c.values(), doubt)
		return
	}
	if versionName.MatchString(c.name) && !c.all(formInteger) && c.numbers.plain == c.numbers.cells {
		warn(Doubtful, 0, c.values(), c.texts.Versions)
		return
	}
	f, ok := c.numberForm(sign, chosen)
	if !ok {
		warn(DecimalSign, c.ambiguousAt, c.values(), c.texts.DecimalSign)
		return
	}
	c.unit = c.numbers.unit()
	c.accept(f, warn)
	if c.compactDates == c.values() {
		warn(Doubtful, 0, c.values(), c.texts.CompactDates)
	}
}

// versionName matches names of columns of versions, of which 1.10 is another one than 1.1.
var versionName = regexp.MustCompile(`(?:^|[ _])(?i:version|release|firmware)$|\p{Ll}(?:Version|Release)$`)

// decideStamps decides about times as programs write them. As texts they compare rightly only
// if they are written alike.
func (c *tableColumn) decideStamps(warn warnFunc) {
	zones, shapes, fraction := map[string]bool{}, map[string]bool{}, 0
	dates := c.stamps[stamp{}]
	for s := range c.stamps {
		if s.shape != "" {
			zones[s.zone], shapes[s.shape], fraction = true, true, max(fraction, s.fraction)
		}
	}
	if fraction > len("000000") {
		warn(Doubtful, 0, c.values(), c.texts.Precise)
		return
	}
	if zones[""] && len(zones) > 1 || dates && len(zones) > 0 && !zones[""] {
		warn(Doubtful, 0, c.values(), c.texts.SomeZones)
		return
	}
	c.accept(formStamp, warn)
	c.zoned = len(zones) > 0 && !zones[""]
	if len(zones) > 1 || len(shapes) > 1 || shapes[mail] {
		c.layout = time.DateTime
		if fraction > 0 {
			c.layout += "." + strings.Repeat("0", fraction)
		}
		text := c.texts.Alike
		if !zones[""] {
			text = c.texts.AlikeUTC
			c.layout = strings.Replace(c.layout, " ", "T", 1) + "Z"
		}
		warn(Converted, 0, c.values(), text)
	}
}

// dateForms returns the forms of dates as people write them that all cells fit.
func (c *tableColumn) dateForms() (fitting []form) {
	for f := formYMD; f < formCount; f++ {
		if c.all(f) {
			fitting = append(fitting, f)
		}
	}
	return fitting
}

// decideDays decides about dates as people write them. It returns false if no order of day,
// month and year fits.
func (c *tableColumn) decideDays(order string, warn warnFunc) bool {
	fitting := c.dateForms()
	if len(fitting) > 1 {
		fitting = slices.DeleteFunc(fitting, func(f form) bool { return formInfo[f].order != order })
		if len(fitting) != 1 {
			warn(DayMonth, 0, c.values(), c.texts.Orders)
			return true
		}
	}
	if len(fitting) == 0 {
		return false
	}
	c.accept(fitting[0], warn)
	if c.form.isShort() {
		warn(DayMonth, 0, c.values(), c.texts.ShortYears)
	}
	return true
}

// commonest returns the form that most cells fit.
func (c *tableColumn) commonest() form {
	best := formInteger
	for f := range formCount {
		if c.fits[f] > c.fits[best] {
			best = f
		}
	}
	return best
}

// warnMixed says which cells keep a column from having a type.
func (c *tableColumn) warnMixed(warn warnFunc) {
	best := c.commonest()
	n := c.fits[best]
	if c.months > 0 && c.months == c.values() {
		warn(Doubtful, 0, c.months, c.texts.Months)
	}
	if n == 0 {
		return
	}
	at := c.firstMiss[best].Line
	text := c.texts.Mixed
	if at > 0 {
		text = c.texts.MixedAt
	}
	warn(Mixed, at, c.filled-n, text, "count", strconv.Itoa(n), "kinds", c.texts.kinds(formInfo[best].kind))
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
		warn(Converted, 0, c.values(), c.texts.Amounts, "unit", c.unit)
	case c.numbers.plain < c.numbers.cells:
		warn(Converted, 0, c.values(), c.texts.Signs)
	case info.example != "" && (f != formPoint || c.grouped > 0):
		warn(Converted, 0, c.values(), c.texts.Written, "kinds", c.texts.kinds(info.kind), "example", info.example)
	}
	if c.placeholders > 0 {
		warn(Missing, 0, c.placeholders, c.texts.Placeholders)
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

// number returns a number as it is stored. A number of JSON or Excel has a point as decimal
// sign whatever the column has.
func (c *tableColumn) number(s string, plain bool) any {
	if plain {
		s, _, _ = strings.Cut(s, " ") // from its unit
	} else if !c.isPlainNumber() {
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
