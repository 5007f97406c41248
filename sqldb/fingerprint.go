package sqldb

import (
	"crypto/sha256"
	"fmt"
	"strings"
)

// Fingerprint returns a digest of what the server's interpretation of q depends
// on: its text without literals, its objects, merged columns and fields, its pool, and the role
// and search path of its session. Queries with the same fingerprint read the same tables
// and columns, so that an engine can check one of them for all. Call it before
// q.SQL gets a comment.
func (q *Query) Fingerprint() [sha256.Size]byte {
	var b strings.Builder
	b.WriteString(withoutLiterals(q.SQL))
	for _, o := range q.Objects {
		fmt.Fprintf(&b, "\x00%q.%q", o.Schema, o.Name)
	}
	if len(q.Merged)+len(q.Fields) > 0 {
		fmt.Fprintf(&b, "\x00%q %q", q.Merged, q.Fields)
	}
	fmt.Fprintf(&b, "\x00%d %q %q", q.Pool, q.Session.Role, q.Session.SearchPath)
	return sha256.Sum256([]byte(b.String()))
}

// withoutLiterals returns text with ? in place of every literal: '..', X'..'
// and numbers. Its cost is linear.
//
// It relies on what holds for every statement that a guard prints: a quote
// within quotes is doubled, names are in "..." or `...`, and there are no
// comments.
func withoutLiterals(text string) string {
	var out strings.Builder
	out.Grow(len(text))
	copied := 0 // text up to here is in out
	for i := 0; i < len(text); {
		start, end := i, i
		switch c := text[i]; {
		case c == '\'':
			end = quoted(text, i)
			if i > copied && text[i-1]|0x20 == 'x' && (i-1 == copied || !wordByte(text[i-2])) {
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
		out.WriteString(text[copied:start])
		out.WriteByte('?')
		i, copied = end, end
	}
	out.WriteString(text[copied:])
	return out.String()
}

// quoted returns the end of the quoted text that begins at i. A doubled quote
// does not end it.
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

// number returns the end of the number that begins at i: 1, 1.5, .5, 1e-9, 0x1F.
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

// word returns the end of the word that begins at i. It may contain digits.
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
