// Package providertest tests the packages of model providers over local HTTP. It
// has a fake server and the tests that every provider must pass.
package providertest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/qedkit/qed/internal/poll"
)

// Key is the API key in tests. No error may contain it.
const Key = "sk-test-0123456789abcdef"

// A Server is a fake server. It records the last request that arrived whole.
type Server struct {
	*httptest.Server

	mu sync.Mutex // a request that the client left can arrive beside the next one

	Path   string
	Header http.Header
	Body   map[string]any
	Raw    string
}

// Serve starts a server, which is closed at the end of the test.
func Serve(t *testing.T, handle http.HandlerFunc) *Server {
	t.Helper()
	s := &Server{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if s.record(t, r) {
			handle(w, r)
		}
	}))
	t.Cleanup(s.Close)
	return s
}

// record reports whether the request arrived whole.
func (s *Server) record(t *testing.T, r *http.Request) bool {
	raw, err := io.ReadAll(r.Body)
	if err != nil {
		if r.Context().Err() == nil {
			t.Error(err)
		}
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.Path, s.Header, s.Raw, s.Body = r.URL.Path, r.Header.Clone(), string(raw), nil
	if err := json.Unmarshal(raw, &s.Body); err != nil {
		t.Errorf("the request is not JSON: %v", err)
	}
	return true
}

// Client returns a client for s. Its connections are closed at the end of the test,
// which fails if a goroutine is left.
func (s *Server) Client(t *testing.T) *http.Client {
	before := runtime.NumGoroutine()
	transport := &http.Transport{}
	t.Cleanup(func() {
		transport.CloseIdleConnections()
		s.CloseClientConnections()
		poll.Goroutines(t, before)
	})
	return &http.Client{Transport: transport}
}

// Body returns a handler that sends a JSON body. header has pairs of names and
// values.
func Body(status int, text string, header ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		for i := 0; i+1 < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(status)
		io.WriteString(w, text)
	}
}

// Events returns a handler that sends server-sent events.
func Events(events ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
		for _, e := range events {
			io.WriteString(w, e)
			w.(http.Flusher).Flush()
		}
	}
}

// RoundTrip is a function that implements [http.RoundTripper].
type RoundTrip func(*http.Request) (*http.Response, error)

// RoundTrip calls f.
func (f RoundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// FakeClient returns a client that gets this response to every request. It sets
// sent to the body of the request.
func FakeClient(status int, contentType string, reply []byte, sent *[]byte) *http.Client {
	return &http.Client{Transport: RoundTrip(func(r *http.Request) (*http.Response, error) {
		*sent, _ = io.ReadAll(r.Body)
		return &http.Response{
			StatusCode: status, ProtoMajor: 1, ProtoMinor: 1, Request: r,
			Header: http.Header{"Content-Type": {contentType}, "Retry-After": {string(reply)}},
			Body:   io.NopCloser(bytes.NewReader(reply)),
		}, nil
	})}
}

// CheckNoKey fails the test if an error contains the key or is very long.
func CheckNoKey(t *testing.T, err error) {
	t.Helper()
	for _, text := range []string{err.Error(), fmt.Sprintf("%+v", err), fmt.Sprintf("%q", err)} {
		if strings.Contains(text, Key) {
			t.Errorf("the error contains the key: %s", text)
		}
	}
	if len(err.Error()) > 700 {
		t.Errorf("the error is %d bytes long", len(err.Error()))
	}
}
