package lint

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/qedkit/qed/chart/internal/vegalite"
	"github.com/qedkit/qed/internal/column"
)

// A truth is whether a row passes a condition.
type truth int

const (
	no    truth = iota
	maybe       // only a browser can evaluate it
	yes
)

func truthOf(b bool) truth {
	if b {
		return yes
	}
	return no
}

// filter returns the scope of the rows that pass a filter, and refuses one that no row passes.
func (l *linter) filter(v any, path string, sc *scope) *scope {
	out := *sc
	out.filtered = true
	if sc.changed && sc.kept == nil {
		return &out
	}
	out.kept = sc.left()
	for row, left := range out.kept {
		if left {
			passes := sc.passes(v, row)
			out.kept[row], out.changed = passes != no, out.changed || passes == maybe
		}
	}
	if !slices.Contains(out.kept, true) {
		l.fault(ErrNoData, path, "no row passes it: compare with values that the rows have")
		out.kept, out.changed = nil, true
	}
	return &out
}

// anyOf reports whether one of the conditions of a list holds.
func anyOf(list []any, holds func(any) truth) truth {
	one := no
	for _, e := range list {
		one = max(one, holds(e))
	}
	return one
}

// comparisons are the conditions with a limit. order is that of a cell and the limit.
var comparisons = map[string]func(order int) bool{
	"lt":  func(order int) bool { return order < 0 },
	"lte": func(order int) bool { return order <= 0 },
	"gt":  func(order int) bool { return order > 0 },
	"gte": func(order int) bool { return order >= 0 },
}

// passes evaluates a condition for a row.
func (sc *scope) passes(v any, row int) truth {
	o, ok := v.(object)
	if !ok {
		return maybe
	}
	passes := func(e any) truth { return sc.passes(e, row) }
	if list, ok := o["and"].([]any); ok {
		return yes - anyOf(list, func(e any) truth { return yes - passes(e) })
	}
	if list, ok := o["or"].([]any); ok {
		return anyOf(list, passes)
	}
	if o["not"] != nil {
		return yes - passes(o["not"])
	}
	name, _ := o["field"].(string)
	plain, _ := vegalite.Unescape(name)
	f := sc.fields[plain]
	if f == nil || o["param"] != nil {
		return maybe
	}
	return f.passes(o, row)
}

// passes compares a cell with the values of a condition.
func (f *field) passes(o object, row int) truth {
	cell := f.cells[row]
	if at, ok := f.timeAt(row); ok {
		cell = at
		if unit, _ := o["timeUnit"].(string); strings.TrimPrefix(unit, "utc") == "year" {
			cell = int64(at.Year())
		} else if o["timeUnit"] != nil {
			return maybe
		}
	} else if o["timeUnit"] != nil {
		return maybe
	}
	if list, ok := o["oneOf"].([]any); ok {
		return anyOf(list, func(e any) truth { return f.equal(cell, e) })
	}
	if e, ok := o["equal"]; ok {
		return f.equal(cell, e)
	}
	if valid, ok := o["valid"].(bool); ok {
		return truthOf(valid == (cell != nil))
	}
	if list, ok := o["range"].([]any); ok && len(list) == 2 {
		o = object{"gte": list[0], "lte": list[1]}
	}
	all, compared := yes, false
	for key, holds := range comparisons {
		limit := o[key]
		if limit == nil {
			continue
		}
		compared = true
		if order, known := f.compare(cell, limit); known {
			all = min(all, truthOf(holds(order)))
		} else {
			all = min(all, maybe)
		}
	}
	if !compared {
		return maybe
	}
	return all
}

// equal reports whether a cell is equal to a value of a spec. A browser reads texts and
// numbers of different types in ways of its own.
func (f *field) equal(cell, value any) truth {
	if text, isText := value.(string); isText && rounded(cell) {
		return truthOf(fmt.Sprint(cell) == text) // as which it is written
	}
	if order, known := f.compare(cell, value); known {
		return truthOf(order == 0)
	}
	_, text1 := cell.(string)
	_, text2 := value.(string)
	_, bool1 := cell.(bool)
	_, bool2 := value.(bool)
	if text1 && text2 || bool1 && bool2 {
		return truthOf(cell == value)
	}
	return maybe
}

// compare compares numbers, or a time with a date of Vega-Lite.
func (f *field) compare(cell, value any) (order int, known bool) {
	n, isNumber := numberCell(cell)
	if limit, ok := number(value); ok && isNumber {
		return cmp.Compare(n, limit), true
	}
	at, isTime := cell.(time.Time)
	date, _ := value.(object)
	limit, ok := dateOf(date)
	if !isTime || !ok {
		return 0, false
	}
	// A browser in another time zone may see a time of day some hours earlier or later.
	if apart := at.Sub(limit).Abs(); apart != 0 && apart < 15*time.Hour {
		return 0, false
	}
	return at.Compare(limit), true
}

// dateOf reads a date of Vega-Lite with a year, and possibly a month and a day.
func dateOf(o object) (time.Time, bool) {
	year, ok := number(o["year"])
	if !ok {
		return time.Time{}, false
	}
	month, day := 1.0, 1.0
	for key, v := range o {
		n, ok := number(v)
		switch {
		case !ok:
			return time.Time{}, false
		case key == "month":
			month = n
		case key == "date":
			day = n
		case key != "year" && n != 0:
			return time.Time{}, false
		}
	}
	return time.Date(int(year), time.Month(month), int(day), 0, 0, 0, 0, time.UTC), true
}

// timeAt returns the time of a row by the clock that it is written with.
func (f *field) timeAt(row int) (time.Time, bool) {
	if f.plain.Kind != column.Times {
		return time.Time{}, false
	}
	if f.times == nil {
		f.times = map[int]time.Time{}
		for i, at := range f.plain.WallTimes() {
			f.times[f.plain.At[i]] = at
		}
	}
	at, ok := f.times[row]
	return at, ok
}

// clocks reports whether a browser in every time zone shows the same day for the times.
func (f *field) clocks() bool {
	for row, cell := range f.cells {
		at, ok := f.timeAt(row)
		if _, isText := cell.(string); ok && !isText && !at.Equal(at.Truncate(24*time.Hour)) {
			return false
		}
	}
	return f.plain.Kind == column.Times
}

// unitOf returns the parts of a time that a time unit has, and false for weeks, which a
// browser counts in a way of its own.
func unitOf(at time.Time, unit string) (parts string, known bool) {
	value := map[string]int{
		"year": at.Year(), "quarter": (int(at.Month()) + 2) / 3, "month": int(at.Month()), "dayofyear": at.YearDay(),
		"day": int(at.Weekday()), "date": at.Day(), "hours": at.Hour(), "minutes": at.Minute(), "seconds": at.Second(),
		"milliseconds": at.Nanosecond() / int(time.Millisecond),
	}
	for _, part := range unitParts(unit) {
		n, ok := value[part]
		if !ok {
			return "", false
		}
		parts += strconv.Itoa(n) + " "
	}
	return parts, parts != ""
}
