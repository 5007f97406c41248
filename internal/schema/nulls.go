package schema

import (
	"slices"

	checker "github.com/google/jsonschema-go/jsonschema"
)

// maxSteps bounds what is looked at for one value: alternatives that refer to one another have no other bound that is worth having.
const maxSteps = 20_000

// nulls removes the optional properties of a value that are null where their schema wants something else: models that must name
// every property write null for the ones they leave out.
type nulls struct {
	root    *checker.Schema
	steps   int
	dropped bool // there were some
}

func (n *nulls) drop(s *checker.Schema, v any) {
	if n.steps--; n.steps < 0 {
		return
	}
	if s.Ref != "" {
		n.drop(lookup(n.root, s.Ref), v)
	}
	for _, alternatives := range [][]*checker.Schema{s.AllOf, s.AnyOf, s.OneOf} {
		for _, sub := range alternatives {
			n.drop(sub, v)
		}
	}
	switch v := v.(type) {
	case map[string]any:
		for name, e := range v {
			sub := s.Properties[name]
			switch {
			case sub == nil && s.AdditionalProperties != nil:
				n.drop(s.AdditionalProperties, e)
			case sub == nil:
			case e == nil && !slices.Contains(s.Required, name) && !n.taken(sub):
				delete(v, name)
				n.dropped = true
			default:
				n.drop(sub, e)
			}
		}
	case []any:
		if s.Items != nil {
			for _, e := range v {
				n.drop(s.Items, e)
			}
		}
	}
}

// taken reports whether s takes null, as far as its types, values and alternatives say.
func (n *nulls) taken(s *checker.Schema) bool {
	n.steps--
	switch isNull := func(v any) bool { return v == nil }; {
	case n.steps < 0:
		return true
	case s.Ref != "" && !n.taken(lookup(n.root, s.Ref)),
		s.Type != "" && s.Type != "null", s.Types != nil && !slices.Contains(s.Types, "null"),
		s.Enum != nil && !slices.ContainsFunc(s.Enum, isNull), s.Const != nil && *s.Const != nil:
		return false
	}
	for _, alternatives := range [][]*checker.Schema{s.AnyOf, s.OneOf} {
		if alternatives != nil && !slices.ContainsFunc(alternatives, n.taken) {
			return false
		}
	}
	return !slices.ContainsFunc(s.AllOf, func(sub *checker.Schema) bool { return !n.taken(sub) })
}
