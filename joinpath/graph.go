package joinpath

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"sync"

	"github.com/qedkit/qed/internal/ascii"
	"github.com/qedkit/qed/refusal"
)

// Options tune a [Graph]. Nil and the zero value mean the defaults.
type Options struct {
	// MinConfidence is the confidence below which a relationship is left out.
	// 0 means 0.7. Relationships of confidence 0 are always left out.
	MinConfidence float64

	// HopPrice is what each join costs on top of its doubt, in the unit of
	// -ln(confidence). 0 means 0.05: one join more weighs as much as one with
	// a confidence of 0.95.
	HopPrice float64

	// MaxHops is how many joins [Graph.ShortestPath] and [Graph.Paths] may
	// use. 0 means 4; the most is 1000.
	MaxHops int

	// MaxPlans is how many plans of equal cost [Graph.Connect] returns. 0 means
	// 64.
	MaxPlans int

	// CacheSize is how many answers of ShortestPath are kept, and an eighth as
	// many of Connect. 0 means 4096, a negative number none.
	CacheSize int
}

const (
	defaultMinConfidence = 0.7
	defaultHopPrice      = 0.05
	defaultMaxHops       = 4
	defaultMaxPlans      = 64
	defaultCacheSize     = 4096

	hopsMost     = 1000
	hopPriceMost = 1000
	costUnit     = 1e6 // costs are integers, in millionths
)

func (o *Options) withDefaults() (Options, error) {
	var out Options
	if o != nil {
		out = *o
	}
	out.MinConfidence = cmp.Or(out.MinConfidence, defaultMinConfidence)
	out.HopPrice = cmp.Or(out.HopPrice, defaultHopPrice)
	out.MaxHops = cmp.Or(out.MaxHops, defaultMaxHops)
	out.MaxPlans = cmp.Or(out.MaxPlans, defaultMaxPlans)
	out.CacheSize = cmp.Or(out.CacheSize, defaultCacheSize)
	bad := func(format string, args ...any) (Options, error) {
		return Options{}, &Error{Err: ErrArgument, Detail: fmt.Sprintf(format, args...)}
	}
	switch {
	case !(out.MinConfidence > 0 && out.MinConfidence <= 1):
		return bad("MinConfidence %v is outside 0 to 1", out.MinConfidence)
	case !(out.HopPrice > 0 && out.HopPrice <= hopPriceMost):
		return bad("HopPrice %v is outside 0 to %d", out.HopPrice, hopPriceMost)
	case out.MaxHops < 0 || out.MaxHops > hopsMost:
		return bad("MaxHops %d is outside 1 to %d", out.MaxHops, hopsMost)
	case out.MaxPlans < 0:
		return bad("MaxPlans %d is negative", out.MaxPlans)
	}
	return out, nil
}

// Graph is a schema made ready for searching. It keeps nothing of the schema
// that it was made from, never changes, and is safe for concurrent use. Make one
// with [New].
//
// Methods find a table by its exact name, or else by the one name that differs
// in the case of ASCII letters only.
type Graph struct {
	opt    Options
	names  []string // by table number, sorted
	ids    map[string]int32
	folded map[string]int32 // by name in lower case; ambiguous where several fold to it
	folds  bool             // some names do
	edges  []edge           // sorted; the place is the edge's number
	unsure int              // relationships left out for their confidence

	all       adjacency // every edge
	best      adjacency // the cheapest edge of each pair of tables
	component []int32   // by table number

	scratch sync.Pool // of *search
	paths   *cache[[2]int32, Plan]
	trees   *cache[string, Connection]
}

const ambiguous = -1

// edge is one way to join two tables. A table joined to itself is an edge too.
type edge struct {
	from, to    int32
	weight      int64
	cardinality Cardinality // never empty
	rel         Relationship
}

// New builds the graph of a schema. The error is an [*Error] of kind [ErrSchema]
// or [ErrArgument].
//
// Relationships below the confidence of opt are left out. Where a join is
// listed once in each direction, the more confident entry stands for both, and
// a side that either calls many counts as many.
func New(s *Schema, opt *Options) (*Graph, error) {
	o, err := opt.withDefaults()
	if err != nil {
		return nil, err
	}
	if s == nil {
		s = &Schema{}
	}
	if err := s.check(false).err(); err != nil {
		return nil, err
	}
	g := &Graph{
		opt:    o,
		names:  slices.Sorted(maps.Keys(s.Tables)),
		ids:    make(map[string]int32, len(s.Tables)),
		folded: make(map[string]int32, len(s.Tables)),
	}
	for i, name := range g.names {
		g.ids[name] = int32(i)
		key := ascii.Lower(name)
		if _, taken := g.folded[key]; taken {
			g.folded[key], g.folds = ambiguous, true
		} else {
			g.folded[key] = int32(i)
		}
	}
	g.addEdges(s)
	g.all = newAdjacency(len(g.names), g.edges)
	g.best = g.all.bestPerPair()
	g.component = g.best.components()
	if o.CacheSize > 0 {
		g.paths = newCache[[2]int32, Plan](o.CacheSize)
		g.trees = newCache[string, Connection](max(1, o.CacheSize/8))
	}
	return g, nil
}

func (g *Graph) addEdges(s *Schema) {
	byKey := make(map[string]int, len(s.Relationships))
	g.edges = make([]edge, 0, len(s.Relationships))
	for _, r := range s.Relationships {
		if r.Confidence < g.opt.MinConfidence {
			g.unsure++
			continue
		}
		r = r.canonical()
		e := edge{from: g.ids[r.FromTable], to: g.ids[r.ToTable], cardinality: r.Cardinality, rel: r}
		key := r.key()
		if i, twice := byKey[key]; twice {
			g.edges[i] = mergeEdges(g.edges[i], e)
			continue
		}
		byKey[key] = len(g.edges)
		g.edges = append(g.edges, e)
	}
	for i := range g.edges {
		e := &g.edges[i]
		e.weight = weightOf(e.rel.Confidence, g.opt.HopPrice)
		if e.cardinality == "" {
			from, to := e.rel.Columns()
			e.cardinality = cardinality(!s.Tables[e.rel.FromTable].unique(from), !s.Tables[e.rel.ToTable].unique(to))
		}
	}
	slices.SortFunc(g.edges, func(a, b edge) int { return compareRelationships(a.rel, b.rel) })
}

// mergeEdges makes one edge of two descriptions of one join.
func mergeEdges(a, b edge) edge {
	if c := cmp.Compare(b.rel.Confidence, a.rel.Confidence); c > 0 || c == 0 && compareRelationships(b.rel, a.rel) < 0 {
		a, b = b, a
	}
	other := b.cardinality
	if a.rel.directedKey() != b.rel.directedKey() {
		other = other.Reversed()
	}
	switch {
	case a.cardinality == "":
		a.cardinality = other
	case other != "":
		a.cardinality = cardinality(
			a.cardinality.Reversed().FansOut() || other.Reversed().FansOut(),
			a.cardinality.FansOut() || other.FansOut())
	}
	a.rel.Provenance = union(a.rel.Provenance, b.rel.Provenance)
	return a
}

// weightOf packs what an edge costs and, in the low bits, that it is one hop: a
// sum of weights compares by cost first, then by hops.
func weightOf(confidence, hopPrice float64) int64 {
	cost := int64(math.Round((hopPrice - math.Log(confidence)) * costUnit))
	return max(1, cost)<<hopBits | 1
}

const (
	hopBits = 16
	hopMask = 1<<hopBits - 1
	far     = math.MaxInt64 / 4 // no distance; two of them still add up
)

// unique reports whether the columns hold a key of the table.
func (t Table) unique(columns []string) bool {
	holds := func(key []string) bool {
		return len(key) > 0 && !slices.ContainsFunc(key, func(c string) bool { return !slices.Contains(columns, c) })
	}
	return slices.ContainsFunc(columns, func(c string) bool { return slices.Contains(t.UniqueColumns, c) }) ||
		holds(t.PrimaryKey) || slices.ContainsFunc(t.UniqueKeys, holds)
}

// Tables returns the names of all tables, sorted.
func (g *Graph) Tables() []string { return slices.Clone(g.names) }

// Between returns the relationships that join two tables, cheapest first: several
// where one table plays several roles. A table and itself gives the
// relationships within it.
func (g *Graph) Between(a, b string) ([]Relationship, error) {
	ids, err := g.lookup(a, b)
	if err != nil {
		return nil, err
	}
	var out []Relationship
	for _, arc := range g.all.between(ids[0], ids[1]) {
		out = append(out, g.edges[arc.edge].rel.clone())
	}
	return out, nil
}

// Components returns the tables grouped by what can be joined at all, each group
// sorted, the groups by their first table.
func (g *Graph) Components() [][]string {
	all := make([]int32, len(g.names))
	for v := range all {
		all[v] = int32(v)
	}
	return g.group(all)
}

// lookup finds tables by name; the error names every unknown one.
func (g *Graph) lookup(names ...string) ([]int32, error) {
	ids := make([]int32, len(names))
	var unknown []string
	for i, name := range names {
		id, ok := g.id(name)
		if !ok {
			unknown = append(unknown, name)
		}
		ids[i] = id
	}
	if unknown != nil {
		return nil, g.unknownTable(unknown)
	}
	return ids, nil
}

func (g *Graph) id(name string) (int32, bool) {
	if id, ok := g.ids[name]; ok {
		return id, true
	}
	id, ok := g.folded[ascii.Lower(name)]
	return id, ok && id != ambiguous
}

func (g *Graph) unknownTable(names []string) error {
	e := &Error{Err: ErrUnknownTable, Tables: names}
	for _, name := range names[:min(len(names), maxShown)] {
		e.Candidates = union(e.Candidates, refusal.Nearest(name, g.names, maxCandidates))
	}
	return e
}
