package sqlite

import (
	"strings"

	"github.com/qedkit/qed/internal/sqlast"
)

// boundedJSON returns an expression with the value of a JSON aggregate. SQLite bounds
// the memory of group_concat by the maximum size of a value, and does not bound the
// memory of its JSON aggregates. An object leaves out the keys that are NULL.
//
// boundedJSON returns nil for any other call. It also returns nil for DISTINCT, which
// compares the values before they are JSON: package sqlbound restricts it.
func boundedJSON(c *sqlast.Call) sqlast.Expr {
	parse, kind, ok := strings.Cut(c.Name, "_group_")
	if !ok || c.Distinct || parse != "json" && parse != "jsonb" {
		return nil
	}
	list := &sqlast.Call{Name: "group_concat", OrderBy: c.OrderBy, Filter: c.Filter, Over: c.Over}
	before, after := "[", "]"
	switch {
	case kind == "array" && len(c.Args) == 1:
		list.Args = []sqlast.Expr{call("json_quote", c.Args[0])}
	case kind == "object" && len(c.Args) == 2:
		before, after = "{", "}"
		key := call("json_quote", &sqlast.Cast{X: c.Args[0], Type: "text"})
		pair := concat(call("nullif", key, text("null")), text(":"), call("json_quote", c.Args[1]))
		list.Args = []sqlast.Expr{pair}
	default:
		return nil
	}
	return call(parse, concat(text(before), call("ifnull", list, text("")), text(after)))
}

func text(s string) sqlast.Expr { return &sqlast.String{Value: s} }

func call(name string, args ...sqlast.Expr) sqlast.Expr {
	return &sqlast.Call{Name: name, Args: args}
}

func concat(x sqlast.Expr, others ...sqlast.Expr) sqlast.Expr {
	for _, y := range others {
		x = &sqlast.Binary{Op: sqlast.Concat, X: x, Y: y}
	}
	return x
}
