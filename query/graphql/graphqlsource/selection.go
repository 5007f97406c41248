package graphqlsource

import (
	"cmp"

	"github.com/vektah/gqlparser/v2/ast"
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

// fieldsOf returns the fields of a selection.
func fieldsOf(set ast.SelectionSet) []*field {
	root := &field{}
	root.add(set)
	return root.fields
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
	if c.leaf && s.Definition != nil {
		c.typ = typeName(s.Definition.Type)
	}
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

// typeName returns a type without exclamation marks, such as "[String]".
func typeName(t *ast.Type) string {
	if t.Elem != nil {
		return "[" + typeName(t.Elem) + "]"
	}
	return t.NamedType
}
