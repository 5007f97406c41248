package mcpkit_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/mcpkit"
	"github.com/qedkit/qed/store"
)

// A payment is a server over HTTP whose tool must not be called twice. It accepts each
// request of a session that it knows. The test decides what it does with the first call.
type payment struct {
	paid atomic.Int32 // how often it received a call

	took       func(w http.ResponseWriter, id json.RawMessage) // responds to the first call; nil means success
	refuses    func(w http.ResponseWriter) bool                // reports whether it refuses a call before the tool runs
	begins     func()                                          // is called for each session
	standalone func(w http.ResponseWriter)                     // responds to the GET of the session's stream
	resumed    func(w http.ResponseWriter)                     // responds to the GET of a call's stream

	over chan struct{} // closed at the end of the test

	mu       sync.Mutex
	sessions int
	dead     map[string]bool
}

const (
	initialized = `{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"bank","version":"1"}}`
	payTool     = `{"tools":[{"name":"pay","inputSchema":{"type":"object"}}]}`
)

// forgets makes the server forget its sessions.
func (p *payment) forgets() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for n := range p.sessions {
		p.dead[fmt.Sprint("s", n+1)] = true
	}
}

func (p *payment) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	session := r.Header.Get("Mcp-Session-Id")
	p.mu.Lock()
	dead := p.dead[session]
	p.mu.Unlock()
	switch {
	case r.Method == http.MethodGet && r.Header.Get("Last-Event-ID") != "" && p.resumed != nil:
		p.resumed(w)
	case dead:
		w.WriteHeader(http.StatusNotFound)
	case r.Method == http.MethodGet && p.standalone != nil:
		p.standalone(w)
	case r.Method == http.MethodGet:
		w.WriteHeader(http.StatusMethodNotAllowed)
	case r.Method == http.MethodPost:
		p.post(w, r)
	}
}

func (p *payment) post(w http.ResponseWriter, r *http.Request) {
	var req struct {
		ID     json.RawMessage
		Method string
	}
	body, _ := io.ReadAll(r.Body)
	if err := json.Unmarshal(body, &req); err != nil {
		panic(err)
	}
	result := ""
	switch req.Method {
	case "initialize":
		p.mu.Lock()
		p.sessions++
		if p.begins != nil {
			p.begins()
		}
		w.Header().Set("Mcp-Session-Id", fmt.Sprint("s", p.sessions))
		p.mu.Unlock()
		result = initialized
	case "tools/list":
		result = payTool
	case "tools/call":
		if p.refuses != nil && p.refuses(w) {
			return
		}
		if p.paid.Add(1) == 1 && p.took != nil {
			p.took(w, req.ID)
			return
		}
		result = `{"content":[{"type":"text","text":"paid"}]}`
	case "server/discover":
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no such method"}}`, req.ID)
		return
	default:
		w.WriteHeader(http.StatusAccepted)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, req.ID, result)
}

// streams begins the stream of a call's result, which can be resumed.
func streams(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "text/event-stream")
	io.WriteString(w, "id: e1\nretry: 10\ndata: \n\n")
	w.(http.Flusher).Flush()
}

func says(w http.ResponseWriter, status int, body string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	io.WriteString(w, body)
}

// serve returns the URL of the server.
func (p *payment) serve(t *testing.T) string {
	t.Helper()
	noLeak(t)
	p.dead = map[string]bool{}
	web := httptest.NewServer(p)
	t.Cleanup(func() { web.CloseClientConnections(); web.Close() })
	return web.URL
}

// notDone reports whether an error means that a call certainly had no effect: a durable
// run does not record such a failure.
func notDone(t *testing.T, err error) bool {
	t.Helper()
	recorded := false
	agent := qed.AgentFunc(func(ctx context.Context, _ qed.Turn) (qed.Answer, error) {
		_, failed := qed.StepOnce(ctx, "call", 1, func(context.Context) (int, error) { return 0, err })
		_, recorded = errors.AsType[*qed.CallError](failed)
		return qed.Answer{}, nil
	})
	for _, err := range qed.Durable(agent, new(store.InMemory), nil).Run(t.Context(), qed.Turn{Thread: "t", Text: "q"}) {
		if err != nil {
			t.Fatal(err)
		}
	}
	return !recorded
}

// A call that a server received is never made again, whatever happens to the connection.
// Its error is the server's, or says that the outcome is not known.
func TestTakenOnce(t *testing.T) {
	const missing = `{"jsonrpc":"2.0","id":null,"error":{"code":-32001,"message":"Session not found"}}`
	for name, tt := range map[string]struct {
		server func(p *payment)
		want   string // a part of the error; empty means that the outcome is not known
	}{
		"the session is gone when its stream is resumed": {func(p *payment) {
			p.took = func(w http.ResponseWriter, _ json.RawMessage) { streams(w); p.forgets() }
		}, ""},
		"and that is said in an error of the protocol": {func(p *payment) {
			p.took = func(w http.ResponseWriter, _ json.RawMessage) { streams(w) }
			p.resumed = func(w http.ResponseWriter) {
				says(w, http.StatusNotFound, strings.Replace(missing, "null", `"server-error"`, 1))
			}
		}, ""},
		"the session is gone when the session's own stream is resumed": {func(p *payment) {
			under := make(chan struct{})
			var ended atomic.Bool
			p.took = func(w http.ResponseWriter, _ json.RawMessage) {
				streams(w)
				close(under)
				<-p.over
			}
			p.standalone = func(w http.ResponseWriter) {
				if ended.Swap(true) {
					w.WriteHeader(http.StatusMethodNotAllowed)
					return
				}
				streams(w)
				<-under
				p.forgets()
			}
		}, ""},
		"the answer is elsewhere, and is not there": {func(p *payment) {
			p.took = func(w http.ResponseWriter, _ json.RawMessage) {
				w.Header().Set("Location", "/elsewhere")
				w.WriteHeader(http.StatusSeeOther)
			}
			p.standalone = func(w http.ResponseWriter) { w.WriteHeader(http.StatusNotFound) }
		}, ""},
		"the stream ends": {func(p *payment) {
			p.took = func(w http.ResponseWriter, _ json.RawMessage) {
				w.Header().Set("Content-Type", "text/event-stream")
				w.WriteHeader(http.StatusOK)
			}
		}, ""},
		"no answer at all":     {func(p *payment) { p.took = func(http.ResponseWriter, json.RawMessage) { panic(http.ErrAbortHandler) } }, ""},
		"a failure of a proxy": {func(p *payment) { p.took = func(w http.ResponseWriter, _ json.RawMessage) { w.WriteHeader(502) } }, ""},
		"a refusal by HTTP":    {func(p *payment) { p.took = func(w http.ResponseWriter, _ json.RawMessage) { w.WriteHeader(409) } }, ""},
		"an error as if the client were closing": {func(p *payment) {
			p.took = func(w http.ResponseWriter, id json.RawMessage) {
				says(w, http.StatusOK, fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32003,"message":"too poor"}}`, id))
			}
		}, "too poor"},
		"an error as if the server were closing": {func(p *payment) {
			p.took = func(w http.ResponseWriter, id json.RawMessage) {
				says(w, http.StatusOK, fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32004,"message":"too rich"}}`, id))
			}
		}, "too rich"},
		"an error with a status": {func(p *payment) {
			p.took = func(w http.ResponseWriter, id json.RawMessage) {
				says(w, http.StatusNotFound, fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no such thing"}}`, id))
			}
		}, "no such thing"},
	} {
		t.Run(name, func(t *testing.T) {
			p := &payment{over: make(chan struct{})}
			tt.server(p)
			r := registry(t, connect(t, mcpkit.HTTP(p.serve(t), nil), nil), nil)
			t.Cleanup(func() { close(p.over) })
			got, err := do(t, t.Context(), r, "pay", `{}`)
			if err == nil || p.paid.Load() != 1 || notDone(t, err) {
				t.Fatalf("taken %d times: %s, %v", p.paid.Load(), got, err)
			}
			if unknown := errors.Is(err, mcpkit.ErrUnavailable); unknown != (tt.want == "") || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error = %v", err)
			}
			if got, err := do(t, t.Context(), r, "pay", `{}`); err != nil || p.paid.Load() != 2 {
				t.Errorf("the next call: taken %d times, %s, %v", p.paid.Load(), got, err)
			}
		})
	}
}

// A call that the server refused because it does not know the session is made on a new
// session, whatever the form of the refusal.
func TestSessionForgotten(t *testing.T) {
	for name, body := range map[string]string{
		"nothing":                        ``,
		"a text":                         `session not found`,
		"an error that answers nothing":  `{"jsonrpc":"2.0","id":null,"error":{"code":-32001,"message":"Session not found"}}`,
		"an error that answers no call":  `{"jsonrpc":"2.0","id":"server-error","error":{"code":-32600,"message":"Session not found"}}`,
		"something that is no error, id": `{"error":"no session","id":7}`,
	} {
		t.Run(name, func(t *testing.T) {
			p := new(payment)
			var calls, sessions atomic.Int32
			p.refuses = func(w http.ResponseWriter) bool {
				refused := calls.Add(1) != 2
				if refused {
					says(w, http.StatusNotFound, body)
				}
				return refused
			}
			p.begins = func() { sessions.Add(1) }
			// A RoundTripper of the application is observed too.
			url := p.serve(t)
			r := registry(t, connect(t, func() mcp.Transport { return &mcp.StreamableClientTransport{Endpoint: url} }, nil), nil)
			if got, err := do(t, t.Context(), r, "pay", `{}`); got != `{"text":"paid"}` || err != nil || p.paid.Load() != 1 || sessions.Load() != 2 {
				t.Errorf("%s, %v, taken %d times, %d sessions", got, err, p.paid.Load(), sessions.Load())
			}
			if _, err := do(t, t.Context(), r, "pay", `{}`); !errors.Is(err, mcpkit.ErrUnavailable) || !notDone(t, err) {
				t.Errorf("refused on each session: %v", err)
			}
			if calls.Load() != 4 {
				t.Errorf("called %d times", calls.Load())
			}
		})
	}
}

// After a 400 for an unknown session the call is made on a new session, as after a 404.
func TestSessionRefused(t *testing.T) {
	p := new(payment)
	p.refuses = func(w http.ResponseWriter) bool {
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.sessions == 1 {
			says(w, http.StatusBadRequest, `{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"no valid session ID"}}`)
		}
		return p.sessions == 1
	}
	r := registry(t, connect(t, mcpkit.HTTP(p.serve(t), nil), nil), nil)
	if got, err := do(t, t.Context(), r, "pay", `{}`); err != nil || p.paid.Load() != 1 {
		t.Errorf("%s, %v, taken %d times", got, err, p.paid.Load())
	}
}

// An HTTP error of one call does not end another call.
func TestOthersGoOn(t *testing.T) {
	for _, status := range []int{400, 401, 404, 413, 500} {
		t.Run(fmt.Sprint(status), func(t *testing.T) {
			p := new(payment)
			running, release := make(chan struct{}), make(chan struct{})
			var calls atomic.Int32
			p.refuses = func(w http.ResponseWriter) bool {
				second := calls.Add(1) == 2
				if second {
					w.WriteHeader(status)
				}
				return second
			}
			p.took = func(w http.ResponseWriter, id json.RawMessage) {
				streams(w)
				close(running)
				<-release
				fmt.Fprintf(w, "data: {\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"paid\"}]}}\n\n", id)
			}
			r := registry(t, connect(t, mcpkit.HTTP(p.serve(t), nil), nil), nil)
			var slow sync.WaitGroup
			slow.Go(func() {
				if got, err := do(t, t.Context(), r, "pay", `{}`); got != `{"text":"paid"}` || err != nil {
					t.Errorf("the call that ran: %s, %v", got, err)
				}
			})
			<-running
			_, err := do(t, t.Context(), r, "pay", `{}`)
			if again := status == http.StatusNotFound; (err == nil) != again {
				t.Errorf("the other call: %v", err)
			}
			close(release)
			slow.Wait()
			if want := calls.Load() - 1; p.paid.Load() != want {
				t.Errorf("taken %d times, want %d", p.paid.Load(), want)
			}
		})
	}
}

// A transport that is not of the SDK does not show what it sent: a failed call is not
// made again.
func TestOwnTransport(t *testing.T) {
	p := new(payment)
	type own struct{ mcp.Transport }
	url := p.serve(t)
	dial := func() mcp.Transport { return own{&mcp.StreamableClientTransport{Endpoint: url}} }
	r := registry(t, connect(t, dial, nil), nil)
	p.forgets()
	if _, err := do(t, t.Context(), r, "pay", `{}`); !errors.Is(err, mcpkit.ErrUnavailable) || notDone(t, err) {
		t.Errorf("error = %v", err)
	}
	if got, err := do(t, t.Context(), r, "pay", `{}`); err != nil || p.paid.Load() != 1 {
		t.Errorf("the next call: %s, %v", got, err)
	}
}

// The SDK takes two error codes of a server for its own error that a connection is closed.
func TestClosingCodes(t *testing.T) {
	noLeak(t)
	var calls atomic.Int32
	s := mcp.NewServer(&mcp.Implementation{Name: "bank"}, nil)
	s.AddTool(tool("pay", anyObject), func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		calls.Add(1)
		return nil, &jsonrpc.Error{Code: -32004, Message: "too poor"}
	})
	sessions := make(chan *mcp.ServerSession, 10)
	r := registry(t, connect(t, func() mcp.Transport {
		ours, theirs := mcp.NewInMemoryTransports()
		session, err := s.Connect(context.Background(), theirs, nil)
		if err != nil {
			panic(err)
		}
		sessions <- session
		return ours
	}, nil), nil)
	_, err := do(t, t.Context(), r, "pay", `{}`)
	if calls.Load() != 1 || err == nil || !strings.Contains(err.Error(), "too poor") || notDone(t, err) {
		t.Errorf("taken %d times: %v", calls.Load(), err)
	}
	if len(sessions) != 1 {
		t.Errorf("%d sessions", len(sessions))
	}
	(<-sessions).Close()
}

// An invalid message ends the connection. It is not the response to a call.
func TestNoMessage(t *testing.T) {
	noLeak(t)
	ours, theirs := net.Pipe()
	defer theirs.Close()
	var calls atomic.Int32
	go speak(theirs, func(id json.RawMessage) string { calls.Add(1); return `{"jsonrpc":"2.0"}` })
	transport := &mcp.IOTransport{Reader: ours, Writer: ours}
	c, err := mcpkit.Connect(t.Context(), func() mcp.Transport { return transport }, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	_, err = do(t, t.Context(), registry(t, c, nil), "pay", `{}`)
	if !errors.Is(err, mcpkit.ErrUnavailable) || calls.Load() != 1 || notDone(t, err) {
		t.Errorf("called %d times: %v", calls.Load(), err)
	}
}

// speak runs a server at the other end of a pipe.
func speak(conn net.Conn, call func(id json.RawMessage) string) {
	for in := json.NewDecoder(conn); ; {
		var req struct {
			ID     json.RawMessage
			Method string
		}
		if in.Decode(&req) != nil {
			return
		}
		var err error
		switch req.Method {
		case "initialize":
			_, err = fmt.Fprintf(conn, `{"jsonrpc":"2.0","id":%s,"result":%s}`+"\n", req.ID, initialized)
		case "tools/list":
			_, err = fmt.Fprintf(conn, `{"jsonrpc":"2.0","id":%s,"result":%s}`+"\n", req.ID, payTool)
		case "tools/call":
			_, err = fmt.Fprintln(conn, call(req.ID))
		case "server/discover":
			_, err = fmt.Fprintf(conn, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no such method"}}`+"\n", req.ID)
		}
		if err != nil {
			return
		}
	}
}

// The result of Meta must be valid as JSON.
func TestMetaNoJSON(t *testing.T) {
	p := new(payment)
	c := connect(t, mcpkit.HTTP(p.serve(t), nil), &mcpkit.ClientOptions{
		Meta: func(context.Context) map[string]any { return map[string]any{"user": func() {}} },
	})
	if _, err := do(t, t.Context(), registry(t, c, nil), "pay", `{}`); err == nil || !notDone(t, err) || p.paid.Load() != 0 {
		t.Errorf("taken %d times: %v", p.paid.Load(), err)
	}
}
