package column

import (
	"math"
	"slices"
	"strings"
	"time"
)

// clockForms are the forms of a time after its date. Go reads a fraction after
// the seconds of each.
var clockForms = []string{
	"2006-01-02T15:04:05Z07:00",
	"2006-01-02T15:04:05",
	"2006-01-02T15:04:05Z0700",
	"2006-01-02T15:04:05Z07",
	"2006-01-02T15:04:05Z07:00:00",
	"2006-01-02T15:04Z07:00",
	"2006-01-02T15:04",
}

// ParseTime reads a time. Without a zone it is UTC.
//
// It knows RFC 3339, with a T or a space, with or without seconds, fractions and
// zone; dates as 2006-01-02 and 2006/01/02; months as 2006-01; the forms of
// [time.RFC1123] in GMT or UTC, [time.RFC1123Z] and [time.Time.String].
// Forms such as 01/02/2006 are not read, because day and month cannot be told
// apart. Neither are other letters for a zone, such as EST, because several
// zones have the same letters.
func ParseTime(text string) (time.Time, bool) {
	if len(text) < len("2006-01") || len(text) > 64 {
		return time.Time{}, false
	}
	if text[0] < '0' || text[0] > '9' {
		return parseRFC1123(text)
	}
	switch {
	case text[4] == '/' && len(text) == len("2006/01/02"):
		return parseForms(text, "2006/01/02")
	case text[4] != '-':
		return time.Time{}, false
	case len(text) == len("2006-01"):
		return parseForms(text, "2006-01")
	case len(text) == len(time.DateOnly):
		return parseForms(text, time.DateOnly)
	case len(text) < len("2006-01-02T15:04"):
		return time.Time{}, false
	case text[10] != ' ':
		return parseForms(text, clockForms...)
	}
	date, clock := text[:10], text[11:]
	clock, _, _ = strings.Cut(clock, " m=") // the monotonic clock of time.Time.String
	if rest, zone, ok := strings.Cut(clock, " "); ok {
		zone, _, _ = strings.Cut(zone, " ") // in "+0200 CEST" the name adds nothing
		if zone == "UTC" || zone == "GMT" {
			zone = "Z"
		}
		clock = rest + zone
	}
	return parseForms(date+"T"+clock, clockForms...)
}

func parseRFC1123(text string) (time.Time, bool) {
	if text[3] != ',' {
		return time.Time{}, false
	}
	// Go reads other letters in the zone of the host.
	if strings.HasSuffix(text, " GMT") || strings.HasSuffix(text, " UTC") {
		return parseForms(text, time.RFC1123)
	}
	return parseForms(text, time.RFC1123Z)
}

func parseForms(text string, forms ...string) (time.Time, bool) {
	for _, form := range forms {
		// In UTC, so that the result does not depend on the zone of the host.
		if t, err := time.ParseInLocation(form, text, time.UTC); err == nil {
			return t, t.Year() >= 1
		}
	}
	return time.Time{}, false
}

// isNever reports whether programs write t for "never".
func isNever(t time.Time) bool { return t.Year() <= 1 || t.Year() >= 9999 }

// numberTime reads a number as a year, or as the time since 1970.
func numberTime(cell any) (time.Time, bool) {
	var n int64
	switch cell := cell.(type) {
	case int64:
		n = cell
	case float64:
		if cell != math.Trunc(cell) || math.Abs(cell) > 1<<62 {
			return time.Time{}, false
		}
		n = int64(cell)
	default:
		return time.Time{}, false
	}
	var t time.Time
	switch {
	case n >= 1000 && n <= 9999:
		t = time.Date(int(n), 1, 1, 0, 0, 0, 0, time.UTC)
	case n < 1e8:
		return t, false
	case n < 1e11:
		t = time.Unix(n, 0)
	case n < 1e14:
		t = time.UnixMilli(n)
	case n < 1e17:
		t = time.UnixMicro(n)
	default:
		t = time.Unix(0, n)
	}
	t = t.UTC()
	return t, !isNever(t)
}

// WallTimes returns what clocks show at c.Times, each as if it were UTC, so that every day has
// 24 hours. The clock of each time is kept as it is written, if the offsets of the times differ
// by an hour at most: they are from one zone with daylight saving time. Otherwise clocks cannot
// be compared, and all times are in UTC.
func (c *Column) WallTimes() []time.Time {
	out, oneZone := slices.Clone(c.Times), c.oneZone()
	for i, t := range out {
		if !oneZone {
			t = t.UTC()
		}
		out[i] = time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), t.Nanosecond(), time.UTC)
	}
	return out
}

// oneZone reports whether the offsets of all times differ by an hour at most.
func (c *Column) oneZone() bool {
	low, high := math.MaxInt, math.MinInt
	for _, t := range c.Times {
		_, offset := t.Zone()
		low, high = min(low, offset), max(high, offset)
	}
	return len(c.Times) == 0 || high-low <= 60*60
}
