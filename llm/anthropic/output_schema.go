package anthropic

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/invopop/jsonschema"

	"github.com/qedkit/qed/internal/provider"
)

// Limits of the API for one schema. See
// https://platform.claude.com/docs/en/build-with-claude/structured-outputs, "Schema complexity limits".
const (
	maxOptional = 24 // optional properties
	maxUnions   = 16 // schemas with anyOf
)

// outputSchema converts a JSON Schema to the form of output_config. It reports false
// if that is not possible.
func outputSchema(schema json.RawMessage) (map[string]any, bool) {
	root, ok := provider.Strict(schema, nil)
	if !ok {
		return nil, false
	}
	m := supportCheck{defs: root.Definitions, seen: map[string]bool{}}
	if !m.supports(root) || m.optional > maxOptional || m.unions > maxUnions {
		return nil, false
	}
	text, err := json.Marshal(root)
	if err != nil {
		return nil, false
	}
	keywords, err := provider.Keywords(text)
	return keywords, err == nil
}

// A supportCheck walks a schema once, through its references.
type supportCheck struct {
	defs             jsonschema.Definitions
	seen             map[string]bool // definitions: false until one was walked to its end
	optional, unions int
}

// supports reports whether the API supports s: references refer to definitions and
// are not circular, and constants are neither lists nor objects.
func (m *supportCheck) supports(s *jsonschema.Schema) bool {
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
		m.seen[name] = m.supports(def)
		return m.seen[name]
	}
	if isComposite(s.Const) || slices.ContainsFunc(s.Enum, isComposite) {
		return false
	}
	if len(s.AnyOf) > 0 {
		m.unions++
	}
	for _, sub := range s.AnyOf {
		if !m.supports(sub) {
			return false
		}
	}
	if s.Properties != nil {
		m.optional += s.Properties.Len() - len(s.Required)
		for p := s.Properties.Oldest(); p != nil; p = p.Next() {
			if !m.supports(p.Value) {
				return false
			}
		}
	}
	return s.Items == nil || m.supports(s.Items)
}

func isComposite(v any) bool {
	switch v.(type) {
	case []any, map[string]any:
		return true
	}
	return false
}
