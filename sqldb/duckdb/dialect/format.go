package dialect

import (
	"regexp"
	"strings"

	"github.com/qedkit/qed/internal/sqlast"
)

// unbounded are the parts of a format that can make its result much longer than the
// format and the values together: a width or precision above 99, one that is itself a
// value, and a value by its number, which may be repeated.
var unbounded = map[string]*regexp.Regexp{
	"format": regexp.MustCompile(`[0-9]{3}|\{[^:}]|\{[^}]*\{`),
	"printf": regexp.MustCompile(`[0-9]{3}|[$*]`),
}

// checkFormat refuses a call of format or printf whose format is not a literal, or has
// an unbounded part.
func (r *reader) checkFormat(at sqlast.Pos, name string, args []sqlast.Expr) {
	parts := unbounded[name]
	if parts == nil || len(args) == 0 {
		return
	}
	text, ok := args[0].(*sqlast.String)
	if !ok || parts.MatchString(strings.ReplaceAll(text.Value, "{{", "")) {
		r.fail(sqlast.TooCostly, at, name, "the format of "+name+" has to be a literal with the values in their order, and "+
			"with widths and precisions below 100 that are written in it")
	}
}
