package graphql

import "github.com/vektah/gqlparser/v2/ast"

// measure bounds the query before anything is done with it that could take more
// than linear time. Every fragment is counted once, however often it is spread.
func (c *check) measure() {
	limit := &c.guard.opt
	if len(c.doc.Fragments) > maxFragments {
		c.add(ErrTooLarge, place{}, near{}, "the query has more than %d fragments", maxFragments)
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
	for _, f := range c.doc.Fragments { // those that nothing uses are walked too
		fields = max(fields, m.fragment(f).fields)
		m.list(f.Directives)
	}
	switch {
	case m.directives > maxDirectives:
		c.add(ErrTooLarge, place{}, near{}, "the query has more than %d directives", maxDirectives)
	case fields > limit.MaxFields:
		c.add(ErrTooLarge, place{}, near{}, "the query asks for more than %d fields, with its fragments put in: ask for less", limit.MaxFields)
	case m.nested != nil:
		c.add(ErrTooDeep, at(m.nested), near{}, "a value has more than %d lists and objects in each other", maxNesting)
	case whole.depth > limit.MaxDepth:
		c.add(ErrTooDeep, at(m.deepest), near{}, "the fields are %d deep in each other, and %d is the most", whole.depth, limit.MaxDepth)
	}
	c.depth = whole.depth
}

// extent is how large a selection is with its fragments put in.
type extent struct{ fields, depth int }

type measurer struct {
	fragments  map[string]*ast.FragmentDefinition
	done       map[string]extent // zero while a fragment is being measured: a cycle, which a rule reports
	directives int
	deepest    *ast.Position // of the fields
	nested     *ast.Position // a value that is too deep
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
			inner.fields = max(inner.fields, 1) // also of what is not there, or in a cycle
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
