package usertext

import (
	"strings"
	"unicode"
)

// Escape returns a text as one line of Markdown without markup, which can stand in the
// cell of a table. Addresses in it become no links.
func Escape(text string) string {
	var b strings.Builder
	runes := []rune(strings.Join(strings.Fields(text), " "))
	for i, r := range runes {
		inWord := i > 0 && i+1 < len(runes) && isWord(runes[i-1]) && isWord(runes[i+1])
		compares := i > 0 && i+1 < len(runes) && runes[i+1] == ' '
		rest := string(runes[i:min(len(runes), i+3)])
		links := r == '@' || rest == "://" || r == '.' && i > 2 && strings.EqualFold(string(runes[i-3:i]), "www")
		if links || strings.ContainsRune("\\`*[]|~&", r) || r == '_' && !inWord || strings.ContainsRune("<>#", r) && !compares {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

func isWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
