package textmatch

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// plainSigns are the ASCII signs that are not always punctuation.
var plainSigns = [utf8.RuneSelf]bool{'&': true, '+': true, '-': true, '#': true, '<': true, '>': true}

// sign returns the word for a sign that distinguishes names, such as those of A+,
// C# and -1. It returns "" for punctuation. before is the character before the
// sign, rest is the text after it, and begun reports whether there are words
// before it.
func sign(before, r rune, rest string, begun bool) string {
	next, _ := utf8.DecodeRuneInString(rest)
	switch r {
	case '&':
		return "and"
	case '+':
		if begun || InWord(next) {
			return "plus"
		}
	case '#':
		switch {
		case isDigit(next):
			return "number"
		case InWord(before):
			return "sharp"
		case InWord(next):
			return "number"
		}
	case '-', '‐', '–', '—', '−':
		// The sign of A-1 is a hyphen, those of -1 and A- are not.
		if !InWord(before) && beginsNumber(rest) || InWord(before) && (rest == "" || endsWord(next)) {
			return "minus"
		}
	case '<', '>', '≤', '≥':
		if !beginsNumber(strings.TrimLeft(rest, "= ")) {
			return ""
		}
		or := r == '≤' || r == '≥' || next == '='
		switch less := r == '<' || r == '≤'; {
		case less && or:
			return "atmost"
		case less:
			return "below"
		case or:
			return "atleast"
		}
		return "above"
	}
	return ""
}

// InWord reports whether r is a letter, a mark or a number.
func InWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r) }

func endsWord(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune("),;:]}", r) }

func isDigit(r rune) bool { return '0' <= r && r <= '9' }

func beginsNumber(s string) bool {
	s = strings.TrimPrefix(s, ".")
	return s != "" && isDigit(rune(s[0]))
}

// isDecimal reports whether the point or comma at s[i] is a decimal one, as in 1.5,
// 1,5 or .5. Those of dates, versions and thousands are not.
func isDecimal(s string, i int) bool {
	end := i + 1
	for end < len(s) && isDigit(rune(s[end])) {
		end++
	}
	first := i
	for first > 0 && isDigit(rune(s[first-1])) {
		first--
	}
	switch digits := end - i - 1; {
	case digits == 0 || s[i] == ',' && (digits == 3 || first == i):
		return false
	case end+1 < len(s) && isPoint(s[end]) && isDigit(rune(s[end+1])):
		return false
	}
	if first == i { // such as .5
		r, _ := utf8.DecodeLastRuneInString(s[:i])
		return i == 0 || !InWord(r) && r != '.'
	}
	return first < 2 || !isPoint(s[first-1]) || !isDigit(rune(s[first-2]))
}

func isPoint(b byte) bool { return b == '.' || b == ',' }

// numbersApart puts a space between a digit and a number in one character, so that
// 1½ does not become 11/2.
func numbersApart(s string) string {
	if !strings.ContainsFunc(s, func(r rune) bool { return unicode.Is(unicode.No, r) }) {
		return s
	}
	var b strings.Builder
	var before rune
	for _, r := range s {
		if unicode.IsNumber(before) && unicode.IsNumber(r) &&
			(unicode.Is(unicode.No, before) || unicode.Is(unicode.No, r)) {
			b.WriteByte(' ')
		}
		b.WriteRune(r)
		before = r
	}
	return b.String()
}
