package sqlbound

import (
	"strings"

	"github.com/qedkit/qed/internal/sqlast"
)

// matching returns the work of matching a regular expression, which can try each part
// of the text, if the engine does not look at its limits meanwhile. MySQL and what
// package dialect/mysql prints for MariaDB limit the steps of one match. repeats reports
// whether each of many matches can take as many.
func (c *checker) matching(pattern sqlast.Expr, s *scope) (work int64, repeats bool) {
	if !c.rules.Backtracking {
		return 0, false
	}
	literal, hidden := c.literals(pattern, s)
	literal = literal[:max(0, len(literal)-1)]
	if !hidden && !strings.ContainsAny(literal, "*+?{(\\") {
		return 0, false // it tries a few ways at each position, and a repetition at its end none: see search
	}
	return steppingWork, hidden || strings.ContainsAny(literal, "*+{\\")
}

// tries reports whether a regular expression may repeat what repeats itself. An
// engine then tries up to millions of ways before it gives up.
func (c *checker) tries(pattern sqlast.Expr, s *scope) bool {
	literal, hidden := c.literals(pattern, s)
	return hidden || repeatsGroup(literal)
}

// literals returns the literals of a pattern, read as one. hidden reports that it
// has others, in subqueries.
func (c *checker) literals(pattern sqlast.Expr, s *scope) (literal string, hidden bool) {
	var text strings.Builder
	sqlast.Walk(pattern, func(n sqlast.Node) bool {
		switch n := n.(type) {
		case *sqlast.String:
			text.WriteString(n.Value)
		case *sqlast.Bytes:
			text.Write(n.Value)
		case *sqlast.Column:
			hidden = hidden || s.column(n).text > 0
		case *sqlast.Query:
			hidden = true
		}
		return true
	})
	return text.String(), hidden
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
