package openai_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed/internal/provider/providertest"
	"github.com/qedkit/qed/llm"
)

func TestStream(t *testing.T) {
	text := []string{chunk(`{"role":"assistant","content":""}`, "null"), chunk(`{"content":"Hel"}`, "null"), chunk(`{"content":"lo ✓"}`, "null")}
	stop := chunk(`{}`, "stop")
	for name, test := range map[string]struct {
		handle http.HandlerFunc
		usage  llm.Usage
	}{
		"with usage":    {events(append(text, stop, usageChunk)...), llm.Usage{InputTokens: 9, OutputTokens: 3, Calls: 1}},
		"without usage": {events(append(text, stop)...), llm.Usage{Calls: 1}},
		"other choices": {events(append(text, strings.Replace(chunk(`{"content":"no"}`, "null"), `"index":0`, `"index":1`, 1), stop)...), llm.Usage{Calls: 1}},
		"no end mark":   {func(w http.ResponseWriter, _ *http.Request) { writeEvents(w, "\n\n", append(text, stop)...) }, llm.Usage{Calls: 1}},
		"carriage ends": {func(w http.ResponseWriter, _ *http.Request) { writeEvents(w, "\r\n\r\n", append(text, stop)...) }, llm.Usage{Calls: 1}},
		"comments": {func(w http.ResponseWriter, _ *http.Request) {
			io.WriteString(w, ": ping\n\n")
			writeEvents(w, "\n\n", append(text, stop)...)
		}, llm.Usage{Calls: 1}},
		"as plain text": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/plain")
			writeEvents(w, "\n\n", append(text, stop)...)
		}, llm.Usage{Calls: 1}},
		"running totals": {events(append(text, strings.Replace(usageChunk, `"completion_tokens":3`, `"completion_tokens":1`, 1), stop, usageChunk)...), llm.Usage{InputTokens: 9, OutputTokens: 3, Calls: 1}},
	} {
		t.Run(name, func(t *testing.T) {
			s := serve(t, test.handle)
			providertest.CheckStream(t, s.model(t), []string{"Hel", "lo ✓"}, &llm.Response{
				Message: llm.Message{Role: llm.RoleAssistant, Content: "Hello ✓"}, FinishReason: llm.FinishStop, Usage: test.usage, Model: "gpt-test-2026",
			})
			if s.Body["stream"] != true || !cmp.Equal(s.Body["stream_options"], any(map[string]any{"include_usage": true})) {
				t.Errorf("sent %s", s.Raw)
			}
		})
	}
}

func writeEvents(w io.Writer, end string, data ...string) {
	for _, d := range data {
		io.WriteString(w, "data: "+d+end)
	}
}

func TestStreamedToolCalls(t *testing.T) {
	want := []llm.ToolCall{
		{ID: "a", Name: "f", Arguments: json.RawMessage(`{"x":1}`)},
		{ID: "b", Name: "g", Arguments: json.RawMessage(`{}`)},
	}
	for name, deltas := range map[string][]string{
		"in pieces": {
			`{"tool_calls":[{"index":0,"id":"a","type":"function","function":{"name":"f","arguments":""}}]}`,
			`{"tool_calls":[{"index":0,"function":{"arguments":"{\"x\""}}]}`,
			`{"tool_calls":[{"index":1,"id":"b","type":"function","function":{"name":"g","arguments":""}}]}`,
			`{"tool_calls":[{"index":0,"function":{"arguments":":1}"}}]}`,
		},
		"all numbered 0": {
			`{"tool_calls":[{"index":0,"id":"a","type":"function","function":{"name":"f","arguments":"{\"x\":1}"}}]}`,
			`{"tool_calls":[{"index":0,"id":"b","type":"function","function":{"name":"g","arguments":"{}"}}]}`,
		},
		"ids repeated": {
			`{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{\"x\""}},{"index":1,"id":"b","function":{"name":"g"}}]}`,
			`{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":":1}"}}]}`,
		},
	} {
		var data []string
		for _, d := range deltas {
			data = append(data, chunk(d, "null"))
		}
		s := serve(t, events(append(data, chunk(`{}`, "tool_calls"))...))
		resp, err := s.model(t).Generate(t.Context(), providertest.Request("hi"), func(llm.Delta) { t.Error("there is no text") })
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, resp.Message.ToolCalls); diff != "" || resp.FinishReason != llm.FinishToolCalls {
			t.Errorf("%s: finish %q (-want +got)\n%s", name, resp.FinishReason, diff)
		}
	}
}

func TestStreamThatBreaksOff(t *testing.T) {
	half := chunk(`{"content":"half a "}`, "null")
	for name, test := range map[string]struct {
		handle  http.HandlerFunc
		kind    llm.ErrorKind
		partial string
		finish  llm.FinishReason
	}{
		"connection cut": {func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			writeEvents(w, "\n\n", half)
			w.(http.Flusher).Flush()
			panic(http.ErrAbortHandler)
		}, llm.ErrTruncated, "half a ", ""},
		"clean end, no finish": {providertest.Events("data: " + half + "\n\n"), llm.ErrTruncated, "half a ", ""},
		"nothing at all":       {events(), llm.ErrTruncated, "", ""},
		"length":               {events(half, chunk(`{}`, "length"), usageChunk), llm.ErrTruncated, "half a ", llm.FinishLength},
		"filter":               {events(half, chunk(`{}`, "content_filter")), llm.ErrRefusal, "half a ", llm.FinishRefusal},
		"refusal":              {events(chunk(`{"refusal":"I will"}`, "null"), chunk(`{"refusal":" not"}`, "null"), chunk(`{}`, "stop")), llm.ErrRefusal, "", llm.FinishRefusal},
		"garbage":              {events(half, `{"choices":`), llm.ErrProtocol, "half a ", ""},
		"nonsense":             {events(half, `<oops>`), llm.ErrProtocol, "half a ", ""},
		"error within":         {events(half, `{"error":{"message":"overloaded","type":"server_error"}}`), llm.ErrUnavailable, "half a ", ""},
		"rate limit within":    {events(half, `{"error":{"message":"slow down","code":"rate_limit_exceeded"}}`), llm.ErrRateLimit, "half a ", ""},
		"bad arguments":        {events(chunk(`{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{"}}]}`, "tool_calls")), llm.ErrInvalidOutput, "", llm.FinishToolCalls},
		"endless calls":        {events(manyCalls()...), llm.ErrProtocol, "", ""},
		"not streamed":         {providertest.Body(200, completion(`{"role":"assistant","content":"all"}`, "stop")), llm.ErrProtocol, "", ""},
		"endless line":         {providertest.EndlessLine, llm.ErrProtocol, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := serve(t, test.handle)
			providertest.CheckBrokenStream(t, s.model(t), test.kind, test.partial, test.finish)
		})
	}
}

func manyCalls() (data []string) {
	for i := range 2000 {
		data = append(data, chunk(fmt.Sprintf(`{"tool_calls":[{"index":%d,"id":"a","function":{"name":"f","arguments":"{}"}}]}`, i), "null"))
	}
	return data
}
