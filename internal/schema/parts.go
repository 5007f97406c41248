package schema

import (
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

	checker "github.com/google/jsonschema-go/jsonschema"
)

// inPlace returns the subschemas of s that apply to the same value as s.
func inPlace(s *checker.Schema) []*checker.Schema {
	return subschemas(
		[]map[string]*checker.Schema{s.DependentSchemas, s.DependencySchemas},
		[][]*checker.Schema{s.AllOf, s.AnyOf, s.OneOf, {s.Not, s.If, s.Then, s.Else}})
}

// inside returns the other subschemas of s: those for the parts of a value, and the
// definitions.
func inside(s *checker.Schema) []*checker.Schema {
	return subschemas(
		[]map[string]*checker.Schema{s.Properties, s.PatternProperties, s.Defs, s.Definitions},
		[][]*checker.Schema{s.PrefixItems, s.ItemsArray, {
			s.Items, s.AdditionalItems, s.Contains, s.UnevaluatedItems, s.AdditionalProperties, s.PropertyNames,
			s.UnevaluatedProperties, s.ContentSchema,
		}})
}

func subschemas(groups []map[string]*checker.Schema, lists [][]*checker.Schema) []*checker.Schema {
	var all []*checker.Schema
	for _, group := range groups {
		for _, name := range slices.Sorted(maps.Keys(group)) {
			all = append(all, group[name])
		}
	}
	for _, list := range lists {
		all = append(all, list...)
	}
	return slices.DeleteFunc(all, func(s *checker.Schema) bool { return s == nil })
}

const definitions = "#/$defs/"

// isDefinition reports whether ref refers to a definition of the root schema.
func isDefinition(ref string) bool {
	for _, prefix := range []string{definitions, "#/definitions/"} {
		if name, ok := strings.CutPrefix(ref, prefix); ok && !strings.Contains(name, "/") {
			return true
		}
	}
	return false
}

// lookup returns the subschema of root that ref refers to by a JSON Pointer, or
// nil.
func lookup(root *checker.Schema, ref string) *checker.Schema {
	pointer, ok := strings.CutPrefix(ref, "#")
	if !ok {
		return nil
	}
	pointer, err := url.PathUnescape(pointer)
	if err != nil {
		return nil
	}
	if pointer == "" {
		return root
	}
	tokens := strings.Split(pointer, "/")
	if tokens[0] != "" {
		return nil // an anchor
	}
	for i, token := range tokens {
		tokens[i] = strings.ReplaceAll(strings.ReplaceAll(token, "~1", "/"), "~0", "~")
	}
	s := root
	for tokens = tokens[1:]; len(tokens) > 0 && s != nil; {
		if sub := single(s, tokens[0]); sub != nil {
			s, tokens = sub, tokens[1:]
			continue
		}
		if len(tokens) == 1 {
			return nil
		}
		s, tokens = member(s, tokens[0], tokens[1]), tokens[2:]
	}
	return s
}

// single returns the subschema that is the value of a keyword, or nil.
func single(s *checker.Schema, keyword string) *checker.Schema {
	switch keyword {
	case "items":
		return s.Items
	case "additionalItems":
		return s.AdditionalItems
	case "contains":
		return s.Contains
	case "additionalProperties":
		return s.AdditionalProperties
	case "propertyNames":
		return s.PropertyNames
	case "not":
		return s.Not
	case "if":
		return s.If
	case "then":
		return s.Then
	case "else":
		return s.Else
	}
	return nil
}

// member returns the subschema in the object or array that is the value of a
// keyword, or nil.
func member(s *checker.Schema, keyword, name string) *checker.Schema {
	switch keyword {
	case "properties":
		return s.Properties[name]
	case "patternProperties":
		return s.PatternProperties[name]
	case "$defs":
		return s.Defs[name]
	case "definitions":
		return s.Definitions[name]
	case "dependentSchemas":
		return s.DependentSchemas[name]
	}
	list := map[string][]*checker.Schema{
		"allOf": s.AllOf, "anyOf": s.AnyOf, "oneOf": s.OneOf, "prefixItems": s.PrefixItems, "items": s.ItemsArray,
	}[keyword]
	if i, err := strconv.Atoi(name); err == nil && i >= 0 && i < len(list) {
		return list[i]
	}
	return nil
}
