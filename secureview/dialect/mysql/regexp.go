package mysql

import (
	"fmt"
	"regexp"
	"regexp/syntax"
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
	replaceable = 20_000   // characters of a text: REGEXP_REPLACE reads its rest for each match
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
	case *sqlast.String:
		return change(e)
	case *sqlast.Collate:
		x, err := changePattern(e.X, change)
		return &sqlast.Collate{Pos: e.Pos, X: x, Name: e.Name}, err
	case *sqlast.Cast:
		if strings.EqualFold(e.Type, "binary") {
			x, err := changePattern(e.X, change)
			return &sqlast.Cast{Pos: e.Pos, X: x, Type: e.Type}, err
		}
	}
	return nil, refusePattern(e.At(), "a regular expression has to be a literal, because MariaDB does not limit the time "+
		"that a computed one takes: write a literal, or compare with LIKE, LOCATE or INSTR")
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
	plain := properties.ReplaceAllString(flags.ReplaceAllString(pattern, "(?:"), `\d`)
	tree, err := syntax.Parse(plain, syntax.Perl)
	if err != nil || readDifferently.MatchString(pattern) {
		return "", refusePattern(s.Pos, "this regular expression is not supported, because MariaDB would not limit its time: "+
			"write one without assertions, back references and possessive repetitions, or several conditions with AND, OR and NOT")
	}
	limits := fmt.Sprintf("(*LIMIT_MATCH=%d)(*LIMIT_HEAP=%d)(*NO_AUTO_POSSESS)",
		max(1, matchLimit*stepWeight/(stepWeight+compared(tree)+tree.MaxCap())), heapLimit)
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

// readDifferently finds what package [syntax] accepts and PCRE2 reads or may read in
// another way: a quotation, which could go on after the pattern, a back reference, a
// possessive repetition with blanks in it or without its least number, groups other
// than (..), (?:..) and (?ims), and names of classes that are none.
var readDifferently = regexp.MustCompile(`\\Q|\\[1-9]|\{[0-9\t ]*,?[0-9\t ]*\}\+|\(\?[^:ims-]|` +
	`\[\[[.=]|\[\[:[\^a-z]*(?:[^\^a-z:]|$)`)

// Flags and properties of characters are replaced before a pattern is parsed: package
// [syntax] takes 8 ms for (?i)[ā-𐍈], and has tables of all letters for \pL.
var (
	flags      = regexp.MustCompile(`\(\?[ims-]+:?`)
	properties = regexp.MustCompile(`\\[pP](?:\{\^?\w+\}|[A-Z])`)
)

// compared returns how many characters a single step of a match may compare.
func compared(e *syntax.Regexp) int {
	n := 0
	switch e.Op {
	case syntax.OpLiteral:
		n = len(e.Rune)
	case syntax.OpCharClass:
		n = len(e.Rune) / 2 // its ranges
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		n = 1
	}
	for _, sub := range e.Sub {
		n += compared(sub)
	}
	if e.Op == syntax.OpRepeat {
		n *= max(1, e.Min)
	}
	return n
}
