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
	"github.com/qedkit/qed/internal/strictjson"
)

// A planTool checks the arguments of a tool before the results that they refer to
// are known.
type planTool struct {
	qed.Tool
	exact   *schema.Validator // for arguments without references
	returns []string          // the members of its result; nil: not known

	// loose accepts a reference to a result in place of any value. It is nil if the
	// schema has no such form: arguments with references are then checked when the
	// tool is called.
	loose *schema.Validator
}

func newPlanTool(t qed.Tool) (*planTool, error) {
	input := t.Input
	if input == nil {
		input = json.RawMessage(`{"type":"object","additionalProperties":false}`)
	}
	exact, err := schema.Compile(input)
	if err != nil {
		return nil, err
	}
	return &planTool{Tool: t, exact: exact, returns: members(t.Output), loose: looseSchema(input)}, nil
}

// tool returns the tool of a task. A tool that is not registered any more has only
// a name, and [qed.Registry.Do] refuses the call.
func (a *agent) tool(name string) *planTool {
	if p := a.planTools[name]; p != nil {
		return p
	}
	return &planTool{Tool: qed.Tool{Name: name}}
}

// members returns the names of the members of the objects that a schema allows, in
// its order, or nil if it also allows others.
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

// looseSchema returns the schema with references in place of any value, or nil.
func looseSchema(input json.RawMessage) *schema.Validator {
	v, err := strictjson.Any(input)
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

// loosen changes a schema so that a reference is accepted in place of every value
// inside of what it describes, but not of the whole. It drops keywords that could
// refuse a valid value because of a reference in it. It returns false if the schema
// points at its own parts, whose paths change.
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

// namedSchema matches a pointer to a definition: its path does not change.
var namedSchema = regexp.MustCompile(`^#/(\$defs|definitions)/[^/]+$`)

// orReference returns a schema that also accepts a reference to a result.
func orReference(s any) any {
	return map[string]any{"anyOf": []any{s, map[string]any{
		schema.StandIn:         true,
		"type":                 "object",
		"properties":           map[string]any{resultMember: map[string]any{"type": "string"}},
		"required":             []any{resultMember},
		"additionalProperties": false,
	}}}
}

// check checks the arguments of a task and returns them in the form that the plan
// keeps.
func (p *planTool) check(arguments json.RawMessage) (json.RawMessage, error) {
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
		return nil, errors.New("they are not a JSON object")
	}
	return text, nil
}
