package mysql

import (
	"fmt"
	"strings"

	"github.com/qedkit/qed/internal/sqlast"
)

// MariaDB does not look at its time limit while PCRE2 matches a regular expression.
// PCRE2 has limits of its own, which a pattern can set: matchLimit of its steps take
// 0.07 s. It counts the steps anew for each position at which a match may start, and
// it does not count how far a possessive repetition goes. Patterns are therefore
// printed so that
//
//   - the pattern matches at the first position only, \G, and finds the start of the
//     match by itself: \K makes the match begin there, and no group is added;
//   - no repetition becomes possessive: whatever it went, it goes back in steps.
//
// If a limit is reached, MariaDB returns no match and a warning, for which package
// sqldb/mysqldb returns an error.
const (
	matchLimit  = 5_000_000
	heapLimit   = 64 << 10 // in KiB
	stepWeight  = 6        // a step takes the time of comparing this many characters
	mostWeight  = 1 << 30
	replaceable = 20_000 // characters of a text: REGEXP_REPLACE reads its rest for each match
)

// boundedPattern returns what is printed for the pattern e of the function call, or
// of REGEXP, where it is for a MariaDB server alone.
func boundedPattern(e sqlast.Expr, call string) (sqlast.Expr, error) {
	return changePattern(e, func(s *sqlast.String) (sqlast.Expr, error) {
		text, err := boundedText(s, call)
		return &sqlast.String{Pos: s.Pos, Value: text}, err
	})
}

// portablePattern is boundedPattern for a server that can be MySQL, which has a time
// limit for patterns and another grammar.
func portablePattern(e sqlast.Expr, call string) (sqlast.Expr, error) {
	return changePattern(e, func(s *sqlast.String) (sqlast.Expr, error) {
		text, err := boundedText(s, call)
		if err != nil || text == s.Value {
			return s, err
		}
		version := &sqlast.Call{Pos: s.Pos, Name: "version"}
		return &sqlast.Call{Pos: s.Pos, Name: "if", Args: []sqlast.Expr{
			&sqlast.Like{Pos: s.Pos, Op: sqlast.OpLike, X: version, Pattern: &sqlast.String{Value: "%MariaDB%"}},
			&sqlast.String{Pos: s.Pos, Value: text}, s,
		}}, nil
	})
}

// changePattern returns e with what change returns for its literal.
func changePattern(e sqlast.Expr, change func(*sqlast.String) (sqlast.Expr, error)) (sqlast.Expr, error) {
	switch e := e.(type) {
	case *sqlast.Number, *sqlast.Bool, *sqlast.Null:
		return e, nil
	case *sqlast.Binary:
		switch e.Op {
		case sqlast.Add, sqlast.Sub, sqlast.Mul, sqlast.Div, sqlast.IntDiv, sqlast.Mod:
			return e, nil // the text of a number
		}
	case *sqlast.Collate:
		x, err := changePattern(e.X, change)
		return &sqlast.Collate{Pos: e.Pos, X: x, Name: e.Name}, err
	case *sqlast.Cast:
		if strings.EqualFold(e.Type, "binary") {
			x, err := changePattern(e.X, change)
			return &sqlast.Cast{Pos: e.Pos, X: x, Type: e.Type}, err
		}
	}
	text, ok := literalText(e)
	if !ok {
		return nil, refusePattern(e.At(), "a regular expression has to be a literal, because MariaDB does not limit the time "+
			"that a computed one takes: write a literal, or compare with LIKE, LOCATE or INSTR")
	}
	return change(&sqlast.String{Pos: e.At(), Value: text})
}

// literalText returns the value of a string literal, or of a CONCAT of some.
func literalText(e sqlast.Expr) (string, bool) {
	switch e := e.(type) {
	case *sqlast.String:
		return e.Value, true
	case *sqlast.Call:
		if e.Name != "concat" {
			return "", false
		}
		var text strings.Builder
		for _, arg := range e.Args {
			part, ok := literalText(arg)
			if !ok {
				return "", false
			}
			text.WriteString(part)
		}
		return text.String(), true
	}
	return "", false
}

func refusePattern(at sqlast.Pos, format string, args ...any) error {
	return &sqlast.Error{Code: sqlast.TooCostly, Name: "REGEXP", Pos: at, Message: fmt.Sprintf(format, args...)}
}

// boundedText returns a pattern for PCRE2 that finds the same matches, see matchLimit.
func boundedText(s *sqlast.String, call string) (string, error) {
	pattern, replaces := s.Value, call == "regexp_replace"
	if !replaces && !strings.ContainsAny(pattern, `*+?{(\`) {
		return pattern, nil // tries the alternatives once at each position
	}
	r := patternReader{rest: pattern}
	weight := r.alternatives(false)
	if r.rest != "" {
		r.fail("a parenthesis without its pair")
	}
	if r.problem != "" {
		return "", refusePattern(s.Pos, "a regular expression with %s is not supported, because MariaDB would not limit "+
			"its time: write a simpler one, or several conditions with AND, OR and NOT", r.problem)
	}
	limits := fmt.Sprintf("(*LIMIT_MATCH=%d)(*LIMIT_HEAP=%d)(*NO_AUTO_POSSESS)",
		max(1, matchLimit*stepWeight/(stepWeight+weight+r.groups)), heapLimit)
	skip := "(?s:.*?)"
	if strings.HasPrefix(pattern, ".*") && !strings.Contains(pattern, "|") {
		skip = "(?:|(?s:.*?)(?<!.))" // it matches at the start of a line, or nowhere in it
	}
	first := `\G` + skip + `\K(?:` + pattern + ")"
	if !replaces {
		return limits + first, nil
	}
	// At the start of the text, two alternatives that match nothing reach the limit if
	// the text is too long, and count the steps of all matches.
	long := fmt.Sprintf(`\A(?=(?s:.{%d}))(?s:.*.*)(*FAIL)`, replaceable)
	all := `\A(?>` + skip + "(?:" + pattern + "))*+(*FAIL)"
	return limits + "(?|" + long + "|" + all + "|" + first + ")", nil
}

// A patternReader reads a regular expression as PCRE2 does. It accepts what every
// step goes through in a bounded time, and what means the same inside a group.
type patternReader struct {
	rest    string
	groups  int // that capture
	problem string
}

func (r *patternReader) fail(format string, args ...any) {
	if r.problem == "" {
		r.problem = fmt.Sprintf(format, args...)
	}
	r.rest = ""
}

// alternatives reads up to a closing parenthesis or the end. It returns how many
// characters one step may compare. fixed is set within an assertion, from which no
// step goes back into a repetition.
func (r *patternReader) alternatives(fixed bool) int {
	most, sum, last := 0, 0, 0
	for r.rest != "" && r.rest[0] != ')' {
		switch r.rest[0] {
		case '|':
			r.rest = r.rest[1:]
			most, sum, last = max(most, sum), 0, 0
			continue
		case '*', '+', '?':
			repeats := r.rest[0] != '?'
			r.rest = r.rest[1:]
			r.repetition(fixed && repeats)
			continue
		case '{':
			if least, exact, ok := r.count(); ok {
				r.repetition(fixed && !exact)
				sum = min(sum+last*max(0, least-1), mostWeight)
				last = min(last*max(1, least), mostWeight)
				continue
			}
			r.rest = r.rest[1:]
			last = 1
		case '(':
			last = r.group(fixed)
		case '[':
			last = r.class()
		case '\\':
			r.escape()
			last = 1
		default:
			r.rest = r.rest[1:]
			last = 1
		}
		sum = min(sum+last, mostWeight)
	}
	return max(most, sum)
}

// repetition reads what follows a repetition.
func (r *patternReader) repetition(inAssertion bool) {
	switch {
	case inAssertion:
		r.fail("a repetition in a lookahead or lookbehind")
	case strings.HasPrefix(r.rest, "+"):
		r.fail("a possessive repetition")
	case strings.HasPrefix(r.rest, "?"):
		r.rest = r.rest[1:]
	}
}

// count reads {n}, {n,}, {n,m} or {,m}.
func (r *patternReader) count() (least int, exact, ok bool) {
	inside, rest, closed := strings.Cut(r.rest[1:], "}")
	from, to, ranged := strings.Cut(strings.ReplaceAll(inside, " ", ""), ",")
	if !closed || len(from) > 5 || digits(from) != len(from) || digits(to) != len(to) || from == "" && to == "" {
		return 0, false, false
	}
	for _, b := range []byte(from) {
		least = 10*least + int(b-'0')
	}
	r.rest = rest
	return least, !ranged, true
}

// groupKinds are what may follow the opening parenthesis of a group, and whether the
// group is an assertion.
var groupKinds = []struct {
	start  string
	assert bool
}{
	{"?:", false}, {"?=", true}, {"?!", true}, {"?<=", true}, {"?<!", true},
}

func (r *patternReader) group(fixed bool) int {
	r.rest = r.rest[1:]
	switch {
	case strings.HasPrefix(r.rest, "?"):
		if !r.groupKind(&fixed) {
			r.fail("(%s", clipped(r.rest))
		}
	case strings.HasPrefix(r.rest, "*"):
		r.fail("(*")
	default:
		r.groups++
	}
	weight := r.alternatives(fixed)
	if r.rest == "" {
		r.fail("a parenthesis without its pair")
		return 0
	}
	r.rest = r.rest[1:]
	return weight
}

// groupKind reads what follows the opening parenthesis of a group that does not
// capture, or flags.
func (r *patternReader) groupKind(fixed *bool) bool {
	for _, k := range groupKinds {
		if rest, ok := strings.CutPrefix(r.rest, k.start); ok {
			r.rest = rest
			*fixed = *fixed || k.assert
			return true
		}
	}
	rest := strings.TrimLeft(r.rest[1:], "ims-")
	if len(rest)+1 == len(r.rest) || rest == "" || rest[0] != ':' && rest[0] != ')' {
		return false
	}
	r.rest = strings.TrimPrefix(rest, ":")
	return true
}

// class reads [..] and returns how many characters it compares with another one.
func (r *patternReader) class() int {
	all := r.rest
	r.rest = strings.TrimPrefix(r.rest[1:], "^")
	r.rest = strings.TrimPrefix(r.rest, "]")
	weight := 1
	for r.rest != "" {
		switch c := r.rest[0]; {
		case c == ']':
			r.rest = r.rest[1:]
			return weight
		case c == '\\':
			r.escape()
			weight++
			continue
		case c == '[' && len(r.rest) > 1 && strings.IndexByte(":.=", r.rest[1]) >= 0:
			name, rest, ok := strings.Cut(r.rest[2:], ":]")
			if r.rest[1] != ':' || !ok || strings.Trim(name, "^<>abcdefghijklmnopqrstuvwxyz") != "" {
				r.fail("%s in a class", clipped(r.rest))
				continue
			}
			r.rest = rest
			continue
		case c >= 0x80:
			weight++
		}
		r.rest = r.rest[1:]
	}
	r.fail("a class without its end, %s", clipped(all))
	return weight
}

// escape reads a backslash and what it escapes.
func (r *patternReader) escape() {
	if len(r.rest) < 2 {
		r.fail("a backslash at its end")
		return
	}
	c := r.rest[1]
	switch letter := c|0x20 >= 'a' && c|0x20 <= 'z'; {
	case '1' <= c && c <= '9':
		r.fail("a back reference")
		return
	case letter && strings.IndexByte("dDwWsSbBAzZntrfeahHvVRNxpP", c) < 0:
		r.fail(`\%c`, c)
		return
	}
	r.rest = r.rest[2:]
	if strings.IndexByte("NxpP", c) >= 0 && strings.HasPrefix(r.rest, "{") {
		_, rest, ok := strings.Cut(r.rest, "}")
		if !ok {
			r.fail(`\%c without }`, c)
			return
		}
		r.rest = rest
	}
}

// clipped returns the start of a text.
func clipped(s string) string { return strings.ToValidUTF8(s[:min(len(s), 10)], "") }
