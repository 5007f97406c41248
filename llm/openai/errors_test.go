package openai_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/llm/openai"
)

func fault(message, kind, code string) string {
	return `{"error":{"message":"` + message + `","type":"` + kind + `","param":null,"code":` + code + `}}`
}

func TestStatusKinds(t *testing.T) {
	huge := strings.Repeat("x", 1<<20)
	for name, test := range map[string]struct {
		status int
		body   string
		kind   llm.Kind
		says   string
	}{
		"wrong key":          {401, fault("Incorrect API key provided: "+testKey, "invalid_request_error", `"invalid_api_key"`), llm.ErrAuth, "Config.APIKey"},
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
		"no such page":       {404, `<html><body>404</body></html>`, llm.ErrBadRequest, "Config.BaseURL"},
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
		"the key in it":      {400, fault("your key is "+testKey+" today", "x", `null`), llm.ErrBadRequest, "[key]"},
		"lines":              {400, fault(`a\nb\u001b[31mc`, "x", `null`), llm.ErrBadRequest, "a b [31mc"},
		"not modified":       {304, ``, llm.ErrProtocol, ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := serve(t, body(test.status, test.body))
			for _, stream := range []func(llm.Delta){nil, func(llm.Delta) {}} {
				_, err := s.model(t).Generate(t.Context(), ask("hi"), stream)
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
				noKey(t, err)
			}
		})
	}
}

func TestRetryAfter(t *testing.T) {
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
		s := serve(t, body(429, `{}`, test.header...))
		_, err := s.model(t).Generate(t.Context(), ask("hi"), nil)
		var e *llm.Error
		if !errors.As(err, &e) || e.RetryAfter != test.want {
			t.Errorf("%s: got %v in %v, want %v", name, e.RetryAfter, err, test.want)
		}
	}
}

// The library repeats requests by itself if it is let.
func TestOneRequestPerCall(t *testing.T) {
	n := 0
	s := serve(t, func(w http.ResponseWriter, r *http.Request) { n++; body(503, `{}`)(w, r) })
	if _, err := s.model(t).Generate(t.Context(), ask("hi"), nil); !errors.Is(err, llm.ErrUnavailable) || n != 1 {
		t.Errorf("got %v after %d requests, want one", err, n)
	}
}

func TestSlowServer(t *testing.T) {
	s := serve(t, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	m := s.model(t, func(c *openai.Config) { c.Timeout = 30 * time.Millisecond })
	if _, err := m.Generate(t.Context(), ask("hi"), nil); !errors.Is(err, llm.ErrTimeout) || !strings.Contains(err.Error(), "Config.Timeout") {
		t.Errorf("got %v, want the timeout of Config", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(30*time.Millisecond, cancel)
	if _, err := s.model(t).Generate(ctx, ask("hi"), nil); !errors.Is(err, context.Canceled) || errors.Is(err, llm.ErrTimeout) {
		t.Errorf("got %v, want a cancelled context", err)
	}
}

func TestReplyCutOff(t *testing.T) {
	s := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Length", "1000")
		io.WriteString(w, `{"choices":[`)
	})
	if _, err := s.model(t).Generate(t.Context(), ask("hi"), nil); !errors.Is(err, llm.ErrTruncated) {
		t.Errorf("got %v, want a truncated reply", err)
	}
}

func TestHugeReply(t *testing.T) {
	s := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		for range 40 {
			if _, err := w.Write([]byte(strings.Repeat(" ", 1<<20))); err != nil {
				return
			}
		}
	})
	if _, err := s.model(t).Generate(t.Context(), ask("hi"), nil); !errors.Is(err, llm.ErrProtocol) || !strings.Contains(err.Error(), "32 MiB") {
		t.Errorf("got %v, want a reply that is too large", err)
	}
}

// A redirect could carry the key, and the question, to somebody else.
func TestRedirectIsNotFollowed(t *testing.T) {
	reached := false
	elsewhere := serve(t, func(w http.ResponseWriter, r *http.Request) { reached = true; body(200, `{}`)(w, r) })
	for _, status := range []int{301, 302, 307, 308} {
		s := serve(t, body(status, ``, "Location", elsewhere.URL+"/v1/chat/completions"))
		if _, err := s.model(t).Generate(t.Context(), ask("hi"), nil); !errors.Is(err, llm.ErrProtocol) || !strings.Contains(err.Error(), s.URL) {
			t.Errorf("%d: got %v, want an error that names the base URL", status, err)
		}
	}
	if reached {
		t.Error("the redirect was followed")
	}
}

func TestNoTimeout(t *testing.T) {
	s := serve(t, body(200, completion(`{"role":"assistant","content":"ok"}`, "stop")))
	m := s.model(t, func(c *openai.Config) { c.Timeout = -1 })
	if _, err := m.Generate(t.Context(), ask("hi"), nil); err != nil {
		t.Error(err)
	}
}

func TestHTMLPage(t *testing.T) {
	s := serve(t, body(200, `<html>welcome</html>`, "Content-Type", "text/html; charset=utf-8"))
	if _, err := s.model(t).Generate(t.Context(), ask("hi"), nil); !errors.Is(err, llm.ErrProtocol) || !strings.Contains(err.Error(), s.URL+"/v1") {
		t.Errorf("got %v, want an error that names the base URL", err)
	}
}

func TestUnreachable(t *testing.T) {
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closed.Close()
	noHost := &http.Client{Transport: roundTrip(func(*http.Request) (*http.Response, error) {
		return nil, &net.DNSError{Err: "no such host", Name: "nowhere.invalid", IsNotFound: true}
	})}
	plain := serve(t, body(200, `{}`))
	for name, test := range map[string]struct {
		base   string
		client *http.Client
		kind   llm.Kind
		says   string
	}{
		"refused": {"http://" + closed.Addr().String() + "/v1", nil, llm.ErrUnavailable, "nothing listens there"},
		"no host": {"http://nowhere.invalid/v1", noHost, llm.ErrUnavailable, "host name"},
		"no TLS":  {strings.Replace(plain.URL, "http:", "https:", 1), nil, llm.ErrProtocol, "TLS"},
		"for Ollama": {"http://127.0.0.1:11434/v1", &http.Client{Transport: roundTrip(func(*http.Request) (*http.Response, error) {
			return nil, errors.New("refused")
		})}, llm.ErrUnavailable, "ollama serve"},
	} {
		m, err := openai.New(&openai.Config{Model: "m", BaseURL: test.base, APIKey: testKey, HTTPClient: test.client})
		if err != nil {
			t.Fatal(err)
		}
		_, err = m.Generate(t.Context(), ask("hi"), nil)
		if !errors.Is(err, test.kind) || !strings.Contains(err.Error(), test.says) || !strings.Contains(err.Error(), test.base) {
			t.Errorf("%s: got %v, want %q, naming %s", name, err, test.kind, test.base)
		}
		noKey(t, err)
	}
}
