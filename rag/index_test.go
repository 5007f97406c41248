package rag_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/rag"
)

// An embedder is a function as an llm.Embedder.
type embedder func(texts []string) ([][]float32, error)

func (e embedder) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return e(texts)
}

// topics embeds a text as the number of times it contains each of three letters.
var topics = embedder(func(texts []string) ([][]float32, error) {
	var vectors [][]float32
	for _, text := range texts {
		v := make([]float32, 3)
		for i, letter := range "xyz" {
			v[i] = float32(strings.Count(text, string(letter)))
		}
		vectors = append(vectors, v)
	}
	return vectors, nil
})

// chunks returns chunks with the given texts. Their documents are their indexes.
func chunks(texts ...string) []rag.Chunk {
	var all []rag.Chunk
	for i, text := range texts {
		all = append(all, rag.Chunk{Document: fmt.Sprint(i), Span: rag.Span{FirstLine: 1, LastLine: 1}, Text: text})
	}
	return all
}

func newIndex(t testing.TB, all []rag.Chunk, opt *rag.IndexOptions) *rag.Index {
	t.Helper()
	x, err := rag.NewIndex(rag.NewMemory(), opt)
	if err == nil {
		err = x.Put(t.Context(), all)
	}
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// add adds chunks to a new index and returns the error.
func add(ctx context.Context, all []rag.Chunk, opt *rag.IndexOptions) error {
	x, err := rag.NewIndex(rag.NewMemory(), opt)
	if err != nil {
		return err
	}
	return x.Put(ctx, all)
}

// found returns the documents that a search finds, best first.
func found(t *testing.T, s rag.Searcher, query string, k int) []string {
	t.Helper()
	return foundBy(t, s, rag.Query{Text: query, K: k})
}

func foundBy(t *testing.T, s rag.Searcher, q rag.Query) []string {
	t.Helper()
	hits, err := s.Search(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	got := []string{}
	for i, h := range hits {
		got = append(got, h.Chunk.Document)
		if h.Score <= 0 || i > 0 && h.Score > hits[i-1].Score {
			t.Errorf("hit %d has the score %v", i, h.Score)
		}
	}
	return got
}

func TestVectorSearch(t *testing.T) {
	all := chunks("xxxx", "y", "xy", "z", "xxy", "yyyyyy", "xz")
	for _, batch := range []int{0, 1, 2, 100} {
		x := newIndex(t, all, &rag.IndexOptions{Embedder: topics, BatchSize: batch})
		for _, tt := range []struct {
			query string
			k     int
			want  []string
		}{
			{"x", 3, []string{"0", "4", "2"}},
			{"x", 4, []string{"0", "4", "2", "6"}}, // 2 and 6 have equal scores
			{"x", 100, []string{"0", "4", "2", "6"}},
			{"y", 2, []string{"1", "5"}},
			{"xy", 1, []string{"2"}},
			{"none of them", 5, []string{}}, // a vector of zeros
			{"  ", 5, []string{}},
		} {
			if diff := cmp.Diff(tt.want, foundBy(t, x, rag.Query{Text: tt.query, K: tt.k, Mode: rag.VectorMode})); diff != "" {
				t.Errorf("batch %d: %q, %d (-want +got)\n%s", batch, tt.query, tt.k, diff)
			}
		}
	}
}

func TestCosine(t *testing.T) {
	hits, err := newIndex(t, chunks("xxxyyyy"), &rag.IndexOptions{Embedder: topics}).Search(t.Context(), rag.Query{Text: "xxxxx", K: 1, Mode: rag.VectorMode})
	if err != nil || len(hits) != 1 || math.Abs(hits[0].Score-0.6) > 1e-6 {
		t.Errorf("Search = %v, %v, want a score of 0.6", hits, err)
	}
}

// TestHeadingsAreSearched has a chunk whose subject is only in its heading.
func TestHeadingsAreSearched(t *testing.T) {
	all := chunks("press the button", "press the lever")
	all[1].Headings = []string{"zz", "Cancelling"}
	if diff := cmp.Diff([]string{"1"}, found(t, newIndex(t, all, nil), "How do I cancel?", 5)); diff != "" {
		t.Errorf("by words (-want +got)\n%s", diff)
	}
	all[0].Text = "y"
	if diff := cmp.Diff([]string{"1"}, found(t, newIndex(t, all, &rag.IndexOptions{Embedder: topics}), "z", 5)); diff != "" {
		t.Errorf("by vectors (-want +got)\n%s", diff)
	}
}

// TestEmbedderKeepsItsVectors has an embedder that keeps the slices that it returns.
func TestEmbedderKeepsItsVectors(t *testing.T) {
	same := [][]float32{{3, 4}}
	x := newIndex(t, chunks("a"), &rag.IndexOptions{Embedder: embedder(func([]string) ([][]float32, error) { return same, nil })})
	if diff := cmp.Diff([]string{"0"}, found(t, x, "a", 1)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([][]float32{{3, 4}}, same); diff != "" {
		t.Errorf("the index changed the embedder's vectors: %s", diff)
	}
}

func TestBadEmbedders(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	down := &llm.Error{Kind: llm.ErrUnavailable}
	for name, tt := range map[string]struct {
		vectors [][]float32
		err     error
		want    error
	}{
		"too many":       {[][]float32{{1}, {1}, {1}}, nil, rag.ErrEmbedding},
		"too few":        {nil, nil, rag.ErrEmbedding},
		"of two lengths": {[][]float32{{1, 2}, {1}}, nil, rag.ErrEmbedding},
		"empty":          {[][]float32{{}, {}}, nil, rag.ErrEmbedding},
		"not a number":   {[][]float32{{1, 2}, {nan, 1}}, nil, rag.ErrEmbedding},
		"infinite":       {[][]float32{{inf, 2}, {1, 1}}, nil, rag.ErrEmbedding},
		"zero":           {[][]float32{{1, 2}, {0, 0}}, nil, rag.ErrEmbedding},
		"it fails":       {nil, down, llm.ErrUnavailable},
		"large numbers":  {[][]float32{{math.MaxFloat32, 1}, {1e-40, 1e-40}}, nil, nil},
	} {
		t.Run(name, func(t *testing.T) {
			bad := embedder(func([]string) ([][]float32, error) { return tt.vectors, tt.err })
			if err := add(t.Context(), chunks("a", "b"), &rag.IndexOptions{Embedder: bad}); !errors.Is(err, tt.want) {
				t.Errorf("Put: the error is %v, want %v", err, tt.want)
			}
			if tt.want == nil {
				return
			}
			asked := false
			later := embedder(func(texts []string) ([][]float32, error) {
				if !asked {
					asked = true
					return [][]float32{{1, 2}, {2, 1}}, nil
				}
				if name == "zero" {
					return [][]float32{{0, 0, 0}}, nil // more dimensions than the chunks have
				}
				return tt.vectors, tt.err
			})
			x := newIndex(t, chunks("a", "b"), &rag.IndexOptions{Embedder: later})
			if _, err := x.Search(t.Context(), rag.Query{Text: "a", K: 1}); !errors.Is(err, tt.want) {
				t.Errorf("Search: the error is %v, want %v", err, tt.want)
			}
		})
	}
}

func TestWordSearch(t *testing.T) {
	x := newIndex(t, chunks(
		"A work order is created by a dispatcher.",                                              // 0
		"Creating invoices: an invoice is issued once.",                                         // 1
		"The statuses of a work order.",                                                         // 2
		"Malmö and Łódź, in the North and the East.",                                            // 3
		"The crew's leader logs the hours of everybody who was there, and of those who helped.", // 4
		"Crews.",               // 5
		"作業指示書を作成する",           // 6
		"WO-10001 costs 64.00", // 7
	), nil)
	for _, tt := range []struct {
		query string
		want  []string
	}{
		{"How do I create a work order?", []string{"0", "2", "1"}},
		{"WORK ORDERS", []string{"2", "0"}},
		{"status", []string{"2"}},
		{"invoicing", []string{"1"}},
		{"company of łódź", []string{"3"}},
		{"crew", []string{"5", "4"}}, // the shorter one
		{"指示", []string{"6"}},
		{"wo 10001", []string{"7"}},
		{"What is the, and of?", []string{}},
		{"penguins", []string{}},
		{"\xff\xfe status \xc3", []string{"2"}}, // not valid UTF-8
		{"?!", []string{}},
	} {
		if diff := cmp.Diff(tt.want, found(t, x, tt.query, 10)); diff != "" {
			t.Errorf("%q (-want +got)\n%s", tt.query, diff)
		}
	}
	// A repeated word counts once.
	once, _ := x.Search(t.Context(), rag.Query{Text: "order", K: 1})
	twice, _ := x.Search(t.Context(), rag.Query{Text: "order orders Order", K: 1})
	if diff := cmp.Diff(once, twice); diff != "" {
		t.Error(diff)
	}
}

// TestBM25 compares scores with the formula.
func TestBM25(t *testing.T) {
	x := newIndex(t, chunks("boiler boiler valve", "boiler", "valve pump"), nil)
	hits, err := x.Search(t.Context(), rag.Query{Text: "boiler valve", K: 3})
	if err != nil {
		t.Fatal(err)
	}
	// Each word is in two of three chunks; a chunk has two words on average.
	idf := math.Log(1 + (3-2+0.5)/(2+0.5))
	weight := func(count, length float64) float64 {
		return idf * count * 2.2 / (count + 1.2*(0.25+0.75*length/2))
	}
	want := []rag.Hit{
		{Chunk: rag.Chunk{Document: "0"}, Score: weight(2, 3) + weight(1, 3)},
		{Chunk: rag.Chunk{Document: "1"}, Score: weight(1, 1)},
		{Chunk: rag.Chunk{Document: "2"}, Score: weight(1, 2)},
	}
	opts := []cmp.Option{cmpopts.EquateApprox(0, 1e-9), cmpopts.IgnoreFields(rag.Chunk{}, "Number", "Span", "Text")}
	if diff := cmp.Diff(want, hits, opts...); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func FuzzWordSearch(f *testing.F) {
	f.Add("\xe8", "0")
	f.Add("Malmö's สวัสดี 作業 wing-ed yyy", "the 作")
	f.Fuzz(func(t *testing.T, text, query string) {
		if !utf8.ValidString(text) {
			t.Skip("an index refuses it")
		}
		x := newIndex(t, chunks(text, "another"), nil)
		hits, err := x.Search(t.Context(), rag.Query{Text: query, K: 2})
		if err != nil {
			t.Fatal(err)
		}
		for _, h := range hits {
			if !(h.Score > 0) || math.IsInf(h.Score, 0) {
				t.Errorf("the score is %v", h.Score)
			}
		}
	})
}

// TestBestIsExact compares the best hits with the beginning of all hits, sorted.
func TestBestIsExact(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var texts []string
	for range 500 {
		texts = append(texts, strings.Repeat("x", r.IntN(4))+strings.Repeat("y", 1+r.IntN(4))) // with many equal scores
	}
	x := newIndex(t, chunks(texts...), &rag.IndexOptions{Embedder: topics})
	all, err := x.Search(t.Context(), rag.Query{Text: "xxy", K: len(texts), Mode: rag.VectorMode})
	if err != nil {
		t.Fatal(err)
	}
	inOrder := func(a, b rag.Hit) int {
		switch {
		case a.Score != b.Score:
			return int(math.Copysign(1, b.Score-a.Score))
		case len(a.Chunk.Document) != len(b.Chunk.Document): // they are numbers
			return len(a.Chunk.Document) - len(b.Chunk.Document)
		}
		return strings.Compare(a.Chunk.Document, b.Chunk.Document)
	}
	if len(all) != len(texts) || !slices.IsSortedFunc(all, inOrder) {
		t.Errorf("%d of %d hits, in order: %v", len(all), len(texts), slices.IsSortedFunc(all, inOrder))
	}
	for _, k := range []int{1, 2, 7, 100, 499} {
		some, err := x.Search(t.Context(), rag.Query{Text: "xxy", K: k, Mode: rag.VectorMode})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(all[:k], some); diff != "" {
			t.Errorf("the best %d (-want +got)\n%s", k, diff)
		}
	}
}

func TestIndexRefuses(t *testing.T) {
	if _, err := rag.NewIndex(nil, nil); err == nil {
		t.Error("an index without a backend is accepted")
	}
	if err := add(t.Context(), chunks("a"), &rag.IndexOptions{BatchSize: -1}); err == nil {
		t.Error("a negative batch size is accepted")
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for name, opt := range map[string]*rag.IndexOptions{"words": nil, "vectors": {Embedder: topics}} {
		x := newIndex(t, chunks("x"), opt)
		if _, err := x.Search(t.Context(), rag.Query{Text: "x", K: 0}); err == nil {
			t.Errorf("%s: k = 0 is accepted", name)
		}
		if _, err := x.Search(ended, rag.Query{Text: "x", K: 1}); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: a search that is cancelled returns %v", name, err)
		}
	}
	if err := add(ended, chunks("x"), &rag.IndexOptions{Embedder: topics}); !errors.Is(err, context.Canceled) {
		t.Errorf("Put, cancelled: %v", err)
	}
}

// TestConcurrentSearches runs searches of one index at once.
func TestConcurrentSearches(t *testing.T) {
	for name, opt := range map[string]*rag.IndexOptions{"words": nil, "vectors": {Embedder: topics}} {
		x := newIndex(t, chunks("x", "y"), opt)
		var searches sync.WaitGroup
		for range 8 {
			searches.Go(func() {
				if hits, err := x.Search(t.Context(), rag.Query{Text: "x", K: 2}); err != nil || len(hits) != 1 {
					t.Errorf("%s: %v, %v", name, hits, err)
				}
			})
		}
		searches.Wait()
	}
}

// random returns an embedder of random vectors with 384 dimensions.
func random() embedder {
	r := rand.New(rand.NewPCG(1, 2))
	return func(texts []string) ([][]float32, error) {
		vectors := make([][]float32, len(texts))
		for i := range vectors {
			vectors[i] = make([]float32, 384)
			for j := range vectors[i] {
				vectors[i][j] = r.Float32() - 0.5
			}
		}
		return vectors, nil
	}
}

// BenchmarkSearch finds the best 5 of 10,000 chunks.
func BenchmarkSearch(b *testing.B) {
	r := rand.New(rand.NewPCG(3, 4))
	texts := make([]string, 10_000)
	for i := range texts {
		var words []string
		for range 150 {
			words = append(words, fmt.Sprintf("w%d", int(math.Pow(r.Float64(), 3)*20_000)))
		}
		texts[i] = strings.Join(words, " ")
	}
	for name, opt := range map[string]*rag.IndexOptions{"words": nil, "hybrid384": {Embedder: random()}} {
		b.Run(name, func(b *testing.B) {
			x := newIndex(b, chunks(texts...), opt)
			q := rag.Query{Text: "w1 w20 w300 w4000 w15000", K: 5}
			b.ReportAllocs()
			for b.Loop() {
				if _, err := x.Search(b.Context(), q); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
