package dialect

import (
	"strings"

	"github.com/qedkit/qed/internal/ascii"
	"github.com/qedkit/qed/internal/sqlast"
)

// checkCases refuses a CASE inside the operand of another one. DuckDB's parser
// copies the operand for each WHEN, so that a few hundred bytes of such operands
// take it longer than any limit, and nothing stops a parser.
func checkCases(text string) error {
	var operands []bool // for each open CASE: its operand is being read
	before := ""        // the word before, or "." for a point
	for i := 0; i < len(text); {
		start := i
		switch c := text[i]; {
		case isWordByte(c):
			for i < len(text) && isWordByte(text[i]) {
				i++
			}
			if word := text[start:i]; (word == "e" || word == "E") && i < len(text) && text[i] == '\'' {
				i = pastEscaped(text, i+1)
				before = ""
				continue
			}
			word := keyword(text[start:i])
			isName := before == "." || before == "as"
			before = word
			if isName {
				continue
			}
			switch last := len(operands) - 1; {
			case word == "case":
				for _, open := range operands {
					if open {
						return &sqlast.Error{Code: sqlast.TooCostly, Name: "CASE", Pos: sqlast.Pos(start), Message: "a CASE " +
							"in the operand of another CASE is not supported: compute the operand in a subquery, or write CASE WHEN x = .."}
					}
				}
				operands = append(operands, true)
			case word == "when" && last >= 0:
				operands[last] = false
			case word == "end" && last >= 0:
				operands = operands[:last]
			}
			continue
		case c == '\'' || c == '"':
			i = past(text, i+1, text[i:i+1])
		case c == '$':
			i = pastDollar(text, i)
		case strings.HasPrefix(text[i:], "--"):
			i = past(text, i, "\n")
			continue
		case strings.HasPrefix(text[i:], "/*"):
			i = pastComment(text, i)
			continue
		case ascii.IsSpace(c):
			i++
			continue
		default:
			i++
		}
		if before = ""; text[start] == '.' {
			before = "."
		}
	}
	return nil
}

// keyword returns a word in lower case if it is a keyword that checkCases looks for. It
// returns "" for any other word.
func keyword(word string) string {
	for _, known := range [...]string{"as", "case", "when", "end"} {
		if ascii.EqualFold(word, known) {
			return known
		}
	}
	return ""
}

func isWordByte(c byte) bool {
	return c == '_' || c >= 0x80 || ascii.IsDigit(c) || 'a' <= ascii.LowerByte(c) && ascii.LowerByte(c) <= 'z'
}

// past returns the offset after the next end, or the length of the text.
func past(text string, i int, end string) int {
	if n := strings.Index(text[i:], end); n >= 0 {
		return i + n + len(end)
	}
	return len(text)
}

// pastEscaped returns the offset after a text in which a backslash escapes.
func pastEscaped(text string, i int) int {
	for ; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '\'':
			return i + 1
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
