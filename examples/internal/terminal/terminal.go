// Package terminal shows text that nobody vouches for on a terminal.
package terminal

import (
	"strings"
	"unicode"
)

// Visible replaces characters that steer a terminal, or turn round what it shows,
// by a visible stand-in. Joiners stay: many scripts and emoji need them.
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
