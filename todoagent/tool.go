package todoagent

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"slices"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/schema"
)

// A planTool checks the arguments of a tool before the results that they refer to
// are known.
type planTool struct {
	qed.Tool
	input   *schema.Validator
	returns []string // the members of its result; nil: not known
}

func newPlanTool(t qed.Tool) (*planTool, error) {
	input := t.Input
	if input == nil {
		input = json.RawMessage(`{"type":"object","additionalProperties":false}`)
	}
	compiled, err := schema.Compile(input)
	if err != nil {
		return nil, err
	}
	return &planTool{Tool: t, input: compiled, returns: members(t.Output)}, nil
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

// check checks the arguments of a task and returns them in the form that the plan
// keeps.
func (p *planTool) check(arguments json.RawMessage) (json.RawMessage, error) {
	if len(bytes.TrimSpace(arguments)) == 0 {
		arguments = json.RawMessage("{}")
	}
	text, err := p.input.NormalizeAround(arguments, func(v any) bool {
		_, _, ok := reference(v)
		return ok
	})
	switch {
	case err != nil:
		return nil, err
	case text[0] != '{':
		return nil, errors.New("they are not a JSON object")
	}
	return text, nil
}
