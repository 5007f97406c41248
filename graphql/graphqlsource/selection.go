package graphqlsource

import (
	"fmt"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/parser"
)

// A field is one that a query selects, as its answer has it: fragments are put in, and
// what is selected twice stands once, where it was first.
type field struct {
	key    string // in the answer
	name   string // in the schema
	fields []*field
	leaf   bool // it has no fields: a scalar, an enum, or a list of these
}

// parse returns what a checked query selects.
func parse(text string) ([]*field, error) {
	doc, err := parser.ParseQuery(&ast.Source{Input: text})
	if err != nil || len(doc.Operations) != 1 {
		return nil, fmt.Errorf("graphqlsource: the checked query cannot be read: %w", err) // not reached: the Guard printed it
	}
	root := &field{}
	root.take(doc, doc.Operations[0].SelectionSet)
	return root.fields, nil
}

// take adds what a selection selects. The Guard lets no fragment be within itself.
func (f *field) take(doc *ast.QueryDocument, set ast.SelectionSet) {
	for _, s := range set {
		switch s := s.(type) {
		case *ast.Field:
			f.child(s).take(doc, s.SelectionSet)
		case *ast.InlineFragment:
			f.take(doc, s.SelectionSet)
		case *ast.FragmentSpread:
			if fragment := doc.Fragments.ForName(s.Name); fragment != nil {
				f.take(doc, fragment.SelectionSet)
			}
		}
	}
}

func (f *field) child(s *ast.Field) *field {
	key := s.Alias
	if key == "" {
		key = s.Name
	}
	for _, c := range f.fields {
		if c.key == key {
			return c
		}
	}
	c := &field{key: key, name: s.Name, leaf: len(s.SelectionSet) == 0}
	f.fields = append(f.fields, c)
	return c
}

// named returns the field of a name in the schema; nil: it is not selected.
func (f *field) named(name string) *field {
	for _, c := range f.fields {
		if c.name == name {
			return c
		}
	}
	return nil
}
