package providertest

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"math"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/qedkit/qed/llm"
)

// A Suite has the tests that every provider must pass.
type Suite struct {
	// New returns a model that uses [Key]. A nil client means the default.
	New func(tb testing.TB, base string, timeout time.Duration, client *http.Client) llm.Model

	Path  string // the path of the base URL
	Reply string // a complete reply
	Piece string // an event of a streamed reply with the text "one "
}

// Request returns a request with one message.
func Request(text string) *llm.Request {
	return &llm.Request{Name: "test", Messages: []llm.Message{{Role: llm.RoleUser, Content: text}}}
}

func (p Suite) model(t *testing.T, s *Server, timeout time.Duration) llm.Model {
	return p.New(t, s.URL+p.Path, timeout, s.Client(t))
}

// TestFailures tests the errors of failed calls.
func (p Suite) TestFailures(t *testing.T) {
	t.Run("refused requests", p.refusedRequests)
	t.Run("status kinds", p.statusKinds)
	t.Run("retry after", p.retryAfter)
	t.Run("one request per call", p.oneRequestPerCall)
	t.Run("slow server", p.slowServer)
	t.Run("reply cut off", p.replyCutOff)
	t.Run("huge reply", p.hugeReply)
	t.Run("redirect is not followed", p.redirectIsNotFollowed)
	t.Run("no timeout", p.noTimeout)
	t.Run("HTML page", p.htmlPage)
	t.Run("unreachable", p.unreachable)
	t.Run("stream ends with its context", p.streamEndsWithItsContext)
	t.Run("backlog stops with its context", p.backlogStopsWithItsContext)
	t.Run("concurrent calls", p.concurrentCalls)
}

func (p Suite) refusedRequests(t *testing.T) {
	s := Serve(t, Body(200, p.Reply))
	noNumber := math.NaN()
	hi := Request("x").Messages
	with := func(role llm.Role, part llm.Part) *llm.Request {
		return &llm.Request{Messages: append(Request("x").Messages, llm.Message{Role: role, Content: "y", Parts: []llm.Part{part}})}
	}
	for name, req := range map[string]*llm.Request{
		"temperature":   {Messages: hi, Temperature: &noNumber},
		"max tokens":    {Messages: hi, MaxOutputTokens: -1},
		"no messages":   {},
		"unknown role":  {Messages: []llm.Message{{Role: "robot"}}},
		"no role":       {Messages: []llm.Message{{Content: "x"}}},
		"tool, no call": {Messages: []llm.Message{{Role: llm.RoleTool}}},
		"user calls":    {Messages: []llm.Message{{Role: llm.RoleUser, ToolCalls: []llm.ToolCall{{}}}}},
		"tool schema":   {Messages: hi, Tools: []llm.Tool{{Name: "t", InputSchema: json.RawMessage(`[`)}}},
		"format schema": {Messages: hi, Format: &llm.Format{Schema: json.RawMessage(`{`)}},
		"no schema":     {Messages: hi, Format: &llm.Format{}},
		"format mode":   {Messages: hi, Format: &llm.Format{Mode: "xml"}},

		"negative temperature": {Messages: hi, Temperature: new(-1.0)},
		"choice, no tools":     {Messages: hi, ToolChoice: llm.ToolChoiceRequired},
		"choice of no tool":    {Messages: hi, Tools: []llm.Tool{{Name: "a"}}, ToolChoice: llm.ToolChoiceOf("b")},
		"unknown choice":       {Messages: hi, Tools: []llm.Tool{{Name: "a"}}, ToolChoice: "a"},
		"stop at nothing":      {Messages: hi, Stop: []string{""}},
		"extra model":          {Messages: hi, Extra: map[string]json.RawMessage{"model": json.RawMessage(`"x"`)}},
		"extra stream":         {Messages: hi, Extra: map[string]json.RawMessage{"stream": json.RawMessage(`true`)}},
		"extra, no JSON":       {Messages: hi, Extra: map[string]json.RawMessage{"x": json.RawMessage(`{`)}},
		"unknown part":         with(llm.RoleUser, llm.Part{Type: "video"}),
		"image of nothing":     with(llm.RoleUser, llm.Part{Type: llm.PartImage, MediaType: "image/png"}),
		"image twice":          with(llm.RoleUser, llm.Part{Type: llm.PartImage, MediaType: "image/png", Data: []byte("x"), URL: "https://a/b"}),
		"image, no type":       with(llm.RoleUser, llm.Part{Type: llm.PartImage, Data: []byte("x")}),
		"image of text":        with(llm.RoleUser, llm.Part{Type: llm.PartImage, MediaType: "text/plain", Data: []byte("x")}),
		"type with parameters": with(llm.RoleUser, llm.Part{Type: llm.PartFile, MediaType: "text/a;b,c", Data: []byte("x")}),
		"image of a file":      with(llm.RoleUser, llm.Part{Type: llm.PartImage, URL: "file:///etc/passwd"}),
		"image, no host":       with(llm.RoleUser, llm.Part{Type: llm.PartImage, URL: "https:b.png"}),
		"image of a model":     with(llm.RoleAssistant, llm.Part{Type: llm.PartImage, URL: "https://a/b"}),
		"image of a program":   with(llm.RoleSystem, llm.Part{Type: llm.PartImage, URL: "https://a/b"}),
		"reasoning of a user":  with(llm.RoleUser, llm.Part{Type: llm.PartReasoning, Provider: "x"}),
		"reasoning of nobody":  with(llm.RoleAssistant, llm.Part{Type: llm.PartReasoning}),
	} {
		_, err := p.model(t, s, 0).Generate(t.Context(), req, nil)
		if !errors.Is(err, llm.ErrBadRequest) {
			t.Errorf("%s: got %v, want a bad request", name, err)
		} else if last := len(req.Messages) - 1; last >= 0 && len(req.Messages[last].Parts) > 0 &&
			!strings.Contains(err.Error(), "message 1: part 0 ("+string(req.Messages[last].Parts[0].Type)+")") {
			t.Errorf("%s: %v does not name the part", name, err)
		}
	}
	if s.Path != "" {
		t.Error("a request was sent")
	}
}

// fault returns an error response of OpenAI.
func fault(message, kind, code string) string {
	return `{"error":{"message":"` + message + `","type":"` + kind + `","param":null,"code":` + code + `}}`
}

// claudeFault returns an error response of Anthropic.
func claudeFault(kind, message string) string {
	return `{"type":"error","error":{"type":"` + kind + `","message":"` + message + `"},"request_id":"req_1"}`
}

func (p Suite) statusKinds(t *testing.T) {
	huge := strings.Repeat("x", 1<<20)
	for name, test := range map[string]struct {
		status int
		body   string
		kind   llm.ErrorKind
		says   string
	}{
		"wrong key":          {401, fault("Incorrect API key provided: "+Key, "invalid_request_error", `"invalid_api_key"`), llm.ErrAuth, "Options.APIKey"},
		"part of the key":    {401, fault("Incorrect API key provided: sk-test-******cdef", "invalid_request_error", `"invalid_api_key"`), llm.ErrAuth, ""},
		"not allowed":        {403, fault("no access", "x", `null`), llm.ErrAuth, ""},
		"terminal codes":     {400, fault(`no \u001b[2J\u009b2J\u202e way`, "x", `null`), llm.ErrBadRequest, "no [2J 2J way"},
		"rate limit":         {429, fault("slow down", "tokens", `"rate_limit_exceeded"`), llm.ErrRateLimit, "slow down"},
		"rate limit, bare":   {429, ``, llm.ErrRateLimit, "no reason"},
		"quota":              {429, fault("pay", "insufficient_quota", `"insufficient_quota"`), llm.ErrQuota, "pay"},
		"payment":            {402, `{}`, llm.ErrQuota, "credit"},
		"context":            {400, fault("too long", "invalid_request_error", `"context_length_exceeded"`), llm.ErrContextLength, ""},
		"context, vLLM":      {400, fault("This model's maximum context length is 4096 tokens", "BadRequestError", `400`), llm.ErrContextLength, "4096"},
		"context, llama.cpp": {400, fault("the request exceeds the available context size", "exceed_context_size_error", `400`), llm.ErrContextLength, ""},
		"too large":          {413, `<html>`, llm.ErrContextLength, ""},
		"filter":             {400, fault("filtered", "x", `"content_filter"`), llm.ErrRefusal, "filtered"},
		"bad request":        {400, fault("no such parameter", "invalid_request_error", `null`), llm.ErrBadRequest, "no such parameter"},
		"unprocessable":      {422, `{"detail":"field required"}`, llm.ErrBadRequest, "field required"},
		"no model, Ollama":   {404, `{"error":{"message":"model \"gpt-test\" not found, try pulling it first","type":"api_error"}}`, llm.ErrBadRequest, "pulling"},
		"no such page":       {404, `<html><body>404</body></html>`, llm.ErrBadRequest, "Options.BaseURL"},
		"request timeout":    {408, ``, llm.ErrTimeout, ""},
		"gateway timeout":    {504, `<html>`, llm.ErrTimeout, ""},
		"server":             {500, fault("oops", "server_error", `null`), llm.ErrUnavailable, "oops"},
		"HTML":               {502, `<html><h1>Bad gateway</h1>`, llm.ErrUnavailable, "no reason"},
		"overloaded":         {529, `{"type":"error","message":"busy"}`, llm.ErrUnavailable, "busy"},
		"text, Ollama":       {500, `{"error":"out of memory"}`, llm.ErrUnavailable, "out of memory"},
		"list, Gemini":       {400, `[{"error":{"code":400,"message":"bad"}}]`, llm.ErrBadRequest, "bad"},
		"garbage":            {500, "\x00\xff{{{", llm.ErrUnavailable, ""},
		"null":               {500, "null", llm.ErrUnavailable, ""},
		"numbers":            {500, `{"error":{"message":7,"type":[],"code":{}}}`, llm.ErrUnavailable, ""},
		"huge":               {500, fault(huge, "x", `null`), llm.ErrUnavailable, ""},
		"the key in it":      {400, fault("your key is "+Key+" today", "x", `null`), llm.ErrBadRequest, "[key]"},
		"lines":              {400, fault(`a\nb\u001b[31mc`, "x", `null`), llm.ErrBadRequest, "a b [31mc"},
		"Anthropic, key":     {401, claudeFault("authentication_error", "invalid x-api-key "+Key), llm.ErrAuth, "Options.APIKey"},
		"Anthropic, allowed": {403, claudeFault("permission_error", "no"), llm.ErrAuth, ""},
		"Anthropic, credit":  {400, claudeFault("invalid_request_error", "Your credit balance is too low to access the Anthropic API."), llm.ErrQuota, "credit"},
		"Anthropic, limit":   {400, claudeFault("invalid_request_error", "You have reached your specified workspace API usage limits."), llm.ErrQuota, "limits"},
		"Anthropic, billing": {402, claudeFault("billing_error", "pay"), llm.ErrQuota, "pay"},
		"Anthropic, cap":     {429, `{"error":{"type":"rate_limit_error","message":"x","details":{"error_code":"enforced_spend_limit_reached"}}}`, llm.ErrQuota, "x"},
		"Anthropic, rate":    {429, claudeFault("rate_limit_error", "slow down"), llm.ErrRateLimit, "slow down"},
		"Anthropic, long":    {400, claudeFault("invalid_request_error", "prompt is too long: 210000 tokens > 200000 maximum"), llm.ErrContextLength, "210000"},
		"Anthropic, both":    {400, claudeFault("invalid_request_error", "input length and `max_tokens` exceed context limit: 1 + 2 > 2"), llm.ErrContextLength, ""},
		"Anthropic, large":   {413, claudeFault("request_too_large", "too large"), llm.ErrContextLength, ""},
		"Anthropic, model":   {404, claudeFault("not_found_error", "model: no-such"), llm.ErrBadRequest, "no-such"},
		"Anthropic, field":   {400, claudeFault("invalid_request_error", "max_tokens: 9 > 8, which is the maximum"), llm.ErrBadRequest, "maximum"},
		"Anthropic, busy":    {529, claudeFault("overloaded_error", "Overloaded"), llm.ErrUnavailable, "Overloaded"},
		"Anthropic, broken":  {500, claudeFault("api_error", "Internal server error"), llm.ErrUnavailable, "Internal"},
		"Anthropic, slow":    {504, claudeFault("timeout_error", "timed out"), llm.ErrTimeout, ""},
		"not modified":       {304, ``, llm.ErrProtocol, ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := Serve(t, Body(test.status, test.body))
			for _, stream := range []func(llm.Delta){nil, func(llm.Delta) {}} {
				_, err := p.model(t, s, 0).Generate(t.Context(), Request("hi"), stream)
				var e *llm.Error
				if !errors.As(err, &e) || e.Kind != test.kind || e.Status != test.status || !errors.Is(err, test.kind) {
					t.Fatalf("got %v, want kind %q and status %d", err, test.kind, test.status)
				}
				if !strings.Contains(err.Error(), test.says) {
					t.Errorf("%q does not say %q", err, test.says)
				}
				if strings.Contains(err.Error(), "cdef") || strings.ContainsAny(err.Error(), "\n\x1b\x00\u009b\u202e") {
					t.Errorf("%q holds what it must not", err)
				}
				CheckNoKey(t, err)
			}
		})
	}
}

func (p Suite) retryAfter(t *testing.T) {
	now := time.Now().UTC()
	for name, test := range map[string]struct {
		header []string
		want   time.Duration
	}{
		"none":            {nil, 0},
		"seconds":         {[]string{"Retry-After", "7"}, 7 * time.Second},
		"fraction":        {[]string{"Retry-After", "0.5"}, 500 * time.Millisecond},
		"milliseconds":    {[]string{"Retry-After-Ms", "250", "Retry-After", "1"}, 250 * time.Millisecond},
		"date":            {[]string{"Date", now.Format(http.TimeFormat), "Retry-After", now.Add(90 * time.Second).Format(http.TimeFormat)}, 90 * time.Second},
		"date, odd clock": {[]string{"Date", "Mon, 02 Jan 2006 15:04:05 GMT", "Retry-After", "Mon, 02 Jan 2006 15:04:35 GMT"}, 30 * time.Second},
		"past":            {[]string{"Retry-After", "Mon, 02 Jan 2006 15:04:05 GMT"}, 0},
		"negative":        {[]string{"Retry-After", "-5"}, 0},
		"huge":            {[]string{"Retry-After", "1e300"}, 24 * time.Hour},
		"infinite":        {[]string{"Retry-After", "Inf"}, 24 * time.Hour},
		"no number":       {[]string{"Retry-After", "NaN"}, 0},
		"garbage":         {[]string{"Retry-After", "soon"}, 0},
	} {
		s := Serve(t, Body(429, `{}`, test.header...))
		_, err := p.model(t, s, 0).Generate(t.Context(), Request("hi"), nil)
		var e *llm.Error
		if !errors.As(err, &e) || e.RetryAfter != test.want {
			t.Errorf("%s: got %v in %v, want %v", name, e.RetryAfter, err, test.want)
		}
	}
}

// The SDKs retry requests by default.
func (p Suite) oneRequestPerCall(t *testing.T) {
	n := 0
	s := Serve(t, func(w http.ResponseWriter, r *http.Request) { n++; Body(503, `{}`)(w, r) })
	if _, err := p.model(t, s, 0).Generate(t.Context(), Request("hi"), nil); !errors.Is(err, llm.ErrUnavailable) || n != 1 {
		t.Errorf("got %v after %d requests, want one", err, n)
	}
}

func (p Suite) slowServer(t *testing.T) {
	s := Serve(t, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	m := p.model(t, s, 30*time.Millisecond)
	if _, err := m.Generate(t.Context(), Request("hi"), nil); !errors.Is(err, llm.ErrTimeout) || !strings.Contains(err.Error(), "Options.Timeout") {
		t.Errorf("got %v, want the timeout of the options", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(30*time.Millisecond, cancel)
	if _, err := p.model(t, s, 0).Generate(ctx, Request("hi"), nil); !errors.Is(err, context.Canceled) || errors.Is(err, llm.ErrTimeout) {
		t.Errorf("got %v, want a cancelled context", err)
	}
}

func (p Suite) replyCutOff(t *testing.T) {
	s := Serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Length", "1000")
		io.WriteString(w, p.Reply[:len(p.Reply)/2])
	})
	if _, err := p.model(t, s, 0).Generate(t.Context(), Request("hi"), nil); !errors.Is(err, llm.ErrTruncated) {
		t.Errorf("got %v, want a truncated reply", err)
	}
}

func (p Suite) hugeReply(t *testing.T) {
	s := Serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		for range 40 {
			if _, err := w.Write([]byte(strings.Repeat(" ", 1<<20))); err != nil {
				return
			}
		}
	})
	if _, err := p.model(t, s, 0).Generate(t.Context(), Request("hi"), nil); !errors.Is(err, llm.ErrProtocol) || !strings.Contains(err.Error(), "32 MiB") {
		t.Errorf("got %v, want a reply that is too large", err)
	}
}

// A redirect could send the key and the conversation to another host.
func (p Suite) redirectIsNotFollowed(t *testing.T) {
	reached := false
	elsewhere := Serve(t, func(w http.ResponseWriter, r *http.Request) { reached = true; Body(200, `{}`)(w, r) })
	for _, status := range []int{301, 302, 307, 308} {
		s := Serve(t, Body(status, ``, "Location", elsewhere.URL+"/v1"))
		if _, err := p.model(t, s, 0).Generate(t.Context(), Request("hi"), nil); !errors.Is(err, llm.ErrProtocol) || !strings.Contains(err.Error(), s.URL) {
			t.Errorf("%d: got %v, want an error that names the base URL", status, err)
		}
	}
	if reached {
		t.Error("the redirect was followed")
	}
}

func (p Suite) noTimeout(t *testing.T) {
	s := Serve(t, Body(200, p.Reply))
	m := p.model(t, s, -1)
	if _, err := m.Generate(t.Context(), Request("hi"), nil); err != nil {
		t.Error(err)
	}
}

func (p Suite) htmlPage(t *testing.T) {
	s := Serve(t, Body(200, `<html>welcome</html>`, "Content-Type", "text/html; charset=utf-8"))
	if _, err := p.model(t, s, 0).Generate(t.Context(), Request("hi"), nil); !errors.Is(err, llm.ErrProtocol) || !strings.Contains(err.Error(), s.URL+p.Path) {
		t.Errorf("got %v, want an error that names the base URL", err)
	}
}

func (p Suite) unreachable(t *testing.T) {
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closed.Close()
	noHost := &http.Client{Transport: RoundTrip(func(*http.Request) (*http.Response, error) {
		return nil, &net.DNSError{Err: "no such host", Name: "nowhere.invalid", IsNotFound: true}
	})}
	plain := Serve(t, Body(200, `{}`))
	for name, test := range map[string]struct {
		base   string
		client *http.Client
		kind   llm.ErrorKind
		says   string
	}{
		"refused": {"http://" + closed.Addr().String() + "/v1", nil, llm.ErrUnavailable, "connection was refused"},
		"no host": {"http://nowhere.invalid/v1", noHost, llm.ErrUnavailable, "host name"},
		"no TLS":  {strings.Replace(plain.URL, "http:", "https:", 1), nil, llm.ErrProtocol, "TLS"},
		"for Ollama": {"http://127.0.0.1:11434/v1", &http.Client{Transport: RoundTrip(func(*http.Request) (*http.Response, error) {
			return nil, errors.New("refused")
		})}, llm.ErrUnavailable, "ollama serve"},
	} {
		_, err := p.New(t, test.base, 0, test.client).Generate(t.Context(), Request("hi"), nil)
		if !errors.Is(err, test.kind) || !strings.Contains(err.Error(), test.says) || !strings.Contains(err.Error(), test.base) {
			t.Errorf("%s: got %v, want %q, naming %s", name, err, test.kind, test.base)
		}
		CheckNoKey(t, err)
	}
}

// hang begins a reply and then waits until the client disconnects.
func (p Suite) hang(w http.ResponseWriter, r *http.Request) {
	Events(p.Piece)(w, r)
	<-r.Context().Done()
}

func (p Suite) streamEndsWithItsContext(t *testing.T) {
	reason := errors.New("the user went away")
	s := Serve(t, p.hang)
	t.Run("cancelled", func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		_, err := p.model(t, s, 0).Generate(ctx, Request("hi"), func(llm.Delta) { cancel(reason) })
		if !errors.Is(err, context.Canceled) || !errors.Is(err, reason) {
			t.Errorf("got %v, want a cancelled context and the reason", err)
		}
	})
	t.Run("deadline", func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		_, err := p.model(t, s, 0).Generate(ctx, Request("hi"), func(llm.Delta) {})
		if !errors.Is(err, llm.ErrTimeout) || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v, want a timeout", err)
		}
	})
	t.Run("timeout", func(t *testing.T) {
		m := p.model(t, s, 50*time.Millisecond)
		_, err := m.Generate(t.Context(), Request("hi"), func(llm.Delta) {})
		var e *llm.Error
		if !errors.As(err, &e) || e.Kind != llm.ErrTimeout || e.Partial == nil || e.Partial.Message.Content != "one " {
			t.Errorf("got %+v, want a timeout with what had arrived", err)
		}
	})
	t.Run("panic", func(t *testing.T) {
		defer func() {
			if recover() != "mine" {
				t.Error("the callback's panic did not come through")
			}
		}()
		p.model(t, s, 0).Generate(t.Context(), Request("hi"), func(llm.Delta) { panic("mine") })
	})
}

func (p Suite) backlogStopsWithItsContext(t *testing.T) {
	s := Serve(t, Events(slices.Repeat([]string{p.Piece}, 1000)...))
	ctx, cancel := context.WithCancel(t.Context())
	seen := 0
	_, err := p.model(t, s, 0).Generate(ctx, Request("hi"), func(llm.Delta) { seen++; cancel() })
	if !errors.Is(err, context.Canceled) || seen != 1 {
		t.Errorf("got %v after %d pieces, want one", err, seen)
	}
}

// concurrentCalls calls one model from several goroutines.
func (p Suite) concurrentCalls(t *testing.T) {
	client := &http.Client{Transport: RoundTrip(func(r *http.Request) (*http.Response, error) {
		var sent []byte
		return FakeClient(200, "application/json", []byte(p.Reply), &sent).Transport.RoundTrip(r)
	})}
	m := p.New(t, "http://example.invalid"+p.Path, 0, client)
	var calls sync.WaitGroup
	for range 20 {
		calls.Go(func() {
			if _, err := m.Generate(t.Context(), Request("hi"), nil); err != nil {
				t.Error(err)
			}
		})
	}
	calls.Wait()
}
