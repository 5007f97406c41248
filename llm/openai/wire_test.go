package openai_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/qedkit/qed/internal/provider/providertest"
	"github.com/qedkit/qed/llm/openai"
)

const testKey = providertest.Key

// wire is a fake server of the API.
type wire struct{ *providertest.Server }

func serve(t *testing.T, handle http.HandlerFunc) wire {
	return wire{Server: providertest.Serve(t, handle)}
}

// model returns a model that uses s.
func (s wire) model(t *testing.T, change ...func(*openai.Options)) *openai.Model {
	t.Helper()
	m, err := openai.New(s.config(t, change...))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func (s wire) config(t *testing.T, change ...func(*openai.Options)) *openai.Options {
	cfg := &openai.Options{Model: "gpt-test", BaseURL: s.URL + "/v1", APIKey: testKey, HTTPClient: s.Client(t)}
	for _, c := range change {
		c(cfg)
	}
	return cfg
}

// completion returns a reply with one message.
func completion(message, finish string) string {
	return fmt.Sprintf(`{"id":"chatcmpl-1","object":"chat.completion","created":1,"model":"gpt-test-2026","choices":[{"index":0,`+
		`"message":%s,"logprobs":null,"finish_reason":%q}],"usage":{"prompt_tokens":9,"completion_tokens":3,"total_tokens":12}}`, message, finish)
}

// events returns a handler that sends one event per data and the end mark.
func events(data ...string) http.HandlerFunc {
	var written []string
	for _, d := range append(data, "[DONE]") {
		written = append(written, "data: "+d+"\n\n")
	}
	return providertest.Events(written...)
}

// chunk returns a chunk of a streamed reply.
func chunk(delta, finish string) string {
	if finish != "null" {
		finish = `"` + finish + `"`
	}
	return fmt.Sprintf(`{"id":"chatcmpl-1","object":"chat.completion.chunk","created":1,"model":"gpt-test-2026",`+
		`"choices":[{"index":0,"delta":%s,"logprobs":null,"finish_reason":%s}]}`, delta, finish)
}

const usageChunk = `{"id":"chatcmpl-1","object":"chat.completion.chunk","created":1,"model":"gpt-test-2026","choices":[],` +
	`"usage":{"prompt_tokens":9,"completion_tokens":3,"total_tokens":12}}`
