package toolagent_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/finding"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/toolagent"
)

// A mind is a model that is a function of the request. It records the requests.
type mind struct {
	think func(req *llm.Request) reply

	mu       sync.Mutex
	requests []llm.Request
	traced   [][]llm.Message // the messages of the requests, as a trace may keep them
}

// A reply is what a mind replies.
type reply struct {
	text  string
	calls []llm.ToolCall
	err   error
	usage llm.Usage
}

func (m *mind) Generate(ctx context.Context, req *llm.Request, stream func(llm.Delta)) (*llm.Response, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("mind: %w", err)
	}
	m.mu.Lock()
	own := *req
	own.Messages = append([]llm.Message(nil), req.Messages...)
	m.requests, m.traced = append(m.requests, own), append(m.traced, req.Messages)
	m.mu.Unlock()
	said := m.think(req)
	if stream != nil {
		for word := range strings.SplitAfterSeq(said.text, " ") {
			if word != "" {
				stream(llm.Delta{Text: word})
			}
		}
	}
	if said.err != nil {
		return nil, said.err
	}
	usage := said.usage
	usage.Calls = 1
	return &llm.Response{
		Message:      llm.Message{Role: llm.RoleAssistant, Content: said.text, ToolCalls: said.calls},
		FinishReason: llm.FinishStop, Usage: usage,
	}, nil
}

// names returns the names of the requests.
func (m *mind) names() (names []string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, req := range m.requests {
		names = append(names, req.Name)
	}
	return names
}

func (m *mind) last() llm.Request {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.requests[len(m.requests)-1]
}

// steps returns a mind that replies to the n-th step with the n-th reply, and to
// wrap_up with a text of the findings in it.
func steps(replies ...reply) *mind {
	n := 0
	return &mind{think: func(req *llm.Request) reply {
		if req.Name != "step" {
			return reply{text: "wrapped up"}
		}
		if n++; n > len(replies) {
			return reply{err: fmt.Errorf("there is no reply %d", n)}
		}
		return replies[n-1]
	}}
}

func says(text string) reply { return reply{text: text} }

// calls returns a reply with calls, each "tool {arguments}".
func calls(all ...string) (r reply) {
	for i, call := range all {
		name, arguments, _ := strings.Cut(call, " ")
		r.calls = append(r.calls, llm.ToolCall{ID: fmt.Sprint("c", i), Name: name, Arguments: json.RawMessage(arguments)})
	}
	return r
}

func (r reply) saying(text string) reply {
	r.text = text
	return r
}

func fails(kind llm.ErrorKind, partial string) reply {
	e := &llm.Error{Kind: kind, Message: "it went wrong"}
	if partial != "" {
		e.Partial = &llm.Response{Message: llm.Message{Role: llm.RoleAssistant, Content: partial}, Usage: llm.Usage{Calls: 1}}
	}
	return reply{err: e}
}

// tool returns an idempotent tool that returns v, or what a function makes of its
// arguments.
func tool(name string, v any) qed.Tool {
	return qed.Tool{
		Name: name, Idempotent: true, Input: json.RawMessage(`{"type":"object"}`),
		Call: func(ctx context.Context, arguments json.RawMessage) (json.RawMessage, error) {
			switch v := v.(type) {
			case error:
				return nil, v
			case json.RawMessage:
				return v, nil
			case func(json.RawMessage) (any, error):
				out, err := v(arguments)
				if err != nil {
					return nil, err
				}
				return json.Marshal(out)
			case func(context.Context) (any, error):
				out, err := v(ctx)
				if err != nil {
					return nil, err
				}
				return json.Marshal(out)
			}
			return json.Marshal(v)
		},
	}
}

// acts returns t as a tool whose calls must not be repeated.
func acts(t qed.Tool) qed.Tool {
	t.Idempotent = false
	return t
}

func registry(tb testing.TB, tools ...qed.Tool) *qed.Registry {
	tb.Helper()
	r := qed.NewRegistry(&qed.RegistryOptions{MaxResult: 1 << 20})
	if err := r.Add(tools...); err != nil {
		tb.Fatal(err)
	}
	return r
}

func newAgent(tb testing.TB, m llm.Model, tools *qed.Registry, opt *toolagent.Options) qed.Agent {
	tb.Helper()
	a, err := toolagent.New(m, tools, opt)
	if err != nil {
		tb.Fatal(err)
	}
	return a
}

// ask returns the answer to "q", or fails the test.
func ask(tb testing.TB, ctx context.Context, a qed.Agent) qed.Answer {
	tb.Helper()
	answer, err := qed.Ask(ctx, a, qed.Turn{Text: "q"})
	if err != nil {
		tb.Fatal(err)
	}
	return answer
}

// results returns the contents of the messages of tools in a request.
func results(req llm.Request) (contents []string) {
	for _, m := range req.Messages {
		if m.Role == llm.RoleTool {
			contents = append(contents, m.Content)
		}
	}
	return contents
}

// data returns the JSON in the frame of a result.
func data(tb testing.TB, content string) map[string]any {
	tb.Helper()
	_, rest, _ := strings.Cut(content, "<tool_result>\n")
	raw, _, found := strings.Cut(rest, "\n</tool_result>")
	var v map[string]any
	if err := json.Unmarshal([]byte(raw), &v); err != nil || !found {
		tb.Fatalf("%v: %q", err, content)
	}
	return v
}

// ports returns a table with n rows.
func ports(n int) *qed.Table {
	t := &qed.Table{Columns: []qed.Column{{Name: "port"}, {Name: "ships"}, {Name: "note"}}}
	for i := range n {
		var note any
		if i%4 == 0 {
			note = "busy"
		}
		if err := t.Append(fmt.Sprint("port ", i), i, note); err != nil {
			panic(err)
		}
	}
	return t
}

// portTool returns a tool that finds n rows.
func portTool(n int) qed.Tool {
	return tool("ports", func(ctx context.Context) (any, error) {
		rows, err := finding.SaveRows(ctx, ports(n))
		return finding.Finding{
			Text: fmt.Sprintf("%d ports", n), Rows: rows,
			Queries:  []qed.Query{{Language: "sql", Written: "SELECT port", Executed: "SELECT port", Rows: n}},
			Metadata: &finding.QueryMetadata{QueryType: "sql", Query: json.RawMessage(`"SELECT port"`), Rows: rows},
		}, err
	})
}
