package integration_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed/esquery"
	"github.com/qedkit/qed/esquery/esclient"
	"github.com/qedkit/qed/integration"
	"github.com/qedkit/qed/internal/poll"
	"github.com/qedkit/qed/retry"
)

const shopMapping = `{"settings":{"number_of_shards":3,"number_of_replicas":0},"mappings":{"properties":{
	"name":{"type":"text","fields":{"raw":{"type":"keyword"}}},"group":{"type":"keyword"},
	"price":{"type":"integer"},"cost":{"type":"integer"}}}}`

func shopDocument(i int) string {
	return fmt.Sprintf(`{"name":"thing number %d","group":"g%d","price":%d,"cost":%d}`, i, i%7, i%100, 1000+i)
}

// TestESClientSearches: both engines are told apart, searched, counted and asked for
// mappings without being configured.
func TestESClientSearches(t *testing.T) {
	eachEngine(t, func(t *testing.T, url string) {
		newIndex(t, url, "client-shop", shopMapping)
		fillIndex(t, url, "client-shop", 500, shopDocument)
		c := esClient(t, url, esclient.Options{})

		server, err := c.Server(t.Context())
		if err != nil || !strings.HasSuffix(t.Name(), "/"+map[string]string{
			esclient.Elasticsearch: "Elasticsearch", esclient.OpenSearch: "OpenSearch"}[server.Distribution]) {
			t.Errorf("it is %+v, %v", server, err)
		}

		s := searchOf(t, c, "client-shop", `{"query":{"term":{"group":"g3"}},"size":5,"sort":[{"price":"desc"}],
			"aggs":{"dear":{"max":{"field":"price"}}}}`, &esquery.Options{Sensitive: []string{"cost"}})
		result, err := c.Search(t.Context(), s)
		if err != nil {
			t.Fatal(err)
		}
		if want := (esquery.Total{Value: 71, Exact: true}); result.Total != want {
			t.Errorf("found %+v, want %+v", result.Total, want)
		}
		if want := (esquery.Shards{Total: 3, Successful: 3}); cmp.Diff(want, result.Shards) != "" || result.Partial() {
			t.Errorf("of the shards %+v", result.Shards)
		}
		if len(result.Hits) != 5 {
			t.Fatalf("%d hits, want 5", len(result.Hits))
		}
		for _, h := range result.Hits {
			var doc map[string]any
			if err := json.Unmarshal(h.Source, &doc); err != nil || doc["group"] != "g3" || doc["cost"] != nil || h.Index != "client-shop" {
				t.Errorf("hit %+v, %s, %v", h, h.Source, err)
			}
		}
		var aggregations map[string]map[string]float64
		if err := json.Unmarshal(result.Aggregations, &aggregations); err != nil || aggregations["dear"]["value"] != 99 {
			t.Errorf("aggregations %s, %v", result.Aggregations, err)
		}
		if n, err := c.Count(t.Context(), s); n != 71 || err != nil {
			t.Errorf("counted %d, %v", n, err)
		}
	})
}

// TestESClientReadsAll: every hit once, whatever the order, also where thousands are
// equal in it, over shards and over the indices of an alias, while documents come and
// go; and no point in time stays open.
func TestESClientReadsAll(t *testing.T) {
	eachEngine(t, func(t *testing.T, url string) {
		const n = 3000
		for _, index := range []string{"client-all-1", "client-all-2"} {
			newIndex(t, url, index, shopMapping)
			fillIndex(t, url, index, n, shopDocument)
		}
		newIndex(t, url, "client-all-3", strings.Replace(shopMapping, `"number_of_shards":3`, `"number_of_shards":1`, 1))
		fillIndex(t, url, "client-all-3", n, shopDocument)
		askEngine(t, http.MethodPost, url+"/_aliases", `{"actions":[{"add":{"indices":["client-all-1","client-all-2"],"alias":"client-all"}}]}`)
		c := esClient(t, url, esclient.Options{})
		for name, test := range map[string]struct {
			index, body string
			opt         *esquery.PageOptions
			want        int
		}{
			"one shard":              {"client-all-3", `{}`, nil, n},
			"index order":            {"client-all-1", `{}`, nil, n},
			"equal in order":         {"client-all-1", `{"sort":["group"]}`, &esquery.PageOptions{Size: 70}, n},
			"two indices":            {"client-all", `{"sort":[{"price":"desc"}],"size":3,"from":5}`, &esquery.PageOptions{Size: 333}, 2 * n},
			"two indices, unordered": {"client-all", `{}`, &esquery.PageOptions{Size: 900}, 2 * n},
			"some":                   {"client-all-1", `{"query":{"term":{"group":"g1"}}}`, nil, 429},
			"whole pages":            {"client-all-1", `{}`, &esquery.PageOptions{Size: n / 10}, n},
			"at most":                {"client-all-1", `{}`, &esquery.PageOptions{Size: 100, Max: 250}, 250},
			"none":                   {"client-all-1", `{"query":{"term":{"group":"g9"}}}`, nil, 0},
		} {
			t.Run(name, func(t *testing.T) {
				s := searchOf(t, c, test.index, test.body, nil)
				seen := map[string]bool{}
				for h, err := range c.Hits(t.Context(), s, test.opt) {
					if err != nil {
						t.Fatal(err)
					}
					if len(seen) == 10 {
						askEngine(t, http.MethodPut, url+"/client-all-1/_doc/new?refresh=true", shopDocument(1))
						askEngine(t, http.MethodDelete, url+"/client-all-1/_doc/new?refresh=true", "")
					}
					id := h.Index + "/" + h.ID
					if seen[id] {
						t.Errorf("%s comes twice", id)
					}
					seen[id] = true
				}
				if len(seen) != test.want {
					t.Errorf("%d hits, want %d", len(seen), test.want)
				}
			})
		}
		if n := openViews(t, url); n != 0 {
			t.Errorf("%d views are still open", n)
		}
	})
}

// TestESClientStops checks that nothing stays open when the consumer stops reading.
func TestESClientStops(t *testing.T) {
	eachEngine(t, func(t *testing.T, url string) {
		newIndex(t, url, "client-stop", shopMapping)
		fillIndex(t, url, "client-stop", 1000, shopDocument)
		c := esClient(t, url, esclient.Options{})
		s := searchOf(t, c, "client-stop", `{}`, nil)
		opt := &esquery.PageOptions{Size: 10}

		for range c.Hits(t.Context(), s, opt) {
			break
		}
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		var last error
		for _, err := range c.Hits(ctx, s, opt) {
			last = err
			cancel()
		}
		if !errors.Is(last, context.Canceled) {
			t.Errorf("cancelled: %v", last)
		}
		if n := openViews(t, url); n != 0 {
			t.Errorf("%d views are still open", n)
		}
	})
}

// TestESClientIndexVanishes while it is read, and before.
func TestESClientIndexVanishes(t *testing.T) {
	eachEngine(t, func(t *testing.T, url string) {
		newIndex(t, url, "client-gone", shopMapping)
		fillIndex(t, url, "client-gone", 1000, shopDocument)
		c := esClient(t, url, esclient.Options{})
		s := searchOf(t, c, "client-gone", `{}`, nil)
		var last error
		read := 0
		for _, err := range c.Hits(t.Context(), s, &esquery.PageOptions{Size: 10}) {
			if last = err; err != nil {
				break
			}
			if read++; read == 1 {
				askEngine(t, http.MethodDelete, url+"/client-gone", "")
			}
		}
		check := func(what string, err error) {
			t.Helper()
			var e *esquery.EngineError
			if !errors.Is(err, esquery.ErrNotFound) || !errors.As(err, &e) || e.Index != "client-gone" {
				t.Errorf("%s: %v", what, err)
			}
		}
		check("in the middle", last)
		_, err := c.Search(t.Context(), s)
		check("search", err)
		_, err = c.Count(t.Context(), s)
		check("count", err)
		_, err = c.Mapping(t.Context(), "client-gone")
		check("mapping", err)
		for _, err = range c.Hits(t.Context(), s, nil) {
			break
		}
		check("hits", err)
	})
}

// TestESClientViewIsGone: a point in time that was closed by the engine says so.
func TestESClientViewIsGone(t *testing.T) {
	eachEngine(t, func(t *testing.T, url string) {
		newIndex(t, url, "client-late", shopMapping)
		fillIndex(t, url, "client-late", 1000, shopDocument)
		c := esClient(t, url, esclient.Options{})
		s := searchOf(t, c, "client-late", `{}`, nil)
		all := map[string]string{"Elasticsearch": "/_pit", "OpenSearch": "/_search/point_in_time/_all"}
		var last error
		read := 0
		for _, err := range c.Hits(t.Context(), s, &esquery.PageOptions{Size: 10}) {
			if last = err; err != nil {
				break
			}
			if read++; read == 1 {
				if path := all[t.Name()[strings.LastIndex(t.Name(), "/")+1:]]; path == "/_pit" {
					askEngine(t, http.MethodPost, url+"/client-late/_close", "") // the views on it end
					askEngine(t, http.MethodPost, url+"/client-late/_open", "")
				} else {
					askEngine(t, http.MethodDelete, url+path, "")
				}
			}
		}
		if !errors.Is(last, esquery.ErrExpired) {
			t.Errorf("it ends with %v", last)
		}
	})
}

// TestESClientPartial: a shard that cannot answer is told of. The text in one of two
// indices cannot be sorted by.
func TestESClientPartial(t *testing.T) {
	eachEngine(t, func(t *testing.T, url string) {
		newIndex(t, url, "client-half-1", `{"mappings":{"properties":{"v":{"type":"keyword"}}},"aliases":{"client-half":{}}}`)
		newIndex(t, url, "client-half-2", `{"mappings":{"properties":{"v":{"type":"keyword"}}},"aliases":{"client-half":{}}}`)
		fillIndex(t, url, "client-half-1", 5, func(i int) string { return `{"v":"a"}` })
		c := esClient(t, url, esclient.Options{})
		s := searchOf(t, c, "client-half", `{"sort":["v"]}`, nil)

		// The index changes during the search.
		askEngine(t, http.MethodDelete, url+"/client-half-2", "")
		newIndex(t, url, "client-half-2", `{"mappings":{"properties":{"v":{"type":"text"}}},"aliases":{"client-half":{}}}`)
		fillIndex(t, url, "client-half-2", 5, func(i int) string { return `{"v":"a"}` })

		_, err := c.Search(t.Context(), s)
		var e *esquery.EngineError
		if !errors.Is(err, esquery.ErrPartial) || !errors.As(err, &e) || e.Partial == nil || len(e.Partial.Hits) != 5 ||
			len(e.Partial.Failures) == 0 || e.Partial.Failures[0].Index != "client-half-2" {
			t.Fatalf("it answers %v, %+v", err, e)
		}
		for _, err = range c.Hits(t.Context(), s, nil) {
			break
		}
		if !errors.Is(err, esquery.ErrPartial) {
			t.Errorf("reading all ends with %v", err)
		}
	})
}

// TestESClientBadRequest: what the engine says of a query that it does not take. The
// mapping has changed since the validator saw it.
func TestESClientBadRequest(t *testing.T) {
	eachEngine(t, func(t *testing.T, url string) {
		newIndex(t, url, "client-bad", shopMapping)
		c := esClient(t, url, esclient.Options{})
		s := searchOf(t, c, "client-bad", `{"query":{"term":{"group":"eleven"}}}`, nil)
		askEngine(t, http.MethodDelete, url+"/client-bad", "")
		newIndex(t, url, "client-bad", `{"mappings":{"properties":{"group":{"type":"integer"}}}}`)
		fillIndex(t, url, "client-bad", 1, func(int) string { return `{"group":1}` })
		_, err := c.Search(t.Context(), s)
		_, errCount := c.Count(t.Context(), s)
		for what, err := range map[string]error{"search": err, "count": errCount} {
			var e *esquery.EngineError
			if !errors.Is(err, esquery.ErrBadRequest) || !errors.As(err, &e) || !strings.Contains(e.Reason, "eleven") || e.Index != "client-bad" {
				t.Errorf("%s: %v", what, err)
			}
		}
	})
}

// TestESClientManyFields: a mapping of 10,000 fields.
func TestESClientManyFields(t *testing.T) {
	eachEngine(t, func(t *testing.T, url string) {
		var properties []string
		for i := range 10_000 {
			properties = append(properties, fmt.Sprintf(`"field%d":{"type":"keyword"}`, i))
		}
		newIndex(t, url, "client-wide", `{"settings":{"index.mapping.total_fields.limit":20000},"mappings":{"properties":{`+strings.Join(properties, ",")+`}}}`)
		c := esClient(t, url, esclient.Options{})
		s := searchOf(t, c, "client-wide", `{"query":{"term":{"field9999":"x"}}}`, nil)
		if result, err := c.Search(t.Context(), s); err != nil || result.Total.Value != 0 {
			t.Errorf("%+v, %v", result, err)
		}
	})
}

// TestESClientAlias: the mappings of several indices under one name.
func TestESClientAlias(t *testing.T) {
	eachEngine(t, func(t *testing.T, url string) {
		newIndex(t, url, "client-part-1", `{"mappings":{"properties":{"a":{"type":"keyword"}}},"aliases":{"client-parts":{}}}`)
		newIndex(t, url, "client-part-2", `{"mappings":{"properties":{"b":{"type":"keyword"}}},"aliases":{"client-parts":{}}}`)
		fillIndex(t, url, "client-part-1", 1, func(int) string { return `{"a":"x"}` })
		fillIndex(t, url, "client-part-2", 1, func(int) string { return `{"b":"x"}` })
		c := esClient(t, url, esclient.Options{})
		s := searchOf(t, c, "client-parts", `{"query":{"bool":{"should":[{"term":{"a":"x"}},{"term":{"b":"x"}}]}}}`, nil)
		if result, err := c.Search(t.Context(), s); err != nil || len(result.Hits) != 2 {
			t.Errorf("%+v, %v", result, err)
		}
	})
}

// TestESClientCredentials on a server that asks for them. The secret of a refused
// request is in no error.
func TestESClientCredentials(t *testing.T) {
	server := integration.ElasticsearchOwn(t, "xpack.security.enabled: true",
		"xpack.security.http.ssl.enabled: false", "xpack.security.transport.ssl.enabled: false")
	for name, cfg := range map[string]esclient.Options{
		"none":           {},
		"wrong password": {Username: "elastic", Password: "open sesame"},
		"wrong key":      {APIKey: "b3BlbjpzZXNhbWU="},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := esClient(t, server.URL(), cfg).Mapping(t.Context(), "things")
			if !errors.Is(err, esquery.ErrAuth) {
				t.Fatalf("it answers %v", err)
			}
			for _, secret := range []string{"sesame", "b3Blb"} {
				if strings.Contains(fmt.Sprintf("%v %+v", err, err), secret) {
					t.Errorf("the error holds the secret: %v", err)
				}
			}
		})
	}
}

// TestESClientServerDies and comes back with its data: what waited for it goes on.
func TestESClientServerDies(t *testing.T) {
	t.Parallel()
	for name, own := range map[string]func(testing.TB, ...string) *integration.ElasticServer{
		"Elasticsearch": integration.ElasticsearchOwn,
		"OpenSearch":    integration.OpenSearchOwn,
	} {
		t.Run(name, func(t *testing.T) {
			server := own(t)
			newIndex(t, server.URL(), "client-kill", shopMapping)
			fillIndex(t, server.URL(), "client-kill", 1000, shopDocument)
			c := esClient(t, server.URL(), esclient.Options{})
			s := searchOf(t, c, "client-kill", `{}`, nil)

			var last error
			read := 0
			for _, err := range c.Hits(t.Context(), s, &esquery.PageOptions{Size: 10}) {
				if last = err; err != nil {
					break
				}
				if read++; read == 1 {
					server.Kill()
				}
			}
			if !errors.Is(last, esquery.ErrUnavailable) {
				t.Errorf("killed in the middle: %v", last)
			}
			if _, err := c.Search(t.Context(), s); !errors.Is(err, esquery.ErrUnavailable) {
				t.Errorf("not there: %v", err)
			}

			patient := esClient(t, server.URL(), esclient.Options{Timeout: 5 * time.Minute, Retry: retry.Policy{Attempts: 3000, Wait: 100 * time.Millisecond, MaxWait: 100 * time.Millisecond}})
			type outcome struct {
				result *esquery.Result
				err    error
			}
			waiting := make(chan outcome)
			go func() {
				result, err := patient.Search(t.Context(), s)
				waiting <- outcome{result, err}
			}()
			if err := server.Start(); err != nil {
				t.Fatal(err)
			}
			// It may come when not all shards are back: then it says so.
			if o := <-waiting; !errors.Is(o.err, esquery.ErrPartial) && (o.err != nil || o.result.Total.Value != 1000) {
				t.Errorf("what waited: %+v, %v", o.result, o.err)
			}
			if result, err := patient.Search(t.Context(), s); err != nil || result.Total.Value != 1000 {
				t.Errorf("it is back: %+v, %v", result, err)
			}
		})
	}
}

// TestESClientStopsTheEngine: who stops waiting, or has no more time, also stops the
// engine. A transport puts a body that takes long in the place of the search's own.
func TestESClientStopsTheEngine(t *testing.T) {
	eachEngine(t, func(t *testing.T, url string) {
		newIndex(t, url, "client-long", `{"settings":{"number_of_shards":1,"number_of_replicas":0},"mappings":{"properties":{"v":{"type":"keyword"}}}}`)
		fillIndex(t, url, "client-long", 50_000, func(i int) string { return fmt.Sprintf(`{"v":"%08d%08d%08d"}`, i*7919, i*104729, i*1299709) })
		var clauses []string
		for i := range 500 {
			clauses = append(clauses, fmt.Sprintf(`{"wildcard":{"v":"*%d*%d*%d*x"}}`, i%10, i/10%10, i/100))
		}
		long := fmt.Sprintf(`{"size":0,"query":{"bool":{"should":[%s]}}}`, strings.Join(clauses, ","))
		slow := roundTripper(func(r *http.Request) (*http.Response, error) {
			if strings.HasSuffix(r.URL.Path, "/client-long/_search") {
				r.Body, r.ContentLength = io.NopCloser(strings.NewReader(long)), int64(len(long))
			}
			return http.DefaultTransport.RoundTrip(r)
		})
		c := esClient(t, url, esclient.Options{Transport: slow})
		s := searchOf(t, c, "client-long", `{}`, nil)
		searching := func() bool {
			return strings.Contains(string(askEngine(t, http.MethodGet, url+"/_tasks?actions=*search*&detailed", "")), "client-long")
		}
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		ended := make(chan error)
		go func() {
			_, err := c.Search(ctx, s)
			ended <- err
		}()
		for !searching() {
			select {
			case err := <-ended:
				t.Fatalf("the search is too short for this test: %v", err)
			case <-time.After(5 * time.Millisecond):
			}
		}
		cancel()
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Errorf("it ends with %v", err)
		}
		hasty := esClient(t, url, esclient.Options{Transport: slow, Timeout: 200 * time.Millisecond, Retry: retry.Policy{Attempts: 1}})
		if _, err := hasty.Search(t.Context(), s); !errors.Is(err, esquery.ErrPartial) && !errors.Is(err, esquery.ErrTimeout) {
			t.Errorf("out of time, it answers %v", err)
		}
		poll.Until(t, "the engine has stopped searching", func() bool { return !searching() })
	})
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }
