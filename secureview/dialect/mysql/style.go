package mysql

import (
	"strings"

	"github.com/qedkit/qed/internal/sqlast"
)

var style = sqlast.Style{
	AppendName:        appendName,
	AppendString:      appendString,
	ArgSeparator:      argSeparator,
	Same:              "<=>",
	CrossJoin:         "JOIN",
	BareJoinOn:        "TRUE",
	ValuesRow:         "ROW",
	ParenthesizedArms: true,
	IntersectFirst:    true,
	ValuesTail:        true,
	BarrierEnd:        " LIMIT 18446744073709551615",
}

// What is printed for a MariaDB server, and for one that can be either.
var mariaDB, portable = withPattern(boundedPattern), withPattern(portablePattern)

func withPattern(pattern func(sqlast.Expr, string) (sqlast.Expr, error)) sqlast.Style {
	s := style
	s.Pattern = pattern
	return s
}

func appendName(dst []byte, name string) []byte { return sqlast.AppendQuoted(dst, name, '`') }

// appendString doubles quotes and backslashes. It does not escape a quote by a
// backslash, so that the literal ends at the same byte in every sql_mode.
func appendString(dst []byte, value string) []byte {
	dst = append(dst, '\'')
	dst = append(dst, escapes.Replace(value)...)
	return append(dst, '\'')
}

var escapes = strings.NewReplacer("'", "''", `\`, `\\`, "\x00", `\0`)

// argSeparator returns the separator of the arguments of calls that have keywords
// between them.
func argSeparator(c *sqlast.Call, i int) string {
	switch c.Name {
	case "extract":
		return " FROM "
	case "trim":
		if _, ok := c.Args[0].(*sqlast.Unit); !ok {
			return ""
		}
		if i == 1 {
			return " "
		}
		return " FROM "
	case "match":
		switch c.Args[i].(type) {
		case *sqlast.String:
			return ") AGAINST ("
		case *sqlast.Unit:
			return " "
		}
	case "convert", "char":
		if _, ok := c.Args[i].(*sqlast.Unit); ok {
			return " USING "
		}
	}
	return ""
}
