package integration

import (
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/qedkit/qed/examples/fieldservice"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/rag"
)

// TestRetrievalQuality reports nDCG@10 of each mode, for German and English. The
// embedding model is an English one. The questions were fixed before the first run.
// least is what an earlier run reached, less a little for other versions of the model.
func TestRetrievalQuality(t *testing.T) {
	english, err := rag.Read(t.Context(), fieldservice.Manual(), nil)
	if err != nil {
		t.Fatal(err)
	}
	german, err := rag.Read(t.Context(), os.DirFS("testdata/retrieval/de"), nil)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile("testdata/retrieval/questions.tsv")
	if err != nil {
		t.Fatal(err)
	}
	questions := map[string][][2]string{} // question and heading, by language
	for _, q := range manualQuestions {
		questions["en"] = append(questions["en"], [2]string{q.question, q.heading})
	}
	for line := range strings.Lines(string(raw)) {
		f := strings.Split(strings.TrimSpace(line), "\t")
		questions[f[0]] = append(questions[f[0]], [2]string{f[1], f[2]})
	}
	embedder := llm.CacheEmbedder(embeddings(t), 1000)
	for _, tt := range []struct {
		language string
		chunks   []rag.Chunk
		analyzer rag.Analyzer
		least    map[rag.Mode]float64
	}{
		{"en", english, rag.English, map[rag.Mode]float64{rag.WordMode: 0.87, rag.VectorMode: 0.89, rag.HybridMode: 0.89}},
		{"de", german, rag.German, map[rag.Mode]float64{rag.WordMode: 0.52, rag.VectorMode: 0.53, rag.HybridMode: 0.66}},
	} {
		x, err := rag.NewIndex(rag.NewMemory(), &rag.IndexOptions{Embedder: embedder, Analyzer: tt.analyzer})
		if err == nil {
			err = x.Put(t.Context(), tt.chunks)
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, mode := range []rag.Mode{rag.WordMode, rag.VectorMode, rag.HybridMode} {
			var sum float64
			for _, q := range questions[tt.language] {
				gain := ndcg(t, x, tt.chunks, rag.Query{Text: q[0], K: 10, Mode: mode}, q[1])
				if gain == 0 {
					t.Logf("%s %s: %q does not find %q", tt.language, mode, q[0], q[1])
				}
				sum += gain
			}
			n := len(questions[tt.language])
			mean := sum / float64(n)
			t.Logf("%s %s: nDCG@10 is %.3f (%d questions, %d chunks)", tt.language, mode, mean, n, len(tt.chunks))
			if mean < tt.least[mode] {
				t.Errorf("%s %s: nDCG@10 is %.3f, want at least %.3f", tt.language, mode, mean, tt.least[mode])
			}
		}
	}
}

// ndcg returns the discounted cumulative gain of a search, as a share of the best one.
// The chunks below a heading are relevant, and all others are not.
func ndcg(t *testing.T, x *rag.Index, chunks []rag.Chunk, q rag.Query, heading string) float64 {
	t.Helper()
	relevant := func(c rag.Chunk) bool { return slices.Contains(c.Headings, heading) }
	hits, err := x.Search(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	var got, best float64
	for rank, h := range hits {
		if relevant(h.Chunk) {
			got += 1 / math.Log2(float64(rank)+2)
		}
	}
	all := 0
	for _, c := range chunks {
		if relevant(c) {
			if all < q.K {
				best += 1 / math.Log2(float64(all)+2)
			}
			all++
		}
	}
	if best == 0 {
		t.Fatalf("no chunk has the heading %q", heading)
	}
	return got / best
}
