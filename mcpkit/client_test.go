package mcpkit_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/finding"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/mcpkit"
)

func TestCalls(t *testing.T) {
	transports(t, "plain", func(t *testing.T, dial mcpkit.Dialer) {
		type key struct{}
		c := connect(t, dial, &mcpkit.ClientOptions{
			Prefix: "h_",
			Meta:   func(ctx context.Context) map[string]any { return map[string]any{"user": ctx.Value(key{})} },
		})
		if got := c.Name(); got != "harbour" {
			t.Errorf("Name() = %q", got)
		}
		r := registry(t, c, nil)
		ctx := context.WithValue(t.Context(), key{}, "ann")
		for _, tt := range []struct{ tool, arguments, want, wantErr string }{
			{"h_ports_list", `{"country":"NL"}`, `{"ports":9007199254740993}`, ""},
			{"h_ports_list", `{}`, ``, "country"},
			{"h_echo", `{"a":"b"}`, `{"text":"{\"a\":\"b\"}"}`, ""},
			{"h_meta", ``, `{"text":"ann"}`, ""},
			{"h_fail", ``, ``, "no such port"},
			{"h_refuse", ``, ``, "not today"},
			{"h_finding", ``, `{"value":{"Query_Metadata":{"tool":"drop_tables"}}}`, ""},
			{"h_list", ``, `{"value":[1,2]}`, ""},
		} {
			got, err := do(t, ctx, r, tt.tool, tt.arguments)
			if got != tt.want || (err != nil) != (tt.wantErr != "") || err != nil && !strings.Contains(err.Error(), tt.wantErr) {
				t.Errorf("%s(%s) = %s, %v, want %s, %q", tt.tool, tt.arguments, got, err, tt.want, tt.wantErr)
			}
		}
		if got, err := do(t, ctx, r, "h_long", ``); err != nil || len(got) > 33<<10 || !strings.HasSuffix(got, `"truncated":true}`) {
			t.Errorf("a text of 1 MB: %d bytes, %v", len(got), err)
		}
	})
}

func TestParts(t *testing.T) {
	transports(t, "plain", func(t *testing.T, dial mcpkit.Dialer) {
		r := registry(t, connect(t, dial, nil), nil)
		text, err := do(t, t.Context(), r, "parts", ``)
		if err != nil {
			t.Fatal(err)
		}
		var got finding.Finding
		var rest struct {
			LeftOut []string `json:"left_out"`
		}
		if err := errors.Join(json.Unmarshal([]byte(text), &got), json.Unmarshal([]byte(text), &rest)); err != nil {
			t.Fatal(err)
		}
		want := finding.Finding{
			Text:      "a chart\nc's text",
			Artifacts: []finding.ArtifactRef{{Name: "image-2", MediaType: "image/png", Data: []byte("png")}, {Name: "e.bin", MediaType: "application/octet-stream", Data: []byte{1}}},
			Citations: []qed.Citation{
				{Title: "a", Location: "https://example.com/a", Excerpt: "of a"},
				{Title: "b"},
				{Title: "file:///c.txt", Location: "file:///c.txt", Excerpt: "c's text"},
			},
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
		if len(rest.LeftOut) != 1 || !strings.Contains(rest.LeftOut[0], "image-3") {
			t.Errorf("left out: %q", rest.LeftOut)
		}
	})
}

// The hints of a trusted server are used, and its results may be findings.
func TestTrust(t *testing.T) {
	for _, trusted := range []bool{false, true} {
		t.Run(fmt.Sprint(trusted), func(t *testing.T) {
			noLeak(t)
			dial, _ := overHTTP(t, testServer("plain"), nil)
			c := connect(t, dial, &mcpkit.ClientOptions{Trusted: trusted})
			tools, err := c.Tools(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			for _, tool := range tools {
				if want := trusted && tool.Name == "ports_list"; tool.Idempotent != want {
					t.Errorf("trusted %v: %s: Repeat = %v", trusted, tool.Name, tool.Idempotent)
				}
				if tool.Name == "ports_list" && (tool.Description == "Lists ports.") != trusted {
					t.Errorf("trusted %v: %q", trusted, tool.Description)
				}
			}
			want := `{"value":{"Query_Metadata":{"tool":"drop_tables"}}}`
			if trusted {
				want = `{"Query_Metadata":{"tool":"drop_tables"}}`
			}
			if got, err := do(t, t.Context(), registry(t, c, nil), "finding", ``); got != want || err != nil {
				t.Errorf("trusted %v: %s, %v", trusted, got, err)
			}
		})
	}
}

// Structured content is checked like a text, and cannot be a finding.
func TestStructuredContent(t *testing.T) {
	noLeak(t)
	var content json.RawMessage
	s := mcp.NewServer(&mcp.Implementation{Name: "harbour"}, nil)
	s.AddTool(tool("look", anyObject), func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{StructuredContent: content}, nil
	})
	dial, _ := overHTTP(t, s, &mcp.StreamableHTTPOptions{Stateless: true})
	untrusted := registry(t, connect(t, dial, nil), &qed.RegistryOptions{MaxResult: 1 << 20})
	trusted := registry(t, connect(t, dial, &mcpkit.ClientOptions{Trusted: true}), &qed.RegistryOptions{MaxResult: 1 << 20})
	for text, under := range map[string]bool{
		`{"text":"142 shipments\n"}`:                        false,
		`{"text":{"en":"a"}}`:                               false,
		`{"ports":["\u001b[2J"]}`:                           false,
		`{"text":"\u001b[2J\u202eevil"}`:                    true,
		`{"Text":"\u202eevil"}`:                             true,
		`{"text":"` + strings.Repeat("a", 33<<10) + `"}`:    true,
		`{"text":"a","partial":"call +1 900 to unlock it"}`: true,
		`{"entities":[]}`:                                   true,
		`{"a":1,"QUERIES":null}`:                            true,
	} {
		content = json.RawMessage(text)
		var want, got, value any
		if err := json.Unmarshal(content, &want); err != nil {
			t.Fatal(err)
		}
		value = want
		if under {
			value = map[string]any{"value": want}
		}
		for r, want := range map[*qed.Registry]any{untrusted: value, trusted: want} {
			out, err := do(t, t.Context(), r, "look", `{}`)
			if err != nil || json.Unmarshal([]byte(out), &got) != nil || !cmp.Equal(want, got) {
				t.Errorf("%.60s: %.80s, %v", text, out, err)
			}
			got = nil
		}
	}
}

func TestCancelReachesServer(t *testing.T) {
	transports(t, "plain", func(t *testing.T, dial mcpkit.Dialer) {
		r := registry(t, connect(t, dial, nil), nil)
		ctx, cancel := context.WithCancel(t.Context())
		go func() {
			defer cancel()
			for got := ""; got != `{"text":"1"}` && t.Context().Err() == nil; {
				got, _ = do(t, t.Context(), r, "waiting", ``)
			}
		}()
		if _, err := r.Do(ctx, llm.ToolCall{Name: "wait"}); !errors.Is(err, context.Canceled) {
			t.Errorf("Do: %v", err)
		}
		if got, err := do(t, t.Context(), r, "cancelled", ``); got != `{"text":"yes"}` || err != nil {
			t.Errorf("at the server: %s, %v", got, err)
		}
	})
}

func TestTimeout(t *testing.T) {
	transports(t, "plain", func(t *testing.T, dial mcpkit.Dialer) {
		r := registry(t, connect(t, dial, nil), &qed.RegistryOptions{Timeout: 500 * time.Millisecond})
		if _, err := do(t, t.Context(), r, "wait", ``); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("error = %v", err)
		}
		if got, err := do(t, t.Context(), r, "echo", `{}`); got != `{"text":"{}"}` || err != nil {
			t.Errorf("afterwards: %s, %v", got, err)
		}
	})
}

func TestToolsChanged(t *testing.T) {
	for _, name := range []string{"stdio", "http"} {
		t.Run(name, func(t *testing.T) {
			noLeak(t)
			dial := command("plain")
			if name == "http" {
				dial, _ = overHTTP(t, testServer("plain"), nil)
			}
			c := connect(t, dial, nil)
			r := registry(t, c, nil)
			if _, err := do(t, t.Context(), r, "grow", ``); err != nil {
				t.Fatal(err)
			}
			if _, err := do(t, t.Context(), r, "grown", ``); err == nil {
				t.Error("the registry has a tool that it was not given")
			}
			tools, err := c.Tools(t.Context())
			if err != nil || tools[len(tools)-1].Name == "" || len(tools) <= len(r.Specs()) {
				t.Errorf("%d tools, %v", len(tools), err)
			}
		})
	}
}

// A command does not get the environment of this process.
func TestEnvironment(t *testing.T) {
	noLeak(t)
	t.Setenv("MCPKIT_SECRET", "hunter2")
	t.Setenv(modeVariable, "plain")
	for _, all := range []bool{false, true} {
		var stopped bool
		c, err := mcpkit.Connect(t.Context(), mcpkit.Command(func() *exec.Cmd {
			// The variable of the mode is not passed on either, so a shell sets it.
			cmd := exec.Command("/bin/sh", "-c", modeVariable+"=plain exec "+os.Args[0])
			if all {
				cmd.Env = os.Environ()
			}
			return cmd
		}), nil)
		if err != nil {
			t.Fatal(err)
		}
		got, err := do(t, t.Context(), registry(t, c, nil), "env", ``)
		if err != nil || strings.Contains(got, "hunter2") != all || strings.HasPrefix(got, `{"text":"|`) {
			t.Errorf("all %v: %s, %v", all, got, err)
		}
		if stopped = c.Close() == nil; !stopped {
			t.Error("it did not end")
		}
	}
}

// Concurrent calls share a connection.
func TestConcurrent(t *testing.T) {
	transports(t, "plain", func(t *testing.T, dial mcpkit.Dialer) {
		c := connect(t, dial, nil)
		r := registry(t, c, nil)
		var calls sync.WaitGroup
		for i := range 20 {
			calls.Go(func() {
				want := fmt.Sprintf(`{"text":"{\"i\":%d}"}`, i)
				if got, err := do(t, t.Context(), r, "echo", fmt.Sprintf(`{"i":%d}`, i)); got != want || err != nil {
					t.Errorf("%s, %v", got, err)
				}
			})
		}
		calls.Wait()
	})
}

// A call fails that asks the user, whether the server asks in its result or in the
// middle of the call.
func TestAskingServer(t *testing.T) {
	noLeak(t)
	over, _ := overHTTP(t, testServer("asks"), nil)
	for name, dial := range map[string]mcpkit.Dialer{"stdio": command("asks"), "http": over} {
		r := registry(t, connect(t, dial, nil), nil)
		if got, err := do(t, t.Context(), r, "ask", ``); err == nil {
			t.Errorf("%s: %s", name, got)
		}
	}
}

// Both directions over a real process: a Client and a server with an agent.
func TestBothDirections(t *testing.T) {
	transports(t, "agent", func(t *testing.T, dial mcpkit.Dialer) {
		r := registry(t, connect(t, dial, nil), nil)
		got, err := do(t, t.Context(), r, "ask", `{"question":"who"}`)
		if err != nil || !strings.Contains(got, `"text":" of "`) {
			t.Errorf("%s, %v", got, err)
		}
		if _, err := do(t, t.Context(), r, "ask", `{}`); err == nil || !strings.Contains(err.Error(), "a question is needed") {
			t.Errorf("without a question: %v", err)
		}
	})
}

// Requests have the context of the call, so that a RoundTripper knows the call.
func TestHTTPContext(t *testing.T) {
	noLeak(t)
	type key struct{}
	var seen atomic.Bool
	_, web := overHTTP(t, testServer("plain"), nil)
	dial := mcpkit.HTTP(web.URL, &http.Client{Transport: roundTripper(func(req *http.Request) (*http.Response, error) {
		if req.Context().Value(key{}) == "ann" {
			seen.Store(true)
		}
		return http.DefaultTransport.RoundTrip(req)
	})})
	r := registry(t, connect(t, dial, nil), nil)
	if seen.Load() {
		t.Error("it is there before the call")
	}
	if _, err := do(t, context.WithValue(t.Context(), key{}, "ann"), r, "echo", ``); err != nil || !seen.Load() {
		t.Errorf("seen: %v, %v", seen.Load(), err)
	}
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }
