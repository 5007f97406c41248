package postgres

import (
	"slices"
	"strings"

	"github.com/qedkit/qed/internal/sqlast"
	"github.com/qedkit/qed/internal/wordset"
)

var style = sqlast.Style{
	AppendName:        appendName,
	AppendString:      appendString,
	ArgSeparator:      argSeparator,
	CallPrefix:        callPrefix,
	Same:              "IS NOT DISTINCT FROM",
	NotSame:           "IS DISTINCT FROM",
	CrossJoin:         "JOIN",
	BareJoinOn:        "TRUE",
	ParenthesizedArms: true,
	IntersectFirst:    true,
	ValuesTail:        true,
	BareOffset:        true,
	SignsAlike:        true,
	BitXor:            "#",
	Field:             sqlast.CompositeField,
	Filter:            boundedFilter,
	ArrayOf:           boundedArray,
	Raise:             raise,
	BarrierEnd:        " OFFSET 0",
}

// raise returns a cast whose error quotes the message, which is no boolean.
func raise(message string, row sqlast.Expr) sqlast.Expr {
	return cast(call("concat", text(message+": "), row), "boolean")
}

func appendName(dst []byte, name string) []byte { return sqlast.AppendQuoted(dst, name, '"') }

// appendString writes E'..' for a string with a backslash, because the meaning of a
// backslash in '..' depends on standard_conforming_strings.
func appendString(dst []byte, value string) []byte {
	if strings.IndexByte(value, '\\') < 0 {
		return sqlast.AppendQuoted(dst, value, '\'')
	}
	return sqlast.AppendQuoted(append(dst, 'E'), strings.ReplaceAll(value, `\`, `\\`), '\'')
}

// argSeparator returns the separator of the arguments of calls that have keywords
// between them.
func argSeparator(c *sqlast.Call, i int) string {
	switch c.Name {
	case "extract":
		return " FROM "
	case "position":
		return " IN "
	case "overlay":
		return overlayWords[i]
	}
	return ""
}

// callPrefix returns the schema of PostgreSQL's own functions. Without it a function
// of a schema in the search path would be called if the server does not have the
// function, or if the other one fits the arguments better. The latter is meant
// for the functions that citext has too.
func callPrefix(c *sqlast.Call) string {
	if keywordCalls[c.Name] || !bounds.Safe(c.Name) && !counting[c.Name] || slices.Contains(sqlast.Overloaded, c.Name) {
		return ""
	}
	return "pg_catalog."
}

// keywordCalls are the calls that begin with a keyword, which no schema may precede.
// They mean PostgreSQL's own functions.
var keywordCalls = wordset.Of("coalesce nullif greatest least grouping extract position overlay")

var overlayWords = [...]string{"", " PLACING ", " FROM ", " FOR "}
