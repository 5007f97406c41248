package figures

import (
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
	"time"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/column"
)

// A cellReader reads the cells of one column. A text is a number or a time only
// where the column says so: by its type or, for computing with it, because all of
// its texts are numbers with the same unit, or times.
type cellReader struct {
	name  string
	texts kind   // what texts are
	typed bool   // because of the type of the column
	unit  string // of texts that are numbers, and where it stands
	style Style
	plain bool // texts are numbers in the form of Go
}

// newCellReader returns the reader of column i.
func newCellReader(t *qed.Table, i int) *cellReader {
	head := t.Columns[i]
	r := &cellReader{name: head.Name, texts: words}
	switch column.TypeKind(head.Type) {
	case column.Numbers:
		r.texts, r.plain, r.typed = number, true, true
	case column.Times:
		r.texts, r.typed = moment, true
	case column.Texts:
		r.readTexts(t, i, false)
	default:
		r.readTexts(t, i, true)
	}
	return r
}

// readTexts finds out whether all texts of a column are the same kind of number or
// time. In a column of a text type, numbers without a unit are codes.
func (r *cellReader) readTexts(t *qed.Table, i int, bare bool) {
	plain, times := bare, true
	var with amountReader
	some := false
	for _, row := range t.Rows {
		text, ok := row[i].(string)
		text = strings.TrimSpace(text)
		if !ok || text == "" {
			continue
		}
		some = true
		if len(text) > maxNumberText {
			return
		}
		_, _, isPlain := plainNumber(text)
		_, isTime := r.time(text)
		plain, times = plain && isPlain, times && isTime
		if with.add(text); !plain && !times && with.failed {
			return
		}
	}
	switch {
	case !some:
	case plain:
		r.texts, r.plain = number, true
	case times:
		r.texts, r.typed = moment, bare
	case with.ok():
		r.texts, r.unit, r.style = number, with.unit, with.style
	}
}

// maxNumberText is the length of the longest text that is read as a number.
const maxNumberText = 64

// value returns the value of a cell.
func (r *cellReader) value(c any) value {
	switch c := c.(type) {
	case nil:
		return value{}
	case bool:
		return value{kind: words, text: strconv.FormatBool(c)}
	case int64:
		label := column.IsIdentifier(r.name) || column.IsCalendar(r.name)
		return value{kind: number, num: new(big.Rat).SetInt64(c), label: label}
	case float64:
		if math.IsNaN(c) || math.IsInf(c, 0) {
			return value{kind: words, text: fmt.Sprint(c)}
		}
		v := decimal(strconv.FormatFloat(c, 'f', -1, 64))
		v.decimals = -1
		return v
	case string:
		v := r.text(strings.TrimSpace(c))
		if v.kind == words || v.kind != missing && !r.typed {
			v.text = c
		}
		return v
	}
	return value{kind: words, text: fmt.Sprint(c)}
}

// text returns the value of a text without space around it.
func (r *cellReader) text(text string) value {
	if text == "" {
		return value{}
	}
	if len(text) <= maxNumberText {
		switch {
		case r.texts == moment:
			if v, ok := r.time(text); ok {
				return v
			}
		case r.texts == number && r.plain:
			if v, ok := plainValue(text); ok {
				return v
			}
		case r.texts == number:
			if a, ok := readAmount(text); ok && a.unit == r.unit {
				return a.value(r.style)
			}
		}
	}
	return value{kind: words}
}

// time reads a time. A month such as 2026-03 is one only if the column says so.
func (r *cellReader) time(text string) (v value, ok bool) {
	t, ok := column.ParseTime(text)
	month := len(text) == len("2006-01")
	if !ok || month && !r.typed && !column.IsCalendar(r.name) {
		return value{}, false
	}
	_, offset := t.Zone() // the day begins in the zone of the time
	local := t.Add(time.Duration(offset) * time.Second)
	return value{kind: moment, time: t, clock: !local.Truncate(24 * time.Hour).Equal(local), month: month}, true
}

// plainValue reads a number in the form of Go.
func plainValue(text string) (v value, ok bool) {
	n, negative, ok := plainNumber(text)
	switch {
	case !ok:
		return value{}, false
	case !strings.ContainsAny(text, "eE"):
		return decimal(text), true
	case n.last <= -30 || n.last >= 30:
		return value{}, false
	}
	f := n.value()
	if negative {
		f = -f
	}
	return decimal(strconv.FormatFloat(f, 'f', -1, 64)), true
}

// A writtenAmount is a number with a unit, such as "12.5 kg" or "-$1,234.50".
type writtenAmount struct {
	parts      []string
	separators string
	negative   bool
	unit       string
	before     bool // the unit stands before the number
}

// readAmount reads a number with a unit of measure or a currency. It refuses
// everything else, such as "Room 10" and "010 kg".
func readAmount(text string) (a writtenAmount, ok bool) {
	text = strings.TrimSpace(plain(text))
	first := strings.IndexAny(text, "0123456789")
	if first < 0 {
		return a, false
	}
	before := strings.TrimSpace(text[:first])
	a.negative = strings.HasPrefix(before, "-") || strings.HasSuffix(before, "-")
	before = strings.TrimSpace(strings.Trim(before, "-"))
	end := 0
	a.parts, a.separators, end = groups(text, first)
	after := strings.TrimSpace(text[end:])
	a.unit, a.before = before+after, before != ""
	zero := len(a.parts[0]) > 1 && a.parts[0][0] == '0'
	known := startsWithMoney(a.unit) && (currencies[strings.ToLower(a.unit)] || len([]rune(a.unit)) == 1)
	return a, !zero && (before == "") != (after == "") && (known || !a.before && units[after])
}

func (a *writtenAmount) value(style Style) value {
	all := readings(a.parts, a.separators, style)
	if len(all) != 1 {
		return value{kind: words}
	}
	num, ok := new(big.Rat).SetString("0" + all[0].digits + "e" + strconv.Itoa(all[0].last))
	if !ok {
		return value{kind: words}
	}
	if a.negative {
		num.Neg(num)
	}
	return value{kind: number, num: num, decimals: max(0, -all[0].last), unit: a.unit, before: a.before}
}

// An amountReader finds the unit and the style that all texts of a column have.
type amountReader struct {
	unit         string
	style        Style
	some, failed bool
	comma, point bool // a number proves the style
	open         byte // the separator of numbers that prove none
}

func (r *amountReader) add(text string) {
	a, ok := readAmount(text)
	other := r.some && a.unit != r.unit
	if r.failed = r.failed || !ok || other || len(readings(a.parts, a.separators, PointDecimal)) != 1; r.failed {
		return
	}
	r.some, r.unit = true, a.unit
	if len(a.parts) == 2 && a.separators != " " && a.separators != "'" && areThousands(a.parts) { // 1,234 has two meanings
		r.failed = r.open != 0 && r.open != a.separators[0]
		r.open = a.separators[0]
		return
	}
	comma, point := styleOfNumbers(plain(text))
	r.comma, r.point = r.comma || comma > 0, r.point || point > 0
}

// ok reports whether all texts are numbers with the same unit and in one style, and
// sets the style. A currency with three digits behind a sign has thousands.
func (r *amountReader) ok() bool {
	switch {
	case r.failed || !r.some || r.comma && r.point:
		return false
	case r.comma:
		r.style = CommaDecimal
	case !r.point && r.open != 0:
		if !startsWithMoney(r.unit) {
			return false
		}
		if r.open == '.' {
			r.style = CommaDecimal
		}
	}
	return true
}
