// Package esindex keeps the chunks of a rag.Index in an index of Elasticsearch 8.15
// or later:
//
//	client, err := elasticsearch.NewClient(elasticsearch.Config{Addresses: urls})
//	...
//	backend, err := esindex.Open(ctx, client, "manual-chunks")
//	...
//	index, err := rag.NewIndex(backend, &rag.IndexOptions{Embedder: embedder})
//
// Searches by vectors compare all chunks, so their hits are the exact best ones.
// Searches by words use BM25 over the terms of the Index's Analyzer.
//
// Elasticsearch has no transactions. A document is replaced by adding its new chunks
// under a new version, and then changing the one record that says which version
// counts. A search finds one version of a document, and may miss the document while it
// is replaced.
package esindex

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

// A Transport sends requests to a cluster. *elasticsearch.Client and
// *elastictransport.Client are Transports.
type Transport interface {
	Perform(*http.Request) (*http.Response, error)
}

// An Error is a request that Elasticsearch refused.
type Error struct {
	Status int
	Type   string // such as "illegal_argument_exception"
	Reason string
}

func (e *Error) Error() string {
	return fmt.Sprintf("Elasticsearch answered %d %s: %s", e.Status, e.Type, e.Reason)
}

// A Backend is a [rag.Backend] in one index. Many processes can use one index.
type Backend struct {
	transport Transport
	index     string
}

const mapping = `{"mappings": {"dynamic": false, "properties": {
	"kind": {"type": "keyword"},
	"document": {"type": "keyword"},
	"version": {"type": "keyword"},
	"number": {"type": "integer"},
	"tags": {"type": "keyword"},
	"chunk": {"type": "object", "enabled": false},
	"terms": {"type": "text", "analyzer": "whitespace"}
}}}`

// Open returns the chunks in an index, which it creates if it is missing.
func Open(ctx context.Context, t Transport, index string) (*Backend, error) {
	if t == nil || index == "" {
		return nil, errors.New("esindex: Open needs a transport and the name of an index")
	}
	b := &Backend{t, index}
	err := b.do(ctx, http.MethodPut, "", nil, json.RawMessage(mapping), nil)
	if e, ok := errors.AsType[*Error](err); ok && e.Type == "resource_already_exists_exception" {
		err = nil
	}
	if err != nil {
		return nil, err
	}
	return b, nil
}

// do sends a request about the index and decodes the response.
func (b *Backend) do(ctx context.Context, method, path string, query url.Values, body, out any) error {
	var raw []byte
	contentType := "application/json"
	if lines, ok := body.([]any); ok {
		contentType = "application/x-ndjson"
		var all bytes.Buffer
		for _, line := range lines {
			if err := json.NewEncoder(&all).Encode(line); err != nil {
				return fmt.Errorf("esindex: %w", err)
			}
		}
		raw = all.Bytes()
	} else if body != nil {
		var err error
		if raw, err = json.Marshal(body); err != nil {
			return fmt.Errorf("esindex: %w", err)
		}
	}
	target := url.URL{Path: "/" + b.index + path, RawPath: "/" + url.PathEscape(b.index) + path, RawQuery: query.Encode()}
	req, err := http.NewRequestWithContext(ctx, method, target.String(), bytes.NewReader(raw))
	if err != nil {
		return fmt.Errorf("esindex: %w", err)
	}
	if body != nil {
		req.Header.Set("Content-Type", contentType)
	}
	resp, err := b.transport.Perform(req)
	if err != nil {
		return fmt.Errorf("esindex: %w", err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(io.LimitReader(resp.Body, maxResponse))
	if err != nil {
		return fmt.Errorf("esindex: %w", err)
	}
	if resp.StatusCode >= 300 {
		return fmt.Errorf("esindex: %w", errorOf(resp.StatusCode, text))
	}
	if out == nil {
		return nil
	}
	if err := json.Unmarshal(text, out); err != nil {
		return fmt.Errorf("esindex: the response of Elasticsearch cannot be read: %w", err)
	}
	return nil
}

const (
	maxResponse = 256 << 20 // bytes
	maxReason   = 500       // bytes
	batchSize   = 200       // chunks of one request
)

func errorOf(status int, text []byte) *Error {
	var body struct {
		Error struct{ Type, Reason string } `json:"error"`
	}
	e := &Error{Status: status}
	if json.Unmarshal(text, &body) == nil {
		e.Type, e.Reason = body.Error.Type, body.Error.Reason
	}
	e.Reason = cmp.Or(e.Reason, string(text))
	e.Reason = strings.ToValidUTF8(e.Reason[:min(len(e.Reason), maxReason)], "")
	return e
}

type vectorField struct {
	Type         string            `json:"type"`
	Dims         int               `json:"dims"`
	Similarity   string            `json:"similarity"`
	Index        bool              `json:"index"`
	IndexOptions map[string]string `json:"index_options"`
}

// Dimensions implements [rag.Backend]. It is the length that the index has for
// vectors, which does not change when all documents are deleted.
func (b *Backend) Dimensions(ctx context.Context) (int, error) {
	var out map[string]struct {
		Mappings struct {
			Properties struct {
				Vector struct{ Dims int } `json:"vector"`
			} `json:"properties"`
		} `json:"mappings"`
	}
	if err := b.do(ctx, http.MethodGet, "/_mapping", nil, nil, &out); err != nil {
		return 0, err
	}
	for _, index := range out {
		return index.Mappings.Properties.Vector.Dims, nil
	}
	return 0, nil
}

// prepare makes sure that the index has vectors of n dimensions.
func (b *Backend) prepare(ctx context.Context, n int) error {
	has, err := b.Dimensions(ctx)
	if err != nil || has == n {
		return err
	}
	if has == 0 {
		field := vectorField{Type: "dense_vector", Dims: n, Similarity: "cosine", Index: true, IndexOptions: map[string]string{"type": "flat"}}
		err = b.do(ctx, http.MethodPut, "/_mapping", nil, map[string]any{"properties": map[string]any{"vector": field}}, nil)
		if e, ok := errors.AsType[*Error](err); !ok || e.Status != http.StatusBadRequest {
			return err
		}
		if has, err = b.Dimensions(ctx); err != nil || has == n { // another process was faster
			return err
		}
	}
	return fmt.Errorf("esindex: %w: a vector has %d, the index has %d", rag.ErrDimensions, n, has)
}

type record struct {
	Kind     string     `json:"kind"`
	Document string     `json:"document"`
	Version  string     `json:"version"`
	Number   int        `json:"number,omitempty"`
	Tags     []string   `json:"tags,omitempty"`
	Chunk    *rag.Chunk `json:"chunk,omitempty"`
	Terms    string     `json:"terms,omitempty"`
	Vector   []float32  `json:"vector,omitempty"`
}

// Replace implements [rag.Backend].
func (b *Backend) Replace(ctx context.Context, document string, entries []rag.Entry) error {
	if err := b.prepare(ctx, len(entries[0].Vector)); err != nil {
		return err
	}
	v := version.New()
	var err error
	for batch := range slices.Chunk(entries, batchSize) {
		var lines []any
		for _, e := range batch {
			r := record{
				Kind: "chunk", Document: document, Version: v, Number: e.Chunk.Number,
				Chunk: &e.Chunk, Terms: strings.Join(e.Terms, " "), Vector: e.Vector,
			}
			for key, value := range e.Chunk.Metadata {
				r.Tags = append(r.Tags, version.Tag(key, value))
			}
			lines = append(lines, action("index", fmt.Sprintf("%s.%d", v, e.Chunk.Number)), r)
		}
		if err = b.bulk(ctx, lines); err != nil {
			break
		}
	}
	if err == nil {
		err = b.bulk(ctx, []any{action("index", version.ID(document)), record{Kind: "version", Document: document, Version: v}})
	}
	if err != nil {
		// No search finds the new chunks. If they cannot be removed now, the next
		// Replace of the document does it.
		b.remove(context.WithoutCancel(ctx), map[string]any{"term": map[string]any{"version": v}})
		return err
	}
	// The new version counts, and the old chunks are found no more.
	b.remove(ctx, map[string]any{"bool": map[string]any{
		"filter":   []any{map[string]any{"term": map[string]any{"document": document}}, chunksOnly},
		"must_not": map[string]any{"term": map[string]any{"version": v}},
	}})
	return nil
}

var chunksOnly = map[string]any{"term": map[string]any{"kind": "chunk"}}

func action(name, id string) any { return map[string]any{name: map[string]string{"_id": id}} }

// bulk sends lines of actions, and waits until searches see them.
func (b *Backend) bulk(ctx context.Context, lines []any) error {
	var out struct {
		Errors bool
		Items  []map[string]struct {
			Status int
			Error  struct{ Type, Reason string }
		}
	}
	if err := b.do(ctx, http.MethodPost, "/_bulk", url.Values{"refresh": {"true"}}, lines, &out); err != nil {
		return err
	}
	for _, item := range out.Items {
		for _, result := range item {
			if result.Status >= 300 && result.Status != http.StatusNotFound {
				reason := result.Error.Reason
				return fmt.Errorf("esindex: %w", &Error{result.Status, result.Error.Type, reason[:min(len(reason), maxReason)]})
			}
		}
	}
	return nil
}

// remove deletes the records that a query matches.
func (b *Backend) remove(ctx context.Context, query any) error {
	for {
		var out searched
		body := map[string]any{"query": query, "size": 1000, "_source": false}
		if err := b.do(ctx, http.MethodPost, "/_search", nil, body, &out); err != nil || len(out.Hits.Hits) == 0 {
			return err
		}
		var lines []any
		for _, h := range out.Hits.Hits {
			lines = append(lines, action("delete", h.ID))
		}
		if err := b.bulk(ctx, lines); err != nil {
			return err
		}
	}
}

// Delete implements [rag.Backend].
func (b *Backend) Delete(ctx context.Context, documents []string) error {
	if len(documents) == 0 {
		return nil
	}
	lines := lists.Map(documents, func(d string) any { return action("delete", version.ID(d)) })
	if err := b.bulk(ctx, lines); err != nil {
		return err
	}
	return b.remove(ctx, map[string]any{"terms": map[string]any{"document": documents}})
}

type searched struct {
	Hits struct {
		Hits []struct {
			ID     string  `json:"_id"`
			Score  float64 `json:"_score"`
			Source record  `json:"_source"`
		}
	}
}

// filters returns the clauses of a filter.
func filters(f rag.Filter) []any {
	all := []any{chunksOnly}
	if f.Documents != nil {
		all = append(all, map[string]any{"terms": map[string]any{"document": f.Documents}})
	}
	for key, values := range f.Metadata {
		tags := []string{}
		tags = append(tags, lists.Map(values, func(v string) string { return version.Tag(key, v) })...)
		all = append(all, map[string]any{"terms": map[string]any{"tags": tags}})
	}
	return all
}

// Nearest implements [rag.Backend].
func (b *Backend) Nearest(ctx context.Context, vector []float32, k int, f rag.Filter) ([]rag.Hit, error) {
	return b.search(ctx, k, func(n int) map[string]any {
		return map[string]any{"knn": map[string]any{
			"field": "vector", "query_vector": vector, "k": n, "num_candidates": n, "filter": filters(f),
		}}
	}, func(score float64) float64 { return 2*score - 1 })
}

// Matching implements [rag.Backend].
func (b *Backend) Matching(ctx context.Context, terms []string, k int, f rag.Filter) ([]rag.Hit, error) {
	return b.search(ctx, k, func(int) map[string]any {
		return map[string]any{"query": map[string]any{"bool": map[string]any{
			"must":   map[string]any{"match": map[string]any{"terms": strings.Join(terms, " ")}},
			"filter": filters(f),
		}}}
	}, func(score float64) float64 { return score })
}

func (b *Backend) search(ctx context.Context, k int, body func(n int) map[string]any, score func(float64) float64) ([]rag.Hit, error) {
	return version.Search(ctx, k, func(ctx context.Context, n int) ([]version.Found, error) {
		request := body(n)
		request["size"] = n
		request["_source"] = []string{"chunk", "version"}
		var out searched
		if err := b.do(ctx, http.MethodPost, "/_search", nil, request, &out); err != nil {
			return nil, err
		}
		var found []version.Found
		for _, h := range out.Hits.Hits {
			if s := score(h.Score); s > 1e-6 && h.Source.Chunk != nil {
				found = append(found, version.Found{Hit: rag.Hit{Chunk: *h.Source.Chunk, Score: s}, Version: h.Source.Version})
			}
		}
		return found, nil
	}, b.current)
}

// current returns the versions of documents that count.
func (b *Backend) current(ctx context.Context, documents []string) (map[string]string, error) {
	ids := lists.Map(documents, version.ID)
	var out struct {
		Docs []struct {
			Source record `json:"_source"`
		}
	}
	if err := b.do(ctx, http.MethodPost, "/_mget", nil, map[string]any{"ids": ids}, &out); err != nil {
		return nil, err
	}
	versions := map[string]string{}
	for _, d := range out.Docs {
		versions[d.Source.Document] = d.Source.Version
	}
	return versions, nil
}
