package dialect

import (
	"math"
	"strconv"

	"github.com/qedkit/qed/internal/sqlast"
	"github.com/qedkit/qed/internal/wordset"
)

var style = sqlast.Style{
	AppendName:        appendName,
	AppendString:      appendString,
	CallPrefix:        callPrefix,
	Field:             "struct_extract", // as a function, it takes no JSON
	Same:              "IS NOT DISTINCT FROM",
	NotSame:           "IS DISTINCT FROM",
	CrossJoin:         "CROSS JOIN",
	BareJoinOn:        "",
	ParenthesizedArms: true,
	IntersectFirst:    true,
	ValuesTail:        true,
	BareOffset:        true,
	SignsAlike:        true,
	ArrowsLast:        true,
	IntDiv:            "//",
	ImplicitLateral:   true,
	Barrier:           true,
	BarrierEnd:        " LIMIT " + strconv.FormatInt(math.MaxInt64, 10),
}

func appendName(dst []byte, name string) []byte { return sqlast.AppendQuoted(dst, name, '"') }

func appendString(dst []byte, value string) []byte { return sqlast.AppendQuoted(dst, value, '\'') }

// callPrefix returns the schema of DuckDB's own functions. Without it a macro of
// the database with the same name would be called.
func callPrefix(c *sqlast.Call) string {
	if keywordCalls[c.Name] || !bounds.Safe(c.Name) {
		return ""
	}
	return "system.main."
}

// keywordCalls are the calls that no schema may precede. They mean DuckDB's own
// functions.
var keywordCalls = wordset.Of("coalesce grouping try unnest")
