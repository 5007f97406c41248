package mcpkit_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/mcpkit"
	"github.com/qedkit/qed/question"
)

func testRegistry(t *testing.T) *qed.Registry {
	t.Helper()
	type port struct {
		Name string `json:"name"`
	}
	r := qed.NewRegistry(&qed.RegistryOptions{MaxResult: 1000, Timeout: 5 * time.Second})
	err := r.Add(
		qed.NewTool("find_port", "Finds a port.", func(_ context.Context, in port) (port, error) { return in, nil }),
		qed.NewTool("fails", "", func(context.Context, struct{}) (int, error) { return 0, errors.New("there is no such port") }),
		qed.NewTool("panics", "", func(context.Context, struct{}) (int, error) { panic("password=hunter2") }),
		qed.NewTool("large", "", func(context.Context, struct{}) (string, error) { return strings.Repeat("a", 2000), nil }),
		qed.NewTool("number", "", func(context.Context, struct{}) (int, error) { return 42, nil }),
		qed.NewTool("asks", "", func(ctx context.Context, _ struct{}) (string, error) {
			return qed.Interrupt[string](ctx, question.Question{Text: "Which?"})
		}),
		qed.Tool{Name: "bare", Call: func(context.Context, json.RawMessage) (json.RawMessage, error) { return json.RawMessage(`{}`), nil }},
	)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestAddRegistry(t *testing.T) {
	for name, opt := range map[string]*mcp.StreamableHTTPOptions{"stateful": nil, "stateless": {Stateless: true}} {
		t.Run(name, func(t *testing.T) {
			noLeak(t)
			s := newServer()
			var mu sync.Mutex
			var reported []string
			err := mcpkit.AddRegistry(s, testRegistry(t), &mcpkit.ServerOptions{OnError: func(_ context.Context, tool string, err error) {
				mu.Lock()
				defer mu.Unlock()
				reported = append(reported, fmt.Sprintf("%s: %v", tool, err))
			}})
			if err != nil {
				t.Fatal(err)
			}
			cs := session(t, s, opt, nil, nil)
			for _, tt := range []struct {
				tool      string
				arguments any
				want      string // a part of the text
				failed    bool
				value     any
			}{
				{"find_port", map[string]any{"name": "Rotterdam"}, `{"name":"Rotterdam"}`, false, map[string]any{"name": "Rotterdam"}},
				{"find_port", map[string]any{"nam": 1}, "schema of find_port", true, nil},
				{"find_port", nil, "name", true, nil},
				{"fails", nil, "there is no such port", true, nil},
				{"panics", nil, "the tool failed", true, nil},
				{"large", nil, "too large", true, nil},
				{"number", nil, "42", false, nil},
				{"asks", nil, "the user cannot be asked here", true, nil},
				{"bare", nil, "{}", false, map[string]any{}},
				{"bare", json.RawMessage("null"), "{}", false, map[string]any{}},
				{"bare", map[string]any{"a": 1}, "schema of bare", true, nil},
			} {
				r := call(t, cs, tt.tool, tt.arguments)
				if r.IsError != tt.failed || !strings.Contains(textOf(r), tt.want) || strings.Contains(textOf(r), "hunter2") {
					t.Errorf("%s(%v) = %v %q", tt.tool, tt.arguments, r.IsError, textOf(r))
				}
				if diff := cmp.Diff(tt.value, r.StructuredContent); diff != "" {
					t.Errorf("%s: %s", tt.tool, diff)
				}
			}
			mu.Lock()
			defer mu.Unlock()
			if all := strings.Join(reported, "\n"); len(reported) != 7 || !strings.Contains(all, "hunter2") ||
				strings.Count(all, "there is no such port") != 1 {
				t.Errorf("OnError got %d errors: %s", len(reported), all)
			}
		})
	}
}

// ErrorText decides what the client gets; OnError gets the complete error.
func TestToolError(t *testing.T) {
	noLeak(t)
	r := qed.NewRegistry(nil)
	secret := errors.New("no connection to mysql://root:hunter2@db")
	asks := func(ctx context.Context, _ struct{}) (string, error) {
		return qed.Interrupt[string](ctx, question.Question{Text: "Which?"})
	}
	if err := r.Add(
		qed.NewTool("secret", "", func(context.Context, struct{}) (int, error) { return 0, secret }),
		qed.NewTool("silent", "", func(context.Context, struct{}) (int, error) { return 0, secret }),
		qed.NewTool("asks", "", asks),
	); err != nil {
		t.Fatal(err)
	}
	reported := make(chan error, 3)
	opt := &mcpkit.ServerOptions{
		OnError: func(_ context.Context, _ string, err error) { reported <- err },
		ErrorText: func(_ context.Context, tool string, err error) string {
			if errors.Is(err, secret) && tool == "secret" {
				return "the database is down"
			}
			return ""
		},
	}
	s := newServer()
	if err := mcpkit.AddRegistry(s, r, opt); err != nil {
		t.Fatal(err)
	}
	cs := session(t, s, nil, nil, nil)
	for tool, want := range map[string]string{"secret": "the database is down", "silent": "the call failed", "asks": "the call failed"} {
		if got := call(t, cs, tool, nil); !got.IsError || textOf(got) != want {
			t.Errorf("%s: %q", tool, textOf(got))
		}
		if err := <-reported; tool != "asks" && !errors.Is(err, secret) {
			t.Errorf("OnError got %v", err)
		}
	}
	if err := mcpkit.AddRegistry(s, r, nil); err != nil {
		t.Fatal(err)
	}
	// The advice for the application is not shown to the client.
	if got := textOf(call(t, cs, "asks", nil)); !strings.Contains(got, "the user cannot be asked here") || strings.Contains(got, "Durable") {
		t.Errorf("%q", got)
	}
}

// A schema that MCP does not allow is an error, not a panic, and nothing is added.
func TestAddRegistrySchema(t *testing.T) {
	r := qed.NewRegistry(nil)
	call := func(context.Context, json.RawMessage) (json.RawMessage, error) { return nil, nil }
	if err := r.Add(qed.Tool{Name: "fine", Call: call}, qed.Tool{Name: "odd", Input: json.RawMessage(`{}`), Call: call}); err != nil {
		t.Fatal(err)
	}
	if err := mcpkit.AddRegistry(newServer(), r, nil); err == nil || !strings.Contains(err.Error(), `"odd"`) {
		t.Errorf("error = %v", err)
	}
}

func TestNothingToServe(t *testing.T) {
	agent := qed.AgentFunc(func(context.Context, qed.Turn) (qed.Answer, error) { return qed.Answer{}, nil })
	for name, err := range map[string]error{
		"a registry on no server": mcpkit.AddRegistry(nil, qed.NewRegistry(nil), nil),
		"no registry":             mcpkit.AddRegistry(newServer(), nil, nil),
		"an agent on no server":   mcpkit.AddAgent(nil, "ask", "", agent, nil),
		"no agent":                mcpkit.AddAgent(newServer(), "ask", "", nil, nil),
	} {
		if err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestTooManyCalls(t *testing.T) {
	noLeak(t)
	s := newServer()
	release, running := make(chan struct{}), make(chan struct{}, 16)
	agent := qed.AgentFunc(func(ctx context.Context, _ qed.Turn) (qed.Answer, error) {
		running <- struct{}{}
		<-release
		return qed.Answer{Text: "done"}, nil
	})
	if err := mcpkit.AddAgent(s, "ask", "", agent, nil); err != nil {
		t.Fatal(err)
	}
	cs := session(t, s, nil, nil, nil)
	var calls sync.WaitGroup
	for range 16 {
		calls.Go(func() {
			if r, err := cs.CallTool(t.Context(), &mcp.CallToolParams{Name: "ask", Arguments: map[string]any{"question": "q"}}); err != nil || r.IsError {
				t.Errorf("%v, %v", r, err)
			}
		})
		<-running
	}
	if r := call(t, cs, "ask", map[string]any{"question": "q"}); !r.IsError || !strings.Contains(textOf(r), "too many") {
		t.Errorf("one too many: %q", textOf(r))
	}
	close(release)
	calls.Wait()
}
