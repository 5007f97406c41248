package citation

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/qedkit/qed/internal/lists"
	"github.com/qedkit/qed/internal/numeral"
)

// A clockTime is a time of day in a text.
type clockTime struct {
	seconds    int  // since midnight
	half       bool // of which half of the day is not said, as in 5:30
	exact      bool // with seconds
	long       bool // it can be how long something takes, as 1:30
	begin, end int  // its place in the text
}

// clockPatterns have the groups hour, minute, second and half.
var clockPatterns = []*regexp.Regexp{
	regexp.MustCompile(`(?i)\b(?P<hour>\d{1,2}) Uhr (?P<minute>[0-5]\d)\b`),
	regexp.MustCompile(`(?i)\b(?P<hour>\d{1,2})[:h](?P<minute>[0-5]\d)(?::(?P<second>[0-5]\d))?(?:\.\d+)?(?:\s?(?P<half>[ap]\.?m\b\.?)|\s?Uhr\b)?`),
	regexp.MustCompile(`(?i)\b(?P<hour>\d{1,2})\.(?P<minute>[0-5]\d)(?:\s?(?P<half>[ap]\.?m\b\.?)|\s?Uhr\b)`),
	regexp.MustCompile(`(?i)\b(?P<hour>\d{1,2})(?:\s?(?P<half>[ap]\.?m\b\.?)|\s?Uhr\b| o['’]clock\b)`),
	regexp.MustCompile(`(?i)\b(?P<hour>[01]\d|2[0-4])(?P<minute>[0-5]\d) hours\b`),
}

const (
	noon   = 12 * 3600
	allDay = 2 * noon
	near   = 24 // bytes before a time that say what it means
)

// clockTimes returns the times of day in a text.
func clockTimes(text string) (all []clockTime) {
	taken := make([]bool, len(text))
	for _, p := range clockPatterns {
		for _, m := range p.FindAllStringSubmatchIndex(text, -1) {
			if slices.Contains(taken[m[0]:m[1]], true) {
				continue
			}
			group := func(name string) string {
				if i := p.SubexpIndex(name); i >= 0 && m[2*i] >= 0 {
					return text[m[2*i]:m[2*i+1]]
				}
				return ""
			}
			hour, _ := strconv.Atoi(group("hour"))
			minute, _ := strconv.Atoi(group("minute"))
			second, _ := strconv.Atoi(group("second"))
			t := clockTime{begin: m[0], end: m[1], exact: group("second") != ""}
			t.long = strings.Trim(text[m[0]:m[1]], "0123456789:") == ""
			half := strings.ToLower(group("half"))
			switch {
			case hour > 24 || half != "" && hour > 12:
				continue
			case half != "":
				hour %= 12
				if half[0] == 'p' {
					hour += 12
				}
			default:
				t.half = 1 <= hour && hour <= 12
			}
			t.seconds = (hour*3600 + minute*60 + second) % allDay
			all = append(all, t)
			from := max(0, t.begin-near)
			if m := firstHour.FindStringSubmatchIndex(text[from:t.begin]); m != nil && !slices.Contains(taken[from+m[0]:t.begin], true) {
				hour, _ := strconv.Atoi(text[from+m[2] : from+m[3]])
				all = append(all, clockTime{seconds: hour * 3600 % allDay, half: true, begin: from + m[2], end: from + m[3]})
			}
			for at := m[0]; at < m[1]; at++ {
				taken[at] = true
			}
		}
	}
	for _, m := range namedTimes.FindAllStringSubmatchIndex(text, -1) {
		t := clockTime{begin: m[0], end: m[1]}
		if m[2] >= 0 {
			t.seconds = noon
		}
		all = append(all, t)
	}
	return all
}

var (
	namedTimes = regexp.MustCompile(`(?i)\b(?:((?:12 )?noon|midday|mittags?)|(?:12 )?midnight|mitternachts?)\b`)

	// firstHour matches the first hour of a span, as in 9 to 17:00.
	firstHour = regexp.MustCompile(`(?:^|[\s(])(2[0-4]|1\d|\d)\s?(?:[-–—]|to|until|and|bis|und)\s?$`)

	// hedgedTime matches words before a time that is not exact.
	hedgedTime = regexp.MustCompile(`(?i)\b(?:about|around|roughly|approximately|shortly|just|nearly|almost|before|after|ca\.|circa|kurz|gegen|` +
		`etwa|ungefähr|rund|fast|vor|nach)\s+$`)

	// lasting matches what follows a time that says how long something takes.
	lasting = regexp.MustCompile(`(?i)^\s?-?(?:hours?|hrs?|h|min|minutes?|Stunden|Std|Minuten|mm:ss|hh:mm)\b`)

	// vagueTime matches words from which a reader computes a time.
	vagueTime = regexp.MustCompile(`(?i)\b(?:half past|quarter past|quarter to|past|halb|viertel|dreiviertel)\s|` +
		`\b(?:hours?|minutes?|Stunden?|Minuten?)\s(?:later|earlier|before|after|long|später|früher|vor|nach|lang)|` +
		`\b(?:after|for|within|takes?|lasts?|nach|dauert|für)\s(?:\S+\s)?(?:hours?|minutes?|Stunden?|Minuten?)\b`)

	zone = regexp.MustCompile(`\b(?:(?:UTC|GMT)(?: ?[+-]\d{1,2}(?::\d\d)?)?|BST|JST|IST|MES?Z|CES?T|WES?T|EES?T|[ECMP][SD]T)\b|` +
		`:\d\d(Z)\b|:\d\d(?:\.\d+)?(\+\d\d:?\d\d)\b|T\d\d:\d\d:\d\d(?:\.\d+)?(-\d\d:?\d\d)\b`)
)

// zones returns the time zones that a text names.
func zones(text string) []string {
	all := lists.Map(zone.FindAllStringSubmatch(text, -1), func(m []string) string { return cmp.Or(m[1], m[2], m[3], m[0]) })
	slices.Sort(all)
	return slices.Compact(all)
}

// same reports whether two times may be the same time of day.
func (t *clockTime) same(u clockTime) bool {
	if !t.exact || !u.exact {
		v, w := t.seconds-t.seconds%60, u.seconds-u.seconds%60
		return v == w || (t.half || u.half) && v%noon == w%noon
	}
	return t.seconds == u.seconds || (t.half || u.half) && t.seconds%noon == u.seconds%noon
}

// contradicts reports whether a source has only other times of day. A time in another
// zone is not compared.
func (t *clockTime) contradicts(s *facts, named []string) bool {
	return len(s.times) > 0 && slices.Equal(named, s.zones) && len(named) <= 1 &&
		(!t.exact || slices.ContainsFunc(s.times, func(u clockTime) bool { return u.exact }))
}

// mayBe reports whether a source has the time, or words or numbers that can stand for it.
func (t *clockTime) mayBe(s *facts) bool {
	if s.vagueTimes || len(s.times) > maxPaired || slices.ContainsFunc(s.times, t.same) {
		return true
	}
	hour, minute := t.seconds/3600, t.seconds/60%60
	for _, h := range []int{hour, (hour + 12) % 24, hour % 12} {
		if minute == 0 && (s.small[h] || h == 0 && (s.small[12] || s.small[24])) || s.small[100*h+minute] && minute > 0 {
			return true
		}
	}
	for i, a := range s.times {
		for _, b := range s.times[:i] {
			if d := a.seconds - b.seconds; t.long && max(d, -d) == t.seconds {
				return true
			}
		}
	}
	return false
}

// smallNumbers returns the numbers of a text up to 2400, in digits and words, without
// those of its dates and times: 9 in "9 to 5" and 1700 in "at 1700".
func smallNumbers(text string, dates []date, times []clockTime) map[int]bool {
	rest := []byte(text)
	for _, d := range dates {
		blank(rest, d.begin, d.begin+len(d.text))
	}
	for _, t := range times {
		blank(rest, t.begin, t.end)
	}
	all := lists.Set(numeral.Find(text), func(n numeral.Numeral) int { return int(n.Value) })
	for _, digits := range wholeNumbers.FindAllString(string(rest), -1) {
		if n, err := strconv.Atoi(strings.ReplaceAll(digits, ".", "")); err == nil && n <= 2400 {
			all[n] = true
		}
	}
	return all
}

var wholeNumbers = regexp.MustCompile(`\d+(?:\.\d\d\b)?`)

// blank writes spaces over a part of a text.
func blank(text []byte, begin, end int) {
	for i := begin; i < end; i++ {
		text[i] = ' '
	}
}

// spansOf returns the pairs of times that begin and end a span, such as 9:00–17:00. It sorts
// the times by their place.
func spansOf(text string, times []clockTime) (all [][2]clockTime) {
	slices.SortFunc(times, func(a, b clockTime) int { return a.begin - b.begin })
	for i, to := range times {
		if from := times[max(0, i-1)]; from.end <= to.begin && until.MatchString(text[from.end:to.begin]) {
			all = append(all, [2]clockTime{from, to})
		}
	}
	return all
}

var (
	until    = regexp.MustCompile(`^\s?(?:[-–—]|to|until|till|bis)\s?$`)
	bareSpan = regexp.MustCompile(`\b(\d{1,2})\s?(?:[-–—]|to|until|till|bis)\s?(\d{1,2})\b`)
)

// hasSpan reports whether a span of a source lasts so many seconds.
func (c *facts) hasSpan(seconds float64) bool {
	return slices.ContainsFunc(c.spans, func(s [2]clockTime) bool {
		length := (s[1].seconds - s[0].seconds + allDay) % allDay
		return float64(length) == seconds || s[1].half && float64(length%noon) == seconds // 9:00 to 5:00
	})
}

// isOpen reports whether a source has the span between two whole hours. 5 is 17:00 too.
func (c *facts) isOpen(from, to string) bool {
	a, b := clockTimes(from+":00"), clockTimes(to+":00")
	return len(a) == 1 && len(b) == 1 && slices.ContainsFunc(c.spans, func(s [2]clockTime) bool {
		return a[0].same(s[0]) && b[0].same(s[1])
	})
}
