package resolve

import (
	"cmp"
	"context"
	"slices"
	"sync"

	"github.com/qedkit/qed/internal/lists"
	"github.com/qedkit/qed/internal/vector"
	"github.com/qedkit/qed/llm"
)

// embeddings are the vectors of the names of a catalog. They are computed when they are
// first needed.
type embeddings struct {
	embedder  llm.Embedder
	computing chan struct{} // holds one value while a goroutine computes vectors

	mu         sync.RWMutex
	vectors    map[string][]float32 // of length one
	dimensions int                  // 0 before the first vector
}

// newEmbeddings returns embeddings without vectors, or nil without an embedder.
func newEmbeddings(embedder llm.Embedder) *embeddings {
	if embedder == nil {
		return nil
	}
	return &embeddings{embedder: embedder, computing: make(chan struct{}, 1), vectors: map[string][]float32{}}
}

// keep forgets the vectors of other texts.
func (e *embeddings) keep(texts map[string]bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for text := range e.vectors {
		if !texts[text] {
			delete(e.vectors, text)
		}
	}
}

// compute computes the vectors that are missing. If it fails, those that were
// computed are kept.
func (e *embeddings) compute(ctx context.Context, texts []string) error {
	select {
	case e.computing <- struct{}{}:
		defer func() { <-e.computing }()
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	e.mu.RLock()
	missing := lists.Filter(texts, func(text string) bool { return e.vectors[text] == nil })
	e.mu.RUnlock()
	for batch := range slices.Chunk(missing, embedBatch) {
		found, err := e.embed(ctx, batch)
		if err != nil {
			return err
		}
		e.mu.Lock()
		for i, text := range batch {
			e.vectors[text], e.dimensions = found[i], len(found[i])
		}
		e.mu.Unlock()
	}
	return nil
}

// embed returns a vector of length one for each text.
func (e *embeddings) embed(ctx context.Context, texts []string) ([][]float32, error) {
	e.mu.RLock()
	dimensions := e.dimensions
	e.mu.RUnlock()
	found, err := vector.Embed(ctx, e.embedder, texts, dimensions)
	if err != nil {
		return nil, err
	}
	return lists.Map(found, vector.Unit), nil
}

// A neighbour is a text, given by its index, with the cosine of the angle between
// its vector and that of a term.
type neighbour struct {
	at     int
	cosine float64
}

// nearest returns at most limit of the texts for which want returns true and
// whose cosine is at least least, the best first.
func (e *embeddings) nearest(
	ctx context.Context, texts []string, term string, least float64, limit int, want func(int) bool,
) ([]neighbour, error) {
	if len(texts) == 0 {
		return nil, nil
	}
	if err := e.compute(ctx, texts); err != nil {
		return nil, err
	}
	asked, err := e.embed(ctx, []string{term})
	if err != nil {
		return nil, err
	}
	e.mu.RLock()
	defer e.mu.RUnlock()
	var found []neighbour
	for i, text := range texts {
		v := e.vectors[text] // nil if the catalog was replaced in the meantime
		if v == nil || !want(i) {
			continue
		}
		if cosine := vector.Dot(asked[0], v); cosine >= least {
			found = append(found, neighbour{at: i, cosine: cosine})
		}
	}
	slices.SortStableFunc(found, func(a, b neighbour) int { return cmp.Compare(b.cosine, a.cosine) })
	return found[:min(len(found), limit)], nil
}
