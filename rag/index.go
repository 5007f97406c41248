package rag

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/qedkit/qed/internal/lists"
	"github.com/qedkit/qed/internal/option"
	"github.com/qedkit/qed/internal/textmatch"
	"github.com/qedkit/qed/internal/vector"
	"github.com/qedkit/qed/llm"
)

// A Searcher finds the chunks that are relevant to a query. [Index] is a Searcher.
//
// Search returns at most q.K hits, the best first. No hits is not an error. A
// Searcher must be safe for concurrent use.
//
// The agent calls Search with the context of the turn. If not every user may
// read all documents, set [Options.Filter], or put the user into that context and
// let the Searcher leave out what they may not read.
type Searcher interface {
	Search(ctx context.Context, q Query) ([]Hit, error)
}

// A Query is a search: which chunks a [Searcher] has to find.
type Query struct {
	Text   string // the question, or other words to search for
	K      int    // the largest number of hits; at least 1
	Filter Filter // the chunks that may be found; the zero value means all
	Mode   Mode   // how an [Index] ranks; other Searchers may ignore it
}

// A Mode says how an [Index] ranks chunks.
type Mode string

const (
	// BestMode is HybridMode if the index has vectors and its Backend can rank by
	// words, and otherwise the one mode that it has.
	BestMode Mode = ""
	// VectorMode ranks by the cosine of the angle between the vectors of the query
	// and the chunk.
	VectorMode Mode = "vector"
	// WordMode ranks by the words that the query and the chunk have in common.
	WordMode Mode = "words"
	// HybridMode ranks in both ways, and combines them by reciprocal rank fusion.
	HybridMode Mode = "hybrid"
)

// A Hit is a chunk that a [Searcher] found. A higher Score is a better hit. A
// score of zero or less means that the chunk is not relevant to the query.
// Scores of different Searchers or of different modes cannot be compared, and
// neither can scores from before and after a change of the documents.
type Hit struct {
	Chunk Chunk   `json:"chunk"`
	Score float64 `json:"score"`
}

var (
	// ErrEmbedding is matched by the errors of an [Index] whose Embedder returns
	// vectors that cannot be used: too few, of different lengths, zero or not
	// finite.
	ErrEmbedding = vector.ErrEmbedding
	// ErrDimensions is matched by the error if the Embedder returns vectors of
	// another length than those in the index. It matches ErrEmbedding too.
	ErrDimensions = vector.ErrDimensions
	// ErrDuplicate is matched by the error for a document that is given twice.
	ErrDuplicate = errors.New("another document has this name: give each document a name of its own")
)

// IndexOptions are the options of [NewIndex]. A nil IndexOptions and zero
// fields mean the defaults.
type IndexOptions struct {
	// Embedder turns chunks and queries into vectors, which are compared. Nil
	// means that chunks are found by their words only. Wrap it in
	// [llm.RetryEmbedder], and in [llm.CacheEmbedderFiles] so that a text is
	// embedded once.
	Embedder llm.Embedder
	// BatchSize is the number of chunks embedded in one call. 0 means 64.
	BatchSize int
	// Analyzer returns the words by which chunks are found. Nil means [English].
	Analyzer Analyzer
}

// An Index adds chunks to a [Backend] and finds them by their words, by their
// vectors, or by both. It reads a chunk's headings and its text. It is safe for
// concurrent use.
type Index struct {
	backend Backend
	opt     IndexOptions
}

// NewIndex returns an index of the chunks in a backend. It calls neither the
// backend nor the Embedder.
func NewIndex(backend Backend, opt *IndexOptions) (*Index, error) {
	if backend == nil {
		return nil, errors.New("rag: NewIndex needs a backend, such as NewMemory()")
	}
	x := &Index{backend: backend, opt: option.Of(opt)}
	if x.opt.Analyzer == nil {
		x.opt.Analyzer = English
	}
	return x, option.Default("rag: IndexOptions.BatchSize", &x.opt.BatchSize, 64)
}

// giveUpAfter is the number of calls of the Embedder that fail one after the other
// before Put returns.
const giveUpAfter = 3

// Put adds the documents of chunks to the index. A document that the index has
// is replaced as a whole. Chunks of one document must follow each other.
//
// Each document is added as a whole or not at all. If one fails, the others are
// added, and the error joins a [*DocumentError] for each that is not. It matches
// [ErrEmbedding], [ErrDimensions], [ErrDuplicate], [ErrNotUTF8] if a name, text or
// value of metadata is not UTF-8 or has a NUL, or an error of the Embedder or the
// backend. A batch that the Embedder does not accept is divided to find the
// chunks that it refuses. Put stops if the context is done, if the Embedder's
// vectors have other dimensions than those in the index, or if three calls fail one
// after the other; the documents that were not tried are in the error too.
func (x *Index) Put(ctx context.Context, chunks []Chunk) error {
	p := put{Index: x}
	if err := p.dimension(ctx); err != nil {
		return err
	}
	seen := map[string]bool{}
	for len(chunks) > 0 {
		name := chunks[0].Document
		n := slices.IndexFunc(chunks, func(c Chunk) bool { return c.Document != name })
		if n < 0 {
			n = len(chunks)
		}
		d := &putDocument{name: name, entries: make([]Entry, n)}
		for i, c := range chunks[:n] {
			c.Number = i + 1
			d.entries[i] = Entry{Chunk: c, Terms: x.opt.Analyzer(c.searchText())}
		}
		chunks = chunks[n:]
		switch {
		case name == "":
			d.err = errors.New("the chunks have no document: set Chunk.Document")
		case seen[name]:
			d.err = ErrDuplicate
		case slices.ContainsFunc(d.entries, func(e Entry) bool { return !e.Chunk.isText() }):
			d.err = ErrNotUTF8
		}
		seen[name] = true
		p.waiting = append(p.waiting, d)
		if p.size += n; p.size >= x.opt.BatchSize {
			p.flush(ctx)
		}
	}
	p.flush(ctx)
	return errors.Join(p.failed...)
}

// put is one call of Put.
type put struct {
	*Index
	dimensions int
	waiting    []*putDocument
	size       int // the number of entries that wait
	stop       error
	inARow     int // failed calls of the Embedder
	failed     []error
}

type putDocument struct {
	name    string
	entries []Entry
	err     error
}

// dimension finds out which vectors the backend has.
func (p *put) dimension(ctx context.Context) (err error) {
	if p.dimensions, err = p.backend.Dimensions(ctx); err != nil {
		return fmt.Errorf("rag: %w", err)
	}
	if p.dimensions > 0 && p.opt.Embedder == nil {
		return fmt.Errorf("rag: %w: the index has vectors of %d, and IndexOptions.Embedder is nil", ErrDimensions, p.dimensions)
	}
	return nil
}

// flush embeds and stores the documents that wait.
func (p *put) flush(ctx context.Context) {
	var all []owned
	for _, d := range p.waiting {
		for i := range d.entries {
			if d.err == nil && p.opt.Embedder != nil {
				all = append(all, owned{d, &d.entries[i]})
			}
		}
	}
	for batch := range slices.Chunk(all, p.opt.BatchSize) {
		p.embed(ctx, batch)
	}
	for _, d := range p.waiting {
		d.err = cmp.Or(d.err, p.stop, ctx.Err())
		if d.err == nil {
			d.err = p.backend.Replace(ctx, d.name, d.entries)
		}
		if d.err != nil {
			p.failed = append(p.failed, &DocumentError{Document: d.name, Err: d.err})
		}
	}
	p.waiting, p.size = nil, 0
}

// An owned entry is one with its document.
type owned struct {
	document *putDocument
	entry    *Entry
}

// embed sets the vectors of entries, or the error of their documents.
func (p *put) embed(ctx context.Context, batch []owned) {
	if p.stop != nil {
		return
	}
	texts := lists.Map(batch, func(o owned) string { return o.entry.Chunk.searchText() })
	vectors, err := vector.Embed(ctx, p.opt.Embedder, texts, p.dimensions)
	refused := errors.Is(err, llm.ErrBadRequest) || errors.Is(err, llm.ErrContextLength) || errors.Is(err, llm.ErrRefusal)
	switch half := len(batch) / 2; {
	case err == nil:
		p.inARow, p.dimensions = 0, len(vectors[0])
		for i, v := range vectors {
			batch[i].entry.Vector = vector.Unit(v)
		}
		return
	case refused && half > 0:
		p.embed(ctx, batch[:half])
		p.embed(ctx, batch[half:])
		return
	case ctx.Err() != nil:
		p.stop = ctx.Err()
	case errors.Is(err, ErrDimensions):
		p.stop = err
	case !refused:
		if p.inARow++; p.inARow == giveUpAfter {
			p.stop = fmt.Errorf("not tried, because %d calls of the embedder failed: %w", giveUpAfter, err)
		}
	}
	for _, o := range batch {
		o.document.err = cmp.Or(o.document.err, err)
	}
}

// Delete removes documents. An unknown document is not an error.
func (x *Index) Delete(ctx context.Context, documents ...string) error {
	if err := x.backend.Delete(ctx, documents); err != nil {
		return fmt.Errorf("rag: %w", err)
	}
	return nil
}

// Search returns at most q.K chunks with a score above zero, the best first, and
// equal ones in the order of their documents. An empty query finds nothing.
//
// It returns an error if q.K is less than 1, if a text of q.Filter is not UTF-8
// ([ErrNotUTF8]), if ctx is done, or if the Embedder or the backend fails. A mode
// that the index does not have is an error that matches
// [errors.ErrUnsupported].
func (x *Index) Search(ctx context.Context, q Query) ([]Hit, error) {
	if q.K < 1 {
		return nil, fmt.Errorf("rag: Search with K = %d: K is at least 1", q.K)
	}
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("rag: %w", err)
	}
	if err := q.Filter.check(); err != nil {
		return nil, fmt.Errorf("rag: %w", err)
	}
	if blank(q.Text) || q.Filter.Nothing() {
		return nil, nil
	}
	var ranked [][]Hit
	candidates := q.K
	hybrid := q.Mode == HybridMode || q.Mode == BestMode && x.opt.Embedder != nil
	if hybrid {
		candidates = max(4*q.K, 50) // a chunk can be better in both lists than in one
	}
	switch q.Mode {
	case BestMode, HybridMode, VectorMode, WordMode:
	default:
		return nil, fmt.Errorf("rag: mode %q: %w", q.Mode, errors.ErrUnsupported)
	}
	if hybrid || q.Mode == VectorMode {
		hits, err := x.nearest(ctx, q, candidates)
		if err != nil {
			return nil, fmt.Errorf("rag: %w", err)
		}
		ranked = append(ranked, hits)
	}
	if q.Mode != VectorMode {
		hits, err := x.matching(ctx, q, candidates)
		switch {
		case err == nil:
			ranked = append(ranked, hits)
		case errors.Is(err, errors.ErrUnsupported) && q.Mode == BestMode && len(ranked) > 0:
		default:
			return nil, fmt.Errorf("rag: search by words: %w", err)
		}
	}
	if len(ranked) == 1 {
		return ranked[0][:min(q.K, len(ranked[0]))], nil
	}
	return fuse(ranked, q.K), nil
}

// nearest searches by the vector of a query.
func (x *Index) nearest(ctx context.Context, q Query, k int) ([]Hit, error) {
	if x.opt.Embedder == nil {
		return nil, fmt.Errorf("search by vectors without IndexOptions.Embedder: %w", errors.ErrUnsupported)
	}
	dimensions, err := x.backend.Dimensions(ctx)
	if err != nil || dimensions == 0 {
		return nil, err
	}
	vectors, err := vector.Embed(ctx, x.opt.Embedder, []string{q.Text}, dimensions)
	if errors.Is(err, vector.ErrZero) {
		return nil, nil // it has nothing in common with any chunk
	}
	if err != nil {
		return nil, err
	}
	return x.backend.Nearest(ctx, vector.Unit(vectors[0]), k, q.Filter)
}

// matching searches by the words of a query. A repeated word counts once.
func (x *Index) matching(ctx context.Context, q Query, k int) ([]Hit, error) {
	terms := x.opt.Analyzer(q.Text)
	slices.Sort(terms)
	if terms = slices.Compact(terms); len(terms) == 0 {
		return nil, nil
	}
	return x.backend.Matching(ctx, terms[:min(len(terms), maxTerms)], k, q.Filter)
}

// maxTerms limits the terms of a search.
const maxTerms = 200

// fuse combines lists of hits by reciprocal rank fusion.
func fuse(ranked [][]Hit, k int) []Hit {
	type key struct {
		document string
		number   int
	}
	at := map[key]int{}
	var all []Hit
	for _, hits := range ranked {
		for rank, h := range hits {
			id := key{h.Chunk.Document, h.Chunk.Number}
			i, known := at[id]
			if !known {
				i = len(all)
				at[id] = i
				all = append(all, Hit{Chunk: h.Chunk})
			}
			all[i].Score += textmatch.OfRank(rank)
		}
	}
	slices.SortStableFunc(all, func(a, b Hit) int { return cmp.Compare(b.Score, a.Score) })
	return all[:min(k, len(all))]
}
