package graphqlsource

import (
	"cmp"
	"fmt"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/parser"
)

// A field is a field of a query in the order of the response. Inline fragments are expanded,
// and a field that is selected twice is listed once.
type field struct {
	key    string // in the response
	name   string // in the schema
	fields []*field
	leaf   bool   // a scalar, an enum, or a list of these
	typ    string // of a leaf, such as "Float"; may be empty
}

// parse returns the fields of a checked query. leafType returns the type of a scalar or an
// enum by its path in the response.
func parse(text string, leafType func(path string) string) ([]*field, error) {
	doc, err := parser.ParseQuery(&ast.Source{Input: text})
	if err != nil || len(doc.Operations) != 1 {
		// Not reached: the Guard printed the query.
		return nil, fmt.Errorf("graphqlsource: the checked query cannot be parsed: %w", err)
	}
	root := &field{}
	root.add(doc.Operations[0].SelectionSet)
	root.setTypes("", leafType)
	return root.fields, nil
}

func (f *field) setTypes(prefix string, leafType func(path string) string) {
	for _, c := range f.fields {
		if c.leaf {
			c.typ = leafType(prefix + c.key)
		}
		c.setTypes(prefix+c.key+".", leafType)
	}
}

// add adds the fields of a selection.
func (f *field) add(set ast.SelectionSet) {
	for _, s := range set {
		switch s := s.(type) {
		case *ast.Field:
			f.child(s).add(s.SelectionSet)
		case *ast.InlineFragment:
			f.add(s.SelectionSet)
		}
	}
}

func (f *field) child(s *ast.Field) *field {
	key := cmp.Or(s.Alias, s.Name)
	for _, c := range f.fields {
		if c.key == key {
			return c
		}
	}
	c := &field{key: key, name: s.Name, leaf: len(s.SelectionSet) == 0}
	f.fields = append(f.fields, c)
	return c
}

// named returns the field with a name of the schema, or nil.
func (f *field) named(name string) *field {
	for _, c := range f.fields {
		if c.name == name {
			return c
		}
	}
	return nil
}
