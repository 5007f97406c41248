package anthropic_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/qedkit/qed/internal/provider/providertest"
	"github.com/qedkit/qed/llm/anthropic"
)

const testKey = providertest.Key

// wire is a fake server of the API.
type wire struct{ *providertest.Server }

func serve(t *testing.T, handle http.HandlerFunc) wire {
	return wire{Server: providertest.Serve(t, handle)}
}

// model returns a model that uses s.
func (s wire) model(t *testing.T, change ...func(*anthropic.Options)) *anthropic.Model {
	t.Helper()
	cfg := &anthropic.Options{BaseURL: s.URL, APIKey: testKey, HTTPClient: s.Client(t)}
	for _, c := range change {
		c(cfg)
	}
	m, err := anthropic.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// message returns a reply with these content blocks.
func message(content, reason string) string {
	return fmt.Sprintf(`{"id":"msg_1","type":"message","role":"assistant","model":"claude-test-2026","content":%s,"stop_reason":%q,`+
		`"stop_sequence":null,"usage":{"input_tokens":5,"cache_creation_input_tokens":3,"cache_read_input_tokens":1,"output_tokens":3}}`, content, reason)
}

// text returns a list of one text block.
func text(s string) string { return fmt.Sprintf(`[{"type":"text","text":%q}]`, s) }

// event returns an event of a streamed reply.
func event(kind, fields string) string {
	return fmt.Sprintf("event: %s\ndata: {\"type\":%q%s}\n\n", kind, kind, fields)
}

const startFields = `,"message":{"id":"msg_1","type":"message","role":"assistant","model":"claude-test-2026","content":[],"stop_reason":null,` +
	`"stop_sequence":null,"usage":{"input_tokens":5,"cache_creation_input_tokens":3,"cache_read_input_tokens":1,"output_tokens":1}}`

// Events of a streamed reply.
var (
	start = event("message_start", startFields)
	ping  = event("ping", "")
	end   = event("message_stop", "")
)

func blockStart(index int, block string) string {
	return event("content_block_start", fmt.Sprintf(`,"index":%d,"content_block":%s`, index, block))
}

func delta(index int, delta string) string {
	return event("content_block_delta", fmt.Sprintf(`,"index":%d,"delta":%s`, index, delta))
}

func textDelta(s string) string { return delta(0, fmt.Sprintf(`{"type":"text_delta","text":%q}`, s)) }

func blockStop(index int) string {
	return event("content_block_stop", fmt.Sprintf(`,"index":%d`, index))
}

func stop(reason string) string {
	return event("message_delta", fmt.Sprintf(`,"delta":{"stop_reason":%q,"stop_sequence":null},"usage":{"output_tokens":3}`, reason))
}
