package graphql

import (
	"cmp"

	"github.com/vektah/gqlparser/v2/ast"
)

// LeafType returns the type of a scalar or an enum that the query selects, such as
// "Float", or "[String]" for a list, without exclamation marks. path is its location in
// the response: the response keys of objects and lists around it, joined by dots.
// LeafType returns "" for another path.
func (q *Query) LeafType(path string) string { return q.leaves[path] }

// addLeaves adds the types of the leaves of a selection. The query was priced before, so
// that the number of its fields is limited.
func (q *Query) addLeaves(prefix string, set ast.SelectionSet) {
	for _, s := range set {
		switch s := s.(type) {
		case *ast.Field:
			key := cmp.Or(s.Alias, s.Name)
			if len(s.SelectionSet) > 0 {
				q.addLeaves(prefix+key+".", s.SelectionSet)
			} else if s.Definition != nil {
				q.leaves[prefix+key] = typeName(s.Definition.Type)
			}
		case *ast.InlineFragment:
			q.addLeaves(prefix, s.SelectionSet)
		}
	}
}

func typeName(t *ast.Type) string {
	if t.Elem != nil {
		return "[" + typeName(t.Elem) + "]"
	}
	return t.NamedType
}
