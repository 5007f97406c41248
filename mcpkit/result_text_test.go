package mcpkit_test

import (
	"context"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// The text next to structured content reaches the model, unless it says the same.
func TestTextNextToStructuredContent(t *testing.T) {
	for name, test := range map[string]struct {
		result mcp.CallToolResult
		want   string
	}{
		"the same":            {mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: `{"a": 1}`}}, StructuredContent: map[string]any{"a": 1}}, `{"a":1}`},
		"another":             {mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "Tab 1: Invoices"}}, StructuredContent: map[string]any{"session": "c46f"}}, `{"text":"Tab 1: Invoices","value":{"session":"c46f"}}`},
		"an empty object":     {mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "Tab 1: Invoices"}}, StructuredContent: map[string]any{}}, `{"text":"Tab 1: Invoices"}`},
		"nothing but objects": {mcp.CallToolResult{Content: []mcp.Content{}, StructuredContent: map[string]any{"a": "b"}}, `{"a":"b"}`},
		"a large number":      {mcp.CallToolResult{Content: []mcp.Content{}, StructuredContent: map[string]any{"id": int64(9007199254740993)}}, `{"id":"9007199254740993"}`},
	} {
		t.Run(name, func(t *testing.T) {
			s := mcp.NewServer(&mcp.Implementation{Name: "s", Version: "1"}, nil)
			s.AddTool(&mcp.Tool{Name: "read", InputSchema: map[string]any{"type": "object"}},
				func(_ context.Context, _ *mcp.CallToolRequest) (*mcp.CallToolResult, error) { return &test.result, nil })
			server, client := mcp.NewInMemoryTransports()
			go func() { _ = s.Run(t.Context(), server) }()
			r := registry(t, connect(t, func() mcp.Transport { return client }, nil), nil)
			if got, err := do(t, t.Context(), r, "read", `{}`); got != test.want || err != nil {
				t.Errorf("%s, %v, want %s", got, err, test.want)
			}
		})
	}
}
