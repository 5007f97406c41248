package resolve

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/qedkit/qed/internal/words"
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
		if begun || inWord(next) {
			return "plus"
		}
	case '#':
		switch {
		case isDigit(next):
			return "number"
		case inWord(before):
			return "sharp"
		case inWord(next):
			return "number"
		}
	case '-', '‐', '–', '—', '−':
		// The sign of A-1 is a hyphen, those of -1 and A- are not.
		if !inWord(before) && beginsNumber(rest) || inWord(before) && (rest == "" || endsWord(next)) {
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

// signWords are the words that sign returns, without "and".
var signWords = words.SetOf("plus minus sharp number below above atmost atleast")

func inWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r) }

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
		return i == 0 || !inWord(r) && r != '.'
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

// isRoman reports whether a word is a Roman numeral. VII and VIII are as different
// as 7 and 8, though they differ in one letter.
func isRoman(w string) bool {
	if w == "" || strings.Trim(w, "ivxlcdm") != "" {
		return false
	}
	w = skip(w, 'm', 4)
	for _, digit := range []string{"cdm", "xlc", "ivx"} { // one, five and ten of each digit
		one, five, ten := digit[0], digit[1], digit[2]
		if len(w) > 1 && w[0] == one && (w[1] == five || w[1] == ten) {
			w = w[2:]
			continue
		}
		w = skip(skip(w, five, 1), one, 4)
	}
	return w == ""
}

// skip returns a word without at most n times letter at its beginning.
func skip(w string, letter byte, n int) string {
	for ; n > 0 && w != "" && w[0] == letter; n-- {
		w = w[1:]
	}
	return w
}

// isNumeral reports whether a word is or contains a number. No other word is
// similar to it.
func isNumeral(w string) bool { return hasDigit(w) || isRoman(w) }

// tight joins words without spaces. Only between numbers it keeps the space,
// because 11 2 is not 1 12.
func tight(list []string) string {
	var b strings.Builder
	for i, w := range list {
		if i > 0 && apart(list[i-1], w) {
			b.WriteByte(' ')
		}
		b.WriteString(w)
	}
	return b.String()
}

// apart reports whether two words would be another number if they were joined.
func apart(a, b string) bool {
	last, _ := utf8.DecodeLastRuneInString(a)
	first, _ := utf8.DecodeRuneInString(b)
	return unicode.IsNumber(last) && unicode.IsNumber(first) || isRoman(a) && isRoman(b)
}
