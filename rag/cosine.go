package rag

import (
	"context"
	"errors"
	"slices"

	"github.com/qedkit/qed/internal/vector"
	"github.com/qedkit/qed/llm"
)

// ErrEmbedding is matched by the errors of an [Index] whose Embedder returns
// vectors that cannot be used: too few, of different lengths, zero or not
// finite.
var ErrEmbedding = vector.ErrEmbedding

// cosine scores chunks by the angle between their vectors and a query's.
type cosine struct {
	embedder   llm.Embedder
	dimensions int
	flat       []float32 // the chunks' vectors of length one, one after the other
}

// newCosine embeds the texts of all chunks in batches.
func newCosine(ctx context.Context, embedder llm.Embedder, texts []string, batchSize int) (*cosine, error) {
	c := &cosine{embedder: embedder}
	for batch := range slices.Chunk(texts, batchSize) {
		vectors, err := vector.Embed(ctx, embedder, batch, c.dimensions)
		if err != nil {
			return nil, err
		}
		c.dimensions = len(vectors[0])
		for _, v := range vectors {
			c.flat = append(c.flat, vector.Unit(v)...)
		}
	}
	return c, nil
}

// scores returns the score of every chunk. A query whose vector is zero has
// nothing in common with any chunk.
func (c *cosine) scores(ctx context.Context, query string) ([]float64, error) {
	scores := make([]float64, len(c.flat)/c.dimensions)
	vectors, err := vector.Embed(ctx, c.embedder, []string{query}, c.dimensions)
	if errors.Is(err, vector.ErrZero) {
		return scores, nil
	}
	if err != nil {
		return nil, err
	}
	asked := vector.Unit(vectors[0])
	for i := range scores {
		if i%cancelStride == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		scores[i] = vector.Dot(asked, c.flat[i*c.dimensions:][:c.dimensions])
	}
	return scores, nil
}

// cancelStride is the number of chunks between two checks of the context.
const cancelStride = 4096
