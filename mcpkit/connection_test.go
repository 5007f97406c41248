package mcpkit_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/poll"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/mcpkit"
)

// If the process dies, the running call fails and the next call starts a new process.
func TestServerDies(t *testing.T) {
	noLeak(t)
	r := registry(t, connect(t, command("plain"), nil), nil)
	before, err := do(t, t.Context(), r, "pid", ``)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := do(t, t.Context(), r, "die", ``); !errors.Is(err, mcpkit.ErrUnavailable) {
		t.Errorf("the call under which it died: %v", err)
	}
	after, err := do(t, t.Context(), r, "pid", ``)
	if err != nil || after == before {
		t.Errorf("pid %s before, %s after, %v", before, after, err)
	}
}

// After a restart, a server over HTTP does not know the session: the client makes a new one.
func TestSessionLost(t *testing.T) {
	noLeak(t)
	var handler atomic.Pointer[mcp.StreamableHTTPHandler]
	fresh := func() {
		s := testServer("plain")
		handler.Store(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s }, nil))
		t.Cleanup(func() {
			for session := range s.Sessions() {
				session.Close()
			}
		})
	}
	fresh()
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { handler.Load().ServeHTTP(w, r) }))
	t.Cleanup(func() { web.CloseClientConnections(); web.Close() })
	r := registry(t, connect(t, mcpkit.HTTP(web.URL, nil), nil), nil)
	fresh()
	for range 2 {
		if got, err := do(t, t.Context(), r, "echo", `{}`); got != `{"text":"{}"}` || err != nil {
			t.Errorf("%s, %v", got, err)
		}
	}
}

// If the server cannot be reached, calls after the first attempt fail at once.
func TestUnreachable(t *testing.T) {
	noLeak(t)
	dial, web := overHTTP(t, testServer("plain"), nil)
	r := registry(t, connect(t, dial, nil), nil)
	web.CloseClientConnections()
	web.Close()
	for range 3 {
		_, err := do(t, t.Context(), r, "echo", `{}`)
		if !errors.Is(err, mcpkit.ErrUnavailable) || strings.Contains(err.Error(), "127.0.0.1") {
			t.Errorf("error = %v", err)
		}
	}
	if _, err := mcpkit.Connect(t.Context(), dial, nil); !errors.Is(err, mcpkit.ErrUnavailable) {
		t.Errorf("Connect: %v", err)
	}
	for address, says := range map[string][]string{
		web.URL + "/mcp?key=hunter2":          {strings.TrimPrefix(web.URL, "http://"), "refused"},
		"ftp://user:hunter2@example.com":      {"http"},
		refusing(t, http.StatusUnauthorized):  {"127.0.0.1", "401", "authorized"},
		refusing(t, http.StatusNotFound):      {"127.0.0.1", "404"},
		refusing(t, http.StatusNotAcceptable): {"127.0.0.1", "406"},
	} {
		_, err := mcpkit.Connect(t.Context(), mcpkit.HTTP(address, nil), nil)
		if !errors.Is(err, mcpkit.ErrUnavailable) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: %v", address, err)
		}
		for _, part := range says {
			if !strings.Contains(err.Error(), part) {
				t.Errorf("%s: %v does not say %s", address, err, part)
			}
		}
	}
	plain := func() mcp.Transport { return &mcp.StreamableClientTransport{Endpoint: web.URL} }
	if _, err := mcpkit.Connect(t.Context(), plain, nil); !errors.Is(err, mcpkit.ErrUnavailable) || !strings.Contains(err.Error(), "refused") {
		t.Errorf("Connect by a transport of the SDK's: %v", err)
	}
	none := mcpkit.Command(func() *exec.Cmd { return exec.Command("/nonexistent/server", "-key=hunter2") })
	if _, err := mcpkit.Connect(t.Context(), none, nil); !errors.Is(err, mcpkit.ErrUnavailable) || !errors.Is(err, os.ErrNotExist) ||
		!strings.Contains(err.Error(), "server") || strings.Contains(err.Error(), "hunter2") {
		t.Errorf("Connect to no program: %v", err)
	}
}

// refusing returns the URL of a server that returns one status.
func refusing(t *testing.T, status int) string {
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) }))
	t.Cleanup(web.Close)
	return web.URL + "/?key=hunter2"
}

// A silent server does not block longer than the context.
func TestSilent(t *testing.T) {
	noLeak(t)
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	if _, err := mcpkit.Connect(ctx, command("silent"), nil); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Connect: %v", err)
	}
}

// 50 MB in one line or body end the connection.
func TestFlood(t *testing.T) {
	if testing.Short() {
		t.Skip("reads until the bounds")
	}
	noLeak(t)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	if _, err := mcpkit.Connect(ctx, command("flood"), nil); !errors.Is(err, mcpkit.ErrUnavailable) {
		t.Errorf("a command: %v", err)
	}
	body := strings.Repeat("a", 50<<20)
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":1,"result":{"x":"%s"}}`, body)
	}))
	defer web.Close()
	if _, err := mcpkit.Connect(ctx, mcpkit.HTTP(web.URL, nil), nil); !errors.Is(err, mcpkit.ErrUnavailable) {
		t.Errorf("over HTTP: %v", err)
	}
}

// A result of 17 MB fails its call; the next one gets a new connection.
func TestHugeResult(t *testing.T) {
	if testing.Short() {
		t.Skip("sends 17 MB over each transport")
	}
	for name, dial := range map[string]func(*testing.T) mcpkit.Dialer{
		"stdio": func(*testing.T) mcpkit.Dialer { return command("plain") },
		"http":  func(t *testing.T) mcpkit.Dialer { d, _ := overHTTP(t, testServer("plain"), nil); return d },
		"http, JSON": func(t *testing.T) mcpkit.Dialer {
			d, _ := overHTTP(t, testServer("plain"), &mcp.StreamableHTTPOptions{JSONResponse: true})
			return d
		},
	} {
		t.Run(name, func(t *testing.T) {
			noLeak(t)
			r := registry(t, connect(t, dial(t), nil), nil)
			if _, err := do(t, t.Context(), r, "huge", ``); err == nil {
				t.Error("it was taken")
			}
			if got, err := do(t, t.Context(), r, "echo", `{}`); got != `{"text":"{}"}` || err != nil {
				t.Errorf("the next call: %s, %v", got, err)
			}
		})
	}
}

// A process that stops reading blocks neither a call longer than its timeout nor Close.
func TestDeaf(t *testing.T) {
	if testing.Short() {
		t.Skip("waits until a process is killed")
	}
	noLeak(t)
	c := connect(t, command("deaf"), nil)
	r := registry(t, c, &qed.RegistryOptions{Timeout: 200 * time.Millisecond})
	if _, err := do(t, t.Context(), r, "stop_reading", ``); err == nil {
		t.Error("it answered")
	}
	if _, err := do(t, t.Context(), r, "echo", `{"a":"`+strings.Repeat("a", 1<<20)+`"}`); err == nil {
		t.Error("it answered to 1 MB")
	}
	c.Close()
}

func TestStubborn(t *testing.T) {
	if testing.Short() {
		t.Skip("waits until a process is killed")
	}
	noLeak(t)
	c := connect(t, command("stubborn"), nil)
	r := registry(t, c, nil)
	pid, err := do(t, t.Context(), r, "pid", ``)
	if err != nil {
		t.Fatal(err)
	}
	c.Close()
	var p struct{ Text string }
	if err := json.Unmarshal([]byte(pid), &p); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat("/proc/" + p.Text); err == nil {
		t.Errorf("process %s lives on", p.Text)
	}
}

func TestClose(t *testing.T) {
	transports(t, "plain", func(t *testing.T, dial mcpkit.Dialer) {
		c := connect(t, dial, nil)
		r := registry(t, c, nil)
		var calls sync.WaitGroup
		for range 4 {
			calls.Go(func() {
				if results, err := r.Do(t.Context(), llm.ToolCall{Name: "wait"}); err != nil || results[0].Err == nil {
					t.Errorf("a call under way: %v, %v", results, err)
				}
			})
		}
		poll.Until(t, "all calls are under way", func() bool {
			n, err := do(t, t.Context(), r, "waiting", ``)
			return err == nil && n == `{"text":"4"}`
		})
		if err := c.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
		calls.Wait()
		if _, err := do(t, t.Context(), r, "echo", ``); !errors.Is(err, mcpkit.ErrClosed) {
			t.Errorf("a call after Close: %v", err)
		}
		if _, err := c.Tools(t.Context()); !errors.Is(err, mcpkit.ErrClosed) {
			t.Errorf("Tools after Close: %v", err)
		}
		if err := c.Close(); err != nil {
			t.Errorf("Close again: %v", err)
		}
	})
}

// A redirect to another host would send the headers to that host.
func TestRedirect(t *testing.T) {
	noLeak(t)
	asked := false
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked = true }))
	defer other.Close()
	web := httptest.NewServer(http.RedirectHandler(other.URL, http.StatusTemporaryRedirect))
	defer web.Close()
	if _, err := mcpkit.Connect(t.Context(), mcpkit.HTTP(web.URL, nil), nil); !errors.Is(err, mcpkit.ErrUnavailable) || asked {
		t.Errorf("error = %v; the other host was asked: %v", err, asked)
	}
}
