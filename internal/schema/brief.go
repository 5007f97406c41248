package schema

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/invopop/jsonschema"
)

// Brief returns a JSON Schema as a type with comments on the fields that are required, as
// TypeScript has them, which is a quarter as long in a prompt. A schema that has no such
// form is returned as it is.
func Brief(text json.RawMessage) string {
	var root jsonschema.Schema
	if err := json.Unmarshal(text, &root); err != nil {
		return string(text)
	}
	var b strings.Builder
	if !brief(&b, &root) {
		return string(text)
	}
	return b.String()
}

// brief writes a schema, and reports whether it could.
func brief(b *strings.Builder, s *jsonschema.Schema) bool {
	switch {
	case s.Ref != "" || s.AnyOf != nil || s.OneOf != nil || s.AllOf != nil || s.Not != nil || s.PatternProperties != nil:
		return false
	case len(s.Enum) > 0:
		for i, v := range s.Enum {
			value, err := json.Marshal(v)
			if err != nil {
				return false
			}
			if i > 0 {
				b.WriteString("|")
			}
			b.Write(value)
		}
	case s.Type == "array" && s.Items != nil:
		ok := brief(b, s.Items)
		b.WriteString("[]")
		return ok
	case s.Type == "object" && s.Properties != nil:
		return briefObject(b, s)
	case s.Type == "":
		b.WriteString("any")
	default:
		b.WriteString(s.Type)
	}
	return true
}

// briefObject writes an object: optional fields have a question mark.
func briefObject(b *strings.Builder, s *jsonschema.Schema) bool {
	b.WriteString("{")
	for p := s.Properties.Oldest(); p != nil; p = p.Next() {
		required := slices.Contains(s.Required, p.Key)
		if b.WriteString(p.Key); !required {
			b.WriteString("?")
		}
		b.WriteString(": ")
		if !brief(b, p.Value) {
			return false
		}
		if required && p.Value.Description != "" {
			b.WriteString(" /* " + strings.ReplaceAll(p.Value.Description, "*/", "* /") + " */")
		}
		if p.Next() != nil {
			b.WriteString(", ")
		}
	}
	b.WriteString("}")
	return true
}
