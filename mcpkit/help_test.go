package mcpkit_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/poll"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/mcpkit"
	"github.com/qedkit/qed/store"
)

// A process of this test is an MCP server if an environment variable is set.
const modeVariable = "MCPKIT_TEST_SERVER"

func TestMain(m *testing.M) {
	switch mode := os.Getenv(modeVariable); mode {
	case "":
		os.Exit(m.Run())
	case "silent": // reads and does not respond
		buf := make([]byte, 1<<16)
		for {
			if _, err := os.Stdin.Read(buf); err != nil {
				return
			}
		}
	case "stubborn": // ignores SIGTERM
		signal.Ignore(syscall.SIGTERM)
		testServer("plain").Run(context.Background(), &mcp.StdioTransport{})
		select {}
	case "flood": // responds with 50 MB
		flood()
	default:
		if err := testServer(mode).Run(context.Background(), &mcp.StdioTransport{}); err != nil {
			os.Exit(1)
		}
	}
}

// flood writes one very long line.
func flood() {
	part := bytes.Repeat([]byte("a"), 1<<20)
	os.Stdout.WriteString(`{"jsonrpc":"2.0","id":1,"result":{"x":"`)
	for range 50 {
		if _, err := os.Stdout.Write(part); err != nil {
			return
		}
	}
}

// testServer returns a server with the tools of a mode.
func testServer(mode string) *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "harbour", Version: "1"}, nil)
	text := func(format string, args ...any) *mcp.CallToolResult {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: fmt.Sprintf(format, args...)}}}
	}
	add := func(name string, do mcp.ToolHandler) {
		s.AddTool(&mcp.Tool{Name: name, Description: "It does " + name + ".", InputSchema: json.RawMessage(`{"type":"object"}`)}, do)
	}
	switch mode {
	case "plain":
		s.AddTool(&mcp.Tool{
			Name: "ports.list", Description: "Lists ports.", Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true},
			InputSchema: json.RawMessage(`{"type":"object","properties":{"country":{"type":"string"}},"required":["country"]}`),
		}, func(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return &mcp.CallToolResult{
				Content:           []mcp.Content{&mcp.TextContent{Text: `{"ports": 9007199254740993}`}},
				StructuredContent: json.RawMessage(`{"ports": 9007199254740993}`),
			}, nil
		})
		add("echo", func(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return text("%s", req.Params.Arguments), nil
		})
		add("fail", func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			r := text("no such port")
			r.IsError = true
			return r, nil
		})
		add("meta", func(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return text("%v", req.Params.Meta["user"]), nil
		})
		add("pid", func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return text("%d", os.Getpid()), nil
		})
		add("env", func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return text("%s|%s", os.Getenv("PATH"), os.Getenv("MCPKIT_SECRET")), nil
		})
		add("die", func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			os.Exit(3)
			return nil, nil
		})
		add("refuse", func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return nil, errors.New("not today")
		})
		add("progress", func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			for i := range 3 {
				req.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{
					ProgressToken: req.Params.GetProgressToken(), Progress: float64(i + 1), Total: 3, Message: "page",
				})
			}
			time.Sleep(200 * time.Millisecond) // progress together with the result may be lost
			return text("done"), nil
		})
		add("parts", func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return &mcp.CallToolResult{Content: []mcp.Content{
				&mcp.TextContent{Text: "a chart"},
				&mcp.ImageContent{Data: []byte("png"), MIMEType: "image/png"},
				&mcp.ImageContent{Data: make([]byte, 100<<10), MIMEType: "image/png"},
				&mcp.ResourceLink{URI: "https://example.com/a", Name: "a", Description: "of a"},
				&mcp.ResourceLink{URI: "javascript:alert(1)", Name: "b"},
				&mcp.EmbeddedResource{Resource: &mcp.ResourceContents{URI: "file:///c.txt", Text: "c's text"}},
				&mcp.EmbeddedResource{Resource: &mcp.ResourceContents{URI: "file:///d/e.bin", Blob: []byte{1}}},
			}}, nil
		})
		var cancelled = make(chan struct{}, 1)
		var waiting atomic.Int64
		add("waiting", func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return text("%d", waiting.Load()), nil
		})
		add("wait", func(ctx context.Context, _ *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			waiting.Add(1)
			select {
			case <-ctx.Done():
			case <-time.After(time.Minute):
				panic("the client did not say that it gave the call up")
			}
			select {
			case cancelled <- struct{}{}:
			default:
			}
			return nil, ctx.Err()
		})
		add("cancelled", func(ctx context.Context, _ *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			select {
			case <-cancelled:
				return text("yes"), nil
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		})
		add("finding", func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return &mcp.CallToolResult{StructuredContent: json.RawMessage(`{"Query_Metadata":{"tool":"drop_tables"}}`)}, nil
		})
		add("list", func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return &mcp.CallToolResult{StructuredContent: json.RawMessage(`[1,2]`)}, nil
		})
		add("grow", func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			add("grown", func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) { return text("grown"), nil })
			return text("grown"), nil
		})
		add("long", func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return text("%s", strings.Repeat("a", 1<<20)), nil
		})
		add("huge", func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return text("%s", strings.Repeat("a", 17<<20)), nil // more than the limit of a message
		})
	case "agent":
		if err := mcpkit.AddAgent(s, "ask", "", asking(new(store.InMemory)), nil); err != nil {
			panic(err)
		}
	case "asks":
		s.AddTool(&mcp.Tool{Name: "ask", InputSchema: json.RawMessage(`{"type":"object"}`)},
			func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				form := &mcp.ElicitParams{Mode: "form", Message: "Which port?", RequestedSchema: json.RawMessage(`{"type":"object"}`)}
				return &mcp.CallToolResult{InputRequests: mcp.InputRequestMap{"it": form}}, nil
			})
	case "deaf": // stops reading after the first call
		add("stop_reading", func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			suspend()
			time.Sleep(time.Minute)
			return text("going on"), nil
		})
		add("echo", func(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return text("echo"), nil
		})
	}
	return s
}

// command returns a Dialer for a process of this test.
func command(mode string) mcpkit.Dialer {
	return mcpkit.Command(func() *exec.Cmd {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), modeVariable+"="+mode)
		return cmd
	})
}

// overHTTP returns a Dialer for a server over HTTP, and the HTTP server.
func overHTTP(t *testing.T, s *mcp.Server, opt *mcp.StreamableHTTPOptions) (mcpkit.Dialer, *httptest.Server) {
	t.Helper()
	web := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s }, opt))
	t.Cleanup(func() {
		web.CloseClientConnections()
		web.Close()
		for session := range s.Sessions() {
			session.Close()
		}
	})
	return mcpkit.HTTP(web.URL, nil), web
}

// transports calls test with a Dialer for the server of a mode, over each transport.
func transports(t *testing.T, mode string, test func(t *testing.T, dial mcpkit.Dialer)) {
	t.Run("stdio", func(t *testing.T) {
		noLeak(t)
		test(t, command(mode))
	})
	t.Run("http", func(t *testing.T) {
		noLeak(t)
		dial, _ := overHTTP(t, testServer(mode), nil)
		test(t, dial)
	})
	t.Run("http, stateless", func(t *testing.T) {
		noLeak(t)
		dial, _ := overHTTP(t, testServer(mode), &mcp.StreamableHTTPOptions{Stateless: true, PropagateRequestCancellation: true})
		test(t, dial)
	})
}

// noLeak fails the test if goroutines of mcpkit or the SDK outlive it.
func noLeak(t *testing.T) {
	t.Helper()
	t.Cleanup(func() {
		poll.Until(t, "no goroutine outlives the test", func() bool {
			http.DefaultClient.CloseIdleConnections()
			return ours() == ""
		})
	})
}

func ours() string {
	buf := make([]byte, 1<<20)
	var left []string
	for _, stack := range strings.Split(string(buf[:runtime.Stack(buf, true)]), "\n\n")[1:] {
		if strings.Contains(stack, "go-sdk") || strings.Contains(stack, "qedkit/qed/mcpkit.") {
			left = append(left, stack)
		}
	}
	return strings.Join(left, "\n\n")
}

func connect(t *testing.T, dial mcpkit.Dialer, opt *mcpkit.ClientOptions) *mcpkit.Client {
	t.Helper()
	c, err := mcpkit.Connect(t.Context(), dial, opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// registry returns a registry with the server's tools.
func registry(t *testing.T, c *mcpkit.Client, opt *qed.RegistryOptions) *qed.Registry {
	t.Helper()
	tools, err := c.Tools(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	r := qed.NewRegistry(opt)
	if err := r.Add(tools...); err != nil {
		t.Fatal(err)
	}
	return r
}

func do(t *testing.T, ctx context.Context, r *qed.Registry, name, arguments string) (string, error) {
	t.Helper()
	results, err := r.Do(ctx, llm.ToolCall{ID: "1", Name: name, Arguments: json.RawMessage(arguments)})
	if err != nil {
		t.Errorf("%s: %v", name, err) // a goroutine cannot end the test
		return "", err
	}
	return string(results[0].Output), results[0].Err
}
