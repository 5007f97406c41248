// Package version replaces documents as a whole in engines without transactions.
// Every chunk has the version of its document, and one record per document has the
// version that counts. A document is replaced by adding the chunks of a new version
// and then changing that record. Searches leave out chunks of other versions.
package version

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	"github.com/qedkit/qed/rag"
)

// A Found is a hit with the version of its document.
type Found struct {
	rag.Hit
	Version string
}

// New returns a new version.
func New() string { return rand.Text() }

// ID returns the id of the record of a document.
func ID(document string) string {
	sum := sha256.Sum256([]byte(document))
	return hex.EncodeToString(sum[:])
}

// Tag returns a key and a value of metadata as one text.
func Tag(key, value string) string {
	raw, _ := json.Marshal([2]string{key, value}) // strings have a JSON form
	return string(raw)
}

// maxFound is the largest number of hits that is asked for.
const maxFound = 10_000

// Search returns the k best hits of the versions that count. search returns the best n
// of all, and current returns the versions that count, by document.
func Search(
	ctx context.Context, k int,
	search func(ctx context.Context, n int) ([]Found, error),
	current func(ctx context.Context, documents []string) (map[string]string, error),
) ([]rag.Hit, error) {
	for n := k; ; n *= 4 {
		n = min(n, maxFound)
		found, err := search(ctx, n)
		if err != nil || len(found) == 0 {
			return nil, err
		}
		seen := map[string]bool{}
		var documents []string
		for _, f := range found {
			if !seen[f.Chunk.Document] {
				seen[f.Chunk.Document] = true
				documents = append(documents, f.Chunk.Document)
			}
		}
		versions, err := current(ctx, documents)
		if err != nil {
			return nil, err
		}
		var hits []rag.Hit
		for _, f := range found {
			if versions[f.Chunk.Document] == f.Version && len(hits) < k {
				hits = append(hits, f.Hit)
			}
		}
		if len(hits) == k || len(found) < n || n == maxFound {
			return hits, nil
		}
	}
}
