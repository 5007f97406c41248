package textmatch

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// HasWord reports whether a text has a name as whole words. Scripts without spaces have
// no borders of words.
func HasWord(text, name string) bool {
	for from := 0; name != ""; {
		at := strings.Index(text[from:], name)
		if at < 0 {
			return false
		}
		at += from
		before, _ := utf8.DecodeLastRuneInString(text[:at])
		after, _ := utf8.DecodeRuneInString(text[at+len(name):])
		if !hasBorders(before) && !hasBorders(after) {
			return true
		}
		from = at + len(name)
	}
	return false
}

// hasBorders reports whether a character is part of a word that has borders.
func hasBorders(r rune) bool {
	return r == '_' || (unicode.IsLetter(r) || unicode.IsDigit(r)) &&
		!unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai)
}
