package anthropic_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/qedkit/qed/internal/provider/providertest"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/llm/anthropic"
)

func TestFailures(t *testing.T) {
	providertest.Suite{
		New: func(tb testing.TB, base string, timeout time.Duration, client *http.Client) llm.Model {
			tb.Helper()
			m, err := anthropic.New(&anthropic.Options{BaseURL: base, APIKey: testKey, Timeout: timeout, HTTPClient: client})
			if err != nil {
				tb.Fatal(err)
			}
			return m
		},
		Reply: message(text("ok"), "end_turn"),
		Piece: textDelta("one "),
	}.TestFailures(t)
}
