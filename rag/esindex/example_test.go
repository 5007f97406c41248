package esindex_test

import (
	"context"
	"fmt"
	"log"
	"net/url"

	"github.com/elastic/elastic-transport-go/v8/elastictransport"

	"github.com/qedkit/qed/rag"
	"github.com/qedkit/qed/rag/esindex"
)

// The chunks of a manual are found by words. A client of go-elasticsearch is a Transport
// as well.
func Example() {
	ctx := context.Background()
	client, err := elastictransport.NewClient(elastictransport.WithURLs(&url.URL{Scheme: "http", Host: "localhost:9200"}))
	if err != nil {
		log.Fatal(err)
	}
	backend, err := esindex.Open(ctx, client, "manual-chunks")
	if err != nil {
		log.Fatal(err)
	}
	index, err := rag.NewIndex(backend, nil)
	if err != nil {
		log.Fatal(err)
	}
	hits, err := index.Search(ctx, rag.Query{Text: "How is a work order cancelled?", K: 5})
	if err != nil {
		log.Fatal(err)
	}
	for _, h := range hits {
		fmt.Println(h.Score, h.Chunk.Text)
	}
}
