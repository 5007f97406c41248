package postgres

import (
	"strings"

	"github.com/qedkit/qed/internal/ascii"
)

// tokenKind is the kind of a token.
type tokenKind uint8

const (
	endOfText tokenKind = iota
	word                // a name without quotes or a keyword
	quoted              // "name"
	constant            // a string or a number
	sign                // an operator, or a byte that begins no other token
	mark                // ( ) [ ] { } , ; . .. : :: :=
)

type token struct {
	kind    tokenKind
	at, end int
}

// scanner splits a text into tokens as PostgreSQL's lexer does with
// standard_conforming_strings on.
type scanner struct {
	src string
	at  int

	measured int  // end of the last sequence of operator characters
	crowded  bool // a sequence of operator characters was too long
}

// The grammar scans a whole sequence of operator characters for each operator and
// each comment that begins in it, which is quadratic.
const maxRow = 512 // characters of a sequence, with comments

// measure checks the sequence of operator characters that begins at s.at.
func (s *scanner) measure() {
	if s.at < s.measured {
		return
	}
	for s.measured = s.at; s.measured < len(s.src) && isSign(s.src[s.measured]); {
		s.measured++
	}
	s.crowded = s.crowded || s.measured-s.at > maxRow
}

func (s *scanner) next() token {
	s.skip()
	start := s.at
	if start >= len(s.src) {
		return token{endOfText, len(s.src), len(s.src)}
	}
	kind := s.token()
	return token{kind, start, s.at}
}

// token skips the token at s.at.
func (s *scanner) token() tokenKind {
	switch c := s.src[s.at]; {
	case c == '\'':
		s.text(plain)
		return constant
	case c == '"':
		s.name()
		return quoted
	case c == '$':
		return s.dollar()
	case isWordStart(c):
		return s.word()
	case ascii.IsDigit(c) || c == '.' && s.at+1 < len(s.src) && ascii.IsDigit(s.src[s.at+1]):
		s.number()
		return constant
	case strings.IndexByte("()[],;.:{}", c) >= 0:
		s.at++
		if two := s.src[s.at-1 : min(s.at+1, len(s.src))]; two == "::" || two == ":=" || two == ".." {
			s.at++
		}
		return mark
	case isSign(c):
		s.sign()
	default:
		s.at++
	}
	return sign
}

// number skips a number. It takes all letters after it as a part of it, which the
// lexer refuses.
func (s *scanner) number() {
	start := s.at
	point, letter := false, false
	for ; s.at < len(s.src); s.at++ {
		switch c := s.src[s.at]; {
		case c == '.':
			if point || letter || strings.HasPrefix(s.src[s.at:], "..") {
				return
			}
			point = true
		case c == '+' || c == '-':
			exponent := s.src[s.at-1]|0x20 == 'e' && !strings.ContainsAny(s.src[start:s.at], "xX")
			if !exponent || s.at+1 == len(s.src) || !ascii.IsDigit(s.src[s.at+1]) {
				return
			}
		case c == '$' || !ascii.IsWordByte(c):
			return
		default:
			letter = letter || !ascii.IsDigit(c) && c != '_'
		}
	}
}

// sign skips an operator, which ends where a comment begins. As in the lexer, it
// ends in + or - only if a character that SQL's own operators do not have stands
// before: =- is two operators, @- is one.
func (s *scanner) sign() {
	s.measure()
	start := s.at
	for s.at++; s.at < len(s.src) && isSign(s.src[s.at]); s.at++ {
		rest := s.src[s.at:]
		if strings.HasPrefix(rest, "--") || strings.HasPrefix(rest, "/*") {
			break
		}
	}
	foreign := strings.ContainsAny(s.src[start:s.at], "~!@#%^&|`?")
	for !foreign && s.at > start+1 && strings.IndexByte("+-", s.src[s.at-1]) >= 0 {
		s.at--
	}
}

// word skips a word, or a string that begins with a letter: E'..', B'..', X'..',
// U&'..' and U&"..".
func (s *scanner) word() tokenKind {
	start := s.at
	for s.at < len(s.src) && ascii.IsWordByte(s.src[s.at]) {
		s.at++
	}
	if s.at-start != 1 || s.at >= len(s.src) {
		return word
	}
	rest := s.src[s.at:]
	switch s.src[start] | 0x20 {
	case 'e':
		if rest[0] == '\'' {
			s.text(escapes)
			return constant
		}
	case 'b', 'x':
		if rest[0] == '\'' {
			s.text(bits)
			return constant
		}
	case 'u':
		switch {
		case strings.HasPrefix(rest, "&'"):
			s.at++
			s.text(plain)
			return constant
		case strings.HasPrefix(rest, `&"`):
			s.at++
			s.name()
			return quoted
		}
	}
	return word
}

// stringKind is what a backslash and a doubled quote mean in a string.
type stringKind uint8

const (
	plain   stringKind = iota // a doubled quote is a quote
	escapes                   // a backslash escapes the next byte, too
	bits                      // a doubled quote begins another string
)

// text skips the string whose quote is at s.at, with all its parts: a string
// continues after white space that contains a line break.
func (s *scanner) text(kind stringKind) {
	for {
		for s.at++; s.at < len(s.src) && s.src[s.at] != '\''; s.at++ {
			if kind == escapes && s.src[s.at] == '\\' {
				s.at++
			}
		}
		if s.at >= len(s.src) {
			s.at = len(s.src)
			return
		}
		s.at++
		end := s.at
		if kind != bits && strings.HasPrefix(s.src[end:], "'") {
			continue // a doubled quote
		}
		for s.at < len(s.src) && ascii.IsSpace(s.src[s.at]) {
			s.at++
		}
		if s.at >= len(s.src) || s.src[s.at] != '\'' || !strings.ContainsAny(s.src[end:s.at], "\n\r") {
			s.at = end
			return
		}
	}
}

// name skips the name whose quote is at s.at.
func (s *scanner) name() {
	for {
		s.until(`"`)
		if !strings.HasPrefix(s.src[s.at:], `"`) {
			return
		}
	}
}

// until skips to after the next end after the byte at s.at.
func (s *scanner) until(end string) {
	s.at++
	if n := strings.Index(s.src[s.at:], end); n >= 0 {
		s.at += n + len(end)
	} else {
		s.at = len(s.src)
	}
}

// dollar skips $1, $tag$..$tag$ or a single $.
func (s *scanner) dollar() tokenKind {
	n := s.at + 1
	if n < len(s.src) && ascii.IsDigit(s.src[n]) {
		for s.at++; s.at < len(s.src) && ascii.IsDigit(s.src[s.at]); s.at++ {
		}
		return constant
	}
	for n < len(s.src) && ascii.IsWordByte(s.src[n]) && s.src[n] != '$' {
		n++
	}
	if n >= len(s.src) || s.src[n] != '$' {
		s.at++
		return sign
	}
	tag := s.src[s.at : n+1]
	s.at = n
	s.until(tag)
	return constant
}

// skip skips white space and comments, which nest.
func (s *scanner) skip() {
	for s.at < len(s.src) {
		switch {
		case ascii.IsSpace(s.src[s.at]):
			s.at++
		case strings.HasPrefix(s.src[s.at:], "--"):
			s.line()
		case strings.HasPrefix(s.src[s.at:], "/*"):
			s.comment()
		default:
			return
		}
	}
}

func (s *scanner) line() {
	if n := strings.IndexAny(s.src[s.at:], "\n\r"); n >= 0 {
		s.at += n
	} else {
		s.at = len(s.src)
	}
}

func (s *scanner) comment() {
	depth := 0
	for s.at < len(s.src) {
		switch {
		case strings.HasPrefix(s.src[s.at:], "/*"):
			s.measure()
			depth++
			s.at += 2
		case strings.HasPrefix(s.src[s.at:], "*/"):
			s.at += 2
			if depth--; depth == 0 {
				return
			}
		default:
			s.at++
		}
	}
}

func isSign(c byte) bool { return strings.IndexByte("+-*/<>=~!@#%^&|`?", c) >= 0 }

func isWordStart(c byte) bool {
	return 'a' <= c|0x20 && c|0x20 <= 'z' || c == '_' || c >= 0x80
}
