package estest_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed/esquery/estest"
)

// engine is a fake engine that returns what each test needs. The module integration
// records real engines.
func engine(t *testing.T, answer http.HandlerFunc) string {
	t.Helper()
	s := httptest.NewServer(answer)
	t.Cleanup(s.Close)
	return s.URL
}

// send sends a request and returns the status and the body of the response.
func send(t *testing.T, rt http.RoundTripper, method, url, body string) (string, error) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.SetBasicAuth("elastic", "s3cret")
	resp, err := rt.RoundTrip(req)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%d %s %s", resp.StatusCode, resp.Header.Get("X-Elastic-Product"), raw), nil
}

// pit is the id of a point in time, in the form of an engine.
const pit = "46ToAwMDaWR5BXV1aWQyKwZub2RlXzMAAAAAAAAAACoBYwADaWR4BXV1aWQxAgZub2RlXzEAAAAAAAAAAAEBYQ=="

func echo(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("X-Elastic-Product", "Elasticsearch")
	w.Header().Set("Set-Cookie", "s3cret=1")
	body, _ := io.ReadAll(r.Body)
	switch r.URL.Path {
	case "/_pit":
		fmt.Fprintf(w, `{"id":%q}`, pit)
	case "/text":
		fmt.Fprint(w, "not JSON")
	case "/gone":
		w.WriteHeader(http.StatusNotFound)
		fmt.Fprint(w, `{"error":{"type":"index_not_found_exception"},"status":404}`)
	default:
		fmt.Fprintf(w, `{"took": 17, "hits": [1.50, "<&>"], "asked": %q}`, body)
	}
}

// Replay answers without the engine.
func TestReplayAnswersWhatWasRecorded(t *testing.T) {
	url := engine(t, echo)
	var recording bytes.Buffer
	live := estest.Record(nil, &recording)
	requests := []struct{ name, method, path, body, again string }{
		{"search", "POST", "/i/_search?b=2&a=1", `{"query": {"match_all": {}}, "size": 1}`, ""},
		{"another order of keys", "POST", "/i/_search?a=1&b=2", `{"size":1,"query":{"match_all":{}}}`, ""},
		{"no body", "GET", "/i/_mapping", "", ""},
		{"not found", "GET", "/gone", "", ""},
		{"no JSON", "GET", "/text", "", ""},
		{"point in time", "POST", "/_pit", "", ""},
		{"search in it", "POST", "/_search", `{"pit":{"id":"` + pit + `"}}`, `{"pit":{"id":"pit-1"}}`},
	}
	for _, r := range requests {
		if _, err := send(t, live, r.method, url+r.path, r.body); err != nil {
			t.Fatal(r.name, err)
		}
	}
	for _, secret := range []string{"s3cret", "127.0.0.1", pit} {
		if strings.Contains(recording.String(), secret) {
			t.Errorf("the recording holds %q", secret)
		}
	}
	replay, err := estest.Replay(&recording)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"search":                `200 Elasticsearch {"asked":"{\"query\": {\"match_all\": {}}, \"size\": 1}","hits":[1.50,"<&>"],"took":0}`,
		"another order of keys": `200 Elasticsearch {"asked":"{\"size\":1,\"query\":{\"match_all\":{}}}","hits":[1.50,"<&>"],"took":0}`,
		"no body":               `200 Elasticsearch {"asked":"","hits":[1.50,"<&>"],"took":0}`,
		"not found":             `404 Elasticsearch {"error":{"type":"index_not_found_exception"},"status":404}`,
		"no JSON":               `200 Elasticsearch not JSON`,
		"point in time":         `200 Elasticsearch {"id":"pit-1"}`,
	}
	for _, r := range requests {
		if r.again != "" {
			r.body = r.again
		}
		got, err := send(t, replay, r.method, "http://elsewhere.invalid"+r.path, r.body)
		if err != nil {
			t.Errorf("%s: %v", r.name, err)
			continue
		}
		if want, ok := want[r.name]; ok {
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s: %s", r.name, diff)
			}
		}
	}
}

func TestReplayRefusesWhatWasNot(t *testing.T) {
	recorded := `{"method":"POST","path":"/i/_search","body":{"query":{"term":{"name":"a"}},"size":1},"status":200,"response":{}}
{"method":"POST","path":"/i/_search","body":{"size":7},"status":200,"response":{}}`
	for _, tt := range []struct {
		name, recording, path, body string
		names                       []string // in the error
	}{
		{"another value", recorded, "/i/_search", `{"query":{"term":{"name":"b"}},"size":1}`,
			[]string{`{"name":"a"}`, `{"name":"b"}`}},
		{"another index", recorded, "/j/_search", `{"size":7}`, []string{"/j/_search", "/i/_search"}},
		{"an empty recording", "", "/i/_search", `{}`, []string{"/i/_search"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			replay, err := estest.Replay(strings.NewReader(tt.recording))
			if err != nil {
				t.Fatal(err)
			}
			_, err = send(t, replay, "POST", "http://localhost"+tt.path, tt.body)
			if !errors.Is(err, estest.ErrNotRecorded) {
				t.Fatalf("got %v", err)
			}
			for _, name := range tt.names {
				if !strings.Contains(err.Error(), name) {
					t.Errorf("%q is not in %v", name, err)
				}
			}
		})
	}
}

func TestReplayInOrder(t *testing.T) {
	replay, err := estest.Replay(strings.NewReader(`{"method":"GET","path":"/n","status":200,"text":"1"}
{"method":"GET","path":"/n","status":200,"text":"2"}`))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"200  1", "200  2", "200  2"} {
		if got, err := send(t, replay, "GET", "http://localhost/n", ""); err != nil || got != want {
			t.Errorf("got %q, %v; want %q", got, err, want)
		}
	}
}

func TestReplayHeedsItsContext(t *testing.T) {
	replay, err := estest.Replay(strings.NewReader(`{"method":"GET","path":"/n","status":200}`))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	req, err := http.NewRequestWithContext(ctx, "GET", "http://localhost/n", nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := replay.RoundTrip(req); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestMalformedRecording(t *testing.T) {
	for _, recording := range []string{
		"{", "[]", `{"method":"GET"}`, `{"method":"GET","path":"/","status":200,"extra":1}`,
	} {
		if _, err := estest.Replay(strings.NewReader(recording)); err == nil {
			t.Errorf("%s was read", recording)
		}
	}
}

func TestUnreachableEngineIsNotRecorded(t *testing.T) {
	var recording bytes.Buffer
	if _, err := send(t, estest.Record(nil, &recording), "GET", "http://127.0.0.1:1/", ""); err == nil ||
		recording.Len() > 0 {
		t.Errorf("got %v; recorded %s", err, recording.String())
	}
}
