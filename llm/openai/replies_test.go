package openai_test

import (
	"errors"
	"fmt"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed/internal/provider/providertest"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/llm/openai"
)

// Only the reasons of complete replies are those of complete replies.
func TestFinishReasons(t *testing.T) {
	for reason, want := range map[string]llm.ErrorKind{
		"stop": "", "STOP": "", "end_turn": "", "eos": "", "stop_sequence": "", "tool_calls": "", "function_call": "", "": "",
		"COMPLETE": "", "TOOL_CALL": "", "end_of_text": "", "endoftext": "", "stop_token": "", "FINISH_REASON_STOP": "", "tool-calls": "",
		"stopped": llm.ErrTruncated, "not_finished": llm.ErrTruncated, "incomplete": llm.ErrTruncated, "time_limit": llm.ErrTruncated, "stop_limit": llm.ErrTruncated,

		"length": llm.ErrTruncated, "max_tokens": llm.ErrTruncated, "MAX_TOKENS": llm.ErrTruncated, "model_length": llm.ErrTruncated,
		"length_limit": llm.ErrTruncated, "model_context_window_exceeded": llm.ErrTruncated, "abort": llm.ErrTruncated,
		"insufficient_system_resource": llm.ErrTruncated, "cancelled": llm.ErrTruncated, "timeout": llm.ErrTruncated,
		"unknown": llm.ErrTruncated, "OTHER": llm.ErrTruncated, "FINISH_REASON_UNSPECIFIED": llm.ErrTruncated, "repetition": llm.ErrTruncated,

		"content_filter": llm.ErrRefusal, "content-filter": llm.ErrRefusal, "SAFETY": llm.ErrRefusal, "RECITATION": llm.ErrRefusal,
		"refusal": llm.ErrRefusal, "PROHIBITED_CONTENT": llm.ErrRefusal, "sensitive": llm.ErrRefusal, "guardrail_intervened": llm.ErrRefusal,
		"MODEL_ARMOR": llm.ErrRefusal, "ERROR_TOXIC": llm.ErrRefusal, "content_filtered": llm.ErrRefusal, "IMAGE_SAFETY": llm.ErrRefusal, "SPII": llm.ErrRefusal,
		"UNEXPECTED_TOOL_CALL": llm.ErrInvalidOutput, "TOO_MANY_TOOL_CALLS": llm.ErrInvalidOutput, "ERROR_LIMIT": llm.ErrTruncated, "USER_CANCEL": llm.ErrTruncated,

		"error": llm.ErrUnavailable, "network_error": llm.ErrUnavailable, "MALFORMED_FUNCTION_CALL": llm.ErrInvalidOutput,
	} {
		for name, handle := range map[string]http.HandlerFunc{
			"whole":    providertest.Body(200, completion(`{"content":"half a text"}`, reason)),
			"streamed": events(chunk(`{"content":"half a text"}`, "null"), chunk(`{}`, reason)),
		} {
			var stream func(llm.Delta)
			if name == "streamed" {
				stream = func(llm.Delta) {}
			}
			resp, err := serve(t, handle).model(t).Generate(t.Context(), providertest.Request("q"), stream)
			if want == "" {
				if err != nil || resp.FinishReason != llm.FinishStop {
					t.Errorf("%q, %s: got %+v, %v", reason, name, resp, err)
				}
				continue
			}
			var e *llm.Error
			if !errors.As(err, &e) || e.Kind != want || e.Partial == nil || e.Partial.Message.Content != "half a text" || e.Partial.FinishReason == llm.FinishStop {
				t.Errorf("%q, %s: got %+v, %v, want %q with the text", reason, name, resp, err, want)
			}
		}
	}
}

// OpenRouter reports an error of the provider behind it in the choice.
func TestErrorInChoice(t *testing.T) {
	reply := `{"model":"m","choices":[{"index":0,"%s":{"content":"half"},"finish_reason":"error","error":{"code":502,"message":"Provider disconnected"}}]}`
	for _, test := range []struct {
		handle http.HandlerFunc
		stream func(llm.Delta)
	}{
		{providertest.Body(200, fmt.Sprintf(reply, "message")), nil},
		{events(fmt.Sprintf(reply, "delta")), func(llm.Delta) {}},
	} {
		_, err := serve(t, test.handle).model(t).Generate(t.Context(), providertest.Request("q"), test.stream)
		var e *llm.Error
		if !errors.As(err, &e) || e.Kind != llm.ErrUnavailable || e.Status != 502 || !strings.Contains(e.Message, "disconnected") ||
			e.Partial == nil || e.Partial.Message.Content != "half" {
			t.Errorf("got %+v", e)
		}
	}
}

// The forms that servers have for the content of a message.
func TestContents(t *testing.T) {
	for content, want := range map[string]string{
		`"Yes."`: "Yes.",
		`[{"type":"thinking","thinking":[{"type":"text","text":"hm"}]},{"type":"text","text":"Yes."}]`: "Yes.",
		`[{"type":"text","text":"Yes"},{"type":"text","text":"."}]`:                                    "Yes.",
		`[{"type":"output_text","text":"Yes."}]`:                                                       "Yes.",
		`[{"type":"text","text":{"value":"Yes.","annotations":[]}}]`:                                   "Yes.",
		`["Yes","."]`: "Yes.",
		`[{"type":"image_url","image_url":{"url":"data:image/png;base64,AA"}},{"type":"text","text":"Yes."}]`: "Yes.",
		`[{"type":"text","text":"Yes."},{"type":"reference","reference_ids":[1]}]`:                            "Yes.",
		`{"type":"text","text":"Yes."}`: "Yes.",
		`null`:                          "",
		`[]`:                            "",
		`true`:                          "!", `7`: "!", `[7]`: "!", `[["Yes."]]`: "!",
	} {
		for name, handle := range map[string]http.HandlerFunc{
			"whole": providertest.Body(200, completion(`{"content":`+content+`}`, "stop")), "streamed": events(chunk(`{"content":`+content+`}`, "stop")),
		} {
			var streamed string
			var stream func(llm.Delta)
			if name == "streamed" {
				stream = func(d llm.Delta) { streamed += d.Text }
			}
			resp, err := serve(t, handle).model(t).Generate(t.Context(), providertest.Request("q"), stream)
			switch {
			case want == "!":
				if !errors.Is(err, llm.ErrProtocol) {
					t.Errorf("%s, %s: got %+v, %v, want a protocol error", content, name, resp, err)
				}
			case err != nil || resp.Message.Content != want || stream != nil && streamed != want:
				t.Errorf("%s, %s: got %+v, %v, streamed %q", content, name, resp, err, streamed)
			}
		}
	}
}

// A rune that is cut between two pieces stays whole.
func TestCutRune(t *testing.T) {
	s := serve(t, events(chunk("{\"content\":\"5 \xe2\x82\"}", "null"), chunk("{\"content\":\"\xac\"}", "stop")))
	var pieces []string
	resp, err := s.model(t).Generate(t.Context(), providertest.Request("q"), func(d llm.Delta) { pieces = append(pieces, d.Text) })
	if err != nil || resp.Message.Content != "5 €" || strings.Join(pieces, "|") != "5 |€" {
		t.Errorf("got %+v, %v, pieces %q", resp, err, pieces)
	}
}

// Calls of servers that give them no index, or no id, stay apart.
func TestCallsWithoutIndex(t *testing.T) {
	const rome, oslo = `"function":{"name":"temperature","arguments":"{\"city\":\"Rome\"}"}`, `"function":{"name":"temperature","arguments":"{\"city\":\"Oslo\"}"}`
	both := []string{`{"city":"Rome"}`, `{"city":"Oslo"}`}
	for name, test := range map[string]struct {
		pieces []string
		want   []string
	}{
		"no index, empty id, one piece": {[]string{`{"tool_calls":[{"id":"",` + rome + `},{"id":"",` + oslo + `}]}`}, both},
		"index 0, empty id, one piece":  {[]string{`{"tool_calls":[{"index":0,"id":"",` + rome + `},{"index":0,"id":"",` + oslo + `}]}`}, both},
		"neither, two pieces":           {[]string{`{"tool_calls":[{` + rome + `}]}`, `{"tool_calls":[{` + oslo + `}]}`}, both},
		"index 0, two pieces":           {[]string{`{"tool_calls":[{"index":0,` + rome + `}]}`, `{"tool_calls":[{"index":0,` + oslo + `}]}`}, both},
		"equal ids, index 0":            {[]string{`{"tool_calls":[{"index":0,"id":"x",` + rome + `}]}`, `{"tool_calls":[{"index":0,"id":"x",` + oslo + `}]}`}, both},
		"equal ids, other index":        {[]string{`{"tool_calls":[{"index":0,"id":"x",` + rome + `}]}`, `{"tool_calls":[{"index":1,"id":"x",` + oslo + `}]}`}, both},
		"index as text":                 {[]string{`{"tool_calls":[{"index":"0","id":"x",` + rome + `}]}`, `{"tool_calls":[{"index":"1","id":"y",` + oslo + `}]}`}, both},
		"index null":                    {[]string{`{"tool_calls":[{"index":null,"id":"x","function":{"name":"temperature","arguments":""}}]}`, `{"tool_calls":[{"index":null,"function":{"arguments":"{\"city\":\"Rome\"}"}}]}`}, both[:1]},
		"the name again":                {[]string{`{"tool_calls":[{"index":0,"id":"x","function":{"name":"temperature","arguments":"{\"city\""}}]}`, `{"tool_calls":[{"index":0,"id":"x","function":{"name":"temperature","arguments":":\"Rome\"}"}}]}`}, both[:1]},
		"arguments as an object":        {[]string{`{"tool_calls":[{"index":0,"id":"x","function":{"name":"temperature","arguments":{"city":"Rome"}}}]}`}, both[:1]},
		"the older form":                {[]string{`{"function_call":{"name":"temperature","arguments":"{\"city\":"}}`, `{"function_call":{"arguments":"\"Rome\"}"}}`}, both[:1]},
		"pieces without index":          {[]string{`{"tool_calls":[{"id":"x","function":{"name":"temperature","arguments":"{\"city\":"}}]}`, `{"tool_calls":[{"function":{"arguments":"\"Rome\"}"}}]}`, `{"tool_calls":[{"id":"y","function":{"name":"temperature","arguments":"{\"city\":"}}]}`, `{"tool_calls":[{"function":{"arguments":"\"Oslo\"}"}}]}`}, both},
	} {
		var chunks []string
		for _, p := range test.pieces {
			chunks = append(chunks, chunk(p, "null"))
		}
		resp, err := serve(t, events(append(chunks, chunk(`{}`, "tool_calls"))...)).model(t).Generate(t.Context(), providertest.Request("q"), func(llm.Delta) {})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var got []string
		ids := map[string]bool{}
		for _, c := range resp.Message.ToolCalls {
			got = append(got, string(c.Arguments))
			ids[c.ID] = c.Name == "temperature"
		}
		if diff := cmp.Diff(test.want, got); diff != "" || len(ids) != len(got) {
			t.Errorf("%s: %+v (-want +got)\n%s", name, resp.Message.ToolCalls, diff)
		}
	}
}

// Names that a server would refuse in the conversation are sent in another spelling.
func TestNamesOfCalls(t *testing.T) {
	tools := []llm.Tool{{Name: "temperature"}, {Name: "files.read"}}
	for name, want := range map[string][2]string{ // as it is called, and as it is sent
		"temperature":                      {"temperature", "temperature"},
		"temperature<|channel|>commentary": {"temperature", "temperature"},
		"functions.temperature":            {"temperature", "temperature"},
		"files.read":                       {"files.read", "files.read"},
		"":                                 {"", "unknown"},
		"no such tool":                     {"no such tool", "no_such_tool"},
		"wetter für<|x|>":                  {"wetter für<|x|>", "wetter_f_r__x__"},
		strings.Repeat("a", 200):           {strings.Repeat("a", 200), strings.Repeat("a", 64)},
	} {
		s := serve(t, events(chunk(fmt.Sprintf(`{"tool_calls":[{"index":0,"id":"x","function":{"name":%q,"arguments":"{}"}}]}`, name), "tool_calls")))
		req := providertest.Request("q")
		req.Tools = tools
		resp, err := s.model(t).Generate(t.Context(), req, func(llm.Delta) {})
		if err != nil || len(resp.Message.ToolCalls) != 1 || resp.Message.ToolCalls[0].Name != want[0] {
			t.Errorf("%q: got %+v, %v", name, resp, err)
			continue
		}
		req.Messages = append(req.Messages, resp.Message, llm.Message{Role: llm.RoleTool, ToolCallID: "x", Content: "no"})
		if _, err := s.model(t).Generate(t.Context(), req, func(llm.Delta) {}); err != nil || !strings.Contains(s.Raw, fmt.Sprintf(`"name":%q},"type":"function"`, want[1])) {
			t.Errorf("%q: sent %s, %v", name, s.Raw, err)
		}
	}
}

// Comments and events without data keep a connection alive.
func TestKeepAlive(t *testing.T) {
	piece := func(text string) string { return "data: " + chunk(`{"content":"`+text+`"}`, "null") + "\n\n" }
	handle := providertest.Events(": OPENROUTER PROCESSING\n\n", "data:\n\n", "data: \n\n", "event: keepalive\ndata:\n\n", "event: ping\n\n", piece("Yes"), "\n\n\n", ":\n", "retry: 10\n\n", piece("."),
		"data: "+chunk(`{}`, "stop")+"\n\n", "data:[DONE]\n\n")
	resp, err := serve(t, handle).model(t).Generate(t.Context(), providertest.Request("q"), func(llm.Delta) {})
	if err != nil || resp.Message.Content != "Yes." {
		t.Errorf("got %+v, %v", resp, err)
	}
}

// Streams as servers send them, besides those that the protocol has.
func TestForms(t *testing.T) {
	text, stop := chunk(`{"content":"Yes."}`, "null"), chunk(`{}`, "stop")
	call := func(id, name, arguments string) string {
		return chunk(fmt.Sprintf(`{"tool_calls":[{"index":0,"id":%q,"function":{"name":%q,"arguments":%q}}]}`, id, name, arguments), "null")
	}
	lines := func(data ...string) string { return "data: " + strings.Join(data, "\n\ndata: ") + "\n\n" }
	for name, test := range map[string]struct {
		body  string
		text  string
		calls []string
		kind  llm.ErrorKind
	}{
		"no empty lines":           {"data: " + text + "\ndata: " + stop + "\ndata: [DONE]\n", "Yes.", nil, ""},
		"JSON in two lines":        {"data: {\"choices\":\ndata: [{\"index\":0,\"delta\":{\"content\":\"Yes.\"},\"finish_reason\":\"stop\"}]}\n\n", "Yes.", nil, ""},
		"a byte order mark":        {"\ufeff" + lines(text, stop), "Yes.", nil, ""},
		"the message again":        {lines(text, chunk(`{}`, "null"), `{"choices":[{"index":0,"finish_reason":"stop","message":{"content":"Yes."}}]}`), "Yes.", nil, ""},
		"messages":                 {lines(`{"choices":[{"index":0,"message":{"content":"Ye"}}]}`, `{"choices":[{"index":0,"finish_reason":"stop","message":{"content":"s."}}]}`), "Yes.", nil, ""},
		"a call in the message":    {lines(text, `{"choices":[{"index":0,"finish_reason":"stop","message":{"content":"Yes.","tool_calls":[{"id":"a","function":{"name":"f","arguments":"{}"}}]}}]}`), "Yes.", []string{`f{}`}, ""},
		"a call again":             {lines(call("a", "f", `{"x":`), call("a", "", `1}`), call("a", "f", `{"x":1}`), stop), "", []string{`f{"x":1}`}, ""},
		"an id of each piece":      {lines(call("a", "f", `{"x":`), call("b", "", `1}`), stop), "", []string{`f{"x":1}`}, ""},
		"two calls":                {lines(call("a", "f", `{"x":1}`), call("b", "f", `{"x":1}`), stop), "", []string{`f{"x":1}`, `f{"x":1}`}, ""},
		"parameters":               {lines(chunk(`{"tool_calls":[{"id":"a","function":{"name":"f","parameters":{"x":1}}}]}`, "null"), stop), "", []string{`f{"x":1}`}, ""},
		"blank arguments":          {lines(call("a", "f", " \n"), stop), "", []string{`f{}`}, ""},
		"calls that are null":      {lines(text, chunk(`{"tool_calls":[null,{"index":0,"function":null}]}`, "null"), stop), "Yes.", nil, ""},
		"details that are lists":   {lines(text, stop, `{"choices":[],"usage":{"prompt_tokens":3,"prompt_tokens_details":[],"completion_tokens":1}}`), "Yes.", nil, ""},
		"an error of vLLM":         {lines(text, `{"object":"error","message":"This model's maximum context length is 10 tokens","type":"BadRequestError","code":400}`), "Yes.", nil, llm.ErrContextLength},
		"an error of llama.cpp":    {"error: {\"code\":500,\"message\":\"failed\",\"type\":\"server_error\"}\n\n", "", nil, llm.ErrUnavailable},
		"an error of Cloudflare":   {lines(`{"success":false,"errors":[{"code":7003,"message":"busy"}]}`), "", nil, llm.ErrUnavailable},
		"a status after the reply": {lines(text, stop, `{"choices":[],"base_resp":{"status_code":0,"status_msg":"success"}}`), "Yes.", nil, ""},
		"cut off":                  {"data: " + text + "\ndata: {\"choices\":[", "Yes.", nil, llm.ErrTruncated},
	} {
		resp, err := serve(t, providertest.Events(test.body)).model(t).Generate(t.Context(), providertest.Request("q"), func(llm.Delta) {})
		var e *llm.Error
		if errors.As(err, &e) {
			resp = e.Partial
		}
		if test.kind == "" && err != nil || test.kind != "" && (e == nil || e.Kind != test.kind) {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var got []string
		if resp == nil {
			resp = &llm.Response{}
		}
		for _, c := range resp.Message.ToolCalls {
			got = append(got, c.Name+string(c.Arguments))
		}
		if diff := cmp.Diff(test.calls, got); diff != "" || resp.Message.Content != test.text {
			t.Errorf("%s: got %+v\n%s", name, resp.Message, diff)
		}
	}
}

// A stream of empty pieces that changes the name of its model is a reply.
func TestEmptyPieces(t *testing.T) {
	if testing.Short() {
		t.Skip("long")
	}
	data := make([]string, 100_000)
	for i := range data {
		data[i] = `{"model":"other","choices":[{"index":0,"delta":{"content":""},"finish_reason":null}]}`
	}
	var written strings.Builder
	for _, d := range append(data, chunk(`{"content":"Yes."}`, "stop")) {
		written.WriteString("data: " + d + "\n\n")
	}
	pieces := 0
	resp, err := serve(t, providertest.Events(written.String())).model(t).Generate(t.Context(), providertest.Request("q"), func(llm.Delta) { pieces++ })
	if err != nil || resp.Message.Content != "Yes." || resp.Model != "gpt-test-2026" || pieces != 1 {
		t.Errorf("got %+v, %v after %d pieces", resp, err, pieces)
	}
}

// The thoughts of a reply whose opening mark is in the prompt are no part of it: the
// first stream takes them back, and the next one does not begin with them.
func TestUnopenedThoughts(t *testing.T) {
	m := serve(t, events(chunk(`{"content":"hm "}`, "null"), chunk(`{"content":"hm</th"}`, "null"), chunk(`{"content":"ink>\n\nYes."}`, "stop"))).model(t)
	for i, want := range []string{"hm |hm|!|Yes.", "Yes."} {
		var pieces []string
		resp, err := m.Generate(t.Context(), providertest.Request("q"), func(d llm.Delta) {
			if d.Discard {
				d.Text = "!"
			}
			pieces = append(pieces, d.Text)
		})
		if err != nil || resp.Message.Content != "Yes." || strings.Join(pieces, "|") != want {
			t.Errorf("%d: got %+v, %v, pieces %q", i, resp, err, pieces)
		}
	}
}

// A reply whose thoughts do have marks, or that has none, ends the waiting for them.
func TestUnopenedThoughtsEnd(t *testing.T) {
	replies := [][]string{
		{chunk(`{"content":"hm\n</think>\n\nYes."}`, "stop")},
		{chunk(`{"content":"The sum "}`, "null"), chunk(`{"content":"is 4."}`, "stop")},
		{chunk(`{"content":"The sum "}`, "null"), chunk(`{"content":"is 4."}`, "stop")},
	}
	calls := 0
	m := serve(t, func(w http.ResponseWriter, r *http.Request) { events(replies[calls]...)(w, r) }).model(t)
	for ; calls < len(replies); calls++ {
		pieces := 0
		if _, err := m.Generate(t.Context(), providertest.Request("q"), func(llm.Delta) { pieces++ }); err != nil {
			t.Fatal(err)
		}
		if want := []int{1, 1, 2}[calls]; calls > 0 && pieces != want {
			t.Errorf("%d: %d pieces, want %d", calls, pieces, want)
		}
	}
}

// A tool call that is text is an error, and no part of the text.
func TestCallAsText(t *testing.T) {
	for _, text := range []string{
		`<tool_call>\n{\"name\":\"temperature\",\"arguments\":{}}\n</tool_call>`, `{\"name\":\"temperature\",\"arguments\":{}}`,
		`[temperature(city=\"Rome\")]`, `<|python_tag|>temperature.call(city=\"Rome\")`, `<function=temperature>{}</function>`,
	} {
		for _, streamed := range []bool{false, true} {
			req := providertest.Request("q")
			req.Tools = []llm.Tool{{Name: "temperature"}}
			handle, shown := providertest.Body(200, completion(`{"content":"`+text+`"}`, "stop")), ""
			var stream func(llm.Delta)
			if streamed {
				handle = events(chunk(`{"content":"`+text[:9]+`"}`, "null"), chunk(`{"content":"`+text[9:]+`"}`, "stop"))
				stream = func(d llm.Delta) { shown += d.Text }
			}
			_, err := serve(t, handle).model(t).Generate(t.Context(), req, stream)
			var e *llm.Error
			if !errors.As(err, &e) || e.Kind != llm.ErrInvalidOutput || !strings.Contains(e.Message, "as text") || e.Partial.Message.Content != "" || shown != "" {
				t.Errorf("%s: got %+v, %v, shown %q", text, e, err, shown)
			}
		}
	}
}

// A server that loads its model is asked again until it has done so.
func TestLoadingModel(t *testing.T) {
	asked := 0
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if asked++; asked < 3 {
			providertest.Body(503, `{"error":{"code":503,"message":"Loading model","type":"unavailable_error"}}`)(w, r)
			return
		}
		providertest.Body(200, completion(`{"content":"Yes."}`, "stop"))(w, r)
	})
	resp, err := s.model(t, func(o *openai.Options) { o.Timeout = 700 * time.Millisecond }).Generate(t.Context(), providertest.Request("q"), nil)
	if err != nil || resp.Message.Content != "Yes." || asked != 3 {
		t.Errorf("got %+v, %v after %d requests", resp, err, asked)
	}
	for _, limit := range []time.Duration{-1, 100 * time.Millisecond} {
		asked = 0
		_, err = s.model(t, func(o *openai.Options) { o.LoadTimeout = limit }).Generate(t.Context(), providertest.Request("q"), nil)
		if !errors.Is(err, llm.ErrUnavailable) || !strings.Contains(err.Error(), "Loading model") || asked != 1 {
			t.Errorf("got %v after %d requests", err, asked)
		}
	}
}

// A page or an error with status 200 instead of a stream.
func TestNoStream(t *testing.T) {
	for name, test := range map[string]struct {
		media, body string
		want        llm.ErrorKind
	}{
		"page":              {"text/html", "<html>Welcome</html>", llm.ErrProtocol},
		"page as text":      {"text/plain", "\n<!doctype html>\n<html>Welcome</html>", llm.ErrProtocol},
		"page as events":    {"text/event-stream", "<html>data: {}\n\n</html>", llm.ErrProtocol},
		"error":             {"application/json", `{"error":{"message":"slow down","code":"rate_limit_exceeded"}}`, llm.ErrRateLimit},
		"reply":             {"application/json", completion(`{"content":"Yes."}`, "stop"), llm.ErrProtocol},
		"reply as events":   {"text/event-stream", completion(`{"content":"Yes."}`, "stop"), llm.ErrProtocol},
		"nothing":           {"text/event-stream", "", llm.ErrTruncated},
		"error event":       {"text/event-stream", "event: error\ndata: {\"error\":{\"message\":\"slow down\",\"code\":\"rate_limit_exceeded\"}}\n\n", llm.ErrRateLimit},
		"error event, text": {"text/event-stream", "event: error\ndata: busy\n\n", llm.ErrUnavailable},
	} {
		s := serve(t, func(w http.ResponseWriter, r *http.Request) {
			providertest.Body(200, test.body, "Content-Type", test.media)(w, r)
		})
		_, err := s.model(t).Generate(t.Context(), providertest.Request("q"), func(llm.Delta) { t.Error("a piece") })
		if !errors.Is(err, test.want) {
			t.Errorf("%s: got %v, want %v", name, err, test.want)
		}
	}
}

// The time and the memory of a reply are linear in its length, whatever it has.
func TestHostileReplies(t *testing.T) {
	if testing.Short() {
		t.Skip("reads large replies")
	}
	const size = 4 << 20
	many := func(unit string) string { return strings.Repeat(unit, size/len(unit)) }
	var repeated strings.Builder // a server that repeats the name with each piece
	piece := `{"tool_calls":[{"index":0,"id":"x","function":{"name":"f","arguments":"%s"}}]}`
	repeated.WriteString("data: " + chunk(fmt.Sprintf(piece, `{\"a\":\"`), "null") + "\n\n")
	for range size / 128 {
		repeated.WriteString("data: " + chunk(fmt.Sprintf(piece, strings.Repeat("{}", 64)), "null") + "\n\n")
	}
	for name, test := range map[string]struct{ media, reply string }{
		"parts of thinking": {"application/json", completion(`{"content":[{"type":"thinking","thinking":[`+many(`{"text":"a"},`)+`{"text":"b"}]},{"type":"text","text":"x"}]}`, "stop")},
		"reasoning":         {"application/json", completion(`{"content":"x","reasoning_details":[`+many(`{},`)+`{}]}`, "stop")},
		"repeated names":    {"text/event-stream", repeated.String()},
		"error":             {"application/json", `{"error":{"message":"` + many("input (length 5 of ") + `"}}`},
	} {
		begin := time.Now()
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		hostile(t, test.media, test.reply)
		runtime.ReadMemStats(&after)
		if took := time.Since(begin); took > 20*time.Second {
			t.Errorf("%s: takes %v", name, took)
		}
		if mb := (after.HeapSys - min(before.HeapSys, after.HeapSys)) >> 20; mb > 150 {
			t.Errorf("%s: the heap grew by %d MB", name, mb)
		}
	}
}
