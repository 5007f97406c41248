package schema_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed/internal/schema"
)

func TestChoices(t *testing.T) {
	type task struct {
		Tool string `json:"tool"`
	}
	type plan struct {
		Route  string   `json:"route" jsonschema_description:"where to"`
		Tables []string `json:"tables"`
		Tasks  []task   `json:"tasks"`
		Reason string   `json:"reason,omitempty"`
	}
	s, err := schema.For[plan]()
	if err != nil {
		t.Fatal(err)
	}
	many := make([]string, 300)
	for i := range many {
		many[i] = fmt.Sprint("table", i)
	}
	for name, test := range map[string]struct {
		choices schema.Choices
		want    []string // parts of the schema
		never   string
		err     bool
	}{
		"none":             {nil, []string{`"route":{"type":"string","description":"where to"}`}, "enum", false},
		"a text":           {schema.Choices{"route": {Texts: []string{"sql", "docs"}}}, []string{`"enum":["sql","docs"],"description":"where to"`}, "maxItems", false},
		"a list":           {schema.Choices{"tables": {Texts: []string{"a", "b"}}}, []string{`"items":{"type":"string","enum":["a","b"]}`, `"maxItems":2`}, "", false},
		"a shorter list":   {schema.Choices{"tables": {Texts: []string{"a", "b"}, Most: 1}}, []string{`"maxItems":1`}, "", false},
		"in a list":        {schema.Choices{"tasks.tool": {Texts: []string{"sum"}}}, []string{`"tool":{"type":"string","enum":["sum"]}`}, "maxItems", false},
		"too many":         {schema.Choices{"tables": {Texts: many}}, nil, "enum", false},
		"too long":         {schema.Choices{"tables": {Texts: []string{strings.Repeat("x", 20_000)}}}, nil, "enum", false},
		"no choice":        {schema.Choices{"tables": {}}, nil, "enum", false},
		"no such field":    {schema.Choices{"tabels": {Texts: []string{"a"}}}, nil, "", true},
		"a field of texts": {schema.Choices{"reason.tool": {Texts: []string{"a"}}}, nil, "", true},
	} {
		t.Run(name, func(t *testing.T) {
			before := string(s.JSON())
			got, err := test.choices.With(s.JSON())
			if (err != nil) != test.err {
				t.Fatal(err)
			}
			for _, part := range test.want {
				if !strings.Contains(string(got), part) {
					t.Errorf("%s is not in %s", part, got)
				}
			}
			if test.never != "" && strings.Contains(string(got), test.never) {
				t.Errorf("%s is in %s", test.never, got)
			}
			if err == nil && !(strings.Index(string(got), `"route"`) < strings.Index(string(got), `"tables"`) && strings.Index(string(got), `"tasks"`) < strings.Index(string(got), `"reason"`)) {
				t.Errorf("another order: %s", got)
			}
			if diff := cmp.Diff(before, string(s.JSON())); diff != "" {
				t.Error(diff)
			}
			if err == nil && !json.Valid(got) {
				t.Error(string(got))
			}
		})
	}
}
