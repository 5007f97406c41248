package schema

import (
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

	checker "github.com/google/jsonschema-go/jsonschema"
)

// A child is a subschema.
type child struct {
	schema  *checker.Schema
	pointer string // from the parent, such as "/properties/name"
	inPlace bool   // it applies to the same value as the parent
}

// children returns the direct subschemas of s, always in the same order.
func children(s *checker.Schema) []child {
	var all []child
	inPlace := true
	one := func(keyword string, sub *checker.Schema) {
		if sub != nil {
			all = append(all, child{schema: sub, pointer: "/" + keyword, inPlace: inPlace})
		}
	}
	list := func(keyword string, subs []*checker.Schema) {
		for i, sub := range subs {
			one(keyword+"/"+strconv.Itoa(i), sub)
		}
	}
	group := func(keyword string, subs map[string]*checker.Schema) {
		for _, name := range slices.Sorted(maps.Keys(subs)) {
			one(keyword+"/"+escapePointer.Replace(name), subs[name])
		}
	}
	group("dependentSchemas", s.DependentSchemas)
	group("dependencies", s.DependencySchemas)
	list("allOf", s.AllOf)
	list("anyOf", s.AnyOf)
	list("oneOf", s.OneOf)
	one("not", s.Not)
	one("if", s.If)
	one("then", s.Then)
	one("else", s.Else)
	inPlace = false
	group("properties", s.Properties)
	group("patternProperties", s.PatternProperties)
	group("$defs", s.Defs)
	group("definitions", s.Definitions)
	list("prefixItems", s.PrefixItems)
	list("items", s.ItemsArray)
	one("items", s.Items)
	one("additionalItems", s.AdditionalItems)
	one("contains", s.Contains)
	one("unevaluatedItems", s.UnevaluatedItems)
	one("additionalProperties", s.AdditionalProperties)
	one("propertyNames", s.PropertyNames)
	one("unevaluatedProperties", s.UnevaluatedProperties)
	one("contentSchema", s.ContentSchema)
	return all
}

// An index has the schemas within one by their JSON Pointers.
type index map[string]*checker.Schema

func (x index) add(pointer string, s *checker.Schema) {
	x[pointer] = s
	for _, c := range children(s) {
		x.add(pointer+c.pointer, c.schema)
	}
}

// lookup returns the schema that a reference such as #/$defs/name refers to, or nil.
func (x index) lookup(ref string) *checker.Schema {
	fragment, ok := strings.CutPrefix(ref, "#")
	pointer, err := url.PathUnescape(fragment)
	if !ok || err != nil {
		return nil
	}
	return x[pointer]
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
