package openai_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/qedkit/qed/internal/provider/providertest"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/llm/openai"
)

func hostile(tb testing.TB, contentType, reply string, change ...func(*openai.Options)) {
	var stream func(llm.Delta)
	if contentType != "application/json" {
		stream = func(llm.Delta) {}
	}
	var sent []byte
	newModel(tb, providertest.FakeClient(200, contentType, []byte(reply), &sent), change...).Generate(tb.Context(), providertest.Request("q"), stream)
}

// BenchmarkHostileResponse is BenchmarkHostileReply for the Responses API.
func BenchmarkHostileResponse(b *testing.B) {
	const deep, many = 1 << 13, 1 << 15
	nest := func(open, middle, end string) string {
		return strings.Repeat(open, deep) + middle + strings.Repeat(end, deep)
	}
	for name, reply := range map[string]string{
		"lists":     nest(`[`, ``, `]`),
		"outputs":   nest(`{"output":[`, ``, `]}`),
		"in item":   fmt.Sprintf(`{"output":[{"type":"message","content":%s}]}`, nest(`[`, ``, `]`)),
		"in extra":  fmt.Sprintf(`{"output":[{"type":"message","extra":%s}]}`, nest(`{"a":`, `1`, `}`)),
		"items":     `{"output":[` + strings.Repeat(`{},`, many) + `{}]}`,
		"contents":  `{"output":[{"type":"message","content":[` + strings.Repeat(`{},`, many) + `{}]}]}`,
		"calls":     `{"output":[` + strings.Repeat(callItem("a", "{}")+",", many/8) + `{}]}`,
		"reasoning": `{"output":[` + strings.Repeat(reasoningItem+",", many/8) + `{}]}`,
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(reply)))
			for b.Loop() {
				hostile(b, "application/json", reply, useResponses)
			}
		})
	}
	for name, event := range map[string]string{
		"pieces":    textPiece("x"),
		"arguments": streamEvent("response.function_call_arguments.delta", `,"output_index":999,"delta":"x"`),
		"items":     itemEvent("done", 0, messageItem("x")),
	} {
		calls := ""
		for i := range 1000 {
			calls += itemEvent("added", i, callItem("a", ""))
		}
		reply := calls + strings.Repeat(event, 1<<12)
		b.Run("streamed "+name, func(b *testing.B) {
			b.SetBytes(int64(len(reply)))
			for b.Loop() {
				hostile(b, "text/event-stream", reply, useResponses)
			}
		})
	}
}

// BenchmarkHostileReply decodes replies of about 1 MB that are built to be slow. The
// time must stay linear.
func BenchmarkHostileReply(b *testing.B) {
	const deep = 1 << 13
	nest := func(open, middle, end string) string {
		return strings.Repeat(open, deep) + middle + strings.Repeat(end, deep)
	}
	for name, reply := range map[string]string{
		"lists":     nest(`[`, ``, `]`),
		"objects":   nest(`{"a":`, `1`, `}`),
		"choices":   nest(`{"choices":[`, ``, `]}`),
		"in choice": fmt.Sprintf(`{"choices":[{"message":{"content":%s}}]}`, nest(`{"a":`, `1`, `}`)),
		"many":      `{"choices":[` + strings.Repeat(`{"message":{"tool_calls":[{}]}},`, 1<<15) + `{}]}`,
		"in extra":  fmt.Sprintf(`{"choices":[{"message":{"content":"x","extra":%s}}]}`, nest(`[`, ``, `]`)),
		"tools":     `{"choices":[{"message":{"tool_calls":[` + strings.Repeat(`{"id":"a","function":{"name":"f","arguments":"{}"}},`, 1<<14) + `{}]}}]}`,
	} {
		for _, contentType := range []string{"application/json", "text/event-stream"} {
			b.Run(name+"/"+strings.TrimPrefix(contentType, "text/"), func(b *testing.B) {
				text := reply
				if contentType != "application/json" {
					text = "data: " + strings.ReplaceAll(reply, `"message"`, `"delta"`) + "\n\n"
				}
				b.SetBytes(int64(len(text)))
				for b.Loop() {
					hostile(b, contentType, text)
				}
			})
		}
	}
}
