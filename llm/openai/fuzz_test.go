package openai_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"testing"

	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/llm/openai"
)

// answering is a model behind a server that answers anything with this, and keeps what it was sent.
func answering(t testing.TB, status int, contentType string, reply []byte, sent *[]byte) *openai.Model {
	t.Helper()
	m, err := openai.New(&openai.Config{Model: "m", BaseURL: openai.Ollama, APIKey: testKey, HTTPClient: &http.Client{
		Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
			*sent, _ = io.ReadAll(r.Body)
			return &http.Response{
				StatusCode: status, ProtoMajor: 1, ProtoMinor: 1, Request: r,
				Header: http.Header{"Content-Type": {contentType}, "Retry-After": {string(reply)}},
				Body:   io.NopCloser(bytes.NewReader(reply)),
			}, nil
		}),
	}})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// Whatever a server sends, the outcome is a reply that is sound, or an error of a kind that does not tell the key.
func FuzzReply(f *testing.F) {
	f.Add(200, false, []byte(completion(`{"role":"assistant","content":"x"}`, "stop")))
	f.Add(200, true, []byte("data: "+chunk(`{"content":"x"}`, "stop")+"\n\ndata: [DONE]\n\n"))
	f.Add(200, true, []byte("data: "+chunk(`{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{"}}]}`, "stop")+"\n\n"))
	f.Add(200, true, []byte("data: {\"error\":null}\n\n"))
	f.Add(200, false, []byte("null"))
	f.Add(429, false, []byte(fault("slow", "x", `"`+testKey+`"`)))
	f.Add(500, true, []byte(`[{"error":"`+testKey+`"}]`))
	f.Fuzz(func(t *testing.T, status int, streamed bool, reply []byte) {
		if status < 200 || status > 599 {
			return
		}
		var stream func(llm.Delta)
		var pieces []byte
		contentType := "application/json"
		if streamed {
			stream, contentType = func(d llm.Delta) { pieces = append(pieces, d.Text...) }, "text/event-stream"
		}
		var sent []byte
		resp, err := answering(t, status, contentType, reply, &sent).Generate(t.Context(), ask("q"), stream)
		if err != nil {
			var e *llm.Error
			if resp != nil || !errors.As(err, &e) || e.Kind == "" || e.RetryAfter < 0 {
				t.Fatalf("got %v, %#v", resp, err)
			}
			noKey(t, err)
			return
		}
		if streamed && string(pieces) != resp.Message.Content {
			t.Errorf("streamed %q of %q", pieces, resp.Message.Content)
		}
		if _, err := json.Marshal(resp); err != nil {
			t.Error(err)
		}
	})
}

// What is sent as strict is what strict mode takes: each object is closed and requires all that it has.
func FuzzStrict(f *testing.F) {
	f.Add([]byte(`{"type":"object","properties":{"a":{"type":"string","minLength":1},"b":{"$ref":"#/$defs/d"}},"required":["a"],"additionalProperties":false,"$defs":{"d":{"type":"array","items":{"enum":[1]}}}}`))
	f.Add([]byte(`{"type":"object","properties":null,"additionalProperties":false}`))
	f.Add([]byte(`{"type":"object","properties":{"a":null},"additionalProperties":false}`))
	f.Fuzz(func(t *testing.T, schema []byte) {
		var sent []byte
		req := ask("q")
		req.Format = &llm.Format{Schema: schema}
		m := answering(t, 200, "application/json", []byte(completion(`{"role":"assistant","content":"{}"}`, "stop")), &sent)
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
		t.Fatalf("%v is no schema of strict mode", schema)
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
