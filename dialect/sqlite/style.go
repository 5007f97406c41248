package sqlite

import (
	"strings"

	"github.com/qedkit/qed/internal/ascii"
	"github.com/qedkit/qed/internal/sqlast"
)

var style = sqlast.Style{
	AppendName:   func(dst []byte, name string) []byte { return appendQuoted(dst, name, '"') },
	AppendString: func(dst []byte, value string) []byte { return appendQuoted(dst, value, '\'') },
	AppendColumn: appendColumn,
	Same:         "IS",
	NotSame:      "IS NOT",
	BoolNames:    true,
	CrossJoin:    "JOIN", // CROSS JOIN would also set the order of the loops
	Raise:        raise,
	CallAs:       boundedJSON,
}

// raise returns a call whose error quotes text, which is no path.
func raise(text string, row sqlast.Expr) sqlast.Expr {
	return &sqlast.Call{Name: "json_extract", Args: []sqlast.Expr{row, &sqlast.String{Value: text}}}
}

// appendColumn keeps the quotes that have a meaning in SQLite: "x" is a string if
// there is no column x, `x` is always a name, and only true without quotes is a
// boolean.
func appendColumn(dst []byte, c *sqlast.Column) []byte {
	switch {
	case c.DoubleQuoted:
		return appendQuoted(dst, c.Name, '"')
	case ascii.EqualFold(c.Name, "true"), ascii.EqualFold(c.Name, "false"):
		return append(dst, c.Name...)
	}
	return appendQuoted(dst, c.Name, '`')
}

func appendQuoted(dst []byte, s string, quote byte) []byte {
	dst = append(dst, quote)
	for {
		i := strings.IndexByte(s, quote)
		if i < 0 {
			break
		}
		dst = append(dst, s[:i+1]...)
		dst = append(dst, quote)
		s = s[i+1:]
	}
	dst = append(dst, s...)
	return append(dst, quote)
}
