package mcpkit_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/mcpkit"
	"github.com/qedkit/qed/store"
)

// session connects a client of the SDK to a server over HTTP.
func session(t *testing.T, s *mcp.Server, opt *mcp.StreamableHTTPOptions, client *mcp.ClientOptions, header http.Header) *mcp.ClientSession {
	t.Helper()
	var handler http.Handler = mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s }, opt)
	if header.Get("Authorization") != "" {
		handler = auth.RequireBearerToken(func(_ context.Context, token string, _ *http.Request) (*auth.TokenInfo, error) {
			return &auth.TokenInfo{UserID: token, Expiration: time.Now().Add(time.Hour)}, nil
		}, nil)(handler)
	}
	web := httptest.NewServer(handler)
	t.Cleanup(func() { web.CloseClientConnections(); web.Close() })
	own := &http.Client{Transport: withHeader{header}}
	if client == nil {
		client = &mcp.ClientOptions{Capabilities: &mcp.ClientCapabilities{}}
	}
	cs, err := mcp.NewClient(&mcp.Implementation{Name: "test"}, client).Connect(
		t.Context(), &mcp.StreamableClientTransport{Endpoint: web.URL, HTTPClient: own, DisableStandaloneSSE: true}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cs.Close() })
	return cs
}

type withHeader struct{ http.Header }

func (h withHeader) RoundTrip(req *http.Request) (*http.Response, error) {
	req = req.Clone(req.Context())
	for name := range h.Header {
		req.Header.Set(name, h.Get(name))
	}
	return http.DefaultTransport.RoundTrip(req)
}

func newServer() *mcp.Server {
	return mcp.NewServer(&mcp.Implementation{Name: "qed", Version: "1"}, nil)
}

func call(t *testing.T, cs *mcp.ClientSession, name string, arguments any) *mcp.CallToolResult {
	t.Helper()
	r, err := cs.CallTool(t.Context(), &mcp.CallToolParams{Name: name, Arguments: arguments})
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return r
}

func textOf(r *mcp.CallToolResult) string {
	if len(r.Content) == 0 {
		return ""
	}
	return r.Content[0].(*mcp.TextContent).Text
}

// reply returns the structured content of an agent's result.
func reply(t *testing.T, r *mcp.CallToolResult) mcpkit.AgentResult {
	t.Helper()
	if r.IsError {
		t.Fatalf("the call failed: %s", textOf(r))
	}
	text, err := json.Marshal(r.StructuredContent)
	if err != nil {
		t.Fatal(err)
	}
	var got mcpkit.AgentResult
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return got
}

func TestCaller(t *testing.T) {
	noLeak(t)
	type key struct{}
	s := newServer()
	agent := qed.AgentFunc(func(ctx context.Context, turn qed.Turn) (qed.Answer, error) {
		return qed.Answer{Text: fmt.Sprint(turn.User, " ", turn.Tenant, " ", ctx.Value(key{}))}, nil
	})
	opt := &mcpkit.ServerOptions{Caller: func(ctx context.Context, req *mcp.CallToolRequest) (context.Context, mcpkit.Caller, error) {
		user := req.Extra.Header.Get("X-User")
		switch user {
		case "":
			return nil, mcpkit.Caller{}, errors.New("nobody, says ldap://10.0.0.1")
		case "panic":
			panic("ldap://10.0.0.1")
		}
		return context.WithValue(ctx, key{}, "tenant"), mcpkit.Caller{User: user, Tenant: "acme"}, nil
	}}
	if err := mcpkit.AddAgent(s, "ask", "", agent, opt); err != nil {
		t.Fatal(err)
	}
	question := map[string]any{"question": "q"}
	if got := reply(t, call(t, session(t, s, nil, nil, http.Header{"X-User": {"ann"}}), "ask", question)); got.Text != "ann acme tenant" {
		t.Errorf("ann: %+v", got)
	}
	for _, header := range []http.Header{nil, {"X-User": {"panic"}}} {
		if r := call(t, session(t, s, nil, nil, header), "ask", question); !r.IsError || strings.Contains(textOf(r), "ldap") {
			t.Errorf("%v: %v %q", header, r.IsError, textOf(r))
		}
	}
}

// Different callers, tools and conversations never share a thread, whatever their names.
func TestThread(t *testing.T) {
	seen := map[string]string{}
	for _, tool := range []string{"a", "ab"} {
		for _, user := range []string{"", "a", "b", "a,b", `a","b`} {
			for _, company := range []string{"", "a", "b"} {
				for _, id := range []string{"", "a", "b", "c"} {
					name := fmt.Sprintf("%q %q %q %q", tool, user, company, id)
					thread := mcpkit.Thread(tool, mcpkit.Caller{User: user, Tenant: company}, id)
					if before := seen[thread]; before != "" || store.CheckThread(thread) != nil {
						t.Errorf("%s and %s are both %q", name, before, thread)
					}
					seen[thread] = name
				}
			}
		}
	}
}

// Unknown callers do not share a conversation, even if their sessions have no ID.
func TestUnknownCallers(t *testing.T) {
	noLeak(t)
	s := newServer()
	thread := qed.AgentFunc(func(_ context.Context, turn qed.Turn) (qed.Answer, error) { return qed.Answer{Text: turn.Thread}, nil })
	if err := mcpkit.AddAgent(s, "ask", "", thread, nil); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(mcp.NewSSEHandler(func(*http.Request) *mcp.Server { return s }, nil))
	t.Cleanup(server.Close)
	connect := func(transport mcp.Transport) *mcp.ClientSession {
		cs, err := mcp.NewClient(&mcp.Implementation{Name: "client", Version: "1"}, nil).Connect(t.Context(), transport, nil)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { cs.Close() })
		return cs
	}
	clients := []*mcp.ClientSession{connect(&mcp.SSEClientTransport{Endpoint: server.URL}), connect(&mcp.SSEClientTransport{Endpoint: server.URL})}
	ours, theirs := mcp.NewInMemoryTransports()
	if _, err := s.Connect(t.Context(), theirs, nil); err != nil {
		t.Fatal(err)
	}
	clients = append(clients, connect(ours))
	question := map[string]any{"question": "x", "conversation_id": "default"}
	seen := map[string]int{}
	for i, cs := range clients {
		first, second := textOf(call(t, cs, "ask", question)), textOf(call(t, cs, "ask", question))
		if before, ok := seen[first]; ok || first != second || first == "" {
			t.Errorf("client %d has the threads %q and %q, client %d has the first", i, first, second, before)
		}
		seen[first] = i
	}
}
