package chromaindex

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	"github.com/qedkit/qed/rag"
)

// Chroma has no transactions, so a document is replaced as a whole by versions. Every
// chunk has the version of its document, and one record per document has the version
// that counts. A document is replaced by adding the chunks of a new version and then
// changing that record. Searches leave out chunks of other versions.

// A foundHit is a hit with the version of its document.
type foundHit struct {
	rag.Hit
	Version string
}

// newVersion returns a new version.
func newVersion() string { return rand.Text() }

// recordID returns the id of the record of a document.
func recordID(document string) string {
	sum := sha256.Sum256([]byte(document))
	return hex.EncodeToString(sum[:])
}

// tag returns a key and a value of metadata as one text.
func tag(key, value string) string {
	raw, _ := json.Marshal([2]string{key, value}) // strings have a JSON form
	return string(raw)
}

// maxFound is the largest number of hits that is asked for.
const maxFound = 10_000

// searchVersions returns the k best hits of the versions that count. search returns the best n
// of all, and current returns the versions that count, by document.
func searchVersions(
	ctx context.Context, k int,
	search func(ctx context.Context, n int) ([]foundHit, error),
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
