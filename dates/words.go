package dates

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// A token is a word or a number of a text.
type token struct {
	word string // in lower case
	end  int    // in the text
	from int    // in the text
	gap  gap    // before the token
}

// A gap is what is between a token and the one before it, or an end of the text.
type gap byte

const (
	odd      gap = iota // anything that can change what a token means, such as < or a quotation mark
	space               // white space alone
	dash                // a hyphen or a dash
	slash               // a slash without spaces
	dot                 // a full stop, as in "1. Quartal"
	comma               // as in "March 5, 2026"
	touching            // a full stop or a colon without spaces
	apostrophe
	plain // other punctuation, such as brackets
)

// tokens splits a text into words and numbers, and returns the gap after the last
// one. ok is false if the text has letters or marks that are not read here.
func tokens(text string) (all []token, last gap, ok bool) {
	end := 0 // of the last token
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		if foreign(r) {
			return nil, odd, false
		}
		if !wordRune(r) {
			i += size
			continue
		}
		start := i
		for i < len(text) && wordRune(r) && !foreign(r) {
			i += size
			r, size = utf8.DecodeRuneInString(text[i:])
		}
		all = append(all, token{strings.ToLower(text[start:i]), i, start, gapOf(text[end:start], end == 0)})
		end = i
	}
	return all, gapOf(text[end:], true), true
}

func wordRune(r rune) bool { return unicode.IsLetter(r) || '0' <= r && r <= '9' }

// foreign reports whether a text with r is in another language, or has numbers that
// are not of ASCII, or characters that are not seen.
func foreign(r rune) bool {
	return r >= utf8.RuneSelf && !strings.ContainsRune("äöüßÄÖÜẞ", r) &&
		(unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r) || unicode.Is(unicode.Cf, r))
}

// gapOf returns what a text between tokens is. outer says that it is at the
// beginning or the end of the text.
func gapOf(between string, outer bool) gap {
	trimmed := strings.TrimSpace(between)
	switch {
	case trimmed == "":
		return space
	case outer && strings.Trim(trimmed, ".,;:?!()") == "":
		return plain
	case trimmed == "-" || trimmed == "–" || trimmed == "—":
		return dash
	case between == "/":
		return slash
	case between == ". ":
		return dot
	case between == ", ":
		return comma
	case between == "." || between == ":":
		return touching
	case between == "'" || between == "’":
		return apostrophe
	case strings.Trim(trimmed, ".,;:?!()") == "":
		return plain
	}
	return odd
}

// joins reports whether words before and after g can be of one phrase, and nothing
// in g changes their meaning.
func (g gap) joins() bool { return g == space || g == dot || g == comma || g == plain }
