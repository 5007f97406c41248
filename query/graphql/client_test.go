package graphql_test

import (
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed/query/graphql"
	"github.com/qedkit/qed/retry"
)

const key = "Bearer very-secret-token"

// serve starts a server and returns a client of it that does not wait before it
// repeats a request.
func serve(t testing.TB, handler http.HandlerFunc, change func(*graphql.ClientOptions)) *graphql.Client {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	opt := &graphql.ClientOptions{Header: http.Header{"Authorization": {key}}, Retry: retry.Policy{Attempts: 3, Wait: -1}}
	if change != nil {
		change(opt)
	}
	c, err := graphql.NewClient(server.URL+"/graphql?key=url-secret", opt)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func people(t testing.TB) *graphql.Query {
	t.Helper()
	q, err := newGuard(t, shop, nil).Check(`query($n: Int) { people(first: $n) { id } }`, json.RawMessage(`{"n": 2}`))
	if err != nil {
		t.Fatal(err)
	}
	return q
}

func TestRun(t *testing.T) {
	var method, contentType, accept, auth, body string
	c := serve(t, func(w http.ResponseWriter, r *http.Request) {
		raw, _ := io.ReadAll(r.Body)
		method, contentType, accept, auth, body = r.Method, r.Header.Get("Content-Type"), r.Header.Get("Accept"), r.Header.Get("Authorization"), string(raw)
		w.Header().Set("Content-Type", "application/graphql-response+json; charset=utf-8")
		io.WriteString(w, `{"data": {"people": [{"id": 12345678901234567890.10}, null]}, "extensions": {"ms": 3},
			"errors": [{"message": "lost", "path": ["people", 1, "id"], "locations": [{"line": 1, "column": 1}], "extensions": {"code": "LOST"}}]}`)
	}, nil)
	result, err := c.Run(t.Context(), people(t))
	if err != nil {
		t.Fatal(err)
	}
	want := &graphql.Result{
		Data:   json.RawMessage(`{"people": [{"id": 12345678901234567890.10}, null]}`),
		Errors: []graphql.FieldError{{Message: "lost", Path: []any{"people", 1, "id"}, Code: "LOST"}},
	}
	if d := cmp.Diff(want, result); d != "" {
		t.Error(d)
	}
	if method != "POST" || contentType != "application/json" || !strings.HasPrefix(accept, "application/graphql-response+json") || !strings.Contains(accept, "application/json") || auth != key {
		t.Errorf("sent %s, %s, %s, %s", method, contentType, accept, auth)
	}
	if want := `{"query":"query($n: Int) { people(first: $n) { id } }","variables":{"n":2}}`; body != want {
		t.Errorf("sent %s", body)
	}
}

func TestAnswers(t *testing.T) {
	const good = `{"data":{"people":[]}}`
	const bad = `{"errors":[{"message":"no such thing for Bearer very-secret-token or very-secret-token","extensions":{"request":"very-secret-token"}}]}`
	for _, test := range []struct {
		name   string
		status int
		media  string
		body   string
		kind   error // nil: there is data
		calls  int32
	}{
		{"data", 200, "application/json", good, nil, 1},
		{"data with a status of failure", 500, "application/graphql-response+json", good, nil, 1},
		{"data of a proxy", 500, "application/json", good, graphql.ErrUnavailable, 3},
		{"errors", 200, "application/json", bad, graphql.ErrBadRequest, 1},
		{"errors, data null", 200, "application/json", `{"data":null,"errors":[{"message":"x"}]}`, graphql.ErrBadRequest, 1},
		{"errors with 400", 400, "application/json", bad, graphql.ErrBadRequest, 1},
		{"errors with 422", 422, "application/graphql-response+json", bad, graphql.ErrBadRequest, 1},
		{"code for credentials", 200, "application/json", `{"errors":[{"message":"x","extensions":{"code":"UNAUTHENTICATED"}}]}`, graphql.ErrAuth, 1},
		{"code for too many", 200, "application/json", `{"errors":[{"message":"x","extensions":{"code":"THROTTLED"}}]}`, graphql.ErrRateLimit, 3},
		{"extensions of another form", 200, "application/json", `{"errors":[{"message":"x","extensions":["code"]}]}`, graphql.ErrBadRequest, 1},
		{"401", 401, "text/plain", `very-secret-token`, graphql.ErrAuth, 1},
		{"403", 403, "application/json", bad, graphql.ErrAuth, 1},
		{"404", 404, "text/html", `<html>`, graphql.ErrProtocol, 1},
		{"405", 405, "text/html", `<html>`, graphql.ErrProtocol, 1},
		{"429", 429, "text/html", `<html>`, graphql.ErrRateLimit, 3},
		{"500", 500, "text/html", `<html>`, graphql.ErrUnavailable, 3},
		{"502", 502, "text/html", `<html>`, graphql.ErrUnavailable, 3},
		{"504", 504, "text/html", `<html>`, graphql.ErrTimeout, 3},
		{"a page", 200, "text/html", `<html>very-secret-token</html>`, graphql.ErrProtocol, 1},
		{"no media type", 200, "", good, graphql.ErrProtocol, 1},
		{"events", 200, "text/event-stream", `data: {}`, graphql.ErrProtocol, 1},
		{"increments", 200, "multipart/mixed; boundary=-", `---`, graphql.ErrProtocol, 1},
		{"no JSON", 200, "application/json", `{"data":`, graphql.ErrProtocol, 1},
		{"nothing", 200, "application/json", ``, graphql.ErrProtocol, 1},
		{"null", 200, "application/json", `null`, graphql.ErrProtocol, 1},
		{"a list", 200, "application/json", `[` + good + `]`, graphql.ErrProtocol, 1},
		{"neither", 200, "application/json", `{}`, graphql.ErrProtocol, 1},
		{"names in another case", 200, "application/json", `{"Data":{"people":[]}}`, graphql.ErrProtocol, 1},
		{"data null", 200, "application/json", `{"data":null}`, graphql.ErrProtocol, 1},
		{"data of another form", 200, "application/json", `{"data":[1]}`, graphql.ErrProtocol, 1},
		{"errors of another form", 200, "application/json", `{"data":{},"errors":{"a":1}}`, graphql.ErrProtocol, 1},
		{"path of another form", 200, "application/json", `{"data":{},"errors":[{"message":"","path":[{}]}]}`, graphql.ErrProtocol, 1},
		{"two answers", 200, "application/json", good + good, graphql.ErrProtocol, 1},
		{"large", 200, "application/json", `{"data":{"a":"` + strings.Repeat("x", 17<<20) + `"}}`, graphql.ErrResponseTooLarge, 1},
		{"large error", 502, "text/html", strings.Repeat("x", 17<<20), graphql.ErrResponseTooLarge, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			var calls atomic.Int32
			c := serve(t, func(w http.ResponseWriter, r *http.Request) {
				calls.Add(1)
				w.Header().Set("Content-Type", test.media)
				w.WriteHeader(test.status)
				io.WriteString(w, test.body)
			}, nil)
			result, err := c.Run(t.Context(), people(t))
			switch {
			case test.kind == nil && err != nil, test.kind != nil && !errors.Is(err, test.kind):
				t.Fatalf("got %v, want %v", err, test.kind)
			case err == nil && result.Data == nil:
				t.Error("no data and no error")
			case err != nil:
				noSecret(t, err)
			}
			if calls.Load() != test.calls {
				t.Errorf("called %d times, want %d", calls.Load(), test.calls)
			}
		})
	}
}

func noSecret(t testing.TB, err error) {
	t.Helper()
	var e *graphql.Error
	if !errors.As(err, &e) {
		t.Fatalf("%v is not an *Error", err)
	}
	text, _ := json.Marshal(e.Errors)
	if s := e.Error() + string(text); strings.Contains(s, "secret") {
		t.Errorf("the error reveals a secret: %s", s)
	}
	if len(e.Error()) > 500 {
		t.Errorf("the error has %d bytes", len(e.Error()))
	}
}

func TestCompressedAnswerIsBounded(t *testing.T) {
	c := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Encoding", "gzip")
		z := gzip.NewWriter(w)
		io.WriteString(z, `{"data":{"a":"`+strings.Repeat("x", 20<<20)+`"}}`)
		z.Close()
	}, nil)
	if _, err := c.Run(t.Context(), people(t)); !errors.Is(err, graphql.ErrResponseTooLarge) {
		t.Errorf("got %v", err)
	}
}

func TestRedirectsAreNotFollowed(t *testing.T) {
	var reached atomic.Bool
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { reached.Store(true) }))
	defer other.Close()
	for _, status := range []int{301, 302, 307, 308} {
		c := serve(t, func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, other.URL, status) },
			func(opt *graphql.ClientOptions) { opt.HTTPClient = &http.Client{} })
		_, err := c.Run(t.Context(), people(t))
		if !errors.Is(err, graphql.ErrProtocol) {
			t.Errorf("%d: got %v", status, err)
		}
		noSecret(t, err)
	}
	if reached.Load() {
		t.Error("a redirect was followed")
	}
}

func TestRetries(t *testing.T) {
	var calls atomic.Int32
	flaky := func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if calls.Add(1) < 3 {
			w.Header().Set("Retry-After", "0")
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		io.WriteString(w, `{"data":{"people":[]}}`)
	}
	if _, err := serve(t, flaky, nil).Run(t.Context(), people(t)); err != nil || calls.Load() != 3 {
		t.Errorf("got %v after %d calls", err, calls.Load())
	}
	calls.Store(0)
	never := func(opt *graphql.ClientOptions) { opt.Retry.Attempts = 1 }
	if _, err := serve(t, flaky, never).Run(t.Context(), people(t)); !errors.Is(err, graphql.ErrUnavailable) || calls.Load() != 1 {
		t.Errorf("got %v after %d calls", err, calls.Load())
	}
}

func TestRetryAfter(t *testing.T) {
	for value, want := range map[string]time.Duration{"3600": time.Hour, "x": 0, "-1": 0, "1e300": 24 * time.Hour} {
		var calls atomic.Int32
		c := serve(t, func(w http.ResponseWriter, r *http.Request) {
			calls.Add(1)
			w.Header().Set("Retry-After", value)
			w.WriteHeader(http.StatusTooManyRequests)
		}, nil)
		_, err := c.Run(t.Context(), people(t))
		var e *graphql.Error
		if !errors.As(err, &e) || e.Kind != graphql.ErrRateLimit || e.RetryAfter != want {
			t.Errorf("%s: got %+v", value, err)
		}
		// A wait longer than MaxWait: the error is returned at once.
		if want > 0 != (calls.Load() == 1) {
			t.Errorf("%s: called %d times", value, calls.Load())
		}
	}
}

func TestContexts(t *testing.T) {
	release := make(chan struct{})
	hang := func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.ReadAll(r.Body)
		select {
		case <-r.Context().Done():
		case <-release:
		}
	}
	t.Cleanup(func() { close(release) })

	c := serve(t, hang, nil)
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(20*time.Millisecond, cancel)
	if _, err := c.Run(ctx, people(t)); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	ctx, cancel = context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, err := c.Run(ctx, people(t)); !errors.Is(err, graphql.ErrTimeout) || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("deadline: %v", err)
	}
	c = serve(t, hang, func(opt *graphql.ClientOptions) { opt.HTTPClient = &http.Client{Timeout: 10 * time.Millisecond} })
	_, err := c.Run(t.Context(), people(t))
	if !errors.Is(err, graphql.ErrTimeout) {
		t.Errorf("time-out: %v", err)
	}
	noSecret(t, err)

	// Cancelling the context ends the wait.
	c = serve(t, func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(503) },
		func(opt *graphql.ClientOptions) { opt.Retry = retry.Policy{Wait: time.Hour, MaxWait: time.Hour} })
	ctx, cancel = context.WithCancel(t.Context())
	time.AfterFunc(20*time.Millisecond, cancel)
	if _, err := c.Run(ctx, people(t)); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled while waiting: %v", err)
	}
	// A wait that would outlast the deadline is not begun.
	ctx, cancel = context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	if _, err := c.Run(ctx, people(t)); !errors.Is(err, graphql.ErrUnavailable) {
		t.Errorf("a wait longer than the deadline: %v", err)
	}
}

func TestNoServer(t *testing.T) {
	server := httptest.NewServer(nil)
	server.Close()
	c, err := graphql.NewClient(server.URL+"?key=url-secret", &graphql.ClientOptions{Retry: retry.Policy{Attempts: 1}})
	if err != nil {
		t.Fatal(err)
	}
	_, err = c.Run(t.Context(), people(t))
	if !errors.Is(err, graphql.ErrUnavailable) {
		t.Errorf("got %v", err)
	}
	noSecret(t, err)
}

func TestInvalidOptions(t *testing.T) {
	for _, test := range []struct {
		url string
		opt *graphql.ClientOptions
	}{
		{"", nil},
		{"/graphql", nil},
		{"ftp://h/", nil},
		{"http://u:secret@h/", nil},
		{"http://h/\x7f", nil},
		{"http://h/", &graphql.ClientOptions{Retry: retry.Policy{Attempts: -1}}},
		{"http://h/", &graphql.ClientOptions{Header: http.Header{"Authorization": {"Bearer secret\n"}}}},
		{"http://h/", &graphql.ClientOptions{Header: http.Header{"A\n": {"x"}}}},
	} {
		_, err := graphql.NewClient(test.url, test.opt)
		if err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s, %+v: %v", test.url, test.opt, err)
		}
	}
}

func TestQueriesOfNoGuardAreNotSent(t *testing.T) {
	c := serve(t, func(http.ResponseWriter, *http.Request) { t.Error("something was sent") }, nil)
	for _, q := range []*graphql.Query{nil, {}} {
		if _, err := c.Run(t.Context(), q); err == nil {
			t.Errorf("%v was sent", q)
		}
	}
}

func TestSchemaFromServer(t *testing.T) {
	const newest = `{"errors":[{"message":"Cannot query field isOneOf"}]}`
	for name, responses := range map[string][]string{"modern": {answer("")}, "old": {newest, answer("")}} {
		t.Run(name, func(t *testing.T) {
			var asked []string
			c := serve(t, func(w http.ResponseWriter, r *http.Request) {
				raw, _ := io.ReadAll(r.Body)
				asked = append(asked, string(raw))
				w.Header().Set("Content-Type", "application/json")
				io.WriteString(w, responses[len(asked)-1])
			}, nil)
			schema, err := c.Schema(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if g, err := graphql.NewGuard(schema, nil); err != nil {
				t.Error(err)
			} else if _, err := g.Check(`{ a }`, nil); err != nil {
				t.Error(err)
			}
			for i, query := range asked {
				for _, part := range []string{"isOneOf", "inputFields(includeDeprecated: true)"} {
					if strings.Contains(query, part) != (i == 0) {
						t.Errorf("request %d: %s", i, query)
					}
				}
			}
		})
	}
	for _, test := range []struct {
		name, body string
		status     int
		want       error
	}{
		{"introspection off", `{"errors":[{"message":"introspection is off"}]}`, 200, graphql.ErrBadRequest},
		{"wrong credentials", `{}`, 401, graphql.ErrAuth},
		{"no schema", `{"data":{}}`, 200, graphql.ErrInvalidSchema},
		{"half a schema", `{"data":{"__schema":null},"errors":[{"message":"x"}]}`, 200, graphql.ErrInvalidSchema},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := serve(t, func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "application/json")
				w.WriteHeader(test.status)
				io.WriteString(w, test.body)
			}, nil)
			if _, err := c.Schema(t.Context()); !errors.Is(err, test.want) {
				t.Errorf("got %v", err)
			}
		})
	}
}
