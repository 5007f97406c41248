package openai_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/llm/openai"
)

const testKey = "sk-test-0123456789abcdef"

// wire is a server that speaks the protocol as handle tells it to, and remembers what it was sent.
type wire struct {
	*httptest.Server
	path   string
	header http.Header
	body   map[string]any
	raw    string
}

func serve(t *testing.T, handle func(w http.ResponseWriter, r *http.Request)) *wire {
	t.Helper()
	s := &wire{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		raw, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		s.path, s.header, s.raw, s.body = r.URL.Path, r.Header.Clone(), string(raw), nil
		if err := json.Unmarshal(raw, &s.body); err != nil {
			t.Errorf("the request is not JSON: %v", err)
		}
		handle(w, r)
	}))
	t.Cleanup(s.Close)
	return s
}

// model asks s. Its connections end with the test, and then no goroutine may be left of it.
func (s *wire) model(t *testing.T, change ...func(*openai.Config)) *openai.Model {
	t.Helper()
	m, err := openai.New(s.config(t, change...))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func (s *wire) config(t *testing.T, change ...func(*openai.Config)) *openai.Config {
	before := runtime.NumGoroutine()
	transport := &http.Transport{}
	cfg := &openai.Config{Model: "gpt-test", BaseURL: s.URL + "/v1", APIKey: testKey, HTTPClient: &http.Client{Transport: transport}}
	for _, c := range change {
		c(cfg)
	}
	t.Cleanup(func() {
		transport.CloseIdleConnections()
		s.CloseClientConnections()
		for range 200 {
			if runtime.NumGoroutine() <= before {
				return
			}
			time.Sleep(10 * time.Millisecond)
		}
		stacks := make([]byte, 1<<16)
		t.Errorf("goroutines are left:\n%s", stacks[:runtime.Stack(stacks, true)])
	})
	return cfg
}

// body answers with a JSON body.
func body(status int, text string, header ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		for i := 0; i+1 < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(status)
		io.WriteString(w, text)
	}
}

// completion is a whole reply of one message.
func completion(message, finish string) string {
	return fmt.Sprintf(`{"id":"chatcmpl-1","object":"chat.completion","created":1,"model":"gpt-test-2026","choices":[{"index":0,`+
		`"message":%s,"logprobs":null,"finish_reason":%q}],"usage":{"prompt_tokens":9,"completion_tokens":3,"total_tokens":12}}`, message, finish)
}

// events answers with server-sent events, one for each data, and the end that the protocol has.
func events(data ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
		for _, d := range append(data, "[DONE]") {
			fmt.Fprintf(w, "data: %s\n\n", d)
			w.(http.Flusher).Flush()
		}
	}
}

// chunk is a piece of a streamed reply.
func chunk(delta, finish string) string {
	if finish != "null" {
		finish = `"` + finish + `"`
	}
	return fmt.Sprintf(`{"id":"chatcmpl-1","object":"chat.completion.chunk","created":1,"model":"gpt-test-2026",`+
		`"choices":[{"index":0,"delta":%s,"logprobs":null,"finish_reason":%s}]}`, delta, finish)
}

const usageChunk = `{"id":"chatcmpl-1","object":"chat.completion.chunk","created":1,"model":"gpt-test-2026","choices":[],` +
	`"usage":{"prompt_tokens":9,"completion_tokens":3,"total_tokens":12}}`

func ask(text string) *llm.Request {
	return &llm.Request{Name: "test", Messages: []llm.Message{{Role: llm.User, Content: text}}}
}

// noKey fails where an error tells the key, or more of a body than it should.
func noKey(t *testing.T, err error) {
	t.Helper()
	for _, text := range []string{err.Error(), fmt.Sprintf("%+v", err), fmt.Sprintf("%q", err)} {
		if strings.Contains(text, testKey) {
			t.Errorf("the error tells the key: %s", text)
		}
	}
	if len(err.Error()) > 700 {
		t.Errorf("the error is %d bytes long", len(err.Error()))
	}
}
