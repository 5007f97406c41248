// Package moment reads days and moments as queries and models write them.
package moment

import "time"

var locals = []string{
	"2006-01-02 15:04", "2006-01-02 15:04:05", "2006-01-02T15:04", "2006-01-02T15:04:05",
}

var absolutes = []string{time.RFC3339, "2006-01-02 15:04:05Z07:00", "2006-01-02 15:04:05Z07"}

// Local reads a day, such as 2026-03-31, or a moment without an offset from UTC, such
// as 2026-03-31 10:30:00.5, as a time in UTC. isDay reports that text has no time of
// day.
func Local(text string) (t time.Time, isDay, ok bool) {
	if t, err := time.Parse(time.DateOnly, text); err == nil {
		return t, true, true
	}
	t, ok = parse(text, locals)
	return t, false, ok
}

// Absolute reads a moment with an offset, such as 2026-03-31T10:30:00+02:00.
func Absolute(text string) (t time.Time, ok bool) { return parse(text, absolutes) }

func parse(text string, layouts []string) (t time.Time, ok bool) {
	for _, layout := range layouts { // a fraction of a second is accepted after seconds
		if t, err := time.Parse(layout, text); err == nil {
			return t, true
		}
	}
	return time.Time{}, false
}
