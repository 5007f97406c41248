package shape

import (
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/qedkit/qed/internal/ascii"
	"github.com/qedkit/qed/internal/sqlast"
)

// units are the seconds of the units of an interval.
var units = map[string]float64{
	"microsecond": 1e-6, "millisecond": 1e-3, "second": 1, "sec": 1, "minute": 60, "min": 60, "hour": 60 * 60, "day": day,
	"week": 7 * day, "month": 28 * day, "mon": 28 * day, "quarter": 3 * 28 * day, "year": 365 * day,
	"decade": 3650 * day, "century": 36500 * day,
}

func parseNumber(s string) *value {
	n, err := strconv.ParseFloat(s, 64)
	if err != nil || math.IsNaN(n) {
		return nil
	}
	return &value{number: n}
}

// wholeNumber returns the value of a literal without a sign and a fraction.
func wholeNumber(e sqlast.Expr) (float64, bool) {
	n, ok := e.(*sqlast.Number)
	if !ok || !n.IsWhole() {
		return 0, false
	}
	v := parseNumber(n.Text)
	return v.number, true
}

var layouts = []string{
	time.DateOnly, time.DateTime, "2006-01-02 15:04", "2006-01-02T15:04", "2006-01-02T15:04:05", time.RFC3339,
	"2006-01-02 15:04:05Z07", "2006-01-02 15:04:05Z07:00", "2006-1-2", "20060102", "2006/01/02", "2006-01",
}

func parseTime(s string) *value {
	for _, layout := range layouts {
		if at, err := time.Parse(layout, strings.TrimSpace(s)); err == nil {
			return &value{kind: moment, number: float64(at.UnixMilli()) / 1000}
		}
	}
	return nil
}

// asTime returns a value whose text is read as a date or a number, or v itself.
func asTime(v *value) *value {
	if v.kind != text {
		return v
	}
	if at := parseTime(v.text); at != nil {
		return at
	}
	if n := parseNumber(strings.TrimSpace(v.text)); n != nil {
		return n
	}
	return v
}

// asInterval returns a value whose text is read as an interval, such as '1 day' or
// '+15 minutes'. It returns nil for another text.
func asInterval(v *value) *value {
	if v.kind != text {
		return v
	}
	words := strings.Fields(ascii.Lower(v.text))
	if len(words) == 1 {
		if n := parseNumber(words[0]); n != nil {
			return n
		}
		if clock, err := time.Parse(time.TimeOnly, words[0]); err == nil {
			return &value{kind: interval, number: float64(clock.Hour()*3600 + clock.Minute()*60 + clock.Second())}
		}
		if i := strings.IndexFunc(words[0], func(c rune) bool { return 'a' <= c && c <= 'z' }); i > 0 {
			words = []string{words[0][:i], words[0][i:]}
		}
	}
	out := value{kind: interval}
	if len(words) == 0 || len(words)%2 != 0 {
		return nil
	}
	for i := 0; i < len(words); i += 2 {
		n := parseNumber(words[i])
		seconds, ok := units[strings.TrimSuffix(words[i+1], "s")]
		if n == nil || !ok {
			return nil
		}
		out.number += n.number * seconds
	}
	return &out
}
