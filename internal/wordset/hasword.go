package wordset

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// HasWord reports whether a text of code has a name as whole words.
func HasWord(text, name string) bool {
	return hasBetween(text, name, func(r rune) bool {
		return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)
	})
}

// SaysWord is like [HasWord] for a text that people read: there _ emphasizes, and scripts
// without spaces have no borders of words.
func SaysWord(text, name string) bool {
	return hasBetween(text, name, func(r rune) bool {
		return (unicode.IsLetter(r) || unicode.IsDigit(r)) &&
			!unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai)
	})
}

// hasBetween reports whether a text has a name with no part of a word before or after it.
func hasBetween(text, name string, inWord func(rune) bool) bool {
	for from := 0; name != ""; {
		at := strings.Index(text[from:], name)
		if at < 0 {
			return false
		}
		at += from
		before, _ := utf8.DecodeLastRuneInString(text[:at])
		after, _ := utf8.DecodeRuneInString(text[at+len(name):])
		if !inWord(before) && !inWord(after) {
			return true
		}
		from = at + 1
	}
	return false
}
