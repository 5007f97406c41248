package openai_test

import (
	"encoding/json"
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
	Next   *plan  `json:"next,omitempty"`
}

const strictPlan = `{
	"reason":{"type":"string","description":"why"},
	"limit":{"anyOf":[{"type":"integer","description":"rows {\"minimum\":1}"},{"type":"null"}]},
	"steps":{"type":"array","items":{"type":"object","properties":{"sql":{"type":"string"}},"additionalProperties":false,"required":["sql"]}},
	"next":{"anyOf":[{"$ref":"#/$defs/plan"},{"type":"null"}]}}`

func TestStrictFormat(t *testing.T) {
	s := serve(t, providertest.Body(200, completion(`{"role":"assistant","content":"{\"reason\":\"r\",\"limit\":null,\"steps\":[{\"sql\":\"x\"}],\"next\":null}"}`, "stop")))
	got, resp, err := llm.GenerateObject[plan](t.Context(), s.model(t), providertest.Request("plan"), nil)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(plan{Reason: "r", Steps: []step{{SQL: "x"}}}, got); diff != "" || resp.Usage.Calls != 1 {
		t.Errorf("%+v (-want +got)\n%s", resp.Usage, diff)
	}
	object := `{"type":"object","properties":` + strictPlan + `,"additionalProperties":false,"required":["reason","limit","steps","next"]`
	var want any
	if err := json.Unmarshal([]byte(`{"type":"json_schema","json_schema":{"name":"plan","strict":true,"schema":`+
		object+`,"$defs":{"plan":`+object+`}}}}}`), &want); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, s.Body["response_format"]); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// TestLooseFormat: a schema that has no strict form is sent unchanged.
func TestLooseFormat(t *testing.T) {
	for name, schema := range map[string]string{
		"map":           `{"type":"object","properties":{"m":{"type":"object","additionalProperties":{"type":"string"}}},"additionalProperties":false}`,
		"open object":   `{"type":"object","properties":{"a":{"type":"string"}}}`,
		"anything":      `{"type":"object","properties":{"a":true},"additionalProperties":false}`,
		"several types": `{"type":["object","null"]}`,
		"not":           `{"type":"object","not":{"type":"string"},"additionalProperties":false}`,
		"list of any":   `{"type":"object","properties":{"a":{"type":"array"}},"additionalProperties":false}`,
		"definition":    `{"type":"object","properties":{"a":{"$ref":"#/$defs/d"}},"additionalProperties":false,"$defs":{"d":{"type":"object"}}}`,
		"list":          `{"type":"array","items":{"type":"string"}}`,
	} {
		s := serve(t, providertest.Body(200, completion(`{"role":"assistant","content":"{}"}`, "stop")))
		req := providertest.Request("hi")
		req.Format = &llm.Format{Name: "n", Schema: json.RawMessage(schema)}
		if _, err := s.model(t).Generate(t.Context(), req, nil); err != nil {
			t.Fatal(err)
		}
		var want any
		if err := json.Unmarshal([]byte(`{"type":"json_schema","json_schema":{"name":"n","strict":false,"schema":`+schema+`}}`), &want); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, s.Body["response_format"]); diff != "" {
			t.Errorf("%s (-want +got)\n%s", name, diff)
		}
	}
}

func TestJSONMode(t *testing.T) {
	s := serve(t, providertest.Body(200, completion(`{"role":"assistant","content":"Sure!\n`+"```json"+`\n{\"sql\":\"SELECT 1\"}\n`+"```"+`"}`, "stop")))
	got, _, err := llm.GenerateObject[step](t.Context(), s.model(t), providertest.Request("plan"), &llm.ObjectOptions{Mode: llm.JSONMode})
	if err != nil || got.SQL != "SELECT 1" {
		t.Fatalf("got %+v, %v", got, err)
	}
	if diff := cmp.Diff(any(map[string]any{"type": "json_object"}), s.Body["response_format"]); diff != "" {
		t.Error(diff)
	}
}
