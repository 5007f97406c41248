package openai_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/qedkit/qed/llm/openai"
)

// The answers of servers, as vLLM 0.11, llama.cpp b7000 and b3000, and Ollama 0.12 give them.
func TestContextTokens(t *testing.T) {
	for name, test := range map[string]struct {
		model string
		pages map[string]string
		want  int
	}{
		"vLLM":            {"m", map[string]string{"/v1/models": `{"object":"list","data":[{"id":"lora","max_model_len":1},{"id":"m","object":"model","max_model_len":8192}]}`}, 8192},
		"llama.cpp":       {"any", map[string]string{"/v1/models": `{"data":[{"id":"smol","meta":{"n_ctx":4096,"n_ctx_train":8192}}]}`}, 4096},
		"older llama.cpp": {"any", map[string]string{"/v1/models": `{"data":[{"id":"smol","meta":{"n_ctx_train":8192}}]}`, "/props": `{"default_generation_settings":{"n_ctx":2048}}`}, 2048},
		"Ollama":          {"llama3.2", map[string]string{"/v1/models": `{"data":[{"id":"llama3.2:latest"}]}`, "/api/ps": `{"models":[{"name":"other:1b","context_length":1},{"name":"llama3.2:latest","context_length":4096}]}`}, 4096},
		"not loaded":      {"llama3.2", map[string]string{"/api/ps": `{"models":[]}`}, 0},
		"another model":   {"m", map[string]string{"/v1/models": `{"data":[{"id":"a","max_model_len":1},{"id":"b","max_model_len":2}]}`}, 0},
		"a page":          {"m", map[string]string{"/v1/models": `<html>`, "/props": `<html>`}, 0},
		"nothing":         {"m", nil, 0},
	} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.Header.Get("Authorization") != "Bearer key" {
					t.Errorf("%s without the key", r.URL)
				}
				page, ok := test.pages[r.URL.Path]
				if !ok {
					http.NotFound(w, r)
					return
				}
				_, _ = w.Write([]byte(page))
			}))
			defer server.Close()
			opt := &openai.Options{Model: test.model, BaseURL: server.URL + "/v1", APIKey: "key"}
			if got := openai.ContextTokens(t.Context(), opt); got != test.want {
				t.Errorf("%d, want %d", got, test.want)
			}
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			if got := openai.ContextTokens(ctx, opt); got != 0 {
				t.Errorf("cancelled: %d", got)
			}
		})
	}
	if got := openai.ContextTokens(t.Context(), nil); got != 0 {
		t.Error(got)
	}
}

// A server that does not answer, or sends the key elsewhere, says nothing.
func TestContextTokensOfOddServers(t *testing.T) {
	slow := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }))
	defer slow.Close()
	opt := &openai.Options{Model: "m", BaseURL: slow.URL + "/v1", Timeout: 50 * time.Millisecond}
	begin := time.Now()
	if got := openai.ContextTokens(t.Context(), opt); got != 0 || time.Since(begin) > 5*time.Second {
		t.Errorf("got %d after %v", got, time.Since(begin))
	}
	elsewhere := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		t.Error("a redirect was followed")
		w.Write([]byte(`{"data":[{"id":"m","max_model_len":8192}]}`))
	}))
	defer elsewhere.Close()
	redirects := httptest.NewServer(http.RedirectHandler(elsewhere.URL, http.StatusFound))
	defer redirects.Close()
	opt = &openai.Options{Model: "m", BaseURL: redirects.URL + "/v1", APIKey: "key"}
	if got := openai.ContextTokens(t.Context(), opt); got != 0 {
		t.Errorf("got %d of another server", got)
	}
}
