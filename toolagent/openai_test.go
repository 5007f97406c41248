package toolagent_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/llm/openai"
)

// A body is a request to a server of chat completions.
type body struct {
	Messages []struct {
		Role       string `json:"role"`
		Content    string `json:"content"`
		ToolCallID string `json:"tool_call_id"`
		ToolCalls  []struct {
			ID       string `json:"id"`
			Function struct{ Name, Arguments string }
		} `json:"tool_calls"`
	} `json:"messages"`
	Tools []struct {
		Function struct {
			Name       string
			Parameters map[string]any
		}
	} `json:"tools"`
}

// A loop against a server of chat completions: pieces of two calls in a stream, a call
// with malformed arguments, and the answer.
func TestOpenAI(t *testing.T) {
	chunk := func(delta, finish string) string {
		return fmt.Sprintf(`{"id":"1","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":%s,"finish_reason":%s}]}`, delta, finish)
	}
	const usage = `{"id":"1","object":"chat.completion.chunk","created":1,"model":"m","choices":[],"usage":{"prompt_tokens":9,"completion_tokens":3,"total_tokens":12}}`
	replies := [][]string{
		{
			chunk(`{"role":"assistant","content":"Let me "}`, "null"), chunk(`{"content":"look."}`, "null"),
			chunk(`{"tool_calls":[{"index":0,"id":"a","type":"function","function":{"name":"temperature","arguments":"{\"ci"}}]}`, "null"),
			chunk(`{"tool_calls":[{"index":1,"id":"b","type":"function","function":{"name":"temperature","arguments":"{\"city\":\"Amsterdam\"}"}}]}`, "null"),
			chunk(`{"tool_calls":[{"index":0,"function":{"arguments":"ty\":\"Rome\"}"}}]}`, "null"),
			chunk(`{}`, `"tool_calls"`), usage,
		},
		{
			chunk(`{"role":"assistant","tool_calls":[{"index":0,"id":"c","type":"function","function":{"name":"temperature","arguments":"{\"city\": Oslo"}}]}`, "null"),
			chunk(`{}`, `"tool_calls"`), usage,
		},
		{chunk(`{"role":"assistant","content":"Amsterdam, "}`, "null"), chunk(`{"content":"with 9."}`, "null"), chunk(`{}`, `"stop"`), usage},
	}
	var bodies []body
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		raw, err := io.ReadAll(r.Body)
		n := len(bodies)
		bodies = append(bodies, body{})
		if err != nil || json.Unmarshal(raw, &bodies[n]) != nil || n >= len(replies) {
			t.Errorf("request %d: %v: %s", n, err, raw)
			http.Error(w, "no", http.StatusBadRequest)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		for _, data := range append(replies[n], "[DONE]") {
			fmt.Fprintf(w, "data: %s\n\n", data)
		}
	}))
	defer server.Close()
	model, err := openai.New(&openai.Options{Model: "m", BaseURL: server.URL + "/v1", APIKey: "k"})
	if err != nil {
		t.Fatal(err)
	}
	texts, discarded := map[qed.Channel]string{}, ""
	var answer qed.Answer
	for event, err := range newAgent(t, model, registry(t, temperature()), nil).Run(t.Context(), qed.Turn{Text: "Where is it warmest?"}) {
		if err != nil {
			t.Fatal(err)
		}
		switch d := event.Data.(type) {
		case qed.Token:
			if d.Discard {
				discarded, texts[d.Channel] = texts[d.Channel], ""
			}
			texts[d.Channel] += d.Content
		case qed.Completed:
			answer = d.Answer
		}
	}
	if diff := cmp.Diff(map[qed.Channel]string{qed.ChannelFinal: "Amsterdam, with 9."}, texts); diff != "" || discarded != "Let me look." {
		t.Errorf("%s, discarded %q", diff, discarded)
	}
	if diff := cmp.Diff(qed.Answer{Text: "Amsterdam, with 9.", Usage: llm.Usage{InputTokens: 27, OutputTokens: 9, Calls: 3}}, answer); diff != "" {
		t.Error(diff)
	}
	if len(bodies) != 3 || bodies[0].Tools[0].Function.Name != "temperature" || bodies[0].Tools[0].Function.Parameters["type"] != "object" {
		t.Fatalf("sent %+v", bodies)
	}
	last := bodies[2].Messages
	var got []string
	for _, m := range last[2:] {
		line := m.Role + " " + m.ToolCallID
		for _, c := range m.ToolCalls {
			line += c.ID + c.Function.Arguments
		}
		got = append(got, line)
	}
	if diff := cmp.Diff([]string{`assistant a{"city":"Rome"}b{"city":"Amsterdam"}`, "tool a", "tool b", "user "}, got); diff != "" {
		t.Error(diff)
	}
	if !strings.Contains(last[3].Content, `{"degrees":4}`) || !strings.Contains(last[4].Content, `{"degrees":9}`) || !strings.Contains(last[5].Content, "arguments that are not JSON") {
		t.Errorf("sent %+v", last)
	}
}
