package dates

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// A token is a word or a number of a text.
type token struct {
	word     string // in lower case
	from, to int    // in the text
	glue     rune   // what is between this token and the one before: a space, - or /; 0 for anything else
}

// tokens splits a text into words and numbers.
func tokens(text string) []token {
	all := make([]token, 0, len(text)/5+1)
	end := 0 // of the last token
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			i += size
			continue
		}
		start := i
		for i < len(text) && (unicode.IsLetter(r) || unicode.IsDigit(r)) {
			i += size
			r, size = utf8.DecodeRuneInString(text[i:])
		}
		all = append(all, token{strings.ToLower(text[start:i]), start, i, glue(text[end:start])})
		end = i
	}
	return all
}

func glue(between string) rune {
	switch trimmed := strings.TrimSpace(between); {
	case trimmed == "" && between != "":
		return ' '
	case trimmed == "-" || trimmed == "–":
		return '-'
	case trimmed == "/":
		return '/'
	case between == ". ": // after a number, as in "1. Quartal"
		return '.'
	case between == ", ": // before a year, as in "March 5, 2026"
		return ','
	}
	return 0
}
