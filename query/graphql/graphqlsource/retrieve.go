package graphqlsource

import (
	"strings"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/parser"

	"github.com/qedkit/qed/internal/prompt"
	"github.com/qedkit/qed/internal/strictjson"
)

// howToRetrieve describes where the rows come from: the top fields of the query with
// their arguments, as they were written.
func (s *source) howToRetrieve(r request) string {
	how := "GraphQL service " + s.name
	doc, err := parser.ParseQuery(&ast.Source{Input: r.Query})
	if err != nil || len(doc.Operations) != 1 {
		return how // not reached: the Guard parsed it
	}
	var fields []string
	for _, sel := range doc.Operations[0].SelectionSet {
		f, ok := sel.(*ast.Field)
		if !ok {
			continue
		}
		text := f.Name
		var args []string
		for _, a := range f.Arguments {
			args = append(args, a.Name+": "+a.Value.String())
		}
		if len(args) > 0 {
			text += "(" + strings.Join(args, ", ") + ")"
		}
		fields = append(fields, text)
	}
	if len(fields) > 0 {
		how += ": " + strings.Join(fields, ", ")
	}
	if len(r.Variables) > 0 {
		if values, err := strictjson.Encode(r.Variables); err == nil && string(values) != "{}" {
			how += " with " + string(values)
		}
	}
	return prompt.Clip(how, maxHow)
}

const maxHow = 1000
