package esclient_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/qedkit/qed/esquery"
	"github.com/qedkit/qed/esquery/esclient"
)

// engine is a fake server: it returns what answer returns and records the requests.
type engine struct {
	answer func(r request) *http.Response

	mu   sync.Mutex
	seen []request
}

// request is a request as the server sees it.
type request struct {
	*http.Request
	body string
}

func (r request) String() string { return r.Method + " " + r.URL.Path }

func (e *engine) RoundTrip(req *http.Request) (*http.Response, error) {
	r := request{Request: req}
	if req.Body != nil {
		text, err := io.ReadAll(req.Body)
		if err != nil {
			return nil, err
		}
		req.Body.Close()
		r.body = string(text)
	}
	e.mu.Lock()
	e.seen = append(e.seen, r)
	e.mu.Unlock()
	if err := req.Context().Err(); err != nil {
		return nil, err
	}
	resp := e.answer(r)
	if resp == nil { // no response, ever
		<-req.Context().Done()
		return nil, req.Context().Err()
	}
	resp.Request = req
	return resp, nil
}

// requests returns the recorded requests, as METHOD /path.
func (e *engine) requests() []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	var all []string
	for _, r := range e.seen {
		all = append(all, r.String())
	}
	return all
}

// reply returns a response of a server.
func reply(status int, body string, headers ...string) *http.Response {
	h := http.Header{}
	for i := 0; i+1 < len(headers); i += 2 {
		h.Add(headers[i], headers[i+1])
	}
	return &http.Response{
		StatusCode: status, Status: http.StatusText(status), Header: h,
		Body: io.NopCloser(strings.NewReader(body)), ContentLength: int64(len(body)),
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
	}
}

// always returns a server with one response.
func always(status int, body string, headers ...string) *engine {
	return &engine{answer: func(request) *http.Response { return reply(status, body, headers...) }}
}

// newClient returns a client of e.
func newClient(t *testing.T, e http.RoundTripper, opt esclient.Options) *esclient.Client {
	t.Helper()
	opt.Transport = e
	c, err := esclient.New(&opt)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// search returns a search of the index orders, whose field secret is hidden.
func search(t testing.TB, body string) *esquery.Search {
	t.Helper()
	mapping, err := esquery.ParseMapping([]byte(ordersMapping))
	if err != nil {
		t.Fatal(err)
	}
	v, err := esquery.NewValidator(map[string]*esquery.Mapping{"orders": mapping}, &esquery.Options{Sensitive: []string{"secret"}})
	if err != nil {
		t.Fatal(err)
	}
	s, err := v.Check("orders", []byte(body)).Search()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

const ordersMapping = `{"orders":{"mappings":{"properties":{
	"total":{"type":"integer"},"city":{"type":"keyword"},"secret":{"type":"keyword"}}}}}`

// found returns the response of a search of one shard.
func found(total int, hits ...string) string {
	return fmt.Sprintf(`{"took":7,"timed_out":false,"_shards":{"total":1,"successful":1,"skipped":0,"failed":0},
		"hits":{"total":{"value":%d,"relation":"eq"},"max_score":1,"hits":[%s]}}`, total, strings.Join(hits, ","))
}

func hit(id int) string {
	return fmt.Sprintf(`{"_index":"orders","_id":"%[1]d","_score":null,"_source":{"total":%[1]d,"secret":"s3cr3t"},"sort":[%[1]d]}`, id)
}

// failure returns the error of an engine.
func failure(kind, reason string) string {
	b, _ := json.Marshal(map[string]any{"error": map[string]any{
		"type": kind, "reason": reason, "root_cause": []any{map[string]any{"type": kind, "reason": reason}}}})
	return string(bytes.TrimSpace(b))
}
