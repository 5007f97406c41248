package chart

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"github.com/qedkit/qed/chart/internal/vegalite"
	"github.com/qedkit/qed/internal/column"
)

// A Sort is the order of the values on x.
type Sort string

const (
	ByX     Sort = "x"
	ByXDesc Sort = "-x"
	ByY     Sort = "y" // by the number that is drawn, then by x
	ByYDesc Sort = "-y"
	ByRows  Sort = "rows" // by the first row of each value in the table
)

var sorts = []Sort{ByX, ByXDesc, ByY, ByYDesc, ByRows}

// order returns the order of x: the given one, or the default. Empty means the
// order of x.values.
func (d *drawing) order(x *scale) Sort {
	if d.sort != "" || x.column.hasOrder() {
		return d.sort
	}
	switch d.kind {
	case Bar, StackedBar, GroupedBar, Pie:
		return ByYDesc
	}
	if d.limit > 0 {
		return ByYDesc
	}
	return ""
}

// comparison compares values of a scale; size has the aggregate of each.
func (s *scale) comparison(by Sort, size []float64) func(a, b any) int {
	switch by {
	case ByX:
		return compare
	case ByXDesc:
		return func(a, b any) int { return compare(b, a) }
	case ByRows:
		first := make(map[any]int, len(s.values))
		for i, cell := range s.cells {
			if _, known := first[cell]; !known {
				first[cell] = i
			}
		}
		return func(a, b any) int { return cmp.Compare(first[a], first[b]) }
	case ByY:
		return func(a, b any) int {
			return cmp.Or(cmp.Compare(size[s.order[a]], size[s.order[b]]), compare(a, b))
		}
	}
	return func(a, b any) int {
		return cmp.Or(cmp.Compare(size[s.order[b]], size[s.order[a]]), compare(a, b))
	}
}

// arrange orders the values on x, and keeps the rest last; size has the aggregate
// of each. The indexes in x.order do not change.
func (d *drawing) arrange(x *scale, size []float64) {
	by := d.order(x)
	if by == "" {
		return
	}
	values := x.values
	if x.rest {
		values = values[:len(values)-1]
	}
	slices.SortFunc(values, x.comparison(by, size))
}

// hasOrder reports whether the values have an order of their own: dates, numbers
// that measure, weekdays, months, ranges.
func (c *field) hasOrder() bool {
	switch c.typ {
	case vegalite.Nominal:
		return column.IsCalendar(c.name) || c.steps()
	case vegalite.Ordinal:
		return !column.IsIdentifier(c.name)
	}
	return true
}

// steps reports whether all texts are parts of a calendar, or all of them ranges.
func (c *field) steps() bool {
	calendar, ranges, bounds := true, true, false
	for _, cell := range c.cells {
		text, ok := cell.(string)
		if !ok {
			continue
		}
		text = strings.TrimSpace(text)
		calendar = calendar && calendarText.MatchString(text)
		bound := rangeText.MatchString(text)
		bounds = bounds || bound
		ranges = ranges && (bound || numberText.MatchString(text))
		if !calendar && !ranges {
			return false
		}
	}
	return calendar || bounds
}

const (
	months = `(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|` +
		`aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)`
	weekdays = `(?:mon|tue(?:s|sday)?|wed(?:nesday)?|thu(?:r|rs|rsday)?|fri|sat(?:urday)?|sun)(?:day)?`
	quarters = `(?:\d{4}[ /-]?)?Q[1-4](?:[ /-]?\d{4})?`
	weeks    = `\d{4}[ /-]?W\d{1,2}`

	amount    = `[-+]?[$€£¥]?\d[\d.,]*\s*[\pL%]{0,12}`
	interval  = `[\[(]?\s*` + amount + `\s*(?:[-–—,;]|\.\.+|to)\s*` + amount + `\s*[\])]?`
	bounded   = `(?:[<>]=?|[≤≥]|under|over|up to)\s*` + amount
	openEnded = amount + `\s*(?:\+|(?:and|or) (?:more|less|over|above|under|below))`
)

var (
	calendarText = regexp.MustCompile(
		`(?i)^(?:` + weekdays + `\.?|` + months + `\.?(?:[ '-]*\d{2,4})?|` + quarters + `|` + weeks + `)$`)
	rangeText  = regexp.MustCompile(`(?i)^(?:` + interval + `|` + bounded + `|` + openEnded + `)$`)
	numberText = regexp.MustCompile(`^` + amount + `$`)
)
