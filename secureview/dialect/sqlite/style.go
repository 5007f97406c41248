package sqlite

import (
	"github.com/qedkit/qed/internal/ascii"
	"github.com/qedkit/qed/internal/sqlast"
)

var style = sqlast.Style{
	AppendName:   func(dst []byte, name string) []byte { return sqlast.AppendQuoted(dst, name, '"') },
	AppendString: func(dst []byte, value string) []byte { return sqlast.AppendQuoted(dst, value, '\'') },
	AppendColumn: appendColumn,
	Same:         "IS",
	NotSame:      "IS NOT",
	BoolNames:    true,
	Untyped:      true,
	OwnColumns:   true,
	CrossJoin:    "JOIN", // CROSS JOIN would also set the order of the loops
	Raise:        raise,
	CallAs:       boundedJSON,
}

// raise returns a call whose error quotes the message, which is no path.
func raise(message string, row sqlast.Expr) sqlast.Expr {
	return call("json_extract", row, text(message))
}

// appendColumn keeps the quotes that have a meaning in SQLite: "x" is a string if
// there is no column x, `x` is always a name, and only true without quotes is a
// boolean.
func appendColumn(dst []byte, c *sqlast.Column) []byte {
	switch {
	case c.DoubleQuoted:
		return sqlast.AppendQuoted(dst, c.Name, '"')
	case ascii.EqualFold(c.Name, "true"), ascii.EqualFold(c.Name, "false"):
		return append(dst, c.Name...)
	}
	return sqlast.AppendQuoted(dst, c.Name, '`')
}
