package resolve

import (
	"context"
	"slices"
	"sync"

	"github.com/qedkit/qed/internal/lists"
	"github.com/qedkit/qed/internal/vector"
	"github.com/qedkit/qed/llm"
)

// embeddings are the vectors of texts. They are computed when they are first
// needed.
type embeddings struct {
	embedder  llm.Embedder
	texts     []string
	computing chan struct{}        // holds one value while a goroutine computes vectors
	known     map[string][]float32 // of the texts before Replace

	mu      sync.RWMutex
	vectors [][]float32 // of the first texts so far, of length one
}

// newEmbeddings returns the embeddings of texts, or nil without an embedder.
// Texts that are also in previous are not embedded again.
func newEmbeddings(embedder llm.Embedder, texts []string, previous *embeddings) *embeddings {
	if embedder == nil {
		return nil
	}
	e := &embeddings{embedder: embedder, texts: texts, computing: make(chan struct{}, 1), known: map[string][]float32{}}
	if previous != nil {
		for i, v := range previous.computed() {
			e.known[previous.texts[i]] = v
		}
	}
	return e
}

// computed returns the vectors so far.
func (e *embeddings) computed() [][]float32 {
	e.mu.RLock()
	defer e.mu.RUnlock()
	return e.vectors
}

// compute computes the vectors that are missing. If it fails, those that were
// computed are kept.
func (e *embeddings) compute(ctx context.Context) error {
	if len(e.computed()) == len(e.texts) {
		return nil
	}
	select {
	case e.computing <- struct{}{}:
		defer func() { <-e.computing }()
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	for {
		first := len(e.computed())
		if first == len(e.texts) {
			e.known = nil
			return nil
		}
		batch := e.texts[first:min(first+embedBatch, len(e.texts))]
		vectors := make([][]float32, len(batch))
		var missing []string
		for i, text := range batch {
			if vectors[i] = e.known[text]; vectors[i] == nil {
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
		e.mu.Lock()
		e.vectors = append(e.vectors, vectors...)
		e.mu.Unlock()
	}
}

// embed returns a vector of length one for each text. It reads known only while
// vectors are computed.
func (e *embeddings) embed(ctx context.Context, texts []string) ([][]float32, error) {
	dimensions := 0
	if v := e.computed(); len(v) > 0 {
		dimensions = len(v[0])
	} else {
		for _, v := range e.known {
			dimensions = len(v)
			break
		}
	}
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
	var found []neighbour
	for i, v := range e.computed() {
		if !want(i) {
			continue
		}
		cosine := vector.Dot(asked[0], v)
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
