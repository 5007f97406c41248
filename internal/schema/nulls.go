package schema

import (
	"slices"

	checker "github.com/google/jsonschema-go/jsonschema"
)

// maxSteps limits how many subschemas are visited for one value. Without it,
// alternatives that refer to one another take exponential time.
const maxSteps = 20_000

// nulls removes optional properties whose value is null although their schema
// does not allow null. Models that must name every property write null for those
// that they want to leave out.
type nulls struct {
	schema  *Validator
	steps   int
	dropped bool // a property was removed
}

func (n *nulls) drop(s *checker.Schema, v any) {
	if n.steps--; n.steps < 0 {
		return
	}
	if s.Ref != "" {
		n.drop(n.schema.index.lookup(s.Ref), v)
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
			case e == nil && !slices.Contains(s.Required, name) && !n.allowsNull(sub):
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

// allowsNull reports whether s allows null, according to its types, values and
// alternatives.
func (n *nulls) allowsNull(s *checker.Schema) bool {
	n.steps--
	switch isNull := func(v any) bool { return v == nil }; {
	case n.steps < 0:
		return true
	case s.Ref != "" && !n.allowsNull(n.schema.index.lookup(s.Ref)),
		s.Type != "" && s.Type != "null", s.Types != nil && !slices.Contains(s.Types, "null"),
		s.Enum != nil && !slices.ContainsFunc(s.Enum, isNull), s.Const != nil && *s.Const != nil:
		return false
	}
	for _, alternatives := range [][]*checker.Schema{s.AnyOf, s.OneOf} {
		if alternatives != nil && !slices.ContainsFunc(alternatives, n.allowsNull) {
			return false
		}
	}
	return !slices.ContainsFunc(s.AllOf, func(sub *checker.Schema) bool { return !n.allowsNull(sub) })
}
