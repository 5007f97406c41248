package dialect

import (
	"fmt"
	"regexp/syntax"
	"strings"

	"github.com/qedkit/qed/internal/sqlast"
	"github.com/qedkit/qed/internal/wordset"
)

// maxWildcards is how many wildcards for any text a pattern may have before its last
// character. DuckDB tries each position for each of them, in a time that is a power of
// their number, and does not stop at a time limit meanwhile. A constant LIKE without _
// and ESCAPE is searched for part by part and needs no bound.
const maxWildcards = 2

// checkPattern refuses a pattern that could take too long to match.
func (r *reader) checkPattern(e *sqlast.Like) {
	value, ok := constant(e.Pattern)
	if !ok {
		r.fail(sqlast.TooCostly, e.At(), "LIKE", "the pattern of LIKE, ILIKE, GLOB and SIMILAR TO has to be a literal: "+
			"to search for a column or a computed text use contains, starts_with or ends_with")
		return
	}
	if e.Op == sqlast.OpLike && e.Escape == nil && !strings.Contains(value, "_") {
		return
	}
	wildcard := "%"
	if e.Op == sqlast.OpGlob {
		wildcard = "*"
	}
	if n := strings.Count(strings.TrimSuffix(value, wildcard), wildcard); n > maxWildcards {
		r.fail(sqlast.TooCostly, e.Pattern.At(), "LIKE", fmt.Sprintf("the pattern has %d times %s before its end, "+
			"and at most %d are possible: use several conditions, or regexp_matches", n, wildcard, maxWildcards))
	}
}

// constant returns the text of a literal, also under a cast to text, or of literals
// that || joins.
func constant(e sqlast.Expr) (string, bool) {
	switch e := e.(type) {
	case *sqlast.String:
		return e.Value, true
	case *sqlast.Cast:
		text, ok := constant(e.X)
		return text, ok && e.Type == "VARCHAR"
	case *sqlast.Binary:
		left, ok := constant(e.X)
		right, also := constant(e.Y)
		return left + right, ok && also && e.Op == sqlast.Concat
	}
	return "", false
}

// checkPath refuses a path of the operators -> and ->> that selects values at all
// levels, which makes the square of the size of a value, or that is computed.
func (r *reader) checkPath(path sqlast.Expr) {
	text, ok := path.(*sqlast.String)
	if _, whole := wholeNumber(path); r.err == nil && !whole && (!ok || strings.Contains(text.Value, "..")) {
		r.fail(sqlast.TooCostly, r.at, "->", "the path after -> and ->> has to be a number or a text without .., "+
			"written in the statement: name each level, as in '$.a.b'; a lambda is for functions such as list_transform")
	}
}

// matchers are the functions whose second argument is a regular expression. The
// operators ~ and SIMILAR TO are calls of regexp_full_match.
var matchers = wordset.Of(`regexp_full_match regexp_matches regexp_extract regexp_extract_all regexp_replace
	regexp_split_to_array str_split_regex string_split_regex`)

// maxRepeated is how many parts the counts of a regular expression may add to those
// that are written. DuckDB repeats a part as often as its count, reads a text in a
// time that grows with the number of parts, and does not stop at a time limit
// meanwhile.
const maxRepeated = 1000

// checkRegexp refuses a regular expression that is not written in the statement, or
// whose counts make it too long.
func (r *reader) checkRegexp(at sqlast.Pos, name string, args []sqlast.Expr) {
	if !matchers[name] || len(args) < 2 {
		return
	}
	pattern, ok := args[1].(*sqlast.String)
	if !ok {
		r.fail(sqlast.TooCostly, at, name, "the regular expression has to be a literal: "+
			"to search for a column or a computed text use contains, starts_with or ends_with")
		return
	}
	parsed, err := syntax.Parse(pattern.Value, syntax.Perl)
	if err == nil && partsOf(parsed) <= maxRepeated+len(pattern.Value) ||
		err != nil && !strings.Contains(pattern.Value, "{") { // DuckDB says what is wrong
		return
	}
	r.fail(sqlast.TooCostly, at, name, fmt.Sprintf("the counts in the regular expression, such as {1000}, repeat its parts "+
		"too often: at most %d repetitions are possible together; use smaller counts, or * and length()", maxRepeated))
}

// partsOf returns how many parts an expression has with its counts written out.
func partsOf(e *syntax.Regexp) int {
	n := max(1, len(e.Rune))
	if e.Op == syntax.OpCharClass {
		n = 1
	}
	for _, sub := range e.Sub {
		n += partsOf(sub)
	}
	if e.Op == syntax.OpRepeat {
		n *= max(e.Max, e.Min+1)
	}
	return n
}
