package llm_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/llm/llmtest"
	"github.com/qedkit/qed/retry"
)

func TestJSONRoundTrip(t *testing.T) {
	temperature := 0.0
	req := llm.Request{
		Name: "n",
		Messages: []llm.Message{
			{Role: llm.RoleSystem, Content: "s"},
			{Role: llm.RoleAssistant, ToolCalls: []llm.ToolCall{{ID: "1", Name: "f", Arguments: json.RawMessage(`{"a":[1]}`)}}},
			{Role: llm.RoleTool, ToolCallID: "1", Content: "r"},
		},
		Tools:           []llm.Tool{{Name: "f", Description: "d", InputSchema: json.RawMessage(`{"type":"object"}`)}},
		Format:          &llm.Format{Name: "x", Schema: json.RawMessage(`{}`), Mode: llm.JSONMode},
		Temperature:     &temperature,
		MaxOutputTokens: 3,
	}
	text, err := json.Marshal(req)
	if err != nil {
		t.Fatal(err)
	}
	var back llm.Request
	if err := json.Unmarshal(text, &back); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(req, back); diff != "" {
		t.Error(diff)
	}
}

func TestKey(t *testing.T) {
	key := func(change func(*llm.Request)) string {
		req := ask("q")
		req.Tools = []llm.Tool{{Name: "t", InputSchema: json.RawMessage(`{"a": 1}`)}}
		change(req)
		k, err := req.Hash()
		if err != nil {
			t.Fatal(err)
		}
		return k
	}
	zero := 0.0
	same := key(func(*llm.Request) {})
	for name, change := range map[string]func(*llm.Request){
		"name":  func(r *llm.Request) { r.Name = "other" },
		"space": func(r *llm.Request) { r.Tools[0].InputSchema = json.RawMessage(`{"a":1}`) },
	} {
		if key(change) != same {
			t.Errorf("%s: the key is another", name)
		}
	}
	for name, change := range map[string]func(*llm.Request){
		"message":     func(r *llm.Request) { r.Messages[1].Content += " " },
		"role":        func(r *llm.Request) { r.Messages[1].Role = llm.RoleAssistant },
		"temperature": func(r *llm.Request) { r.Temperature = &zero },
		"tokens":      func(r *llm.Request) { r.MaxOutputTokens = 1 },
		"format":      func(r *llm.Request) { r.Format = &llm.Format{} },
		"tool":        func(r *llm.Request) { r.Tools[0].InputSchema = json.RawMessage(`{"a":2}`) },
	} {
		if key(change) == same {
			t.Errorf("%s: the key is the same", name)
		}
	}
	bad := &llm.Request{Tools: []llm.Tool{{InputSchema: json.RawMessage(`{`)}}}
	if _, err := bad.Hash(); err == nil {
		t.Error("a malformed request has a key")
	}
}

func TestError(t *testing.T) {
	err := fmt.Errorf("agent: %w", &llm.Error{
		Kind: llm.ErrRateLimit, Provider: "p", Status: 429, RetryAfter: time.Second, Message: "slow down", Err: io.ErrUnexpectedEOF,
	})
	for _, target := range []error{llm.ErrRateLimit, io.ErrUnexpectedEOF} {
		if !errors.Is(err, target) {
			t.Errorf("%v is not %v", err, target)
		}
	}
	for _, target := range []error{llm.ErrTimeout, context.Canceled} {
		if errors.Is(err, target) {
			t.Errorf("%v is %v", err, target)
		}
	}
	if got, want := err.Error(), "agent: llm: p: rate limit (HTTP 429): slow down"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func ExampleGenerateObject() {
	m := llmtest.New(llmtest.Rule{Replies: []llmtest.Reply{
		{Text: `{"tables": "crew"}`}, // violates the schema, so the model has to correct it
		{Text: `{"tables": ["crew", "employee"]}`},
	}})
	type selection struct {
		Tables []string `json:"tables" jsonschema_description:"the tables that the question needs"`
	}
	got, resp, err := llm.GenerateObject[selection](context.Background(), m, &llm.Request{
		Name:     "select_tables",
		Messages: []llm.Message{{Role: llm.RoleUser, Content: "Who works in crew 7?"}},
	}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(strings.Join(got.Tables, " "), "in", resp.Usage.Calls, "calls")
	// Output: crew employee in 2 calls
}

func ExampleWrap() {
	provider := llmtest.New(llmtest.Rule{Replies: []llmtest.Reply{
		{Err: &llm.Error{Kind: llm.ErrUnavailable, Message: "restarting"}},
		{Text: "Seven crews."},
	}})
	m := llm.Wrap(provider,
		llm.Retry(&retry.Policy{Wait: time.Millisecond}),
		llm.LimitConcurrency(4),
		llm.Trace(func(_ context.Context, c llm.Call) { fmt.Println("attempt:", c.Err) }),
	)
	req := &llm.Request{Messages: []llm.Message{{Role: llm.RoleUser, Content: "How many crews?"}}}
	resp, err := m.Generate(context.Background(), req, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(resp.Message.Content)
	// Output:
	// attempt: llm: unavailable: restarting
	// attempt: <nil>
	// Seven crews.
}

func ExampleModel_streaming() {
	m := llmtest.New(llmtest.Rule{Replies: []llmtest.Reply{{Text: "one word at a time"}}})
	req := &llm.Request{Messages: []llm.Message{{Role: llm.RoleUser, Content: "Go."}}}
	resp, err := m.Generate(context.Background(), req, func(d llm.Delta) { fmt.Printf("%s|", d.Text) })
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(resp.FinishReason)
	// Output: one |word |at |a |time|stop
}
