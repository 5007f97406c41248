package chart

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
)

// A Sort is the order of what stands on x.
type Sort string

const (
	ByX     Sort = "x"
	ByXDesc Sort = "-x"
	ByY     Sort = "y" // by the number that is drawn, and where two are the same, by x
	ByYDesc Sort = "-y"
	ByRows  Sort = "rows" // as they first come in the table
)

var sorts = []Sort{ByX, ByXDesc, ByY, ByYDesc, ByRows}

// order is that of x: the one that was asked for, or the one that suits it. Empty: the one
// that its values have.
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

// comparison compares values of a scale; size is what each comes to.
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

// arrange puts the values on x into order; what the rest is drawn as stays the last. size is
// what each comes to. Their places in tallies stay those of the values before.
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

// hasOrder reports whether values have an order of their own, which a chart of the
// largest first would break up: dates, numbers that are no names, weekdays, months, ranges.
func (c *column) hasOrder() bool {
	switch c.typ {
	case nominal:
		return c.someDates || calendarName(c.name) || c.steps()
	case ordinal:
		return !identifierName(c.name)
	}
	return true
}

// steps reports whether all texts are parts of a calendar, or all of them ranges.
func (c *column) steps() bool {
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
	months   = `(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)`
	weekdays = `(?:mon|tue(?:s|sday)?|wed(?:nesday)?|thu(?:r|rs|rsday)?|fri|sat(?:urday)?|sun)(?:day)?`
	amount   = `[-+]?[$€£¥]?\d[\d.,]*\s*[\pL%]{0,12}`
)

var (
	calendarText = regexp.MustCompile(`(?i)^(?:` + weekdays + `\.?|` + months + `\.?(?:[ '-]*\d{2,4})?|(?:\d{4}[ /-]?)?Q[1-4](?:[ /-]?\d{4})?|\d{4}[ /-]?W\d{1,2})$`)
	rangeText    = regexp.MustCompile(`(?i)^(?:[\[(]?\s*` + amount + `\s*(?:[-–—,;]|\.\.+|to)\s*` + amount + `\s*[\])]?|(?:[<>]=?|[≤≥]|under|over|up to)\s*` + amount + `|` + amount + `\s*(?:\+|(?:and|or) (?:more|less|over|above|under|below)))$`)
	numberText   = regexp.MustCompile(`^` + amount + `$`)
)
