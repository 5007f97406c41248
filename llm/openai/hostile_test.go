package openai_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/qedkit/qed/internal/provider/providertest"
	"github.com/qedkit/qed/llm"
)

func hostile(tb testing.TB, contentType, reply string) {
	var stream func(llm.Delta)
	if contentType != "application/json" {
		stream = func(llm.Delta) {}
	}
	var sent []byte
	newModel(tb, providertest.FakeClient(200, contentType, []byte(reply), &sent)).Generate(tb.Context(), providertest.Request("q"), stream)
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
