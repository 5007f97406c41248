package sqldb

import (
	"fmt"
	"strings"
)

// Shape is what a server's reading of r depends on: its text without literals,
// what it may read, and where and as whom. Readings of one shape read the same
// tables and columns, so an engine may keep under it what a server said about one
// of them. Ask for it before a comment is put before r.SQL.
func (r *Reading) Shape() string {
	var b strings.Builder
	b.WriteString(withoutLiterals(r.SQL))
	for _, o := range r.Objects {
		fmt.Fprintf(&b, "\x00%q.%q", o.Schema, o.Name)
	}
	fmt.Fprintf(&b, "\x00%d %q %q", r.Pool, r.Session.Role, r.Session.SearchPath)
	return b.String()
}

// withoutLiterals is a text with ? in the place of every literal: '..', X'..' and
// numbers.
//
// It takes for granted what holds of every printed statement: a quote inside of
// quotes is doubled, names are in "..." or `...`, and there are no comments. Its
// cost is linear.
func withoutLiterals(text string) string {
	var out strings.Builder
	out.Grow(len(text))
	kept := 0 // text up to here is in out
	for i := 0; i < len(text); {
		start, end := i, i
		switch c := text[i]; {
		case c == '\'':
			end = quoted(text, i)
			if i > kept && text[i-1]|0x20 == 'x' && (i-1 == kept || !wordByte(text[i-2])) {
				start--
			}
		case c == '"', c == '`':
			i = quoted(text, i)
			continue
		case digit(c), c == '.' && i+1 < len(text) && digit(text[i+1]):
			end = number(text, i)
		case wordByte(c):
			i = word(text, i)
			continue
		default:
			i++
			continue
		}
		out.WriteString(text[kept:start])
		out.WriteByte('?')
		i, kept = end, end
	}
	out.WriteString(text[kept:])
	return out.String()
}

// quoted is where what is quoted from i on ends. A doubled quote is two quoted
// pieces in a row, of which the first is not to end.
func quoted(text string, i int) int {
	quote := text[i]
	for i++; i < len(text); i++ {
		if text[i] != quote {
			continue
		}
		if i++; i == len(text) || text[i] != quote {
			return i
		}
	}
	return i
}

// number is where the number that begins at i ends: 1, 1.5, .5, 1e-9, 0x1F.
func number(text string, i int) int {
	hex := strings.HasPrefix(text[i:], "0x")
	for i++; i < len(text); i++ {
		switch c := text[i]; {
		case wordByte(c), c == '.':
		case (c == '+' || c == '-') && !hex && text[i-1]|0x20 == 'e':
		default:
			return i
		}
	}
	return i
}

// word is where the word that begins at i ends; digits inside are part of it.
func word(text string, i int) int {
	for i < len(text) && wordByte(text[i]) {
		i++
	}
	return i
}

func digit(c byte) bool { return '0' <= c && c <= '9' }

func wordByte(c byte) bool {
	return digit(c) || 'a' <= c|0x20 && c|0x20 <= 'z' || c == '_' || c == '$' || c >= 0x80
}
