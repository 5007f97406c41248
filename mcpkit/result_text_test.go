package mcpkit_test

import (
	"context"
	"strings"
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
			if got, err := answered(t, &test.result); got != test.want || err != nil {
				t.Errorf("%s, %v, want %s", got, err, test.want)
			}
		})
	}
}

// A text for the user alone does not reach the model, which learns that it was there.
func TestAudience(t *testing.T) {
	text := func(s string, audience ...mcp.Role) mcp.Content {
		return &mcp.TextContent{Text: s, Annotations: &mcp.Annotations{Audience: audience}}
	}
	for name, test := range map[string]struct {
		result mcp.CallToolResult
		want   string
	}{
		"the model": {mcp.CallToolResult{Content: []mcp.Content{text("a", "assistant")}}, `{"text":"a"}`},
		"nobody":    {mcp.CallToolResult{Content: []mcp.Content{text("a")}}, `{"text":"a"}`},
		"both":      {mcp.CallToolResult{Content: []mcp.Content{text("a", "user", "assistant"), text("b", "user")}}, `{"text":"a","left_out":["part 2, for the user alone"]}`},
		"the user":  {mcp.CallToolResult{Content: []mcp.Content{text("a", "user")}}, `{"left_out":["part 1, for the user alone"]}`},
		"the user, with a value": {mcp.CallToolResult{Content: []mcp.Content{text("drawn", "user"), text(`{"a": 1}`, "assistant")}, StructuredContent: map[string]any{"a": 1}},
			`{"value":{"a":1},"left_out":["part 1, for the user alone"]}`},
	} {
		if got, err := answered(t, &test.result); got != test.want || err != nil {
			t.Errorf("%s: %s, %v, want %s", name, got, err, test.want)
		}
	}
	_, err := answered(t, &mcp.CallToolResult{IsError: true, Content: []mcp.Content{text("no such port", "user")}})
	if err == nil || !strings.Contains(err.Error(), "no such port") {
		t.Errorf("an error: %v", err)
	}
}

// answered calls a tool that answers with a result.
func answered(t *testing.T, result *mcp.CallToolResult) (string, error) {
	s := mcp.NewServer(&mcp.Implementation{Name: "s", Version: "1"}, nil)
	s.AddTool(&mcp.Tool{Name: "read", InputSchema: map[string]any{"type": "object"}},
		func(_ context.Context, _ *mcp.CallToolRequest) (*mcp.CallToolResult, error) { return result, nil })
	server, client := mcp.NewInMemoryTransports()
	go func() { _ = s.Run(t.Context(), server) }()
	r := registry(t, connect(t, func() mcp.Transport { return client }, nil), nil)
	return do(t, t.Context(), r, "read", `{}`)
}

// All that a server says of a failed call reaches the model.
func TestFailedCall(t *testing.T) {
	said := func(parts ...mcp.Content) []mcp.Content { return parts }
	text := func(s string) mcp.Content { return &mcp.TextContent{Text: s} }
	for name, test := range map[string]struct {
		content    []mcp.Content
		structured any
		want       string
	}{
		"a text":                {said(text("no such port")), nil, "no such port"},
		"texts":                 {said(text("no such port"), text("see ports")), nil, "no such port\nsee ports"},
		"a text and a value":    {said(text("invalid")), map[string]any{"allowed": []string{"a"}}, "invalid\n{\"allowed\":[\"a\"]}"},
		"the same value":        {said(text(`{"code": 5}`)), map[string]any{"code": 5}, `{"code": 5}`},
		"a value":               {said(), map[string]any{"code": 5}, `{"code":5}`},
		"a text and no members": {said(text("invalid")), map[string]any{}, "invalid"},
		"an embedded text":      {said(&mcp.EmbeddedResource{Resource: &mcp.ResourceContents{URI: "file:///log", Text: "disk full"}}), nil, "disk full"},
		"nothing":               {said(), nil, "without a reason"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := answered(t, &mcp.CallToolResult{IsError: true, Content: test.content, StructuredContent: test.structured})
			if err == nil || !strings.HasSuffix(err.Error(), test.want) {
				t.Errorf("%v, want %s", err, test.want)
			}
		})
	}
}
