package anthropic_test

import (
	"errors"
	"runtime"
	"strings"
	"testing"

	"github.com/qedkit/qed/internal/provider/providertest"
	"github.com/qedkit/qed/llm"
)

// TestManyBlocks: an empty block has three bytes in a reply and must not need much
// more memory when it is decoded.
func TestManyBlocks(t *testing.T) {
	if testing.Short() {
		t.Skip("reads a reply of 2,000,000 blocks")
	}
	for name, test := range map[string]struct {
		content string
		kind    llm.ErrorKind // empty: a reply
	}{
		"empty": {`[` + strings.Repeat(`{},`, 2<<20) + `{"type":"text","text":"x"}]`, ""},
		"calls": {`[` + strings.Repeat(`{"type":"tool_use","id":"a","name":"f","input":{}},`, 2000) + `{}]`, llm.ErrProtocol},
		"text":  {`"x"`, llm.ErrProtocol},
		"words": {`["x"]`, llm.ErrProtocol},
	} {
		var sent []byte
		m := newModel(t, providertest.FakeClient(200, "application/json", []byte(message(test.content, "end_turn")), &sent))
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		resp, err := m.Generate(t.Context(), providertest.Request("q"), nil)
		runtime.ReadMemStats(&after)
		if test.kind == "" && (err != nil || resp.Message.Content != "x") || test.kind != "" && !errors.Is(err, test.kind) {
			t.Errorf("%s: got %.300v, want %q", name, err, test.kind)
		}
		// HeapSys also counts blocks that are garbage already.
		if mb := (after.HeapSys - min(before.HeapSys, after.HeapSys)) >> 20; mb > 150 {
			t.Errorf("%s: the heap grew by %d MB", name, mb)
		}
	}
}

// BenchmarkHostileReply decodes replies of up to 1 MB that are built to be slow. The
// time must stay linear.
func BenchmarkHostileReply(b *testing.B) {
	const deep = 1 << 13
	nest := func(open, middle, end string) string {
		return strings.Repeat(open, deep) + middle + strings.Repeat(end, deep)
	}
	block := func(field string) string { return `[{"type":"text","text":"x",` + field + `}]` }
	for name, content := range map[string]string{
		"lists":      nest(`[`, ``, `]`),
		"objects":    nest(`{"a":`, `1`, `}`),
		"blocks":     nest(`[{"type":"web_search_tool_result","content":`, `1`, `}]`),
		"in a block": block(`"extra":` + nest(`[`, ``, `]`)),
		"in input":   `[{"type":"tool_use","id":"a","name":"f","input":` + nest(`{"a":`, `1`, `}`) + `}]`,
		"citations":  block(`"citations":` + nest(`[{"type":"char_location","file_id":`, `1`, `}]`)),
		"many":       `[` + strings.Repeat(`{},`, 1<<15) + `{}]`,
		"tools":      `[` + strings.Repeat(`{"type":"tool_use","id":"a","name":"f","input":{}},`, 1<<14) + `{}]`,
	} {
		for _, streamed := range []bool{false, true} {
			contentType, reply, stream := "application/json", message(content, "end_turn"), (func(llm.Delta))(nil)
			if streamed {
				first := strings.TrimSuffix(strings.TrimPrefix(content, "["), "]")
				reply = event("message_start", `,"message":`+reply) + blockStart(0, first)
				contentType, stream = "text/event-stream", func(llm.Delta) {}
			}
			b.Run(name+"/"+strings.TrimPrefix(contentType, "text/"), func(b *testing.B) {
				b.SetBytes(int64(len(reply)))
				for b.Loop() {
					var sent []byte
					newModel(b, providertest.FakeClient(200, contentType, []byte(reply), &sent)).Generate(b.Context(), providertest.Request("q"), stream)
				}
			})
		}
	}
}
