package chromaindex_test

import (
	"context"
	"fmt"
	"log"

	"github.com/qedkit/qed/llm/openai"
	"github.com/qedkit/qed/rag"
	"github.com/qedkit/qed/rag/chromaindex"
)

// A collection of Chroma is searched by vectors. The index has documents already.
func Example() {
	ctx := context.Background()
	backend, err := chromaindex.Open(ctx, &chromaindex.Options{URL: "http://localhost:8000", Collection: "manual"})
	if err != nil {
		log.Fatal(err)
	}
	embedder, err := openai.NewEmbedder(&openai.Options{Model: "nomic-embed-text", BaseURL: openai.OllamaBaseURL})
	if err != nil {
		log.Fatal(err)
	}
	index, err := rag.NewIndex(backend, &rag.IndexOptions{Embedder: embedder})
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
