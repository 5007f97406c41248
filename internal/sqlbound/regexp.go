package sqlbound

import (
	"strings"

	"github.com/qedkit/qed/internal/sqlast"
)

// matching returns the work of matching a regular expression, which can try each
// part of the text, if the engine does not look at its limits meanwhile.
func (c *checker) matching(at sqlast.Pos, name string, text size) int64 {
	if !c.rules.Backtracking {
		return 0
	}
	return c.product(at, name, text, text, 1).work
}

// repeated refuses a regular expression that repeats what repeats itself. For each
// match the engine tries up to millions of ways, and it replaces many matches. The
// parts of a computed expression are checked as one.
func (c *checker) repeated(e *sqlast.Call, s *scope) {
	if !c.rules.Backtracking {
		return
	}
	var pattern strings.Builder
	hidden := false
	sqlast.Walk(e.Args[1], func(n sqlast.Node) bool {
		switch n := n.(type) {
		case *sqlast.String:
			pattern.WriteString(n.Value)
		case *sqlast.Bytes:
			pattern.Write(n.Value)
		case *sqlast.Column:
			hidden = hidden || s.column(n).text > 0
		case *sqlast.Query:
			hidden = true
		}
		return true
	})
	if hidden || repeatsGroup(pattern.String()) {
		c.fail(e.Args[1].At(), e.Name+"()", "%s() takes a time without bound for a pattern that repeats a group with a "+
			"repetition, such as (a+)*, or has a back reference: write a literal pattern without them", e.Name)
	}
}

// repeatsGroup reports whether a regular expression has a back reference, or repeats
// a group that contains a repetition or an alternative.
func repeatsGroup(pattern string) bool {
	groups := []bool{false} // whether each open group repeats something
	for i := 0; i < len(pattern); i++ {
		top := len(groups) - 1
		switch pattern[i] {
		case '\\':
			if i++; i < len(pattern) && strings.IndexByte("123456789gk", pattern[i]) >= 0 {
				return true
			}
		case '[':
			if end := strings.IndexByte(pattern[min(i+2, len(pattern)):], ']'); end >= 0 {
				i += 2 + end
			}
		case '(':
			groups = append(groups, false)
		case ')':
			if top == 0 {
				continue
			}
			if groups[top] && isRepetition(pattern[i+1:]) {
				return true
			}
			groups[top-1] = groups[top-1] || groups[top]
			groups = groups[:top]
		case '*', '+', '|':
			groups[top] = true
		case '{':
			groups[top] = groups[top] || isRepetition(pattern[i:])
		}
	}
	return false
}

// isRepetition reports whether a text begins with *, + or a count without a bound or
// of more than a few.
func isRepetition(s string) bool {
	if s == "" || s[0] != '{' {
		return s != "" && (s[0] == '*' || s[0] == '+')
	}
	count, _, _ := strings.Cut(s[1:], "}")
	if _, most, ok := strings.Cut(count, ","); ok {
		count = most
	}
	n := digits(count)
	return n < 0 || n > 4
}
