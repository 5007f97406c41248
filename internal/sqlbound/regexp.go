package sqlbound

import (
	"regexp"
	"strings"

	"github.com/qedkit/qed/internal/sqlast"
)

// matching returns the work of matching a regular expression, which can try each part
// of the text, if the engine does not look at its limits meanwhile. MySQL and what
// package dialect/mysql prints for MariaDB limit the steps of one match. repeats reports
// whether each of many matches can take as many.
func (c *checker) matching(pattern sqlast.Expr) (work int64, repeats bool) {
	if !c.rules.Backtracking {
		return 0, false
	}
	literal, hidden := c.literals(pattern)
	literal = literal[:max(0, len(literal)-1)]
	if !hidden && !strings.ContainsAny(literal, "*+?{(\\") {
		return 0, false // it tries a few ways at each position, and a repetition at its end none: see search
	}
	return steppingWork, hidden || strings.ContainsAny(literal, "*+{\\")
}

// tries reports whether a regular expression may repeat what repeats itself. An
// engine then tries up to millions of ways before it gives up, at each position.
func (c *checker) tries(pattern sqlast.Expr) bool {
	literal, hidden := c.literals(pattern)
	return hidden || repeatedGroup.MatchString(literal)
}

// literals returns the literals of a pattern, read as one. hidden reports that it
// has others, in subqueries.
func (c *checker) literals(pattern sqlast.Expr) (literal string, hidden bool) {
	var text strings.Builder
	sqlast.Walk(pattern, func(n sqlast.Node) bool {
		switch n := n.(type) {
		case *sqlast.String:
			text.WriteString(n.Value)
		case *sqlast.Bytes:
			text.Write(n.Value)
		case *sqlast.Column:
			hidden = hidden || c.column(n).text > 0
		case *sqlast.Query:
			hidden = true
		}
		return true
	})
	return text.String(), hidden
}

// repeatedGroup finds a repetition of a group, whatever the group is, that is not a count
// of at most 4, and a back reference.
var repeatedGroup = regexp.MustCompile(`\)\s*(?:[*+]|\{[^}]*(?:[5-9\s,]|\d\d)(?:\}|$))|\\[1-9gk]`)
