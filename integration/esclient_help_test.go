package integration_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/qedkit/qed/esquery"
	"github.com/qedkit/qed/esquery/esclient"
	"github.com/qedkit/qed/integration"
	"github.com/qedkit/qed/retry"
)

// eachEngine runs a test on Elasticsearch and on OpenSearch.
func eachEngine(t *testing.T, test func(t *testing.T, url string)) {
	for _, e := range []struct {
		name string
		url  func(testing.TB) string
	}{{"Elasticsearch", integration.Elasticsearch}, {"OpenSearch", integration.OpenSearch}} {
		t.Run(e.name, func(t *testing.T) { test(t, e.url(t)) })
	}
}

// askEngine sends JSON or lines of JSON, and returns the answer's body. It fails the test
// where the engine refuses.
func askEngine(tb testing.TB, method, url, body string) []byte {
	tb.Helper()
	req, err := http.NewRequest(method, url, strings.NewReader(body))
	if err != nil {
		tb.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		tb.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode > 299 {
		tb.Fatalf("%s %s: %s: %.500s, %v", method, url, resp.Status, text, err)
	}
	return text
}

// newIndex makes an index, which goes when the test ends.
func newIndex(tb testing.TB, url, name, definition string) {
	tb.Helper()
	askEngine(tb, http.MethodPut, url+"/"+name, definition)
	tb.Cleanup(func() {
		req, _ := http.NewRequest(http.MethodDelete, url+"/"+name, nil)
		if resp, err := http.DefaultClient.Do(req); err == nil {
			resp.Body.Close()
		}
	})
}

// fillIndex stores n documents under the numbers from 0, and makes them searchable.
func fillIndex(tb testing.TB, url, index string, n int, document func(i int) string) {
	tb.Helper()
	const batch = 10_000
	var lines bytes.Buffer
	for i := range n {
		fmt.Fprintf(&lines, "{\"index\":{\"_id\":\"%d\"}}\n%s\n", i, document(i))
		if (i+1)%batch == 0 || i == n-1 {
			var answer struct{ Errors bool }
			text := askEngine(tb, http.MethodPost, url+"/"+index+"/_bulk?filter_path=errors,items.*.error", lines.String())
			if err := json.Unmarshal(text, &answer); err != nil || answer.Errors {
				tb.Fatalf("bulk: %.500s, %v", text, err)
			}
			lines.Reset()
		}
	}
	askEngine(tb, http.MethodPost, url+"/"+index+"/_refresh", "")
}

// esClient returns a client of one engine that waits little between attempts. The URLs of
// cfg are further nodes.
func esClient(tb testing.TB, url string, cfg esclient.Options) *esclient.Client {
	tb.Helper()
	cfg.URLs = append([]string{url}, cfg.URLs...)
	if cfg.Retry == (retry.Policy{}) {
		cfg.Retry = retry.Policy{Attempts: 3, Wait: 50 * time.Millisecond}
	}
	c, err := esclient.New(&cfg)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(c.Close)
	return c
}

// searchOf checks a body against the mapping of the index as the engine has it.
func searchOf(tb testing.TB, c *esclient.Client, index, body string, opt *esquery.Options) *esquery.Search {
	tb.Helper()
	mapping, err := c.Mapping(tb.Context(), index)
	if err != nil {
		tb.Fatal(err)
	}
	v, err := esquery.NewValidator(map[string]*esquery.Mapping{index: mapping}, opt)
	if err != nil {
		tb.Fatal(err)
	}
	s, err := v.Check(index, []byte(body)).Search()
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

// openViews says how many points in time the engine has open on its indices.
func openViews(tb testing.TB, url string) int {
	tb.Helper()
	var stats struct {
		All struct {
			Total struct {
				Search struct {
					OpenContexts int `json:"open_contexts"`
				}
			}
		} `json:"_all"`
	}
	if err := json.Unmarshal(askEngine(tb, http.MethodGet, url+"/_stats/search", ""), &stats); err != nil {
		tb.Fatal(err)
	}
	return stats.All.Total.Search.OpenContexts
}
