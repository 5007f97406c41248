package resolve

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/qedkit/qed/llm"
)

// ErrEmbedding is the error for vectors of an embedder that cannot be used: too few, of
// different lengths, or not numbers.
var ErrEmbedding = errors.New("the embedder's vectors cannot be used")

// A meaning has the vectors of texts, once somebody asks for them.
type meaning struct {
	embedder llm.Embedder
	batch    int
	texts    []string

	turn chan struct{} // holds one while somebody computes
	mu   sync.RWMutex
	size int       // of one vector
	flat []float32 // of the texts so far, each of length one and behind the other
	old  *meaning  // of the texts before these, as long as it is of use
}

func newMeaning(embedder llm.Embedder, batch int, texts []string, old *meaning) *meaning {
	if embedder == nil {
		return nil
	}
	if old != nil {
		old.forget()
	}
	return &meaning{embedder: embedder, batch: batch, texts: texts, turn: make(chan struct{}, 1), old: old}
}

// forget lets go of what came before, so that there are never more than two.
func (m *meaning) forget() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.old = nil
}

// ready computes the vectors that are missing. What is there stays there when it fails.
func (m *meaning) ready(ctx context.Context) error {
	if m.done() == len(m.texts) {
		return nil
	}
	select {
	case m.turn <- struct{}{}:
		defer func() { <-m.turn }()
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	known := m.before()
	for {
		first := m.done()
		if first == len(m.texts) {
			m.forget()
			return nil
		}
		some := m.texts[first:min(first+m.batch, len(m.texts))]
		vectors := make([][]float32, len(some))
		var fresh []string
		for i, text := range some {
			if vectors[i] = known[text]; vectors[i] == nil {
				fresh = append(fresh, text)
			}
		}
		if len(fresh) > 0 {
			found, err := m.embed(ctx, fresh)
			if err != nil {
				return err
			}
			for i := range vectors {
				if vectors[i] == nil {
					vectors[i], found = found[0], found[1:]
				}
			}
		}
		m.keep(vectors)
	}
}

func (m *meaning) done() int {
	m.mu.RLock()
	defer m.mu.RUnlock()
	if m.size == 0 {
		return 0
	}
	return len(m.flat) / m.size
}

// before returns the vectors that were computed for the texts before these.
func (m *meaning) before() map[string][]float32 {
	m.mu.RLock()
	old := m.old
	m.mu.RUnlock()
	if old == nil {
		return nil
	}
	old.mu.RLock()
	defer old.mu.RUnlock()
	known := map[string][]float32{}
	for i := 0; old.size > 0 && i < len(old.flat)/old.size; i++ {
		known[old.texts[i]] = old.flat[i*old.size:][:old.size:old.size]
	}
	if len(known) > 0 {
		m.mu.Lock()
		m.size = old.size
		m.mu.Unlock()
	}
	return known
}

func (m *meaning) keep(vectors [][]float32) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, v := range vectors {
		m.flat = append(m.flat, v...)
	}
}

// embed returns a vector of length one for each text.
func (m *meaning) embed(ctx context.Context, texts []string) ([][]float32, error) {
	found, err := m.embedder.Embed(ctx, texts)
	if err != nil {
		return nil, err
	}
	if len(found) != len(texts) {
		return nil, fmt.Errorf("%w: %d for %d texts", ErrEmbedding, len(found), len(texts))
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	own := make([][]float32, len(found))
	for i, v := range found {
		if m.size == 0 {
			m.size = len(v)
		}
		if len(v) != m.size || m.size == 0 {
			return nil, fmt.Errorf("%w: one has %d dimensions, the first had %d", ErrEmbedding, len(v), m.size)
		}
		own[i] = slices.Clone(v) // the embedder may keep its own
		if !normalise(own[i]) {
			return nil, fmt.Errorf("%w: one is zero or holds what is no number", ErrEmbedding)
		}
	}
	return own, nil
}

// normalise makes v a vector of length one. It reports whether v has a direction.
func normalise(v []float32) bool {
	var square float64
	for _, f := range v {
		square += float64(f) * float64(f)
	}
	if square == 0 || math.IsNaN(square) || math.IsInf(square, 0) {
		return false
	}
	scale := 1 / math.Sqrt(square)
	for i, f := range v {
		v[i] = float32(float64(f) * scale)
	}
	return true
}

// A neighbour is a text by its place, and how much its direction is that of another one.
type neighbour struct {
	at     int
	cosine float64
}

// near returns the texts for which want holds whose cosine with a term is at least least, the best
// first, at most limit.
func (m *meaning) near(ctx context.Context, term string, least float64, limit int, want func(int) bool) ([]neighbour, error) {
	if len(m.texts) == 0 {
		return nil, nil
	}
	if err := m.ready(ctx); err != nil {
		return nil, err
	}
	asked, err := m.embed(ctx, []string{term})
	if err != nil {
		return nil, err
	}
	m.mu.RLock()
	defer m.mu.RUnlock()
	var found []neighbour
	for i := range m.texts {
		if !want(i) {
			continue
		}
		cosine := float64(dot(asked[0], m.flat[i*m.size:][:m.size]))
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
		found = slices.Insert(found, at, neighbour{i, cosine})
	}
	return found, nil
}

// dot is the sum of the products of two vectors of one length. Four sums do not wait for each other.
func dot(a, b []float32) float32 {
	b = b[:len(a)]
	var s0, s1, s2, s3 float32
	i := 0
	for ; i+4 <= len(a); i += 4 {
		s0 += a[i] * b[i]
		s1 += a[i+1] * b[i+1]
		s2 += a[i+2] * b[i+2]
		s3 += a[i+3] * b[i+3]
	}
	for ; i < len(a); i++ {
		s0 += a[i] * b[i]
	}
	return s0 + s1 + s2 + s3
}
