package openai_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/llm/openai"
)

// A strict server refuses the result of a call without the reasoning that led to it,
// as the original does.
type strict struct {
	whole  string   // the message of the first reply
	pieces []string // its deltas, if it is streamed
	want   string   // what the message of the assistant must have in the second request
}

var strictServers = map[string]strict{
	"DeepSeek": {
		`{"role":"assistant","content":"","reasoning_content":"I need the weather.","tool_calls":[{"index":0,"id":"call_0","type":"function","function":{"name":"temperature","arguments":"{\"city\":\"Rome\"}"}}]}`,
		[]string{`{"role":"assistant","content":null,"reasoning_content":""}`, `{"content":null,"reasoning_content":"I need "}`, `{"content":null,"reasoning_content":"the weather."}`,
			`{"tool_calls":[{"index":0,"id":"call_0","type":"function","function":{"name":"temperature","arguments":""}}]}`, `{"tool_calls":[{"index":0,"function":{"arguments":"{\"city\":\"Rome\"}"}}]}`},
		`{"reasoning_content":"I need the weather."}`,
	},
	"vLLM": {
		`{"role":"assistant","content":null,"reasoning":"Look.","tool_calls":[{"id":"chatcmpl-tool-1","type":"function","function":{"name":"temperature","arguments":"{}"}}]}`,
		[]string{`{"reasoning":"Lo"}`, `{"reasoning":"ok."}`, `{"tool_calls":[{"index":0,"id":"chatcmpl-tool-1","type":"function","function":{"name":"temperature","arguments":"{}"}}]}`},
		`{"reasoning":"Look."}`,
	},
	"OpenRouter": {
		`{"role":"assistant","content":"","reasoning":"Look.","reasoning_details":[{"type":"reasoning.text","text":"Look.","signature":"c2ln","format":"anthropic-claude-v1","index":0},{"type":"reasoning.encrypted","data":"ZW5j","id":"rs_1","format":"openai-responses-v1","index":1}],"tool_calls":[{"id":"toolu_1","type":"function","function":{"name":"temperature","arguments":"{}"}}]}`,
		[]string{`{"role":"assistant","content":"","reasoning":"Lo","reasoning_details":[{"type":"reasoning.text","text":"Lo","format":"anthropic-claude-v1","index":0}]}`,
			`{"content":"","reasoning":"ok.","reasoning_details":[{"type":"reasoning.text","text":"ok.","format":"anthropic-claude-v1","index":0}]}`,
			`{"content":"","reasoning":null,"reasoning_details":[{"type":"reasoning.text","signature":"c2ln","format":"anthropic-claude-v1","index":0}]}`,
			`{"content":"","reasoning_details":[{"type":"reasoning.encrypted","data":"ZW5j","id":"rs_1","format":"openai-responses-v1","index":1}]}`,
			`{"tool_calls":[{"index":0,"id":"toolu_1","type":"function","function":{"name":"temperature","arguments":"{}"}}]}`},
		`{"reasoning_details":[{"type":"reasoning.text","text":"Look.","signature":"c2ln","format":"anthropic-claude-v1","index":0},{"type":"reasoning.encrypted","data":"ZW5j","id":"rs_1","format":"openai-responses-v1","index":1}]}`,
	},
	"GitHub Copilot": {
		`{"role":"assistant","content":"","reasoning_text":"Look.","reasoning_opaque":"b3A=","tool_calls":[{"id":"toolu_1","type":"function","function":{"name":"temperature","arguments":"{}"}}]}`,
		[]string{`{"reasoning_text":"Lo"}`, `{"reasoning_text":"ok."}`, `{"content":"","reasoning_opaque":"b3A="}`,
			`{"tool_calls":[{"index":0,"id":"toolu_1","type":"function","function":{"name":"temperature","arguments":"{}"}}]}`},
		`{"reasoning_text":"Look.","reasoning_opaque":"b3A="}`,
	},
	"LiteLLM": {
		`{"role":"assistant","content":"","reasoning_content":"Look.","thinking_blocks":[{"type":"thinking","thinking":"Look.","signature":"c2ln"}],"tool_calls":[{"id":"toolu_1","type":"function","function":{"name":"temperature","arguments":"{}"}}]}`,
		[]string{`{"reasoning_content":"Look.","thinking_blocks":[{"type":"thinking","thinking":"Look.","signature":""}]}`, `{"thinking_blocks":[{"type":"thinking","thinking":"","signature":"c2ln"}]}`,
			`{"tool_calls":[{"index":0,"id":"toolu_1","type":"function","function":{"name":"temperature","arguments":"{}"}}]}`},
		`{"thinking_blocks":[{"type":"thinking","thinking":"Look.","signature":"c2ln"}]}`,
	},
	"Gemini": {
		`{"role":"assistant","tool_calls":[{"extra_content":{"google":{"thought_signature":"QUI="}},"id":"function-call-1","type":"function","function":{"name":"temperature","arguments":"{\"city\":\"Rome\"}"}},{"id":"function-call-2","type":"function","function":{"name":"temperature","arguments":"{\"city\":\"Oslo\"}"}}]}`,
		[]string{`{"role":"assistant","tool_calls":[{"extra_content":{"google":{"thought_signature":"QUI="}},"index":0,"id":"function-call-1","type":"function","function":{"name":"temperature","arguments":"{\"city\":\"Rome\"}"}}]}`,
			`{"tool_calls":[{"index":0,"id":"function-call-2","type":"function","function":{"name":"temperature","arguments":"{\"city\":\"Oslo\"}"}}]}`},
		`{"tool_calls":[{"extra_content":{"google":{"thought_signature":"QUI="}},"id":"function-call-1"},{"id":"function-call-2"}]}`,
	},
	"Gemini, signature in the second call": {
		`{"role":"assistant","tool_calls":[{"id":"a","type":"function","function":{"name":"temperature","arguments":"{}"}},{"extra_content":{"google":{"thought_signature":"QUI="}},"id":"b","type":"function","function":{"name":"temperature","arguments":"{}"}}]}`,
		[]string{`{"tool_calls":[{"index":0,"id":"a","type":"function","function":{"name":"temperature","arguments":"{}"}}]}`, `{"tool_calls":[{"extra_content":{"google":{"thought_signature":"QUI="}},"index":1,"id":"b","type":"function","function":{"name":"temperature","arguments":"{}"}}]}`},
		`{"tool_calls":[{"id":"a"},{"id":"b","extra_content":{"google":{"thought_signature":"QUI="}}}]}`,
	},
	"Mistral": {
		`{"role":"assistant","content":[{"type":"thinking","thinking":[{"type":"text","text":"Look."}]},{"type":"text","text":"I look."}],"tool_calls":[{"id":"Ab3dEf9hJ","function":{"name":"temperature","arguments":"{}"}}]}`,
		[]string{`{"role":"assistant","content":[{"type":"thinking","thinking":[{"type":"text","text":"Lo"}]}]}`, `{"content":[{"type":"thinking","thinking":[{"type":"text","text":"ok."}]}]}`, `{"content":"I look."}`,
			`{"tool_calls":[{"id":"Ab3dEf9hJ","function":{"name":"temperature","arguments":"{}"},"index":0}]}`},
		`{"content":[{"type":"thinking","thinking":[{"type":"text","text":"Look."}]},{"type":"text","text":"I look."}]}`,
	},
	"MiniMax": {
		`{"role":"assistant","content":"<think>\nLook.\n</think>\n\nI look.","tool_calls":[{"id":"call_1","type":"function","function":{"name":"temperature","arguments":"{}"}}]}`,
		[]string{`{"content":"<thi"}`, `{"content":"nk>\nLook.\n</think>\n\nI look."}`, `{"tool_calls":[{"index":0,"id":"call_1","type":"function","function":{"name":"temperature","arguments":"{}"}}]}`},
		`{"content":"<think>\nLook.\n</think>\n\nI look."}`,
	},
}

func TestReasoningComesBack(t *testing.T) {
	for name, server := range strictServers {
		for _, streamed := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, streamed %v", name, streamed), func(t *testing.T) {
				m := server.model(t, streamed)
				var stream func(llm.Delta)
				if streamed {
					stream = func(d llm.Delta) {
						if strings.Contains(d.Text, "Lo") {
							t.Errorf("streamed %q, which is a thought", d.Text)
						}
					}
				}
				req := &llm.Request{Messages: []llm.Message{{Role: llm.RoleUser, Content: "How warm?"}}, Tools: []llm.Tool{{Name: "temperature"}}}
				resp, err := m.Generate(t.Context(), req, stream)
				if err != nil {
					t.Fatal(err)
				}
				if text := resp.Message.Content; text != "" && text != "I look." {
					t.Errorf("the text is %q", text)
				}
				stored, err := json.Marshal(resp.Message)
				if err != nil {
					t.Fatal(err)
				}
				var said llm.Message
				if err := json.Unmarshal(stored, &said); err != nil {
					t.Fatal(err)
				}
				req.Messages = append(req.Messages, said)
				for _, c := range said.ToolCalls {
					req.Messages = append(req.Messages, llm.Message{Role: llm.RoleTool, ToolCallID: c.ID, Content: "4"})
				}
				resp, err = m.Generate(t.Context(), req, stream)
				if err != nil || resp.Message.Content != "4 degrees" {
					t.Errorf("the second request: %+v, %v", resp, err)
				}
				// Another server cannot read it, and may refuse it.
				other := serve(t, events(chunk(`{"content":"x"}`, "stop")))
				elsewhere, err := openai.New(&openai.Options{Model: "m", BaseURL: strings.Replace(other.URL, "127.0.0.1", "localhost", 1)})
				if err != nil {
					t.Fatal(err)
				}
				if _, err := elsewhere.Generate(t.Context(), req, func(llm.Delta) {}); err != nil {
					t.Error(err)
				}
				for _, member := range []string{"reasoning", "thinking", "thought_signature", "think>"} {
					if strings.Contains(other.Raw, member) {
						t.Errorf("%s was sent to another server", member)
					}
				}
				// Without calls it is not needed.
				said.ToolCalls = nil
				req.Messages = append(req.Messages[:1], said, llm.Message{Role: llm.RoleUser, Content: "?"})
				if _, err := m.Generate(t.Context(), req, stream); err != nil {
					t.Error(err)
				}
			})
		}
	}
}

// model returns a model of the server.
func (s strict) model(t *testing.T, streamed bool) *openai.Model {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		raw, err := io.ReadAll(r.Body)
		var sent struct {
			Messages []map[string]any `json:"messages"`
		}
		if err != nil || json.Unmarshal(raw, &sent) != nil {
			t.Errorf("%v: %s", err, raw)
		}
		message, pieces := s.whole, s.pieces
		if len(sent.Messages) > 1 {
			var want map[string]any
			if err := json.Unmarshal([]byte(s.want), &want); err != nil {
				t.Error(err)
			}
			if sent.Messages[1]["tool_calls"] == nil {
				want = nil
				if strings.Contains(string(raw), "reasoning") {
					w.WriteHeader(400)
					return
				}
			}
			if !has(sent.Messages[1], want) {
				w.WriteHeader(http.StatusBadRequest)
				fmt.Fprintf(w, `{"error":{"message":"Missing reasoning in message 1: %s"}}`, strings.ReplaceAll(string(raw), `"`, `'`))
				return
			}
			message, pieces = `{"content":"4 degrees"}`, []string{`{"content":"4 degrees"}`}
		}
		if !streamed {
			w.Header().Set("Content-Type", "application/json")
			io.WriteString(w, completion(message, "stop"))
			return
		}
		var chunks []string
		for _, p := range pieces {
			chunks = append(chunks, chunk(p, "null"))
		}
		events(append(chunks, chunk(`{}`, "tool_calls"))...)(w, r)
	}))
	t.Cleanup(server.Close)
	m, err := openai.New(&openai.Options{Model: "m", BaseURL: server.URL + "/v1"})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// has reports whether got has all members of want, with their values.
func has(got, want any) bool {
	switch want := want.(type) {
	case map[string]any:
		got, ok := got.(map[string]any)
		for name, value := range want {
			ok = ok && has(got[name], value)
		}
		return ok
	case []any:
		got, ok := got.([]any)
		ok = ok && len(got) == len(want)
		for i := 0; ok && i < len(want); i++ {
			ok = has(got[i], want[i])
		}
		return ok
	}
	return got == want
}

// A server that sends reasoning and refuses it in a request gets none.
func TestReasoningRefused(t *testing.T) {
	requests := 0
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {})
	s.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		raw, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		if requests++; strings.Contains(string(raw), "reasoning") {
			w.WriteHeader(http.StatusBadRequest)
			io.WriteString(w, `{"error":{"message":"'messages.1' : for 'role:assistant' the following must be satisfied[('messages.1' : property 'reasoning' is unsupported)]"}}`)
			return
		}
		message := `{"content":null,"reasoning":"Look.","tool_calls":[{"id":"a","type":"function","function":{"name":"temperature","arguments":"{}"}}]}`
		if strings.Contains(string(raw), `"tool_call_id"`) {
			message = `{"content":"4 degrees"}`
		}
		w.Header().Set("Content-Type", "application/json")
		io.WriteString(w, completion(message, "stop"))
	})
	m := s.model(t)
	for _, want := range []int{3, 2} { // the second conversation knows it
		requests = 0
		req := &llm.Request{Messages: []llm.Message{{Role: llm.RoleUser, Content: "How warm?"}}, Tools: []llm.Tool{{Name: "temperature"}}}
		resp, err := m.Generate(t.Context(), req, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Messages = append(req.Messages, resp.Message, llm.Message{Role: llm.RoleTool, ToolCallID: "a", Content: "4"})
		resp, err = m.Generate(t.Context(), req, nil)
		if err != nil || resp.Message.Content != "4 degrees" || requests != want {
			t.Errorf("got %+v, %v after %d requests", resp, err, requests)
		}
	}
}
