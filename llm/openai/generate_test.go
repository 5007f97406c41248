package openai_test

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed/internal/provider/providertest"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/llm/openai"
)

func TestRequest(t *testing.T) {
	s := serve(t, providertest.Body(200, completion(`{"role":"assistant","content":"42"}`, "stop")))
	temperature := 0.0
	resp, err := s.model(t).Generate(t.Context(), &llm.Request{
		Name: "never sent",
		Messages: []llm.Message{
			{Role: llm.RoleSystem, Content: "be brief"},
			{Role: llm.RoleUser, Content: "how many?"},
			{Role: llm.RoleAssistant, ToolCalls: []llm.ToolCall{{ID: "c1", Name: "count", Arguments: json.RawMessage(`{"of":"x"}`)}, {ID: "c2", Name: "now"}}},
			{Role: llm.RoleTool, ToolCallID: "c1", Content: "42"},
			{Role: llm.RoleTool, ToolCallID: "c2", Content: ""},
		},
		Tools: []llm.Tool{
			{Name: "count", Description: "counts", InputSchema: json.RawMessage(`{"type":"object","properties":{"z":{"type":"string"},"a":{"type":"string"}}}`)},
			{Name: "now"},
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
		Usage:        llm.Usage{InputTokens: 9, OutputTokens: 3, Calls: 1},
		Model:        "gpt-test-2026",
	}
	if diff := cmp.Diff(want, resp); diff != "" {
		t.Errorf("response (-want +got)\n%s", diff)
	}
	var sent any
	wantSent := `{"model":"gpt-test","temperature":0,"max_tokens":50,
		"messages":[{"role":"system","content":"be brief"},{"role":"user","content":"how many?"},
			{"role":"assistant","tool_calls":[{"id":"c1","type":"function","function":{"name":"count","arguments":"{\"of\":\"x\"}"}},
				{"id":"c2","type":"function","function":{"name":"now","arguments":"{}"}}]},
			{"role":"tool","tool_call_id":"c1","content":"42"},{"role":"tool","tool_call_id":"c2","content":""}],
		"tools":[{"type":"function","function":{"name":"count","description":"counts",
				"parameters":{"type":"object","properties":{"z":{"type":"string"},"a":{"type":"string"}}}}},
			{"type":"function","function":{"name":"now"}}]}`
	if err := json.Unmarshal([]byte(wantSent), &sent); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(sent, any(s.Body)); diff != "" {
		t.Errorf("sent (-want +got)\n%s", diff)
	}
	if s.Path != "/v1/chat/completions" || s.Header.Get("Authorization") != "Bearer "+testKey {
		t.Errorf("path %q, authorization %q", s.Path, s.Header.Get("Authorization"))
	}
}

// TestEnvironmentIsNotRead: the variables that the SDK reads must have no effect.
func TestEnvironmentIsNotRead(t *testing.T) {
	for _, name := range []string{"OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID", "OPENAI_ADMIN_KEY"} {
		t.Setenv(name, "http://from-the-environment.invalid")
	}
	t.Setenv("OPENAI_CUSTOM_HEADERS", "X-Custom: yes")
	s := serve(t, providertest.Body(200, completion(`{"role":"assistant","content":"ok"}`, "stop")))
	m := s.model(t, func(c *openai.Options) { c.APIKey = "" })
	if _, err := m.Generate(t.Context(), providertest.Request("hi"), nil); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"Authorization", "Openai-Organization", "Openai-Project", "X-Custom"} {
		if got := s.Header.Get(name); got != "" {
			t.Errorf("%s: %s was sent", name, got)
		}
	}
}

func TestToolCalls(t *testing.T) {
	message := `{"role":"assistant","content":null,"tool_calls":[` +
		`{"id":"a","type":"function","function":{"name":"f","arguments":"{\"x\":1}"}},` +
		`{"id":"","type":"function","function":{"name":"g","arguments":""}}]}`
	want := []llm.ToolCall{
		{ID: "a", Name: "f", Arguments: json.RawMessage(`{"x":1}`)},
		{ID: "call_1", Name: "g", Arguments: json.RawMessage(`{}`)},
	}
	for _, finish := range []string{"tool_calls", "stop", ""} {
		s := serve(t, providertest.Body(200, completion(message, finish)))
		resp, err := s.model(t).Generate(t.Context(), providertest.Request("hi"), nil)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, resp.Message.ToolCalls); diff != "" || resp.FinishReason != llm.FinishToolCalls {
			t.Errorf("finish %q is %q; (-want +got)\n%s", finish, resp.FinishReason, diff)
		}
	}
}

// TestWildUsage: sums of the counts that a server sends cannot overflow.
func TestWildUsage(t *testing.T) {
	reply := `{"choices":[{"message":{"content":"x"}}],"usage":{"prompt_tokens":-5,"completion_tokens":9223372036854775807}}`
	resp, err := serve(t, providertest.Body(200, reply)).model(t).Generate(t.Context(), providertest.Request("hi"), nil)
	if err != nil {
		t.Fatal(err)
	}
	if want := (llm.Usage{InputTokens: 0, OutputTokens: math.MaxInt32, Calls: 1}); resp.Usage != want {
		t.Errorf("usage is %+v, want %+v", resp.Usage, want)
	}
}

func TestReplyKinds(t *testing.T) {
	for name, test := range map[string]struct {
		reply   string
		kind    llm.ErrorKind
		partial string
	}{
		"cut by length":  {completion(`{"role":"assistant","content":"half a"}`, "length"), llm.ErrTruncated, "half a"},
		"refusal":        {completion(`{"role":"assistant","content":null,"refusal":"I will not"}`, "stop"), llm.ErrRefusal, ""},
		"filter":         {completion(`{"role":"assistant","content":"x"}`, "content_filter"), llm.ErrRefusal, "x"},
		"bad arguments":  {completion(`{"role":"assistant","tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{"}}]}`, "tool_calls"), llm.ErrInvalidOutput, ""},
		"no choices":     {`{"id":"x","choices":[]}`, llm.ErrProtocol, ""},
		"null":           {`null`, llm.ErrProtocol, ""},
		"other JSON":     {`{"status":"ok"}`, llm.ErrProtocol, ""},
		"not an object":  {`[1,2]`, llm.ErrProtocol, ""},
		"garbage":        {`}{`, llm.ErrProtocol, ""},
		"gateway error":  {`{"error":{"message":"upstream","code":429}}`, llm.ErrRateLimit, ""},
		"gateway failed": {`{"choices":[],"error":{"message":"upstream","code":502}}`, llm.ErrUnavailable, ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := serve(t, providertest.Body(200, test.reply))
			resp, err := s.model(t).Generate(t.Context(), providertest.Request("hi"), nil)
			if resp != nil || !errors.Is(err, test.kind) {
				t.Fatalf("got %v, %v, want %v", resp, err, test.kind)
			}
			var e *llm.Error
			if errors.As(err, &e); test.partial != "" && (e.Partial == nil || e.Partial.Message.Content != test.partial) {
				t.Errorf("partial is %+v, want %q", e.Partial, test.partial)
			}
			providertest.CheckNoKey(t, err)
		})
	}
}

func TestOptions(t *testing.T) {
	for name, test := range map[string]struct {
		opt  *openai.Options
		kind llm.ErrorKind // empty: accepted
	}{
		"nil":             {nil, llm.ErrBadRequest},
		"no model":        {&openai.Options{APIKey: "k"}, llm.ErrBadRequest},
		"no key":          {&openai.Options{Model: "m"}, llm.ErrAuth},
		"key":             {&openai.Options{Model: "m", APIKey: "k"}, ""},
		"Ollama":          {&openai.Options{Model: "m", BaseURL: openai.OllamaBaseURL}, ""},
		"slash":           {&openai.Options{Model: "m", BaseURL: openai.OllamaBaseURL + "/"}, ""},
		"no scheme":       {&openai.Options{Model: "m", BaseURL: "localhost:11434/v1"}, llm.ErrBadRequest},
		"other scheme":    {&openai.Options{Model: "m", BaseURL: "ftp://x/v1"}, llm.ErrBadRequest},
		"user in the URL": {&openai.Options{Model: "m", BaseURL: "http://u:" + testKey + "@x/v1"}, llm.ErrBadRequest},
		"key in the URL":  {&openai.Options{Model: "m", BaseURL: "http://x/v1?key=" + testKey}, llm.ErrBadRequest},
		"garbage":         {&openai.Options{Model: "m", BaseURL: "http://%zz" + testKey}, llm.ErrBadRequest},
	} {
		_, err := openai.New(test.opt)
		switch {
		case test.kind == "" && err != nil, test.kind != "" && !errors.Is(err, test.kind):
			t.Errorf("%s: got %v, want %q", name, err, test.kind)
		case err != nil:
			providertest.CheckNoKey(t, err)
		}
	}
}

func TestTokenLimitByHost(t *testing.T) {
	for base, want := range map[string]string{
		openai.DefaultBaseURL:                   "max_completion_tokens",
		openai.OllamaBaseURL:                    "max_tokens",
		"https://me.openai.azure.com/openai/v1": "max_completion_tokens",
		"https://api.openai.com.evil.example/":  "max_tokens",
	} {
		var sent map[string]any
		client := &http.Client{Transport: providertest.RoundTrip(func(r *http.Request) (*http.Response, error) {
			if err := json.NewDecoder(r.Body).Decode(&sent); err != nil {
				t.Error(err)
			}
			return nil, errors.New("not sent")
		})}
		m, err := openai.New(&openai.Options{Model: "m", APIKey: "k", BaseURL: base, API: openai.ChatCompletions, HTTPClient: client})
		if err != nil {
			t.Fatal(err)
		}
		req := providertest.Request("hi")
		req.MaxOutputTokens = 7
		if _, err := m.Generate(context.Background(), req, nil); !errors.Is(err, llm.ErrUnavailable) {
			t.Errorf("got %v, want unavailable", err)
		}
		if sent[want] != 7.0 || sent["max_tokens"] != nil && sent["max_completion_tokens"] != nil {
			t.Errorf("%s was sent %v, want %s", base, sent, want)
		}
	}
}
