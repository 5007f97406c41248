package stats

import (
	"math"
	"strings"
	"time"

	"github.com/qedkit/qed"
)

// clockForms are the forms of times. Go reads a fraction of a second after the seconds of any of them.
var clockForms = []string{
	"2006-01-02T15:04:05Z07:00",
	"2006-01-02T15:04:05",
	"2006-01-02T15:04:05Z0700",
	"2006-01-02T15:04:05Z07",
	"2006-01-02T15:04Z07:00",
	"2006-01-02T15:04",
}

// parseTime reads a time in one of the forms that the package knows. Without a zone it is
// UTC.
func parseTime(text string) (time.Time, bool) {
	if len(text) < len("2006-01") || len(text) > 64 {
		return time.Time{}, false
	}
	if text[0] < '0' || text[0] > '9' {
		if len(text) < 4 || text[3] != ',' {
			return time.Time{}, false
		}
		// Other letters stand for several zones, of which Go takes the host's.
		if strings.HasSuffix(text, " GMT") || strings.HasSuffix(text, " UTC") {
			return parseForms(text, []string{time.RFC1123})
		}
		return parseForms(text, []string{time.RFC1123Z})
	}
	switch {
	case text[4] == '/' && len(text) == len("2006/01/02"):
		return parseForms(text, []string{"2006/01/02"})
	case text[4] != '-':
		return time.Time{}, false
	case len(text) == len("2006-01"):
		return parseForms(text, []string{"2006-01"})
	case len(text) == len(time.DateOnly):
		return parseForms(text, []string{time.DateOnly})
	case len(text) < len("2006-01-02T15:04"):
		return time.Time{}, false
	case text[10] != ' ':
		return parseForms(text, clockForms)
	}
	date, clock := text[:10], text[11:]
	clock, _, _ = strings.Cut(clock, " m=") // the monotonic clock of time.Time.String
	if rest, zone, ok := strings.Cut(clock, " "); ok {
		zone, _, _ = strings.Cut(zone, " ") // "+0200 CEST": the name says nothing more
		if zone == "UTC" || zone == "GMT" {
			zone = "Z"
		}
		clock = rest + zone
	}
	return parseForms(date+"T"+clock, clockForms)
}

func parseForms(text string, forms []string) (time.Time, bool) {
	for _, form := range forms {
		if t, err := time.ParseInLocation(form, text, time.UTC); err == nil { // the host's zone has no say
			return t, t.Year() >= 1
		}
	}
	return time.Time{}, false
}

// never reports whether t is one of the times that stand for none.
func never(t time.Time) bool { return t.Year() <= 1 || t.Year() >= 9999 }

// cellTime reads a number as a time: a year, or what has passed since 1970.
func cellTime(cell any) (time.Time, bool) {
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
	return t, !never(t)
}

// timed reads a column that must have times.
func timed(t *qed.Table, name string) (*column, error) {
	place, err := find(t, name)
	if err != nil {
		return nil, err
	}
	c, err := read(t, place, true)
	if err != nil {
		return nil, err
	}
	if c.kind != Times && c.kind != Empty {
		return nil, &ColumnError{Column: name, Reason: "it has " + string(c.kind) + ", not times"}
	}
	return c, nil
}

// wall returns what the clock on the wall of loc showed at t, as if it were UTC, so that
// days and weeks have their hours whatever the zone does. Nil keeps the clock as written.
func wall(t time.Time, loc *time.Location) time.Time {
	if loc != nil {
		t = t.In(loc)
	}
	return time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), t.Nanosecond(), time.UTC)
}
