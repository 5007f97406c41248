package graphql

import (
	"strconv"

	"github.com/vektah/gqlparser/v2/ast"
)

// pathsOf returns the path of every position in a query. It is called only when
// the query is refused.
func pathsOf(doc *ast.QueryDocument) map[position]string {
	p := paths{}
	for _, op := range doc.Operations {
		p.variables(op.VariableDefinitions)
		p.directives("", op.Directives)
		p.set("", op.SelectionSet)
	}
	for _, f := range doc.Fragments {
		path := "fragment " + clip(f.Name, 80)
		p.put(f.Position, path)
		p.directives(path, f.Directives)
		p.set(path, f.SelectionSet)
	}
	return p
}

type paths map[position]string

func (p paths) put(pos *ast.Position, path string) {
	if _, ok := p[at(pos)]; !ok && pos != nil {
		p[at(pos)] = clip(path, maxMessage)
	}
}

func (p paths) variables(list ast.VariableDefinitionList) {
	for _, v := range list {
		path := "$" + clip(v.Variable, 80)
		p.put(v.Position, path)
		if v.DefaultValue != nil {
			p.value(path, v.DefaultValue)
		}
		p.directives(path, v.Directives)
	}
}

func (p paths) set(path string, set ast.SelectionSet) {
	if len(path) > maxMessage {
		path = clip(path, maxMessage)
	}
	for _, s := range set {
		switch s := s.(type) {
		case *ast.Field:
			inner := join(path, clip(s.Alias, 80))
			p.put(s.Position, inner)
			p.arguments(inner, s.Arguments)
			p.directives(inner, s.Directives)
			p.set(inner, s.SelectionSet)
		case *ast.InlineFragment:
			p.put(s.Position, path)
			p.directives(path, s.Directives)
			p.set(path, s.SelectionSet)
		case *ast.FragmentSpread:
			p.put(s.Position, path)
			p.directives(path, s.Directives)
		}
	}
}

func (p paths) directives(path string, list ast.DirectiveList) {
	for _, d := range list {
		p.put(d.Position, path+"@"+clip(d.Name, 80))
		p.arguments(path+"@"+clip(d.Name, 80), d.Arguments)
	}
}

func (p paths) arguments(path string, list ast.ArgumentList) {
	for _, a := range list {
		inner := path + "(" + clip(a.Name, 80) + ")"
		p.put(a.Position, inner)
		p.value(inner, a.Value)
	}
}

func (p paths) value(path string, v *ast.Value) {
	p.put(v.Position, path)
	path = clip(path, maxMessage)
	for i, child := range v.Children {
		name := child.Name
		if v.Kind == ast.ListValue {
			name = strconv.Itoa(i)
		}
		inner := join(path, clip(name, 80))
		p.put(child.Position, inner)
		p.value(inner, child.Value)
	}
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}
