package sqltimes

import (
	"slices"
	"strings"

	"github.com/qedkit/qed/internal/ascii"
	"github.com/qedkit/qed/internal/wordset"
)

// A kind is what the values of a column are.
type kind uint8

const (
	unknown kind = iota // texts, or no type
	days
	moments
	numbers // no times
)

// kindOf returns the kind of a type of a database, and the unit of its values.
func kindOf(dialect, typ string) (kind, unit) {
	typ = ascii.Lower(strings.TrimSpace(typ))
	name, arguments, _ := strings.Cut(typ, "(")
	name = strings.TrimSpace(name)
	digits := -1
	if n, _, ok := strings.Cut(arguments, ")"); ok && len(n) == 1 {
		digits = int(n[0] - '0')
	}
	switch {
	case name == "":
		return unknown, nano
	case strings.HasSuffix(typ, "[]"):
		return numbers, nano
	case name == "date":
		return days, day
	case strings.HasPrefix(name, "timestamp") || strings.HasPrefix(name, "datetime"):
		switch {
		case dialect == "sqlite" || digits > 0 && digits < 6 || strings.HasPrefix(name, "timestamp_"):
			return moments, nano // no limit within a second is exact
		case digits == 0, digits < 0 && dialect == "mysql":
			return moments, second
		}
		return moments, micro
	case textTypes[name], strings.Contains(name, "char"), strings.Contains(name, "text"), strings.Contains(name, "clob"):
		return unknown, nano
	}
	return numbers, nano
}

var textTypes = wordset.Of("any string blob json jsonb")

// namesTime reports whether a name looks like that of a column or table of times,
// such as fiscal_year, createdAt or sales_2026.
func namesTime(name string) bool {
	start := 0
	for i := 1; i <= len(name); i++ {
		if i == len(name) || name[i] == '_' || 'A' <= name[i] && name[i] <= 'Z' && name[i-1] >= 'a' {
			if isTimeWord(ascii.Lower(strings.Trim(name[start:i], "_")), start > 0) {
				return true
			}
			start = i
		}
	}
	return looksLikeTime(name)
}

// isTimeWord reports whether a word of a name, which may be a later one, is about
// times.
func isTimeWord(word string, later bool) bool {
	if timeWords[word] || later && (word == "at" || word == "on") {
		return true
	}
	switch word {
	case "candidate", "mandate":
		return false
	}
	ends := func(end string) bool { return strings.HasSuffix(word, end) }
	return slices.ContainsFunc([]string{"date", "time", "year", "month", "day", "week", "datum", "jahr", "monat"}, ends)
}

var timeWords = wordset.Of(`
	date dates time times timestamp year years month months quarter quarters week weeks day days hour period
	season epoch fiscal fy yyyymm created updated since until from datum jahr monat quartal woche tag`)

// looksLikeTime reports whether a text may name a time: it has a number that can
// be a year or the beginning of a date, or a word such as March or Q1.
func looksLikeTime(s string) bool {
	if len(s) > maxTimeText {
		return false
	}
	run := 0
	for i := 0; i <= len(s); i++ {
		if i < len(s) && '0' <= s[i] && s[i] <= '9' {
			run++
			continue
		}
		if run >= 4 && isCentury(s[i-run:i]) {
			return true
		}
		run = 0
	}
	isGap := func(r rune) bool { return r < 'a' && (r < '0' || r > '9') || r > 'z' && r < 0x80 }
	return slices.ContainsFunc(strings.FieldsFunc(ascii.Lower(s), isGap), func(word string) bool { return timeNames[word] })
}

// isCentury reports whether digits begin like a year from 1900 to 2199.
func isCentury(digits string) bool {
	return slices.Contains([]string{"19", "20", "21"}, digits[:2])
}

const maxTimeText = 200

var timeNames = wordset.Of(`january february march april may june july august september october november december
	jan feb mar apr jun jul aug sep sept oct nov dec januar februar märz mai juni juli oktober dezember
	monday tuesday wednesday thursday friday saturday sunday now today yesterday tomorrow
	q1 q2 q3 q4 h1 h2`)
