package sqlast

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// What a reader takes on. A statement beyond any of these is no question that
// somebody asked; grammars are known to overflow their stack, to backtrack or to
// go quadratic far above them.
const (
	MaxText    = 64 << 10 // bytes of a statement
	MaxNesting = 100      // parentheses inside parentheses
	MaxDepth   = 1000     // levels of the tree; SQLite's own bound for expressions
)

// Lexis is as much of a dialect's lexical rules as it takes to find its
// parentheses. Where a text can be taken in two ways, CheckText counts what is
// in doubt: it may see more nesting than there is, never less.
type Lexis struct {
	Quotes    string // the bytes that open a quoted token and close it
	Backslash string // those of Quotes in which a backslash escapes the next byte
	Brackets  bool   // [x] is a quoted name

	Hash       bool // # begins a comment
	DashSpace  bool // -- begins a comment only before white space
	CodeInside bool // comments such as /*! .. */ and /*+ .. */ hold code
}

// CheckText refuses what no grammar should be given: a text that is too long,
// that is not UTF-8, that holds a NUL byte (where some readers stop and others go
// on), or that nests too deep. It takes one pass, whatever the text. A dialect
// that counts its nesting itself passes nil.
func CheckText(text string, l *Lexis) error {
	if len(text) > MaxText {
		return &Error{Code: TooLarge, Pos: -1,
			Message: fmt.Sprintf("the statement has %d bytes; at most %d are read", len(text), MaxText)}
	}
	if !utf8.ValidString(text) {
		return &Error{Code: InvalidText, Pos: Pos(invalidAt(text)), Message: "the statement is not valid UTF-8"}
	}
	if i := strings.IndexByte(text, 0); i >= 0 {
		return &Error{Code: InvalidText, Pos: Pos(i), Message: "the statement holds a NUL byte"}
	}
	if l == nil {
		return nil
	}
	depth := 0
	for i := 0; i < len(text); {
		if !telling[text[i]] {
			i++
			continue
		}
		switch text[i] {
		case '(', '{':
			if depth++; depth > MaxNesting {
				return &Error{Code: TooDeep, Pos: Pos(i),
					Message: fmt.Sprintf("the statement nests deeper than %d parentheses", MaxNesting)}
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

// telling are the bytes that can begin anything but a plain token.
var telling = [256]bool{
	'(': true, ')': true, '{': true, '}': true, '[': true,
	'\'': true, '"': true, '`': true, '#': true, '-': true, '/': true,
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
	case c == '#' && l.Hash:
		return after(text, i+1, "\n")
	case c == '-' && l.dashes(text[i:]):
		return after(text, i+2, "\n")
	case c == '/' && strings.HasPrefix(text[i:], "/*"):
		if l.CodeInside && strings.ContainsAny(text[i+2:min(i+4, len(text))], "!+") {
			return i + 2
		}
		return after(text, i+2, "*/")
	case strings.IndexByte(l.Quotes, c) >= 0:
		return l.quoted(text, i)
	}
	return i + 1
}

func (l *Lexis) dashes(s string) bool {
	if !strings.HasPrefix(s, "--") {
		return false
	}
	return !l.DashSpace || len(s) == 2 || s[2] <= ' '
}

// quoted returns the offset after the token that is quoted at i. A doubled quote
// needs no rule of its own: it ends one token and begins the next.
func (l *Lexis) quoted(text string, i int) int {
	quote := text[i]
	escapes := strings.IndexByte(l.Backslash, quote) >= 0
	for i++; i < len(text); i++ {
		switch {
		case text[i] == quote:
			return i + 1
		case text[i] == '\\' && escapes:
			i++
		}
	}
	return len(text)
}

// after returns the offset after the next end, or the end of the text.
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
