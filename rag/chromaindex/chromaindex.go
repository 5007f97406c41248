// Package chromaindex keeps the chunks of a rag.Index in a collection of Chroma,
// through its HTTP API v2:
//
//	backend, err := chromaindex.Open(ctx, &chromaindex.Options{URL: "http://localhost:8000", Collection: "manual"})
//	...
//	index, err := rag.NewIndex(backend, &rag.IndexOptions{Embedder: embedder})
//
// Chroma does not rank by words: the Index finds chunks by their vectors only, and
// needs an Embedder. Its search is approximate in large collections.
//
// Chroma has no transactions. A document is replaced by adding its new chunks under a
// new version, and then changing the one record that says which version counts. A
// search finds one version of a document, and may miss the document while it is
// replaced.
package chromaindex

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/qedkit/qed/internal/lists"
	"github.com/qedkit/qed/rag"
	"github.com/qedkit/qed/rag/internal/version"
)

// Options are the options of [Open].
type Options struct {
	URL        string // of the server; empty means http://localhost:8000
	Tenant     string // empty means default_tenant
	Database   string // empty means default_database
	Collection string // created if it is missing
	Token      string // sent as X-Chroma-Token, unless it is empty

	// Client sends the requests. Nil means http.DefaultClient.
	Client *http.Client
}

// An Error is a request that Chroma refused.
type Error struct {
	Status  int
	Message string
}

func (e *Error) Error() string { return fmt.Sprintf("Chroma answered %d: %s", e.Status, e.Message) }

// A Backend is a [rag.Backend] in one collection. Many processes can use one
// collection.
type Backend struct {
	opt         Options
	collections string // the URL of all collections
	collection  string // the URL of this one
}

// Open returns the chunks in a collection, which it creates if it is missing.
func Open(ctx context.Context, opt *Options) (*Backend, error) {
	if opt == nil || opt.Collection == "" {
		return nil, errors.New("chromaindex: Open needs Options.Collection")
	}
	b := &Backend{opt: *opt}
	b.opt.Client = cmp.Or(b.opt.Client, http.DefaultClient)
	b.collections = fmt.Sprintf("%s/api/v2/tenants/%s/databases/%s/collections",
		strings.TrimRight(cmp.Or(opt.URL, "http://localhost:8000"), "/"),
		url.PathEscape(cmp.Or(opt.Tenant, "default_tenant")), url.PathEscape(cmp.Or(opt.Database, "default_database")))
	var out struct{ ID string }
	err := b.do(ctx, http.MethodPost, b.collections, map[string]any{
		"name": opt.Collection, "get_or_create": true,
		"configuration": map[string]any{"hnsw": map[string]any{"space": "cosine", "ef_construction": 200, "ef_search": 200}},
	}, &out)
	if err != nil {
		return nil, err
	}
	b.collection = b.collections + "/" + url.PathEscape(out.ID)
	return b, nil
}

const (
	maxResponse = 256 << 20 // bytes
	maxMessage  = 500       // bytes
	batchSize   = 200       // chunks of one request
)

// do sends a request and decodes the response.
func (b *Backend) do(ctx context.Context, method, target string, body, out any) error {
	raw, err := json.Marshal(body)
	if err != nil {
		return fmt.Errorf("chromaindex: %w", err)
	}
	req, err := http.NewRequestWithContext(ctx, method, target, bytes.NewReader(raw))
	if err != nil {
		return fmt.Errorf("chromaindex: %w", err)
	}
	req.Header.Set("Content-Type", "application/json")
	if b.opt.Token != "" {
		req.Header.Set("X-Chroma-Token", b.opt.Token)
	}
	resp, err := b.opt.Client.Do(req)
	if err != nil {
		return fmt.Errorf("chromaindex: %w", err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(io.LimitReader(resp.Body, maxResponse))
	if err != nil {
		return fmt.Errorf("chromaindex: %w", err)
	}
	if resp.StatusCode >= 300 {
		message := strings.ToValidUTF8(string(text[:min(len(text), maxMessage)]), "")
		return fmt.Errorf("chromaindex: %w", &Error{resp.StatusCode, message})
	}
	if out == nil {
		return nil
	}
	if err := json.Unmarshal(text, out); err != nil {
		return fmt.Errorf("chromaindex: the response of Chroma cannot be read: %w", err)
	}
	return nil
}

// Dimensions implements [rag.Backend]. It is the length that the collection has for
// vectors, which does not change when all documents are deleted.
func (b *Backend) Dimensions(ctx context.Context) (int, error) {
	var out struct{ Dimension int }
	target := b.collections + "/" + url.PathEscape(b.opt.Collection)
	err := b.do(ctx, http.MethodGet, target, nil, &out)
	return out.Dimension, err
}

// The metadata of a record. Metadata of a chunk are tags, whose value is true.
const (
	kindKey     = "kind"
	documentKey = "document"
	versionKey  = "version"
	chunkKey    = "chunk"
	tagPrefix   = "tag:"
)

type records struct {
	IDs        []string         `json:"ids"`
	Embeddings [][]float32      `json:"embeddings"`
	Metadatas  []map[string]any `json:"metadatas"`
}

func (r *records) add(id string, embedding []float32, metadata map[string]any) {
	r.IDs = append(r.IDs, id)
	r.Embeddings = append(r.Embeddings, embedding)
	r.Metadatas = append(r.Metadatas, metadata)
}

// Replace implements [rag.Backend].
func (b *Backend) Replace(ctx context.Context, document string, entries []rag.Entry) error {
	n := len(entries[0].Vector)
	if n == 0 {
		return fmt.Errorf("chromaindex: Chroma finds chunks by vectors only: set IndexOptions.Embedder: %w", errors.ErrUnsupported)
	}
	has, err := b.Dimensions(ctx)
	if err != nil {
		return err
	}
	if has != 0 && has != n {
		return fmt.Errorf("chromaindex: %w: a vector has %d, the collection has %d", rag.ErrDimensions, n, has)
	}
	v := version.New()
	for batch := range slices.Chunk(entries, batchSize) {
		var all records
		for _, e := range batch {
			chunk, jsonErr := json.Marshal(e.Chunk)
			if jsonErr != nil {
				return fmt.Errorf("chromaindex: %w", jsonErr)
			}
			metadata := map[string]any{kindKey: "chunk", documentKey: document, versionKey: v, chunkKey: string(chunk)}
			for key, value := range e.Chunk.Metadata {
				metadata[tagPrefix+version.Tag(key, value)] = true
			}
			all.add(fmt.Sprintf("%s.%d", v, e.Chunk.Number), e.Vector, metadata)
		}
		if err = b.do(ctx, http.MethodPost, b.collection+"/add", all, nil); err != nil {
			break
		}
	}
	if err == nil {
		var one records
		one.add(version.ID(document), entries[0].Vector, map[string]any{kindKey: "version", documentKey: document, versionKey: v})
		err = b.do(ctx, http.MethodPost, b.collection+"/upsert", one, nil)
	}
	if err != nil {
		// No search finds the new chunks. If they cannot be removed now, the next
		// Replace of the document does it.
		b.remove(context.WithoutCancel(ctx), equal(versionKey, v))
		return err
	}
	// The new version counts, and the old chunks are found no more.
	b.remove(ctx, and(equal(documentKey, document), map[string]any{versionKey: map[string]any{"$ne": v}}))
	return nil
}

func equal(key string, value any) any { return map[string]any{key: map[string]any{"$eq": value}} }

func and(all ...any) any {
	if len(all) == 1 {
		return all[0]
	}
	return map[string]any{"$and": all}
}

func or(all ...any) any {
	if len(all) == 1 {
		return all[0]
	}
	return map[string]any{"$or": all}
}

func (b *Backend) remove(ctx context.Context, where any) error {
	return b.do(ctx, http.MethodPost, b.collection+"/delete", map[string]any{"where": where}, nil)
}

// Delete implements [rag.Backend].
func (b *Backend) Delete(ctx context.Context, documents []string) error {
	if len(documents) == 0 {
		return nil
	}
	ids := lists.Map(documents, version.ID)
	if err := b.do(ctx, http.MethodPost, b.collection+"/delete", map[string]any{"ids": ids}, nil); err != nil {
		return err
	}
	return b.remove(ctx, map[string]any{documentKey: map[string]any{"$in": documents}})
}

func where(f rag.Filter) any {
	all := []any{equal(kindKey, "chunk")}
	if f.Documents != nil {
		all = append(all, map[string]any{documentKey: map[string]any{"$in": f.Documents}})
	}
	for key, values := range f.Metadata {
		tags := lists.Map(values, func(v string) any { return equal(tagPrefix+version.Tag(key, v), true) })
		all = append(all, or(tags...))
	}
	return and(all...)
}

// Nearest implements [rag.Backend].
func (b *Backend) Nearest(ctx context.Context, vector []float32, k int, f rag.Filter) ([]rag.Hit, error) {
	if f.Nothing() {
		return nil, ctx.Err()
	}
	return version.Search(ctx, k, func(ctx context.Context, n int) ([]version.Found, error) {
		var out struct {
			Distances [][]float64
			Metadatas [][]map[string]any
		}
		err := b.do(ctx, http.MethodPost, b.collection+"/query", map[string]any{
			"query_embeddings": [][]float32{vector}, "n_results": n, "where": where(f), "include": []string{"metadatas", "distances"},
		}, &out)
		if err != nil || len(out.Metadatas) == 0 {
			return nil, err
		}
		if len(out.Distances) != 1 || len(out.Distances[0]) != len(out.Metadatas[0]) {
			return nil, errors.New("chromaindex: the response of Chroma lacks distances")
		}
		var found []version.Found
		for i, m := range out.Metadatas[0] {
			one := version.Found{Hit: rag.Hit{Score: 1 - out.Distances[0][i]}}
			text, _ := m[chunkKey].(string)
			if text == "" {
				continue // deleted while Chroma searched
			}
			one.Version, _ = m[versionKey].(string)
			if err := json.Unmarshal([]byte(text), &one.Chunk); err != nil {
				return nil, fmt.Errorf("chromaindex: a record is not a chunk: %w", err)
			}
			if one.Score > 1e-6 {
				found = append(found, one)
			}
		}
		return found, nil
	}, b.current)
}

// Matching implements [rag.Backend]. It returns [errors.ErrUnsupported].
func (b *Backend) Matching(context.Context, []string, int, rag.Filter) ([]rag.Hit, error) {
	return nil, errors.ErrUnsupported
}

// current returns the versions of documents that count.
func (b *Backend) current(ctx context.Context, documents []string) (map[string]string, error) {
	ids := lists.Map(documents, version.ID)
	var out struct{ Metadatas []map[string]any }
	if err := b.do(ctx, http.MethodPost, b.collection+"/get", map[string]any{"ids": ids, "include": []string{"metadatas"}}, &out); err != nil {
		return nil, err
	}
	versions := map[string]string{}
	for _, m := range out.Metadatas {
		document, _ := m[documentKey].(string)
		versions[document], _ = m[versionKey].(string)
	}
	return versions, nil
}
