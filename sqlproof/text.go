package sqlproof

import (
	"strings"

	"github.com/qedkit/qed/internal/ascii"
	"github.com/qedkit/qed/internal/lists"
	"github.com/qedkit/qed/internal/sqlast"
)

// scanCall returns the end of the call that begins at a place of a statement, or -1.
func scanCall(text string, at int) int {
	open := at
	for open < len(text) && (isWord(text[open]) || text[open] == '.') {
		open++
	}
	end := scanBrackets(text, open)
	if open == at || end < 0 {
		return -1
	}
	for _, word := range []string{"within", "filter", "over"} {
		next := skipSpace(text, end)
		if len(text)-next < len(word) || !ascii.EqualFold(text[next:next+len(word)], word) {
			continue
		}
		next = skipSpace(text, next+len(word))
		if word == "within" {
			next += len("group")
		}
		if after := scanBrackets(text, next); after > 0 {
			end = after
			continue
		}
		for after := next; word == "over" && after < len(text) && isWord(text[after]); {
			after++
			end = after
		}
	}
	return end
}

func isWord(c byte) bool {
	return c == '_' || '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z' || c >= 0x80
}

func skipSpace(text string, at int) int {
	for at < len(text) && strings.IndexByte(" \t\r\n", text[at]) >= 0 {
		at++
	}
	return at
}

// scanBrackets returns the end of the brackets that begin at a place, or -1. Texts and
// names in quotes may have brackets too.
func scanBrackets(text string, at int) int {
	at = skipSpace(text, at)
	if at >= len(text) || text[at] != '(' {
		return -1
	}
	depth := 0
	for ; at < len(text); at++ {
		switch c := text[at]; c {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return at + 1
			}
		case '\'', '"', '`':
			n := strings.IndexByte(text[at+1:], c)
			if n < 0 {
				return -1
			}
			at += n + 1
		}
	}
	return -1
}

// describe returns a call in short.
func describe(e sqlast.Expr) string {
	switch e := e.(type) {
	case *sqlast.Column:
		if e.Table != "" {
			return e.Table + "." + e.Name
		}
		return e.Name
	case *sqlast.Number:
		return e.Text
	case *sqlast.Call:
		args := strings.Join(lists.Map(e.Args, describe), ", ")
		if e.Star {
			args = "*" + args
		}
		if e.Distinct {
			args = "DISTINCT " + args
		}
		return e.Name + "(" + args + ")"
	}
	return "..."
}

// list returns names as people write them: "a, b and c".
func list(names []string) string {
	if n := len(names); n > 1 {
		return strings.Join(names[:n-1], ", ") + " and " + names[n-1]
	}
	return strings.Join(names, "")
}
