package schema

import (
	"encoding/json"
	"fmt"
	"strings"
)

// sentence is how many tokens a text may have that its description calls one sentence.
const sentence = 300

// Longest returns how many tokens the longest object of a schema has: a choice of texts, a
// list of them, numbers, and texts that are described as one sentence. It returns 0 if any
// part has no such limit. A token has at least one byte.
func Longest(text json.RawMessage) int {
	var root limited
	if err := json.Unmarshal(text, &root); err != nil {
		return 0
	}
	const margin = 32 // a code fence, or a word before the object
	if n := longest(root); n > 0 {
		return n + margin
	}
	return 0
}

// limited has the parts of a schema that limit how long a value is.
type limited struct {
	Enum        []any
	Type        string
	Description string
	Items       *limited
	MaxItems    uint64
	Properties  map[string]limited
}

// longest returns the tokens of the longest value, or 0 if there is none.
func longest(s limited) int {
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
	case s.Type == "array" && s.Items != nil:
		return longest(*s.Items) * int(min(s.MaxItems, maxChoices))
	case s.Type == "object" && s.Properties != nil:
		all := 0
		for name, p := range s.Properties {
			n := longest(p)
			if n == 0 {
				return 0
			}
			all += len(name) + len("\n  \"\": ") + n
		}
		return all
	}
	return 0
}
