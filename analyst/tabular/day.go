package tabular

import (
	"regexp"
	"strconv"
	"strings"
	"time"

	numerals "github.com/qedkit/qed/internal/numeral"
	"github.com/qedkit/qed/internal/wordset"
)

// A day is a date as people write it, which several orders of day, month and year may fit,
// with the time of the day.
type day struct {
	orders [formCount]time.Time // by form; the zero time where one does not fit
	clock  bool
}

// readDay reads a date and the time after it.
func readDay(s string) (d day, ok bool) {
	date, clock := cutClock(s)
	var of time.Duration
	if clock != "" {
		if of, ok = readClock(clock); !ok {
			return d, false
		}
		d.clock = true
	}
	set := func(f form, year, month, dayOfMonth int) {
		at := time.Date(year, time.Month(month), dayOfMonth, 0, 0, 0, 0, time.UTC)
		if at.Year() == year && int(at.Month()) == month && at.Day() == dayOfMonth {
			d.orders[f], ok = at.Add(of), true
		}
	}
	ok = false
	if named, isNamed := readNamed(date); isNamed {
		set(formNamed, named[0], named[1], named[2])
		return d, ok
	}
	if clock != "" && isCompactDate(date) {
		set(formYMD, number(date[:4]), number(date[4:6]), number(date[6:]))
		return d, ok
	}
	parts, sign := threeNumbers(date)
	if parts == nil {
		return d, false
	}
	a, b, c := number(parts[0]), number(parts[1]), number(parts[2])
	if len(parts[1]) > 2 {
		return d, false
	}
	switch {
	case len(parts[0]) == 4 && len(parts[2]) <= 2:
		set(formYMD, a, b, c)
	case len(parts[0]) > 2:
	case len(parts[2]) == 4:
		set(formDMY, c, b, a)
		if sign != '.' {
			set(formMDY, c, a, b)
		}
	case len(parts[2]) == 2:
		set(formDMY2, century(c), b, a)
		if sign != '.' {
			set(formMDY2, century(c), a, b)
		}
		if len(parts[0]) == 2 && len(parts[1]) == 2 {
			set(formYMD2, century(a), b, c)
		}
	}
	return d, ok
}

// isCompactDate reports whether a text is a date of the years 1900 to 2099 without signs.
func isCompactDate(s string) bool {
	if !strings.HasPrefix(s, "19") && !strings.HasPrefix(s, "20") {
		return false
	}
	_, err := time.Parse("20060102", s)
	return err == nil
}

// century returns a year of two digits as POSIX reads it: from 1969 to 2068.
func century(year int) int {
	if year < 69 {
		return 2000 + year
	}
	return 1900 + year
}

// cutClock cuts the time of the day, which follows a blank or a T and has a colon, or the point
// that Danish, Finnish and Italian write.
func cutClock(s string) (date, clock string) {
	at := strings.LastIndexByte(s, ' ')
	if colon := strings.IndexByte(s, ':'); colon >= 0 {
		at = strings.LastIndexAny(s[:colon], " T")
	} else if !pointed.MatchString(s[at+1:]) {
		return s, ""
	}
	if at < 0 {
		return s, ""
	}
	return strings.TrimRight(s[:at], " ,"), s[at+1:]
}

var pointed = regexp.MustCompile(`^\d\d?\.\d\d(\.\d\d)?$`)

// readClock reads a time of the day, with AM or PM or without.
func readClock(s string) (time.Duration, bool) {
	s = strings.ToUpper(strings.NewReplacer("a.m.", "AM", "p.m.", "PM", "\u202f", " ", "\u00a0", " ").Replace(s))
	for _, layout := range []string{"15:04", "15:04:05", "3:04 PM", "3:04:05 PM", "3:04PM", "3:04:05PM", "15.04", "15.04.05"} {
		if at, err := time.Parse(layout, s); err == nil {
			return at.Sub(time.Date(0, 1, 1, 0, 0, 0, 0, time.UTC)), true
		}
	}
	return 0, false
}

// threeNumbers cuts a date at two equal signs.
func threeNumbers(s string) (parts []string, sign byte) {
	at := strings.IndexAny(s, "/-.")
	if at < 0 || len(s) > len("31/12/2006") {
		return nil, 0
	}
	parts = strings.Split(s, s[at:at+1])
	if len(parts) != 3 {
		return nil, 0
	}
	for _, p := range parts {
		if p == "" || strings.Trim(p, "0123456789") != "" {
			return nil, 0
		}
	}
	return parts, s[at]
}

func number(digits string) int {
	n, _ := strconv.Atoi(digits)
	return n
}

// readNamed reads a date whose month has a name, as year, month and day.
func readNamed(s string) (date [3]int, ok bool) {
	if len(s) > 40 {
		return date, false
	}
	words := strings.FieldsFunc(s, func(r rune) bool { return strings.ContainsRune(" -.,/", r) })
	kept := words[:0]
	for i, w := range words {
		if w != "de" && w != "of" && (i > 0 || !weekdays[strings.ToLower(w)]) { // 3 de abril de 2026
			kept = append(kept, w)
		}
	}
	if len(kept) != 3 {
		return date, false
	}
	isNumber := func(w string) bool { return len(w) <= 4 && strings.Trim(w, "0123456789") == "" }
	first, second, third := kept[0], kept[1], kept[2]
	if month := monthOf(strings.ToLower(first)); month > 0 && isNumber(third) { // April 3rd, 2026
		second = strings.TrimRight(strings.ToLower(second), "stndrh")
		if isNumber(second) && len(second) <= 2 && len(third) == 4 {
			return [3]int{number(third), month, number(second)}, true
		}
	}
	month := monthOf(strings.ToLower(second))
	if first = strings.TrimRight(strings.ToLower(first), "stndrh"); month == 0 || first == "" || !isNumber(first) || !isNumber(third) {
		return date, false
	}
	switch {
	case len(first) == 4 && len(third) <= 2:
		return [3]int{number(first), month, number(third)}, true
	case len(first) <= 2 && len(third) == 4:
		return [3]int{number(third), month, number(first)}, true
	case len(first) <= 2 && len(third) == 2:
		return [3]int{century(number(third)), month, number(first)}, true
	}
	return date, false
}

// monthOf also reads ago, which is the Spanish August here and an English word elsewhere.
func monthOf(word string) int {
	if word == "ago" {
		return 8
	}
	return numerals.Month(word)
}

// weekdays has the names of the days of the week in English, German, French and Spanish.
var weekdays = wordset.Of(`monday mon tuesday tue wednesday wed thursday thu friday fri saturday sat sunday sun
	montag mo dienstag di mittwoch mi donnerstag do freitag fr samstag sonnabend sa sonntag so
	lundi mardi mercredi jeudi vendredi samedi dimanche lunes martes miércoles jueves viernes sábado domingo`)
