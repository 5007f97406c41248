package resolve

import (
	"context"
	"slices"
	"sync"

	"github.com/qedkit/qed/internal/vector"
	"github.com/qedkit/qed/llm"
)

// embeddings are the vectors of texts. They are computed when they are first
// needed.
type embeddings struct {
	embedder llm.Embedder
	texts    []string

	computing  chan struct{} // holds one value while a goroutine computes vectors
	mu         sync.RWMutex
	dimensions int
	flat       []float32   // the vectors so far, of length one, one after the other
	previous   *embeddings // of the texts before Replace, until all vectors are computed
}

// newEmbeddings returns the embeddings of texts, or nil without an embedder.
// Texts that are also in previous are not embedded again.
func newEmbeddings(embedder llm.Embedder, texts []string, previous *embeddings) *embeddings {
	if embedder == nil {
		return nil
	}
	if previous != nil {
		previous.dropPrevious() // so that there is never a chain of them
	}
	return &embeddings{
		embedder: embedder, texts: texts,
		computing: make(chan struct{}, 1), previous: previous,
	}
}

func (e *embeddings) dropPrevious() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.previous = nil
}

// compute computes the vectors that are missing. If it fails, those that were
// computed are kept.
func (e *embeddings) compute(ctx context.Context) error {
	if e.computed() == len(e.texts) {
		return nil
	}
	select {
	case e.computing <- struct{}{}:
		defer func() { <-e.computing }()
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	known := e.known()
	for {
		first := e.computed()
		if first == len(e.texts) {
			e.dropPrevious()
			return nil
		}
		batch := e.texts[first:min(first+embedBatch, len(e.texts))]
		vectors := make([][]float32, len(batch))
		var missing []string
		for i, text := range batch {
			if vectors[i] = known[text]; vectors[i] == nil {
				missing = append(missing, text)
			}
		}
		if len(missing) > 0 {
			found, err := e.embed(ctx, missing)
			if err != nil {
				return err
			}
			for i := range vectors {
				if vectors[i] == nil {
					vectors[i], found = found[0], found[1:]
				}
			}
		}
		e.add(vectors)
	}
}

// computed returns the number of texts that have a vector.
func (e *embeddings) computed() int {
	e.mu.RLock()
	defer e.mu.RUnlock()
	if e.dimensions == 0 {
		return 0
	}
	return len(e.flat) / e.dimensions
}

// known returns the vectors of the previous texts.
func (e *embeddings) known() map[string][]float32 {
	e.mu.RLock()
	p := e.previous
	e.mu.RUnlock()
	if p == nil {
		return nil
	}
	p.mu.RLock()
	defer p.mu.RUnlock()
	known := map[string][]float32{}
	for i := 0; p.dimensions > 0 && i < len(p.flat)/p.dimensions; i++ {
		known[p.texts[i]] = p.flat[i*p.dimensions:][:p.dimensions:p.dimensions]
	}
	if len(known) > 0 {
		e.mu.Lock()
		e.dimensions = p.dimensions
		e.mu.Unlock()
	}
	return known
}

func (e *embeddings) add(vectors [][]float32) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, v := range vectors {
		e.flat = append(e.flat, v...)
	}
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
	units := make([][]float32, len(found))
	for i, v := range found {
		units[i] = vector.Unit(v)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.dimensions = len(found[0])
	return units, nil
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
	ctx context.Context, term string, least float64, limit int, want func(int) bool,
) ([]neighbour, error) {
	if len(e.texts) == 0 {
		return nil, nil
	}
	if err := e.compute(ctx); err != nil {
		return nil, err
	}
	asked, err := e.embed(ctx, []string{term})
	if err != nil {
		return nil, err
	}
	e.mu.RLock()
	defer e.mu.RUnlock()
	var found []neighbour
	for i := range e.texts {
		if !want(i) {
			continue
		}
		cosine := vector.Dot(asked[0], e.flat[i*e.dimensions:][:e.dimensions])
		if cosine < least || len(found) == limit && cosine <= found[limit-1].cosine {
			continue
		}
		at, _ := slices.BinarySearchFunc(found, cosine, func(n neighbour, c float64) int {
			if n.cosine >= c {
				return -1
			}
			return 1
		})
		if len(found) == limit {
			found = found[:limit-1]
		}
		found = slices.Insert(found, at, neighbour{at: i, cosine: cosine})
	}
	return found, nil
}
