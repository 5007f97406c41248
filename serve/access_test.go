package serve_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"golang.org/x/time/rate"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/serve"
	"github.com/qedkit/qed/store"
)

// Without Options.Caller only this machine is served.
func TestLocalOnly(t *testing.T) {
	h := serve.New(rich, &serve.Options{Turns: rate.Inf})
	for _, test := range []struct {
		name, remote, host string
		header             []string
		status             int
	}{
		{"IPv4", "127.0.0.1:5", "127.0.0.1:8080", nil, 200},
		{"IPv6", "[::1]:5", "[::1]:8080", nil, 200},
		{"mapped", "[::ffff:127.0.0.1]:5", "localhost", nil, 200},
		{"name", "127.0.0.1:5", "LOCALHOST:8080", nil, 200},
		{"own page", "127.0.0.1:5", "localhost:8080", []string{"Origin", "http://localhost:8080", "Sec-Fetch-Site", "same-origin"}, 200},
		{"another machine", "192.0.2.7:5", "localhost:8080", nil, 403},
		{"no address", "@", "localhost:8080", nil, 403},
		{"rebound name", "127.0.0.1:5", "evil.example:8080", nil, 403},
		{"name with localhost", "127.0.0.1:5", "localhost.evil.example", nil, 403},
		{"forwarded", "127.0.0.1:5", "localhost:8080", []string{"X-Forwarded-For", "192.0.2.7"}, 403},
		{"forwarded, standard", "127.0.0.1:5", "localhost:8080", []string{"Forwarded", "for=192.0.2.7"}, 403},
		{"forwarded, in part", "127.0.0.1:5", "localhost:8080", []string{"X-Forwarded-Port", "443"}, 403},
		{"forwarded, by a CDN", "127.0.0.1:5", "localhost:8080", []string{"Cf-Connecting-Ip", "192.0.2.7"}, 403},
		{"IPv6, no port", "[::1]:5", "[::1]", nil, 200},
		{"odd brackets", "127.0.0.1:5", "]127.0.0.1[", nil, 403},
		{"many brackets", "127.0.0.1:5", "[[127.0.0.1]]", nil, 403},
		{"open bracket", "127.0.0.1:5", "[127.0.0.1", nil, 403},
		{"request headers", "127.0.0.1:5", "localhost:8080", []string{"Accept", "*/*", "User-Agent", "curl", "X-Request-Id", "1", "Referer", "http://localhost:8080/", "Traceparent", "00"}, 200},
		{"through a proxy", "127.0.0.1:5", "localhost:8080", []string{"Via", "1.1 proxy"}, 403},
		{"another site", "127.0.0.1:5", "localhost:8080", []string{"Origin", "https://evil.example"}, 403},
		{"another site, by metadata", "127.0.0.1:5", "localhost:8080", []string{"Sec-Fetch-Site", "cross-site"}, 403},
		{"two origins", "127.0.0.1:5", "localhost:8080", []string{"Origin", "http://localhost:8080", "Origin", "https://evil.example"}, 403},
		{"opaque origin", "127.0.0.1:5", "localhost:8080", []string{"Origin", "null"}, 403},
	} {
		r := httptest.NewRequest(http.MethodPost, "/internal/chat/stream", strings.NewReader(chat("", "hello")))
		r.Header.Set("Content-Type", "application/json")
		r.RemoteAddr, r.Host = test.remote, test.host
		for i := 0; i < len(test.header); i += 2 {
			r.Header.Add(test.header[i], test.header[i+1])
		}
		got := httptest.NewRecorder()
		h.ServeHTTP(got, r)
		if got.Code != test.status {
			t.Errorf("%s: %d %s", test.name, got.Code, got.Body)
		}
	}
}

// A header that a proxy sets is refused, whatever its name.
func TestForwardingHeaders(t *testing.T) {
	h := serve.New(rich, &serve.Options{Turns: rate.Inf})
	for _, name := range []string{
		"Forwarded", "X-Forwarded", "X-Forwarded-Server", "X-Forwarded-Prefix", "X-Original-Forwarded-For", "X-Forward-For",
		"True-Client-Ip", "Client-Ip", "X-Real-Ip", "X-Client-Ip", "X-Cluster-Client-Ip", "X-Azure-Clientip",
		"Fly-Client-Ip", "X-Remote-Ip", "X-Remote-Addr", "X-Originating-Ip", "Wl-Proxy-Client-Ip", "X-Appengine-User-Ip",
		"Cf-Connecting-Ip", "Cf-Ray", "Cdn-Loop", "Via", "X-Envoy-External-Address", "X-Original-Url", "X-Original-Host",
		"X-Rewrite-Url", "X-Host", "X_forwarded_for",
	} {
		r := httptest.NewRequest(http.MethodGet, "/v1/models", nil)
		r.RemoteAddr, r.Host = "127.0.0.1:5", "localhost:8080"
		r.Header[name] = []string{"192.0.2.7"}
		got := httptest.NewRecorder()
		h.ServeHTTP(got, r)
		if got.Code != http.StatusForbidden {
			t.Errorf("%s: %d", name, got.Code)
		}
	}
}

// A list does not read the body of its request, nor store its files.
func TestListWithFiles(t *testing.T) {
	st := new(store.InMemory)
	h := serve.New(rich, &serve.Options{Store: st})
	body := new(zeros)
	r := httptest.NewRequest(http.MethodGet, "/conversations?limit=1", io.MultiReader(
		strings.NewReader("--x\r\nContent-Disposition: form-data; name=\"limit\"; filename=\"a\"\r\n\r\n"), body))
	r.RemoteAddr, r.Host = "127.0.0.1:5", "localhost:8080"
	r.Header.Set("Content-Type", "multipart/form-data; boundary=x")
	got := httptest.NewRecorder()
	h.ServeHTTP(got, r)
	if got.Code != http.StatusOK || body.read.Load() > 0 {
		t.Errorf("status %d, %d bytes were read", got.Code, body.read.Load())
	}
}

// With Options.Caller the host decides, but other sites are refused.
func TestCrossSite(t *testing.T) {
	trusted := http.NewCrossOriginProtection()
	if err := trusted.AddTrustedOrigin("https://app.example"); err != nil {
		t.Fatal(err)
	}
	h := serve.New(rich, &serve.Options{Turns: rate.Inf, Caller: byHeader, CrossOrigin: trusted})
	for _, test := range []struct {
		method, path string
		header       []string
		status       int
	}{
		{"POST", "/internal/chat/stream", nil, 200},
		{"POST", "/internal/chat/stream", []string{"X-Forwarded-For", "192.0.2.7"}, 200},
		{"POST", "/internal/chat/stream", []string{"Sec-Fetch-Site", "same-origin"}, 200},
		{"POST", "/internal/chat/stream", []string{"Sec-Fetch-Site", "cross-site"}, 403},
		{"POST", "/internal/chat/stream", []string{"Sec-Fetch-Site", "cross-site", "Origin", "https://app.example"}, 200},
		{"POST", "/internal/chat/stream", []string{"Origin", "https://evil.example"}, 403},
		{"GET", "/v1/models", nil, 200},
		{"GET", "/v1/models", []string{"Sec-Fetch-Site", "cross-site"}, 403},
	} {
		r := httptest.NewRequest(test.method, test.path, strings.NewReader(chat("", "hello")))
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("User", "rosa")
		r.RemoteAddr, r.Host = "192.0.2.7:5", "api.example"
		for i := 0; i < len(test.header); i += 2 {
			r.Header.Set(test.header[i], test.header[i+1])
		}
		got := httptest.NewRecorder()
		h.ServeHTTP(got, r)
		if got.Code != test.status {
			t.Errorf("%+v: %d %s", test, got.Code, got.Body)
		}
	}
}

func TestBadInput(t *testing.T) {
	url, _ := newServer(t, rich, &serve.Options{Turns: rate.Inf})
	message := func(role string) string { return `{"role":"` + role + `","parts":[{"type":"text","text":"hello"}]}` }
	for _, test := range []struct {
		name, method, path, body string
		header                   []string
		status                   int
		text                     string
	}{
		{"no JSON", "POST", "/internal/chat/stream", "{", nil, 400, "JSON"},
		{"two values", "POST", "/internal/chat/stream", chat("a", "b") + "{}", nil, 400, ""},
		{"unknown field", "POST", "/internal/chat/stream", `{"input":{"message":"a","mode":"x"}}`, nil, 400, "mode"},
		{"wrong type", "POST", "/internal/chat/stream", `{"input":{"message":1}}`, nil, 400, "input.message must be a text, not: number"},
		{"wrong type, an object", "POST", "/internal/chat/stream", `{"input":{"message":{"text":"a"}}}`, nil, 400, "input.message must be a text, not: object"},
		{"wrong type, in place of an object", "POST", "/internal/chat/stream", `{"input":"a"}`, nil, 400, "input must be an object, not: string"},
		{"wrong type, a list", "POST", "/internal/chat/stream", `{"input":{"message":"a","replies":true}}`, nil, 400, "input.replies must be a list, not: bool"},
		{"null", "POST", "/internal/chat/stream", `null`, nil, 400, "empty"},
		{"blank message", "POST", "/internal/chat/stream", chat("a", " \n\t"), nil, 400, "empty"},
		{"no conversation and no message", "POST", "/internal/chat/stream", `{}`, nil, 400, "empty"},
		{"empty message", "POST", "/internal/chat/stream", chat("a", ""), nil, 400, "empty"},
		{"no content type", "POST", "/internal/chat/stream", chat("a", "b"), []string{"Content-Type", ""}, 415, "application/json"},
		{"form", "POST", "/internal/chat/stream", chat("a", "b"), []string{"Content-Type", "text/plain"}, 415, ""},
		{"charset", "POST", "/internal/chat/stream", chat("a", "b"), []string{"Content-Type", "application/json; charset=utf-8"}, 200, ""},
		{"too large", "POST", "/internal/chat/stream", chat("a", strings.Repeat("b", 1<<20)), nil, 413, "1048576 bytes"},
		{"GET", "GET", "/internal/chat/stream", "", nil, 405, ""},
		{"unknown path", "POST", "/internal", "{}", nil, 404, ""},
		{"rejoin is off", "GET", "/internal/chat/stream/a", "", nil, 404, ""},
		{"no list", "GET", "/conversations", "", nil, 404, ""},

		{"UI: no JSON", "POST", "/api/chat", "[", nil, 400, "JSON"},
		{"UI: no messages", "POST", "/api/chat", "{}", nil, 400, "messages"},
		{"UI: unknown field", "POST", "/api/chat", `{"id":"a","mode":1,"messages":[` + message("user") + `]}`, nil, 200, ""},
		{"UI: no user", "POST", "/api/chat", `{"id":"a","trigger":"regenerate-message","messages":[` + message("assistant") + `]}`, nil, 400, "user"},
		{"UI: no reply", "POST", "/api/chat", `{"id":"a","messages":[` + message("user") + `,` + message("assistant") + `]}`, nil, 400, "question"},
		{"UI: wrong type", "POST", "/api/chat", `{"id":"a","messages":{}}`, nil, 400, "messages must be a list, not: object"},
		{"UI: unknown role", "POST", "/api/chat", `{"id":"a","messages":[` + message("user") + `,` + message("wizard") + `]}`, nil, 400, "wizard"},
		{"UI: file", "POST", "/api/chat", `{"id":"a","messages":[{"role":"user","parts":[{"type":"file","mediaType":"image/png","url":"data:,"},{"type":"text","text":"what is it?"}]}]}`, nil, 400, "file"},
		{"UI: image", "POST", "/api/chat", `{"id":"a","messages":[{"role":"user","parts":[{"type":"image","image":"data:,"},{"type":"text","text":"what is it?"}]}]}`, nil, 400, "image"},
		{"UI: sources", "POST", "/api/chat", `{"id":"a","messages":[{"role":"user","parts":[{"type":"source-url","url":"x"},{"type":"step-start"},{"type":"text","text":"a"}]}]}`, nil, 200, ""},
		{"UI: data of the page", "POST", "/api/chat", `{"id":"a","messages":[{"role":"user","parts":[{"type":"data-zoom"},{"type":"text","text":"a"}]}]}`, nil, 200, ""},
		{"UI: empty", "POST", "/api/chat", `{"id":"a","messages":[{"role":"user","parts":[]}]}`, nil, 400, "empty"},

		{"AG-UI: no JSON", "POST", "/agui", "", nil, 400, "RunAgentInput"},
		{"AG-UI: no ids", "POST", "/agui", `{"messages":[{"role":"user","content":"a"}]}`, nil, 400, "threadId"},
		{"AG-UI: no user", "POST", "/agui", `{"threadId":"a","runId":"b","messages":[]}`, nil, 400, "user"},
		{"AG-UI: unknown role", "POST", "/agui", `{"threadId":"a","runId":"b","messages":[{"role":"wizard","content":"a"}]}`, nil, 400, "user"},
		{"AG-UI: blank", "POST", "/agui", `{"threadId":"a","runId":"b","messages":[{"role":"user","content":" "}]}`, nil, 400, "empty"},
		{"AG-UI: image", "POST", "/agui", `{"threadId":"a","runId":"b","messages":[{"role":"user","content":[{"type":"image"}]}]}`, nil, 400, "image"},
		{"AG-UI: parts", "POST", "/agui", `{"threadId":"a","runId":"b","messages":[{"role":"user","content":[{"type":"text","text":"a"}]}]}`, nil, 200, ""},
		{"AG-UI: tools", "POST", "/agui", `{"threadId":"a","runId":"b","tools":[{"name":"x"}],"messages":[{"role":"user","content":"a"}]}`, nil, 400, "tools"},
		{"AG-UI: context", "POST", "/agui", `{"threadId":"a","runId":"b","context":[{"description":"page","value":"7"}],"messages":[{"role":"user","content":"a"}]}`, nil, 400, "context"},
		{"AG-UI: no tools", "POST", "/agui", `{"threadId":"a","runId":"b","tools":[],"context":[],"messages":[{"role":"user","content":"a"}]}`, nil, 200, ""},
		{"AG-UI: no payload", "POST", "/agui", `{"threadId":"a","runId":"b","resume":[{"interruptId":"q","status":"resolved"}]}`, nil, 400, "payload"},
		{"AG-UI: no status", "POST", "/agui", `{"threadId":"a","runId":"b","resume":[{"interruptId":"q","payload":1}]}`, nil, 400, "status"},

		{"completions: no JSON", "POST", "/v1/chat/completions", "1", nil, 400, ""},
		{"completions: model", "POST", "/v1/chat/completions", `{"model":"gpt","messages":[{"role":"user","content":"a"}]}`, nil, 404, "qed"},
		{"completions: tools", "POST", "/v1/chat/completions", `{"model":"qed","tools":[{}],"messages":[{"role":"user","content":"a"}]}`, nil, 400, "tools"},
		{"completions: JSON", "POST", "/v1/chat/completions", `{"model":"qed","response_format":{"type":"json_object"},"messages":[{"role":"user","content":"a"}]}`, nil, 400, "response_format"},
		{"completions: text", "POST", "/v1/chat/completions", `{"model":"qed","response_format":{"type":"text"},"messages":[{"role":"user","content":"a"}]}`, nil, 200, ""},
		{"completions: two", "POST", "/v1/chat/completions", `{"model":"qed","n":2,"messages":[{"role":"user","content":"a"}]}`, nil, 400, "n must"},
		{"completions: role", "POST", "/v1/chat/completions", `{"model":"qed","messages":[{"role":"tool","content":"a"},{"role":"user","content":"a"}]}`, nil, 400, "tool"},
		{"completions: image", "POST", "/v1/chat/completions", `{"model":"qed","messages":[{"role":"user","content":[{"type":"text","text":"a"},{"type":"image_url"}]}]}`, nil, 400, "image_url"},
		{"completions: other parts", "POST", "/v1/chat/completions", `{"model":"qed","messages":[{"role":"assistant","content":[{"type":"output_text","text":"a"}]},{"role":"user","content":[{"type":"input_text","text":"a"}]}]}`, nil, 200, ""},
		{"completions: last", "POST", "/v1/chat/completions", `{"model":"qed","messages":[{"role":"assistant","content":"a"}]}`, nil, 400, "user"},
		{"completions: empty", "POST", "/v1/chat/completions", `{"model":"qed","messages":[{"role":"user","content":" "}]}`, nil, 400, "empty"},
	} {
		got := send(t, test.method, url+test.path, test.body, test.header...)
		if got.status != test.status || !strings.Contains(got.body, test.text) {
			t.Errorf("%s: %d %s", test.name, got.status, got.body)
		}
	}
}

// zeros is a body without an end.
type zeros struct{ read atomic.Int64 }

func (z *zeros) Read(p []byte) (int, error) {
	if z.read.Add(int64(len(p))) > 100<<20 {
		return 0, io.EOF
	}
	clear(p)
	return len(p), nil
}

func TestHugeBody(t *testing.T) {
	url, _ := newServer(t, rich, nil)
	body := new(zeros)
	resp, err := http.Post(url+"/internal/chat/stream", "application/json", body)
	if err == nil {
		defer resp.Body.Close()
		if resp.StatusCode != http.StatusRequestEntityTooLarge {
			t.Error(resp.Status)
		}
	}
	if read := body.read.Load(); read > 20<<20 {
		t.Errorf("%d bytes were read", read)
	}
}

func TestRateLimit(t *testing.T) {
	url, _ := newServer(t, rich, &serve.Options{Caller: byHeader, Turns: 0.001, Burst: 2})
	for i, test := range []struct {
		user   string
		status int
	}{{"rosa", 200}, {"rosa", 200}, {"rosa", 429}, {"pekka", 200}} {
		got := send(t, "POST", url+"/internal/chat/stream", chat("", "hello"), "User", test.user)
		if got.status != test.status || test.status == 429 && got.header.Get("Retry-After") == "" {
			t.Errorf("%d: %+v", i, got)
		}
	}
}

// A backend is limited for each of the users that it names.
func TestBackendLimit(t *testing.T) {
	url, _ := newServer(t, rich, &serve.Options{Caller: byHeader, Turns: 0.001, Burst: 1})
	body := func(user string) string {
		return fmt.Sprintf(`{"input":{"message":"hello"},"conversation":{"id":"c-%s","user_id":%q,"company_id":"acme"}}`, user, user)
	}
	for i, test := range []struct {
		user   string
		status int
	}{{"rosa", 200}, {"pekka", 200}, {"rosa", 429}} {
		if got := send(t, "POST", url+"/internal/chat/stream", body(test.user), "User", "backend"); got.status != test.status {
			t.Errorf("%d: %+v", i, got)
		}
	}
}

// A caller cannot use up the streams of the others.
func TestCallerStreams(t *testing.T) {
	begun, end := make(chan bool), make(chan bool)
	agent := qed.AgentFunc(func(_ context.Context, turn qed.Turn) (qed.Answer, error) {
		if turn.Text == "wait" {
			begun <- true
			<-end
		}
		return qed.Answer{Text: "ok"}, nil
	})
	url, h := newServer(t, agent, &serve.Options{Caller: byHeader, Turns: rate.Inf, CallerStreams: 1})
	ended := make(chan response)
	go func() {
		ended <- send(t, "POST", url+"/internal/chat/stream", chat("", "wait"), "User", "rosa")
	}()
	<-begun
	for _, request := range [][2]string{{"POST", "/internal/chat/stream"}, {"GET", "/v1/models"}} {
		for user, want := range map[string]int{"rosa": 429, "pekka": 200} {
			if got := send(t, request[0], url+request[1], chat("", "hello"), "User", user); got.status != want {
				t.Errorf("%s, %s: %+v", request, user, got)
			}
		}
	}
	close(end)
	<-ended
	if got := send(t, "POST", url+"/internal/chat/stream", chat("", "hello"), "User", "rosa"); got.status != 200 {
		t.Error(got)
	}
	if err := h.Shutdown(t.Context()); err != nil {
		t.Error(err)
	}
}

// A backend names the user of each format: in the body, or in the address.
func TestBackend(t *testing.T) {
	url, _ := newServer(t, rich, &serve.Options{Caller: byHeader, Turns: rate.Inf})
	messages := `{"id":"a","threadId":"a","runId":"r","messages":[{"id":"m","role":"user","content":"whose","parts":[{"type":"text","text":"whose"}]}]}`
	for path, body := range map[string]string{
		"/api/chat": messages, "/agui": messages, "/v1/chat/completions": `{"model":"qed","messages":[{"role":"user","content":"whose"}]}`,
	} {
		got := send(t, "POST", url+path+"?user_id=alice&company_id=acme", body, "User", "backend")
		if got.status != http.StatusOK || !strings.Contains(got.body, "acme/alice") {
			t.Errorf("%s: status %d: %s", path, got.status, got.body)
		}
	}
}
