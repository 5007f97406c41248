package sqltimes

import (
	"slices"
	"time"
)

// A unit is the step between two values of a column or of a function of it: a
// column of days has no value between two midnights, and date_trunc('month', d)
// none between two first days of a month. Times are wall clock times, kept in UTC.
type unit uint8

const (
	nano unit = iota
	micro
	second
	minute
	hour
	day
	week
	month
	quarter
	year
)

var durations = [...]time.Duration{
	nano: time.Nanosecond, micro: time.Microsecond, second: time.Second, minute: time.Minute, hour: time.Hour,
}

var calendar = [...]struct{ months, days int }{
	day: {days: 1}, week: {days: 7}, month: {months: 1}, quarter: {months: 3}, year: {months: 12},
}

// floor returns the last value of u that is not after t.
func (u unit) floor(t time.Time) time.Time {
	y, m, d := t.Date()
	switch u {
	case day:
		return date(y, m, d)
	case week:
		return date(y, m, d-(int(t.Weekday())+6)%7)
	case month:
		return date(y, m, 1)
	case quarter:
		return date(y, m-(m-1)%3, 1)
	case year:
		return date(y, 1, 1)
	}
	return t.Truncate(durations[u])
}

// add returns t moved by n units.
func (u unit) add(t time.Time, n int) time.Time {
	if u < day {
		return t.Add(time.Duration(n) * durations[u])
	}
	return t.AddDate(0, n*calendar[u].months, n*calendar[u].days)
}

// after returns the value of u that follows one of its values.
func (u unit) after(t time.Time) time.Time { return u.add(t, 1) }

func date(y int, m time.Month, d int) time.Time { return time.Date(y, m, d, 0, 0, 0, 0, time.UTC) }

// A span is the times at or after from and before before. Zero means without a
// limit.
type span struct{ from, before time.Time }

func (s span) empty() bool {
	return !s.from.IsZero() && !s.before.IsZero() && !s.from.Before(s.before)
}

// A set is the values of a column that a condition leaves: the spans, in order and
// with gaps between them, and of these the months.
type set struct {
	spans  []span
	months uint16 // a bit for each month, from January
}

const allMonths = 1<<12 - 1

func all() set { return set{[]span{{}}, allMonths} }

func of(spans ...span) set { return set{spans, allMonths} }

// expanded returns the set without months. It is false if that needs spans without
// an end, or too many.
func (s set) expanded() (set, bool) {
	if s.months == allMonths {
		return s, true
	}
	var spans []span
	for _, sp := range s.spans {
		if sp.from.IsZero() || sp.before.IsZero() || sp.before.Year()-sp.from.Year() > maxYears {
			return s, false
		}
		for at := month.floor(sp.from); at.Before(sp.before); at = month.after(at) {
			if s.months>>(at.Month()-1)&1 == 0 {
				continue
			}
			part := span{at, month.after(at)}
			if part.from.Before(sp.from) {
				part.from = sp.from
			}
			if part.before.After(sp.before) {
				part.before = sp.before
			}
			spans = append(spans, part)
		}
	}
	return of(union(spans)...), true
}

const maxYears = 100

// union returns spans in order. Spans that overlap or touch become one.
func union(spans []span) []span {
	spans = slices.DeleteFunc(slices.Clone(spans), span.empty)
	slices.SortFunc(spans, func(a, b span) int { return a.from.Compare(b.from) }) // the zero time is the first
	var merged []span
	for _, s := range spans {
		last := len(merged) - 1
		if last < 0 || !merged[last].before.IsZero() && s.from.After(merged[last].before) {
			merged = append(merged, s)
			continue
		}
		if end := &merged[last].before; !end.IsZero() && (s.before.IsZero() || s.before.After(*end)) {
			*end = s.before
		}
	}
	return merged
}

func (s set) intersect(t set) set {
	var spans []span
	for i, j := 0, 0; i < len(s.spans) && j < len(t.spans); {
		a, b := s.spans[i], t.spans[j]
		both := a
		if b.from.After(both.from) {
			both.from = b.from
		}
		aFirst := !a.before.IsZero() && (b.before.IsZero() || a.before.Before(b.before))
		if !aFirst {
			both.before = b.before
		}
		if !both.empty() {
			spans = append(spans, both)
		}
		if aFirst {
			i++
		} else {
			j++
		}
	}
	return set{spans, s.months & t.months}
}

// complement returns the values that s does not have. It is false if the result
// is no set.
func (s set) complement() (set, bool) {
	if s.months != allMonths && len(s.spans) == 1 && s.spans[0] == (span{}) {
		return set{s.spans, allMonths &^ s.months}, true
	}
	s, ok := s.expanded()
	if !ok {
		return s, false
	}
	var spans []span
	next, open := time.Time{}, true
	for _, sp := range s.spans {
		if !sp.from.IsZero() {
			spans = append(spans, span{next, sp.from})
		}
		next, open = sp.before, !sp.before.IsZero()
	}
	if open {
		spans = append(spans, span{from: next})
	}
	return of(spans...), true
}

// join returns the values of s and t. It is false if the result is no set.
func (s set) join(t set) (set, bool) {
	if slices.Equal(s.spans, t.spans) {
		return set{s.spans, s.months | t.months}, true
	}
	s, ok1 := s.expanded()
	t, ok2 := t.expanded()
	return of(union(slices.Concat(s.spans, t.spans))...), ok1 && ok2
}

// hull returns the span from the first to the last value of s.
func hull(spans []span) span {
	h := spans[0]
	for _, s := range spans[1:] {
		if s.from.Before(h.from) {
			h.from = s.from
		}
		if s.before.IsZero() || !h.before.IsZero() && s.before.After(h.before) {
			h.before = s.before
		}
	}
	return h
}
