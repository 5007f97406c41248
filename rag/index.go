package rag

import (
	"context"
	"fmt"
	"slices"

	"github.com/qedkit/qed/internal/option"
	"github.com/qedkit/qed/internal/ranking"
	"github.com/qedkit/qed/internal/words"
	"github.com/qedkit/qed/llm"
)

// A Searcher finds the chunks that are relevant to a query. [Index] is a
// Searcher in memory. An adapter for a vector database or a search engine is a
// few lines.
//
// Search returns at most k hits, the best first; k is at least 1. No hits is
// not an error. A Searcher must be safe for concurrent use.
//
// The agent calls Search with the context of the turn. If not every user may
// read all documents, put the user into that context and let the Searcher
// leave out what they may not read.
type Searcher interface {
	Search(ctx context.Context, query string, k int) ([]Hit, error)
}

// A Hit is a chunk that a [Searcher] found. A higher Score is a better hit. A
// score of zero or less means that the chunk is not relevant to the query.
// Scores of different Searchers cannot be compared, and neither can scores from
// before and after a change of the documents.
type Hit struct {
	Chunk Chunk   `json:"chunk"`
	Score float64 `json:"score"`
}

// IndexOptions are the options of [NewIndex]. A nil IndexOptions and zero
// fields mean the defaults.
type IndexOptions struct {
	// Embedder turns chunks and queries into vectors, which are compared. Nil
	// means that chunks are found by their words.
	Embedder llm.Embedder
	// BatchSize is the number of chunks embedded in one call. 0 means 64.
	BatchSize int
}

// An Index is a [Searcher] in memory. It compares a query with every chunk, so
// its hits are the exact best ones; with 10,000 chunks that takes a few
// milliseconds. It is safe for concurrent use.
//
// An Index reads a chunk's headings and its text. How it scores them depends on
// [IndexOptions]:
//
//   - With an Embedder, the score is the cosine of the angle between the vectors
//     of the query and the chunk.
//   - Without one, it is BM25 (k1 = 1.2, b = 0.75) over the words that both
//     have: runs of letters and digits in lower case, without English endings
//     and stop words. Scripts that are written without spaces are split into
//     characters and pairs of characters.
//
// Chunks with equal scores are returned in the order in which they were given.
type Index struct {
	chunks []Chunk
	scores func(ctx context.Context, query string) ([]float64, error) // one for each chunk
}

// NewIndex returns an index of chunks, whose fields must not be changed
// afterwards. With an Embedder, it embeds all chunks before it returns.
//
// Without chunks the error matches [ErrNoDocuments]. Errors of the Embedder are
// returned as they are; if its vectors cannot be used, the error matches
// [ErrEmbedding].
func NewIndex(ctx context.Context, chunks []Chunk, opt *IndexOptions) (*Index, error) {
	var o IndexOptions
	if opt != nil {
		o = *opt
	}
	if err := option.Default("rag: IndexOptions.BatchSize", &o.BatchSize, 64); err != nil {
		return nil, err
	}
	if len(chunks) == 0 {
		return nil, fmt.Errorf("rag: %w: there are no chunks", ErrNoDocuments)
	}
	x := &Index{chunks: slices.Clone(chunks)}
	texts := make([]string, len(chunks))
	for i, c := range chunks {
		texts[i] = c.searchText()
	}
	if o.Embedder == nil {
		x.scores = byWords(texts)
		return x, nil
	}
	c, err := newCosine(ctx, o.Embedder, texts, o.BatchSize)
	if err != nil {
		return nil, fmt.Errorf("rag: %w", err)
	}
	x.scores = c.scores
	return x, nil
}

// Search returns at most k chunks with a score above zero, the best first. An
// empty query finds nothing. It returns an error if k is less than 1, if ctx is
// done, or if the Embedder fails.
func (x *Index) Search(ctx context.Context, query string, k int) ([]Hit, error) {
	if k < 1 {
		return nil, fmt.Errorf("rag: Search with k = %d: k is at least 1", k)
	}
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("rag: %w", err)
	}
	if blank(query) {
		return nil, nil
	}
	scores, err := x.scores(ctx, query)
	if err != nil {
		return nil, fmt.Errorf("rag: %w", err)
	}
	var hits []Hit
	for _, s := range ranking.Best(scores, k) {
		hits = append(hits, Hit{Chunk: x.chunks[s.Document], Score: s.Score})
	}
	return hits, nil
}

// byWords returns the function that scores chunks by the words that they share with
// a query. A word that the query repeats counts once.
func byWords(texts []string) func(context.Context, string) ([]float64, error) {
	counts := make([]map[string]float64, len(texts))
	for i, text := range texts {
		counts[i] = map[string]float64{}
		for _, w := range words.Split(text, nil) {
			counts[i][w]++
		}
	}
	x := ranking.NewLexical(counts, ranking.LengthLoss)
	return func(_ context.Context, query string) ([]float64, error) {
		asked := map[string]float64{}
		for _, w := range words.Split(query, nil) {
			asked[w] = 1
		}
		return x.Scores(asked, nil), nil
	}
}
