package sqlread

import (
	"strings"

	"github.com/qedkit/qed/internal/ascii"
)

// A TokenKind is the kind of a Token.
type TokenKind uint8

const (
	EndOfText TokenKind = iota
	Word                // a name without quotes or a keyword
	Quoted              // "name"
	Constant            // a string or a number
	Sign                // an operator, or a byte that begins no other token
	Mark                // ( ) [ ] { } , ; . .. : :: :=
)

// A Token is a token of a text, from At to End.
type Token struct {
	Kind    TokenKind
	At, End int
}

// A Scanner splits a text into tokens as the lexer of PostgreSQL does with
// standard_conforming_strings on, or that of DuckDB, which was made from an older one.
type Scanner struct {
	Src string
	At  int // the end of the last token

	// DuckDB is set for its lexer: comments to the end of a line may stand between the parts of
	// a string, and 0x1f is a number and a name.
	DuckDB bool

	// Crowded is set after a sequence of operator characters that is too long. The lexers scan a
	// whole sequence for each operator and each comment that begins in it, which is quadratic.
	Crowded  bool
	measured int // the end of the last sequence of operator characters
}

const maxRow = 512 // characters of a sequence, with comments

// measure checks the sequence of operator characters that begins at s.At.
func (s *Scanner) measure() {
	if s.At < s.measured {
		return
	}
	for s.measured = s.At; s.measured < len(s.Src) && isSign(s.Src[s.measured]); {
		s.measured++
	}
	s.Crowded = s.Crowded || s.measured-s.At > maxRow
}

// FirstToken returns the first token after opening parentheses and semicolons.
func FirstToken(text string) Token {
	scan := Scanner{Src: text}
	t := scan.Next()
	for t.Kind == Mark && (text[t.At] == '(' || text[t.At] == ';') {
		t = scan.Next()
	}
	return t
}

// Next returns the next token.
func (s *Scanner) Next() Token {
	s.skip()
	start := s.At
	if start >= len(s.Src) {
		return Token{EndOfText, len(s.Src), len(s.Src)}
	}
	kind := s.token()
	return Token{kind, start, s.At}
}

// token skips the token at s.At.
func (s *Scanner) token() TokenKind {
	switch c := s.Src[s.At]; {
	case c == '\'':
		s.text(plain)
		return Constant
	case c == '"':
		s.name()
		return Quoted
	case c == '$':
		return s.dollar()
	case isWordStart(c):
		return s.word()
	case ascii.IsDigit(c) || c == '.' && s.At+1 < len(s.Src) && ascii.IsDigit(s.Src[s.At+1]):
		s.number()
		return Constant
	case strings.IndexByte("()[],;.:{}", c) >= 0:
		s.At++
		if two := s.Src[s.At-1 : min(s.At+1, len(s.Src))]; two == "::" || two == ":=" || two == ".." {
			s.At++
		}
		return Mark
	case isSign(c):
		s.sign()
	default:
		s.At++
	}
	return Sign
}

// number skips a number. A keyword may follow without a space, as in 1END.
func (s *Scanner) number() {
	if !s.DuckDB && s.Src[s.At] == '0' && s.At+1 < len(s.Src) && strings.IndexByte("xXoObB", s.Src[s.At+1]) >= 0 {
		for s.At++; s.At < len(s.Src) && s.Src[s.At] != '$' && ascii.IsWordByte(s.Src[s.At]); {
			s.At++
		}
		return
	}
	s.digits()
	if rest := s.Src[s.At:]; strings.HasPrefix(rest, ".") && !strings.HasPrefix(rest, "..") {
		s.At++
		s.digits()
	}
	if point := s.At; point < len(s.Src) && s.Src[point]|0x20 == 'e' {
		s.At++
		if s.At < len(s.Src) && (s.Src[s.At] == '+' || s.Src[s.At] == '-') {
			s.At++
		}
		if s.At == len(s.Src) || !ascii.IsDigit(s.Src[s.At]) {
			s.At = point
		}
		s.digits()
	}
}

// digits skips digits, which may have a _ between them.
func (s *Scanner) digits() {
	for start := s.At; s.At < len(s.Src); s.At++ {
		isBetween := s.Src[s.At] == '_' && s.At > start && s.At+1 < len(s.Src) && ascii.IsDigit(s.Src[s.At+1])
		if !ascii.IsDigit(s.Src[s.At]) && !isBetween {
			return
		}
	}
}

// sign skips an operator, which ends where a comment begins. As in the lexer, it
// ends in + or - only if a character that SQL's own operators do not have stands
// before: =- is two operators, @- is one.
func (s *Scanner) sign() {
	s.measure()
	start := s.At
	for s.At++; s.At < len(s.Src) && isSign(s.Src[s.At]); s.At++ {
		rest := s.Src[s.At:]
		if strings.HasPrefix(rest, "--") || strings.HasPrefix(rest, "/*") {
			break
		}
	}
	foreign := strings.ContainsAny(s.Src[start:s.At], "~!@#%^&|`?")
	for !foreign && s.At > start+1 && strings.IndexByte("+-", s.Src[s.At-1]) >= 0 {
		s.At--
	}
}

// word skips a word, or a string that begins with a letter: E'..', B'..', X'..',
// U&'..' and U&"..".
func (s *Scanner) word() TokenKind {
	start := s.At
	for s.At < len(s.Src) && ascii.IsWordByte(s.Src[s.At]) {
		s.At++
	}
	if s.At-start != 1 || s.At >= len(s.Src) {
		return Word
	}
	rest := s.Src[s.At:]
	switch s.Src[start] | 0x20 {
	case 'e':
		if rest[0] == '\'' {
			s.text(escapes)
			return Constant
		}
	case 'b', 'x':
		if rest[0] == '\'' {
			s.text(bits)
			return Constant
		}
	case 'u':
		switch {
		case strings.HasPrefix(rest, "&'"):
			s.At++
			s.text(plain)
			return Constant
		case strings.HasPrefix(rest, `&"`):
			s.At++
			s.name()
			return Quoted
		}
	}
	return Word
}

// stringKind is what a backslash and a doubled quote mean in a string.
type stringKind uint8

const (
	plain   stringKind = iota // a doubled quote is a quote
	escapes                   // a backslash escapes the next byte, too
	bits                      // a doubled quote begins another string
)

// text skips the string whose quote is at s.At, with all its parts: a string
// continues after white space with a line break.
func (s *Scanner) text(kind stringKind) {
	for {
		for s.At++; s.At < len(s.Src) && s.Src[s.At] != '\''; s.At++ {
			if kind == escapes && s.Src[s.At] == '\\' {
				s.At++
			}
		}
		if s.At >= len(s.Src) {
			s.At = len(s.Src)
			return
		}
		s.At++
		end := s.At
		if kind != bits && strings.HasPrefix(s.Src[end:], "'") {
			continue // a doubled quote
		}
		for s.At < len(s.Src) && (ascii.IsSpace(s.Src[s.At]) || s.DuckDB && strings.HasPrefix(s.Src[s.At:], "--")) {
			if s.Src[s.At] == '-' {
				s.line()
			} else {
				s.At++
			}
		}
		if s.At >= len(s.Src) || s.Src[s.At] != '\'' || !strings.ContainsAny(s.Src[end:s.At], "\n\r") {
			s.At = end
			return
		}
	}
}

// name skips the name whose quote is at s.At.
func (s *Scanner) name() {
	for {
		s.until(`"`)
		if !strings.HasPrefix(s.Src[s.At:], `"`) {
			return
		}
	}
}

// until skips to after the next end after the byte at s.At.
func (s *Scanner) until(end string) {
	s.At++
	if n := strings.Index(s.Src[s.At:], end); n >= 0 {
		s.At += n + len(end)
	} else {
		s.At = len(s.Src)
	}
}

// dollar skips $1, $tag$..$tag$ or a single $.
func (s *Scanner) dollar() TokenKind {
	n := s.At + 1
	if n < len(s.Src) && ascii.IsDigit(s.Src[n]) {
		for s.At++; s.At < len(s.Src) && ascii.IsDigit(s.Src[s.At]); s.At++ {
		}
		return Constant
	}
	for n < len(s.Src) && ascii.IsWordByte(s.Src[n]) && s.Src[n] != '$' {
		n++
	}
	if n >= len(s.Src) || s.Src[n] != '$' {
		s.At++
		return Sign
	}
	tag := s.Src[s.At : n+1]
	s.At = n
	s.until(tag)
	return Constant
}

// skip skips white space and comments, which nest.
func (s *Scanner) skip() {
	for s.At < len(s.Src) {
		switch {
		case ascii.IsSpace(s.Src[s.At]):
			s.At++
		case strings.HasPrefix(s.Src[s.At:], "--"):
			s.line()
		case strings.HasPrefix(s.Src[s.At:], "/*"):
			s.comment()
		default:
			return
		}
	}
}

func (s *Scanner) line() {
	if n := strings.IndexAny(s.Src[s.At:], "\n\r"); n >= 0 {
		s.At += n
	} else {
		s.At = len(s.Src)
	}
}

func (s *Scanner) comment() {
	depth := 0
	for s.At < len(s.Src) {
		switch {
		case strings.HasPrefix(s.Src[s.At:], "/*"):
			s.measure()
			depth++
			s.At += 2
		case strings.HasPrefix(s.Src[s.At:], "*/"):
			s.At += 2
			if depth--; depth == 0 {
				return
			}
		default:
			s.At++
		}
	}
}

func isSign(c byte) bool { return strings.IndexByte("+-*/<>=~!@#%^&|`?", c) >= 0 }

func isWordStart(c byte) bool {
	return 'a' <= c|0x20 && c|0x20 <= 'z' || c == '_' || c >= 0x80
}
