package dates

import (
	"strconv"
	"strings"
	"time"
)

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
