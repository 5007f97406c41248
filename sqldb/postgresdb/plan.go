package postgresdb

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"github.com/qedkit/qed/secureview/dialect"
)

// isPure reports whether a function that is read like a table computes its rows
// from its arguments and nothing else, according to the dialect of the statement. A
// statement may only read such functions.
func (n name) isPure(d dialect.Dialect) bool {
	return (n.schema == "pg_catalog" || n.schema == "") && d.Safe(n.name)
}

// A planNode is a node of a plan in the JSON format of EXPLAIN.
type planNode struct {
	Type     string `json:"Node Type"`
	Schema   string
	Strategy string  // of an Aggregate
	Table    string  `json:"Relation Name"`
	Parent   string  `json:"Parent Relationship"`
	Rows     float64 `json:"Plan Rows"`
	Cost     float64 `json:"Total Cost"`
	Function string  `json:"Function Name"` // empty if there are several
	Calls    string  `json:"Function Call"`
	Plans    []planNode
}

// parsePlan parses what EXPLAIN returns: one plan.
func parsePlan(text []byte) (*planNode, error) {
	var plans []struct{ Plan planNode }
	if err := json.Unmarshal(text, &plans); err != nil {
		return nil, fmt.Errorf("postgresdb: parse the plan: %w", err)
	} else if len(plans) != 1 {
		return nil, fmt.Errorf("postgresdb: EXPLAIN returned %d plans, not one", len(plans))
	}
	return &plans[0].Plan, nil
}

// functions adds the functions that a plan reads like tables.
func (n *planNode) functions(found []name) []name {
	switch {
	case n.Type != "Function Scan":
	case n.Function != "":
		found = append(found, name{n.Schema, n.Function})
	default:
		found = append(found, callNames(n.Calls)...)
	}
	for i := range n.Plans {
		found = n.Plans[i].functions(found)
	}
	return found
}

// callNames returns the names in a list of calls, such as f(1, ','), s.g(2). A
// function that is not in the search path is written with its schema.
func callNames(calls string) []name {
	var found []name
	for calls != "" {
		var n name
		for {
			n.name, calls = identifier(calls)
			if !strings.HasPrefix(calls, ".") {
				break
			}
			n.schema, calls = n.name, calls[1:]
		}
		found = append(found, n)
		calls = strings.TrimLeft(afterCall(calls), ", ")
	}
	return found
}

// identifier splits s after a name, which may be quoted.
func identifier(s string) (name, rest string) {
	if !strings.HasPrefix(s, `"`) {
		end := strings.IndexAny(s, `.(`)
		if end < 0 {
			return s, "" // not a call
		}
		return s[:end], s[end:]
	}
	end := afterQuoted(s)
	return strings.ReplaceAll(strings.Trim(s[:end], `"`), `""`, `"`), s[end:]
}

// afterCall returns the text after the arguments with which s begins.
func afterCall(s string) string {
	depth := 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\'', '"':
			i += afterQuoted(s[i:]) - 1
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return s[i+1:]
			}
		}
	}
	return ""
}

// afterQuoted returns the end of the string or quoted name with which s begins.
func afterQuoted(s string) int { return len(quotedText.FindString(s)) }

var quotedText = regexp.MustCompile(`^(?:'(?:[^']|'')*'?|"(?:[^"]|"")*"?)`)
