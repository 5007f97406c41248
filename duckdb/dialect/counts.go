package dialect

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/qedkit/qed/internal/ascii"
	"github.com/qedkit/qed/internal/sqlast"
)

// A wholeArgument is an argument that says how much a function makes or keeps, or how
// far it goes. Only a number that is written in the statement can be bounded.
type wholeArgument struct {
	at    int // its position, from 0
	least int64
	most  int64
}

// wholeArguments are those arguments. DuckDB does not count what they cost against
// its limits, and ends the process or makes the database unusable for the largest.
var wholeArguments = map[string]wholeArgument{
	"lag":          {1, -1_000_000, 1_000_000},
	"lead":         {1, -1_000_000, 1_000_000},
	"nth_value":    {1, 1, 1_000_000},
	"ntile":        {0, 1, 1_000_000},
	"approx_top_k": {1, 1, 100},
	"min":          {1, 1, 1000},
	"max":          {1, 1, 1000},
	"arg_min":      {2, 1, 1000},
	"arg_max":      {2, 1, 1000},
	"argmin":       {2, 1, 1000},
	"argmax":       {2, 1, 1000},
	"min_by":       {2, 1, 1000},
	"max_by":       {2, 1, 1000},
	"bitstring":    {1, 1, 10_000},
}

// checkWhole refuses a call with such an argument that is no number of the statement,
// or one out of bounds.
func (r *reader) checkWhole(at sqlast.Pos, name string, args []sqlast.Expr) {
	a, ok := wholeArguments[name]
	if !ok || len(args) <= a.at {
		return
	}
	if n, ok := wholeNumber(args[a.at]); !ok || n < a.least || n > a.most {
		r.fail(sqlast.TooCostly, at, name, fmt.Sprintf("argument %d of %s has to be a number from %d to %d, "+
			"written in the statement", a.at+1, name, a.least, a.most))
	}
}

// wholeNumber returns the value of a whole number with or without a sign.
func wholeNumber(e sqlast.Expr) (int64, bool) {
	sign := int64(1)
	if u, ok := e.(*sqlast.Unary); ok && u.Op == sqlast.Minus {
		e, sign = u.X, -1
	}
	number, ok := e.(*sqlast.Number)
	if !ok {
		return 0, false
	}
	n, err := strconv.ParseInt(number.Text, 10, 64)
	return sign * n, err == nil
}

// Bounds of what DuckDB's parser copies, in bytes, and of the terms of CUBE, whose
// grouping sets it lists.
const (
	maxWindowCopies = 4 << 20
	maxCubeTerms    = 10
)

var (
	over   = regexp.MustCompile(`(?i)\bover\b`)
	window = regexp.MustCompile(`(?i)window`)
	cube   = regexp.MustCompile(`(?i)\bcube\b`)
)

// checkCopies refuses a text whose tree would be far larger than the text. DuckDB's
// parser copies the definition of a window for each use of its name, and makes a
// grouping set of each subset of the terms of CUBE. Every OVER counts, since OVER (w)
// copies too, and comments may stand between the words.
func checkCopies(text string) error {
	refuse := func(name, message string) error {
		return &sqlast.Error{Code: sqlast.TooCostly, Name: name, Message: message}
	}
	if window.MatchString(text) && len(over.FindAllStringIndex(text, -1))*len(text) > maxWindowCopies {
		return refuse("WINDOW", "a statement of this length has too many OVER next to a named window: "+
			"use fewer, or write each window in full")
	}
	terms := 0
	for _, at := range cube.FindAllStringIndex(text, -1) {
		open := pastBlank(text, at[1])
		if open == len(text) || text[open] != '(' {
			continue
		}
		terms += termsOf(text[open+1:])
	}
	if terms > maxCubeTerms {
		return refuse("CUBE", fmt.Sprintf("all CUBEs together have %d terms, and at most %d are possible: "+
			"use GROUPING SETS", terms, maxCubeTerms))
	}
	return nil
}

// termsOf returns how many terms a text has before the parenthesis that closes them.
func termsOf(text string) int {
	terms := 1
	for i, depth := 0, 0; i < len(text) && depth >= 0; {
		switch c := text[i]; {
		case c == '\'' && i > 0 && ascii.LowerByte(text[i-1]) == 'e':
			i = pastEscaped(text, i+1)
		case c == '\'' || c == '"':
			i = past(text, i+1, text[i:i+1])
		case c == '$':
			i = pastDollar(text, i)
		case strings.HasPrefix(text[i:], "--"):
			i = past(text, i, "\n")
		case strings.HasPrefix(text[i:], "/*"):
			i = pastComment(text, i)
		default:
			switch c {
			case '(':
				depth++
			case ')':
				depth--
			case ',':
				if depth == 0 {
					terms++
				}
			}
			i++
		}
	}
	return terms
}

// pastBlank returns the offset after white space and comments.
func pastBlank(text string, i int) int {
	for i < len(text) {
		switch {
		case ascii.IsSpace(text[i]):
			i++
		case strings.HasPrefix(text[i:], "--"):
			i = past(text, i+2, "\n")
		case strings.HasPrefix(text[i:], "/*"):
			i = pastComment(text, i)
		default:
			return i
		}
	}
	return i
}
