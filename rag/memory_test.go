package rag_test

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/rag"
)

func openMemory(t testing.TB, path string, opt *rag.IndexOptions) (*rag.Memory, *rag.Index) {
	t.Helper()
	m, err := rag.OpenMemory(path)
	if err != nil {
		t.Fatal(err)
	}
	x, err := rag.NewIndex(m, opt)
	if err != nil {
		t.Fatal(err)
	}
	return m, x
}

// all returns what an index finds for some queries.
func all(t testing.TB, x *rag.Index) (hits [][]rag.Hit) {
	t.Helper()
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

// TestMemoryFile opens an index again after each change: it is as before, and
// nothing is embedded again but queries.
func TestMemoryFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "index")
	embedded := 0
	counting := embedder(func(texts []string) ([][]float32, error) { embedded += len(texts); return topics(texts) })
	opt := &rag.IndexOptions{Embedder: counting}
	m, x := openMemory(t, path, opt)
	full := rag.Chunk{
		Document: "full", Headings: []string{"A", "B"}, Text: "z y ä", Metadata: map[string]string{"a": "1", "b": ""},
		Span: rag.Span{Start: 1, End: 2, FirstLine: 3, LastLine: 4, FirstPage: 5, LastPage: 6},
	}
	for i, change := range []func() error{
		func() error { return x.Put(t.Context(), append(chunks("x", "y", "x z"), full)) },
		func() error { return x.Put(t.Context(), chunks("z z")) }, // replaces document 0
		func() error { return x.Delete(t.Context(), "1", "unknown") },
		func() error {
			return x.Put(t.Context(), []rag.Chunk{{Document: "1", Text: "y"}, {Document: "1", Text: "new z"}})
		},
	} {
		if err := change(); err != nil {
			t.Fatal(err)
		}
		before := all(t, x)
		if err := m.Close(); err != nil {
			t.Fatal(err)
		}
		embedded = 0
		m, x = openMemory(t, path, opt)
		if diff := cmp.Diff(before, all(t, x)); diff != "" {
			t.Errorf("after change %d (-before +opened)\n%s", i, diff)
		}
		if embedded != 6 { // the queries by vectors
			t.Errorf("after change %d, %d texts were embedded", i, embedded)
		}
	}
	if hits, _ := x.Search(t.Context(), rag.Query{Text: "ä", K: 1, Mode: rag.WordMode}); len(hits) != 1 {
		t.Error("the full chunk is not found")
	} else {
		full.Number = 1
		if diff := cmp.Diff(full, hits[0].Chunk); diff != "" {
			t.Errorf("(-put +found)\n%s", diff)
		}
	}
	if err := m.Close(); err != nil {
		t.Error(err)
	}
	if err := x.Put(t.Context(), chunks("x")); err == nil {
		t.Error("a closed file is written")
	}
}

// TestMemoryFileIsCutOff cuts the file at every byte, as a machine that stops does.
// What was written before is there, and the rest is not there in parts.
func TestMemoryFileIsCutOff(t *testing.T) {
	if testing.Short() {
		t.Skip("opens an index that ends after each byte")
	}
	path := filepath.Join(t.TempDir(), "index")
	opt := &rag.IndexOptions{Embedder: topics}
	var states [][]string
	var sizes []int
	documents := func(x *rag.Index) []string {
		got := append(foundBy(t, x, rag.Query{Text: "x", K: 10, Mode: rag.WordMode}), foundBy(t, x, rag.Query{Text: "x", K: 10, Mode: rag.VectorMode})...)
		slices.Sort(got)
		return got
	}
	m, x := openMemory(t, path, opt)
	for i := range 4 {
		if i > 0 {
			if err := x.Put(t.Context(), []rag.Chunk{{Document: fmt.Sprint(i), Text: "x"}, {Document: fmt.Sprint(i), Text: "xx x"}}); err != nil {
				t.Fatal(err)
			}
		}
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		states, sizes = append(states, documents(x)), append(sizes, int(info.Size()))
	}
	m.Close()
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for size := range len(whole) {
		state := 0
		for state+1 < len(sizes) && sizes[state+1] <= size {
			state++
		}
		if err := os.WriteFile(path, whole[:size], 0o600); err != nil {
			t.Fatal(err)
		}
		m, x := openMemory(t, path, opt)
		if diff := cmp.Diff(states[state], documents(x)); diff != "" {
			t.Fatalf("cut at %d (-want +got)\n%s", size, diff)
		}
		if err := x.Put(t.Context(), chunks("x")); err != nil {
			t.Fatal(err)
		}
		m.Close()
		m, x = openMemory(t, path, opt)
		if got := documents(x); !slices.Contains(got, "0") {
			t.Fatalf("cut at %d, then written: %v", size, got)
		}
		m.Close()
	}
}

// TestMemoryFileIsDamaged changes each byte of a file in turn, but the last: without
// its end, a line was cut off.
func TestMemoryFileIsDamaged(t *testing.T) {
	path := filepath.Join(t.TempDir(), "index")
	m, x := openMemory(t, path, &rag.IndexOptions{Embedder: topics})
	for _, c := range chunks("x", "y", "xyz") {
		if err := x.Put(t.Context(), []rag.Chunk{c}); err != nil {
			t.Fatal(err)
		}
	}
	m.Close()
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for i := range whole[1:] {
		damaged := slices.Clone(whole)
		damaged[i] ^= 0x41
		if err := os.WriteFile(path, damaged, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := rag.OpenMemory(path); !errors.Is(err, rag.ErrCorrupt) || !strings.Contains(err.Error(), path) {
			t.Errorf("byte %d: the error is %v", i, err)
		}
		if left, _ := os.ReadFile(path); !bytes.Equal(left, damaged) {
			t.Fatalf("byte %d: the file was changed", i)
		}
	}
	for _, other := range []string{"no index", "SQLite format 3\x00 and so on, for longer than the header"} {
		if err := os.WriteFile(path, []byte(other), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := rag.OpenMemory(path); !errors.Is(err, rag.ErrCorrupt) {
			t.Errorf("%q: the error is %v", other, err)
		}
		if text, _ := os.ReadFile(path); string(text) != other {
			t.Errorf("%q was changed", other)
		}
	}
	if _, err := rag.OpenMemory(t.TempDir()); err == nil {
		t.Error("a folder is opened")
	}
}

// TestMemoryFileIsNotWritten has files of which sectors were not on the disk when the
// machine stopped. They are zero. The record that was being written is gone, and the
// others are there.
func TestMemoryFileIsNotWritten(t *testing.T) {
	const sector = 512
	path := filepath.Join(t.TempDir(), "index")
	m, x := openMemory(t, path, &rag.IndexOptions{Embedder: topics})
	put := func(document, text string) int {
		t.Helper()
		if err := x.Put(t.Context(), []rag.Chunk{{Document: document, Text: text}}); err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		return int(info.Size())
	}
	begins := put("first", "x "+strings.Repeat("word ", 300))
	ends := put("last", "y "+strings.Repeat("other ", 600))
	m.Close()
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for from := begins / sector * sector; from < ends; from += sector {
		for name, to := range map[string]int{"one sector": min(from+sector, ends), "to the end": ends} {
			file := slices.Clone(whole)
			clear(file[max(from, begins):to])
			if err := os.WriteFile(path, file, 0o600); err != nil {
				t.Fatal(err)
			}
			m, x := openMemory(t, path, &rag.IndexOptions{Embedder: topics})
			if diff := cmp.Diff([]string{"first"}, foundBy(t, x, rag.Query{Text: "x y", K: 10, Mode: rag.WordMode})); diff != "" {
				t.Errorf("%s from %d (-want +got)\n%s", name, from, diff)
			}
			m.Close()
		}
	}
}

// TestMemoryCompacts replaces documents many times: neither memory nor the file
// keeps what was replaced.
func TestMemoryCompacts(t *testing.T) {
	path := filepath.Join(t.TempDir(), "index")
	opt := &rag.IndexOptions{Embedder: topics}
	m, x := openMemory(t, path, opt)
	if err := x.Put(t.Context(), []rag.Chunk{{Document: "kept", Text: "y x"}, {Document: "kept", Text: "z"}}); err != nil {
		t.Fatal(err)
	}
	for i := range 2500 {
		if err := x.Put(t.Context(), []rag.Chunk{{Document: "new", Text: fmt.Sprintf("x %d", i)}}); err != nil {
			t.Fatal(err)
		}
	}
	before := all(t, x)
	m.Close()
	large, _ := os.Stat(path)
	m, x = openMemory(t, path, opt)
	defer m.Close()
	if diff := cmp.Diff(before, all(t, x)); diff != "" {
		t.Errorf("(-before +opened)\n%s", diff)
	}
	small, _ := os.Stat(path)
	if small.Size() > large.Size()/100 {
		t.Errorf("the file had %d bytes and has %d", large.Size(), small.Size())
	}
	if found := found(t, x, "x 2499", 10); !slices.Contains(found, "new") {
		t.Errorf("found %v", found)
	}
	if err := x.Put(t.Context(), chunks("x")); err != nil {
		t.Error(err)
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

// vectors100k returns an index of 100,000 chunks in a file.
func vectors100k(b *testing.B, path string) (*rag.Memory, *rag.Index) {
	b.Helper()
	m, x := openMemory(b, path, &rag.IndexOptions{Embedder: random(), BatchSize: 1000})
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
	return m, x
}

// BenchmarkSearch100k compares a query with 100,000 vectors of 384 dimensions.
func BenchmarkSearch100k(b *testing.B) {
	m, x := vectors100k(b, filepath.Join(b.TempDir(), "index"))
	defer m.Close()
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

// BenchmarkOpen100k opens an index of 100,000 vectors of 384 dimensions.
func BenchmarkOpen100k(b *testing.B) {
	path := filepath.Join(b.TempDir(), "index")
	m, _ := vectors100k(b, path)
	m.Close()
	b.ReportAllocs()
	for b.Loop() {
		m, err := rag.OpenMemory(path)
		if err != nil {
			b.Fatal(err)
		}
		m.Close()
	}
}

// BenchmarkAdd100k adds and replaces a document of 10 chunks in an index of 100,000
// vectors.
func BenchmarkAdd100k(b *testing.B) {
	m, x := vectors100k(b, filepath.Join(b.TempDir(), "index"))
	defer m.Close()
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
