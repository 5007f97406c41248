package chart

import (
	"slices"
	"time"

	"github.com/qedkit/qed/chart/internal/vegalite"
	"github.com/qedkit/qed/internal/lists"
)

// A timeUnit is a period whose rows are drawn together.
type timeUnit struct {
	name  string // in Vega-Lite, in UTC
	word  func(*vegalite.Texts) string
	step  time.Duration // approximate
	floor func(time.Time) time.Time
}

var timeUnits = []*timeUnit{
	{"utcyearmonthdatehoursminutesseconds", func(t *vegalite.Texts) string { return t.Second }, time.Second, truncate(time.Second)},
	{"utcyearmonthdatehoursminutes", func(t *vegalite.Texts) string { return t.Minute }, time.Minute, truncate(time.Minute)},
	{"utcyearmonthdatehours", func(t *vegalite.Texts) string { return t.Hour }, time.Hour, truncate(time.Hour)},
	{"utcyearmonthdate", func(t *vegalite.Texts) string { return t.Day }, 24 * time.Hour, truncate(24 * time.Hour)},
	{"utcyearmonth", func(t *vegalite.Texts) string { return t.Month }, 30 * 24 * time.Hour, func(t time.Time) time.Time {
		return time.Date(t.Year(), t.Month(), 1, 0, 0, 0, 0, time.UTC)
	}},
	{"utcyear", func(t *vegalite.Texts) string { return t.Year }, 365 * 24 * time.Hour, func(t time.Time) time.Time {
		return time.Date(t.Year(), 1, 1, 0, 0, 0, 0, time.UTC)
	}},
}

func truncate(unit time.Duration) func(time.Time) time.Time {
	return func(t time.Time) time.Time { return t.Truncate(unit) }
}

// together rounds the dates of s to the longest unit that changes none of them.
// If more than n dates are left, it uses the shortest unit that leaves n, or
// years. It reports whether it made different dates equal.
func (s *scale) together(n int) (merged bool) {
	before := len(s.values)
	for i := s.finest(); i < len(timeUnits); i++ {
		unit := timeUnits[i]
		seen := lists.Set(s.values, func(v any) time.Time { return unit.floor(v.(time.Time)) })
		if len(seen) > n && i < len(timeUnits)-1 {
			continue
		}
		cells := make([]any, len(s.cells))
		for i, cell := range s.cells {
			if cell != nil {
				cells[i] = unit.floor(cell.(time.Time))
			}
		}
		s.cells, s.unit = cells, unit
		s.index()
		break
	}
	return len(s.values) < before
}

// finest returns the index of the longest unit that changes no date.
func (s *scale) finest() int {
	for i := len(timeUnits) - 1; i > 0; i-- {
		whole := func(v any) bool { t := v.(time.Time); return timeUnits[i].floor(t).Equal(t) }
		if !slices.ContainsFunc(s.values, func(v any) bool { return !whole(v) }) {
			return i
		}
	}
	return 0
}
