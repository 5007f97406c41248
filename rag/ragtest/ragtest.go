// Package ragtest tests implementations of rag.Backend. Call [Run] in a test:
//
//	func TestBackend(t *testing.T) {
//		ragtest.Run(t, func(t *testing.T) rag.Backend { return openBackend(t) })
//	}
package ragtest

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/qedkit/qed/internal/lists"
	"github.com/qedkit/qed/internal/vector"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/rag"
)

// Run tests the backends that open returns, each of which must be empty. open is
// called once for each check, with the t of its subtest. A backend that cannot rank
// by terms is tested with vectors only. Run it with the race detector.
func Run(t *testing.T, open func(t *testing.T) rag.Backend) {
	for _, c := range []struct {
		name string
		do   func(t *test)
	}{
		{"Documents", testDocuments},
		{"Chunks", testChunks},
		{"Filters", testFilters},
		{"HostileFilters", testHostileFilters},
		{"Order", testOrder},
		{"Exact", testExact},
		{"Dimensions", testDimensions},
		{"Cancelled", testCancelled},
		{"Replacing", testReplacing},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := open(t)
			x, err := rag.NewIndex(b, &rag.IndexOptions{Embedder: topics})
			if err != nil {
				t.Fatal(err)
			}
			c.do(&test{t, b, x})
		})
	}
}

// topics embeds a text as how often it has the letters x, y and z.
var topics = llm.EmbedderFunc(func(_ context.Context, texts []string) ([][]float32, error) {
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

type test struct {
	*testing.T
	backend rag.Backend
	index   *rag.Index
}

func (t *test) put(chunks ...rag.Chunk) {
	t.Helper()
	if err := t.index.Put(t.Context(), chunks); err != nil {
		t.Fatal(err)
	}
}

func document(name string, texts ...string) (all []rag.Chunk) {
	for _, text := range texts {
		all = append(all, rag.Chunk{Document: name, Text: text})
	}
	return all
}

// search returns hits, and whether the backend has the mode.
func (t *test) search(q rag.Query) ([]rag.Hit, bool) {
	t.Helper()
	if q.K == 0 {
		q.K = 100
	}
	hits, err := t.index.Search(t.Context(), q)
	if q.Mode == rag.WordMode && errors.Is(err, errors.ErrUnsupported) {
		return nil, false
	}
	if err != nil {
		t.Fatal(err)
	}
	for i, h := range hits {
		if h.Score <= 0 || i > 0 && h.Score > hits[i-1].Score+1e-6 {
			t.Errorf("%+v: hit %d has the score %v", q, i, h.Score)
		}
	}
	if len(hits) > q.K {
		t.Errorf("%d hits, want at most %d", len(hits), q.K)
	}
	return hits, true
}

// finds checks which chunks are found, in any order, by words and by vectors.
func (t *test) finds(q rag.Query, want ...string) {
	t.Helper()
	for _, mode := range []rag.Mode{rag.WordMode, rag.VectorMode} {
		q.Mode = mode
		hits, has := t.search(q)
		got := []string{}
		for _, h := range hits {
			got = append(got, fmt.Sprintf("%s/%d", h.Chunk.Document, h.Chunk.Number))
		}
		slices.Sort(got)
		if diff := cmp.Diff(append([]string{}, want...), got); has && diff != "" {
			t.Errorf("%s %+v (-want +got)\n%s", mode, q, diff)
		}
	}
}

// Documents are added, replaced and deleted as a whole.
func testDocuments(t *test) {
	t.finds(rag.Query{Text: "x"})
	t.put(slices.Concat(document("a", "x one", "x two", "y"), document("b", "x", "z"))...)
	t.finds(rag.Query{Text: "x"}, "a/1", "a/2", "b/1")
	t.put(document("a", "y", "x")...)
	t.finds(rag.Query{Text: "x"}, "a/2", "b/1")
	t.finds(rag.Query{Text: "y"}, "a/1")
	if err := t.index.Delete(t.Context(), "b", "unknown"); err != nil {
		t.Fatal(err)
	}
	t.finds(rag.Query{Text: "x"}, "a/2")
	t.finds(rag.Query{Text: "z"})
	if err := t.index.Delete(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.finds(rag.Query{Text: "y"}, "a/1")
	t.put(document("b", "x")...)
	t.finds(rag.Query{Text: "x"}, "a/2", "b/1")
}

// A chunk is returned as it was given.
func testChunks(t *test) {
	want := rag.Chunk{
		Document: `dir/it's "50 %" \ ä 作業.md`, Number: 1, Headings: []string{"A › B", `"q" 'r'`},
		Span: rag.Span{Start: 1, End: 22, FirstLine: 3, LastLine: 4, FirstPage: 5, LastPage: 6},
		Text: "x\n\n| a | <b> & 'c' \\ \u2028 😀 |", Metadata: map[string]string{"key.with-dots": "v'1\"", "ä": "", "n": "42"},
	}
	plain := rag.Chunk{Document: "plain", Number: 1, Text: "x"}
	t.put(want, plain)
	for _, mode := range []rag.Mode{rag.WordMode, rag.VectorMode} {
		for _, c := range []rag.Chunk{want, plain} {
			hits, has := t.search(rag.Query{Text: "x", Mode: mode, Filter: rag.Filter{Documents: []string{c.Document}}})
			if !has {
				continue
			}
			if len(hits) != 1 {
				t.Fatalf("%s: %d hits for %s", mode, len(hits), c.Document)
			}
			if diff := cmp.Diff(c, hits[0].Chunk, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("%s (-put +found)\n%s", mode, diff)
			}
		}
	}
}

// A search finds what its filter matches, and k of it.
func testFilters(t *test) {
	for i := range 40 {
		c := rag.Chunk{Document: fmt.Sprintf("d%d", i), Text: "x", Metadata: map[string]string{"even": fmt.Sprint(i%2 == 0), "ten's": fmt.Sprint(i / 10)}}
		if i == 39 {
			c.Metadata = nil
		}
		t.put(c)
	}
	is := func(keysAndValues ...string) map[string][]string {
		all := map[string][]string{}
		for i := 0; i < len(keysAndValues); i += 2 {
			all[keysAndValues[i]] = strings.Fields(keysAndValues[i+1])
		}
		return all
	}
	for _, tt := range []struct {
		filter rag.Filter
		want   []string
	}{
		{rag.Filter{Documents: []string{"d7", "unknown", "d30"}}, []string{"d30/1", "d7/1"}},
		{rag.Filter{Documents: []string{}}, nil},
		{rag.Filter{Metadata: is("ten's", "3", "even", "true")}, []string{"d30/1", "d32/1", "d34/1", "d36/1", "d38/1"}},
		{rag.Filter{Metadata: is("ten's", "0 3", "even", "false"), Documents: []string{"d1", "d2", "d31", "d39", "d15"}}, []string{"d1/1", "d31/1"}},
		{rag.Filter{Metadata: is("ten's", "")}, nil},
		{rag.Filter{Metadata: is("unknown", "true")}, nil},
		{rag.Filter{Metadata: is("even", "TRUE")}, nil},
	} {
		t.finds(rag.Query{Text: "x", Filter: tt.filter}, tt.want...)
	}
	for _, mode := range []rag.Mode{rag.WordMode, rag.VectorMode, rag.BestMode} {
		if hits, has := t.search(rag.Query{Text: "x", K: 3, Mode: mode, Filter: rag.Filter{Metadata: is("even", "true")}}); has && len(hits) != 3 {
			t.Errorf("%q: %d hits", mode, len(hits))
		}
	}
}

// Keys and values of a filter are compared and never read as a part of a query.
func testHostileFilters(t *test) {
	hostile := []string{
		`"`, `'`, `\`, `') OR ('1'='1`, `"]}}, {"match_all": {}}`, `*`, `%`, `_`, `?`, `$1`, `["key","value"]`, "\n", "null", "true", "{}", "",
		`kind`, `document`, `version`, `chunk`, `tag:["a","b"]`, "$eq", "a.b", "\ufffd",
	}
	for i, s := range hostile {
		t.put(rag.Chunk{Document: fmt.Sprintf("d%d", i), Text: "x", Metadata: map[string]string{s: "value", "key": s}})
		t.put(rag.Chunk{Document: "named " + s, Text: "x", Metadata: map[string]string{"key": "named"}})
	}
	for i, s := range hostile {
		want := fmt.Sprintf("d%d/1", i)
		t.finds(rag.Query{Text: "x", Filter: rag.Filter{Metadata: map[string][]string{"key": {s}}}}, want)
		t.finds(rag.Query{Text: "x", Filter: rag.Filter{Metadata: map[string][]string{s: {"value"}}}}, want)
		t.finds(rag.Query{Text: "x", Filter: rag.Filter{Metadata: map[string][]string{s: {s + "x"}}}})
		t.finds(rag.Query{Text: "x", Filter: rag.Filter{Documents: []string{"named " + s}}}, "named "+s+"/1")
		t.finds(rag.Query{Text: "x", Filter: rag.Filter{Documents: []string{s}}})
	}
}

// The best chunk comes first: by the angle, and by rare and frequent words.
func testOrder(t *test) {
	t.put(slices.Concat(document("a", "xxxx yy"), document("b", "x"), document("c", "xy"), document("d", "yyyy"))...)
	hits, _ := t.search(rag.Query{Text: "xx", Mode: rag.VectorMode})
	got := lists.Map(hits, func(h rag.Hit) string { return fmt.Sprintf("%s %.3f", h.Chunk.Document, h.Score) })
	if diff := cmp.Diff([]string{"b 1.000", "a 0.894", "c 0.707"}, got); diff != "" {
		t.Errorf("by vectors (-want +got)\n%s", diff)
	}
	t.put(slices.Concat(
		document("rare", "x common common quark"), document("often", "x boson boson boson common"), document("once", "x boson common common"),
		document("other", "x common common common"), document("long", "x boson "+strings.Repeat("filler ", 60)),
	)...)
	for query, want := range map[string][]string{
		"quark common": {"rare", "other"},
		"boson":        {"often", "once", "long"},
		"nothing":      {},
	} {
		hits, has := t.search(rag.Query{Text: query, Mode: rag.WordMode})
		got := []string{}
		for _, h := range hits[:min(len(hits), len(want))] {
			got = append(got, h.Chunk.Document)
		}
		if diff := cmp.Diff(want, got); has && diff != "" {
			t.Errorf("%q by words (-want +got)\n%s", query, diff)
		}
	}
}

// The hits of a search by vectors are the best of all.
func testExact(t *test) {
	const dimensions, count, k = 32, 400, 10
	r := rand.New(rand.NewPCG(1, 2))
	random := func() []float32 {
		v := make([]float32, dimensions)
		for i := range v {
			v[i] = r.Float32() - 0.4
		}
		return vector.Unit(v)
	}
	vectors := map[string][]float32{}
	var entries []rag.Entry
	for i := range count {
		name := fmt.Sprintf("d%d", i/100)
		v := random()
		vectors[fmt.Sprintf("%s/%d", name, i%100+1)] = v
		entries = append(entries, rag.Entry{Chunk: rag.Chunk{Document: name, Number: i%100 + 1, Text: "t"}, Terms: []string{"t"}, Vector: v})
	}
	for batch := range slices.Chunk(entries, 100) {
		if err := t.backend.Replace(t.Context(), batch[0].Chunk.Document, batch); err != nil {
			t.Fatal(err)
		}
	}
	for range 10 {
		asked := random()
		want := slices.SortedFunc(maps.Keys(vectors), func(a, b string) int {
			if vector.Dot(asked, vectors[a]) > vector.Dot(asked, vectors[b]) {
				return -1
			}
			return 1
		})
		hits, err := t.backend.Nearest(t.Context(), asked, k, rag.Filter{})
		if err != nil {
			t.Fatal(err)
		}
		got := lists.Map(hits, func(h rag.Hit) string { return fmt.Sprintf("%s/%d", h.Chunk.Document, h.Chunk.Number) })
		if diff := cmp.Diff(want[:k], got); diff != "" {
			t.Errorf("(-want +got)\n%s", diff)
		}
	}
}

// Vectors of another length are refused, and change nothing.
func testDimensions(t *test) {
	if n, err := t.backend.Dimensions(t.Context()); n != 0 || err != nil {
		t.Errorf("empty: %d dimensions, %v", n, err)
	}
	t.put(document("a", "x")...)
	if n, err := t.backend.Dimensions(t.Context()); n != 3 || err != nil {
		t.Errorf("%d dimensions, %v", n, err)
	}
	four := []rag.Entry{{Chunk: rag.Chunk{Document: "b", Number: 1, Text: "x"}, Terms: []string{"x"}, Vector: []float32{1, 0, 0, 0}}}
	if err := t.backend.Replace(t.Context(), "b", four); !errors.Is(err, rag.ErrDimensions) {
		t.Errorf("four dimensions: %v", err)
	}
	t.finds(rag.Query{Text: "x"}, "a/1")
}

// A call with a context that is done changes nothing.
func testCancelled(t *test) {
	t.put(document("a", "x")...)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	entries := []rag.Entry{{Chunk: rag.Chunk{Document: "a", Number: 1, Text: "y"}, Terms: []string{"y"}, Vector: []float32{0, 1, 0}}}
	for name, err := range map[string]error{
		"Replace": t.backend.Replace(ended, "a", entries),
		"Delete":  t.backend.Delete(ended, []string{"a"}),
	} {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s returns %v", name, err)
		}
	}
	if _, err := t.backend.Nearest(ended, []float32{1, 0, 0}, 1, rag.Filter{}); !errors.Is(err, context.Canceled) {
		t.Errorf("Nearest returns %v", err)
	}
	t.finds(rag.Query{Text: "x"}, "a/1")
	t.finds(rag.Query{Text: "y"})
}

// While a document is replaced, a search finds chunks of one version of it only.
func testReplacing(t *test) {
	const versions = 6
	replace := func(version int) {
		var texts []string
		for range 5 {
			texts = append(texts, fmt.Sprintf("x version%d", version))
		}
		t.put(document("a", texts...)...)
	}
	replace(0)
	done := make(chan struct{})
	var readers sync.WaitGroup
	for range 3 {
		readers.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				hits, err := t.index.Search(t.Context(), rag.Query{Text: "x", K: 100, Mode: rag.VectorMode})
				if err != nil {
					t.Error(err)
					return
				}
				for _, h := range hits {
					if h.Chunk.Text != hits[0].Chunk.Text {
						t.Errorf("found %q and %q", hits[0].Chunk.Text, h.Chunk.Text)
						return
					}
				}
			}
		})
	}
	for version := 1; version < versions; version++ {
		replace(version)
	}
	close(done)
	readers.Wait()
	t.finds(rag.Query{Text: "x"}, "a/1", "a/2", "a/3", "a/4", "a/5")
}
