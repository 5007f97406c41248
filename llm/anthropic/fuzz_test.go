package anthropic_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/qedkit/qed/internal/provider/providertest"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/llm/anthropic"
)

// newModel returns a model that uses client.
func newModel(tb testing.TB, client *http.Client) llm.Model {
	tb.Helper()
	m, err := anthropic.New(&anthropic.Options{APIKey: testKey, HTTPClient: client})
	if err != nil {
		tb.Fatal(err)
	}
	return m
}

// FuzzReply: for every response of a server, the outcome is a valid reply, or an
// error that has a kind and does not contain the key.
func FuzzReply(f *testing.F) {
	f.Add(200, false, []byte(message(text("x"), "end_turn")))
	f.Add(200, false, []byte(message(`[{"type":"tool_use","id":"a","name":"f","input":[]}]`, "tool_use")))
	f.Add(200, true, []byte(strings.Join(hello, "")))
	f.Add(200, true, []byte(blockStart(1, `{"type":"tool_use","input":{"a":1}}`)+delta(1, `{"type":"input_json_delta","partial_json":"{"}`)+stop("tool_use")))
	f.Add(200, true, []byte("event: error\ndata: []\n\n"))
	f.Add(200, true, []byte("event: error\ndata: {\"error\":"+testKey+"}\n\n"))
	f.Add(429, false, []byte(`{"error":{"type":"rate_limit_error","message":"slow","details":{"error_code":7}}}`))
	f.Add(500, true, []byte(`{"error":"`+testKey+`"}`))
	providertest.FuzzReplies(f, newModel)
}

// FuzzRequest: for every conversation, the roles of the sent messages alternate, or
// the request is refused.
func FuzzRequest(f *testing.F) {
	f.Add("user", "hi", "assistant", "hello", `{"a":1}`, `{"type":"object"}`, `{"type":"object"}`)
	f.Add("user", "hi", "assistant", "", ` [1]`, `{"type":"object","properties":{"a":{"type":"string"}}}`, `true`)
	f.Add("system", " ", "tool", "42", `null`, `{}`, `{"type":"object","additionalProperties":false,"properties":{"a":{"$ref":"#/$defs/a"}},"$defs":{"a":{"$ref":"#/$defs/a"}}}`)
	f.Fuzz(func(t *testing.T, role1, text1, role2, text2, arguments, input, schema string) {
		req := providertest.Request(text1)
		req.Messages = append(req.Messages, llm.Message{Role: llm.Role(role1), Content: text1},
			llm.Message{Role: llm.RoleAssistant, ToolCalls: []llm.ToolCall{{ID: "c", Name: "f", Arguments: json.RawMessage(arguments)}}},
			llm.Message{Role: llm.Role(role2), Content: text2, ToolCallID: "c"})
		req.Tools = []llm.Tool{{Name: "f", InputSchema: json.RawMessage(input)}}
		req.Format = &llm.Format{Schema: json.RawMessage(schema)}
		var sent []byte
		m := newModel(t, providertest.FakeClient(200, "application/json", []byte(message(text("ok"), "end_turn")), &sent))
		if _, err := m.Generate(t.Context(), req, nil); err != nil {
			if !errors.Is(err, llm.ErrBadRequest) {
				t.Fatal(err)
			}
			return
		}
		var body struct {
			Messages []struct {
				Role    string
				Content []map[string]any
			}
		}
		if err := json.Unmarshal(sent, &body); err != nil {
			t.Fatal(err)
		}
		for i, m := range body.Messages {
			if i > 0 && m.Role == body.Messages[i-1].Role || len(m.Content) == 0 {
				t.Errorf("message %d of %s", i, sent)
			}
			for _, b := range m.Content {
				if said, ok := b["text"].(string); ok && strings.TrimSpace(said) == "" {
					t.Errorf("a blank text in %s", sent)
				}
				if _, isObject := b["input"].(map[string]any); b["type"] == "tool_use" && !isObject {
					t.Errorf("an input that is no object in %s", sent)
				}
			}
		}
	})
}
