package openai_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/qedkit/qed/internal/provider/providertest"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/llm/openai"
)

func TestFailures(t *testing.T) {
	providertest.Suite{
		New: func(tb testing.TB, base string, timeout time.Duration, client *http.Client) llm.Model {
			tb.Helper()
			m, err := openai.New(&openai.Options{Model: "gpt-test", BaseURL: base, APIKey: testKey, Timeout: timeout, HTTPClient: client})
			if err != nil {
				tb.Fatal(err)
			}
			return m
		},
		Path:  "/v1",
		Reply: completion(`{"role":"assistant","content":"ok"}`, "stop"),
		Piece: "data: " + chunk(`{"content":"one "}`, "null") + "\n\n",
	}.TestFailures(t)
}
