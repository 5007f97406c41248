package citation

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A date is a date as it is written in a text. Zero parts are not named.
type date struct {
	year, month, day int
	text             string
	eitherOrder      bool // month and day may be exchanged: 3/4/2026
}

// agrees reports whether the parts of d are those of the date of a source.
func (d date) agrees(source date) bool {
	same := func(a, b date) bool {
		return (a.year == 0 || a.year == b.year) && a.month == b.month && (a.day == 0 || a.day == b.day)
	}
	if same(d, source) {
		return true
	}
	if d.eitherOrder {
		d.month, d.day = d.day, d.month
		return same(d, source)
	}
	if source.eitherOrder {
		source.month, source.day = source.day, source.month
		return same(d, source)
	}
	return false
}

const monthNames = `(Januar|Februar|März|Maerz|Mai|Juni|Juli|Oktober|Dezember|January|February|March|April|May|June|July|` +
	`August|September|October|November|December|Jan|Feb|Mrz|Mär|Mar|Apr|Jun|Jul|Aug|Sept|Sep|Okt|Oct|Nov|Dez|Dec)\b`

// datePatterns have the groups year, month, day or name.
var datePatterns = []*regexp.Regexp{
	regexp.MustCompile(`\b(?P<year>[12]\d{3})-(?P<month>\d{2})-(?P<day>\d{2})(?:\b|T)`),
	regexp.MustCompile(`\b(?P<day>\d{1,2})\. ?(?P<month>\d{1,2})\. ?(?P<year>[12]\d{3}|\d{2}\b)`),
	regexp.MustCompile(`\b(?P<day>\d{1,2})/(?P<month>\d{1,2})/(?P<year>[12]\d{3})\b`),
	regexp.MustCompile(`\b(?P<day>\d{1,2})(?:\.|st|nd|rd|th)?\s+(?:of\s+)?` + monthNames + `\.?(?:,?\s+(?P<year>[12]\d{3})\b)?`),
	regexp.MustCompile(`\b` + monthNames + `\.?\s+(?P<day>\d{1,2})(?:st|nd|rd|th)?\b(?:,?\s+(?P<year>[12]\d{3})\b)?`),
	regexp.MustCompile(`\b` + monthNames + `\.?\s+(?P<year>[12]\d{3})\b`),
}

// datesOf returns the dates of a text, in its order. A year alone is a number.
func datesOf(text string) []date {
	type found struct {
		start, end int
		date
	}
	var all []found
	for i, p := range datePatterns {
		for _, m := range p.FindAllStringSubmatchIndex(text, -1) {
			if slices.ContainsFunc(all, func(f found) bool { return m[0] < f.end && f.start < m[1] }) {
				continue
			}
			f := found{start: m[0], end: m[1], date: date{text: text[m[0]:m[1]], eitherOrder: i == 2}}
			for group, name := range p.SubexpNames() {
				if group == 0 || m[2*group] < 0 {
					continue
				}
				part := text[m[2*group]:m[2*group+1]]
				n, _ := strconv.Atoi(part)
				switch name {
				case "year":
					if f.year = n; len(part) == 2 {
						f.year += 2000
					}
				case "month":
					f.month = n
				case "day":
					f.day = n
				default:
					f.month = monthOf(part)
				}
			}
			if f.day <= 31 && (f.month <= 12 || f.eitherOrder && f.day <= 12) {
				all = append(all, f)
			}
		}
	}
	slices.SortFunc(all, func(a, b found) int { return a.start - b.start })
	var dates []date
	for _, f := range all {
		dates = append(dates, f.date)
	}
	return dates
}

// monthOf returns the number of a month by its German or English name.
func monthOf(name string) int {
	name = strings.ToLower(name)
	for i, beginnings := range [12][]string{
		{"jan"}, {"feb"}, {"mär", "mae", "mar", "mrz"}, {"apr"}, {"mai", "may"}, {"jun"},
		{"jul"}, {"aug"}, {"sep"}, {"okt", "oct"}, {"nov"}, {"dez", "dec"},
	} {
		if slices.ContainsFunc(beginnings, func(b string) bool { return strings.HasPrefix(name, b) }) {
			return i + 1
		}
	}
	return 0
}
