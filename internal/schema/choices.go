package schema

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/invopop/jsonschema"
)

// Choices are the texts that some fields may have. The key is the path of the field in
// the objects and lists of a schema, such as "route" or "tasks.tool". If the field is a
// list, its elements are one of the texts.
type Choices map[string]Choice

// A Choice is the texts of a field, and how many of them a list may have.
type Choice struct {
	Texts []string
	Most  int // 0 means as many as there are
}

// Limits of OpenAI for the texts of one enum.
const (
	maxChoices     = 250
	maxChoiceBytes = 15_000
)

// With returns a schema with the choices, and with its properties in the same order. A
// choice of which there are none, or more than providers accept, is left out.
func (c Choices) With(text json.RawMessage) (json.RawMessage, error) {
	var root jsonschema.Schema
	if err := json.Unmarshal(text, &root); err != nil {
		return nil, fmt.Errorf("schema: %w", err)
	}
	for path, choice := range c {
		texts := choice.Texts
		if len(texts) == 0 || len(texts) > maxChoices || len(strings.Join(texts, "")) > maxChoiceBytes {
			continue
		}
		s := &root
		for name := range strings.SplitSeq(path, ".") {
			if s = property(&root, s, name); s == nil {
				return nil, fmt.Errorf("schema: there is no field %s", path)
			}
		}
		if s.Items != nil {
			s.MaxItems = new(uint64(cmp.Or(choice.Most, len(texts))))
			s = s.Items
		}
		s.Enum = nil
		for _, one := range slices.Compact(slices.Clone(texts)) {
			s.Enum = append(s.Enum, one)
		}
	}
	return json.Marshal(&root)
}

// property returns a field of an object or of the elements of a list.
func property(root, s *jsonschema.Schema, name string) *jsonschema.Schema {
	if s.Items != nil {
		s = s.Items
	}
	if def, ok := root.Definitions[strings.TrimPrefix(s.Ref, "#/$defs/")]; ok && s.Ref != "" {
		s = def
	}
	if s.Properties == nil {
		return nil
	}
	found, _ := s.Properties.Get(name)
	return found
}
