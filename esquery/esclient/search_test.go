package esclient_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed/esquery"
	"github.com/qedkit/qed/esquery/esclient"
	"github.com/qedkit/qed/retry"
)

func TestSearch(t *testing.T) {
	e := always(200, `{"took":12,"timed_out":false,"terminated_early":true,
		"_shards":{"total":3,"successful":3,"skipped":1,"failed":0},
		"hits":{"total":{"value":10000,"relation":"gte"},"max_score":2.5,"hits":[
			{"_index":"orders-1","_id":"a","_score":2.5,"_source":{"total":5,"secret":"x"},"fields":{"city":["Bonn"],"secret":["x"]},
			 "highlight":{"city":["<em>Bonn</em>"]},"sort":[1,"b"],"matched_queries":["q"]},
			{"_index":"orders-2","_id":"b","_score":null}]},
		"aggregations":{"n":{"value":1}}}`)
	got, err := newClient(t, e, esclient.Options{}).Search(t.Context(), search(t, `{"query":{"term":{"city":"Bonn"}}}`))
	if err != nil {
		t.Fatal(err)
	}
	score := 2.5
	want := &esquery.Result{
		Took: 12 * time.Millisecond, TerminatedEarly: true,
		Total:  esquery.Total{Value: 10_000},
		Shards: esquery.Shards{Total: 3, Successful: 3, Skipped: 1},
		Hits: []esquery.Hit{{
			Index: "orders-1", ID: "a", Score: &score,
			Source: json.RawMessage(`{"total":5}`), Fields: json.RawMessage(`{"city":["Bonn"]}`),
			Highlight: json.RawMessage(`{"city":["<em>Bonn</em>"]}`),
			Sort:      json.RawMessage(`[1,"b"]`), MatchedQueries: []string{"q"},
		}, {Index: "orders-2", ID: "b"}},
		Aggregations: json.RawMessage(`{"n":{"value":1}}`),
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	r := e.seen[0]
	if r.String() != "POST /orders/_search" || r.Header.Get("Content-Type") != "application/json" || r.Header.Get("Accept") != "" {
		t.Errorf("request %s with header %v", r, r.Header)
	}
	if q := r.URL.Query(); q.Get("timeout") != "27000ms" || q.Get("allow_partial_search_results") != "true" {
		t.Errorf("parameters %v", q)
	}
	var sent map[string]any
	if err := json.Unmarshal([]byte(r.body), &sent); err != nil || sent["query"] == nil {
		t.Errorf("body %s, %v", r.body, err)
	}
}

// A search that turns counting off has the number of its hits as its total.
func TestSearchUncounted(t *testing.T) {
	e := always(200, `{"took":1,"_shards":{"total":1,"successful":1},"hits":{"hits":[`+hit(1)+`]}}`)
	got, err := newClient(t, e, esclient.Options{}).Search(t.Context(), search(t, `{}`))
	if want := (esquery.Total{Value: 1}); err != nil || got.Total != want {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestCount(t *testing.T) {
	e := always(200, `{"count":42,"_shards":{"total":2,"successful":2,"skipped":0,"failed":0}}`)
	n, err := newClient(t, e, esclient.Options{}).Count(t.Context(), search(t, `{"query":{"term":{"city":"Bonn"}},"size":3}`))
	if n != 42 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
	if r := e.seen[0]; r.String() != "POST /orders/_count" || strings.Contains(r.body, "size") {
		t.Errorf("request %s with body %s", r, r.body)
	}
}

func TestCountPartial(t *testing.T) {
	e := always(200, `{"count":42,"_shards":{"total":2,"successful":1,"skipped":0,"failed":1,"failures":[
		{"shard":0,"index":"orders-2","node":"n","reason":{"type":"query_shard_exception","reason":"no"}}]}}`)
	_, err := newClient(t, e, esclient.Options{}).Count(t.Context(), search(t, `{}`))
	var failed *esquery.EngineError
	if !errors.Is(err, esquery.ErrPartial) || !errors.As(err, &failed) || failed.Partial.Total.Value != 42 {
		t.Errorf("%v", err)
	}
}

func TestPartial(t *testing.T) {
	const shards = `"_shards":{"total":3,"successful":1,"failed":2,"failures":[
		{"index":"orders-1","reason":{"type":"illegal_argument_exception","reason":"no sort"}},
		{"index":"orders-1","reason":{"type":"illegal_argument_exception","reason":"no sort"}}]}`
	for name, test := range map[string]struct {
		body string
		want []esquery.ShardFailure
	}{
		"a shard failed": {`{"took":1,"timed_out":false,` + shards + `,"hits":{"hits":[` + hit(1) + `]}}`,
			[]esquery.ShardFailure{{Index: "orders-1", Type: "illegal_argument_exception", Reason: "no sort"}}},
		"a shard is not there": {`{"took":1,"timed_out":false,"_shards":{"total":3,"successful":2,"skipped":0,"failed":0},"hits":{"hits":[` + hit(1) + `]}}`, nil},
		"time ran out":         {`{"took":1,"timed_out":true,"_shards":{"total":1,"successful":1,"failed":0},"hits":{"hits":[` + hit(1) + `]}}`, nil},
	} {
		t.Run(name, func(t *testing.T) {
			s := search(t, `{}`)
			_, err := newClient(t, always(200, test.body), esclient.Options{}).Search(t.Context(), s)
			var e *esquery.EngineError
			if !errors.Is(err, esquery.ErrPartial) || !errors.As(err, &e) || e.Partial == nil {
				t.Fatalf("got %v", err)
			}
			if diff := cmp.Diff(test.want, e.Partial.Failures); diff != "" || len(e.Partial.Hits) != 1 || !e.Partial.Partial() {
				t.Errorf("with %+v", e.Partial)
			}
		})
	}
}

func TestMapping(t *testing.T) {
	e := &engine{answer: func(r request) *http.Response {
		return reply(200, ordersMapping)
	}}
	m, err := newClient(t, e, esclient.Options{}).Mapping(t.Context(), "orders")
	if err != nil || m == nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"GET /orders/_mapping"}, e.requests()); diff != "" {
		t.Error(diff)
	}
	if _, err := newClient(t, e, esclient.Options{}).Mapping(t.Context(), ""); err == nil || len(e.seen) != 1 {
		t.Errorf("no name: %v, %v", err, e.requests())
	}
}

func TestConcurrent(t *testing.T) {
	c, s := newClient(t, always(200, found(1, hit(1))), esclient.Options{}), search(t, `{}`)
	var all sync.WaitGroup
	for range 16 {
		all.Go(func() {
			for range 20 {
				if r, err := c.Search(t.Context(), s); err != nil || len(r.Hits) != 1 || string(r.Hits[0].Source) != `{"total":1}` {
					t.Errorf("%+v, %v", r, err)
				}
			}
		})
	}
	all.Wait()
}

func TestServer(t *testing.T) {
	const product = "X-Elastic-Product"
	for name, test := range map[string]struct {
		reply *http.Response
		want  esclient.Server
		err   error
	}{
		"Elasticsearch": {reply(200, `{"version":{"number":"8.19.7","build_flavor":"default"},"tagline":"You Know, for Search"}`, product, "Elasticsearch"),
			esclient.Server{Distribution: esclient.Elasticsearch, Version: "8.19.7"}, nil},
		"an old Elasticsearch": {reply(200, `{"version":{"number":"7.10.2"},"tagline":"You Know, for Search"}`),
			esclient.Server{Distribution: esclient.Elasticsearch, Version: "7.10.2"}, nil},
		"a bare Elasticsearch": {reply(405, `{"error":"Incorrect HTTP method","status":405}`, product, "Elasticsearch"),
			esclient.Server{Distribution: esclient.Elasticsearch}, nil},
		"Elasticsearch for a user who may only search": {reply(403, failure("security_exception", "no"), product, "Elasticsearch"),
			esclient.Server{Distribution: esclient.Elasticsearch}, nil},
		"OpenSearch": {reply(200, `{"version":{"distribution":"opensearch","number":"2.19.4"}}`),
			esclient.Server{Distribution: esclient.OpenSearch, Version: "2.19.4"}, nil},
		"OpenSearch under another version": {reply(200, `{"version":{"number":"7.10.2"},"tagline":"The OpenSearch Project: https://opensearch.org/"}`),
			esclient.Server{Distribution: esclient.OpenSearch, Version: "7.10.2"}, nil},
		"OpenSearch for a user who may only search": {reply(403, failure("security_exception", "no")),
			esclient.Server{Distribution: esclient.OpenSearch}, nil},
		"another server":    {reply(200, `{"version":{"number":"1.0"}}`), esclient.Server{}, esquery.ErrProtocol},
		"a page":            {reply(200, `<html>`), esclient.Server{}, esquery.ErrProtocol},
		"wrong credentials": {reply(401, failure("security_exception", "no"), product, "Elasticsearch"), esclient.Server{}, esquery.ErrAuth},
		"a proxy's refusal": {reply(403, `<html>`), esclient.Server{}, esquery.ErrAuth},
		"a failing one":     {reply(503, failure("x", "y"), product, "Elasticsearch"), esclient.Server{}, esquery.ErrUnavailable},
	} {
		t.Run(name, func(t *testing.T) {
			e := &engine{answer: func(request) *http.Response { return test.reply }}
			c := newClient(t, e, esclient.Options{Retry: retry.Policy{Attempts: 1}})
			got, err := c.Server(t.Context())
			if got != test.want || !errors.Is(err, test.err) {
				t.Fatalf("%+v, %v; want %+v, %v", got, err, test.want, test.err)
			}
			if err != nil {
				return
			}
			if again, err := c.Server(t.Context()); again != got || err != nil || len(e.seen) != 1 {
				t.Errorf("again %+v, %v, with %v", again, err, e.requests())
			}
		})
	}
}

// A Search that no validator made would search every index without a filter.
func TestUnchecked(t *testing.T) {
	for name, s := range map[string]*esquery.Search{"nil": nil, "zero": {}} {
		t.Run(name, func(t *testing.T) {
			e := always(200, found(1, `{"_index":"others","_id":"1"}`))
			c := newClient(t, e, esclient.Options{})
			if _, err := c.Search(t.Context(), s); err == nil {
				t.Error("it is searched")
			}
			if _, err := c.Count(t.Context(), s); err == nil {
				t.Error("it is counted")
			}
			for _, err := range c.Hits(t.Context(), s, nil) {
				if err == nil {
					t.Error("its hits are read")
				}
			}
			if seen := e.requests(); seen != nil {
				t.Errorf("the engine was asked: %v", seen)
			}
		})
	}
}
