package citation

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A date is a date as it is written in a text.
type date struct {
	day
	text        string
	begin       int  // of text in the text
	eitherOrder bool // month and day may be exchanged: 3/4/2026
}

// A day is what a date names. Zero parts are not named.
type day struct{ year, month, day int }

func (d day) exchanged() day { return day{d.year, d.day, d.month} }

// A dateSet holds the dates of a source, each also with fewer parts.
type dateSet map[day]bool

func dateSetOf(dates []date) dateSet {
	set := dateSet{}
	add := func(d day) {
		for _, part := range []day{d, {0, d.month, d.day}, {d.year, d.month, 0}, {0, d.month, 0}} {
			set[part] = true
		}
	}
	for _, d := range dates {
		if add(d.day); d.eitherOrder {
			add(d.exchanged())
		}
	}
	return set
}

// has reports whether the parts of d are those of a date of the source.
func (s dateSet) has(d date) bool { return s[d.day] || d.eitherOrder && s[d.exchanged()] }

const monthNames = `(Januar|Februar|März|Maerz|Mai|Juni|Juli|Oktober|Dezember|January|February|March|April|May|June|July|` +
	`August|September|October|November|December|Jan|Feb|Mrz|Mär|Mar|Apr|Jun|Jul|Aug|Sept|Sep|Okt|Oct|Nov|Dez|Dec)\b`

// dayOrMonthFirst matches 3/4/2026.
var dayOrMonthFirst = regexp.MustCompile(`\b(?P<day>\d{1,2})/(?P<month>\d{1,2})/(?P<year>[12]\d{3})\b`)

// datePatterns have the groups year, month, day or name.
var datePatterns = []*regexp.Regexp{
	regexp.MustCompile(`\b(?P<year>[12]\d{3})-(?P<month>\d{2})-(?P<day>\d{2})(?:\b|T)`),
	regexp.MustCompile(`\b(?P<year>[12]\d{3})-(?P<month>0[1-9]|1[0-2])\b`),
	regexp.MustCompile(`\b(?P<day>\d{1,2})\. ?(?P<month>\d{1,2})\. ?(?P<year>[12]\d{3}|\d{2}\b)`),
	dayOrMonthFirst,
	regexp.MustCompile(`\b(?P<day>\d{1,2})(?:\.|st|nd|rd|th)?\s+(?:of\s+)?` + monthNames + `\.?(?:,?\s+(?P<year>[12]\d{3})\b)?`),
	regexp.MustCompile(`\b` + monthNames + `\.?\s+(?P<day>\d{1,2})(?:st|nd|rd|th)?\b(?:,?\s+(?P<year>[12]\d{3})\b)?`),
	regexp.MustCompile(`\b` + monthNames + `\.?\s+(?P<year>[12]\d{3})\b`),
}

// datesOf returns the dates of a text, in its order. A year alone is a number.
func datesOf(text string) []date {
	var all []date
	taken := make([]bool, len(text))
	for _, p := range datePatterns {
		for _, m := range p.FindAllStringSubmatchIndex(text, -1) {
			if slices.Contains(taken[m[0]:m[1]], true) {
				continue
			}
			d := date{text: text[m[0]:m[1]], begin: m[0], eitherOrder: p == dayOrMonthFirst}
			for group, name := range p.SubexpNames() {
				if group == 0 || m[2*group] < 0 {
					continue
				}
				part := text[m[2*group]:m[2*group+1]]
				n, _ := strconv.Atoi(part)
				switch name {
				case "year":
					if d.year = n; len(part) == 2 {
						d.year += 2000
					}
				case "month":
					d.month = n
				case "day":
					d.day.day = n
				default:
					d.month = monthOf(part)
				}
			}
			if d.day.day <= 31 && (d.month <= 12 || d.eitherOrder && d.day.day <= 12) {
				all = append(all, d)
				for at := m[0]; at < m[1]; at++ {
					taken[at] = true
				}
			}
		}
	}
	slices.SortFunc(all, func(a, b date) int { return a.begin - b.begin })
	return all
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
