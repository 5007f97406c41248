package anthropic_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed/internal/provider/providertest"
	"github.com/qedkit/qed/llm"
)

// hello is a streamed reply.
var hello = []string{
	start, blockStart(0, `{"type":"text","text":""}`), ping, textDelta("Hel"), textDelta("lo ✓"), blockStop(0), stop("end_turn"), end,
}

func TestStream(t *testing.T) {
	usage := llm.Usage{InputTokens: 9, OutputTokens: 3, Calls: 1, CachedTokens: 1, CacheWriteTokens: 3}
	thinking := []string{
		blockStart(0, `{"type":"thinking","thinking":"","signature":""}`), delta(0, `{"type":"thinking_delta","thinking":"hm"}`),
		delta(0, `{"type":"signature_delta","signature":"s"}`), blockStop(0),
	}
	for name, test := range map[string]struct {
		events []string
		usage  llm.Usage
	}{
		"plain":          {hello, usage},
		"no end mark":    {hello[:len(hello)-1], usage},
		"thinking first": {slices.Insert(slices.Clone(hello), 1, thinking...), usage},
		"unknown events": {slices.Insert(slices.Clone(hello), 1, event("news", `,"text":"no"`), event("content_block_delta", `,"index":0,"delta":{"type":"new","text":"no"}`)), usage},
		"comments":       {slices.Insert(slices.Clone(hello), 0, ": hi\n\n"), usage},
		"text at once":   {[]string{start, blockStart(0, `{"type":"text","text":"Hel"}`), textDelta("lo ✓"), stop("end_turn"), end}, usage},
		"two blocks": {[]string{start, textDelta("Hel"), blockStop(0), blockStart(1, `{"type":"text","text":""}`),
			delta(1, `{"type":"text_delta","text":"lo ✓"}`), stop("stop_sequence"), end}, usage},
		"carriage ends": {[]string{strings.ReplaceAll(strings.Join(hello, ""), "\n", "\r\n")}, usage},
		"input again": {append(slices.Clone(hello[:6]), event("message_delta", `,"delta":{"stop_reason":"end_turn"},`+
			`"usage":{"input_tokens":10,"cache_creation_input_tokens":3,"cache_read_input_tokens":1,"output_tokens":4}`), end), llm.Usage{InputTokens: 14, OutputTokens: 4, Calls: 1, CachedTokens: 1, CacheWriteTokens: 3}},
		"after the end": {append(slices.Clone(hello), textDelta("no")), usage},
	} {
		t.Run(name, func(t *testing.T) {
			s := serve(t, providertest.Events(test.events...))
			var parts []llm.Part
			if strings.Contains(strings.Join(test.events, ""), "thinking") {
				parts = []llm.Part{reasoning(`{"host":"127.0.0.1","block":{"type":"thinking","thinking":"hm","signature":"s"}}`, "hm")}
			}
			providertest.CheckStream(t, s.model(t), []string{"Hel", "lo ✓"}, &llm.Response{
				Message: llm.Message{Role: llm.RoleAssistant, Content: "Hello ✓", Parts: parts}, FinishReason: llm.FinishStop, Usage: test.usage, Model: "claude-test-2026",
			})
			if s.Body["stream"] != true || s.Header.Get("Accept") != "text/event-stream" {
				t.Errorf("sent %s", s.Raw)
			}
		})
	}
}

// TestStreamEndsWithItsMessage: Generate does not wait for a server that keeps the
// connection open after the end of a message.
// Gateways send errors of the upstream server without a type.
func TestStreamedErrors(t *testing.T) {
	for body, want := range map[string]llm.ErrorKind{
		`{"error":{"message":"Rate limit reached","code":429}}`:                                           llm.ErrRateLimit,
		`{"error":{"type":"invalid_request_error","message":"prompt is too long: 2 tokens > 1 maximum"}}`: llm.ErrContextLength,
	} {
		for _, before := range []string{"", start + textDelta("half")} {
			s := serve(t, providertest.Events(before+"data: "+body+"\n\n"))
			if _, err := s.model(t).Generate(t.Context(), providertest.Request("hi"), func(llm.Delta) {}); !errors.Is(err, want) {
				t.Errorf("%s: %v", body, err)
			}
		}
	}
}

func TestStreamEndsWithItsMessage(t *testing.T) {
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		providertest.Events(hello...)(w, r)
		<-r.Context().Done()
	})
	if _, err := s.model(t).Generate(t.Context(), providertest.Request("hi"), func(llm.Delta) {}); err != nil {
		t.Error(err)
	}
}

func TestStreamedToolCalls(t *testing.T) {
	want := llm.Message{Role: llm.RoleAssistant, Content: "look", ToolCalls: []llm.ToolCall{
		{ID: "a", Name: "f", Arguments: json.RawMessage(`{"x":1}`)},
		{ID: "b", Name: "g", Arguments: json.RawMessage(`{}`)},
	}}
	tool := func(index int, id, name, input string) string {
		return blockStart(index, fmt.Sprintf(`{"type":"tool_use","id":%q,"name":%q,"input":%s}`, id, name, input))
	}
	input := func(index int, piece string) string {
		return delta(index, fmt.Sprintf(`{"type":"input_json_delta","partial_json":%q}`, piece))
	}
	for name, events := range map[string][]string{
		"in pieces": {tool(1, "a", "f", `{}`), input(1, ""), input(1, `{"x"`), input(1, `:1}`), blockStop(1), tool(2, "b", "g", `{}`), blockStop(2)},
		"mixed":     {tool(1, "a", "f", `{}`), tool(2, "b", "g", `{}`), input(1, `{"x"`), input(2, `{}`), input(1, `:1}`)},
		"at once":   {tool(1, "a", "f", `{"x":1}`), tool(2, "b", "g", `null`)},
		"twice":     {tool(1, "a", "f", `{"x":1}`), input(1, ""), input(1, `{"x"`), input(1, `:1}`), tool(2, "b", "g", `""`), input(2, `{}`)},
		"as a text": {tool(1, "a", "f", `"{\"x\":1}"`), tool(2, "b", "g", `""`)},
		"tools of the provider": {blockStart(3, `{"type":"server_tool_use","id":"s","name":"web_search","input":{}}`), input(3, `{"q":1}`),
			tool(1, "a", "f", `{"x":1}`), tool(2, "b", "g", `{}`)},
	} {
		s := serve(t, providertest.Events(slices.Concat([]string{start, textDelta("look")}, events, []string{stop("tool_use"), end})...))
		resp, err := s.model(t).Generate(t.Context(), providertest.Request("hi"), func(llm.Delta) {})
		if err != nil {
			t.Fatal(name, err)
		}
		if diff := cmp.Diff(want, resp.Message); diff != "" || resp.FinishReason != llm.FinishToolCalls {
			t.Errorf("%s: finish %q (-want +got)\n%s", name, resp.FinishReason, diff)
		}
	}
}

func TestStreamThatBreaksOff(t *testing.T) {
	half := textDelta("half a ")
	failed := func(kind string) string {
		return event("error", fmt.Sprintf(`,"error":{"type":%q,"message":"it failed %s"}`, kind, testKey))
	}
	tool := blockStart(1, `{"type":"tool_use","id":"a","name":"f","input":{}}`)
	for name, test := range map[string]struct {
		handle  http.HandlerFunc
		kind    llm.ErrorKind
		partial string
		finish  llm.FinishReason
	}{
		"connection cut": {func(w http.ResponseWriter, r *http.Request) {
			providertest.Events(start, half)(w, r)
			panic(http.ErrAbortHandler)
		}, llm.ErrTruncated, "half a ", ""},
		"clean end, no reason": {providertest.Events(start, half), llm.ErrTruncated, "half a ", ""},
		"end mark, no reason":  {providertest.Events(start, half, end), llm.ErrTruncated, "half a ", ""},
		"nothing at all":       {providertest.Events(), llm.ErrTruncated, "", ""},
		"length":               {providertest.Events(start, half, stop("max_tokens"), end), llm.ErrTruncated, "half a ", llm.FinishLength},
		"window":               {providertest.Events(start, half, stop("model_context_window_exceeded"), end), llm.ErrTruncated, "half a ", llm.FinishLength},
		"refusal":              {providertest.Events(start, half, stop("refusal"), end), llm.ErrRefusal, "half a ", llm.FinishRefusal},
		"garbage":              {providertest.Events(start, half, "event: message_delta\ndata: {\"delta\":\n\n"), llm.ErrProtocol, "half a ", ""},
		"nonsense":             {providertest.Events(start, half, "event: message_delta\ndata: <oops>\n\n"), llm.ErrProtocol, "half a ", ""},
		"overloaded within":    {providertest.Events(start, half, failed("overloaded_error")), llm.ErrUnavailable, "half a ", ""},
		"failure within":       {providertest.Events(start, half, failed("api_error")), llm.ErrUnavailable, "half a ", ""},
		"rate limit within":    {providertest.Events(start, half, failed("rate_limit_error")), llm.ErrRateLimit, "half a ", ""},
		"bad request within":   {providertest.Events(start, half, failed("invalid_request_error")), llm.ErrBadRequest, "half a ", ""},
		"no key within":        {providertest.Events(failed("authentication_error")), llm.ErrAuth, "", ""},
		"timeout within":       {providertest.Events(start, half, failed("timeout_error")), llm.ErrTimeout, "half a ", ""},
		"failure, no JSON":     {providertest.Events(start, half, "event: error\ndata: "+testKey+"\n\n"), llm.ErrUnavailable, "half a ", ""},
		"bad arguments":        {providertest.Events(tool, delta(1, `{"type":"input_json_delta","partial_json":"{"}`), stop("tool_use")), llm.ErrInvalidOutput, "", llm.FinishToolCalls},
		"arguments cut":        {providertest.Events(half, tool, delta(1, `{"type":"input_json_delta","partial_json":"{"}`), stop("max_tokens")), llm.ErrTruncated, "half a ", llm.FinishLength},
		"endless calls":        {providertest.Events(slices.Repeat([]string{tool}, 2000)...), llm.ErrProtocol, "", ""},
		"not streamed":         {providertest.Body(200, message(text("all"), "end_turn")), llm.ErrProtocol, "", ""},
		"endless line":         {providertest.EndlessLine, llm.ErrProtocol, "", ""},
		"endless event": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			line := "data: " + strings.Repeat(" ", 1<<20) + "\n"
			for range 40 {
				if _, err := io.WriteString(w, line); err != nil {
					return
				}
			}
		}, llm.ErrProtocol, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := serve(t, test.handle)
			providertest.CheckBrokenStream(t, s.model(t), test.kind, test.partial, test.finish)
		})
	}
}

// A reason that is not known here is none of a complete reply.
func TestUnknownStopReason(t *testing.T) {
	for reason, want := range map[string]llm.ErrorKind{
		"end_turn": "", "stop_sequence": "", "tool_use": "",
		"max_tokens": llm.ErrTruncated, "pause_turn": llm.ErrTruncated, "model_context_window_exceeded": llm.ErrTruncated,
		"refusal": llm.ErrRefusal, "abort": llm.ErrTruncated, "compaction": llm.ErrTruncated,
	} {
		s := serve(t, providertest.Body(200, `{"type":"message","model":"m","content":[{"type":"text","text":"half"}],"stop_reason":"`+reason+`"}`))
		resp, err := s.model(t).Generate(t.Context(), providertest.Request("q"), nil)
		if want == "" && (err != nil || resp.Message.Content != "half") || want != "" && !errors.Is(err, want) {
			t.Errorf("%s: got %+v, %v", reason, resp, err)
		}
	}
}
