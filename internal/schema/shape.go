package schema

import (
	"reflect"
	"slices"

	checker "github.com/google/jsonschema-go/jsonschema"
)

// A shape is a schema of the kind that [For] makes of most types. To match a value
// with it takes a small part of the time of the checker.
type shape struct {
	kind     string
	fields   map[string]*shape
	required []string
	items    *shape
	enum     []any
}

// shapeOf returns the shape of a schema, or nil if the schema says more than a shape
// can.
func shapeOf(s *checker.Schema) *shape {
	if s == nil {
		return nil
	}
	rest := *s
	rest.Title, rest.Description, rest.Type, rest.Enum, rest.Items = "", "", "", nil, nil
	rest.Properties, rest.PropertyOrder, rest.Required, rest.AdditionalProperties = nil, nil, nil, nil
	if s.Type == "" || !reflect.ValueOf(rest).IsZero() {
		return nil
	}
	h := &shape{kind: s.Type, fields: map[string]*shape{}, required: s.Required, enum: s.Enum, items: shapeOf(s.Items)}
	for name, sub := range s.Properties {
		if h.fields[name] = shapeOf(sub); h.fields[name] == nil {
			return nil
		}
	}
	return h
}

// matches reports whether v certainly matches the schema. If it does not report that,
// the checker decides.
func (h *shape) matches(v any) bool {
	if h == nil {
		return false
	}
	switch v := v.(type) {
	case map[string]any:
		for name, e := range v {
			if !h.fields[name].matches(e) {
				return false
			}
		}
		return h.kind == "object" && h.enum == nil &&
			!slices.ContainsFunc(h.required, func(name string) bool { _, has := v[name]; return !has })
	case []any:
		return h.kind == "array" && h.enum == nil && !slices.ContainsFunc(v, func(e any) bool { return !h.items.matches(e) })
	case string:
		return h.kind == "string" && (h.enum == nil || slices.Contains(h.enum, any(v)))
	case bool:
		return h.kind == "boolean" && h.enum == nil
	case int64:
		return (h.kind == "integer" || h.kind == "number") && h.enum == nil
	case float64:
		return h.kind == "number" && h.enum == nil
	}
	return false
}
