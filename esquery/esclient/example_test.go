package esclient_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/qedkit/qed/esquery"
	"github.com/qedkit/qed/esquery/esclient"
)

// A body that a model wrote is checked against the mapping of the index, and only
// the checked search is run.
func Example() {
	server := newOrders()
	defer server.Close()
	client, err := esclient.New(&esclient.Options{URLs: []string{server.URL}})
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()

	ctx := context.Background()
	mapping, err := client.Mapping(ctx, "orders")
	if err != nil {
		log.Fatal(err)
	}
	validator, err := esquery.NewValidator(map[string]*esquery.Mapping{"orders": mapping}, &esquery.Options{
		Filter:    json.RawMessage(`{"term":{"tenant":"acme"}}`),
		Sensitive: []string{"iban"},
	})
	if err != nil {
		log.Fatal(err)
	}
	search, err := validator.Check("orders", []byte(`{"query":{"match":{"note":"urgent"}}}`)).Search()
	if err != nil {
		log.Fatal(err) // it says what is wrong, so that the model can correct the body
	}
	result, err := client.Search(ctx, search)
	if err != nil {
		log.Fatal(err)
	}
	for _, hit := range result.Hits {
		fmt.Println(hit.ID, string(hit.Source))
	}
	// Output:
	// 1 {"note":"urgent: call first"}
	// 2 {"note":"not urgent"}
}

// All hits, however many, with at most two pages in memory.
func ExampleClient_Hits() {
	server := newOrders()
	defer server.Close()
	client, search := searchOrders(server.URL, `{"query":{"match":{"note":"urgent"}}}`)
	defer client.Close()

	for hit, err := range client.Hits(context.Background(), search, &esquery.PageOptions{Max: 100_000}) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(hit.ID)
	}
	// Output:
	// 1
	// 2
}

// The result of the shards that answered, if an incomplete result is acceptable.
func ExampleClient_Search_partial() {
	server := newOrders()
	defer server.Close()
	client, search := searchOrders(server.URL, `{"query":{"match":{"note":"slow"}}}`)
	defer client.Close()

	result, err := client.Search(context.Background(), search)
	var failed *esquery.EngineError
	if errors.Is(err, esquery.ErrPartial) && errors.As(err, &failed) {
		result = failed.Partial
		fmt.Printf("%d of %d shards failed: %v\n", result.Shards.Failed, result.Shards.Total, result.Failures[0].Reason)
	} else if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(result.Hits), "hit")
	// Output:
	// 1 of 2 shards failed: node left the cluster
	// 1 hit
}

// searchOrders returns a client of the server and a checked search of its index.
func searchOrders(url, body string) (*esclient.Client, *esquery.Search) {
	client, err := esclient.New(&esclient.Options{URLs: []string{url}})
	if err != nil {
		log.Fatal(err)
	}
	mapping, err := client.Mapping(context.Background(), "orders")
	if err != nil {
		log.Fatal(err)
	}
	validator, err := esquery.NewValidator(map[string]*esquery.Mapping{"orders": mapping}, nil)
	if err != nil {
		log.Fatal(err)
	}
	search, err := validator.Check("orders", []byte(body)).Search()
	if err != nil {
		log.Fatal(err)
	}
	return client, search
}

// newOrders returns a server that answers like an Elasticsearch with an index of
// orders.
func newOrders() *httptest.Server {
	const (
		mapping = `{"orders":{"mappings":{"properties":{
			"note":{"type":"text"},"tenant":{"type":"keyword"},"iban":{"type":"keyword"}}}}}`
		result = `{"took":3,"timed_out":false,"_shards":{"total":2,"successful":2,"skipped":0,"failed":0},
			"hits":{"total":{"value":2,"relation":"eq"},"hits":[
			{"_index":"orders","_id":"1","_source":{"note":"urgent: call first"},"sort":[1]},
			{"_index":"orders","_id":"2","_source":{"note":"not urgent"},"sort":[2]}]}}`
		partial = `{"took":3,"timed_out":false,"_shards":{"total":2,"successful":1,"skipped":0,"failed":1,
			"failures":[{"index":"orders","reason":{"type":"node_disconnected_exception","reason":"node left the cluster"}}]},
			"hits":{"hits":[{"_index":"orders","_id":"1","_source":{"note":"slow"}}]}}`
	)
	return httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.Header().Set("X-Elastic-Product", "Elasticsearch")
		switch r.Method + " " + r.URL.Path {
		case "GET /":
			io.WriteString(w, `{"version":{"number":"8.19.7"}}`)
		case "GET /orders/_mapping":
			io.WriteString(w, mapping)
		case "POST /orders/_pit":
			io.WriteString(w, `{"id":"view"}`)
		case "POST /orders/_search", "POST /_search":
			if strings.Contains(string(body), "slow") {
				io.WriteString(w, partial)
				return
			}
			io.WriteString(w, result)
		}
	}))
}
