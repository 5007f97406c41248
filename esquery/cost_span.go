package esquery

import (
	"math"
	"strconv"
	"strings"
	"time"
)

// A span is what is known of the values of a field. Dates are in milliseconds,
// since 1970 or relative to now: the cost of a body must not depend on the time at
// which it is checked.
type span struct {
	least, most       float64
	leastNow, mostNow bool
}

func unbounded() span { return span{least: math.Inf(-1), most: math.Inf(1)} }

// typeSpan returns the values that a field can hold. Dates are taken to have a
// year of four digits.
func typeSpan(f *Field) span {
	if f.family == dateFamily {
		return span{least: -62_135_596_800_000, most: 253_402_300_799_999}
	}
	limit, limited := limits[f.Type]
	switch {
	case f.Types != nil:
	case f.family == booleanFamily:
		return span{least: 0, most: 1}
	case limited:
		return span{least: limit.least, most: limit.most}
	}
	return unbounded()
}

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

// narrow applies the ranges that every document found by the query lies in. If
// documents have several values, only one of them lies in it.
func (s *span) narrow(query *value, f *Field) {
	if query.kind != object || len(query.members) != 1 {
		return
	}
	m := &query.members[0]
	switch m.key {
	case "range":
		for i := range m.value.members {
			if r := &m.value.members[i]; r.key == f.Path {
				s.narrowTo(&r.value, f)
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

// narrowTo applies the bounds of a range query.
func (s *span) narrowTo(r *value, f *Field) {
	format := textOf(r, "format")
	for _, names := range [...][2]string{{"gte", "lte"}, {"gt", "lt"}} {
		from, to := r.get(names[0]), r.get(names[1])
		// With a format of its own, a number is read like a string.
		if format != "" && (from != nil && from.kind == number || to != nil && to.kind == number) {
			continue
		}
		s.bound(f, r, names[0], names[1], format)
	}
}

// bound applies the bounds of these names.
func (s *span) bound(f *Field, v *value, least, most, format string) {
	to := unbounded()
	if n, now, ok := pointOf(f, v.get(least), format); ok {
		to.least, to.leastNow = n, now
	}
	if n, now, ok := pointOf(f, v.get(most), format); ok {
		to.most, to.mostNow = n, now
	}
	s.intersect(to)
}

// intersect keeps what lies in both spans.
func (s *span) intersect(o span) {
	if instant(o.least, o.leastNow) > instant(s.least, s.leastNow) {
		s.least, s.leastNow = o.least, o.leastNow
	}
	if instant(o.most, o.mostNow) < instant(s.most, s.mostNow) {
		s.most, s.mostNow = o.most, o.mostNow
	}
}

// instant returns an end of a span for comparisons, with now at past.
func instant(n float64, now bool) float64 {
	if now {
		return n + past
	}
	return n
}

// pointOf returns the position of a bound; now means that it is relative to now.
func pointOf(f *Field, v *value, format string) (at float64, now, ok bool) {
	if v == nil {
		return 0, false, false
	}
	if !f.is(setOf(dateFamily, dateRangeFamily)) || v.kind == number {
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
	at, as := readDate(text, formats)
	return at + by, false, as >= aYear
}

// dateMath returns by how many milliseconds date math such as -7d/d moves a date.
// Rounding is ignored.
func dateMath(rest string) (by float64, ok bool) {
	for rest != "" {
		if rest[0] == '/' { // rounds to the unit that follows
			if len(rest) < 2 || rest[1] == 'q' || unitMillis(rest[1:2]) == 0 {
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
		if unit == 0 || rest[end] == 'q' {
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

// is reports whether the field belongs to one of the families.
func (f *Field) is(families familySet) bool {
	return families&(1<<f.family) != 0
}
