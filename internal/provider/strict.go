package provider

import (
	"encoding/json"

	"github.com/invopop/jsonschema"
)

// Strict converts a JSON Schema to the subset that providers can constrain a reply
// to. Every object is closed, and other constraints are moved to the descriptions.
// If nullable is not nil, every property is required and the schema of an optional
// one is replaced by the result of nullable. Strict reports false for a schema that
// cannot be converted.
//
// See https://platform.openai.com/docs/guides/structured-outputs, "Supported schemas", and
// https://platform.claude.com/docs/en/build-with-claude/structured-outputs, "JSON Schema limitations".
func Strict(schema json.RawMessage, nullable func(*jsonschema.Schema) *jsonschema.Schema) (*jsonschema.Schema, bool) {
	var doc jsonschema.Schema
	if err := json.Unmarshal(schema, &doc); err != nil {
		return nil, false
	}
	r := converter{nullable: nullable}
	root, ok := r.schema(&doc)
	if !ok || root.Type != "object" {
		return nil, false
	}
	for name, def := range doc.Definitions {
		d, ok := r.schema(def)
		if !ok {
			return nil, false
		}
		if root.Definitions == nil {
			root.Definitions = jsonschema.Definitions{}
		}
		root.Definitions[name] = d
	}
	return root, true
}

type converter struct {
	nullable func(*jsonschema.Schema) *jsonschema.Schema
}

func (r converter) schema(s *jsonschema.Schema) (*jsonschema.Schema, bool) {
	if s == nil { // null instead of a schema
		return nil, false
	}
	if s.Ref != "" {
		return &jsonschema.Schema{Ref: s.Ref}, true // no other keyword is allowed next to $ref
	}
	if s.AllOf != nil || s.Not != nil || s.If != nil || s.PrefixItems != nil || s.Contains != nil ||
		s.PatternProperties != nil || s.PropertyNames != nil || s.DependentSchemas != nil || s.DependentRequired != nil {
		return nil, false
	}
	out := &jsonschema.Schema{Type: s.Type, Enum: s.Enum, Const: s.Const, Description: describe(s)}
	for _, alternatives := range [][]*jsonschema.Schema{s.AnyOf, s.OneOf} {
		for _, sub := range alternatives {
			a, ok := r.schema(sub)
			if !ok {
				return nil, false
			}
			out.AnyOf = append(out.AnyOf, a)
		}
	}
	switch s.Type {
	case "":
		// No provider accepts a schema that allows everything.
		return out, out.AnyOf != nil || out.Enum != nil || out.Const != nil
	case "array":
		if s.Items == nil {
			return nil, false
		}
		items, ok := r.schema(s.Items)
		out.Items = items
		return out, ok
	case "object":
		return out, r.object(out, s)
	}
	return out, true
}

func (r converter) object(out, s *jsonschema.Schema) bool {
	if closed, err := json.Marshal(s.AdditionalProperties); err != nil || string(closed) != "false" {
		return false
	}
	required := map[string]bool{}
	for _, name := range s.Required {
		required[name] = true
	}
	out.AdditionalProperties = jsonschema.FalseSchema
	out.Properties = jsonschema.NewProperties()
	out.Required = []string{}
	if s.Properties == nil {
		return true
	}
	for p := s.Properties.Oldest(); p != nil; p = p.Next() {
		sub, ok := r.schema(p.Value)
		if !ok {
			return false
		}
		if !required[p.Key] && r.nullable != nil {
			sub = r.nullable(sub)
			required[p.Key] = true
		}
		out.Properties.Set(p.Key, sub)
		if required[p.Key] {
			out.Required = append(out.Required, p.Key)
		}
	}
	return true
}

// describe returns the description of s followed by the constraints that are not
// in the subset. The reply is checked against them later.
func describe(s *jsonschema.Schema) string {
	limits, err := json.Marshal(&jsonschema.Schema{
		MultipleOf: s.MultipleOf, Maximum: s.Maximum, ExclusiveMaximum: s.ExclusiveMaximum,
		Minimum: s.Minimum, ExclusiveMinimum: s.ExclusiveMinimum,
		MaxLength: s.MaxLength, MinLength: s.MinLength, Pattern: s.Pattern, Format: s.Format,
		MaxItems: s.MaxItems, MinItems: s.MinItems, UniqueItems: s.UniqueItems,
		MaxProperties: s.MaxProperties, MinProperties: s.MinProperties,
		ContentEncoding: s.ContentEncoding,
	})
	switch {
	case err != nil || string(limits) == "true":
		return s.Description
	case s.Description == "":
		return string(limits)
	}
	return s.Description + " " + string(limits)
}
