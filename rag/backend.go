package rag

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/qedkit/qed/internal/prompt"
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

// An Entry is a chunk as a [Backend] stores it: with the terms and the vector by
// which searches find it.
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
func (f Filter) Matches(c Chunk) bool { return f.matcher()(&c) }

// matcher returns [Filter.Matches] for many chunks. It finds the document of a chunk
// in the same time however many documents f has.
func (f Filter) matcher() func(c *Chunk) bool {
	documents := make(map[string]bool, len(f.Documents))
	for _, d := range f.Documents {
		documents[d] = true
	}
	return func(c *Chunk) bool {
		if f.Documents != nil && !documents[c.Document] {
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
}

// check returns an error if f has a text that is not UTF-8. An engine that gets it as
// JSON would replace what is wrong, and compare another text.
func (f Filter) check() error {
	for _, d := range f.Documents {
		if !isText(d) {
			return fmt.Errorf("Filter.Documents: %q: %w", prompt.Clip(d, maxTitle), ErrNotUTF8)
		}
	}
	for key, values := range f.Metadata {
		if !isText(key) || !isText(values...) {
			return fmt.Errorf("Filter.Metadata: %q: %w", prompt.Clip(key, maxTitle), ErrNotUTF8)
		}
	}
	return nil
}

// isText reports whether texts are UTF-8 without the character NUL, which
// PostgreSQL does not store.
func isText(texts ...string) bool {
	return !slices.ContainsFunc(texts, func(s string) bool { return !utf8.ValidString(s) || strings.ContainsRune(s, 0) })
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
