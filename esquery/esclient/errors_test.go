package esclient_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed/esquery"
	"github.com/qedkit/qed/esquery/esclient"
	"github.com/qedkit/qed/esquery/estest"
	"github.com/qedkit/qed/retry"
)

func TestErrorKinds(t *testing.T) {
	const html = `<html><body>nginx</body></html>`
	for name, test := range map[string]struct {
		status int
		body   string
		kind   esquery.ErrorKind
		typ    string
		reason string // a part of it
		asked  int    // how often, with two attempts allowed
	}{
		"no such index": {404, failure("index_not_found_exception", "no such index [orders]"), esquery.ErrNotFound,
			"index_not_found_exception", "no such index [orders]", 1},
		"closed index":  {400, failure("index_closed_exception", "closed"), esquery.ErrNotFound, "index_closed_exception", "closed; create or open the index", 1},
		"unknown query": {400, failure("parsing_exception", "unknown query [termx]"), esquery.ErrBadRequest, "parsing_exception", "[termx]", 1},
		"the root and the bottom": {400, `{"error":{"type":"parsing_exception","reason":"Failed to parse","root_cause":[{"type":"parsing_exception","reason":"Failed to parse"}],
			"caused_by":{"type":"x","reason":"in between","caused_by":{"type":"y","reason":"[termx] is malformed"}}}}`,
			esquery.ErrBadRequest, "parsing_exception", "Failed to parse: [termx] is malformed", 1},
		"only a text":          {405, `{"error":"Incorrect HTTP method","status":405}`, esquery.ErrBadRequest, "", "Incorrect HTTP method", 1},
		"a null reason":        {400, `{"error":{"type":"x","reason":null}}`, esquery.ErrBadRequest, "x", "", 1},
		"not logged in":        {401, failure("security_exception", "missing credentials"), esquery.ErrAuth, "security_exception", "Options", 1},
		"not allowed":          {403, html, esquery.ErrAuth, "", "Options", 1},
		"too many requests":    {429, failure("es_rejected_execution_exception", "queue full"), esquery.ErrRateLimit, "es_rejected_execution_exception", "queue full", 2},
		"bad gateway":          {502, html, esquery.ErrUnavailable, "", "", 2},
		"unavailable":          {503, failure("cluster_block_exception", "blocked by: no master"), esquery.ErrUnavailable, "cluster_block_exception", "no master", 2},
		"gateway timeout":      {504, html, esquery.ErrTimeout, "", "", 2},
		"an impossible date":   {500, failure("date_time_exception", "Invalid date 'FEBRUARY 30'"), esquery.ErrBadRequest, "date_time_exception", "FEBRUARY 30", 1},
		"a fault":              {500, failure("null_pointer_exception", "oops"), esquery.ErrUnavailable, "null_pointer_exception", "oops", 2},
		"too many buckets":     {400, failure("too_many_buckets_exception", "Trying to create too many buckets"), esquery.ErrTooLarge, "too_many_buckets_exception", "too many", 1},
		"body too large":       {413, html, esquery.ErrTooLarge, "", "", 1},
		"a redirect":           {302, "", esquery.ErrProtocol, "", "URL", 1},
		"a page instead":       {200, html, esquery.ErrProtocol, "", "URL", 1},
		"another API":          {200, `{"ok":true}`, esquery.ErrProtocol, "", "URL", 1},
		"an array":             {200, `[]`, esquery.ErrProtocol, "", "URL", 1},
		"JSON that ends early": {200, found(1, hit(1))[:120], esquery.ErrProtocol, "", "URL", 1},
		"nothing":              {200, ``, esquery.ErrProtocol, "", "URL", 1},
		"a page not found":     {404, html, esquery.ErrProtocol, "", "URL", 1},
		"another API's error":  {400, `{"message":"no"}`, esquery.ErrProtocol, "", "URL", 1},
	} {
		t.Run(name, func(t *testing.T) {
			for what, ask := range map[string]func(*esclient.Client) error{
				"search": func(c *esclient.Client) error { _, err := c.Search(t.Context(), search(t, `{}`)); return err },
				"count":  func(c *esclient.Client) error { _, err := c.Count(t.Context(), search(t, `{}`)); return err },
				"fields": func(c *esclient.Client) error { _, err := c.Mapping(t.Context(), "orders"); return err },
			} {
				e := always(test.status, test.body)
				err := ask(newClient(t, e, esclient.Options{Retry: retry.Policy{Attempts: 2, Wait: -1}}))
				var failed *esquery.EngineError
				if !errors.Is(err, test.kind) || !errors.As(err, &failed) {
					t.Errorf("%s: %v, want %v", what, err, test.kind)
					continue
				}
				if failed.Type != test.typ || failed.Index != "orders" || failed.Status != test.status || !strings.Contains(failed.Reason, test.reason) {
					t.Errorf("%s: %+v", what, failed)
				}
				if what == "fields" && test.status == 200 {
					continue // Mapping makes two requests
				}
				if len(e.seen) != test.asked {
					t.Errorf("%s: asked %d times, want %d", what, len(e.seen), test.asked)
				}
			}
		})
	}
}

// A text of the server is shortened in an error and written on one line, without
// control characters and without the credentials that it repeats.
func TestReasonIsClean(t *testing.T) {
	e := always(400, failure("x", "pass\u001b[31m\nword s3same and key "+strings.Repeat("long ", 1000)))
	_, err := newClient(t, e, esclient.Options{Username: "u", Password: "s3same", Retry: retry.Policy{Attempts: 1}}).Search(t.Context(), search(t, `{}`))
	if text := err.Error(); strings.ContainsAny(text, "\n\x1b") || strings.Contains(text, "s3same") || len(text) > 700 {
		t.Errorf("the error is %q", text)
	}
}

func TestAnswerTooLarge(t *testing.T) {
	body := found(1, hit(1))
	c := newClient(t, always(200, body), esclient.Options{MaxBytes: int64(len(body)) - 1})
	if _, err := c.Search(t.Context(), search(t, `{}`)); !errors.Is(err, esquery.ErrTooLarge) {
		t.Errorf("one byte longer than the limit: %v", err)
	}
	c = newClient(t, always(200, body), esclient.Options{MaxBytes: int64(len(body))})
	if _, err := c.Search(t.Context(), search(t, `{}`)); err != nil {
		t.Errorf("as long as the limit: %v", err)
	}
}

// The waits are 2, 4 and 8 seconds, and half of each wait is random.
func TestDefaultRetry(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var at []time.Duration
		start := time.Now()
		e := &engine{answer: func(request) *http.Response {
			at = append(at, time.Since(start).Truncate(time.Second))
			return reply(503, "")
		}}
		_, err := newClient(t, e, esclient.Options{}).Search(t.Context(), search(t, `{}`))
		if !errors.Is(err, esquery.ErrUnavailable) || len(at) != 4 {
			t.Fatalf("%d attempts, %v", len(at), err)
		}
		for i, longest := range []time.Duration{2, 4, 8} {
			if waited := at[i+1] - at[i]; waited < (longest/2-1)*time.Second || waited > (longest+1)*time.Second {
				t.Errorf("waited %v before attempt %d", waited, i+2)
			}
		}
	})
}

func TestRetryAfter(t *testing.T) {
	for name, test := range map[string]struct {
		header string
		least  time.Duration // the shortest wait; 0: no other attempt
	}{
		"longer":       {"12", 12 * time.Second},
		"shorter":      {"1", time.Second},
		"a date":       {"Sat, 01 Jan 2000 00:00:20 GMT", 20 * time.Second}, // the first time of synctest
		"not a number": {"soon", time.Second},
		"far too long": {"3600", 0},
		"overflow":     {"99999999999999999999", 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				start := time.Now()
				asked := 0
				e := &engine{answer: func(request) *http.Response {
					if asked++; asked == 1 {
						return reply(429, "", "Retry-After", test.header)
					}
					return reply(200, found(0))
				}}
				_, err := newClient(t, e, esclient.Options{}).Search(t.Context(), search(t, `{}`))
				waited := time.Since(start)
				var limited *esquery.EngineError
				switch {
				case test.least == 0:
					if !errors.As(err, &limited) || limited.RetryAfter < time.Hour || waited != 0 {
						t.Errorf("%v after %v", err, waited)
					}
				case err != nil || waited < test.least || waited > test.least+2*time.Second:
					t.Errorf("%v after %v, want %v", err, waited, test.least)
				}
			})
		})
	}
}

// The timeout of an attempt without a response, which is not repeated; the caller's
// deadline, which no wait outlives; and a caller that cancels.
func TestTimeouts(t *testing.T) {
	silent := func() *engine { return &engine{answer: func(request) *http.Response { return nil }} }
	synctest.Test(t, func(t *testing.T) {
		e, start := silent(), time.Now()
		_, err := newClient(t, e, esclient.Options{Timeout: time.Second, Retry: retry.Policy{Attempts: 2, Wait: -1}}).Search(t.Context(), search(t, `{}`))
		if !errors.Is(err, esquery.ErrTimeout) || len(e.seen) != 1 || time.Since(start) != time.Second {
			t.Errorf("%v after %v and %d attempts", err, time.Since(start), len(e.seen))
		}
		if q := e.seen[0].URL.Query(); q.Get("timeout") != "900ms" {
			t.Errorf("parameters %v", q)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
		defer cancel()
		e := silent()
		_, err := newClient(t, e, esclient.Options{}).Search(ctx, search(t, `{}`))
		if !errors.Is(err, esquery.ErrTimeout) || !errors.Is(err, context.DeadlineExceeded) || len(e.seen) != 1 {
			t.Errorf("%v after %d attempts", err, len(e.seen))
		}
		if q := e.seen[0].URL.Query(); q.Get("timeout") != "2700ms" {
			t.Errorf("parameters %v", q)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		start := time.Now()
		_, err := newClient(t, always(503, ""), esclient.Options{}).Search(ctx, search(t, `{}`))
		if !errors.Is(err, esquery.ErrUnavailable) || time.Since(start) != 0 {
			t.Errorf("waited although the deadline is before the next attempt: %v after %v", err, time.Since(start))
		}
	})
	for name, e := range map[string]*engine{"waiting for an answer": silent(), "between two attempts": always(503, "")} {
		synctest.Test(t, func(t *testing.T) {
			bored := errors.New("the user left")
			ctx, cancel := context.WithCancelCause(t.Context())
			time.AfterFunc(time.Second, func() { cancel(bored) })
			_, err := newClient(t, e, esclient.Options{}).Search(ctx, search(t, `{}`))
			if !errors.Is(err, context.Canceled) || !errors.Is(err, bored) || len(e.seen) != 1 {
				t.Errorf("%s: %v after %d attempts", name, err, len(e.seen))
			}
		})
	}
}

// Failures below HTTP.
func TestConnections(t *testing.T) {
	s := search(t, `{}`)
	ask := func(t *testing.T, url string) error {
		t.Helper()
		c, err := esclient.New(&esclient.Options{URLs: []string{url}, Username: "u", Password: "s3same", Retry: retry.Policy{Attempts: 1}, Timeout: 5 * time.Second})
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		_, err = c.Search(t.Context(), s)
		if strings.Contains(fmt.Sprintf("%v", err), "s3same") {
			t.Errorf("the error holds the password: %v", err)
		}
		return err
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, found(0)) }))
	defer server.Close()
	secure := httptest.NewUnstartedServer(server.Config.Handler)
	secure.Config.ErrorLog = log.New(io.Discard, "", 0) // the failed handshakes of this test
	secure.StartTLS()
	defer secure.Close()
	cut := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", "1000")
		io.WriteString(w, `{"took":`)
	}))
	defer cut.Close()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	nobody := listener.Addr().String()
	listener.Close()

	for name, test := range map[string]struct {
		url  string
		kind error
	}{
		"all is well":                 {server.URL, nil},
		"nobody listens":              {"http://" + nobody, esquery.ErrUnavailable},
		"the host is unknown":         {"http://qed.invalid:9200", esquery.ErrUnavailable},
		"the answer breaks off":       {cut.URL, esquery.ErrUnavailable},
		"the certificate is unknown":  {secure.URL, esquery.ErrProtocol},
		"TLS where there is none":     {strings.Replace(server.URL, "http:", "https:", 1), esquery.ErrProtocol},
		"no TLS where there is":       {strings.Replace(secure.URL, "https:", "http:", 1), esquery.ErrProtocol},
		"the password is in its URL":  {strings.Replace("http://"+nobody, "://", "://u:s3same@", 1), esquery.ErrUnavailable},
		"the API begins further down": {server.URL + "/below/", nil},
	} {
		t.Run(name, func(t *testing.T) {
			if err := ask(t, test.url); !errors.Is(err, test.kind) {
				t.Errorf("%v, want %v", err, test.kind)
			}
		})
	}
}

// A host that accepts connections and does not answer, or drops them, fails within one
// Timeout, whatever the retry policy allows.
func TestSilentHost(t *testing.T) {
	for name, test := range map[string]struct {
		drops bool
		kind  esquery.ErrorKind
	}{
		"never answers": {false, esquery.ErrTimeout},
		"drops":         {true, esquery.ErrUnavailable},
	} {
		t.Run(name, func(t *testing.T) {
			listener, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			accepted := make(chan int)
			go func() {
				var open []net.Conn
				for {
					conn, err := listener.Accept()
					if err != nil {
						break
					}
					open = append(open, conn)
					if test.drops {
						conn.Close()
					}
				}
				for _, conn := range open {
					conn.Close()
				}
				accepted <- len(open)
			}()
			const timeout = time.Second
			c, err := esclient.New(&esclient.Options{
				URLs: []string{"http://" + listener.Addr().String()}, Timeout: timeout,
				Retry: retry.Policy{Attempts: 1000, Wait: 100 * time.Millisecond, MaxWait: 100 * time.Millisecond},
			})
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			start := time.Now()
			_, err = c.Search(t.Context(), search(t, `{}`))
			took := time.Since(start)
			listener.Close()
			n := <-accepted
			if !errors.Is(err, test.kind) || took > 3*timeout/2 || (n > 1) != test.drops {
				t.Errorf("%v after %v and %d connections", err, took, n)
			}
		})
	}
}

// A request that was not recorded is not repeated.
func TestNotRecorded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		replay, err := estest.Replay(strings.NewReader(`{"method":"POST","path":"/others/_search","status":200,"response":{}}`))
		if err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		_, err = newClient(t, replay, esclient.Options{}).Search(t.Context(), search(t, `{}`))
		if !errors.Is(err, estest.ErrNotRecorded) || !strings.Contains(err.Error(), "/orders/_search") || !strings.Contains(err.Error(), "/others/_search") {
			t.Errorf("got %v", err)
		}
		if waited := time.Since(start); waited != 0 {
			t.Errorf("waited %v", waited)
		}
	})
}

// Credentials are sent to the configured nodes only, even if a node redirects.
func TestCredentialsStay(t *testing.T) {
	stolen := make(chan string, 10)
	thief := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { stolen <- r.Header.Get("Authorization") }))
	defer thief.Close()
	for _, status := range []int{301, 302, 307, 308} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Authorization") == "" {
				t.Error("the node itself gets no credentials")
			}
			http.Redirect(w, r, thief.URL, status)
		}))
		c, err := esclient.New(&esclient.Options{URLs: []string{server.URL}, APIKey: "a2V5", Retry: retry.Policy{Attempts: 1}})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.Search(t.Context(), search(t, `{}`)); !errors.Is(err, esquery.ErrProtocol) {
			t.Errorf("%d: %v", status, err)
		}
		c.Close()
		server.Close()
	}
	if len(stolen) > 0 {
		t.Errorf("another server got a request with %q", <-stolen)
	}
}

// Nodes take turns. A node that is down is skipped at once and tried again later.
// Each node gets the credentials of its own URL.
func TestNodes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var asked []string
		down := map[string]bool{}
		e := roundTripper(func(r *http.Request) (*http.Response, error) {
			user, _, _ := r.BasicAuth()
			asked = append(asked, r.URL.Host+" "+user+" "+r.URL.Path)
			if down[r.URL.Host] {
				return nil, &net.OpError{Op: "dial", Err: errors.New("refused")}
			}
			return reply(200, found(0)), nil
		})
		c := newClient(t, e, esclient.Options{URLs: []string{"http://u1:p1@one", "http://u2:p2@two/es"}})
		ask := func(n int, want ...string) {
			t.Helper()
			asked = nil
			for range n {
				if _, err := c.Search(t.Context(), search(t, `{}`)); err != nil {
					t.Fatal(err)
				}
			}
			if diff := cmp.Diff(want, asked); diff != "" {
				t.Error(diff)
			}
		}
		one, two := "one u1 /orders/_search", "two u2 /es/orders/_search"
		ask(3, one, two, one)
		down["two"] = true
		start := time.Now()
		ask(3, two, one, one, one)
		if time.Since(start) != 0 {
			t.Errorf("waited %v", time.Since(start))
		}
		down["two"] = false
		time.Sleep(time.Minute)
		ask(2, two, one)
	})
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestNewRefuses(t *testing.T) {
	for name, opt := range map[string]*esclient.Options{
		"no URL":            {URLs: []string{}},
		"no scheme":         {URLs: []string{"localhost:9200"}},
		"another scheme":    {URLs: []string{"http://localhost", "ftp://s3same@localhost"}},
		"a query":           {URLs: []string{"http://localhost?s3same"}},
		"not a URL":         {URLs: []string{"http://u:s3same@local host"}},
		"no password":       {Username: "u"},
		"no name":           {Password: "s3same"},
		"two credentials":   {APIKey: "s3same", Username: "u", Password: "s3same"},
		"a negative time":   {Timeout: -1},
		"a negative length": {MaxBytes: -1},
		"negative attempts": {Retry: retry.Policy{Attempts: -1}},
	} {
		if _, err := esclient.New(opt); err == nil || strings.Contains(err.Error(), "s3same") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := esclient.New(nil); err != nil {
		t.Errorf("nil: %v", err)
	}
}
