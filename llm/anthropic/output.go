package anthropic

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/invopop/jsonschema"

	"github.com/qedkit/qed/internal/provider"
)

// How much of it the API takes within one schema. See
// https://platform.claude.com/docs/en/build-with-claude/structured-outputs, "Schema complexity limits".
const (
	maxOptional = 24 // properties that may be missing
	maxUnions   = 16 // schemas that are one of several
)

// outputSchema rewrites a JSON Schema into what output_config takes. It reports false for a schema that has no such form.
func outputSchema(schema json.RawMessage) (map[string]any, bool) {
	root, ok := provider.Strict(schema, nil)
	if !ok {
		return nil, false
	}
	m := measure{defs: root.Definitions, seen: map[string]bool{}}
	if !m.takes(root) || m.optional > maxOptional || m.unions > maxUnions {
		return nil, false
	}
	text, err := json.Marshal(root)
	if err != nil {
		return nil, false
	}
	keywords, err := provider.Keywords(text)
	return keywords, err == nil
}

// measure walks a schema once, through its references.
type measure struct {
	defs             jsonschema.Definitions
	seen             map[string]bool // definitions: false while within
	optional, unions int
}

// takes reports whether the API takes s: its references lead to definitions and not in a circle, and its values are
// no lists or objects.
func (m *measure) takes(s *jsonschema.Schema) bool {
	if s.Ref != "" {
		name, local := strings.CutPrefix(s.Ref, "#/$defs/")
		if done, known := m.seen[name]; known {
			return done
		}
		def := m.defs[name]
		if !local || def == nil {
			return false
		}
		m.seen[name] = false
		m.seen[name] = m.takes(def)
		return m.seen[name]
	}
	if isComposite(s.Const) || slices.ContainsFunc(s.Enum, isComposite) {
		return false
	}
	if len(s.AnyOf) > 0 {
		m.unions++
	}
	for _, sub := range s.AnyOf {
		if !m.takes(sub) {
			return false
		}
	}
	if s.Properties != nil {
		m.optional += s.Properties.Len() - len(s.Required)
		for p := s.Properties.Oldest(); p != nil; p = p.Next() {
			if !m.takes(p.Value) {
				return false
			}
		}
	}
	return s.Items == nil || m.takes(s.Items)
}

func isComposite(v any) bool {
	switch v.(type) {
	case []any, map[string]any:
		return true
	}
	return false
}
