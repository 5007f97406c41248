package todoagent

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"regexp"
	"slices"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/schema"
)

// A plannable tool can be checked for what it will be called with before that is all known.
type plannable struct {
	qed.Tool
	exact   *schema.Validator // the schema of its arguments
	returns []string          // the members of its result; nil: not known

	// loose is the schema with references to results in the place of any value. Nil where the schema has no such form: then
	// arguments with references are checked when they are filled in.
	loose *schema.Validator
}

func newPlannable(t qed.Tool) (*plannable, error) {
	input := t.Input
	if input == nil {
		input = json.RawMessage(`{"type":"object","additionalProperties":false}`)
	}
	exact, err := schema.Compile(input)
	if err != nil {
		return nil, err
	}
	return &plannable{t, exact, members(t.Output), looseSchema(input)}, nil
}

// planned returns a tool of a plan. One that is not registered any more, as another program made the plan, cannot be called: see [Registry.Do].
func (a *agent) planned(tool string) *plannable {
	if p := a.plans[tool]; p != nil {
		return p
	}
	return &plannable{Tool: qed.Tool{Name: tool}}
}

// members returns the members of the objects that a schema allows, in its order, or nil where it allows others as well.
func members(output json.RawMessage) []string {
	var s jsonschema.Schema
	if json.Unmarshal(output, &s) != nil || s.Type != "object" || s.AdditionalProperties == nil || len(s.Properties) == 0 {
		return nil
	}
	if closed, err := json.Marshal(s.AdditionalProperties); err != nil || string(closed) != "false" && string(closed) != `{"not":{}}` {
		return nil
	}
	if len(s.PropertyOrder) == len(s.Properties) {
		return s.PropertyOrder
	}
	return slices.Sorted(maps.Keys(s.Properties))
}

// looseSchema returns the schema with references in the place of any value, or nil.
func looseSchema(input json.RawMessage) *schema.Validator {
	v, err := decodeAny(input)
	if err != nil || !loosen(v) {
		return nil
	}
	text, err := json.Marshal(v)
	if err != nil {
		return nil
	}
	loose, err := schema.Compile(text)
	if err != nil {
		return nil
	}
	return loose
}

// loosen lets a reference stand for every value within what a schema describes, and for a whole one nowhere. It drops what could refuse
// a good value for a reference in it. It reports false where the schema points at its own parts, which have other places then.
func loosen(v any) bool {
	s, ok := v.(map[string]any)
	if !ok {
		return true
	}
	if to, ok := s["$ref"].(string); ok && !namedSchema.MatchString(to) {
		return false
	}
	for _, keyword := range []string{"if", "then", "else", "not", "contains", "dependentSchemas", "propertyNames", "unevaluatedProperties", "unevaluatedItems", "uniqueItems"} {
		delete(s, keyword)
	}
	if one, ok := s["oneOf"].([]any); ok { // a reference may fit several
		delete(s, "oneOf")
		if all, ok := s["allOf"].([]any); ok {
			s["allOf"] = append(all, map[string]any{"anyOf": one})
		} else {
			s["allOf"] = []any{map[string]any{"anyOf": one}}
		}
	}
	good := true
	inPlace := func(list []any) {
		for i := range list {
			good = loosen(list[i]) && good
			list[i] = orReference(list[i])
		}
	}
	for _, keyword := range []string{"properties", "patternProperties"} {
		group, _ := s[keyword].(map[string]any)
		for member, sub := range group {
			good = loosen(sub) && good
			group[member] = orReference(sub)
		}
	}
	for _, keyword := range []string{"items", "additionalProperties", "additionalItems"} {
		switch sub := s[keyword].(type) {
		case map[string]any:
			good = loosen(sub) && good
			s[keyword] = orReference(sub)
		case []any:
			inPlace(sub)
		}
	}
	if list, ok := s["prefixItems"].([]any); ok {
		inPlace(list)
	}
	for _, keyword := range []string{"anyOf", "allOf"} {
		list, _ := s[keyword].([]any)
		for _, sub := range list {
			good = loosen(sub) && good
		}
	}
	for _, keyword := range []string{"$defs", "definitions"} {
		group, _ := s[keyword].(map[string]any)
		for _, sub := range group {
			good = loosen(sub) && good
		}
	}
	return good
}

// namedSchema matches a pointer at a definition, which stays where it is.
var namedSchema = regexp.MustCompile(`^#/(\$defs|definitions)/[^/]+$`)

// orReference returns a schema that a reference to a result fits as well.
func orReference(s any) any {
	return map[string]any{"anyOf": []any{s, map[string]any{
		schema.StandIn:         true,
		"type":                 "object",
		"properties":           map[string]any{resultMember: map[string]any{"type": "string"}},
		"required":             []any{resultMember},
		"additionalProperties": false,
	}}}
}

// check says what is wrong with the arguments of a plan's task. It returns them as they are kept.
func (p *plannable) check(arguments json.RawMessage) (json.RawMessage, error) {
	if len(bytes.TrimSpace(arguments)) == 0 {
		arguments = json.RawMessage("{}")
	}
	fits := p.exact
	if len(references(arguments)) > 0 {
		fits = p.loose
	}
	text, err := fits.Normalize(arguments)
	switch {
	case err != nil:
		return nil, err
	case text[0] != '{':
		return nil, errors.New("they are no JSON object")
	}
	return text, nil
}
