package schema

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/invopop/jsonschema"
)

// sentence is how many tokens a text may have that its description calls one sentence.
const sentence = 300

// Longest returns how many tokens the longest object of a schema has: a choice of texts, a
// list of them, numbers, and texts that are described as one sentence. It returns 0 if any
// part has no such limit. A token has at least one byte.
func Longest(text json.RawMessage) int {
	var root jsonschema.Schema
	if err := json.Unmarshal(text, &root); err != nil {
		return 0
	}
	const margin = 32 // a code fence, or a word before the object
	if n := longest(&root); n > 0 {
		return n + margin
	}
	return 0
}

// longest returns the tokens of the longest value, or 0 if there is none.
func longest(s *jsonschema.Schema) int {
	const number = 24
	switch {
	case len(s.Enum) > 0:
		most := 0
		for _, v := range s.Enum {
			most = max(most, len(fmt.Sprint(v)))
		}
		return most + len(`"",`)
	case s.Type == "boolean" || s.Type == "integer" || s.Type == "number":
		return number
	case s.Type == "string" && strings.Contains(s.Description, "one sentence"):
		return sentence
	case s.Type == "array" && s.Items != nil && s.MaxItems != nil:
		return longest(s.Items) * int(min(*s.MaxItems, maxChoices))
	case s.Type == "object" && s.Properties != nil:
		all := 0
		for p := s.Properties.Oldest(); p != nil; p = p.Next() {
			n := longest(p.Value)
			if n == 0 {
				return 0
			}
			all += len(p.Key) + len("\n  \"\": ") + n
		}
		return all
	}
	return 0
}
