package dates

import (
	"strconv"
	"strings"
	"time"
)

// A span is what words mean, in days. A zero day means that there is no limit.
type span struct {
	text     string
	from, to time.Time
}

// A finder reads the words of a text one after the other.
type finder struct {
	text  string
	words []token
	today time.Time
	zones resolved
}

// find returns what the words for times in a text mean.
func find(text string, today time.Time, zones resolved) []span {
	f := &finder{text: text, words: tokens(text), today: today, zones: zones}
	var found []span
	for i := 0; i < len(f.words) && len(found) < maxRanges; {
		s, n := f.at(i)
		if n == 0 || !s.valid() || f.hyphenated(i+n) {
			i++
			continue
		}
		s.text = strings.Join(strings.Fields(text[f.words[i].from:f.words[i+n-1].to]), " ")
		found = append(found, s)
		i += n
	}
	return found
}

const maxRanges = 20

// hyphenated reports whether the word at i is joined to the one before it, as in
// "quarter-final".
func (f *finder) hyphenated(i int) bool {
	return i < len(f.words) && f.words[i].from == f.words[i-1].to+1 && f.words[i].glue == '-'
}

// valid reports whether the years of s can be written with four digits.
func (s span) valid() bool {
	four := func(t time.Time) bool { return t.IsZero() || t.Year() >= 1000 && t.Year() <= 9998 }
	return four(s.from) && four(s.to) && (s.from.IsZero() || s.to.IsZero() || s.from.Before(s.to))
}

// word returns the word at i, or "" before and after the text.
func (f *finder) word(i int) string {
	if i < 0 || i >= len(f.words) {
		return ""
	}
	return f.words[i].word
}

// next returns the word at i if only a space or a hyphen is before it.
func (f *finder) next(i int) string {
	if i >= len(f.words) || f.words[i].glue != ' ' && f.words[i].glue != '-' {
		return ""
	}
	return f.words[i].word
}

// at returns what the words from i on mean, and how many they are. n is 0 if they
// are no time.
func (f *finder) at(i int) (s span, n int) {
	w := f.word(i)
	if fromWords[w] {
		if s, n = f.between(i); n > 0 {
			return s, n
		}
	}
	if skip := 1 + f.skipArticle(i+1); sinceWords[w] || beforeWords[w] || untilWords[w] || afterWords[w] {
		if s, n = f.limited(w, i, skip); n > 0 {
			return s, n
		}
	}
	return f.period(i, false)
}

// skipArticle returns 1 if the word at i is one such as "the", and else 0.
func (f *finder) skipArticle(i int) int {
	if articles[f.next(i)] {
		return 1
	}
	return 0
}

// between reads "from X to Y" and "between X and Y": the beginning of X up to the
// end of Y. X can lack the year that Y has.
func (f *finder) between(i int) (s span, n int) {
	at := i + 1 + f.skipArticle(i+1)
	if f.next(i+1) == "" {
		return s, 0
	}
	first, n1 := f.period(at, true)
	if n1 == 0 || !toWords[f.next(at+n1)] {
		return s, 0
	}
	second := at + n1 + 1
	second += f.skipArticle(second)
	last, n2 := f.period(second, true)
	if n2 == 0 {
		return s, 0
	}
	if m, ok := months[f.word(at)]; ok && n1 == 1 && n2 > 1 {
		first = span{from: date(last.from.Year(), m, 1)}
	}
	return span{from: first.from, to: last.to}, second + n2 - i
}

// limited reads words such as "since X", with skip words before X.
func (f *finder) limited(w string, i, skip int) (s span, n int) {
	if f.next(i+1) == "" {
		return s, 0
	}
	tomorrow := f.today.AddDate(0, 0, 1)
	if sinceWords[w] {
		if u, k := f.amount(i + 1); k > 0 {
			return span{from: f.back(u, f.amountOf(i+1)), to: tomorrow}, 1 + k
		}
		if u, k := f.began(i + skip); k > 0 {
			return span{from: f.unitAt(u, 0).from, to: tomorrow}, skip + k
		}
	}
	x, n := f.period(i+skip, true)
	switch {
	case n == 0 || sinceWords[w] && !x.from.Before(tomorrow):
		return s, 0
	case sinceWords[w]:
		s = span{from: x.from, to: tomorrow}
	case beforeWords[w]:
		s.to = x.from
	case untilWords[w]:
		s.to = x.to
	default:
		s.from = x.to
	}
	return s, n + skip
}

// began reads "Jahresbeginn" and "beginning of the year".
func (f *finder) began(i int) (unit, int) {
	if u, ok := toDate[f.word(i)]; ok && len(f.word(i)) > 3 {
		return u, 1
	}
	if w := f.word(i); (w == "beginning" || w == "start") && f.next(i+1) == "of" {
		k := 2 + f.skipArticle(i+2)
		if thisWords[f.next(i+k)] {
			k++
		}
		if u, n := f.unit(i + k); n > 0 {
			return u, k + n
		}
	}
	return noUnit, 0
}

// amount reads a number and a unit, such as "30 days".
func (f *finder) amount(i int) (unit, int) {
	if f.amountOf(i) == 0 {
		return noUnit, 0
	}
	if u := manyOf[f.next(i+1)]; u != noUnit {
		return u, 2
	}
	if w := f.next(i + 1); fiscalWords[w] {
		switch manyOf[f.next(i+2)] {
		case year:
			return fiscalYearUnit, 3
		case quarter:
			return fiscalQuarterUnit, 3
		}
	}
	return noUnit, 0
}

// amountOf returns the number at i, from 1 to 9999, or 0.
func (f *finder) amountOf(i int) int {
	w := f.word(i)
	if n := numbers[w]; n > 0 {
		return n
	}
	if n, ok := number(w); ok && n > 0 && n <= 9999 {
		return n
	}
	return 0
}

// number returns the number that a word is. An error for each word that is none,
// as of strconv.Atoi, would cost more than all other reading.
func number(w string) (int, bool) {
	if !isNumber(w) {
		return 0, false
	}
	n, err := strconv.Atoi(w)
	return n, err == nil
}

// unit reads one unit in the singular.
func (f *finder) unit(i int) (unit, int) {
	w := f.next(i)
	switch {
	case fiscalWords[w] && oneOf[f.next(i+1)] == year:
		return fiscalYearUnit, 2
	case fiscalWords[w] && oneOf[f.next(i+1)] == quarter:
		return fiscalQuarterUnit, 2
	case fiscalYears[w]:
		return fiscalYearUnit, 1
	case fiscalQuarters[w]:
		return fiscalQuarterUnit, 1
	case oneOf[w] != noUnit:
		return oneOf[w], 1
	}
	return noUnit, 0
}

// period reads words that name a time without the word before them. With bare, a
// month, a weekday or a year can be alone, because the word before it says that it
// is one.
func (f *finder) period(i int, bare bool) (s span, n int) {
	for _, rule := range []func(int) (span, int){f.single, f.date, f.quarter, f.fiscal, f.month, f.relative, f.ago} {
		if s, n = rule(i); n > 0 {
			return s, n
		}
	}
	w := f.word(i)
	if y, ok := f.year(i); ok && (bare || yearPrefixes[f.word(i-1)] && f.next(i) != "") {
		return f.unitFrom(year, date(y, 1, 1)), 1
	}
	if !bare && !(inWords[f.word(i-1)] && f.next(i) != "") {
		return s, 0
	}
	if (w == "year" || w == "jahr") && i > 0 {
		if y, ok := f.year(i + 1); ok && f.next(i+1) != "" {
			return f.unitFrom(year, date(y, 1, 1)), 2
		}
	}
	if m, ok := months[w]; ok && !f.numberNear(i) {
		if first, ok := f.sharedYear(i+1, isMonth); ok {
			return f.unitFrom(month, date(first.Year(), m, 1)), 1
		}
		// The latest one that has begun.
		s = f.unitFrom(month, date(f.today.Year(), m, 1))
		if s.from.After(f.today) {
			s = f.unitFrom(month, date(f.today.Year()-1, m, 1))
		}
		return s, 1
	}
	before := f.word(i - 1)
	if d, ok := weekdays[w]; ok && (sinceWords[before] || fromWords[before] || toWords[before] && !untilWords[before]) {
		from := f.today.AddDate(0, 0, -(int(f.today.Weekday()-d)+7)%7)
		return f.unitFrom(day, from), 1
	}
	return s, 0
}

// numberNear reports whether a month at i is part of a date that is not read.
func (f *finder) numberNear(i int) bool {
	return i > 0 && f.words[i].glue != 0 && isNumber(f.word(i-1)) ||
		i+1 < len(f.words) && f.words[i+1].glue != 0 && isNumber(f.word(i+1))
}

// isNumber reports whether a word begins with a digit.
func isNumber(w string) bool { return w != "" && '0' <= w[0] && w[0] <= '9' }

// single reads a word that names a time by itself, and "year to date".
func (f *finder) single(i int) (s span, n int) {
	w := f.word(i)
	if offset, ok := todayWords[w]; ok && !(w == "morgen" && f.next(i) != "" && notTomorrow[f.word(i-1)]) {
		return f.unitAt(day, offset), 1
	}
	if whole, ok := wholeWords[w]; ok {
		return f.unitAt(whole.unit, whole.offset), 1
	}
	if u, ok := toDate[w]; ok && len(w) == 3 {
		return f.toDate(u), 1
	}
	if u := oneOf[w]; u != noUnit && f.next(i+1) == "to" && f.next(i+2) == "date" {
		return f.toDate(u), 3
	}
	if w == "day" && f.next(i+1) == "before" && f.next(i+2) == "yesterday" {
		return f.unitAt(day, -2), 3
	}
	if w == "day" && f.next(i+1) == "after" && f.next(i+2) == "tomorrow" {
		return f.unitAt(day, 2), 3
	}
	if u := oneOf[w]; u != noUnit && f.next(i+1) == "before" && f.next(i+2) == "last" {
		return f.unitAt(u, -2), 3
	}
	return s, 0
}

func (f *finder) toDate(u unit) span {
	return span{from: f.unitAt(u, 0).from, to: f.today.AddDate(0, 0, 1)}
}

// year reads a year at i that is not part of a date such as 2026-03-05.
func (f *finder) year(i int) (int, bool) {
	w := f.word(i)
	y, ok := number(w)
	if !ok || len(w) != 4 || y < 1900 || y > 2199 {
		return 0, false
	}
	if i+1 < len(f.words) && f.words[i+1].from == f.words[i].to+1 && isNumber(f.words[i+1].word) {
		return 0, false
	}
	return y, true
}

// relative reads "this week", "last quarter", "the last 30 days" and "last Monday".
func (f *finder) relative(i int) (s span, n int) {
	w := f.word(i)
	sign := 0
	switch {
	case lastWords[w] || pastWords[w] || beforeLast[w]:
		sign = -1
	case nextWords[w]:
		sign = 1
	case !thisWords[w]:
		return s, 0
	}
	if f.next(i+1) == "" {
		return s, 0
	}
	if u, k := f.amount(i + 1); k > 0 && sign != 0 && !beforeLast[w] {
		count := f.amountOf(i + 1)
		if u == fiscalYearUnit || u == fiscalQuarterUnit {
			return f.whole(u, sign, count), 1 + k
		}
		if sign < 0 {
			return span{from: f.back(u, count), to: f.today}, 1 + k
		}
		tomorrow := f.today.AddDate(0, 0, 1)
		return span{from: tomorrow, to: add(tomorrow, u, count)}, 1 + k
	}
	if u, k := f.unit(i + 1); k > 0 && !f.partOfMore(i+1+k) {
		switch {
		case pastWords[w]:
			return span{from: f.back(u, 1), to: f.today}, 1 + k
		case beforeLast[w]:
			sign = -2
		}
		return f.unitAt(u, sign), 1 + k
	}
	if d, ok := weekdays[f.next(i+1)]; ok && sign != 0 && !beforeLast[w] && !pastWords[w] {
		back := (int(f.today.Weekday()-d)+6)%7 + 1 // 1 to 7
		if sign > 0 {
			back -= 7
			if back == 0 {
				back = -7
			}
		}
		return f.unitAt(day, -back), 2
	}
	return s, 0
}

// partOfMore reports whether words such as "last week" are followed by what they
// are a part of: "of March", "des Jahres", "im Januar".
func (f *finder) partOfMore(i int) bool {
	w := f.next(i)
	_, isMonth := months[f.word(i+1)]
	return w == "of" || w == "des" || (w == "im" || w == "in" || w == "vom") && isMonth
}

// whole returns the count whole units before or after the present one.
func (f *finder) whole(u unit, sign, count int) span {
	if sign < 0 {
		return span{from: f.unitAt(u, -count).from, to: f.unitAt(u, -1).to}
	}
	return span{from: f.unitAt(u, 1).from, to: f.unitAt(u, count).to}
}

// ago reads "3 days ago" and "vor 3 Tagen": the day, week, month or year that
// long ago.
func (f *finder) ago(i int) (s span, n int) {
	if u, k := f.amount(i); k > 0 && f.next(i+k) == "ago" && !compared(f.word(i-1)) {
		return f.unitAt(u, -f.amountOf(i)), k + 1
	}
	if f.word(i) == "vor" && f.next(i+1) != "" && !compared(f.word(i-1)) {
		if u, k := f.amount(i + 1); k > 0 {
			return f.unitAt(u, -f.amountOf(i+1)), k + 1
		}
	}
	return s, 0
}

// compared reports whether a word begins a comparison, as in "more than 3 days ago".
func compared(w string) bool { return w == "than" || w == "als" }

// unitAt returns the unit of the calendar with today, or the one that is offset
// units later.
func (f *finder) unitAt(u unit, offset int) span {
	t := f.today
	if u == week && offset < 0 && f.zones.rolling {
		return f.unitFrom(u, t.AddDate(0, 0, 7*offset))
	}
	switch u {
	case week:
		t = t.AddDate(0, 0, 7*offset-(int(t.Weekday()-f.zones.weekStart)+7)%7)
	case month:
		t = date(t.Year(), t.Month()+time.Month(offset), 1)
	case quarter:
		t = date(t.Year(), (t.Month()-1)/3*3+1+time.Month(3*offset), 1)
	case year:
		t = date(t.Year()+offset, 1, 1)
	case fiscalYearUnit:
		t = fiscalYear(t, f.zones.fiscal).AddDate(offset, 0, 0)
	case fiscalQuarterUnit:
		first := fiscalYear(t, f.zones.fiscal)
		since := (t.Year()-first.Year())*12 + int(t.Month()-first.Month())
		t = first.AddDate(0, since/3*3+3*offset, 0)
	default:
		t = t.AddDate(0, 0, offset)
	}
	return f.unitFrom(u, t)
}

// unitFrom returns the unit that begins on a day.
func (f *finder) unitFrom(u unit, from time.Time) span { return span{from: from, to: add(from, u, 1)} }

// back returns the first of the days of count units that end with yesterday.
func (f *finder) back(u unit, count int) time.Time { return add(f.today, u, -count) }

// add adds units to a day. A day that a month does not have becomes its last day.
func add(t time.Time, u unit, count int) time.Time {
	switch u {
	case week:
		return t.AddDate(0, 0, 7*count)
	case month:
	case quarter, fiscalQuarterUnit:
		count *= 3
	case year, fiscalYearUnit:
		count *= 12
	default:
		return t.AddDate(0, 0, count)
	}
	first := date(t.Year(), t.Month()+time.Month(count), 1)
	last := first.AddDate(0, 1, -1).Day()
	return date(first.Year(), first.Month(), min(t.Day(), last))
}

func date(y int, m time.Month, d int) time.Time { return time.Date(y, m, d, 0, 0, 0, 0, time.UTC) }
