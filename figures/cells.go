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
// its texts are numbers in the form of Go, or times.
type cellReader struct {
	name  string
	texts kind // what texts are
	typed bool // because of the type of the column
}

// newCellReader returns the reader of column i.
func newCellReader(t *qed.Table, i int) *cellReader {
	head := t.Columns[i]
	r := &cellReader{name: head.Name, texts: words}
	switch column.TypeKind(head.Type) {
	case column.Numbers:
		r.texts, r.typed = number, true
	case column.Times:
		r.texts, r.typed = moment, true
	case column.Texts:
		r.readTexts(t, i, false)
	default:
		r.readTexts(t, i, true)
	}
	return r
}

// readTexts finds out whether all texts of a column are numbers or times. In a column of
// a text type, numbers are codes.
func (r *cellReader) readTexts(t *qed.Table, i int, bare bool) {
	plain, times, some := bare, true, false
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
		if !plain && !times {
			return
		}
	}
	switch {
	case !some:
	case plain:
		r.texts = number
	case times:
		r.texts, r.typed = moment, bare
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
		case r.texts == number:
			if v, ok := plainValue(text); ok {
				return v
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
