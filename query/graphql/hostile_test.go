package graphql_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/qedkit/qed/query/graphql"
	"github.com/qedkit/qed/retry"
)

// many repeats a format with the numbers up to n.
func many(n int, format string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, format, i)
	}
	return b.String()
}

// allocated returns what f allocates, which measures its work on any machine.
func allocated(f func()) (objects, bytes uint64) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.Mallocs - before.Mallocs, after.TotalAlloc - before.TotalAlloc
}

// Candidates are looked up among very many names, so only for reported problems.
func TestManyUnknownNames(t *testing.T) {
	g := newGuard(t, `type Query { p: [Query!] a(l: [E!]): Int } enum E {`+many(4000, " SOME_VALUE_%d")+` }`+
		` type Big {`+many(4000, " someField%d: Int")+` } extend type Query { big: Big }`+many(4000, " type SomeType%d { a: Int }"), nil)
	for _, test := range []struct{ name, query, vars string }{
		{"types", `{ p { ` + many(490, "... on SomTyp%d { a } ") + `} }`, ``},
		{"types of variables", `query(` + many(1000, "$v%d: SomTyp ") + `) { p { __typename } }`, ``},
		{"fields", `{ big { ` + many(490, "somField%d ") + `} }`, ``},
		{"values that are there", `{ a(l: [` + strings.Repeat("SOME_VALUE_7 ", 500) + `]) }`, ``},
		{"values of a variable", `query($l: [E!]) { a(l: $l) }`, `{"l": [` + strings.Repeat(`"SOME", `, 7000) + `"x"]}`},
	} {
		objects, _ := allocated(func() { _, _ = g.Check(test.query, json.RawMessage(test.vars)) })
		if objects > 400_000 {
			t.Errorf("%s: %d allocations", test.name, objects)
		}
	}
	_, err := g.Check(`{ p { ... on SomeTyp12 { a } big { someFild12 } } }`, nil)
	for _, p := range problems(t, err) {
		if len(p.Candidates) == 0 {
			t.Errorf("no candidates: %+v", p)
		}
	}
}

// A server may use an introspection type as the type of an argument.
func TestTypeOfIntrospectionAsAnArgument(t *testing.T) {
	g := newGuard(t, `type Query { a(x: __TypeKind): [Query!] }`, nil)
	if q, err := g.Check(`{ a(x: {first: 3}) { __typename } }`, nil); err == nil && q.Cost() < 4 {
		t.Errorf("cost %d", q.Cost())
	}
}

// Fields of introspection types are no part of what a query may name, and no such type is
// the query type.
func TestTypeOfIntrospectionAsAField(t *testing.T) {
	g := newGuard(t, `type Query { a: Int b: __Type c: [__TypeKind!] }`, nil)
	for query, code := range map[string]error{
		`{ a }`: nil, `{ b { name } }`: graphql.ErrUnknownField, `{ c }`: graphql.ErrUnknownField,
	} {
		if _, err := g.Check(query, nil); !errors.Is(err, code) {
			t.Errorf("%s: %v", query, err)
		}
	}
	if _, err := graphql.ParseSDL(`schema { query: __Type } type A { a: Int }`); !errors.Is(err, graphql.ErrInvalidSchema) {
		t.Errorf("an introspection type as the query type: %v", err)
	}
	if _, err := graphql.ParseIntrospection([]byte(answer(`,{"kind":"OBJECT","name":"T","fields":[{"name":"t","type":{"kind":"OBJECT","name":"__Type"}}]}`))); err != nil {
		t.Error(err)
	}
}

func TestManyValuesInIntrospection(t *testing.T) {
	for _, list := range []string{
		`"types":[` + strings.Repeat(`{},`, 5<<20) + `{}]`,
		`"types":[` + strings.Repeat(`null,`, 5<<20) + `null]`,
		`"types":[{"kind":"OBJECT","name":"A","fields":[` + strings.Repeat(`{},`, 5<<20) + `{}]}]`,
	} {
		text := []byte(`{"__schema":{` + list + `}}`)
		_, bytes := allocated(func() {
			if _, err := graphql.ParseIntrospection(text); !errors.Is(err, graphql.ErrInvalidSchema) {
				t.Errorf("got %v", err)
			}
		})
		if bytes > 50<<20 {
			t.Errorf("%d MB for %.30s", bytes>>20, list)
		}
	}
	// Commas in strings do not count as values.
	if _, err := graphql.ParseIntrospection([]byte(strings.Replace(answer(``), `"name":"a"`, `"description":"\"`+strings.Repeat(",", 2_000_000)+`","name":"a"`, 1))); err != nil {
		t.Error(err)
	}
}

func TestAnswersThatTakeRoom(t *testing.T) {
	for name, body := range map[string]string{
		"errors": `{"data":{},"errors":[` + strings.Repeat(`{},`, 1<<20) + `{}]}`,
		"path":   `{"data":{},"errors":[{"path":[` + strings.Repeat(`0,`, 2<<20) + `0]}]}`,
	} {
		c := serve(t, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			io.WriteString(w, body)
		}, nil)
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		result, err := c.Run(t.Context(), people(t))
		runtime.GC()
		runtime.ReadMemStats(&after)
		if kept := int64(after.HeapAlloc) - int64(before.HeapAlloc); kept > 15<<20 {
			t.Errorf("%s: %d MB are kept", name, kept>>20)
		}
		if err == nil && len(result.Errors) > 1000 {
			t.Errorf("%s: %d errors", name, len(result.Errors))
		}
		runtime.KeepAlive(result)
	}
}

// Credentials are masked even if the server repeats them with escapes.
func TestSecretsInEscapes(t *testing.T) {
	const secret = "abc/def+ghi=very-secret"
	c := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		io.WriteString(w, `{"data":{},"extensions":{"request":"Bearer abc\/def\u002bghi=very-secret"},"errors":[{"message":"abc\/def+ghi=very-secret",
			"path":["abc\/def+ghi=very-secret"],"extensions":{"code":"x abc\/def\u002Bghi=very-secret"}}]}`)
	}, func(opt *graphql.ClientOptions) { opt.Header = http.Header{"Authorization": {"Bearer " + secret}} })
	result, err := c.Run(t.Context(), people(t))
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(result)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(text), "secret") || strings.Contains(string(text), "ghi") {
		t.Errorf("a secret is not masked: %s", text)
	}
	if !strings.Contains(string(text), `"x ***"`) {
		t.Errorf("more than the secret is masked: %s", text)
	}
}

func TestAnswerMustBeUTF8(t *testing.T) {
	c := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		io.WriteString(w, "{\"data\":{\"people\":\"\xff\"}}")
	}, nil)
	if result, err := c.Run(t.Context(), people(t)); !errors.Is(err, graphql.ErrProtocol) {
		t.Errorf("got %v, %+v", err, result)
	}
}

// Errors of net/http repeat texts of a proxy.
func TestErrorsHaveNoControlCharacters(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	go func() {
		conn, err := listener.Accept()
		if err != nil {
			return
		}
		defer conn.Close()
		_, _ = conn.Read(make([]byte, 4096))
		io.WriteString(conn, "HTTP/1.1 403 \x1b[31mno very-secret-token\r\n\r\n")
	}()
	proxy := &http.Transport{Proxy: http.ProxyURL(&url.URL{Scheme: "http", Host: listener.Addr().String()})}
	defer proxy.CloseIdleConnections()
	c, err := graphql.NewClient("https://example.invalid/", &graphql.ClientOptions{
		Header: http.Header{"Authorization": {key}}, Retry: retry.Policy{Attempts: 1}, HTTPClient: &http.Client{Transport: proxy},
	})
	if err != nil {
		t.Fatal(err)
	}
	_, err = c.Run(t.Context(), people(t))
	if !errors.Is(err, graphql.ErrUnavailable) {
		t.Fatalf("got %v", err)
	}
	noSecret(t, err)
	if strings.ContainsRune(err.Error(), '\x1b') {
		t.Errorf("got %q", err)
	}
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// The error of a transport that requests a token elsewhere holds that URL.
func TestErrorsOfTransportsHaveNoAddress(t *testing.T) {
	c := serve(t, nil, func(opt *graphql.ClientOptions) {
		opt.HTTPClient = &http.Client{Transport: roundTripper(func(*http.Request) (*http.Response, error) {
			return nil, fmt.Errorf("no token: %w", &url.Error{Op: "Post", URL: "https://auth/?client=secret", Err: errors.New("refused")})
		})}
	})
	_, err := c.Run(t.Context(), people(t))
	if !errors.Is(err, graphql.ErrUnavailable) {
		t.Fatalf("got %v", err)
	}
	noSecret(t, err)
}

func TestUnknownCertificateIsNotTriedAgain(t *testing.T) {
	var dialled atomic.Int32
	server := httptest.NewUnstartedServer(http.NotFoundHandler())
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.Config.ConnState = func(_ net.Conn, s http.ConnState) {
		if s == http.StateNew {
			dialled.Add(1)
		}
	}
	server.StartTLS()
	defer server.Close()
	c, err := graphql.NewClient(server.URL, &graphql.ClientOptions{Retry: retry.Policy{Attempts: 3, Wait: -1}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Run(t.Context(), people(t)); !errors.Is(err, graphql.ErrProtocol) || dialled.Load() != 1 {
		t.Errorf("got %v after %d connections", err, dialled.Load())
	}
}
