package dates

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

// A span is a time in days. A zero day means that there is no limit.
type span struct {
	from, to time.Time
	unit     unit // of the calendar; 0 if the span is none of its units
	loose    bool // people disagree about the limits, as of "the last 30 days"
	year     int  // the year that names a part of a year
	index    int  // the number of the part in the year; 0 if span is no such part
	present  bool // of words such as "today", which often mean the state of the data
	open     bool // it can be of the fiscal year or of the calendar's year
}

// complete reports whether s has limits. A part of a year without the year has none.
func (s span) complete() bool { return !s.from.IsZero() || !s.to.IsZero() }

// A grammar reads the words of a text.
type grammar struct {
	words []token
	last  gap // after the last word
	today time.Time
	zones resolved
}

// maxText is the length of the longest text that is read. A longer one is no
// question, but has a document in it.
const maxText = 4096

// read returns the only time that a text names. The span is incomplete if the text
// names none or several, or has a word that can change what the time means.
// names reports whether it names a time at all.
func read(text string, today time.Time, zones resolved) (words string, s span, names bool) {
	if len(text) > maxText {
		return "", span{}, false
	}
	tokens, last, ok := tokens(text)
	if !ok {
		return "", span{}, false
	}
	g := &grammar{words: tokens, last: last, today: today, zones: zones}
	count, start, end := 0, 0, 0
	for i := 0; i < len(tokens); {
		found, n := g.expression(i)
		if n == 0 || !found.valid() {
			i++
			continue
		}
		names = names || !found.present && g.gap(i) != odd && g.gap(i+n) != odd
		if count++; found.open {
			count++ // it is one of two
		}
		start, end, s = i, i+n, found
		i += n
	}
	if count != 1 || !g.alone(start, end) {
		return "", span{}, names
	}
	return strings.Join(strings.Fields(text[tokens[start].from:tokens[end-1].end]), " "), s, names
}

// valid reports whether the years of s can be written with four digits.
func (s span) valid() bool {
	four := func(t time.Time) bool { return t.IsZero() || t.Year() >= 1583 && t.Year() <= 9998 }
	return s.complete() && four(s.from) && four(s.to) && (s.from.IsZero() || s.to.IsZero() || s.from.Before(s.to))
}

// alone reports whether no word of the text but those from start to end can have to
// do with time.
func (g *grammar) alone(start, end int) bool {
	if !g.gap(start).joins() || !g.gap(end).joins() && (g.gap(end) != apostrophe || g.word(end) != "s") {
		return false
	}
	_, isYear := yearNumber(g.word(start))
	if isYear && g.gap(start) == space && yearName[g.word(start-1)] || onDay[g.word(start-1)] {
		start--
	}
	for start > 0 && g.gap(start) == space && leading[g.word(start-1)] {
		start--
	}
	before := g.word(start - 1)
	adverb := strings.HasSuffix(before, "ly") && !harmless[before]
	dayOf := before != "" && isDigit(before[0]) && ofWord[g.word(start)]
	if !g.gap(start).joins() || precedes[before] || follows[g.word(end)] || adverb || dayOf {
		return false
	}
	if isYear && !g.calendarYear(start) || isNumber(g.word(end)) {
		return false
	}
	for i := range g.words {
		if (i < start || i >= end) && (g.doubtful(i) || i >= end && g.clockTime(i)) {
			return false
		}
	}
	return true
}

// calendarYear reports whether the year at i is not a "school year 2025" or "model
// year 2025". The words before it were skipped if they change nothing.
func (g *grammar) calendarYear(i int) bool {
	if g.word(i) != "year" && g.word(i) != "years" {
		return true
	}
	before := g.word(i - 1)
	return before == "" || before == "calendar" || before == "entire" || leading[before] || onDay[before]
}

// clockTime reports whether the word at i, which is after a time, can begin or name
// a time of the day or a number of days: from 9 to 17, in New York time.
func (g *grammar) clockTime(i int) bool {
	return g.word(i) == "time" || (rangeWords[g.word(i)] || g.word(i) == "by") && isNumber(g.word(i+1))
}

// doubtful reports whether the word at i can be of a time that no rule reads.
func (g *grammar) doubtful(i int) bool {
	w := g.word(i)
	_, isDay := days[w]
	if isDay || doubtful[w] || doubtful[strings.TrimSuffix(w, "s")] || months[w] > 0 || ordinals[w] > 0 || toDate[w] > 0 {
		return !dayWord[w] || !grouping[g.word(i-1)]
	}
	if strings.ContainsAny(w, "0123456789") {
		return g.doubtfulNumber(i)
	}
	if harmless[w] || units[w] > 0 && grouping[g.word(i-1)] {
		return false
	}
	return slices.ContainsFunc(unitStems, func(stem string) bool { return strings.Contains(w, stem) }) ||
		slices.ContainsFunc(dayEndings, func(ending string) bool { return strings.HasSuffix(w, ending) })
}

// doubtfulNumber reports whether the word at i with digits can be of a time. Amounts
// of at most three digits are not, unless they are next to another number, and
// neither are names such as "sku7".
func (g *grammar) doubtfulNumber(i int) bool {
	w := g.word(i)
	if !isNumber(w) {
		return isDigit(w[0]) || len(w) > 1 && isDigit(w[1]) || len(w) > 2 && isDigit(w[2])
	}
	next, before := g.word(i+1), g.word(i-1)
	return len(w) >= 4 || g.gap(i) == apostrophe ||
		next != "" && isDigit(next[0]) && g.gap(i+1) != plain || before != "" && isDigit(before[0]) && g.gap(i) != plain
}

func isDigit(b byte) bool { return '0' <= b && b <= '9' }

func isNumber(w string) bool { return w != "" && strings.Trim(w, "0123456789") == "" }

// word returns the word at i, or "" before and after the text.
func (g *grammar) word(i int) string {
	if i < 0 || i >= len(g.words) {
		return ""
	}
	return g.words[i].word
}

// gap returns what is before the word at i, or after the last word.
func (g *grammar) gap(i int) gap {
	if i >= len(g.words) {
		return g.last
	}
	return g.words[i].gap
}

// next returns the word at i if only white space is before it.
func (g *grammar) next(i int) string {
	if i >= len(g.words) || g.words[i].gap != space {
		return ""
	}
	return g.words[i].word
}

// skip returns the index after the words of a set from i on.
func (g *grammar) skip(i int, words map[string]bool) int {
	for words[g.next(i)] {
		i++
	}
	return i
}

// expression reads a whole time with its range words, and returns how many words
// it has: 0 if there is none at i.
func (g *grammar) expression(i int) (span, int) {
	switch w := g.word(i); w {
	case "before", "vor":
		return g.limited(i, 1, func(s span) span { return span{to: s.from} })
	case "after":
		return g.limited(i, 1, func(s span) span { return span{from: s.to} })
	case "ab":
		return g.limited(i, 1, func(s span) span { return span{from: s.from} })
	case "up":
		if g.next(i+1) == "to" && g.next(i+2) == "and" && g.next(i+3) == "including" {
			return g.limited(i, 4, func(s span) span { return span{to: s.to} })
		}
	case "bis":
		if g.next(i+1) == "einschließlich" {
			return g.limited(i, 2, func(s span) span { return span{to: s.to} })
		}
	case "from", "von", "vom":
		at := g.skip(i+1, articles)
		a, n := g.item(at, true)
		if end := at + n; n > 0 && a.complete() && w == "from" && (g.next(end) == "onwards" || g.next(end) == "onward") {
			return span{from: a.from, open: a.open}, end + 1 - i
		}
		if s, end := g.pair(a, at+n, false); n > 0 && end > 0 {
			return s, end - i
		}
	case "between", "zwischen":
		at := g.skip(g.skip(i+1, articles), yearName)
		a, n := g.item(at, true)
		if op := g.next(at + n); n > 0 && (op == "and" || op == "und") {
			if s, end := g.pair(a, at+n, true); end > 0 {
				return s, end - i
			}
		}
	default:
		a, n := g.item(i, false)
		if n == 0 {
			return a, 0
		}
		if s, end := g.pair(a, i+n, false); end > 0 {
			return s, end - i
		}
		if a.complete() {
			return a, n
		}
	}
	return span{}, 0
}

// limited reads the time after k words from i on that make it the limit of another.
func (g *grammar) limited(i, k int, of func(span) span) (span, int) {
	at := g.skip(i+k, articles)
	if g.next(i+k) == "" {
		return span{}, 0
	}
	s, n := g.item(at, true)
	if n == 0 || !s.complete() || s.loose || s.unit == 0 {
		return span{}, 0
	}
	limit := of(s)
	limit.open = s.open
	return limit, at + n - i
}

// pair reads what follows the time a at i to make it a range or a list, and returns
// the index after it: 0 if nothing does. The parts of a list have to be adjacent.
func (g *grammar) pair(a span, i int, between bool) (span, int) {
	list := false
	switch w := g.next(i); {
	case g.gap(i) == dash && i < len(g.words):
		i--
	case w == "and" || w == "und" || w == "or" || w == "oder":
		list = !between
	case w != "to" && w != "through" && w != "thru" && w != "bis":
		return a, 0
	}
	at := i + 1
	for w := g.next(at); articles[w] || w == "in" || w == "im" || w == "zum"; w = g.next(at) {
		at++
	}
	b, n := g.item(at, true)
	if n == 0 || b.unit != a.unit || b.unit == 0 || !b.complete() {
		return a, 0
	}
	if !a.complete() {
		if a.index >= b.index {
			return a, 0 // it can be of the year before
		}
		a = g.partOf(a, b.year)
	}
	if b.from.Before(a.from) {
		a, b = b, a
		if !list {
			return a, 0
		}
	}
	if !a.from.Before(b.from) || list && !a.to.Equal(b.from) {
		return a, 0
	}
	return span{from: a.from, to: b.to, open: a.open || b.open}, at + n
}

// item reads one unit of the calendar or one window, without range words. It can be
// incomplete: the month in "from January". bare says that the words before it show
// that it is a time, so that a year or a day can be alone.
func (g *grammar) item(i int, bare bool) (span, int) {
	if bare || onDay[g.word(i-1)] {
		if s, n := g.day(i); n > 0 {
			return s, n
		}
	}
	for _, rule := range []func(int) (span, int){g.part, g.relative, g.toDate, g.fiscal} {
		if s, n := rule(i); n > 0 {
			return s, n
		}
	}
	if offset, ok := days[g.word(i)]; ok {
		s := g.unitAt(day, offset)
		s.present = offset == 0
		return s, 1
	}
	if y, ok := yearNumber(g.word(i)); ok && g.gap(i) == space && g.bareYear(i, bare) {
		return span{from: date(y, 1, 1), to: date(y+1, 1, 1), unit: year}, 1
	}
	return span{}, 0
}

// bareYear reports whether the words around the number at i show that it is a year
// and no amount, as in "from 2000 to 2100" and "in 2000 shops".
func (g *grammar) bareYear(i int, bare bool) bool {
	before, after := g.word(i-1), g.next(i+1)
	if yearName[before] {
		return true
	}
	if y, _ := yearNumber(g.word(i)); y > g.today.Year()+10 || placed[g.word(i-2)] {
		return false // a postal code or another number
	}
	if rangeWords[before] || !bare && before != "in" && before != "during" {
		return false
	}
	return after == "" || afterYear[after]
}

// yearNumber returns the year that a word of four digits is.
func yearNumber(w string) (int, bool) {
	if len(w) != 4 || !isNumber(w) {
		return 0, false
	}
	y, err := strconv.Atoi(w)
	return y, err == nil && y >= 1900 && y < 2200
}

// part reads a part of a year with or without the year: March 2025, Q1 of last
// year, zweites Halbjahr 2025.
func (g *grammar) part(i int) (s span, n int) {
	w, next := g.word(i), g.next(i+1)
	switch u, index := numberedPart(w); {
	case months[w] > 0:
		before := g.word(i - 1)
		if _, isYear := yearNumber(before); before != "" && isDigit(before[0]) && !isYear && g.gap(i) != plain {
			return s, 0 // a day
		}
		s.unit, s.index, n = month, months[w], 1
	case index > 0:
		s.unit, s.index, n = u, index, 1
	case ordinals[w] > 0 && parts[next] > 0:
		s.unit, s.index, n = parts[next], ordinals[w], 2
	case len(w) == 1 && w >= "1" && w <= "4" && g.gap(i+1) == dot && parts[g.word(i+1)] > 0:
		s.unit, s.index, n = parts[g.word(i+1)], int(w[0]-'0'), 2
	case relatives[w] == -1 && parts[next] > 0 && (ofWord[g.next(i+2)] || g.next(i+2) != "" && isDigit(g.word(i + 2)[0])):
		s.unit, s.index, n = parts[next], 4, 2 // the last one of a year
		if s.unit == half {
			s.index = 2
		}
	}
	if n == 0 || s.unit == half && s.index > 2 {
		return span{}, 0
	}
	s.open = s.unit != month && g.zones.fiscal != time.January
	if of := g.next(i + n); s.unit == month && (of == "in" || of == "im") {
		return s, n // the month can be a name
	}
	if y, k := g.yearOf(i + n); k > 0 {
		if _, ok := relatives[g.word(i+n+k-2)]; ok {
			s.open = s.open || g.open(year)
		}
		return g.partOf(s, y), n + k
	}
	if relatives[w] == -1 {
		return span{}, 0
	}
	return s, n
}

// partOf returns a part of a year.
func (g *grammar) partOf(s span, y int) span {
	size := map[unit]int{month: 1, quarter: 3, half: 6}[s.unit]
	s.year, s.from = y, date(y, size*(s.index-1)+1, 1)
	s.to = s.unit.add(s.from, 1)
	return s
}

// yearOf reads the year of a part: 2026, of the year 2026, letzten Jahres.
func (g *grammar) yearOf(i int) (y, n int) {
	at := i
	if ofWord[g.next(at)] {
		at = g.skip(at+1, articles)
	}
	if offset, ok := relatives[g.next(at)]; ok && units[g.next(at+1)] == year {
		return g.today.Year() + offset, at + 2 - i
	}
	if yearName[g.next(at)] {
		at++
	}
	if y, ok := yearNumber(g.word(at)); ok {
		before := g.gap(at)
		short := before == dot && len(g.word(at-1)) <= 4 || before == slash && len(g.word(at-1)) == 2
		if before == space || short {
			return y, at + 1 - i
		}
	}
	return 0, 0
}

// relative reads "this week", "letztes Jahr" and "the last 30 days".
func (g *grammar) relative(i int) (span, int) {
	w := g.word(i)
	offset, ok := relatives[w]
	if u := counted[g.next(i+2)]; u > 0 && (offset == -1 || w == "past") {
		count, err := strconv.Atoi(g.next(i + 1))
		if err != nil {
			count = numbers[g.next(i+1)]
		}
		if count > 0 && count < 1000 {
			return span{from: u.add(g.today, -count), to: g.today, loose: true}, 3
		}
	}
	before := g.word(i - 1)
	if !ok || (w == "last" || w == "next") && before == "the" || w == "letzte" && articles[before] {
		return span{}, 0 // the last one of some others, or the days up to today
	}
	n := 2
	u := units[g.next(i+1)]
	if fiscals[g.next(i+1)] && g.next(i+2) == "year" {
		u, n = fiscalYear, 3
	}
	if u == 0 {
		return span{}, 0
	}
	s := g.unitAt(u, offset)
	s.open = g.open(u)
	if offset == 0 && g.next(i+n) == "to" && g.next(i+n+1) == "date" {
		return g.untilToday(u), n + 2
	}
	return s, n
}

// open reports whether a unit can be of the fiscal year as well.
func (g *grammar) open(u unit) bool {
	return u == year && g.zones.fiscal != time.January || u == quarter && (g.zones.fiscal-1)%3 != 0
}

// toDate reads "YTD" and "year to date".
func (g *grammar) toDate(i int) (span, int) {
	if u := toDate[g.word(i)]; u > 0 {
		return g.untilToday(u), 1
	}
	if u := units[g.word(i)]; u > 0 && g.next(i+1) == "to" && g.next(i+2) == "date" {
		return g.untilToday(u), 3
	}
	return span{}, 0
}

func (g *grammar) untilToday(u unit) span {
	return span{from: g.unitAt(u, 0).from, to: g.today.AddDate(0, 0, 1), open: g.open(u)}
}

// fiscal reads a fiscal year with its number. If it does not begin in January, a
// single number leaves open which year is meant, and 2025/26 does not.
func (g *grammar) fiscal(i int) (span, int) {
	w, at := g.word(i), i+1
	switch {
	case fiscals[w] && g.next(at) == "year":
		at++
	case strings.HasPrefix(w, "fy") && len(w) == 6:
		w, at = w[2:], i
	case w != "fy" && w != "geschäftsjahr" && w != "geschäftsjahres":
		return span{}, 0
	}
	if at > i {
		w = g.next(at)
	}
	y, ok := yearNumber(w)
	if !ok {
		return span{}, 0
	}
	from, n := date(y, int(g.zones.fiscal), 1), at+1-i
	second, err := strconv.Atoi(g.word(at + 1))
	both := err == nil && g.gap(at+1) == slash && second%100 == (y+1)%100
	if both {
		n++
	}
	open := both == (g.zones.fiscal == time.January)
	return span{from: from, to: year.add(from, 1), unit: fiscalYear, open: open}, n
}

// day reads a day with its month and year.
func (g *grammar) day(i int) (span, int) {
	number := func(i, most int) int {
		w := g.word(i)
		for _, ending := range []string{"st", "nd", "rd", "th"} {
			w = strings.TrimSuffix(w, ending)
		}
		n, err := strconv.Atoi(w)
		if err != nil || len(w) > 2 || n < 1 || n > most {
			return 0
		}
		return n
	}
	y, m, d, n := 0, 0, 0, 3
	year := func(i int) { y, _ = yearNumber(g.word(i)) }
	switch joined := [2]gap{g.gap(i + 1), g.gap(i + 2)}; {
	case joined == [2]gap{dash, dash} && i+2 < len(g.words) && g.words[i+2].end == g.words[i].from+len("2006-01-02"):
		year(i)
		m, d = number(i+1, 12), number(i+2, 31)
	case joined == [2]gap{touching, touching}:
		d, m = number(i, 31), number(i+1, 12)
		year(i + 2)
	case number(i, 31) > 0 && (joined[0] == space || joined[0] == dot):
		d, m = number(i, 31), months[g.word(i+1)]
		if g.next(i+1) == "of" && joined[1] == space {
			m, n = months[g.word(i+2)], 4
		}
		if g.gap(i+n-1) == space {
			year(i + n - 1)
		}
	case joined[0] == space && (joined[1] == space || joined[1] == comma):
		m, d = months[g.word(i)], number(i+1, 31)
		year(i + 2)
	}
	if y == 0 || m == 0 || d == 0 || date(y, m, d).Day() != d {
		return span{}, 0
	}
	return span{from: date(y, m, d), to: date(y, m, d+1), unit: day}, n
}

// unitAt returns the unit of the calendar with today, or the one that is offset
// units later.
func (g *grammar) unitAt(u unit, offset int) span {
	from, to := g.zones.unitAt(g.today, u, offset)
	return span{from: from, to: to, unit: u}
}
