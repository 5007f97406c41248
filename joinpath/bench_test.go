package joinpath_test

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dominikbraun/graph"

	"github.com/qedkit/qed/joinpath"
)

// The sizes of the benchmarks: a company's database, and a very large one.
func schema122() *joinpath.Schema { return generate(122, 122, 1_801) }
func schema10k() *joinpath.Schema { return generate(10_000, 10_000, 100_000) }

// pairs returns different pairs of tables in a random order.
func pairs(tables, n int) [][2]string {
	rng := rand.New(rand.NewPCG(7, 7))
	seen := map[[2]int]bool{}
	var out [][2]string
	for len(out) < n {
		p := [2]int{rng.IntN(tables), rng.IntN(tables)}
		if p[0] != p[1] && !seen[p] {
			seen[p] = true
			out = append(out, [2]string{tableName(p[0]), tableName(p[1])})
		}
	}
	return out
}

// With cold set, each search is for another pair. There are more pairs than the
// graph caches, so that a pair is no longer in the cache when it comes again.
func benchmarkShortestPath(b *testing.B, s *joinpath.Schema, hops int, cold bool) {
	asked := pairs(len(s.Tables), 14_000)
	uncached := newGraph(b, s, &joinpath.Options{MaxHops: hops, CacheSize: -1})
	asked = slices.DeleteFunc(asked, func(p [2]string) bool {
		_, err := uncached.ShortestPath(p[0], p[1])
		return err != nil // in the larger schema some pairs are too far apart
	})
	if len(asked) < 8_000 {
		b.Fatalf("only %d pairs: the cache would answer", len(asked))
	}
	if !cold {
		asked = asked[:1]
	}
	g := newGraph(b, s, &joinpath.Options{MaxHops: hops})
	i := 0
	b.ReportAllocs()
	for b.Loop() {
		if _, err := g.ShortestPath(asked[i][0], asked[i][1]); err != nil {
			b.Fatal(err)
		}
		i = (i + 1) % len(asked)
	}
}

func BenchmarkShortestPath122(b *testing.B)       { benchmarkShortestPath(b, schema122(), 4, true) }
func BenchmarkShortestPath122Cached(b *testing.B) { benchmarkShortestPath(b, schema122(), 4, false) }
func BenchmarkShortestPath10k(b *testing.B)       { benchmarkShortestPath(b, schema10k(), 4, true) }

// All pairs have a path of at most 20 hops: the cost of a search without a limit.
func BenchmarkShortestPath10kFar(b *testing.B) { benchmarkShortestPath(b, schema10k(), 20, true) }

// The same searches by github.com/dominikbraun/graph, for comparison.
func benchmarkPeer(b *testing.B, s *joinpath.Schema) {
	g := bestEdges(b, s, 0.7)
	asked := pairs(len(s.Tables), 1_000)
	i := 0
	for b.Loop() {
		if _, err := graph.ShortestPath(g, asked[i][0], asked[i][1]); err != nil {
			b.Fatal(err)
		}
		i = (i + 1) % len(asked)
	}
}

func BenchmarkShortestPath122Peer(b *testing.B) { benchmarkPeer(b, schema122()) }
func BenchmarkShortestPath10kPeer(b *testing.B) { benchmarkPeer(b, schema10k()) }

func benchmarkConnect(b *testing.B, s *joinpath.Schema, tables int) {
	g := newGraph(b, s, &joinpath.Options{CacheSize: -1})
	rng := rand.New(rand.NewPCG(5, 5))
	asked := make([][]string, 200)
	for i := range asked {
		for _, table := range rng.Perm(len(s.Tables))[:tables] {
			asked[i] = append(asked[i], tableName(table))
		}
	}
	i := 0
	b.ReportAllocs()
	for b.Loop() {
		if _, err := g.Connect(b.Context(), asked[i]...); err != nil {
			b.Fatal(err)
		}
		i = (i + 1) % len(asked)
	}
}

func BenchmarkConnect5(b *testing.B)      { benchmarkConnect(b, schema122(), 5) }
func BenchmarkConnect8(b *testing.B)      { benchmarkConnect(b, schema122(), 8) }
func BenchmarkConnect12(b *testing.B)     { benchmarkConnect(b, schema122(), 12) }
func BenchmarkConnect10k5(b *testing.B)   { benchmarkConnect(b, schema10k(), 5) }
func BenchmarkConnect10k8(b *testing.B)   { benchmarkConnect(b, schema10k(), 8) }
func BenchmarkConnect10k500(b *testing.B) { benchmarkConnect(b, schema10k(), 500) }

func benchmarkBuild(b *testing.B, s *joinpath.Schema) {
	b.ReportAllocs()
	for b.Loop() {
		newGraph(b, s, nil)
	}
}

func BenchmarkBuild122(b *testing.B) { benchmarkBuild(b, schema122()) }
func BenchmarkBuild10k(b *testing.B) { benchmarkBuild(b, schema10k()) }

func BenchmarkRead122(b *testing.B) {
	var text bytes.Buffer
	if err := schema122().Write(&text); err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(text.Len()))
	for b.Loop() {
		if _, err := joinpath.Read(bytes.NewReader(text.Bytes())); err != nil {
			b.Fatal(err)
		}
	}
}
