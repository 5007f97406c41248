package dialect

import (
	"strings"

	"github.com/qedkit/qed/internal/ascii"
)

// Kinds of tokens. All others have their only byte as kind.
const (
	blankToken  = ' '  // white space or a comment
	wordToken   = 'w'  // a keyword, a name without quotes, or a number
	quotedToken = '\'' // a text or a name in quotes
)

// token returns the kind of the token at i, as DuckDB reads it, and the offset after it.
// What DuckDB's parser would copy is found with it before DuckDB parses the text.
func token(text string, i int) (kind byte, end int) {
	if end = pastBlank(text, i); end > i {
		return blankToken, end
	}
	switch c := text[i]; {
	case ascii.IsDigit(c):
		return wordToken, pastNumber(text, i)
	case isWordByte(c):
		for end = i + 1; end < len(text) && ascii.IsWordByte(text[end]); end++ {
		}
		if ascii.EqualFold(text[i:end], "e") && end < len(text) && text[end] == '\'' {
			return quotedToken, pastEscaped(text, end+1)
		}
		return wordToken, end
	case c == '\'' || c == '"':
		return quotedToken, past(text, i+1, text[i:i+1])
	case c == '$':
		if end = pastDollar(text, i); end > i+1 {
			return quotedToken, end
		}
	}
	return text[i], i + 1
}

// pastBlank returns the offset after white space and comments.
func pastBlank(text string, i int) int {
	for i < len(text) {
		switch {
		case ascii.IsSpace(text[i]):
			i++
		case strings.HasPrefix(text[i:], "--"):
			n := strings.IndexAny(text[i:], "\r\n")
			if n < 0 {
				return len(text)
			}
			i += n
		case strings.HasPrefix(text[i:], "/*"):
			i = pastComment(text, i)
		default:
			return i
		}
	}
	return i
}

// isWordByte reports whether c can be in a word, which may also have a dollar sign after
// its first byte.
func isWordByte(c byte) bool { return c != '$' && ascii.IsWordByte(c) }

// pastNumber returns the offset after a number. A keyword may follow without a space, as
// in 1END and 1.END.
func pastNumber(text string, i int) int {
	i = pastDigits(text, i)
	if strings.HasPrefix(text[i:], ".") && !strings.HasPrefix(text[i:], "..") {
		i = pastDigits(text, i+1)
	}
	if i < len(text) && ascii.LowerByte(text[i]) == 'e' {
		from := i + 1
		if from < len(text) && (text[from] == '+' || text[from] == '-') {
			from++
		}
		if end := pastDigits(text, from); end > from {
			return end
		}
	}
	return i
}

// pastDigits returns the offset after digits, which may have a _ between them.
func pastDigits(text string, i int) int {
	for from := i; i < len(text); i++ {
		isBetween := text[i] == '_' && i > from && i+1 < len(text) && ascii.IsDigit(text[i+1])
		if !ascii.IsDigit(text[i]) && !isBetween {
			break
		}
	}
	return i
}

// past returns the offset after the next end, or the length of the text.
func past(text string, i int, end string) int {
	if n := strings.Index(text[i:], end); n >= 0 {
		return i + n + len(end)
	}
	return len(text)
}

// pastEscaped returns the offset after a text in which a backslash escapes, with all its
// parts: it continues after a quote that is doubled, and after white space. i is the offset
// after its first quote.
func pastEscaped(text string, i int) int {
	for ; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '\'':
			next := pastBlank(text, i+1)
			if next == len(text) || text[next] != '\'' {
				return i + 1
			}
			i = next
		}
	}
	return len(text)
}

// pastDollar returns the offset after $tag$..$tag$, or after the dollar.
func pastDollar(text string, i int) int {
	end := i + 1
	for end < len(text) && isWordByte(text[end]) {
		end++
	}
	if end == len(text) || text[end] != '$' || end > i+1 && ascii.IsDigit(text[i+1]) {
		return i + 1
	}
	return past(text, end+1, text[i:end+1])
}

// pastComment returns the offset after a comment. Comments nest.
func pastComment(text string, i int) int {
	for depth := 0; i < len(text); {
		switch {
		case strings.HasPrefix(text[i:], "/*"):
			depth++
			i += 2
		case strings.HasPrefix(text[i:], "*/"):
			if depth, i = depth-1, i+2; depth == 0 {
				return i
			}
		default:
			i++
		}
	}
	return len(text)
}
