package serve_test

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/servetest"
	"github.com/qedkit/qed/serve"
)

// A frame is a server-sent event.
type frame struct{ id, data string }

// nextFrame reads the next server-sent event.
func nextFrame(r *bufio.Reader) (f frame, ok bool) {
	for {
		line, err := r.ReadString('\n')
		if err != nil {
			return frame{}, false
		}
		line = strings.TrimSuffix(line, "\n")
		switch {
		case line == "" && f.data != "":
			return f, true
		case strings.HasPrefix(line, "id: "):
			f.id = line[4:]
		case strings.HasPrefix(line, "data: "):
			f.data = line[6:]
		}
	}
}

// A response is a response that was read to its end.
type response struct {
	status int
	header http.Header
	body   string
	frames []frame
}

// data returns the data of the frames.
func (r response) data() []string {
	var all []string
	for _, f := range r.frames {
		all = append(all, f.data)
	}
	return all
}

// send sends a request and reads the response. header has names and values in turn.
func send(t testing.TB, method, url, body string, header ...string) response {
	t.Helper()
	return sendBy(t, http.DefaultClient, method, url, body, header...)
}

// sendBy is send with another client.
func sendBy(t testing.TB, client *http.Client, method, url, body string, header ...string) response {
	t.Helper()
	resp, err := tryOpen(client, t.Context(), method, url, body, header...)
	if err != nil {
		t.Error(err) // a goroutine cannot end the test
		return response{}
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Error(err)
		return response{}
	}
	got := response{status: resp.StatusCode, header: resp.Header, body: string(text)}
	for r := bufio.NewReader(strings.NewReader(got.body)); ; {
		f, ok := nextFrame(r)
		if !ok {
			return got
		}
		got.frames = append(got.frames, f)
	}
}

// open sends a request, whose response the caller reads.
func open(t testing.TB, ctx context.Context, method, url, body string, header ...string) *http.Response {
	t.Helper()
	return openBy(t, http.DefaultClient, ctx, method, url, body, header...)
}

func openBy(t testing.TB, client *http.Client, ctx context.Context, method, url, body string, header ...string) *http.Response {
	t.Helper()
	resp, err := tryOpen(client, ctx, method, url, body, header...)
	if err != nil {
		t.Fatal(err)
	}
	return resp
}

func tryOpen(client *http.Client, ctx context.Context, method, url, body string, header ...string) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, method, url, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	if method == http.MethodPost {
		r.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i < len(header); i += 2 {
		if header[i] == "Host" {
			r.Host = header[i+1]
			continue
		}
		r.Header.Set(header[i], header[i+1])
	}
	return client.Do(r)
}

// newServer serves an agent.
func newServer(t testing.TB, agent qed.Agent, opt *serve.Options) (url string, h *serve.Handler) {
	t.Helper()
	own := serve.Options{}
	if opt != nil {
		own = *opt
	}
	if own.Logger == nil {
		own.Logger = slog.New(slog.DiscardHandler)
	}
	h = serve.New(agent, &own)
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s.URL, h
}

// byHeader reads the caller from headers that a host's middleware would set.
func byHeader(r *http.Request) (context.Context, serve.Caller, error) {
	user := r.Header.Get("User")
	if user == "" {
		return nil, serve.Caller{}, http.ErrNoCookie
	}
	return nil, serve.Caller{User: user, Tenant: r.Header.Get("Tenant"), Backend: user == "backend"}, nil
}

// chat returns the body of a request to /internal/chat/stream.
func chat(thread, message string) string {
	return encode(map[string]any{
		"input": map[string]any{"message": message}, "conversation": map[string]any{"id": thread},
	})
}

// reply is like chat, with a reply to a question.
func reply(thread, question string, value any) string {
	return encode(map[string]any{
		"input":        map[string]any{"replies": []any{map[string]any{"question": question, "value": value}}},
		"conversation": map[string]any{"id": thread},
	})
}

func encode(v any) string {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(raw)
}

// rich is the agent of most tests.
var rich = servetest.Agent
