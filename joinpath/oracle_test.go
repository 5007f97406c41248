package joinpath_test

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/dominikbraun/graph"
	gocmp "github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed/joinpath"
)

// The expected results of this file come from exhaustive enumeration, or from a
// library that shares no code with the package.

// cost is the cost of a relationship by the documented formula.
func cost(confidence float64) int {
	return max(1, int(math.Round((0.05-math.Log(confidence))*1e6)))
}

// asideCost is the cost of the tables and columns that are kept out of the middle: each join
// of such a table costs 5 more, and each join of such a column at the table that it refers
// to, unless the table was asked for.
func asideCost(joins []joinpath.Relationship, aside, asked []string) (sum int) {
	for _, r := range joins {
		one := r.ToTable
		if r.Cardinality == joinpath.OneToMany {
			one = r.FromTable
		}
		for _, table := range []string{r.FromTable, r.ToTable} {
			kept := slices.Contains(aside, table) || table == one && slices.Contains(aside, r.FromColumn)
			if kept && !slices.Contains(asked, table) {
				sum += 5e6
			}
		}
	}
	return sum
}

// randomAside returns some of the tables and columns of a schema of generateSmall.
func randomAside(rng *rand.Rand, s *joinpath.Schema) (aside []string) {
	if rng.IntN(2) == 0 {
		aside = append(aside, tableName(rng.IntN(len(s.Tables))))
	}
	if n := len(s.Relationships); n > 0 && rng.IntN(2) == 0 {
		aside = append(aside, s.Relationships[rng.IntN(n)].FromColumn)
	}
	return aside
}

// sharedCost is the cost of the rows that the joins of a tree share: a row shared by two
// or more branches with many rows costs 1 for each but the first. Joins of one row to
// one row, and those of which nothing is known, keep the row. Tables that were asked for are
// left out.
func sharedCost(joins []joinpath.Relationship, asked ...string) (sum int) {
	row := map[string]string{}
	find := func(v string) string {
		for row[v] != "" {
			v = row[v]
		}
		return v
	}
	for _, r := range joins {
		if slices.Contains(asked, r.FromTable) || slices.Contains(asked, r.ToTable) {
			continue
		}
		if a, b := find(r.FromTable), find(r.ToTable); a != b && (r.Cardinality == "" || r.Cardinality == joinpath.OneToOne) {
			row[a] = b
		}
	}
	many := map[string]int{}
	for _, r := range joins {
		if r.Cardinality == joinpath.OneToMany || r.Cardinality == joinpath.ManyToMany {
			many[find(r.FromTable)]++
		}
		if r.Cardinality == joinpath.ManyToOne || r.Cardinality == joinpath.ManyToMany {
			many[find(r.ToTable)]++
		}
	}
	for table, n := range many {
		if !slices.Contains(asked, table) {
			sum += (n - 1) * 1e6
		}
	}
	return sum
}

// bestEdges returns a graph of the cheapest edge of each pair of tables.
func bestEdges(t testing.TB, s *joinpath.Schema, minConfidence float64) graph.Graph[string, string] {
	t.Helper()
	g := graph.New(graph.StringHash, graph.Weighted())
	for name := range s.Tables {
		if err := g.AddVertex(name); err != nil {
			t.Fatal(err)
		}
	}
	for _, r := range s.Relationships {
		if r.Confidence < minConfidence || r.FromTable == r.ToTable {
			continue
		}
		weight := graph.EdgeWeight(cost(r.Confidence))
		err := g.AddEdge(r.FromTable, r.ToTable, weight)
		if errors.Is(err, graph.ErrEdgeAlreadyExists) {
			old, _ := g.Edge(r.FromTable, r.ToTable)
			if old.Properties.Weight <= cost(r.Confidence) {
				continue
			}
			err = g.UpdateEdge(r.FromTable, r.ToTable, weight)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return g
}

// stateGraph returns a graph with two vertices for each table, by whether many rows of an
// earlier table share one of its rows, and the cheapest edges between them.
func stateGraph(t testing.TB, s *joinpath.Schema) graph.Graph[string, string] {
	t.Helper()
	g := graph.New(graph.StringHash, graph.Weighted(), graph.Directed())
	for name := range s.Tables {
		for _, vertex := range []string{name, name + "/shared"} {
			if err := g.AddVertex(vertex); err != nil {
				t.Fatal(err)
			}
		}
	}
	add := func(from, to string, weight int) {
		err := g.AddEdge(from, to, graph.EdgeWeight(weight))
		if errors.Is(err, graph.ErrEdgeAlreadyExists) {
			old, _ := g.Edge(from, to)
			err = g.UpdateEdge(from, to, graph.EdgeWeight(min(weight, old.Properties.Weight)))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, r := range s.Relationships {
		if r.Confidence < 0.7 || r.FromTable == r.ToTable {
			continue
		}
		if r.Cardinality != joinpath.ManyToOne {
			t.Fatalf("%v is %s, want many to one", r, r.Cardinality)
		}
		for _, state := range []string{"", "/shared"} {
			add(r.FromTable+state, r.ToTable+"/shared", cost(r.Confidence))
		}
		add(r.ToTable, r.FromTable, cost(r.Confidence))
		add(r.ToTable+"/shared", r.FromTable, cost(r.Confidence)+1e6)
	}
	return g
}

// pathCost is the cost of the cheapest path between two vertices by another library.
func pathCost(t testing.TB, g graph.Graph[string, string], from, to string) int {
	t.Helper()
	vertices, err := graph.ShortestPath(g, from, to)
	if errors.Is(err, graph.ErrTargetNotReachable) {
		return math.MaxInt
	}
	if err != nil {
		t.Fatal(err)
	}
	sum := 0
	for i := range vertices[1:] {
		e, err := g.Edge(vertices[i], vertices[i+1])
		if err != nil {
			t.Fatal(err)
		}
		sum += e.Properties.Weight
	}
	return sum
}

func TestShortestPathAgainstDijkstra(t *testing.T) {
	s := schema122()
	g := newGraph(t, s, &joinpath.Options{MaxHops: 121})
	peer := stateGraph(t, s)
	for _, p := range pairs(122, 60) {
		got, err := g.ShortestPath(p[0], p[1])
		if err != nil {
			t.Fatal(err)
		}
		want := min(pathCost(t, peer, p[0], p[1]), pathCost(t, peer, p[0], p[1]+"/shared"))
		if got.Cost() != int64(want) {
			t.Errorf("%v: cost %d, want %d", p, got.Cost(), want)
		}
	}
}

// listed is a path in the form of the oracle.
type listed struct {
	Cost   int
	Tables []string
	Edges  []string
}

func compareListed(a, b listed) int {
	return cmp.Or(
		cmp.Compare(a.Cost, b.Cost),
		cmp.Compare(len(a.Tables), len(b.Tables)),
		slices.Compare(a.Tables, b.Tables),
		slices.Compare(a.Edges, b.Edges),
	)
}

// allPaths returns all paths without a loop, in order.
func allPaths(s *joinpath.Schema, from, to string, hops int, aside []string) []listed {
	var out []listed
	var walk func(at listed, joins []joinpath.Relationship)
	walk = func(at listed, joins []joinpath.Relationship) {
		last := at.Tables[len(at.Tables)-1]
		if last == to {
			out = append(out, listed{at.Cost + sharedCost(joins) + asideCost(joins, aside, []string{from, to}), slices.Clone(at.Tables), slices.Clone(at.Edges)})
			return
		}
		if len(at.Edges) == hops {
			return
		}
		for _, r := range s.Relationships {
			next := r.ToTable
			if next == last {
				next = r.FromTable
			} else if r.FromTable != last {
				continue
			}
			if r.Confidence >= 0.7 && !slices.Contains(at.Tables, next) {
				walk(listed{at.Cost + cost(r.Confidence), append(slices.Clip(at.Tables), next), append(slices.Clip(at.Edges), r.String())},
					append(slices.Clip(joins), r))
			}
		}
	}
	walk(listed{Tables: []string{from}}, nil)
	slices.SortFunc(out, compareListed)
	return out
}

func asListed(p joinpath.Plan) listed {
	l := listed{Cost: int(p.Cost()), Tables: p.Tables()}
	for _, s := range p.Steps() {
		l.Edges = append(l.Edges, s.Relationship.String())
	}
	return l
}

func TestShortestPathAgainstEnumeration(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for round := range 1500 {
		tables := 2 + rng.IntN(6)
		s := generateSmall(rng, tables, rng.IntN(14))
		hops := 1 + rng.IntN(6)
		aside := randomAside(rng, s)
		g := newGraph(t, s, &joinpath.Options{MaxHops: hops, Aside: aside})
		from, to := tableName(0), tableName(1)
		want := allPaths(s, from, to, hops, aside)
		if len(want) == 0 {
			if _, err := g.ShortestPath(from, to); !errors.Is(err, joinpath.ErrNoPath) {
				t.Fatalf("round %d: got %v, want no path", round, err)
			}
			continue
		}
		best, err := g.ShortestPath(from, to)
		if err != nil {
			t.Fatalf("round %d: %v", round, err)
		}
		if diff := gocmp.Diff(want[0], asListed(best)); diff != "" {
			t.Fatalf("round %d: ShortestPath (-want +got):\n%s", round, diff)
		}
	}
}

// allTrees returns the cheapest sets of relationships that form a tree with all
// the given tables. It tries every set. Those with the cheapest joins win if one of them
// shares only rows of the given tables.
func allTrees(s *joinpath.Schema, tables, aside []string) []string {
	free := cheapest(s, tables, aside, func(joins []joinpath.Relationship) int { return min(1, sharedCost(joins, tables...)) })
	if free != nil {
		return free
	}
	return cheapest(s, tables, aside, sharedAll)
}

func sharedAll(joins []joinpath.Relationship) int { return sharedCost(joins) }

// cheapest returns the trees with the lowest cost of their joins and the rows that these
// share. A cost of 1 for shared rows means that a tree with the cheapest joins is left out.
func cheapest(s *joinpath.Schema, tables, aside []string, shared func([]joinpath.Relationship) int) []string {
	var best []string
	lowest := math.MaxInt
	for set := range 1 << len(s.Relationships) {
		joins, sum, ok := treeCost(s, tables, set)
		if !ok {
			continue
		}
		sum += asideCost(joins, aside, tables)
		extra := shared(joins)
		if extra > 1 {
			sum += extra
		}
		if sum > lowest {
			continue
		}
		if sum < lowest {
			lowest, best = sum, nil
		}
		if extra == 1 {
			continue
		}
		var edges []string
		for _, r := range joins {
			edges = append(edges, r.String())
		}
		slices.Sort(edges)
		best = append(best, strings.Join(edges, "; "))
	}
	slices.Sort(best)
	return best
}

func treeCost(s *joinpath.Schema, tables []string, set int) (joins []joinpath.Relationship, sum int, ok bool) {
	group := map[string]string{}
	var find func(string) string
	find = func(v string) string {
		if group[v] == "" || group[v] == v {
			group[v] = v
			return v
		}
		return find(group[v])
	}
	for i, r := range s.Relationships {
		if set>>i&1 == 0 {
			continue
		}
		a, b := find(r.FromTable), find(r.ToTable)
		if r.Confidence < 0.7 || a == b {
			return nil, 0, false
		}
		group[a] = b
		joins = append(joins, r)
		sum += cost(r.Confidence)
	}
	root := find(tables[0])
	for _, v := range tables {
		if find(v) != root {
			return nil, 0, false
		}
	}
	return joins, sum, len(group) == bits.OnesCount(uint(set))+1 // else the set is not connected
}

func TestConnectAgainstEnumeration(t *testing.T) {
	if testing.Short() {
		t.Skip("enumerates the trees of 1,540 schemas")
	}
	rng := rand.New(rand.NewPCG(3, 4))
	for range 1500 {
		tables := 1 + rng.IntN(7)
		var asked []string
		for _, v := range rng.Perm(tables)[:1+rng.IntN(tables)] {
			asked = append(asked, tableName(v))
		}
		checkConnect(t, generateSmall(rng, tables, rng.IntN(11)), asked)
	}
	// As many tables as possible, except one.
	for range 40 {
		s := generateSmall(rng, 11, 14)
		parts := newGraph(t, s, nil).Components()
		largest := slices.MaxFunc(parts, func(a, b []string) int { return cmp.Compare(len(a), len(b)) })
		checkConnect(t, s, largest[:max(1, len(largest)-1)])
	}
}

func checkConnect(t *testing.T, s *joinpath.Schema, asked []string) {
	t.Helper()
	aside := randomAside(rand.New(rand.NewPCG(uint64(len(s.Relationships)), uint64(len(asked)))), s)
	want := allTrees(s, asked, aside)
	g := newGraph(t, s, &joinpath.Options{MaxPlans: 10_000, Aside: aside})
	got, err := g.Connect(t.Context(), asked...)
	if want == nil {
		if !errors.Is(err, joinpath.ErrDisconnected) {
			t.Fatalf("%v: got %v, want not connected", asked, err)
		}
		return
	}
	if err != nil {
		t.Fatalf("%v: %v", asked, err)
	}
	var trees []string
	for _, p := range got.Plans {
		var edges []string
		seen := map[string]bool{asked[0]: true}
		for _, step := range p.Steps() {
			if !seen[step.LeftTable] || seen[step.RightTable] {
				t.Fatalf("%v joins %s out of order", p, step.RightTable)
			}
			seen[step.RightTable] = true
			edges = append(edges, step.Relationship.String())
		}
		slices.Sort(edges)
		trees = append(trees, strings.Join(edges, "; "))
	}
	slices.Sort(trees)
	if diff := gocmp.Diff(want, trees); diff != "" {
		t.Fatalf("%v (-want +got):\n%s", asked, diff)
	}
}

// spanningCost is the cost of a minimum spanning tree of the shortest paths
// between tables: at most twice the cost of the cheapest tree.
func spanningCost(t *testing.T, g *joinpath.Graph, tables []string) (sum int64) {
	t.Helper()
	near := map[string]int64{}
	at := tables[0]
	for done := map[string]bool{at: true}; len(done) < len(tables); done[at] = true {
		next := ""
		for _, v := range tables {
			if done[v] {
				continue
			}
			p, err := g.ShortestPath(at, v)
			if err != nil {
				t.Fatal(err)
			}
			if old, ok := near[v]; !ok || p.Cost() < old {
				near[v] = p.Cost()
			}
			if next == "" || near[v] < near[next] {
				next = v
			}
		}
		sum += near[next]
		at = next
	}
	return sum
}

// TestConnectApproximately connects more tables than are solved exactly.
func TestConnectApproximately(t *testing.T) {
	g := newGraph(t, generate(1, 400, 900), &joinpath.Options{MaxHops: 40})
	for _, n := range []int{21, 60, 150} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			rng := rand.New(rand.NewPCG(9, uint64(n)))
			var asked []string
			for _, v := range rng.Perm(400)[:n] {
				asked = append(asked, tableName(v))
			}
			got, err := g.Connect(t.Context(), asked...)
			if err != nil {
				t.Fatal(err)
			}
			if !got.Approximate || len(got.Plans) != 1 {
				t.Fatalf("got %d plans, approximate %v", len(got.Plans), got.Approximate)
			}
			p := got.Plans[0]
			if most, joins := spanningCost(t, g, asked), p.Cost()-int64(len(p.SharedRows()))*1e6; joins > most {
				t.Errorf("the joins cost %d, more than %d", joins, most)
			}
			tables := p.Tables()
			if len(p.Steps()) != len(tables)-1 {
				t.Errorf("%d joins for %d tables", len(p.Steps()), len(tables))
			}
			used := map[string]int{}
			for _, s := range p.Steps() {
				used[s.Left]++
				used[s.Right]++
			}
			for _, v := range tables {
				asks := slices.Contains(asked, v)
				if !asks && used[v] < 2 {
					t.Errorf("%s is joined but not needed", v)
				}
			}
			for _, v := range asked {
				if !slices.Contains(tables, v) {
					t.Errorf("%s is missing", v)
				}
			}
		})
	}
}
