package resolve

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/qedkit/qed/internal/wordset"
)

// signWords are the words that wordform.Fold writes for signs, without "and".
var signWords = wordset.Of("plus minus sharp number below above atmost atleast")

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
