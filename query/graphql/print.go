package graphql

import (
	"strings"

	"github.com/vektah/gqlparser/v2/ast"
)

// printQuery returns a query on one line, printed from its syntax tree.
func printQuery(doc *ast.QueryDocument) string {
	var p printer
	op := doc.Operations[0]
	p.WriteString("query")
	if op.Name != "" {
		p.WriteString(" " + op.Name)
	}
	for i, v := range op.VariableDefinitions {
		p.WriteString(separator(i, "("))
		p.WriteString("$" + v.Variable + ": " + v.Type.String())
		if v.DefaultValue != nil {
			p.WriteString(" = " + v.DefaultValue.String())
		}
		p.directives(v.Directives)
	}
	if len(op.VariableDefinitions) > 0 {
		p.WriteByte(')')
	}
	p.directives(op.Directives)
	p.set(op.SelectionSet)
	return p.String()
}

type printer struct{ strings.Builder }

func (p *printer) set(set ast.SelectionSet) {
	if len(set) == 0 {
		return
	}
	p.WriteString(" {")
	for _, s := range set {
		p.WriteByte(' ')
		switch s := s.(type) {
		case *ast.Field:
			if s.Alias != "" && s.Alias != s.Name {
				p.WriteString(s.Alias + ": ")
			}
			p.WriteString(s.Name)
			p.arguments(s.Arguments)
			p.directives(s.Directives)
			p.set(s.SelectionSet)
		case *ast.InlineFragment:
			p.WriteString("...")
			if s.TypeCondition != "" {
				p.WriteString(" on " + s.TypeCondition)
			}
			p.directives(s.Directives)
			p.set(s.SelectionSet)
		}
	}
	p.WriteString(" }")
}

func (p *printer) directives(list ast.DirectiveList) {
	for _, d := range list {
		p.WriteString(" @" + d.Name)
		p.arguments(d.Arguments)
	}
}

func (p *printer) arguments(list ast.ArgumentList) {
	for i, a := range list {
		p.WriteString(separator(i, "("))
		p.WriteString(a.Name + ": " + a.Value.String())
	}
	if len(list) > 0 {
		p.WriteByte(')')
	}
}

func separator(i int, first string) string {
	if i == 0 {
		return first
	}
	return ", "
}
