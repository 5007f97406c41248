package command

import (
	"strings"
	"unicode"
)

// Visible replaces control and formatting characters, which could move the cursor
// or reverse the text of a terminal, with U+FFFD. Newlines and tabs stay, and so
// do the joiners, which many scripts and emoji need.
func Visible(s string) string {
	const joiner, nonJoiner = '\u200D', '\u200C'
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n', r == '\t', r == joiner, r == nonJoiner:
			return r
		case unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp):
			return '\uFFFD'
		}
		return r
	}, s)
}
