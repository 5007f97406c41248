package graphql

import "github.com/vektah/gqlparser/v2/ast"

// measure checks the size and depth of the query. It runs first, because later
// steps take more than linear time.
func (c *check) measure() {
	m := measurer{check: c}
	m.list(c.operation.Directives)
	for _, v := range c.operation.VariableDefinitions {
		m.list(v.Directives)
		m.value(v.DefaultValue, 0)
	}
	m.set(c.operation.SelectionSet, 1)
	switch {
	case m.directives > maxDirectives:
		c.add(ErrTooLarge, position{}, meant{}, "the query has more than %d directives", maxDirectives)
	case m.fields > maxFields:
		c.add(ErrTooLarge, position{}, meant{}, "the query asks for more than %d fields: ask for fewer", maxFields)
	case m.nested != nil:
		c.add(ErrTooLarge, at(m.nested), meant{}, "a value has more than %d nested lists and objects", maxNesting)
	case m.depth > maxDepth:
		c.add(ErrTooLarge, at(m.deepest), meant{},
			"the fields are nested %d deep: the limit is %d", m.depth, maxDepth)
	}
}

type measurer struct {
	*check
	fields, depth, directives int
	deepest                   *ast.Position // the deepest field
	nested                    *ast.Position // a value that is nested too deep
}

func (m *measurer) list(directives ast.DirectiveList) {
	m.directives += len(directives)
	for _, d := range directives {
		m.arguments(d.Arguments)
	}
}

func (m *measurer) arguments(args ast.ArgumentList) {
	for _, a := range args {
		m.value(a.Value, 0)
	}
}

func (m *measurer) value(v *ast.Value, depth int) {
	switch {
	case v == nil:
		return
	case depth > maxNesting:
		m.nested = v.Position
		return
	}
	for _, child := range v.Children {
		m.value(child.Value, depth+1)
	}
}

// set measures a selection, whose fields are at a depth.
func (m *measurer) set(set ast.SelectionSet, depth int) {
	for _, s := range set {
		switch s := s.(type) {
		case *ast.Field:
			m.list(s.Directives)
			m.arguments(s.Arguments)
			m.fields++
			if depth > m.depth {
				m.depth, m.deepest = depth, s.Position
			}
			m.set(s.SelectionSet, depth+1)
		case *ast.InlineFragment:
			m.list(s.Directives)
			m.set(s.SelectionSet, depth)
		case *ast.FragmentSpread:
			m.add(ErrUnknownName, at(s.Position), meant{}, "the fragment %q is not defined", clip(s.Name, 80))
		}
	}
}
