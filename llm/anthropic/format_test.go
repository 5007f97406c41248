package anthropic_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed/internal/provider/providertest"
	"github.com/qedkit/qed/llm"
)

type step struct {
	SQL string `json:"sql"`
}

type plan struct {
	Reason string `json:"reason" jsonschema_description:"why"`
	Limit  int    `json:"limit,omitempty" jsonschema:"minimum=1" jsonschema_description:"rows"`
	Steps  []step `json:"steps"`
}

func TestOutputConfig(t *testing.T) {
	s := serve(t, providertest.Body(200, message(text(`{"reason":"r","steps":[{"sql":"x"}]}`), "end_turn")))
	got, resp, err := llm.GenerateObject[plan](t.Context(), s.model(t), providertest.Request("plan"), nil)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(plan{Reason: "r", Steps: []step{{SQL: "x"}}}, got); diff != "" || resp.Usage.Calls != 1 {
		t.Errorf("%+v (-want +got)\n%s", resp.Usage, diff)
	}
	var want any
	if err := json.Unmarshal([]byte(`{"format":{"type":"json_schema","schema":{"type":"object","properties":{
		"reason":{"type":"string","description":"why"},
		"limit":{"type":"integer","description":"rows {\"minimum\":1}"},
		"steps":{"type":"array","items":{"type":"object","properties":{"sql":{"type":"string"}},"additionalProperties":false,"required":["sql"]}}},
		"additionalProperties":false,"required":["reason","steps"]}}}`), &want); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, s.Body["output_config"]); diff != "" || s.Body["system"] != nil {
		t.Errorf("system %v (-want +got)\n%s", s.Body["system"], diff)
	}
	if strings.Index(s.Raw, `"reason":{`) > strings.Index(s.Raw, `"limit":{`) {
		t.Errorf("the properties lost their order in %s", s.Raw)
	}
}

// closed returns the schema of a closed object with these properties.
func closed(properties string) string {
	return `{"type":"object","properties":{` + properties + `},"additionalProperties":false}`
}

func repeated(n int, property string) string {
	var list []string
	for i := range n {
		list = append(list, fmt.Sprintf(property, i))
	}
	return strings.Join(list, ",")
}

// TestFormats: which schemas are sent as output_config, and which in the prompt.
func TestFormats(t *testing.T) {
	const (
		optional = `"p%d":{"type":"string"}`
		union    = `"u%d":{"anyOf":[{"type":"string"},{"type":"null"}]}`
		defs     = `,"$defs":{"d":{"type":"object","properties":{"x":{"$ref":"#/$defs/e"}},"additionalProperties":false},` +
			`"e":{"type":"string"},"loop":{"type":"object","properties":{"x":{"$ref":"#/$defs/loop"}},"additionalProperties":false}}}`
	)
	with := func(properties string) string { return strings.TrimSuffix(closed(properties), "}") + defs }
	for name, test := range map[string]struct {
		schema      string
		constrained bool
	}{
		"object":               {closed(`"a":{"type":"string"}`), true},
		"nothing in it":        {closed(``), true},
		"choice":               {closed(`"a":{"enum":["x",1,null]},"b":{"const":"y"}`), true},
		"definition":           {with(`"a":{"$ref":"#/$defs/d"},"b":{"$ref":"#/$defs/d"}`), true},
		"optional, as many":    {closed(repeated(24, optional)), true},
		"optional, too many":   {closed(repeated(25, optional)), false},
		"unions, as many":      {closed(repeated(16, union)), true},
		"unions, too many":     {closed(repeated(17, union)), false},
		"circle":               {with(`"a":{"$ref":"#/$defs/loop"}`), false},
		"of itself":            {closed(`"a":{"$ref":"#"}`), false},
		"missing definition":   {closed(`"a":{"$ref":"#/$defs/none"}`), false},
		"foreign definition":   {closed(`"a":{"$ref":"https://example.com/s.json"}`), false},
		"choice of lists":      {closed(`"a":{"enum":[[1]]}`), false},
		"constant object":      {closed(`"a":{"const":{}}`), false},
		"choice within a list": {closed(`"a":{"type":"array","items":{"anyOf":[{"const":[]}]}}`), false},
		"map":                  {closed(`"m":{"type":"object","additionalProperties":{"type":"string"}}`), false},
		"open object":          {`{"type":"object","properties":{"a":{"type":"string"}}}`, false},
		"anything":             {closed(`"a":true`), false},
		"several types":        {`{"type":["object","null"]}`, false},
		"all of":               {closed(`"a":{"allOf":[{"type":"string"}]}`), false},
		"list":                 {`{"type":"array","items":{"type":"string"}}`, false},
	} {
		s := serve(t, providertest.Body(200, message(text("{}"), "end_turn")))
		req := providertest.Request("hi")
		req.Messages = append(req.Messages, llm.Message{Role: llm.RoleSystem, Content: "be brief"})
		req.Format = &llm.Format{Name: "n", Schema: json.RawMessage(test.schema)}
		if _, err := s.model(t).Generate(t.Context(), req, nil); err != nil {
			t.Fatal(name, err)
		}
		system := s.Body["system"].([]any)
		last := system[len(system)-1].(map[string]any)["text"].(string)
		if constrained := s.Body["output_config"] != nil; constrained != test.constrained {
			t.Errorf("%s: constrained is %v", name, constrained)
		}
		if inPrompt := strings.Contains(last, test.schema); inPrompt == test.constrained || len(system) > 2 {
			t.Errorf("%s: the prompt is %v", name, system)
		}
	}
}

func TestJSONMode(t *testing.T) {
	s := serve(t, providertest.Body(200, message(text("Sure!\n```json\n{\"sql\":\"SELECT 1\"}\n```"), "end_turn")))
	got, _, err := llm.GenerateObject[step](t.Context(), s.model(t), providertest.Request("plan"), &llm.ObjectOptions{Mode: llm.JSONMode})
	if err != nil || got.SQL != "SELECT 1" {
		t.Fatalf("got %+v, %v", got, err)
	}
	if system := s.Body["system"].([]any); s.Body["output_config"] != nil || len(system) != 1 {
		t.Errorf("sent %s", s.Raw)
	}
}
