package dates

import (
	"strings"
	"time"
)

// yearAfter reads the year to which a quarter or a month at i-1 belongs: 2026, of
// 2026, of last year, letzten Jahres, FY2026. fiscal says that it is one.
func (f *finder) yearAfter(i int) (first time.Time, fiscal bool, n int) {
	if y, ok := f.year(i); ok && f.words[i].glue != 0 && f.words[i].glue != ',' {
		return date(y, 1, 1), false, 1
	}
	skip := 0
	if ofWords[f.next(i)] {
		skip = 1 + f.skipArticle(i+1)
	}
	if skip > 0 {
		if y, ok := f.year(i + skip); ok && f.next(i+skip) != "" {
			return date(y, 1, 1), false, skip + 1
		}
	}
	if f.next(i+skip) == "" {
		return first, false, 0
	}
	if s, n := f.fiscal(i + skip); n > 0 {
		return s.from, true, skip + n
	}
	s, n := f.relative(i + skip)
	if n == 0 {
		s, n = f.single(i + skip)
	}
	if n > 0 && s.to.Equal(s.from.AddDate(1, 0, 0)) {
		return s.from, fiscalYears[f.word(i+skip+n-1)] || fiscalWords[f.word(i+skip+n-2)], skip + n
	}
	return first, false, 0
}

// quarter reads quarters with a number, with or without a year.
func (f *finder) quarter(i int) (s span, n int) {
	w, fiscal := f.word(i), false
	if fiscalWords[w] && f.next(i+1) != "" {
		fiscal, n = true, 1
		w = f.word(i + 1)
	}
	number, last := 0, false
	y, ok := f.year(i)
	switch {
	case ok && f.next(i+1) != "" && isQuarter(f.word(i+1)):
		from := date(y, time.Month(3*int(f.word(i + 1)[1]-'0')-2), 1)
		return f.unitFrom(quarter, from), 2
	case isQuarter(w):
		number, n = int(w[1]-'0'), n+1
	case ordinals[w] > 0 || len(w) == 1 && w >= "1" && w <= "4" || lastWords[w]:
		number, last = ordinals[w], lastWords[w]
		if len(w) == 1 {
			number = int(w[0] - '0')
			if i+n+1 >= len(f.words) || f.words[i+n+1].glue != '.' {
				return s, 0
			}
		} else if f.next(i+n+1) == "" {
			return s, 0
		}
		unitWord := f.word(i + n + 1)
		if fiscalWords[unitWord] {
			fiscal, n = true, n+1
			unitWord = f.next(i + n + 1)
		}
		if !quarterWords[unitWord] && !fiscalQuarters[unitWord] {
			return s, 0
		}
		fiscal = fiscal || fiscalQuarters[unitWord]
		n += 2
	default:
		return s, 0
	}
	first, of, k := f.yearAfter(i + n)
	shared, ok := f.sharedYear(i+n, isQuarter)
	switch {
	case last && k == 0:
		return s, 0 // "last quarter" is relative to today
	case last:
		number = 4
	}
	switch {
	case k == 0 && ok:
		first = shared
	case k == 0 && fiscal:
		first = fiscalYear(f.today, f.zones.fiscal)
	case k == 0:
		first = date(f.today.Year(), 1, 1)
	case fiscal && !of:
		first = f.fiscalYearOf(first.Year())
	}
	from := first.AddDate(0, 3*(number-1), 0)
	return span{from: from, to: from.AddDate(0, 3, 0)}, n + k
}

func isQuarter(w string) bool { return len(w) == 2 && w[0] == 'q' && w[1] >= '1' && w[1] <= '4' }

func isMonth(w string) bool { return months[w] > 0 }

// sharedYear reads the year in a list such as "Q1, Q2 and Q3 2025", after its
// first part.
func (f *finder) sharedYear(i int, part func(string) bool) (first time.Time, ok bool) {
	for ; i < len(f.words); i++ {
		if !part(f.words[i].word) {
			if !listWords[f.words[i].word] || i+1 >= len(f.words) || !part(f.words[i+1].word) {
				break
			}
			continue
		}
		if first, _, n := f.yearAfter(i + 1); n > 0 {
			return first, true
		}
	}
	return first, false
}

// fiscalYearOf returns the first day of the fiscal year with a number.
func (f *finder) fiscalYearOf(y int) time.Time {
	if f.zones.fiscal > time.January {
		y--
	}
	return date(y, f.zones.fiscal, 1)
}

// fiscal reads a fiscal year with its number: FY2026, FY26, Geschäftsjahr 2025/26.
func (f *finder) fiscal(i int) (s span, n int) {
	w := f.word(i)
	name := ""
	switch {
	case fiscalYears[w]:
		name, n = f.next(i+1), 2
	case fiscalWords[w] && oneOf[f.next(i+1)] == year:
		name, n = f.next(i+2), 3
	case fiscalWords[w]:
		name, n = f.next(i+1), 2
	case strings.HasPrefix(w, "fy") || strings.HasPrefix(w, "gj"):
		name, n = w[2:], 1
	}
	y, ok := number(name)
	if !ok || len(name) != 4 && (len(name) != 2 || n == 2 && fiscalWords[w]) {
		return s, 0
	}
	if y < 100 {
		y += 2000
	}
	if y < 1900 || y > 2199 {
		return s, 0
	}
	from := f.fiscalYearOf(y)
	if i+n < len(f.words) && f.words[i+n].from == f.words[i+n-1].to+1 && (f.words[i+n].glue == '/' || f.words[i+n].glue == '-') {
		second, ok := number(f.words[i+n].word)
		if !ok || second%100 != (y+1)%100 {
			return s, 0
		}
		from = date(y, f.zones.fiscal, 1)
		n++
	}
	return span{from: from, to: from.AddDate(1, 0, 0)}, n
}

// month reads a month with its year, and "last March".
func (f *finder) month(i int) (s span, n int) {
	if m, ok := months[f.word(i)]; ok {
		first, _, k := f.yearAfter(i + 1)
		if k == 0 || isNumber(f.word(i-1)) && f.words[i].glue != 0 {
			return s, 0
		}
		if first.Month() == time.January {
			return f.unitFrom(month, date(first.Year(), m, 1)), 1 + k
		}
		return s, 0
	}
	m, ok := months[f.next(i+1)]
	if !ok || f.numberNear(i+1) {
		return s, 0
	}
	from := date(f.today.Year(), m, 1)
	switch w := f.word(i); {
	case lastWords[w] || pastWords[w]:
		if !from.AddDate(0, 1, 0).Before(f.today) && !from.AddDate(0, 1, 0).Equal(f.today) {
			from = from.AddDate(-1, 0, 0)
		}
	case nextWords[w]:
		if !from.After(f.today) {
			from = from.AddDate(1, 0, 0)
		}
	case !thisWords[w]:
		return s, 0
	}
	return f.unitFrom(month, from), 2
}
