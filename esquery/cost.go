package esquery

import (
	"math"
	"strconv"
	"strings"
	"time"
)

// How many buckets a histogram makes depends on the documents, so it is estimated
// from what the body says of the field: hard_bounds, or a range that every document
// must match. Without either it counts as one, and the engine has a limit of its own.
// OpenSearch heeds that limit only after it made the empty buckets between others, so
// that fine steps over years bring it down: those of dates need to be told their time.

// steps estimates the buckets of a histogram with steps of that width.
func (c *checker) steps(p *value, f *Field, width float64, around parent) int {
	if f == nil || width <= 0 || around.root == nil {
		return 1
	}
	gaps := count(p, "min_doc_count", 0) == 0
	own := textOf(p, "format")
	known := spanOf()
	if query := around.root.get("query"); query != nil && c.nested == "" {
		known.narrow(query, f)
	}
	if hard := p.get("hard_bounds"); hard != nil {
		known.bound(f, hard, "min", "max", own)
	}
	if gaps && f.family == dateFamily && math.IsInf(known.most, 1) && !math.IsInf(known.least, -1) {
		known.most, known.mostNow = 0, true // the first without the last: up to now
	}
	n := known.length() / width
	if extended := p.get("extended_bounds"); extended != nil && gaps {
		at := spanOf()
		at.bound(f, extended, "min", "max", own)
		if m := at.length() / width; !math.IsInf(m, 0) && (math.IsInf(n, 0) || m > n) {
			n = m
		}
	}
	if gaps && f.family == dateFamily && math.IsInf(n, 0) && width < unitMillis("h") {
		c.report(TooExpensive, []string{"hard_bounds", "min_doc_count"},
			"a bucket is made for each step between the first and the last document: for steps of less than an hour, add a range of %s or hard_bounds, or min_doc_count 1",
			quoted(f.Path))
	}
	if math.IsInf(n, 0) || math.IsNaN(n) || n < 1 {
		return 1
	}
	return int(min(math.Ceil(n), tooMany))
}

// span is what is known of a field's values. Instants are in milliseconds, from 1970, or
// from now: what a body comes to must not depend on when it is looked at.
type span struct {
	least, most       float64
	leastNow, mostNow bool
}

func spanOf() span { return span{least: math.Inf(-1), most: math.Inf(1)} }

// written is a day that is past whenever a body is checked: 2026-01-01. Between now and
// another instant lies at least what lies between that and this.
const written = 1_767_225_600_000

// length is infinite where it is not known. Between an instant and now it is the least
// that it can be.
func (s *span) length() float64 {
	switch {
	case s.leastNow == s.mostNow:
		return s.most - s.least
	case s.mostNow:
		return max(0, s.most+written-s.least)
	}
	return max(0, s.most-s.least-written)
}

// reversed reports whether it ends before it begins, by more than unsure.
func (s *span) reversed(unsure float64) bool {
	return s.leastNow == s.mostNow && s.length() < -unsure
}

// narrow heeds the ranges that all documents that query finds lie in.
func (s *span) narrow(query *value, f *Field) {
	if query.kind != object || len(query.members) != 1 {
		return
	}
	m := &query.members[0]
	switch m.key {
	case "range":
		for i := range m.value.members {
			if r := &m.value.members[i]; r.key == f.Path {
				own := textOf(&r.value, "format")
				s.bound(f, &r.value, "gte", "lte", own)
				s.bound(f, &r.value, "gt", "lt", own)
				s.bound(f, &r.value, "from", "to", own)
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

// bound heeds the bounds of those names. format is that of the body; empty: there is
// none.
func (s *span) bound(f *Field, v *value, least, most, format string) {
	if n, now, ok := pointOf(f, v.get(least), format); ok && (n > s.least || now != s.leastNow || math.IsInf(s.least, 0)) {
		s.least, s.leastNow = n, now
	}
	if n, now, ok := pointOf(f, v.get(most), format); ok && (n < s.most || now != s.mostNow || math.IsInf(s.most, 0)) {
		s.most, s.mostNow = n, now
	}
}

// pointOf is where a bound lies, if that can be said. Of a date that is not written as
// ISO 8601 has it, it is the day. now says that it counts from now.
func pointOf(f *Field, v *value, format string) (at float64, now, ok bool) {
	if v == nil {
		return 0, false, false
	}
	if f.family != dateFamily || v.kind == number {
		n, ok := numberOf(v)
		return n, false, ok
	}
	if steps, ok := strings.CutPrefix(v.text, "now"); ok {
		by, ok := moved(steps)
		return by, true, ok
	}
	text, steps, _ := strings.Cut(v.text, "||")
	away, ok := moved(steps)
	if !ok {
		return 0, false, false
	}
	for _, layout := range [...]string{time.DateOnly, time.RFC3339Nano, "2006-01-02T15:04:05.999", "2006-01-02T15:04", "2006-01", "2006"} {
		if t, err := time.Parse(layout, text); err == nil {
			return float64(t.UnixMilli()) + away, false, true
		}
	}
	formats := f.Formats
	if format != "" {
		formats = strings.Split(format, "||")
	}
	for _, name := range formats {
		format := readFormat(name, f.locale)
		read, ok := format.matches(text)
		switch {
		case !ok || !format.readable():
		case format.epoch != "":
			n, err := strconv.ParseFloat(text, 64)
			if format.epoch == "epoch_second" {
				n *= 1000
			}
			return n + away, false, err == nil
		case read.known:
			t := time.Date(read.year, time.Month(read.month), read.day, 0, 0, 0, 0, time.UTC)
			return float64(t.UnixMilli()) + away, false, true
		}
	}
	return 0, false, false
}

// moved is by how much date math moves an instant: -7d/d, without the rounding.
func moved(rest string) (by float64, ok bool) {
	rest, _, _ = strings.Cut(rest, "/")
	for rest != "" {
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

// unitMillis is how long a unit of date math or of calendar_interval is, at least.
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

// intervalMillis is the width of a step of a date_histogram; 0: not known.
func intervalMillis(calendar, fixed *value) float64 {
	if calendar != nil {
		return unitMillis(calendar.text)
	}
	digits := 0
	for digits < len(fixed.text) && '0' <= fixed.text[digits] && fixed.text[digits] <= '9' {
		digits++
	}
	n, err := strconv.ParseFloat(fixed.text[:digits], 64)
	if err != nil {
		return 0
	}
	return n * unitMillis(fixed.text[digits:])
}
