package esquery

import (
	"math"
	"strconv"
	"strings"
	"time"
)

// The number of buckets of a histogram depends on the documents. It is estimated
// from hard_bounds, or from a range that every document must match; without
// either, the histogram counts as one bucket and the limit of the engine applies.
// OpenSearch applies its limit only after it made the empty buckets between others,
// so small steps over many years can exhaust its memory. That is why a histogram
// of dates with steps of less than an hour must have known bounds.

// steps estimates the number of buckets of a histogram with steps of that width.
// format is the date format of the aggregation.
func (c *checker) steps(p *value, f *Field, width float64, root *value) int {
	if f == nil || width <= 0 || root == nil {
		return 1
	}
	gaps := count(p, "min_doc_count", 0) == 0
	format := textOf(p, "format")
	known := unbounded()
	if query := root.get("query"); query != nil && c.nested == "" {
		known.narrow(query, f)
	}
	if hard := p.get("hard_bounds"); hard != nil {
		known.bound(f, hard, "min", "max", format)
	}
	if gaps && f.family == dateFamily && math.IsInf(known.most, 1) && !math.IsInf(known.least, -1) {
		known.most, known.mostNow = 0, true // documents have no dates after now
	}
	n := known.length() / width
	if extended := p.get("extended_bounds"); extended != nil && gaps {
		at := unbounded()
		at.bound(f, extended, "min", "max", format)
		if m := at.length() / width; !math.IsInf(m, 0) && (math.IsInf(n, 0) || m > n) {
			n = m
		}
	}
	if gaps && f.family == dateFamily && math.IsInf(n, 0) && width < unitMillis("h") {
		c.report(ErrTooExpensive, []string{"hard_bounds", "min_doc_count"},
			"a bucket is made for each step between the first and the last document: for steps of less than "+
				"an hour, add a range of %s or hard_bounds, or min_doc_count 1",
			quoted(f.Path))
	}
	if math.IsInf(n, 0) || math.IsNaN(n) || n < 1 {
		return 1
	}
	return int(min(math.Ceil(n), tooMany))
}

// knownBounds reports bounds whose cost cannot be estimated.
func (c *checker) knownBounds(p *value, f *Field) {
	for _, key := range [...]string{"extended_bounds", "hard_bounds"} {
		c.member(p, key, func(v *value) {
			if !c.params(v, key, boundsParams) {
				return
			}
			for i := range v.members {
				bound := &v.members[i]
				if bound.value.kind == null {
					continue
				}
				c.in(bound.key)
				if _, _, ok := pointOf(f, &bound.value, textOf(p, "format")); !ok {
					c.report(ErrInvalidLiteral, nil, "the bound %s cannot be read; write it as a number or a date%s",
						quoted(bound.value.text), such(f.Formats))
				} else if f.family == dateFamily {
					c.date(f, &bound.value, textOf(p, "format"))
				}
				c.out()
			}
		})
	}
}

// A span is what is known of the values of a field. Dates are in milliseconds,
// since 1970 or relative to now: the cost of a body must not depend on the time at
// which it is checked.
type span struct {
	least, most       float64
	leastNow, mostNow bool
}

func unbounded() span { return span{least: math.Inf(-1), most: math.Inf(1)} }

// past is 2026-01-01, a day before every check. The distance between now and an
// earlier date is at least the distance between past and that date.
const past = 1_767_225_600_000

// length is infinite if it is not known. Between a date and now it is the least
// possible length.
func (s *span) length() float64 {
	switch {
	case s.leastNow == s.mostNow:
		return s.most - s.least
	case s.mostNow:
		return max(0, s.most+past-s.least)
	}
	return max(0, s.most-s.least-past)
}

// narrow applies the ranges that every document found by the query lies in.
func (s *span) narrow(query *value, f *Field) {
	if query.kind != object || len(query.members) != 1 {
		return
	}
	m := &query.members[0]
	switch m.key {
	case "range":
		for i := range m.value.members {
			if r := &m.value.members[i]; r.key == f.Path {
				format := textOf(&r.value, "format")
				s.bound(f, &r.value, "gte", "lte", format)
				s.bound(f, &r.value, "gt", "lt", format)
				s.bound(f, &r.value, "from", "to", format)
			}
		}
	case "bool":
		for _, key := range [...]string{"filter", "must"} {
			if clauses := m.value.get(key); clauses != nil {
				for _, clause := range list(clauses) {
					s.narrow(&clause, f)
				}
			}
		}
	case "constant_score":
		if filter := m.value.get("filter"); filter != nil {
			s.narrow(filter, f)
		}
	}
}

// bound applies the bounds of these names.
func (s *span) bound(f *Field, v *value, least, most, format string) {
	if n, now, ok := pointOf(f, v.get(least), format); ok && (n > s.least || now != s.leastNow || math.IsInf(s.least, 0)) {
		s.least, s.leastNow = n, now
	}
	if n, now, ok := pointOf(f, v.get(most), format); ok && (n < s.most || now != s.mostNow || math.IsInf(s.most, 0)) {
		s.most, s.mostNow = n, now
	}
}

// pointOf returns the position of a bound; now means that it is relative to now.
func pointOf(f *Field, v *value, format string) (at float64, now, ok bool) {
	if v == nil {
		return 0, false, false
	}
	if f.family != dateFamily && f.family != dateRangeFamily || v.kind == number {
		n, ok := numberOf(v)
		return n, false, ok
	}
	if rest, ok := strings.CutPrefix(v.text, "now"); ok {
		by, ok := dateMath(rest)
		return by, true, ok
	}
	text, rest, _ := strings.Cut(v.text, "||")
	by, ok := dateMath(rest)
	if !ok {
		return 0, false, false
	}
	formats := f.Formats
	if format != "" {
		formats = strings.Split(format, "||")
	}
	at, ok = readDate(text, formats)
	return at + by, false, ok
}

// dateMath returns by how many milliseconds date math such as -7d/d moves a date.
// Rounding is ignored.
func dateMath(rest string) (by float64, ok bool) {
	for rest != "" {
		if rest[0] == '/' { // rounds to the unit that follows
			if len(rest) < 2 || unitMillis(rest[1:2]) == 0 {
				return 0, false
			}
			rest = rest[2:]
			continue
		}
		end := 1
		for end < len(rest) && '0' <= rest[end] && rest[end] <= '9' {
			end++
		}
		if rest[0] != '+' && rest[0] != '-' || end == len(rest) {
			return 0, false
		}
		n := 1.0
		if end > 1 {
			n, _ = strconv.ParseFloat(rest[1:end], 64)
		}
		unit := unitMillis(rest[end : end+1])
		if unit == 0 {
			return 0, false
		}
		if rest[0] == '-' {
			n = -n
		}
		by += n * unit
		rest = rest[end+1:]
	}
	return by, true
}

const day = 24 * float64(time.Hour/time.Millisecond)

// unitMillis returns the least length of a unit of date math or calendar_interval.
func unitMillis(unit string) float64 {
	switch strings.TrimPrefix(unit, "1") {
	case "ms":
		return 1
	case "s", "second":
		return 1000
	case "m", "minute":
		return 60_000
	case "h", "H", "hour":
		return day / 24
	case "d", "day":
		return day
	case "w", "week":
		return 7 * day
	case "M", "month":
		return 28 * day
	case "q", "quarter":
		return 90 * day
	case "y", "year":
		return 365 * day
	}
	return 0
}

// interval returns the width of a step of a date_histogram, or reports that it
// cannot be read: the cost would not be known.
func (c *checker) interval(p *value) float64 {
	calendar, fixed := p.get("calendar_interval"), p.get("fixed_interval")
	switch {
	case p.get("interval") != nil:
		c.in("interval")
		c.report(ErrUnknownKey, []string{"calendar_interval", "fixed_interval"},
			"interval does not exist since Elasticsearch 8: write calendar_interval (a day, a month) or "+
				"fixed_interval (12h, 30d)")
		c.out()
	case (calendar == nil) == (fixed == nil):
		c.report(ErrMalformed, []string{"calendar_interval", "fixed_interval"},
			"date_histogram needs one of calendar_interval and fixed_interval")
	case calendar != nil:
		if width := unitMillis(calendar.text); width >= 1000 {
			return width
		}
		c.in("calendar_interval")
		c.report(ErrInvalidLiteral, []string{"minute", "hour", "day", "week", "month", "quarter", "year"},
			"%s is not a calendar_interval, which is one unit; several of a unit are a fixed_interval", quoted(calendar.text))
		c.out()
	default:
		unit := strings.TrimLeft(fixed.text, "0123456789")
		n, err := strconv.ParseFloat(fixed.text[:len(fixed.text)-len(unit)], 64)
		if width := n * unitMillis(unit); err == nil && width > 0 && strings.Contains(" ms s m h d ", " "+unit+" ") {
			return width
		}
		c.in("fixed_interval")
		c.report(ErrInvalidLiteral, nil,
			"%s is not a fixed_interval, which is a number of ms, s, m, h or d, such as 30m", quoted(fixed.text))
		c.out()
	}
	return 0
}
