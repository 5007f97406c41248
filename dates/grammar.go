package dates

import (
	"slices"
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
