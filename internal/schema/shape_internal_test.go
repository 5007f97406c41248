package schema

import (
	"encoding/json"
	"math/rand/v2"
	"testing"
)

// What matches a shape is what the checker allows, and most of what it allows matches.
func TestShapeAgreesWithChecker(t *testing.T) {
	schemas := []string{
		`{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"integer","description":"d"}},"required":["a"],"additionalProperties":false}`,
		`{"type":"object","properties":{"a":{"type":"array","items":{"type":"number"}},"b":{"type":"string","enum":["x","y"]}}}`,
		`{"type":"object","properties":{"a":{"type":"object","properties":{"b":{"type":"boolean"}}}},"required":["a"]}`,
		`{"type":"object","properties":{"a":{"type":"string","maxLength":1},"b":{}}}`,
		`{"type":["object","null"],"properties":{"a":{"type":"integer"}}}`,
		`{"type":"object","properties":{"a":{"type":"array"}},"minProperties":1}`,
	}
	var values func(depth int) any
	values = func(depth int) any {
		leaves := []any{nil, "x", "text", true, int64(3), 3.0, 2.5, []any{}, map[string]any{}}
		n := rand.IntN(len(leaves) + 4)
		switch {
		case n < len(leaves):
			return leaves[n]
		case n == len(leaves) && depth > 0:
			return []any{values(depth - 1), values(depth - 1)}
		}
		object := map[string]any{}
		for _, name := range []string{"a", "b", "c"} {
			if depth > 0 && rand.IntN(5) > 1 {
				object[name] = values(depth - 1)
			}
		}
		return object
	}
	both := 0
	for _, text := range schemas {
		val, err := Compile(json.RawMessage(text))
		if err != nil {
			t.Fatal(err)
		}
		for range 2_000 {
			v := values(3)
			allowed := val.check.Validate(v) == nil
			if val.shape.matches(v) && !allowed {
				t.Fatalf("%s does not allow %#v", text, v)
			}
			if allowed && val.shape != nil && val.shape.matches(v) {
				both++
			}
		}
	}
	if both == 0 {
		t.Fatal("no value matched a shape")
	}
}
