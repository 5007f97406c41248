package anthropic_test

import (
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed/internal/provider/providertest"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/llm/anthropic"
)

// sends fails the test if the body of the last request is not want.
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

func TestRequest(t *testing.T) {
	s := serve(t, providertest.Body(200, message(text("42"), "end_turn")))
	temperature := 0.5
	resp, err := s.model(t).Generate(t.Context(), &llm.Request{
		Name: "never sent",
		Messages: []llm.Message{
			{Role: llm.RoleSystem, Content: "be brief"},
			{Role: llm.RoleSystem, Content: "be kind"},
			{Role: llm.RoleUser, Content: "how many?"},
			{Role: llm.RoleAssistant, Content: "let me see", ToolCalls: []llm.ToolCall{
				{ID: "c1", Name: "count", Arguments: json.RawMessage(`{"of":"x"}`)}, {ID: "c2", Name: "now"},
			}},
			{Role: llm.RoleTool, ToolCallID: "c1", Content: "42"},
			{Role: llm.RoleTool, ToolCallID: "c2", Content: ""},
			{Role: llm.RoleUser, Content: "and now?"},
		},
		Tools: []llm.Tool{
			{Name: "count", Description: "counts", InputSchema: json.RawMessage(`{"type":"object","properties":{"z":{"type":"string"},"a":{"type":"string"}},"required":["z"]}`)},
			{Name: "now"},
			{Name: "any", InputSchema: json.RawMessage(`{"additionalProperties":true}`)},
		},
		Temperature:     &temperature,
		MaxOutputTokens: 50,
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := &llm.Response{
		Message:      llm.Message{Role: llm.RoleAssistant, Content: "42"},
		FinishReason: llm.FinishStop,
		Usage:        llm.Usage{InputTokens: 9, OutputTokens: 3, Calls: 1, CachedTokens: 1, CacheWriteTokens: 3},
		Model:        "claude-test-2026",
	}
	if diff := cmp.Diff(want, resp); diff != "" {
		t.Errorf("response (-want +got)\n%s", diff)
	}
	s.sends(t, `{"model":"claude-sonnet-5-5","temperature":0.5,"max_tokens":50,
		"system":[{"type":"text","text":"be brief"},{"type":"text","text":"be kind"}],
		"messages":[{"role":"user","content":[{"type":"text","text":"how many?"}]},
			{"role":"assistant","content":[{"type":"text","text":"let me see"},
				{"type":"tool_use","id":"c1","name":"count","input":{"of":"x"}},{"type":"tool_use","id":"c2","name":"now","input":{}}]},
			{"role":"user","content":[{"type":"tool_result","tool_use_id":"c1","content":[{"type":"text","text":"42"}]},
				{"type":"tool_result","tool_use_id":"c2"},{"type":"text","text":"and now?"}]}],
		"tools":[{"name":"count","description":"counts",
				"input_schema":{"type":"object","properties":{"z":{"type":"string"},"a":{"type":"string"}},"required":["z"]}},
			{"name":"now","input_schema":{"type":"object"}},
			{"name":"any","input_schema":{"type":"object","additionalProperties":true}}]}`)
	if strings.Index(s.Raw, `"z":{`) > strings.Index(s.Raw, `"a":{`) {
		t.Errorf("the properties lost their order in %s", s.Raw)
	}
	if s.Path != "/v1/messages" || s.Header.Get("X-Api-Key") != testKey || s.Header.Get("Anthropic-Version") == "" {
		t.Errorf("path %q, header %v", s.Path, s.Header)
	}
}

// TestTurns: consecutive messages of a role are sent as one, and blank ones are not
// sent.
// The prompt cache of the API requires that equal requests have equal bytes.
func TestToolSchemaIsSentInOneWay(t *testing.T) {
	s := serve(t, providertest.Body(200, message(text("ok"), "end_turn")))
	req := providertest.Request("hi")
	req.Tools = []llm.Tool{{Name: "f", InputSchema: json.RawMessage(`{"description":"d","properties":{},"required":[],"title":"t","$comment":"c","additionalProperties":false,"":1,"a.b":{"c":2}}`)}}
	first := ""
	for range 20 {
		if _, err := s.model(t).Generate(t.Context(), req, nil); err != nil {
			t.Fatal(err)
		}
		if first == "" {
			first = string(s.Raw)
		}
		if string(s.Raw) != first {
			t.Fatalf("sent\n%s\nand\n%s", first, s.Raw)
		}
	}
	if !strings.Contains(first, `"a.b":{"c":2}`) || !strings.Contains(first, `"type":"object"`) {
		t.Errorf("sent %s", first)
	}
}

func TestMessages(t *testing.T) {
	user := func(s string) llm.Message { return llm.Message{Role: llm.RoleUser, Content: s} }
	assistant := func(s string) llm.Message { return llm.Message{Role: llm.RoleAssistant, Content: s} }
	calls := func(arguments string) llm.Message {
		return llm.Message{Role: llm.RoleAssistant, ToolCalls: []llm.ToolCall{{ID: "c", Name: "f", Arguments: json.RawMessage(arguments)}}}
	}
	block := func(s string) string { return `{"type":"text","text":"` + s + `"}` }
	for name, test := range map[string]struct {
		messages []llm.Message
		want     string
	}{
		"one":               {[]llm.Message{user("a")}, `[{"role":"user","content":[` + block("a") + `]}]`},
		"two of a user":     {[]llm.Message{user("a"), user("b")}, `[{"role":"user","content":[` + block("a") + `,` + block("b") + `]}]`},
		"empty reply":       {[]llm.Message{user("a"), assistant(""), user("b")}, `[{"role":"user","content":[` + block("a") + `,` + block("b") + `]}]`},
		"blank reply":       {[]llm.Message{user("a"), assistant(" \n")}, `[{"role":"user","content":[` + block("a") + `]}]`},
		"system in between": {[]llm.Message{user("a"), {Role: llm.RoleSystem, Content: ""}, user("b")}, `[{"role":"user","content":[` + block("a") + `,` + block("b") + `]}]`},
		"two of Claude": {[]llm.Message{user("a"), assistant("b"), calls(`{"x":1}`)}, `[{"role":"user","content":[` + block("a") + `]},
			{"role":"assistant","content":[` + block("b") + `,{"type":"tool_use","id":"c","name":"f","input":{"x":1}}]}]`},
		"input no object": {[]llm.Message{user("a"), calls(`[1]`)}, `[{"role":"user","content":[` + block("a") + `]},
			{"role":"assistant","content":[{"type":"tool_use","id":"c","name":"f","input":{"arguments":[1]}}]}]`},
		"input null": {[]llm.Message{user("a"), calls(`null`)}, `[{"role":"user","content":[` + block("a") + `]},
			{"role":"assistant","content":[{"type":"tool_use","id":"c","name":"f","input":{"arguments":null}}]}]`},
		"blank result": {[]llm.Message{user("a"), calls(` {} `), {Role: llm.RoleTool, ToolCallID: "c", Content: "\t"}}, `[{"role":"user","content":[` + block("a") + `]},
			{"role":"assistant","content":[{"type":"tool_use","id":"c","name":"f","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"c"}]}]`},
	} {
		s := serve(t, providertest.Body(200, message(text("ok"), "end_turn")))
		if _, err := s.model(t).Generate(t.Context(), &llm.Request{Messages: test.messages}, nil); err != nil {
			t.Fatal(name, err)
		}
		var want any
		if err := json.Unmarshal([]byte(test.want), &want); err != nil {
			t.Fatal(name, err)
		}
		if diff := cmp.Diff(want, s.Body["messages"]); diff != "" || s.Body["system"] != nil {
			t.Errorf("%s: system %v (-want +got)\n%s", name, s.Body["system"], diff)
		}
	}
}

func TestDefaults(t *testing.T) {
	one := 1.0
	for name, test := range map[string]struct {
		change func(*anthropic.Options)
		req    llm.Request
		want   string
	}{
		"of the package": {func(*anthropic.Options) {}, llm.Request{}, `"model":"claude-sonnet-5-5","max_tokens":4096`},
		"of the options": {func(o *anthropic.Options) { o.Model, o.MaxOutputTokens = "m", 9 }, llm.Request{}, `"model":"m","max_tokens":9`},
		"of the request": {func(o *anthropic.Options) { o.MaxOutputTokens = 9 }, llm.Request{MaxOutputTokens: 8, Temperature: &one}, `"model":"claude-sonnet-5-5","max_tokens":8,"temperature":1`},
		"many tokens":    {func(o *anthropic.Options) { o.Timeout = -1 }, llm.Request{MaxOutputTokens: 64000}, `"model":"claude-sonnet-5-5","max_tokens":64000`},
	} {
		s := serve(t, providertest.Body(200, message(text("ok"), "end_turn")))
		test.req.Messages = providertest.Request("hi").Messages
		if _, err := s.model(t, test.change).Generate(t.Context(), &test.req, nil); err != nil {
			t.Fatal(name, err)
		}
		s.sends(t, `{"messages":[{"role":"user","content":[{"type":"text","text":"hi"}]}],`+test.want+`}`)
	}
}

// TestEnvironmentIsNotRead: the variables that the SDK reads must have no effect.
func TestEnvironmentIsNotRead(t *testing.T) {
	for _, name := range []string{"ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_BASE_URL", "ANTHROPIC_PROFILE", "ANTHROPIC_CONFIG_DIR"} {
		t.Setenv(name, "http://from-the-environment.invalid")
	}
	t.Setenv("ANTHROPIC_CUSTOM_HEADERS", "X-Custom: yes")
	s := serve(t, providertest.Body(200, message(text("ok"), "end_turn")))
	m := s.model(t, func(c *anthropic.Options) { c.APIKey = "" })
	if _, err := m.Generate(t.Context(), providertest.Request("hi"), nil); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"Authorization", "X-Api-Key", "X-Custom"} {
		if got := s.Header.Get(name); got != "" {
			t.Errorf("%s: %s was sent", name, got)
		}
	}
}

func TestToolCalls(t *testing.T) {
	content := `[{"type":"thinking","thinking":"hm","signature":"s"},{"type":"text","text":"I "},{"type":"text","text":"look"},
		{"type":"tool_use","id":"a","name":"f","input":{"x": 1}},{"type":"tool_use","id":"","name":"g","input":{}},
		{"type":"server_tool_use","id":"s","name":"web_search","input":{}}]`
	hm := reasoning(`{"host":"127.0.0.1","block":{"type":"thinking","thinking":"hm","signature":"s"}}`, "hm")
	want := llm.Message{Role: llm.RoleAssistant, Content: "I look", Parts: []llm.Part{hm}, ToolCalls: []llm.ToolCall{
		{ID: "a", Name: "f", Arguments: json.RawMessage(`{"x": 1}`)},
		{ID: "call_1", Name: "g", Arguments: json.RawMessage(`{}`)},
	}}
	for _, reason := range []string{"tool_use", "end_turn", ""} {
		s := serve(t, providertest.Body(200, message(content, reason)))
		resp, err := s.model(t).Generate(t.Context(), providertest.Request("hi"), nil)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, resp.Message); diff != "" || resp.FinishReason != llm.FinishToolCalls {
			t.Errorf("reason %q is %q; (-want +got)\n%s", reason, resp.FinishReason, diff)
		}
	}
}

// TestWildUsage: sums of the counts that a server sends cannot overflow.
// The API matches tool results to their calls by id.
func TestIDsOfToolCallsDiffer(t *testing.T) {
	call := func(id string) string { return `{"type":"tool_use","id":"` + id + `","name":"f","input":{}}` }
	s := serve(t, providertest.Body(200, message(`[`+strings.Join([]string{call("a"), call(""), call("a"), call("call_1"), call("call_2")}, ",")+`]`, "tool_use")))
	resp, err := s.model(t).Generate(t.Context(), providertest.Request("hi"), nil)
	if err != nil {
		t.Fatal(err)
	}
	ids := map[string]bool{}
	for _, c := range resp.Message.ToolCalls {
		ids[c.ID] = true
	}
	if len(ids) != 5 || ids[""] || !ids["a"] {
		t.Errorf("got %v", ids)
	}
}

func TestWildUsage(t *testing.T) {
	reply := `{"content":[],"usage":{"input_tokens":-5,"cache_read_input_tokens":7,"output_tokens":9223372036854775807}}`
	resp, err := serve(t, providertest.Body(200, reply)).model(t).Generate(t.Context(), providertest.Request("hi"), nil)
	if err != nil {
		t.Fatal(err)
	}
	if want := (llm.Usage{InputTokens: 7, OutputTokens: math.MaxInt32, Calls: 1, CachedTokens: 7}); resp.Usage != want {
		t.Errorf("usage is %+v, want %+v", resp.Usage, want)
	}
}

func TestReplyKinds(t *testing.T) {
	for name, test := range map[string]struct {
		reply  string
		kind   llm.ErrorKind // empty: a reply
		text   string
		says   string
		finish llm.FinishReason
	}{
		"end":             {message(text("all"), "end_turn"), "", "all", "", llm.FinishStop},
		"stop sequence":   {message(text("all"), "stop_sequence"), "", "all", "", llm.FinishStop},
		"nothing to say":  {message(`[]`, "end_turn"), "", "", "", llm.FinishStop},
		"cut by length":   {message(text("half a"), "max_tokens"), llm.ErrTruncated, "half a", "MaxOutputTokens", llm.FinishLength},
		"cut by window":   {message(text("half a"), "model_context_window_exceeded"), llm.ErrTruncated, "half a", "context window", llm.FinishLength},
		"paused":          {message(text("half a"), "pause_turn"), llm.ErrTruncated, "half a", "paused", llm.FinishLength},
		"refusal":         {message(text("I"), "refusal"), llm.ErrRefusal, "I", "declined", llm.FinishRefusal},
		"why refused":     {`{"content":[],"stop_reason":"refusal","stop_details":{"type":"refusal","category":"cyber","explanation":"because ` + testKey + `"}}`, llm.ErrRefusal, "", "because [key]", llm.FinishRefusal},
		"no content":      {`{"id":"x","type":"message"}`, llm.ErrProtocol, "", "", ""},
		"no error":        {`{"error":null}`, llm.ErrProtocol, "", "", ""},
		"null":            {`null`, llm.ErrProtocol, "", "", ""},
		"other JSON":      {`{"status":"ok"}`, llm.ErrProtocol, "", "", ""},
		"not an object":   {`[1,2]`, llm.ErrProtocol, "", "", ""},
		"garbage":         {`}{`, llm.ErrProtocol, "", "", ""},
		"gateway error":   {`{"type":"error","error":{"type":"rate_limit_error","message":"upstream"}}`, llm.ErrRateLimit, "", "upstream", ""},
		"gateway refused": {`{"type":"error","error":{"type":"invalid_request_error","message":"no"}}`, llm.ErrBadRequest, "", "no", ""},
		"flat error":      {`{"success":false,"code":500,"msg":"upstream"}`, llm.ErrUnavailable, "", "upstream", ""},
		"odd usage":       {`{"content":[{"type":"text","text":"all"}],"stop_reason":"end_turn","usage":{"input_tokens":5.0,"output_tokens":"2"}}`, "", "all", "", llm.FinishStop},
		"gateway failed":  {`{"error":{"message":"upstream","code":502}}`, llm.ErrUnavailable, "", "upstream", ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := serve(t, providertest.Body(200, test.reply))
			resp, err := s.model(t).Generate(t.Context(), providertest.Request("hi"), nil)
			if test.kind != "" {
				if resp != nil || !errors.Is(err, test.kind) || !strings.Contains(err.Error(), test.says) {
					t.Fatalf("got %v, %v, want %v and %q", resp, err, test.kind, test.says)
				}
				providertest.CheckNoKey(t, err)
				var e *llm.Error
				if errors.As(err, &e); test.finish == "" {
					return
				}
				resp = e.Partial
			}
			if resp == nil || resp.Message.Content != test.text || resp.FinishReason != test.finish {
				t.Errorf("got %+v, want %q and %q", resp, test.text, test.finish)
			}
		})
	}
}

// Requests that only this API does not accept.
func TestRefusedRequests(t *testing.T) {
	s := serve(t, providertest.Body(200, message(text("ok"), "end_turn")))
	hi := providertest.Request("x").Messages
	calls := func(arguments string) []llm.Message {
		return []llm.Message{{Role: llm.RoleAssistant, ToolCalls: []llm.ToolCall{{ID: "c", Name: "f", Arguments: json.RawMessage(arguments)}}}}
	}
	for name, req := range map[string]*llm.Request{
		"system only":        {Messages: []llm.Message{{Role: llm.RoleSystem, Content: "x"}}},
		"blank only":         {Messages: []llm.Message{{Role: llm.RoleUser, Content: " "}}},
		"arguments cut off":  {Messages: calls(`{`)},
		"arguments, no JSON": {Messages: calls(`x`)},
		"tool of text":       {Messages: hi, Tools: []llm.Tool{{Name: "t", InputSchema: json.RawMessage(`{"type":"string"}`)}}},
	} {
		if _, err := s.model(t).Generate(t.Context(), req, nil); !errors.Is(err, llm.ErrBadRequest) {
			t.Errorf("%s: got %v, want a bad request", name, err)
		}
	}
	if s.Path != "" {
		t.Error("a request was sent")
	}
}

func TestOptions(t *testing.T) {
	for name, test := range map[string]struct {
		opt  *anthropic.Options
		kind llm.ErrorKind // empty: accepted
	}{
		"nil":             {nil, llm.ErrAuth},
		"no key":          {&anthropic.Options{Model: "m"}, llm.ErrAuth},
		"key":             {&anthropic.Options{APIKey: "k"}, ""},
		"other server":    {&anthropic.Options{BaseURL: "http://localhost:11434/"}, ""},
		"no scheme":       {&anthropic.Options{BaseURL: "localhost:11434"}, llm.ErrBadRequest},
		"other scheme":    {&anthropic.Options{BaseURL: "ftp://x"}, llm.ErrBadRequest},
		"user in the URL": {&anthropic.Options{BaseURL: "http://u:" + testKey + "@x"}, llm.ErrBadRequest},
		"key in the URL":  {&anthropic.Options{BaseURL: "http://x?key=" + testKey}, llm.ErrBadRequest},
		"garbage":         {&anthropic.Options{BaseURL: "http://%zz" + testKey}, llm.ErrBadRequest},
		"max tokens":      {&anthropic.Options{APIKey: "k", MaxOutputTokens: -1}, llm.ErrBadRequest},
		"line break":      {&anthropic.Options{APIKey: testKey + "\n"}, llm.ErrAuth},
	} {
		_, err := anthropic.New(test.opt)
		switch {
		case test.kind == "" && err != nil, test.kind != "" && !errors.Is(err, test.kind):
			t.Errorf("%s: got %v, want %q", name, err, test.kind)
		case err != nil:
			providertest.CheckNoKey(t, err)
		}
	}
}

// TestBasePath: the path of a base URL is kept.
func TestBasePath(t *testing.T) {
	s := serve(t, providertest.Body(200, message(text("ok"), "end_turn")))
	m := s.model(t, func(c *anthropic.Options) { c.BaseURL += "/claude/" })
	if _, err := m.Generate(t.Context(), providertest.Request("hi"), nil); err != nil || s.Path != "/claude/v1/messages" {
		t.Errorf("got %v at %s", err, s.Path)
	}
}
