// Package providertest tests the packages for model providers on their wire format, over real local HTTP: a server that
// says what a test wants, and the tests that every provider has to pass.
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
	"testing"
	"time"
)

// Key is the key that models are given. No error may tell it.
const Key = "sk-test-0123456789abcdef"

// Wire is a server that answers as it is told to, and remembers what it was sent last.
type Wire struct {
	*httptest.Server
	Path   string
	Header http.Header
	Body   map[string]any
	Raw    string
}

// Serve starts a server, which ends with the test.
func Serve(t *testing.T, handle http.HandlerFunc) *Wire {
	t.Helper()
	s := &Wire{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		raw, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		s.Path, s.Header, s.Raw, s.Body = r.URL.Path, r.Header.Clone(), string(raw), nil
		if err := json.Unmarshal(raw, &s.Body); err != nil {
			t.Errorf("the request is not JSON: %v", err)
		}
		handle(w, r)
	}))
	t.Cleanup(s.Close)
	return s
}

// Client is a client for s. Its connections end with the test, and then no goroutine may be left of it.
func (s *Wire) Client(t *testing.T) *http.Client {
	before := runtime.NumGoroutine()
	transport := &http.Transport{}
	t.Cleanup(func() {
		transport.CloseIdleConnections()
		s.CloseClientConnections()
		for range 200 {
			if runtime.NumGoroutine() <= before {
				return
			}
			time.Sleep(10 * time.Millisecond)
		}
		stacks := make([]byte, 1<<16)
		t.Errorf("goroutines are left:\n%s", stacks[:runtime.Stack(stacks, true)])
	})
	return &http.Client{Transport: transport}
}

// Body answers with a JSON body, and with pairs of header names and values.
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

// Events answers with server-sent events as they are written.
func Events(events ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
		for _, e := range events {
			io.WriteString(w, e)
			w.(http.Flusher).Flush()
		}
	}
}

// RoundTrip is a function as an [http.RoundTripper].
type RoundTrip func(*http.Request) (*http.Response, error)

// RoundTrip calls f.
func (f RoundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// Answering is a client whose server answers anything with this, and keeps in sent what it was sent.
func Answering(status int, contentType string, reply []byte, sent *[]byte) *http.Client {
	return &http.Client{Transport: RoundTrip(func(r *http.Request) (*http.Response, error) {
		*sent, _ = io.ReadAll(r.Body)
		return &http.Response{
			StatusCode: status, ProtoMajor: 1, ProtoMinor: 1, Request: r,
			Header: http.Header{"Content-Type": {contentType}, "Retry-After": {string(reply)}},
			Body:   io.NopCloser(bytes.NewReader(reply)),
		}, nil
	})}
}

// NoKey fails where an error tells the key, or more of a body than it should.
func NoKey(t *testing.T, err error) {
	t.Helper()
	for _, text := range []string{err.Error(), fmt.Sprintf("%+v", err), fmt.Sprintf("%q", err)} {
		if strings.Contains(text, Key) {
			t.Errorf("the error tells the key: %s", text)
		}
	}
	if len(err.Error()) > 700 {
		t.Errorf("the error is %d bytes long", len(err.Error()))
	}
}
