package rag

import (
	"cmp"
	"container/heap"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/qedkit/qed/llm"
)

// A Searcher finds the chunks that have to do with a query. [Index] is one in
// memory; one that asks a vector database or a search engine is an adapter of a
// few lines.
//
// Search returns at most k hits, the best first; k is at least 1. None is no
// error. A Searcher is safe for concurrent use.
//
// The agent calls it with the context of a turn: where a reader may not see all
// documents, the host puts into that context who asks, and its Searcher leaves
// out the others.
type Searcher interface {
	Search(ctx context.Context, query string, k int) ([]Hit, error)
}

// A Hit is a chunk that was found. A higher Score is a better hit; zero or less
// says that the chunk has nothing to do with the query. Scores of two Searchers
// cannot be compared, nor those of one before and after its documents changed.
type Hit struct {
	Chunk Chunk   `json:"chunk"`
	Score float64 `json:"score"`
}

// IndexOptions say how an [Index] finds chunks. Nil and zero fields mean the
// defaults.
type IndexOptions struct {
	// Embedder turns chunks and queries into vectors, which are compared. Nil means
	// that chunks are found by their words.
	Embedder llm.Embedder
	// Batch is how many chunks are embedded in one call: 64.
	Batch int
}

// Index is a [Searcher] in memory. It looks at every chunk, so it finds the best
// and not just good ones; 10,000 chunks take a few milliseconds.
//
// With an Embedder, a hit's score is the cosine of the angle between the vectors
// of query and chunk. Without one it is BM25 (k1 = 1.2, b = 0.75) over the words
// that both have: runs of letters and digits in lower case, without the endings
// of English words and without those that say nothing by themselves (the, of,
// how); in scripts without spaces, characters and pairs of them. Both read a chunk's
// headings and its text. Equal scores are in the order of the chunks.
//
// It is safe for concurrent use.
type Index struct {
	chunks []Chunk
	scores func(ctx context.Context, query string) ([]float64, error) // one a chunk
}

// ErrEmbedding is the error for vectors of an Embedder that cannot be used: too
// few, of different lengths, or not numbers.
var ErrEmbedding = errors.New("the embedder's vectors cannot be used")

// NewIndex returns an index of chunks, which must not be changed afterwards.
// With an Embedder, all are embedded before it returns.
//
// Errors of the Embedder match the kinds of package llm, and [ErrEmbedding] where
// what it returns is not one vector a chunk, all of one length.
func NewIndex(ctx context.Context, chunks []Chunk, opt *IndexOptions) (*Index, error) {
	var o IndexOptions
	if opt != nil {
		o = *opt
	}
	if o.Batch < 0 {
		return nil, fmt.Errorf("rag: IndexOptions.Batch is %d: it cannot be negative", o.Batch)
	}
	if len(chunks) == 0 {
		return nil, fmt.Errorf("rag: %w: there are no chunks", ErrNoDocuments)
	}
	x := &Index{chunks: slices.Clone(chunks)}
	texts := make([]string, len(chunks))
	for i, c := range chunks {
		texts[i] = c.searched()
	}
	if o.Embedder == nil {
		x.scores = newLexicon(texts).scores
		return x, nil
	}
	vectors, err := newVectors(ctx, o.Embedder, texts, cmp.Or(o.Batch, 64))
	if err != nil {
		return nil, fmt.Errorf("rag: %w", err)
	}
	x.scores = vectors.scores
	return x, nil
}

// Search returns the chunks with a score above zero, at most k of them. A query
// without a word finds nothing.
func (x *Index) Search(ctx context.Context, query string, k int) ([]Hit, error) {
	if k < 1 {
		return nil, fmt.Errorf("rag: a search for the best %d chunks: ask for at least one", k)
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
	for _, b := range best(scores, k) {
		hits = append(hits, Hit{x.chunks[b.at], b.score})
	}
	return hits, nil
}

// scored is a chunk by its place in the index.
type scored struct {
	at    int
	score float64
}

// best returns the k highest of scores above zero, the highest first.
func best(scores []float64, k int) []scored {
	var top worstFirst
	for at, score := range scores {
		switch {
		case score <= 0:
		case len(top) < k:
			heap.Push(&top, scored{at, score})
		case score > top[0].score:
			top[0] = scored{at, score}
			heap.Fix(&top, 0)
		}
	}
	slices.SortFunc(top, func(a, b scored) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.at, b.at))
	})
	return top
}

// worstFirst is a heap: its first is the one that a better one replaces.
type worstFirst []scored

func (w worstFirst) Len() int      { return len(w) }
func (w worstFirst) Swap(i, j int) { w[i], w[j] = w[j], w[i] }
func (w *worstFirst) Push(x any)   { *w = append(*w, x.(scored)) }
func (w *worstFirst) Pop() any     { panic("rag: nothing is taken from the heap") }

func (w worstFirst) Less(i, j int) bool {
	return w[i].score < w[j].score || w[i].score == w[j].score && w[i].at > w[j].at
}
