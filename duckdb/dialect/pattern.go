package dialect

import (
	"fmt"
	"strings"

	"github.com/qedkit/qed/internal/sqlast"
)

// maxWildcards is how many wildcards for any text a pattern may have before its last
// character. DuckDB tries each position for each of them, in a time that is a power of
// their number, and does not stop at a time limit meanwhile. A constant LIKE without _
// and ESCAPE is searched for part by part and needs no bound.
const maxWildcards = 2

// checkPattern refuses a pattern that could take too long to match.
func (r *reader) checkPattern(e *sqlast.Like) {
	pattern, ok := e.Pattern.(*sqlast.String)
	if !ok {
		r.fail(sqlast.TooCostly, e.At(), "LIKE", "the pattern of LIKE, ILIKE, GLOB and SIMILAR TO has to be a literal: "+
			"to search for a column or a computed text use contains, starts_with or ends_with")
		return
	}
	if e.Op == sqlast.OpLike && e.Escape == nil && !strings.Contains(pattern.Value, "_") {
		return
	}
	wildcard := "%"
	if e.Op == sqlast.OpGlob {
		wildcard = "*"
	}
	if n := strings.Count(strings.TrimSuffix(pattern.Value, wildcard), wildcard); n > maxWildcards {
		r.fail(sqlast.TooCostly, pattern.At(), "LIKE", fmt.Sprintf("the pattern has %d times %s before its end, "+
			"and at most %d are possible: use several conditions, or regexp_matches", n, wildcard, maxWildcards))
	}
}

// checkPath refuses a path of the operators -> and ->> that selects values at all
// levels, which makes the square of the size of a value, or that is computed.
func (r *reader) checkPath(path sqlast.Expr) {
	text, ok := path.(*sqlast.String)
	if _, whole := wholeNumber(path); r.err == nil && !whole && (!ok || strings.Contains(text.Value, "..")) {
		r.fail(sqlast.TooCostly, r.at, "->", "the path after -> and ->> has to be a number or a text without .., "+
			"written in the statement: name each level, as in '$.a.b'")
	}
}
