package esclient_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"

	"github.com/qedkit/qed/esquery"
	"github.com/qedkit/qed/esquery/esclient"
)

// A body that a model wrote is checked against the index as it is, and only what
// came of that is run.
func Example() {
	ctx := context.Background()
	client, err := esclient.New(&esclient.Config{URLs: []string{"http://localhost:9200"}})
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()

	mapping, err := client.Mapping(ctx, "orders")
	if err != nil {
		log.Fatal(err)
	}
	validator, err := esquery.NewValidator(map[string]*esquery.Mapping{"orders": mapping}, &esquery.Options{
		Filter:    json.RawMessage(`{"term":{"tenant":"acme"}}`),
		Sensitive: []string{"customer.iban"},
	})
	if err != nil {
		log.Fatal(err)
	}
	search, err := validator.Check("orders", []byte(`{"query":{"match":{"note":"urgent"}}}`)).Search()
	if err != nil {
		log.Fatal(err) // it says what is wrong, for the model to mend
	}
	result, err := client.Search(ctx, search)
	switch {
	case errors.Is(err, esquery.ErrNotFound):
		log.Fatal("somebody deleted the index: ", err)
	case err != nil:
		log.Fatal(err)
	}
	for _, hit := range result.Hits {
		fmt.Println(hit.ID, string(hit.Source))
	}
}

// All hits, however many, in constant memory.
func ExampleClient_Hits() {
	var (
		client *esclient.Client
		search *esquery.Search
	)
	for hit, err := range client.Hits(context.Background(), search, &esquery.PageOptions{Max: 100_000}) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(hit.ID)
	}
}

// What shards could answer, where that is better than nothing.
func ExampleClient_Search_partial() {
	var (
		client *esclient.Client
		search *esquery.Search
	)
	result, err := client.Search(context.Background(), search)
	var failed *esquery.EngineError
	if errors.Is(err, esquery.ErrPartial) && errors.As(err, &failed) {
		result = failed.Partial
		log.Printf("incomplete, %d of %d shards failed: %v", result.Shards.Failed, result.Shards.Total, err)
	} else if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(result.Hits))
}
