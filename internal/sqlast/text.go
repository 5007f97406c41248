package sqlast

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// The limits of what a reader accepts. No answer to a question needs a statement
// beyond them: the longest of the public corpora has 965 bytes. Far above them,
// grammars overflow their stack, backtrack or take quadratic time. The worst texts of
// MaxText bytes are measured by the benchmarks BenchmarkWorst of package secureview and
// of its dialects.
const (
	MaxText    = 8 << 10 // bytes of a statement
	MaxNesting = 100     // parentheses inside parentheses
	MaxDepth   = 1000    // levels of the tree, as in SQLite's limit for expressions
)

// A Lexis holds the lexical rules of a dialect that are needed to find its
// parentheses.
type Lexis struct {
	Quotes   string // the bytes that open and close a quoted token
	Brackets bool   // [x] is a quoted name
}

// CheckText refuses a text that no grammar should be given: one that is too long,
// is not UTF-8, contains a NUL byte (where some readers stop and others continue),
// or nests too deep. It takes one pass over the text. A dialect that counts nesting
// itself passes a nil Lexis.
func CheckText(text string, l *Lexis) error {
	if len(text) > MaxText {
		return &Error{Code: TooLarge, Pos: -1,
			Message: fmt.Sprintf("the statement has %d bytes; at most %d are read: shorten it", len(text), MaxText)}
	}
	if !utf8.ValidString(text) {
		return &Error{Code: InvalidText, Pos: Pos(invalidAt(text)), Message: "the statement is not valid UTF-8"}
	}
	if i := strings.IndexByte(text, 0); i >= 0 {
		return &Error{Code: InvalidText, Pos: Pos(i), Message: "the statement contains a NUL byte"}
	}
	if l == nil {
		return nil
	}
	depth := 0
	for i := 0; i < len(text); {
		if !special[text[i]] {
			i++
			continue
		}
		switch text[i] {
		case '(', '{':
			if depth++; depth > MaxNesting {
				return NestsTooDeep(i)
			}
			i++
		case ')', '}':
			depth = max(depth-1, 0)
			i++
		default:
			i = l.skip(text, i)
		}
	}
	return nil
}

// NestsTooDeep returns the error of a text with more than MaxNesting open parentheses at
// an offset.
func NestsTooDeep(at int) *Error {
	return &Error{Code: TooDeep, Pos: Pos(at), Message: fmt.Sprintf("the statement nests deeper than %d parentheses", MaxNesting)}
}

// special are the bytes that can begin a parenthesis, a comment or a quoted token.
var special = [256]bool{
	'(': true, ')': true, '{': true, '}': true, '[': true,
	'\'': true, '"': true, '`': true, '-': true, '/': true,
}

func invalidAt(text string) int {
	for i, r := range text {
		if r == utf8.RuneError {
			if _, size := utf8.DecodeRuneInString(text[i:]); size == 1 {
				return i
			}
		}
	}
	return -1
}

// skip returns the offset after the quoted token, the comment or the byte at i.
func (l *Lexis) skip(text string, i int) int {
	c := text[i]
	switch {
	case c == '[' && l.Brackets:
		return after(text, i+1, "]")
	case strings.HasPrefix(text[i:], "--"):
		return after(text, i+2, "\n")
	case strings.HasPrefix(text[i:], "/*"):
		return after(text, i+2, "*/")
	case strings.IndexByte(l.Quotes, c) >= 0: // a doubled quote ends one token and begins the next
		return after(text, i+1, text[i:i+1])
	}
	return i + 1
}

// after returns the offset after the next end, or the length of the text.
func after(text string, i int, end string) int {
	if n := strings.Index(text[i:], end); n >= 0 {
		return i + n + len(end)
	}
	return len(text)
}

// CheckName returns an error for a name that cannot be printed as an identifier:
// an empty one, or one with control characters or invalid UTF-8.
func CheckName(name string) error {
	switch {
	case name == "":
		return errors.New("has an empty name")
	case !utf8.ValidString(name) || strings.ContainsFunc(name, func(r rune) bool { return r < ' ' || r == 0x7f }):
		return fmt.Errorf("has a name with control characters or invalid UTF-8: %q", name)
	}
	return nil
}
