package integration_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"runtime"
	"strconv"
	"testing"

	"github.com/elastic/elastic-transport-go/v8/elastictransport"
	"github.com/elastic/go-elasticsearch/v8/esapi"

	"github.com/qedkit/qed/esquery/esclient"
	"github.com/qedkit/qed/integration"
)

// BenchmarkHits1M reads every document of an index through [esclient.Client.Hits],
// and by a loop as one writes it on esapi alone: PIT, search_after, and the page
// decoded with encoding/json. The heap is the most that was in use after a page,
// above what was in use before. QED_HITS=1000000 is the figure of the name.
func BenchmarkHits1M(b *testing.B) {
	n := 50_000
	if text := os.Getenv("QED_HITS"); text != "" {
		var err error
		if n, err = strconv.Atoi(text); err != nil {
			b.Fatal(err)
		}
	}
	for _, e := range []struct {
		name string
		url  func(testing.TB) string
	}{{"Elasticsearch", integration.Elasticsearch}, {"OpenSearch", integration.OpenSearch}} {
		b.Run(e.name, func(b *testing.B) {
			address := e.url(b)
			newIndex(b, address, "client-million", `{"settings":{"number_of_shards":1,"number_of_replicas":0,"refresh_interval":-1},
				"mappings":{"properties":{"name":{"type":"text"},"group":{"type":"keyword"},"price":{"type":"integer"},"cost":{"type":"integer"}}}}`)
			fillIndex(b, address, "client-million", n, shopDocument)
			askEngine(b, http.MethodPost, address+"/client-million/_forcemerge?max_num_segments=1", "")

			b.Run("bare", func(b *testing.B) {
				u, err := url.Parse(address)
				if err != nil {
					b.Fatal(err)
				}
				transport, err := elastictransport.NewClient(elastictransport.WithURLs(u))
				if err != nil {
					b.Fatal(err)
				}
				bench(b, n, func(page func()) int { return readWithESAPI(b, transport, e.name == "Elasticsearch", page) })
			})
			b.Run("iterator", func(b *testing.B) {
				c := esClient(b, address, esclient.Options{})
				s := searchOf(b, c, "client-million", `{}`, nil)
				bench(b, n, func(page func()) int {
					read, size := 0, 0
					for h, err := range c.Hits(b.Context(), s, nil) {
						if err != nil {
							b.Fatal(err)
						}
						if read++; read%1000 == 0 {
							page()
						}
						size += len(h.Source)
					}
					return read
				})
			})
		})
	}
}

// bench reads n hits again and again, and reports the hits a second and the heap.
func bench(b *testing.B, n int, read func(page func()) int) {
	var before, now runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	peak, pages := uint64(0), 0
	for b.Loop() {
		got := read(func() {
			if pages++; pages%100 == 0 { // it stops the world
				runtime.ReadMemStats(&now)
				peak = max(peak, now.HeapInuse)
			}
		})
		if got != n {
			b.Fatalf("read %d hits, want %d", got, n)
		}
	}
	b.ReportMetric(float64(b.N)*float64(n)/b.Elapsed().Seconds(), "hits/s")
	b.ReportMetric(float64(max(peak, before.HeapInuse)-before.HeapInuse)/(1<<20), "peak-MB")
}

// readWithESAPI is what one writes without esclient.
func readWithESAPI(b *testing.B, transport *elastictransport.Client, elastic bool, page func()) (read int) {
	ctx, size := b.Context(), 0
	id, tiebreak := "", "_shard_doc"
	if elastic {
		id = openWithESAPI(b, func() (*esapi.Response, error) {
			return esapi.OpenPointInTimeRequest{Index: []string{"client-million"}, KeepAlive: "1m"}.Do(ctx, transport)
		})
	} else {
		tiebreak = "_doc"
		id = openWithESAPI(b, func() (*esapi.Response, error) {
			return perform(ctx, transport, http.MethodPost, "/client-million/_search/point_in_time?keep_alive=1m", "")
		})
	}
	after := ""
	for {
		body := fmt.Sprintf(`{"pit":{"id":%q,"keep_alive":"1m"},"size":1000,"sort":[%q],"track_total_hits":false%s}`, id, tiebreak, after)
		resp, err := esapi.SearchRequest{Body: bytes.NewReader([]byte(body))}.Do(ctx, transport)
		if err != nil {
			b.Fatal(err)
		}
		var answer struct {
			Hits struct {
				Hits []struct {
					Index  string          `json:"_index"`
					ID     string          `json:"_id"`
					Source json.RawMessage `json:"_source"`
					Sort   json.RawMessage `json:"sort"`
				} `json:"hits"`
			} `json:"hits"`
		}
		err = json.NewDecoder(resp.Body).Decode(&answer)
		resp.Body.Close()
		if err != nil {
			b.Fatal(err)
		}
		for _, h := range answer.Hits.Hits {
			read++
			size += len(h.Source)
		}
		page()
		if len(answer.Hits.Hits) < 1000 {
			break
		}
		after = `,"search_after":` + string(answer.Hits.Hits[len(answer.Hits.Hits)-1].Sort)
	}
	var resp *esapi.Response
	var err error
	if elastic {
		resp, err = esapi.ClosePointInTimeRequest{Body: bytes.NewReader(fmt.Appendf(nil, `{"id":%q}`, id))}.Do(ctx, transport)
	} else {
		resp, err = perform(ctx, transport, http.MethodDelete, "/_search/point_in_time", fmt.Sprintf(`{"pit_id":[%q]}`, id))
	}
	if err != nil {
		b.Fatal(err)
	}
	resp.Body.Close()
	return read
}

func openWithESAPI(b *testing.B, open func() (*esapi.Response, error)) string {
	resp, err := open()
	if err != nil {
		b.Fatal(err)
	}
	defer resp.Body.Close()
	var answer struct {
		ID  string `json:"id"`
		PIT string `json:"pit_id"`
	}
	if err := json.NewDecoder(resp.Body).Decode(&answer); err != nil {
		b.Fatal(err)
	}
	return answer.ID + answer.PIT
}

func perform(ctx context.Context, transport *elastictransport.Client, method, path, body string) (*esapi.Response, error) {
	req, err := http.NewRequestWithContext(ctx, method, path, bytes.NewReader([]byte(body)))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := transport.Perform(req)
	if err != nil {
		return nil, err
	}
	return &esapi.Response{StatusCode: resp.StatusCode, Header: resp.Header, Body: resp.Body}, nil
}
