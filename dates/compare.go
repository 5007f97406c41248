package dates

import (
	"slices"
	"time"

	"github.com/qedkit/qed/internal/lists"
	"github.com/qedkit/qed/internal/moment"
)

// Compare compares periods with the times that a query reads. complete says that
// bounds are all of these times.
//
// The periods are those that a model declares for its query, and the one of
// [Facts.Words] unless the declared ones are the same. A period is
//
//   - Proved if the query reads exactly the periods: each bound is a period, or
//     adjacent periods together. One range with a GROUP BY reads two months.
//   - Contradicted if all times of the query are known and none of them agrees with
//     the period. A range around the period agrees, because growth or a moving
//     average needs it, unless it is only a day too long. A limit alone agrees with
//     either limit of the period, as in "active in March", and a day with the period
//     around it, as the last one for a balance and the first one in a table of months.
//   - NotChecked otherwise, and always if the query reads no times.
//
// Which column the times are of is not checked.
// The cost grows with the number of bounds times that of periods.
func (f Facts) Compare(declared []Period, bounds []Bound, complete bool) []Reading {
	c := comparison{facts: f, complete: complete && len(bounds) > 0}
	for _, b := range bounds {
		l := f.limits(b.From, b.Before)
		c.complete = c.complete && b.Exact && l.valid
		c.bounds, c.shown = append(c.bounds, l), append(c.shown, Period{From: b.From, Before: b.Before}.Days())
	}
	periods := lists.Map(declared, func(p Period) limits { return f.limits(p.From, p.Before) })
	var all []Reading
	for i, p := range declared {
		all = append(all, c.reading(p, ByModel, periods[i], periods))
	}
	if p, ok := f.Words(); ok {
		own := f.limits(p.From, p.Before)
		own.loose = f.span.loose
		if !own.madeOf(periods) {
			all = append(all, c.reading(p, ByWords, own, []limits{own}))
		}
	}
	return all
}

// A comparison has the times of a query.
type comparison struct {
	facts    Facts
	bounds   []limits
	shown    []string // the bounds for people
	complete bool     // bounds are all times, and exact
}

func (c *comparison) reading(p Period, by Source, l limits, periods []limits) Reading {
	r := Reading{Period: p, By: by, Verdict: NotChecked}
	if !c.complete || !l.valid {
		return r
	}
	explained := func(b limits) bool { return b.madeOf(periods) }
	reads := func(b limits) bool { return b.contains(l) && explained(b) }
	today := dayOf(c.facts.Now)
	switch {
	case slices.ContainsFunc(c.bounds, reads):
		if !slices.ContainsFunc(c.bounds, func(b limits) bool { return !explained(b) }) {
			r.Verdict = Proved
		}
	case l.loose || l.madeOf(c.bounds) || l.framedBy(c.bounds) || slices.ContainsFunc(c.bounds, func(b limits) bool { return b.agrees(l, today) }):
	default:
		r.Verdict = Contradicted
		r.Found = lists.Add(r.Found, c.shown...)
		r.Found = r.Found[:min(len(r.Found), maxFound)]
	}
	return r
}

const maxFound = 5

// limits are a period or a bound on the clock of the calendar's zone. A zero time
// means that there is no limit.
type limits struct {
	from, to time.Time
	valid    bool // both limits could be read, and some time is between them
	loose    bool // people disagree about the limits
}

func (f Facts) limits(from, before string) limits {
	first, ok1 := f.clock(from)
	last, ok2 := f.clock(before)
	l := limits{from: first, to: last, valid: ok1 && ok2 && (!first.IsZero() || !last.IsZero())}
	l.valid = l.valid && (first.IsZero() || last.IsZero() || first.Before(last))
	return l
}

// clock reads a day or a moment. A moment with an offset is moved to the zone of
// the calendar.
func (f Facts) clock(text string) (time.Time, bool) {
	if text == "" {
		return time.Time{}, true
	}
	if t, _, ok := moment.Local(text); ok {
		return t, true
	}
	t, ok := moment.Absolute(text)
	if !ok || f.zones.zone == nil {
		return time.Time{}, false
	}
	t = t.In(f.zones.zone)
	return time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), t.Nanosecond(), time.UTC), true
}

// contains reports whether m is within l.
func (l limits) contains(m limits) bool {
	return (l.from.IsZero() || !m.from.IsZero() && !m.from.Before(l.from)) &&
		(l.to.IsZero() || !m.to.IsZero() && !m.to.After(l.to))
}

// madeOf reports whether the parts within l are all of l together.
func (l limits) madeOf(parts []limits) bool {
	inside := lists.Filter(parts, func(p limits) bool { return p.valid && l.contains(p) })
	slices.SortFunc(inside, func(a, b limits) int { return a.from.Compare(b.from) })
	if len(inside) == 0 || !inside[0].from.Equal(l.from) {
		return false
	}
	end := inside[0].to
	for _, p := range inside[1:] {
		if end.IsZero() || p.from.After(end) {
			break
		}
		if p.to.IsZero() || p.to.After(end) {
			end = p.to
		}
	}
	return end.Equal(l.to)
}

// framedBy reports whether the parts within l begin and end as l does: a condition
// such as d <> '2026-02-14' leaves out some of it.
func (l limits) framedBy(parts []limits) bool {
	begins, ends := false, false
	for _, p := range parts {
		if p.valid && l.contains(p) {
			begins, ends = begins || p.from.Equal(l.from), ends || p.to.Equal(l.to)
		}
	}
	return begins && ends
}

// agrees reports whether a query that leaves l can be right for the period p.
func (l limits) agrees(p limits, today time.Time) bool {
	shared := !l.from.IsZero() && (l.from.Equal(p.from) || l.from.Equal(p.to)) ||
		!l.to.IsZero() && (l.to.Equal(p.from) || l.to.Equal(p.to))
	open := l.from.IsZero() || l.to.IsZero() || p.from.IsZero() || p.to.IsZero()
	if shared && (open || p.oneDay()) && !l.tooLong(p) {
		return true
	}
	if l.from.Equal(p.from) && p.to.After(today) && !l.to.Before(today) {
		return true // the period is not over yet
	}
	if p.contains(l) && (l.oneDay() || l.from.Equal(p.from) && l.to.AddDate(0, 0, -1).Day() == 1) {
		return true // the day of a balance, or the first days of months
	}
	return l.contains(p) && !l.tooLong(p)
}

func (l limits) oneDay() bool { return !l.from.IsZero() && l.to.Equal(l.from.AddDate(0, 0, 1)) }

// tooLong reports whether l is p and at most a day more.
func (l limits) tooLong(p limits) bool {
	return l.from.Equal(p.from) && !l.to.IsZero() && !p.to.IsZero() && l.to.After(p.to) && l.to.Sub(p.to) <= 24*time.Hour
}
