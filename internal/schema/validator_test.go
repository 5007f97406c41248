package schema_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/qedkit/qed/internal/schema"
	"github.com/qedkit/qed/refusal"
)

func compile(t *testing.T, text string) *schema.Validator {
	t.Helper()
	v, err := schema.Compile([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// TestForeignSchema checks JSON by schemas as other programs write them.
func TestForeignSchema(t *testing.T) {
	const (
		closed = `{"type":"object","properties":{"port":{"type":"string"},"limit":{"type":"integer","minimum":1,"maximum":5}},"required":["port"],"additionalProperties":false}`
		lists  = `{"type":"object","properties":{"terms":{"type":"array","minItems":1,"maxItems":2,"items":{"type":"string","minLength":2,"pattern":"^[a-z]+$"}}}}`
		shapes = `{"type":"object","properties":{"shape":{"oneOf":[{"$ref":"#/$defs/circle"},{"$ref":"#/$defs/box"},{"type":"string"}]}},
			"$defs":{"circle":{"type":"object","properties":{"kind":{"const":"circle"},"r":{"type":"number"}},"required":["kind","r"]},
			"box":{"type":"object","properties":{"kind":{"const":"box"},"w":{"type":"number"}},"required":["kind","w"]}}}`
		old     = `{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","properties":{"a":{"$ref":"#/definitions/n"}},"definitions":{"n":{"type":["integer","null"]}}}`
		pointer = `{"type":"object","properties":{"a":{"type":"object","properties":{"b":{"type":"integer"}}},"c":{"$ref":"#/properties/a/properties/b"}}}`
		pair    = `{"type":"object","properties":{"at":{"prefixItems":[{"type":"number"},{"type":"string"}],"items":false}}}`
		parts   = `{"allOf":[{"type":"object","properties":{"a":{"type":"string"}}},{"required":["b"]}]}`
		tree    = `{"$ref":"#/$defs/n","$defs":{"n":{"type":"object","properties":{"kids":{"type":"array","items":{"$ref":"#/$defs/n"}},"n":{"type":"integer"}}}}}`
		either  = `{"type":"object","properties":{"v":{"anyOf":[{"type":"integer"},{"type":"array","items":{"type":"integer"}}]}}}`
	)
	for name, test := range map[string]struct {
		schema, raw string
		want        string // the problems; empty: accepted
	}{
		"no arguments":            {`{"type":"object","additionalProperties":false}`, `{}`, ""},
		"no arguments in spaces":  {`{"type":"object","additionalProperties":false}`, ` { } `, ""},
		"arguments are missing":   {closed, `{}`, "/port: is missing"},
		"good":                    {closed, `{"port":"x","limit":5}`, ""},
		"all faults":              {closed, `{"prt":"x","limit":"a"}`, "/port: is missing; /limit: is string, want integer; /prt: is unknown; did you mean port? Known are limit, port"},
		"a far name":              {closed, `{"port":"x","zzz":1}`, "/zzz: is unknown; known are limit, port"},
		"bounds":                  {closed, `{"port":"x","limit":0}`, "/limit: is too small, want at least 1"},
		"null for nothing":        {closed, `{"port":"x","limit":null}`, ""},
		"null for what is needed": {closed, `{"port":null}`, "/port: is null, want string"},
		"too few items":           {lists, `{"terms":[]}`, "/terms: has 0 items, want at least 1"},
		"items":                   {lists, `{"terms":["a","BB","cc"]}`, "/terms: has 3 items, want at most 2; /terms/0: is too short, want at least 2 characters; /terms/1: does not match the pattern ^[a-z]+$"},
		"one of the shapes":       {shapes, `{"shape":{"kind":"box","w":2}}`, ""},
		"another shape":           {shapes, `{"shape":{"kind":"box","r":2}}`, "/shape/w: is missing"},
		"a member of a shape":     {shapes, `{"shape":{"kind":"circle","r":"2"}}`, "/shape/r: is string, want number"},
		"no shape":                {shapes, `{"shape":7}`, "/shape: matches none of"},
		"old definitions":         {old, `{"a":"x"}`, "/a: is string, want integer or null"},
		"old definitions, null":   {old, `{"a":null}`, ""},
		"a pointer":               {pointer, `{"c":"x"}`, "/c: is string, want integer"},
		"a tuple":                 {pair, `{"at":["x",1]}`, "/at/0: is string, want number; /at/1: is integer, want string"},
		"a tuple that is long":    {pair, `{"at":[1,"x",2]}`, "/at/2: does not match"},
		"all of":                  {parts, `{"a":1}`, "/a: is integer, want string; /b: is missing"},
		"a tree":                  {tree, `{"kids":[{"kids":[{"n":"x"}]}]}`, "/kids/0/kids/0/n: is string, want integer"},
		"either":                  {either, `{"v":[1,"2"]}`, "/v/1: is string, want integer"},
		"neither":                 {either, `{"v":"2"}`, "/v: matches none of"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := compile(t, test.schema).Normalize([]byte(test.raw))
			if test.want == "" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			var problems *refusal.Error
			if !errors.As(err, &problems) || !strings.HasPrefix(err.Error(), test.want) {
				t.Errorf("got %v, want it to begin with %s", err, test.want)
			}
		})
	}
}

func TestNormalize(t *testing.T) {
	v := compile(t, `{"type":"object","properties":{"n":{"type":"number"},"o":{"type":"object","properties":{"x":{"type":"string"},"y":{}}}}}`)
	got, err := v.Normalize([]byte(`{"n":null,"n":1.10,"o":{"x":null,"y":null},"big":123456789012345678901}`))
	if want := `{"big":123456789012345678901,"n":1.10,"o":{"y":null}}`; err != nil || string(got) != want {
		t.Errorf("got %s, %v, want %s", got, err, want)
	}
	var all *schema.Validator
	if got, err := all.Normalize([]byte(`[1, 1]`)); err != nil || string(got) != "[1,1]" {
		t.Errorf("a nil validator: %s, %v", got, err)
	}
}

// TestEndlessSchema: a checker that follows such a schema recurses forever and
// crashes the program.
func TestEndlessSchema(t *testing.T) {
	for name, text := range map[string]string{
		"itself":               `{"$ref":"#"}`,
		"itself in a choice":   `{"type":"object","anyOf":[{"type":"object"},{"$ref":"#"}]}`,
		"in a circle":          `{"$ref":"#/$defs/a","$defs":{"a":{"allOf":[{"$ref":"#/$defs/b"}]},"b":{"not":{"$ref":"#/$defs/a"}}}}`,
		"further in":           `{"properties":{"a":{"properties":{"b":{"$ref":"#/$defs/x"}}}},"$defs":{"x":{"if":{"$ref":"#/$defs/x"}}}}`,
		"by a dependency":      `{"dependentSchemas":{"a":{"$ref":"#"}}}`,
		"by an older word":     `{"$schema":"http://json-schema.org/draft-07/schema#","dependencies":{"a":{"$ref":"#"}}}`,
		"a dynamic reference":  `{"$dynamicAnchor":"a","properties":{"x":{"$dynamicRef":"#a"}}}`,
		"a name":               `{"$ref":"#a","$defs":{"x":{"$anchor":"a","type":"object"}}}`,
		"somewhere else":       `{"$ref":"https://example.com/a"}`,
		"nowhere":              `{"$ref":"#/$defs/none"}`,
		"another root":         `{"properties":{"a":{"$id":"https://example.com/b","properties":{"c":{"$ref":"#"}}}}}`,
		"an escaped reference": `{"$ref":"#/%24defs/a~1b","$defs":{"a/b":{"$ref":"#/$defs/a~1b"}}}`,
	} {
		if _, err := schema.Compile([]byte(text)); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
	for name, text := range map[string]string{
		"a list":     `{"type":"object","properties":{"next":{"$ref":"#"}}}`,
		"a tree":     `{"$ref":"#/$defs/n","$defs":{"n":{"properties":{"kids":{"items":{"anyOf":[{"$ref":"#/$defs/n"},{"type":"null"}]}}}}}}`,
		"twice":      `{"allOf":[{"$ref":"#/$defs/a"},{"$ref":"#/$defs/a"}],"$defs":{"a":{"type":"object"}}}`,
		"an own $id": `{"$id":"https://example.com/a","properties":{"next":{"$ref":"#/properties/b"},"b":true}}`,
		"anything":   `{}`,
	} {
		if _, err := schema.Compile([]byte(text)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func FuzzValidator(f *testing.F) {
	f.Add(`{"anyOf":[{"$ref":"#/$defs/a"},{"type":"string"}],"$defs":{"a":{"properties":{"x":{"$ref":"#/$defs/a"}}}}}`, `{"x":{"x":null}}`)
	f.Add(`{"properties":{"a":{"$ref":"#/properties/b/items/0"},"b":{"items":[{"enum":[1]}]}}}`, `{"a":2}`)
	f.Fuzz(func(t *testing.T, text, raw string) {
		v, err := schema.Compile([]byte(text))
		if err != nil {
			return
		}
		clean, err := v.Normalize([]byte(raw))
		if err != nil {
			var problems *refusal.Error
			if !errors.As(err, &problems) || len(problems.Problems) == 0 {
				t.Fatalf("%T without a problem", err)
			}
			return
		}
		if _, err := v.Normalize(clean); err != nil {
			t.Fatalf("%s is accepted, but its normal form is refused: %v", raw, err)
		}
	})
}
