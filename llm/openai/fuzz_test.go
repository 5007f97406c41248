package openai_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"testing"

	"github.com/qedkit/qed/internal/provider/providertest"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/llm/openai"
)

// newModel returns a model that uses client.
func newModel(tb testing.TB, client *http.Client, change ...func(*openai.Options)) llm.Model {
	tb.Helper()
	opt := &openai.Options{Model: "m", BaseURL: openai.OllamaBaseURL, APIKey: testKey, HTTPClient: client}
	for _, c := range change {
		c(opt)
	}
	m, err := openai.New(opt)
	if err != nil {
		tb.Fatal(err)
	}
	return m
}

// FuzzReply: for every response of a server, the outcome is a valid reply, or an
// error that has a kind and does not contain the key.
func FuzzReply(f *testing.F) {
	f.Add(200, false, []byte(completion(`{"role":"assistant","content":"x"}`, "stop")))
	f.Add(200, true, []byte("data: "+chunk(`{"content":"x"}`, "stop")+"\n\ndata: [DONE]\n\n"))
	f.Add(200, true, []byte("data: "+chunk(`{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{"}}]}`, "stop")+"\n\n"))
	f.Add(200, true, []byte("data: {\"error\":null}\n\n"))
	f.Add(429, false, []byte(`{"error":{"message":"slow","type":"x","code":"`+testKey+`"}}`))
	providertest.FuzzReplies(f, func(tb testing.TB, client *http.Client) llm.Model { return newModel(tb, client) })
}

// FuzzStrict: in a schema that is sent as strict, every object is closed and requires
// all of its properties.
func FuzzStrict(f *testing.F) {
	f.Add([]byte(`{"type":"object","properties":{"a":{"type":"string","minLength":1},"b":{"$ref":"#/$defs/d"}},"required":["a"],"additionalProperties":false,"$defs":{"d":{"type":"array","items":{"enum":[1]}}}}`))
	f.Add([]byte(`{"type":"object","properties":null,"additionalProperties":false}`))
	f.Add([]byte(`{"type":"object","properties":{"a":null},"additionalProperties":false}`))
	f.Fuzz(func(t *testing.T, schema []byte) {
		var sent []byte
		req := providertest.Request("q")
		req.Format = &llm.Format{Schema: schema}
		m := newModel(t, providertest.FakeClient(200, "application/json", []byte(completion(`{"role":"assistant","content":"{}"}`, "stop")), &sent))
		if _, err := m.Generate(t.Context(), req, nil); err != nil {
			if !errors.Is(err, llm.ErrBadRequest) {
				t.Fatal(err)
			}
			return
		}
		var body struct {
			Format struct {
				Schema struct {
					Strict bool
					Schema any
				} `json:"json_schema"`
			} `json:"response_format"`
		}
		if err := json.Unmarshal(sent, &body); err != nil {
			t.Fatal(err)
		}
		if body.Format.Schema.Strict {
			closed(t, body.Format.Schema.Schema)
		}
	})
}

func closed(t *testing.T, schema any) {
	s, ok := schema.(map[string]any)
	if !ok {
		t.Fatalf("%v is not a schema of strict mode", schema)
	}
	properties, _ := s["properties"].(map[string]any)
	if s["type"] == "object" {
		required, _ := s["required"].([]any)
		if s["additionalProperties"] != false || len(required) != len(properties) {
			t.Fatalf("%v is open", s)
		}
	}
	for _, sub := range properties {
		closed(t, sub)
	}
	if defs, ok := s["$defs"].(map[string]any); ok {
		for _, sub := range defs {
			closed(t, sub)
		}
	}
	if items, ok := s["items"]; ok {
		closed(t, items)
	}
	if any, ok := s["anyOf"].([]any); ok {
		for _, sub := range any {
			closed(t, sub)
		}
	}
}
