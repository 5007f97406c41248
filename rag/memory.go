package rag

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/qedkit/qed/internal/lists"
	"github.com/qedkit/qed/internal/textmatch"
	"github.com/qedkit/qed/internal/vector"
)

// Memory is a [Backend] in memory. It compares a query with every chunk, so its hits are
// the exact best ones. Scores of words are BM25 (k1 = 1.2, b = 0.75). It is safe for
// concurrent use.
//
// With 100,000 chunks of 384 dimensions, a search by vectors takes about 15 ms on
// one core, and the vectors take 150 MB.
type Memory struct {
	mu         sync.RWMutex
	dimensions int
	slots      []*Chunk         // nil for a removed chunk; lexical has the same numbers
	documents  map[string][]int // the slots of each document
	dead       int              // slots of removed chunks
	blocks     [][]float32      // vectors of blockRows slots each, one after the other
	lexical    *textmatch.Lexical
}

// blockRows is the number of vectors that are allocated at once. Adding a chunk
// never copies the vectors of others.
const blockRows = 1024

// NewMemory returns an empty Memory. With [llm.CacheEmbedderFiles] around the embedder of
// the [Index], a program that starts again does not embed its documents again.
func NewMemory() *Memory {
	return &Memory{documents: map[string][]int{}, lexical: textmatch.NewLexical(nil, textmatch.LengthLoss)}
}

// Dimensions implements [Backend].
func (m *Memory) Dimensions(context.Context) (int, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return m.dimensions, nil
}

// Replace implements [Backend].
func (m *Memory) Replace(ctx context.Context, document string, entries []Entry) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if n := len(entries[0].Vector); n != m.dimensions && m.alive() > 0 {
		return fmt.Errorf("%w: a vector has %d, the index has %d", ErrDimensions, n, m.dimensions)
	}
	m.apply(document, entries)
	return nil
}

// weights counts terms.
func (m *Memory) weights(terms []string) []textmatch.Weight {
	ids := lists.Map(terms, m.lexical.ID)
	slices.Sort(ids)
	var all []textmatch.Weight
	for _, id := range ids {
		if n := len(all); n > 0 && all[n-1].Word == id {
			all[n-1].Weight++
		} else {
			all = append(all, textmatch.Weight{Word: id, Weight: 1})
		}
	}
	return all
}

func (m *Memory) alive() int { return len(m.slots) - m.dead }

// apply replaces a document. No entries means that it is removed.
func (m *Memory) apply(document string, entries []Entry) {
	for _, at := range m.documents[document] {
		m.slots[at] = nil
		m.dead++
		m.lexical.Remove(at)
	}
	delete(m.documents, document)
	if m.dead > 0 && (m.alive() == 0 || m.dead > m.alive()+1000) {
		m.compact()
	}
	if len(entries) == 0 {
		return
	}
	if m.alive() == 0 {
		m.dimensions = len(entries[0].Vector)
	}
	at := make([]int, len(entries))
	for i, e := range entries {
		at[i] = len(m.slots)
		m.slots = append(m.slots, &e.Chunk)
		m.lexical.Add(m.weights(e.Terms))
		copy(m.row(at[i]), e.Vector)
	}
	m.documents[document] = at
}

// row returns the memory for the vector of a slot.
func (m *Memory) row(at int) []float32 {
	if m.dimensions == 0 {
		return nil
	}
	block := at / blockRows
	for len(m.blocks) <= block {
		m.blocks = append(m.blocks, make([]float32, blockRows*m.dimensions))
	}
	return m.blocks[block][at%blockRows*m.dimensions:][:m.dimensions]
}

// compact removes what dead slots still hold.
func (m *Memory) compact() {
	old := m.slots
	blocks, dimensions := m.blocks, m.dimensions
	m.slots, m.blocks, m.dead = nil, nil, 0
	m.lexical = m.lexical.Compacted()
	if len(m.documents) == 0 {
		m.dimensions = 0
	}
	m.documents = map[string][]int{}
	for at, c := range old {
		if c == nil {
			continue
		}
		m.documents[c.Document] = append(m.documents[c.Document], len(m.slots))
		m.slots = append(m.slots, c)
		if dimensions > 0 {
			copy(m.row(len(m.slots)-1), blocks[at/blockRows][at%blockRows*dimensions:])
		}
	}
}

// Delete implements [Backend].
func (m *Memory) Delete(ctx context.Context, documents []string) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, d := range documents {
		m.apply(d, nil)
	}
	return nil
}

// Nearest implements [Backend].
func (m *Memory) Nearest(ctx context.Context, v []float32, k int, f Filter) ([]Hit, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	if m.alive() == 0 || len(v) != m.dimensions {
		if m.alive() > 0 {
			return nil, fmt.Errorf("%w: the query has %d, the index has %d", ErrDimensions, len(v), m.dimensions)
		}
		return nil, nil
	}
	scores := make([]float64, len(m.slots))
	matches := f.matcher()
	for at := range m.slots {
		if at%blockRows == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if c := m.slots[at]; c != nil && matches(c) {
			scores[at] = vector.Dot(v, m.blocks[at/blockRows][at%blockRows*m.dimensions:][:m.dimensions])
		}
	}
	return m.hits(scores, k), nil
}

// Matching implements [Backend].
func (m *Memory) Matching(ctx context.Context, terms []string, k int, f Filter) ([]Hit, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	asked := map[string]float64{}
	for _, t := range terms {
		asked[t] = 1
	}
	scores := m.lexical.Scores(asked, nil)
	matches := f.matcher()
	for at, score := range scores {
		if score > 0 && !matches(m.slots[at]) {
			scores[at] = 0
		}
	}
	return m.hits(scores, k), ctx.Err()
}

func (m *Memory) hits(scores []float64, k int) []Hit {
	return lists.Map(textmatch.Best(scores, k), func(s textmatch.Scored) Hit {
		return Hit{Chunk: *m.slots[s.Document], Score: s.Score}
	})
}
