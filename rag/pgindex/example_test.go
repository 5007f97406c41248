package pgindex_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/qedkit/qed/llm/openai"
	"github.com/qedkit/qed/rag"
	"github.com/qedkit/qed/rag/pgindex"
)

// The chunks of a manual are kept in a table with pgvector, and found by words and
// vectors. The vectors come from an embedding model, here of a local Ollama.
func Example() {
	ctx := context.Background()
	pool, err := pgxpool.New(ctx, os.Getenv("DATABASE_URL"))
	if err != nil {
		log.Fatal(err)
	}
	defer pool.Close()
	backend, err := pgindex.Open(ctx, pool, "manual_chunks")
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
	chunks, err := rag.Read(ctx, os.DirFS("manual"), nil)
	if err != nil {
		log.Fatal(err)
	}
	if err := index.Put(ctx, chunks); err != nil {
		log.Fatal(err)
	}
	hits, err := index.Search(ctx, rag.Query{Text: "How is a work order cancelled?", K: 5})
	if err != nil {
		log.Fatal(err)
	}
	for _, h := range hits {
		fmt.Println(h.Score, h.Chunk.Document, h.Chunk.Text)
	}
}
