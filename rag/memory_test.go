package rag_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/rag"
)

// TestMemoryCompacts replaces documents many times, so that what was replaced is removed
// several times: what is found stays the same.
func TestMemoryCompacts(t *testing.T) {
	x := newIndex(t, nil, &rag.IndexOptions{Embedder: topics})
	kept := []rag.Chunk{{Document: "kept", Text: "y x"}, {Document: "kept", Text: "z"}}
	if err := x.Put(t.Context(), kept); err != nil {
		t.Fatal(err)
	}
	all := func() (hits [][]rag.Hit) {
		for _, mode := range []rag.Mode{rag.WordMode, rag.VectorMode, rag.HybridMode} {
			for _, text := range []string{"x", "xy z", "y"} {
				found, err := x.Search(t.Context(), rag.Query{Text: text, K: 10, Mode: mode})
				if err != nil {
					t.Fatal(err)
				}
				hits = append(hits, found)
			}
		}
		return hits
	}
	var before [][]rag.Hit
	for i := range 2500 {
		if err := x.Put(t.Context(), []rag.Chunk{{Document: "new", Text: "x"}}); err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			before = all()
		}
	}
	if diff := cmp.Diff(before, all()); diff != "" {
		t.Errorf("(-before +after)\n%s", diff)
	}
	if err := x.Delete(t.Context(), "new", "unknown"); err != nil {
		t.Fatal(err)
	}
	if found := found(t, x, "x", 10); slices.Contains(found, "new") || !slices.Contains(found, "kept") {
		t.Errorf("found %v", found)
	}
}

// TestPutFails has an embedder that fails for some batches: the other documents are
// added, and none in parts.
func TestPutFails(t *testing.T) {
	busy, refuses := &llm.Error{Kind: llm.ErrRateLimit}, &llm.Error{Kind: llm.ErrContextLength}
	document := func(name string, texts ...string) (all []rag.Chunk) {
		for _, text := range texts {
			all = append(all, rag.Chunk{Document: name, Text: text})
		}
		return all
	}
	six := slices.Concat(document("a", "x"), document("b", "x", "x bad"), document("c", "x"), document("d", "x"), document("e", "x"), document("f", "x"))
	// failing fails for texts that contain bad, and counts its calls.
	failing := func(bad string, err error, calls *int) llm.Embedder {
		return embedder(func(texts []string) ([][]float32, error) {
			*calls++
			if strings.Contains(strings.Join(texts, " "), bad) {
				return nil, err
			}
			return topics(texts)
		})
	}
	for name, tt := range map[string]struct {
		chunks   []rag.Chunk
		bad      string
		err      error
		batch    int
		want     []string // that are in the index
		calls    int      // of the embedder, for the documents
		notTried bool
	}{
		"a batch fails":         {six, "bad", busy, 2, []string{"a", "c", "d", "e", "f"}, 4, false},
		"a text is refused":     {six, "bad", refuses, 4, []string{"a", "c", "d", "e", "f"}, 6, false},
		"everything fails":      {six, "x", busy, 1, nil, 3, true},
		"everything is refused": {six, "x", refuses, 1, nil, 7, false},
		"nothing fails":         {six, "zz", busy, 3, []string{"a", "b", "b", "c", "d", "e", "f"}, 3, false},
	} {
		t.Run(name, func(t *testing.T) {
			calls := 0
			x, err := rag.NewIndex(rag.NewMemory(), &rag.IndexOptions{Embedder: failing(tt.bad, tt.err, &calls), BatchSize: tt.batch})
			if err != nil {
				t.Fatal(err)
			}
			err = x.Put(t.Context(), tt.chunks)
			if calls != tt.calls {
				t.Errorf("%d calls, want %d", calls, tt.calls)
			}
			got := []string{}
			got = append(got, foundBy(t, x, rag.Query{Text: "x", K: 20, Mode: rag.WordMode})...)
			slices.Sort(got)
			if diff := cmp.Diff(append([]string{}, tt.want...), got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			if (err != nil) != (len(got) < 7) || err != nil && !errors.Is(err, tt.err) {
				t.Errorf("the error is %v", err)
			}
			for _, name := range []string{"a", "b", "c", "d", "e", "f"} {
				if err != nil && strings.Contains(err.Error(), "rag: "+name+": ") == slices.Contains(got, name) {
					t.Errorf("%s: the error is %v", name, err)
				}
			}
			if err != nil && strings.Contains(err.Error(), "not tried") != tt.notTried {
				t.Errorf("the error is %v", err)
			}
		})
	}
}

// TestPutRefuses has documents and embedders that do not fit an index.
func TestPutRefuses(t *testing.T) {
	x := newIndex(t, chunks("x", "y"), &rag.IndexOptions{Embedder: topics})
	err := x.Put(t.Context(), []rag.Chunk{{Document: "a", Text: "x"}, {Document: "b", Text: "x"}, {Document: "a", Text: "z"}, {Text: "x"}})
	var failed *rag.DocumentError
	if !errors.Is(err, rag.ErrDuplicate) || !errors.As(err, &failed) || failed.Document != "a" || !strings.Contains(err.Error(), "Chunk.Document") {
		t.Errorf("the error is %v", err)
	}
	if got := foundBy(t, x, rag.Query{Text: "x", K: 9, Mode: rag.WordMode}); !cmp.Equal(got, []string{"0", "a", "b"}) {
		t.Errorf("found %v", got)
	}
	m := rag.NewMemory()
	one, _ := rag.NewIndex(m, &rag.IndexOptions{Embedder: topics})
	if err := one.Put(t.Context(), chunks("x")); err != nil {
		t.Fatal(err)
	}
	four := embedder(func(texts []string) ([][]float32, error) {
		return slices.Repeat([][]float32{{1, 2, 3, 4}}, len(texts)), nil
	})
	for name, e := range map[string]llm.Embedder{"four": four, "none": nil} {
		other, _ := rag.NewIndex(m, &rag.IndexOptions{Embedder: e})
		if err := other.Put(t.Context(), chunks("y")); !errors.Is(err, rag.ErrDimensions) || !errors.Is(err, rag.ErrEmbedding) || !strings.Contains(err.Error(), "3") {
			t.Errorf("%s: Put returns %v", name, err)
		}
		if e != nil {
			if _, err := other.Search(t.Context(), rag.Query{Text: "x", K: 1}); !errors.Is(err, rag.ErrDimensions) {
				t.Errorf("%s: Search returns %v", name, err)
			}
		}
	}
	if got := found(t, one, "x", 9); !cmp.Equal(got, []string{"0"}) {
		t.Errorf("found %v", got)
	}
	// An index without documents takes any embedder.
	if err := one.Delete(t.Context(), "0"); err != nil {
		t.Fatal(err)
	}
	other, _ := rag.NewIndex(m, &rag.IndexOptions{Embedder: four})
	if err := other.Put(t.Context(), chunks("y")); err != nil {
		t.Error(err)
	}
	if _, err := other.Search(t.Context(), rag.Query{Text: "x", K: 1, Mode: "sound"}); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("an unknown mode: %v", err)
	}
	words, _ := rag.NewIndex(rag.NewMemory(), nil)
	if _, err := words.Search(t.Context(), rag.Query{Text: "x", K: 1, Mode: rag.HybridMode}); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("without an embedder: %v", err)
	}
}

// TestHybrid has a chunk that only words find, one that only vectors find, and one
// that both do.
func TestHybrid(t *testing.T) {
	x := newIndex(t, chunks("word", "xxx y", "word x", "zzz"), &rag.IndexOptions{Embedder: embedder(func(texts []string) ([][]float32, error) {
		vectors, err := topics(texts)
		for _, v := range vectors {
			v[2] += 0.01 // no vector is zero
		}
		return vectors, err
	})})
	if got := found(t, x, "word x", 2); !cmp.Equal(got, []string{"2", "1"}) && !cmp.Equal(got, []string{"2", "0"}) {
		t.Errorf("found %v, want the one that both find first", got)
	}
	if got := foundBy(t, x, rag.Query{Text: "word x", K: 9, Mode: rag.WordMode}); !cmp.Equal(got, []string{"2", "0"}) {
		t.Errorf("by words: %v", got)
	}
	if got := found(t, x, "word x", 9); len(got) != 4 {
		t.Errorf("by both: %v", got)
	}
}

func TestAnalyzers(t *testing.T) {
	for _, tt := range []struct {
		analyze rag.Analyzer
		a, b    string
		equal   bool
	}{
		{rag.German, "Die Kündigungen der Verträge", "Kündigung eines Vertrages", true},
		{rag.German, "Größe", "GRÖSSE", true},
		{rag.German, "gekündigt", "bezahlt", false},
		{rag.German, "作業", "作業", true},
		{rag.English, "cancelled orders", "cancel the order", true},
		{rag.English, "cancelled", "opened", false},
		{rag.Analyzers(rag.German, rag.English), "Häuser", "Haus", true},
		{rag.Analyzers(rag.German, rag.English), "cancelling", "cancelled", true},
	} {
		a, b := tt.analyze(tt.a), tt.analyze(tt.b)
		shared := slices.ContainsFunc(a, func(term string) bool { return slices.Contains(b, term) })
		if shared != tt.equal || len(a) == 0 {
			t.Errorf("%q becomes %q, %q becomes %q", tt.a, a, tt.b, b)
		}
	}
	x := newIndex(t, chunks("Die Kündigung des Vertrags", "Zahlung"), &rag.IndexOptions{Analyzer: rag.German})
	if got := found(t, x, "Wie werden Verträge gekündigt?", 5); !cmp.Equal(got, []string{"0"}) {
		t.Errorf("found %v", got)
	}
}

// vectors100k returns an index of 100,000 chunks.
func vectors100k(b *testing.B) *rag.Index {
	b.Helper()
	x, err := rag.NewIndex(rag.NewMemory(), &rag.IndexOptions{Embedder: random(), BatchSize: 1000})
	if err != nil {
		b.Fatal(err)
	}
	r := rand.New(rand.NewPCG(3, 4))
	var all []rag.Chunk
	for i := range 100_000 {
		var words []string
		for range 40 {
			words = append(words, fmt.Sprintf("w%d", int(math.Pow(r.Float64(), 3)*20_000)))
		}
		all = append(all, rag.Chunk{Document: fmt.Sprint(i / 10), Text: strings.Join(words, " ")})
	}
	if err := x.Put(b.Context(), all); err != nil {
		b.Fatal(err)
	}
	return x
}

// BenchmarkSearch100k compares a query with 100,000 vectors of 384 dimensions.
func BenchmarkSearch100k(b *testing.B) {
	x := vectors100k(b)
	for _, mode := range []rag.Mode{rag.VectorMode, rag.WordMode, rag.HybridMode} {
		b.Run(string(mode), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := x.Search(b.Context(), rag.Query{Text: "w1 w20 w300 w4000 w15000", K: 10, Mode: mode}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkAdd100k adds and replaces a document of 10 chunks in an index of 100,000
// vectors.
func BenchmarkAdd100k(b *testing.B) {
	x := vectors100k(b)
	var document []rag.Chunk
	for i := range 10 {
		document = append(document, rag.Chunk{Document: "new", Text: fmt.Sprintf("w1 w2 chunk %d", i)})
	}
	b.ReportAllocs()
	for b.Loop() {
		if err := x.Put(b.Context(), document); err != nil {
			b.Fatal(err)
		}
	}
}
