package citation

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/qedkit/qed/internal/numeral"
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

// A dateSet holds the dates of a source, each also with fewer parts. Those without a year
// can be of each year that the source names.
type dateSet struct{ all, yearless map[day]bool }

func dateSetOf(dates []date) dateSet {
	set := dateSet{all: map[day]bool{}, yearless: map[day]bool{}}
	add := func(d day) {
		for _, part := range []day{d, {0, d.month, d.day}, {d.year, d.month, 0}, {0, d.month, 0}} {
			set.all[part] = true
			if d.year == 0 {
				set.yearless[part] = true
			}
		}
	}
	for _, d := range dates {
		if add(d.day); d.eitherOrder {
			add(d.exchanged())
		}
	}
	return set
}

// hasDate reports whether the parts of d are those of a date of the source.
func (c *facts) hasDate(d date) bool {
	has := func(d day) bool {
		return c.dates.all[d] || slices.Contains(c.years.all, d.year) && c.dates.yearless[day{0, d.month, d.day}]
	}
	return has(d.day) || d.eitherOrder && has(d.exchanged())
}

const (
	months = `Januar|Februar|März|Maerz|Mai|Juni|Juli|Oktober|Dezember|January|February|March|April|May|June|July|` +
		`August|September|October|November|December|Jan|Feb|Mrz|Mär|Mar|Apr|Jun|Jul|Aug|Sept|Sep|Okt|Oct|Nov|Dez|Dec`
	monthName = `(?P<name>` + months + `)\b`
)

// dayOrMonthFirst matches 3/4/2026.
var dayOrMonthFirst = regexp.MustCompile(`\b(?P<day>\d{1,2})/(?P<month>\d{1,2})/(?P<year>[12]\d{3})\b`)

// digitDates and datePatterns match the dates that a sentence states, the first without the
// name of a month. Their groups are the parts of a date, and first and last for the other day
// of 3-5 April.
var digitDates = []*regexp.Regexp{
	regexp.MustCompile(`\b(?P<year>[12]\d{3})-(?P<month>\d{2})-(?P<day>\d{2})(?:\b|T)`),
	regexp.MustCompile(`\b(?P<year>[12]\d{3})-(?P<month>0[1-9]|1[0-2])\b`),
	regexp.MustCompile(firstDay + `\b(?P<day>\d{1,2})\. ?(?P<month>\d{1,2})\. ?(?P<year>[12]\d{3}|\d{2}\b)`),
	dayOrMonthFirst,
}

var datePatterns = append(slices.Clip(digitDates),
	regexp.MustCompile(firstDay+`\b(?P<day>\d{1,2})(?:\.|st|nd|rd|th)?\s+(?:of\s+)?`+monthName+`\.?(?:,?\s+(?P<year>[12]\d{3})\b)?`),
	regexp.MustCompile(`\b`+monthName+`\.?\s+(?P<day>\d{1,2})(?:st|nd|rd|th)?\b`+
		`(?:(?:\s?[-–—]\s?|\s(?:to|through|bis)\s)(?P<last>\d{1,2})(?:st|nd|rd|th)?\b)?(?:,?\s+(?P<year>[12]\d{3})\b)?`),
	regexp.MustCompile(`\b`+monthName+`\.?\s+(?P<year>[12]\d{3})\b`),
)

const firstDay = `(?:(?:^|[\s(])(?P<first>\d{1,2})(?:\.|st|nd|rd|th)?(?:\s?[-–—&]\s?|\s(?:to|until|through|and|bis|und)\s(?:the\s|zum\s)?))?`

// dayOrMonth matches 3-4-2026 and 3/4/26.
var dayOrMonth = regexp.MustCompile(`\b(?P<day>\d{1,2})[/-](?P<month>\d{1,2})[/-](?P<year>[12]\d{3}|\d{2})\b`)

// otherPatterns match what can also be a date in a source. otherDigits are those of them that
// need no name that anyMonth matches.
var (
	otherDigits = []*regexp.Regexp{
		regexp.MustCompile(`\b(?P<year>[12]\d{3})[./年-]\s?(?P<month>\d{1,2})[./月-]\s?(?P<day>\d{1,2})`),
		dayOrMonth,
		regexp.MustCompile(`\b(?P<year>(?:19|20)\d\d)(?P<month>0[1-9]|1[0-2])(?P<day>0[1-9]|[12]\d|3[01])`),
		regexp.MustCompile(`\b(?P<day>\d{1,2})\. ?(?P<month>\d{1,2})\.`),
		regexp.MustCompile(`\b(?P<month>\d{1,2})/(?P<year>[12]\d{3})\b`),

		// Words that may be months: of other languages, or in other letters. A year behind the
		// first is not part of the match: of "24 del 15 aprile", 15 is the next day.
		regexp.MustCompile(`\b(?P<day>\d{1,2})(?:\.|º|er|st|nd|rd|th)?[\s.-]\s*(?:day of |of |de |di )?(?P<word>\pL{3,})`),
		regexp.MustCompile(`(?P<word>\pL{3,})\.?\s+(?:(?P<day>\d{1,2})(?:st|nd|rd|th)?,?\s+|de\s+|del\s+)?(?P<year>[12]\d{3})\b`),
	}
	yearBehind    = regexp.MustCompile(`^\.?,?[\s.-]\s*(?:de |del )?([12]\d{3})\b`)
	anyMonth      = regexp.MustCompile(`\b` + monthName)
	otherPatterns = append([]*regexp.Regexp{
		anyMonth,
		regexp.MustCompile(`\b(?P<day>\d{1,2})[- ]` + monthName + `[- ](?P<year>[12]\d{3}|\d{2})\b`),
		regexp.MustCompile(`\b` + monthName + `-(?P<day>\d{1,2})-(?P<year>[12]\d{3}|\d{2})\b`),
		regexp.MustCompile(`\b` + monthName + `\.? ['’]?(?P<year>\d{2})\b`),
		regexp.MustCompile(`\b(?P<year>[12]\d{3}),?\s+` + monthName + `\.?\s+(?P<day>\d{1,2})\b`),
	}, otherDigits...)
)

// datesOf returns the dates of a text, in its order. A year alone is a number.
func datesOf(text string) []date {
	if !strings.ContainsAny(text, "0123456789") {
		return nil
	}
	patterns := datePatterns
	if !anyMonth.MatchString(text) {
		patterns = digitDates
	}
	var all []date
	taken := make([]bool, len(text))
	for _, p := range patterns {
		for _, m := range p.FindAllStringSubmatchIndex(text, -1) {
			if slices.Contains(taken[m[0]:m[1]], true) {
				continue
			}
			if found := dateOf(p, text, m); found != nil {
				all = append(all, found...)
				for at := m[0]; at < m[1]; at++ {
					taken[at] = true
				}
			}
		}
	}
	slices.SortStableFunc(all, func(a, b date) int { return a.begin - b.begin })
	return all
}

// otherDates returns what can also be dates in a source.
func otherDates(text string) (all []date) {
	patterns := otherPatterns
	if !anyMonth.MatchString(text) {
		patterns = otherDigits
	}
	for _, p := range patterns {
		for _, m := range p.FindAllStringSubmatchIndex(text, -1) {
			all = append(all, dateOf(p, text, m)...)
		}
	}
	for _, n := range numeral.Find(text) { // the third of April
		if m := monthBehind.FindStringSubmatch(text[n.End:]); m != nil && n.Ordinal {
			year, _ := strconv.Atoi(m[2])
			all = append(all, date{day: day{year, numeral.Month(strings.ToLower(m[1])), int(n.Value)}})
		}
	}
	return all
}

var monthBehind = regexp.MustCompile(`^(?: day)?(?: of)? (` + months + `)\b(?:,? ([12]\d{3})\b)?`)

// dateOf returns the date of a match, and the other day of a span. It returns none if there
// is no such date.
func dateOf(p *regexp.Regexp, text string, match []int) []date {
	found := text[match[0]:match[1]]
	d := date{text: strings.TrimLeft(found, " \t\r\n("), eitherOrder: p == dayOrMonthFirst || p == dayOrMonth}
	d.begin = match[1] - len(d.text)
	other := 0
	for group, name := range p.SubexpNames() {
		if group == 0 || match[2*group] < 0 {
			continue
		}
		part := text[match[2*group]:match[2*group+1]]
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
		case "first", "last":
			other = n
		case "name":
			d.month = numeral.Month(strings.ToLower(part))
		case "word":
			if d.month = numeral.Month(strings.ToLower(part)); d.month == 0 {
				return nil
			}
			if m := yearBehind.FindStringSubmatch(text[match[1]:]); m != nil {
				d.year, _ = strconv.Atoi(m[1])
			}
		}
	}
	if d.day.day > 31 || d.month > 12 && !(d.eitherOrder && d.day.day <= 12) {
		return nil
	}
	all := []date{d}
	if 0 < other && other <= 31 {
		d.day.day = other
		all = append(all, d)
	}
	return all
}
