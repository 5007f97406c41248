package openai_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed/internal/provider"
	"github.com/qedkit/qed/internal/provider/providertest"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/llm/openai"
)

// useResponses selects the Responses API.
func useResponses(o *openai.Options) { o.API = openai.Responses }

// output returns a reply of the Responses API with these items.
func output(items string) string { return ended("completed", `,"output":`+items) }

// ended returns a reply with this status.
func ended(status, fields string) string {
	return fmt.Sprintf(`{"id":"resp_1","object":"response","created_at":1,"model":"gpt-test-2026","status":%q,"error":null,"incomplete_details":null,`+
		`"usage":{"input_tokens":9,"input_tokens_details":{"cached_tokens":4,"cache_write_tokens":2},"output_tokens":3,"output_tokens_details":{"reasoning_tokens":1},"total_tokens":12}%s}`,
		status, fields)
}

// said returns an output with one message.
func said(text string) string { return output(`[` + messageItem(text) + `]`) }

func messageItem(text string) string {
	return fmt.Sprintf(`{"type":"message","id":"msg_1","role":"assistant","status":"completed","content":[{"type":"output_text","text":%q,"annotations":[]}]}`, text)
}

func callItem(id, arguments string) string {
	return fmt.Sprintf(`{"type":"function_call","id":"fc_%s","call_id":%q,"name":"f","arguments":%q,"status":"completed"}`, id, id, arguments)
}

var responsesUsage = llm.Usage{InputTokens: 9, OutputTokens: 3, Calls: 1, CachedTokens: 4, CacheWriteTokens: 2, ReasoningTokens: 1}

// streamEvent returns an event of the Responses API.
func streamEvent(kind, fields string) string {
	return fmt.Sprintf("event: %s\ndata: {\"type\":%q,\"sequence_number\":1%s}\n\n", kind, kind, fields)
}

func textPiece(text string) string {
	return streamEvent("response.output_text.delta", fmt.Sprintf(`,"item_id":"msg_1","output_index":0,"content_index":0,"delta":%q,"logprobs":[]`, text))
}

func itemEvent(kind string, index int, item string) string {
	return streamEvent("response.output_item."+kind, fmt.Sprintf(`,"output_index":%d,"item":%s`, index, item))
}

func endEvent(status, fields string) string {
	return streamEvent("response."+status, `,"response":`+ended(status, fields))
}

var created = streamEvent("response.created", `,"response":{"id":"resp_1","model":"gpt-test-2026","status":"in_progress","error":null,"output":[],"usage":null}`)

// An item may have as many parts as a reply may have calls. More are refused before
// they are decoded.
func TestResponsesParts(t *testing.T) {
	message := func(parts int) string {
		part := `{"type":"output_text","text":"x","annotations":[]}`
		return `{"type":"message","id":"msg_1","role":"assistant","status":"completed","content":[` + strings.Repeat(part+",", parts-1) + part + `]}`
	}
	for name, test := range map[string]struct {
		parts int
		want  error
	}{
		"the most":      {provider.MaxCalls, nil},
		"one too many":  {provider.MaxCalls + 1, llm.ErrProtocol},
		"far too many":  {200 * provider.MaxCalls, llm.ErrProtocol},
		"the usual one": {1, nil},
	} {
		t.Run(name, func(t *testing.T) {
			whole := serve(t, providertest.Body(200, output(`[`+message(test.parts)+`]`))).model(t, useResponses)
			resp, err := whole.Generate(t.Context(), providertest.Request("q"), nil)
			if !errors.Is(err, test.want) || err == nil && len(resp.Message.Content) != test.parts {
				t.Errorf("%v, %v", resp, err)
			}
			if err != nil && !strings.Contains(err.Error(), "parts") {
				t.Errorf("the error does not say why: %v", err)
			}
			streamed := serve(t, providertest.Events(textPiece("x"), itemEvent("done", 0, message(test.parts)), endEvent("completed", ""))).model(t, useResponses)
			if _, err := streamed.Generate(t.Context(), providertest.Request("q"), func(llm.Delta) {}); !errors.Is(err, test.want) {
				t.Errorf("streamed: %v", err)
			}
		})
	}
}

// What a server sends only at the end of an item, or of the reply, is part of it.
func TestResponsesEnds(t *testing.T) {
	done := endEvent("completed", "")
	for name, test := range map[string]struct{ body, text, call string }{
		"a call in its item":         {itemEvent("done", 0, callItem("a", `{"x":1}`)) + done, "", `a f {"x":1}`},
		"a text in its item":         {itemEvent("done", 0, messageItem("Yes.")) + done, "Yes.", ""},
		"a text in both":             {textPiece("Yes.") + itemEvent("done", 0, messageItem("Yes.")) + endEvent("completed", `,"output":[`+messageItem("Yes.")+`]`), "Yes.", ""},
		"the whole reply":            {endEvent("completed", `,"output":[`+messageItem("Yes.")+`,`+callItem("a", "{}")+`]`), "Yes.", "a f {}"},
		"arguments that are objects": {itemEvent("done", 0, `{"type":"function_call","call_id":"a","name":"f","arguments":{"x":1}}`) + done, "", `a f {"x":1}`},
		"a call after a text":        {textPiece("Yes.") + endEvent("completed", `,"output":[`+messageItem("Yes.")+`,`+callItem("a", "{}")+`]`), "Yes.", "a f {}"},
		"a part of another type":     {itemEvent("done", 0, `{"type":"message","content":[{"type":"text","text":"Yes."}]}`) + done, "Yes.", ""},
	} {
		resp, err := serve(t, providertest.Events(test.body)).model(t, useResponses).Generate(t.Context(), providertest.Request("q"), func(llm.Delta) {})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		call := ""
		for _, c := range resp.Message.ToolCalls {
			call += fmt.Sprintf("%s %s %s", c.ID, c.Name, c.Arguments)
		}
		if resp.Message.Content != test.text || call != test.call {
			t.Errorf("%s: got %+v", name, resp.Message)
		}
	}
}

func TestResponsesFailures(t *testing.T) {
	providertest.Suite{
		New: func(tb testing.TB, base string, timeout time.Duration, client *http.Client) llm.Model {
			tb.Helper()
			m, err := openai.New(&openai.Options{Model: "gpt-test", BaseURL: base, API: openai.Responses, APIKey: testKey, Timeout: timeout, HTTPClient: client})
			if err != nil {
				tb.Fatal(err)
			}
			return m
		},
		Path:  "/v1",
		Reply: said("ok"),
		Piece: textPiece("one "),
	}.TestFailures(t)
}

// FuzzResponses is FuzzReply for the Responses API.
func FuzzResponses(f *testing.F) {
	f.Add(200, false, []byte(said("x")))
	f.Add(200, false, []byte(output(`[`+reasoningItem+`,`+callItem("a", "{")+`]`)))
	f.Add(200, true, []byte(textPiece("x")+endEvent("completed", "")))
	f.Add(200, true, []byte(itemEvent("added", 0, callItem("a", ""))+itemEvent("done", 0, reasoningItem)+endEvent("completed", "")))
	f.Add(200, true, []byte(endEvent("failed", `,"error":{"code":"server_error","message":"`+testKey+`"}`)))
	f.Add(200, true, []byte(streamEvent("error", `,"code":"rate_limit_exceeded","message":"slow"`)))
	providertest.FuzzReplies(f, func(tb testing.TB, client *http.Client) llm.Model { return newModel(tb, client, useResponses) })
}

func TestResponsesRequest(t *testing.T) {
	s := serve(t, providertest.Body(200, said("42")))
	image := llm.Part{Type: llm.PartImage, MediaType: "image/png", Data: []byte("png")}
	resp, err := s.model(t, useResponses).Generate(t.Context(), &llm.Request{
		Name: "never sent",
		Messages: []llm.Message{
			{Role: llm.RoleSystem, Content: "be brief"},
			{Role: llm.RoleSystem, Content: "be kind", CacheHint: true},
			{Role: llm.RoleUser, Content: "how many?", Parts: []llm.Part{
				{Type: llm.PartText, Text: "look:"}, image, {Type: llm.PartImage, URL: "https://example.com/b.png"},
				{Type: llm.PartFile, MediaType: "application/pdf", Data: []byte("%PDF")},
				{Type: llm.PartFile, URL: "https://example.com/c.pdf"},
			}},
			{Role: llm.RoleAssistant, Content: "I count", ToolCalls: []llm.ToolCall{{ID: "c1", Name: "count", Arguments: json.RawMessage(`{"of":"x"}`)}, {ID: "c2", Name: "now"}}},
			{Role: llm.RoleTool, ToolCallID: "c1", Content: "42"},
			{Role: llm.RoleTool, ToolCallID: "c2", Parts: []llm.Part{image, {Type: llm.PartFile, MediaType: "text/csv", Name: "a.csv", Data: []byte("a")}}},
			{Role: llm.RoleSystem, Content: "answer now"},
			{Role: llm.RoleUser, Content: "well?"},
		},
		Tools: []llm.Tool{
			{Name: "count", Description: "counts", InputSchema: json.RawMessage(`{"type":"object","properties":{"z":{"type":"string"}}}`)},
			{Name: "now"},
		},
		ToolChoice:      llm.ToolChoiceOf("now"),
		Temperature:     new(0.0),
		MaxOutputTokens: 50,
		Extra:           map[string]json.RawMessage{"reasoning": json.RawMessage(`{"effort":"low"}`), "text": json.RawMessage(`{"verbosity":"low"}`)},
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := &llm.Response{
		Message: llm.Message{Role: llm.RoleAssistant, Content: "42"}, FinishReason: llm.FinishStop, Usage: responsesUsage, Model: "gpt-test-2026",
	}
	if diff := cmp.Diff(want, resp); diff != "" {
		t.Errorf("response (-want +got)\n%s", diff)
	}
	s.sends(t, `{"model":"gpt-test","store":false,"include":["reasoning.encrypted_content"],"instructions":"be brief\n\nbe kind",
		"temperature":0,"max_output_tokens":50,"tool_choice":{"type":"function","name":"now"},"reasoning":{"effort":"low"},"text":{"verbosity":"low"},
		"input":[
			{"role":"user","content":[{"type":"input_text","text":"look:"},{"type":"input_image","detail":"auto","image_url":"data:image/png;base64,cG5n"},
				{"type":"input_image","detail":"auto","image_url":"https://example.com/b.png"},
				{"type":"input_file","filename":"document.pdf","file_data":"data:application/pdf;base64,JVBERg=="},
				{"type":"input_file","file_url":"https://example.com/c.pdf"},{"type":"input_text","text":"how many?"}]},
			{"role":"assistant","content":"I count"},
			{"type":"function_call","call_id":"c1","name":"count","arguments":"{\"of\":\"x\"}"},
			{"type":"function_call","call_id":"c2","name":"now","arguments":"{}"},
			{"type":"function_call_output","call_id":"c1","output":"42"},
			{"type":"function_call_output","call_id":"c2","output":[{"type":"input_image","detail":"auto","image_url":"data:image/png;base64,cG5n"},
				{"type":"input_file","filename":"a.csv","file_data":"data:text/csv;base64,YQ=="}]},
			{"role":"system","content":"answer now"},
			{"role":"user","content":"well?"}],
		"tools":[{"type":"function","name":"count","description":"counts","strict":false,"parameters":{"type":"object","properties":{"z":{"type":"string"}}}},
			{"type":"function","name":"now","strict":false,"parameters":{"type":"object","properties":{}}}]}`)
	if s.Path != "/v1/responses" || s.Header.Get("Authorization") != "Bearer "+testKey {
		t.Errorf("path %q, authorization %q", s.Path, s.Header.Get("Authorization"))
	}
}

func (s wire) sends(t *testing.T, want string) {
	t.Helper()
	var sent any
	if err := json.Unmarshal([]byte(want), &sent); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(sent, any(s.Body)); diff != "" {
		t.Errorf("sent (-want +got)\n%s", diff)
	}
}

func TestResponsesFormat(t *testing.T) {
	object := `{"type":"object","properties":` + strictPlan + `,"additionalProperties":false,"required":["reason","limit","steps","next"]`
	loose := `{"type":"object","properties":{"a":true}}`
	for name, test := range map[string]struct {
		call func(llm.Model) error
		want string
	}{
		"strict": {func(m llm.Model) error {
			_, _, err := llm.GenerateObject[plan](t.Context(), m, providertest.Request("plan"), nil)
			return err
		}, `{"type":"json_schema","name":"plan","strict":true,"schema":` + object + `,"$defs":{"plan":` + object + `}}}}`},
		"JSON mode": {func(m llm.Model) error {
			_, _, err := llm.GenerateObject[plan](t.Context(), m, providertest.Request("plan"), &llm.ObjectOptions{Mode: llm.JSONMode})
			return err
		}, `{"type":"json_object"}`},
		"loose": {func(m llm.Model) error {
			req := providertest.Request("plan")
			req.Format = &llm.Format{Schema: json.RawMessage(loose)}
			_, err := m.Generate(t.Context(), req, nil)
			return err
		}, `{"type":"json_schema","name":"reply","strict":false,"schema":` + loose + `}`},
	} {
		s := serve(t, providertest.Body(200, said(`{"reason":"r","limit":null,"steps":[{"sql":"x"}],"next":null}`)))
		if err := test.call(s.model(t, useResponses)); err != nil {
			t.Fatal(name, err)
		}
		var want any
		if err := json.Unmarshal([]byte(test.want), &want); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, s.Body["text"].(map[string]any)["format"]); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", name, diff)
		}
	}
}

func TestResponsesStream(t *testing.T) {
	hello := []string{created, itemEvent("added", 0, `{"type":"message","id":"msg_1","role":"assistant","content":[]}`), textPiece("Hel"), textPiece("lo ✓"),
		itemEvent("done", 0, messageItem("Hello ✓")), endEvent("completed", "")}
	for name, events := range map[string][]string{
		"plain":         hello,
		"after the end": append(append([]string{}, hello...), textPiece("no")),
		"unknown":       append([]string{streamEvent("response.news", `,"delta":"no"`), ": ping\n\n"}, hello...),
		"carriage ends": {strings.ReplaceAll(strings.Join(hello, ""), "\n", "\r\n")},
		"no beginning":  hello[2:],
	} {
		t.Run(name, func(t *testing.T) {
			s := serve(t, providertest.Events(events...))
			providertest.CheckStream(t, s.model(t, useResponses), []string{"Hel", "lo ✓"}, &llm.Response{
				Message: llm.Message{Role: llm.RoleAssistant, Content: "Hello ✓"}, FinishReason: llm.FinishStop, Usage: responsesUsage, Model: "gpt-test-2026",
			})
			if s.Body["stream"] != true || s.Header.Get("Accept") != "text/event-stream" {
				t.Errorf("sent %s", s.Raw)
			}
		})
	}
}

func TestResponsesStreamThatBreaksOff(t *testing.T) {
	half := textPiece("half a ")
	manyItems := strings.Repeat(itemEvent("done", 0, reasoningItem), 1001)
	manyCalls := strings.Repeat(itemEvent("done", 0, callItem("a", "")), 1001)
	for name, test := range map[string]struct {
		handle  http.HandlerFunc
		kind    llm.ErrorKind
		partial string
		finish  llm.FinishReason
	}{
		"connection cut": {func(w http.ResponseWriter, r *http.Request) {
			providertest.Events(half)(w, r)
			panic(http.ErrAbortHandler)
		}, llm.ErrTruncated, "half a ", ""},
		"clean end":     {providertest.Events(half), llm.ErrTruncated, "half a ", ""},
		"nothing":       {providertest.Events(), llm.ErrTruncated, "", ""},
		"length":        {providertest.Events(half, endEvent("incomplete", `,"incomplete_details":{"reason":"max_output_tokens"}`)), llm.ErrTruncated, "half a ", llm.FinishLength},
		"other limit":   {providertest.Events(half, endEvent("incomplete", `,"incomplete_details":{"reason":"new"}`)), llm.ErrTruncated, "half a ", llm.FinishLength},
		"filter":        {providertest.Events(half, endEvent("incomplete", `,"incomplete_details":{"reason":"content_filter"}`)), llm.ErrRefusal, "half a ", llm.FinishRefusal},
		"refusal":       {providertest.Events(streamEvent("response.refusal.delta", `,"delta":"I will not"`), endEvent("completed", "")), llm.ErrRefusal, "", llm.FinishRefusal},
		"garbage":       {providertest.Events(half, "data: {\"type\":\n\n"), llm.ErrProtocol, "half a ", ""},
		"failed":        {providertest.Events(half, streamEvent("response.failed", `,"response":{"status":"failed","error":{"code":"server_error","message":"oops"}}`)), llm.ErrUnavailable, "half a ", ""},
		"failed, quota": {providertest.Events(half, streamEvent("response.failed", `,"response":{"status":"failed","error":{"code":"insufficient_quota","message":"pay"}}`)), llm.ErrQuota, "half a ", ""},
		"failed, why?":  {providertest.Events(half, streamEvent("response.failed", `,"response":{"status":"failed"}`)), llm.ErrUnavailable, "half a ", ""},
		"error":         {providertest.Events(half, streamEvent("error", `,"code":"rate_limit_exceeded","message":"slow","param":null`)), llm.ErrRateLimit, "half a ", ""},
		"nested error":  {providertest.Events(half, streamEvent("error", `,"error":{"code":"context_length_exceeded","message":"long"}`)), llm.ErrContextLength, "half a ", ""},
		"bad arguments": {providertest.Events(itemEvent("added", 0, callItem("a", "")), itemEvent("done", 0, callItem("a", "{")), endEvent("completed", "")), llm.ErrInvalidOutput, "", llm.FinishToolCalls},
		"endless calls": {providertest.Events(half, manyCalls), llm.ErrProtocol, "half a ", ""},
		"endless items": {providertest.Events(half, manyItems), llm.ErrProtocol, "half a ", ""},
		"not streamed":  {providertest.Body(200, said("all")), llm.ErrProtocol, "", ""},
		"endless line":  {providertest.EndlessLine, llm.ErrProtocol, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := serve(t, test.handle)
			providertest.CheckBrokenStream(t, s.model(t, useResponses), test.kind, test.partial, test.finish)
		})
	}
}

func TestResponsesReplyKinds(t *testing.T) {
	for name, test := range map[string]struct {
		reply   string
		kind    llm.ErrorKind // empty: a reply
		content string
	}{
		"two messages":    {output(`[` + messageItem("a ") + `,{"type":"web_search_call","id":"x"},` + messageItem("b") + `]`), "", "a b"},
		"nothing":         {output(`[]`), "", ""},
		"no status":       {`{"output":[` + messageItem("a") + `]}`, "", "a"},
		"cut by length":   {ended("incomplete", `,"incomplete_details":{"reason":"max_output_tokens"},"output":[`+messageItem("half a")+`]`), llm.ErrTruncated, "half a"},
		"filter":          {ended("incomplete", `,"incomplete_details":{"reason":"content_filter"},"output":[`+messageItem("x")+`]`), llm.ErrRefusal, "x"},
		"refusal":         {output(`[{"type":"message","content":[{"type":"refusal","refusal":"I will not"}]}]`), llm.ErrRefusal, ""},
		"bad arguments":   {output(`[` + callItem("a", "{") + `]`), llm.ErrInvalidOutput, ""},
		"failed":          {ended("failed", `,"error":{"code":"rate_limit_exceeded","message":"slow"},"output":[]`), llm.ErrRateLimit, ""},
		"failed, why?":    {ended("failed", `,"output":[]`), llm.ErrUnavailable, ""},
		"cancelled":       {ended("cancelled", `,"output":[]`), llm.ErrUnavailable, ""},
		"in progress":     {ended("in_progress", `,"output":[]`), llm.ErrProtocol, ""},
		"no output":       {`{"id":"x"}`, llm.ErrProtocol, ""},
		"output of text":  {`{"output":"x"}`, llm.ErrProtocol, ""},
		"items of text":   {`{"output":["x"]}`, llm.ErrProtocol, ""},
		"null":            {`null`, llm.ErrProtocol, ""},
		"other JSON":      {`{"status":"ok"}`, llm.ErrProtocol, ""},
		"chat completion": {completion(`{"role":"assistant","content":"x"}`, "stop"), llm.ErrProtocol, ""},
		"not an object":   {`[1,2]`, llm.ErrProtocol, ""},
		"garbage":         {`}{`, llm.ErrProtocol, ""},
		"gateway error":   {`{"error":{"message":"upstream","code":429}}`, llm.ErrRateLimit, ""},
		"many calls":      {output(`[` + strings.Repeat(callItem("a", "{}")+",", 1001) + `{}]`), llm.ErrProtocol, ""},
		"many items":      {output(`[` + strings.Repeat(reasoningItem+",", 1001) + `{}]`), llm.ErrProtocol, ""},
	} {
		t.Run(name, func(t *testing.T) {
			resp, err := serve(t, providertest.Body(200, test.reply)).model(t, useResponses).Generate(t.Context(), providertest.Request("hi"), nil)
			if test.kind != "" {
				if resp != nil || !errors.Is(err, test.kind) {
					t.Fatalf("got %v, %v, want %v", resp, err, test.kind)
				}
				providertest.CheckNoKey(t, err)
				var e *llm.Error
				if errors.As(err, &e); test.content == "" {
					return
				}
				resp = e.Partial
			}
			if err != nil && test.kind == "" || resp == nil || resp.Message.Content != test.content {
				t.Errorf("got %+v, %v, want %q", resp, err, test.content)
			}
		})
	}
}

// TestResponsesWildUsage: sums of the counts that a server sends cannot overflow,
// and a part is not more than its total.
func TestResponsesWildUsage(t *testing.T) {
	reply := `{"output":[],"usage":{"input_tokens":7,"input_tokens_details":{"cached_tokens":5,"cache_write_tokens":99},"output_tokens":9223372036854775807,"output_tokens_details":{"reasoning_tokens":-1}}}`
	resp, err := serve(t, providertest.Body(200, reply)).model(t, useResponses).Generate(t.Context(), providertest.Request("hi"), nil)
	if err != nil {
		t.Fatal(err)
	}
	if want := (llm.Usage{InputTokens: 7, CachedTokens: 5, CacheWriteTokens: 2, OutputTokens: math.MaxInt32, Calls: 1}); resp.Usage != want {
		t.Errorf("usage is %+v, want %+v", resp.Usage, want)
	}
}

const reasoningItem = `{"type":"reasoning","id":"rs_1","summary":[{"type":"summary_text","text":"count"},{"type":"summary_text","text":"twice"}],"encrypted_content":"secret","status":"completed"}`

// TestReasoningIsSentBack: reasoning stays before the item that it belongs to.
func TestReasoningIsSentBack(t *testing.T) {
	second := strings.NewReplacer("rs_1", "rs_2", `{"type":"summary_text","text":"count"},{"type":"summary_text","text":"twice"}`, "").Replace(reasoningItem)
	useless := `{"type":"reasoning","id":"rs_3","summary":[]}`
	items := `[` + strings.Join([]string{reasoningItem, messageItem("I look"), callItem("a", `{"x":1}`), second, callItem("b", "{}"), useless}, ",") + `]`
	events := []string{created,
		itemEvent("added", 0, `{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"sec"}`), itemEvent("done", 0, reasoningItem),
		itemEvent("added", 1, `{"type":"message","content":[]}`), strings.Replace(textPiece("I look"), `"output_index":0`, `"output_index":1`, 1), itemEvent("done", 1, messageItem("I look")),
		itemEvent("added", 2, callItem("a", "")),
		streamEvent("response.function_call_arguments.delta", `,"output_index":2,"delta":"{\"x\""`), streamEvent("response.function_call_arguments.delta", `,"output_index":2,"delta":":1}"`),
		itemEvent("done", 2, callItem("a", `{"x":1}`)), itemEvent("done", 3, second), itemEvent("added", 4, callItem("b", "")), itemEvent("done", 4, callItem("b", "{}")),
		itemEvent("done", 5, useless), endEvent("completed", "")}

	call := func(id, arguments string) string {
		return fmt.Sprintf(`{"type":"function_call","call_id":%q,"name":"f","arguments":%q}`, id, arguments)
	}
	kept := strings.Replace(reasoningItem, `,"status":"completed"`, "", 1)
	kept2 := strings.Replace(second, `,"status":"completed"`, "", 1)
	text := `{"role":"assistant","content":"I look"}`
	whole := []string{kept, text, call("a", `{"x":1}`), kept2, call("b", "{}")}
	bare := []string{text, call("a", `{"x":1}`), call("b", "{}")}
	for name, test := range map[string]struct {
		change func(*llm.Message)
		want   []string
	}{
		"unchanged":    {func(*llm.Message) {}, whole},
		"text cut":     {func(m *llm.Message) { m.Content = "I" }, []string{kept, `{"role":"assistant","content":"I"}`, whole[2], kept2, whole[4]}},
		"calls cut":    {func(m *llm.Message) { m.ToolCalls = m.ToolCalls[:1] }, []string{kept, text, whole[2]}},
		"other server": {func(m *llm.Message) { change(m, "127.0.0.1", "api.openai.com") }, bare},
		"of Anthropic": {func(m *llm.Message) { m.Parts[0].Provider, m.Parts[1].Provider = "anthropic", "anthropic" }, bare},
	} {
		for _, isStreamed := range []bool{false, true} {
			t.Run(fmt.Sprint(name, ", streamed ", isStreamed), func(t *testing.T) {
				handle := providertest.Body(200, output(items))
				var stream func(llm.Delta)
				if isStreamed {
					handle, stream = providertest.Events(events...), func(llm.Delta) {}
				}
				resp, err := serve(t, handle).model(t, useResponses).Generate(t.Context(), providertest.Request("hi"), stream)
				if err != nil {
					t.Fatal(err)
				}
				reply := resp.Message
				if len(reply.Parts) != 2 || reply.Parts[0].Text != "count\n\ntwice" || reply.Content != "I look" || len(reply.ToolCalls) != 2 {
					t.Fatalf("got %+v", reply)
				}
				test.change(&reply)
				s := serve(t, providertest.Body(200, said("ok")))
				if _, err := s.model(t, useResponses).Generate(t.Context(), &llm.Request{Messages: []llm.Message{reply}}, nil); err != nil {
					t.Fatal(err)
				}
				s.sends(t, `{"model":"gpt-test","store":false,"include":["reasoning.encrypted_content"],"input":[`+strings.Join(test.want, ",")+`]}`)

				// The chat completions API has no form for reasoning.
				s = serve(t, providertest.Body(200, completion(`{"role":"assistant","content":"ok"}`, "stop")))
				if _, err := s.model(t).Generate(t.Context(), &llm.Request{Messages: []llm.Message{reply}}, nil); err != nil || strings.Contains(s.Raw, "secret") {
					t.Errorf("got %v, sent %s", err, s.Raw)
				}
			})
		}
	}
}

func change(m *llm.Message, from, to string) {
	for i := range m.Parts {
		m.Parts[i].Data = []byte(strings.Replace(string(m.Parts[i].Data), from, to, 1))
	}
}

// Fields and parts that one of the APIs has no form for.
func TestRefusedFields(t *testing.T) {
	hi := providertest.Request("x").Messages
	image := llm.Part{Type: llm.PartImage, URL: "https://example.com/a.png"}
	result := []llm.Message{{Role: llm.RoleTool, ToolCallID: "c", Parts: []llm.Part{image}}}
	file := []llm.Message{{Role: llm.RoleUser, Parts: []llm.Part{image, {Type: llm.PartFile, URL: "https://example.com/a.pdf"}}}}
	broken := []llm.Message{{Role: llm.RoleAssistant, Parts: []llm.Part{{Type: llm.PartReasoning, Provider: "openai", Data: []byte("x")}}}}
	forged := []llm.Message{{Role: llm.RoleAssistant, Content: "x", Parts: []llm.Part{{Type: llm.PartReasoning, Provider: "openai",
		Data: []byte(`{"host":"127.0.0.1","block":{"type":"item_reference","id":"x"}}`)}}}}
	text := map[string]json.RawMessage{"text": json.RawMessage(`{}`)}
	for name, test := range map[string]struct {
		req             llm.Request
		chat, responses string // what the error names; empty: accepted
	}{
		"stop":         {llm.Request{Messages: hi, Stop: []string{"END"}}, "", "Request.Stop"},
		"seed":         {llm.Request{Messages: hi, Seed: new(int64(7))}, "", "Request.Seed"},
		"tool image":   {llm.Request{Messages: result}, "message 0: part 0 (image)", ""},
		"file by URL":  {llm.Request{Messages: file}, "message 0: part 1 (file)", ""},
		"not ours":     {llm.Request{Messages: broken}, "message 0: part 0 (reasoning)", "message 0: part 0 (reasoning)"},
		"forged":       {llm.Request{Messages: forged}, "", "message 0: one of its reasoning parts"},
		"text":         {llm.Request{Messages: hi, Extra: text}, "", ""},
		"text, format": {llm.Request{Messages: hi, Extra: text, Format: &llm.Format{Mode: llm.JSONMode}}, "", `"text"`},
		"store":        {llm.Request{Messages: hi, Extra: map[string]json.RawMessage{"store": json.RawMessage(`true`)}}, "", `"store"`},
		"max_tokens":   {llm.Request{Messages: hi, Extra: map[string]json.RawMessage{"max_tokens": json.RawMessage(`1`)}}, `"max_tokens"`, ""},
	} {
		chat, responses := serve(t, providertest.Body(200, completion(`{"role":"assistant","content":"x"}`, "stop"))), serve(t, providertest.Body(200, said("x")))
		_, err := chat.model(t).Generate(t.Context(), &test.req, nil)
		refused(t, name+", chat", err, test.chat)
		_, err = responses.model(t, useResponses).Generate(t.Context(), &test.req, nil)
		refused(t, name+", responses", err, test.responses)
	}
}

func refused(t *testing.T, name string, err error, names string) {
	t.Helper()
	if names == "" && err != nil || names != "" && (!errors.Is(err, llm.ErrBadRequest) || !strings.Contains(err.Error(), names)) {
		t.Errorf("%s: got %v, want a bad request that names %q", name, err, names)
	}
}

func TestChatFields(t *testing.T) {
	tools := []llm.Tool{{Name: "f"}}
	sentTools := `"tools":[{"type":"function","function":{"name":"f"}}]`
	for name, test := range map[string]struct {
		req  llm.Request
		want string
	}{
		"none":          {llm.Request{Tools: tools, ToolChoice: llm.ToolChoiceNone}, `"tool_choice":"none",` + sentTools},
		"required":      {llm.Request{Tools: tools, ToolChoice: llm.ToolChoiceRequired}, `"tool_choice":"required",` + sentTools},
		"named":         {llm.Request{Tools: tools, ToolChoice: llm.ToolChoiceOf("f")}, `"tool_choice":{"type":"function","function":{"name":"f"}},` + sentTools},
		"none, no tool": {llm.Request{ToolChoice: llm.ToolChoiceNone}, `"n":1`},
		"stop, seed":    {llm.Request{Stop: []string{"END"}, Seed: new(int64(7))}, `"stop":["END"],"seed":7`},
		"extra":         {llm.Request{Extra: map[string]json.RawMessage{"top_k": json.RawMessage(`5`)}}, `"top_k":5`},
	} {
		s := serve(t, providertest.Body(200, completion(`{"role":"assistant","content":"x"}`, "stop")))
		test.req.Messages = providertest.Request("hi").Messages
		if strings.Contains(test.want, `"n":1`) {
			test.req.Extra = map[string]json.RawMessage{"n": json.RawMessage(`1`)}
		}
		if _, err := s.model(t).Generate(t.Context(), &test.req, nil); err != nil {
			t.Fatal(name, err)
		}
		s.sends(t, `{"model":"gpt-test","messages":[{"role":"user","content":"hi"}],`+test.want+`}`)
	}
}

func TestChatParts(t *testing.T) {
	s := serve(t, providertest.Body(200, completion(`{"role":"assistant","content":"x"}`, "stop")))
	_, err := s.model(t).Generate(t.Context(), &llm.Request{Messages: []llm.Message{
		{Role: llm.RoleSystem, Content: "b", Parts: []llm.Part{{Type: llm.PartText, Text: "a"}}},
		{Role: llm.RoleUser, Content: "compare", Parts: []llm.Part{
			{Type: llm.PartText, Text: "before:"}, {Type: llm.PartImage, MediaType: "image/png", Data: []byte("png")},
			{Type: llm.PartImage, URL: "https://example.com/b.png"}, {Type: llm.PartFile, MediaType: "application/pdf", Name: "t.pdf", Data: []byte("%PDF")},
		}},
		{Role: llm.RoleTool, ToolCallID: "c", Parts: []llm.Part{{Type: llm.PartText, Text: "x"}}},
	}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	s.sends(t, `{"model":"gpt-test","messages":[{"role":"system","content":"a\nb"},{"role":"user","content":[{"type":"text","text":"before:"},
		{"type":"image_url","image_url":{"url":"data:image/png;base64,cG5n"}},{"type":"image_url","image_url":{"url":"https://example.com/b.png"}},
		{"type":"file","file":{"filename":"t.pdf","file_data":"data:application/pdf;base64,JVBERg=="}},{"type":"text","text":"compare"}]},
		{"role":"tool","tool_call_id":"c","content":"x"}]}`)
}

// TestAPIByHost: the Responses API is used at OpenAI, unless the options say
// otherwise.
func TestAPIByHost(t *testing.T) {
	for base, want := range map[string]string{
		"": "/v1/responses", openai.DefaultBaseURL: "/v1/responses", "https://eu.api.openai.com/v1": "/v1/responses",
		openai.OllamaBaseURL: "/v1/chat/completions", "https://me.openai.azure.com/openai/v1": "/openai/v1/chat/completions",
		"https://api.openai.com.evil.example/v1": "/v1/chat/completions",
	} {
		for _, api := range []openai.API{"", openai.ChatCompletions, openai.Responses} {
			path := ""
			client := &http.Client{Transport: providertest.RoundTrip(func(r *http.Request) (*http.Response, error) {
				path = r.URL.Path
				return nil, errors.New("not sent")
			})}
			m, err := openai.New(&openai.Options{Model: "m", APIKey: "k", BaseURL: base, API: api, HTTPClient: client})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := m.Generate(t.Context(), providertest.Request("hi"), nil); !errors.Is(err, llm.ErrUnavailable) {
				t.Errorf("got %v, want unavailable", err)
			}
			want := want
			switch api {
			case openai.ChatCompletions:
				want = strings.Replace(want, "/responses", "/chat/completions", 1)
			case openai.Responses:
				want = strings.Replace(want, "/chat/completions", "/responses", 1)
			}
			if path != want {
				t.Errorf("%q with API %q: called %s, want %s", base, api, path, want)
			}
		}
	}
	if _, err := openai.New(&openai.Options{Model: "m", APIKey: "k", API: "rest"}); !errors.Is(err, llm.ErrBadRequest) {
		t.Errorf("got %v for an unknown API", err)
	}
}

// TestOldModelsHaveNoReasoning: models that do not reason refuse a request for
// encrypted reasoning.
func TestOldModelsHaveNoReasoning(t *testing.T) {
	for model, want := range map[string]bool{"gpt-4.1": false, "ft:gpt-4o-mini:me": false, "chatgpt-4o-latest": false, "gpt-5.4-mini": true, "o3": true, "local": true} {
		s := serve(t, providertest.Body(200, said("x")))
		if _, err := s.model(t, useResponses, func(o *openai.Options) { o.Model = model }).Generate(t.Context(), providertest.Request("hi"), nil); err != nil {
			t.Fatal(err)
		}
		if got := s.Body["include"] != nil; got != want {
			t.Errorf("%s: asked for reasoning: %v", model, got)
		}
	}
}
