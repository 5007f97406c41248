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

// CheckText refuses a text that no grammar should be given: one that is too long,
// is not UTF-8, or contains a NUL byte, where some readers stop and others continue. A
// dialect counts the nesting itself.
func CheckText(text string) error {
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
	return nil
}

// NestsTooDeep returns the error of a text with more than MaxNesting open parentheses at
// an offset.
func NestsTooDeep(at int) *Error {
	return &Error{Code: TooDeep, Pos: Pos(at), Message: fmt.Sprintf("the statement nests deeper than %d parentheses", MaxNesting)}
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
