package mysql

import (
	"strings"

	"github.com/qedkit/qed/internal/ascii"
)

type token struct {
	kind     tokenKind
	at, end  int
	afterDot bool // a word after a dot is a name, even if it is a keyword
}

type tokenKind uint8

const (
	endOfText tokenKind = iota
	word                // a keyword, a bare name or a number
	quoted              // '..', ".." or `..`
	hint                // /*+
	mark                // any other byte
)

// scanner splits a text into tokens. It skips comments, and the delimiters of
// executable comments, so that their content is code.
type scanner struct {
	src string
	at  int
	dot bool
}

func (s *scanner) next() token {
	s.skipBlank()
	if s.at >= len(s.src) {
		return token{at: s.at, end: s.at}
	}
	t := token{kind: mark, at: s.at, afterDot: s.dot}
	switch c := s.src[s.at]; {
	case ascii.IsWordByte(c):
		t.kind = word
		for s.at < len(s.src) && ascii.IsWordByte(s.src[s.at]) {
			s.at++
		}
	case c == '\'' || c == '"' || c == '`':
		t.kind = quoted
		s.skipQuoted(c)
	case strings.HasPrefix(s.src[s.at:], "/*+"):
		t.kind = hint
		s.skipPast(s.at+3, "*/")
	default:
		s.at++
	}
	t.end = s.at
	s.dot = s.src[t.at] == '.'
	return t
}

func (s *scanner) skipBlank() {
	for s.at < len(s.src) {
		rest := s.src[s.at:]
		switch {
		case ascii.IsSpace(rest[0]):
			s.at++
		case rest[0] == '#':
			s.skipPast(s.at, "\n")
		case rest[0] == '-' && strings.HasPrefix(rest, "--") && (len(rest) == 2 || ascii.IsSpace(rest[2])):
			s.skipPast(s.at, "\n")
		case strings.HasPrefix(rest, "/*!"):
			s.at += 3
			if n := digits(s.src[s.at:]); n >= 5 {
				s.at += 5
			}
		case strings.HasPrefix(rest, "/*+"):
			return
		case strings.HasPrefix(rest, "/*"):
			s.skipPast(s.at+2, "*/")
		case strings.HasPrefix(rest, "*/"): // the end of an executable comment
			s.at += 2
		default:
			return
		}
	}
}

// skipQuoted skips a quoted token. A token with a doubled quote becomes two tokens,
// which makes no difference to the reader.
func (s *scanner) skipQuoted(quote byte) {
	for s.at++; s.at < len(s.src); s.at++ {
		switch s.src[s.at] {
		case quote:
			s.at++
			return
		case '\\':
			if quote != '`' {
				s.at++
			}
		}
	}
	s.at = len(s.src)
}

// skipPast skips to after the next end at or after the offset from.
func (s *scanner) skipPast(from int, end string) {
	if n := strings.Index(s.src[from:], end); n >= 0 {
		s.at = from + n + len(end)
		return
	}
	s.at = len(s.src)
}

func digits(s string) int {
	n := 0
	for n < len(s) && ascii.IsDigit(s[n]) {
		n++
	}
	return n
}
