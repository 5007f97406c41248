package rag

import (
	"context"
	"slices"
)

// A Backend keeps the chunks of an [Index]: [Memory], or one of the packages for
// PostgreSQL, Elasticsearch and Chroma below rag. The Index checks arguments,
// analyzes words and makes vectors; a Backend stores and finds. It must be safe for
// concurrent use. Package ragtest has tests for Backends.
type Backend interface {
	// Dimensions returns the number of dimensions of the stored vectors, or 0 if
	// there are none.
	Dimensions(ctx context.Context) (int, error)
	// Replace stores the entries of a document in place of those it had. If it
	// returns an error, no search finds a part of the new entries. There is at
	// least one entry, all are of that document, and all have vectors of one
	// length or none has.
	Replace(ctx context.Context, document string, entries []Entry) error
	// Delete removes documents. An unknown document is not an error.
	Delete(ctx context.Context, documents []string) error
	// Nearest returns the k chunks whose vectors have the smallest angle to a
	// vector of length 1, the best first. The score is the cosine. Scores of zero
	// or less are left out.
	Nearest(ctx context.Context, vector []float32, k int, f Filter) ([]Hit, error)
	// Matching returns the k chunks that have at least one of the terms, the best
	// first. A Backend that cannot rank by terms returns [errors.ErrUnsupported].
	Matching(ctx context.Context, terms []string, k int, f Filter) ([]Hit, error)
}

// An Entry is a chunk with what it is found by.
type Entry struct {
	Chunk  Chunk
	Terms  []string  // of an [Analyzer], with repetitions
	Vector []float32 // of length 1; nil if the index has no Embedder
}

// A Filter limits a search to some chunks. The zero Filter means all of them. A
// list that is empty and not nil matches no chunk, so that a user without any
// right finds nothing.
type Filter struct {
	// Documents are the documents that may be found. Nil means all.
	Documents []string `json:"documents"`
	// Metadata has the values that chunks may have, by key. A chunk must have one
	// of the values for every key.
	Metadata map[string][]string `json:"metadata,omitempty"`
}

// Matches reports whether f lets a chunk be found.
func (f Filter) Matches(c Chunk) bool {
	if f.Documents != nil && !slices.Contains(f.Documents, c.Document) {
		return false
	}
	for key, values := range f.Metadata {
		v, ok := c.Metadata[key]
		if !ok || !slices.Contains(values, v) {
			return false
		}
	}
	return true
}

// Nothing reports whether f matches no chunk at all.
func (f Filter) Nothing() bool {
	if f.Documents != nil && len(f.Documents) == 0 {
		return true
	}
	for _, values := range f.Metadata {
		if len(values) == 0 {
			return true
		}
	}
	return false
}
