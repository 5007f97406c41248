package graphql

import "github.com/vektah/gqlparser/v2/ast"

// measure checks the size and depth of the query. It runs first, because later
// steps take more than linear time. It visits every fragment once, however often
// the fragment is spread.
func (c *check) measure() {
	if len(c.doc.Fragments) > maxFragments {
		c.add(ErrTooLarge, position{}, meant{}, "the query has more than %d fragments", maxFragments)
		return
	}
	m := measurer{fragments: c.fragments, done: map[string]extent{}}
	m.list(c.operation.Directives)
	for _, v := range c.operation.VariableDefinitions {
		m.list(v.Directives)
		m.value(v.DefaultValue, 0)
	}
	whole := m.set(c.operation.SelectionSet)
	fields := whole.fields
	for _, f := range c.doc.Fragments { // the rules walk unused fragments too
		fields = max(fields, m.fragment(f).fields)
		m.list(f.Directives)
	}
	switch {
	case m.directives > maxDirectives:
		c.add(ErrTooLarge, position{}, meant{}, "the query has more than %d directives", maxDirectives)
	case fields > maxFields:
		c.add(ErrTooLarge, position{}, meant{},
			"the query asks for more than %d fields, fragments included: ask for fewer", maxFields)
	case m.nested != nil:
		c.add(ErrTooLarge, at(m.nested), meant{}, "a value has more than %d nested lists and objects", maxNesting)
	case whole.depth > maxDepth:
		c.add(ErrTooLarge, at(m.deepest), meant{},
			"the fields are nested %d deep: the limit is %d", whole.depth, maxDepth)
	}
}

// An extent is the size of a selection with its fragments expanded.
type extent struct{ fields, depth int }

type measurer struct {
	fragments  map[string]*ast.FragmentDefinition
	done       map[string]extent // zero while a fragment is measured: a rule reports the cycle
	directives int
	deepest    *ast.Position // the deepest field
	nested     *ast.Position // a value that is nested too deep
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

func (m *measurer) set(set ast.SelectionSet) extent {
	var e extent
	for _, s := range set {
		var inner extent
		switch s := s.(type) {
		case *ast.Field:
			m.list(s.Directives)
			m.arguments(s.Arguments)
			inner = m.set(s.SelectionSet)
			inner.fields++
			inner.depth++
			if inner.depth > e.depth {
				m.deepest = s.Position
			}
		case *ast.InlineFragment:
			m.list(s.Directives)
			inner = m.set(s.SelectionSet)
		case *ast.FragmentSpread:
			m.list(s.Directives)
			if f := m.fragments[s.Name]; f != nil {
				inner = m.fragment(f)
			}
			inner.fields = max(inner.fields, 1) // an unknown fragment or a cycle has a size too
		}
		e.fields = min(e.fields+inner.fields, beyond)
		e.depth = max(e.depth, inner.depth)
	}
	return e
}

func (m *measurer) fragment(f *ast.FragmentDefinition) extent {
	e, ok := m.done[f.Name]
	if !ok {
		m.done[f.Name] = extent{}
		e = m.set(f.SelectionSet)
		m.done[f.Name] = e
	}
	return e
}
