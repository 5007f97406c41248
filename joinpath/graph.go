package joinpath

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"sync"

	"github.com/qedkit/qed/internal/ascii"
	"github.com/qedkit/qed/internal/lists"
	"github.com/qedkit/qed/internal/lru"
	"github.com/qedkit/qed/internal/option"
	"github.com/qedkit/qed/refusal"
)

// Options configure a [Graph]. Nil and the zero value mean the defaults.
type Options struct {
	// MinConfidence is the confidence below which a relationship is ignored. 0
	// means 0.7. Relationships of confidence 0 are always ignored.
	MinConfidence float64

	// MaxHops is how many joins [Graph.ShortestPath] may use, at most 1000. 0 means 4.
	MaxHops int

	// MaxPlans is how many plans of equal cost [Graph.Connect] returns. 0 means
	// 64.
	MaxPlans int

	// Aside are tables and roles that are kept out of the middle of a plan, such as a
	// company to which everything belongs, or the role createdBy. A plan leads through
	// such a table, or the table that such a role refers to, only if the table was asked
	// for or if there is no other plan. A role is a [Relationship.Role] or the name of a
	// column that refers to a table. In a schema of 20 or more tables those to which half
	// of the others refer are kept aside without being named.
	Aside []string

	// CacheSize is how many answers of ShortestPath are cached, and an eighth as
	// many of Connect. 0 means 4096, a negative number none.
	CacheSize int
}

const (
	defaultMinConfidence = 0.7
	defaultMaxHops       = 4
	defaultMaxPlans      = 64
	defaultCacheSize     = 4096

	mostHops = 1000
	costUnit = 1e6 // costs are integers, in millionths

	// hopPrice is the cost of each join in addition to its uncertainty: one more
	// join costs as much as a confidence of 0.95 instead of 1.
	hopPrice = 0.05
)

func (o *Options) withDefaults() (Options, error) {
	out := option.Of(o)
	out.MinConfidence = cmp.Or(out.MinConfidence, defaultMinConfidence)
	out.MaxHops = cmp.Or(out.MaxHops, defaultMaxHops)
	out.MaxPlans = cmp.Or(out.MaxPlans, defaultMaxPlans)
	out.CacheSize = max(0, cmp.Or(out.CacheSize, defaultCacheSize))
	var err error
	switch { // NaN is in no range
	case !(out.MinConfidence > 0 && out.MinConfidence <= 1):
		err = refuse(ErrArgument, "Options.MinConfidence is %v, not between 0 and 1", out.MinConfidence)
	case out.MaxHops < 0 || out.MaxHops > mostHops:
		err = refuse(ErrArgument, "Options.MaxHops is %d, not between 0 and %d", out.MaxHops, mostHops)
	case out.MaxPlans < 0:
		err = refuse(ErrArgument, "Options.MaxPlans is %d: it cannot be negative", out.MaxPlans)
	}
	return out, err
}

// A Graph is a schema compiled for searching. It is immutable, independent of the
// schema that it was made from, and safe for concurrent use. Make one with [New].
//
// Methods find a table by its exact name, or else by the only name that differs
// in the case of ASCII letters.
type Graph struct {
	opt       Options
	names     []string // by table number, sorted
	schemas   []string // by table number, Table.Schema
	ids       map[string]int32
	folded    map[string]int32 // by name in lower case; ambiguous if several names fold to it
	ambiguous bool             // some do
	edges     []edge           // sorted; an edge's index is its number
	unsure    int              // number of relationships ignored for their confidence

	all       adjacency // every edge
	best      adjacency // the cheapest edge of each pair of tables
	component []int32   // by table number
	least     int64     // no edge weighs less

	scratch sync.Pool // of *search
	paths   *lru.Cache[[2]int32, Plan]
	trees   *lru.Cache[string, PlanSet]
}

const (
	none      = -1 // no table, edge, node or label
	ambiguous = -1
)

// edge is one way to join two tables. A table joined to itself is an edge too.
type edge struct {
	from, to    int32
	weight      int64
	turn        turn        // from from to to
	cardinality Cardinality // never empty
	rel         Relationship
}

// New compiles a schema. A nil schema is an empty one.
//
// Relationships below [Options.MinConfidence] are ignored. If a join is listed
// once in each direction, the entry with the higher confidence is used for
// both; a side is many if it is many in either entry.
//
// The error is a [*refusal.Error] of code [ErrSchema] or [ErrArgument], or
// [ErrUnknownTable] for a name in [Options.Aside].
func New(s *Schema, opt *Options) (*Graph, error) {
	o, err := opt.withDefaults()
	if err != nil {
		return nil, err
	}
	s = cmp.Or(s, &Schema{})
	found := s.check(false)
	if err := found.err(); err != nil {
		return nil, err
	}
	g := &Graph{
		opt:    o,
		names:  slices.Sorted(maps.Keys(s.Tables)),
		ids:    make(map[string]int32, len(s.Tables)),
		folded: make(map[string]int32, len(s.Tables)),
		paths:  lru.New[[2]int32, Plan](o.CacheSize, 0),
		trees:  lru.New[string, PlanSet]((o.CacheSize+7)/8, 0),
	}
	for i, name := range g.names {
		g.ids[name] = int32(i)
		g.schemas = append(g.schemas, s.Tables[name].Schema)
		key := ascii.Lower(name)
		if _, taken := g.folded[key]; taken {
			g.folded[key], g.ambiguous = ambiguous, true
		} else {
			g.folded[key] = int32(i)
		}
	}
	g.addEdges(s)
	if err := g.keepAside(s, o.Aside); err != nil {
		return nil, err
	}
	g.all = newAdjacency(len(g.names), g.edges)
	g.best = g.all.bestPerPair()
	g.component = g.best.components()
	g.least = far
	for i := range g.edges {
		g.least = min(g.least, g.edges[i].weight)
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
		key := r.Key()
		if i, twice := byKey[key]; twice {
			g.edges[i] = mergeEdges(g.edges[i], e)
			continue
		}
		byKey[key] = len(g.edges)
		g.edges = append(g.edges, e)
	}
	for i := range g.edges {
		e := &g.edges[i]
		e.weight = weightOf(e.rel.Confidence)
		known := e.cardinality != ""
		if !known {
			from, to := e.rel.Columns()
			e.cardinality = cardinality(!s.Tables[e.rel.FromTable].unique(from), !s.Tables[e.rel.ToTable].unique(to))
			known = e.cardinality != ManyToMany // else it is what keys do not tell
		}
		if known && e.cardinality.FansOut() {
			e.turn |= fans
		}
		if known && e.cardinality.Reversed().FansOut() {
			e.turn |= gathers
		}
	}
	slices.SortFunc(g.edges, func(a, b edge) int {
		// Numbers of tables are in the order of their names.
		if c := cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to)); c != 0 {
			return c
		}
		return compareRelationships(a.rel, b.rel)
	})
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
	a.rel.Provenance = lists.Add(a.rel.Provenance, b.rel.Provenance...)
	a.rel.Evidence = lists.Add(a.rel.Evidence, b.rel.Evidence...)
	a.rel.Role = cmp.Or(a.rel.Role, b.rel.Role)
	return a
}

// weightOf returns the cost of an edge in the high bits and 1, its number of
// joins, in the low bits. So sums of weights compare by cost first, then by
// joins.
func weightOf(confidence float64) int64 {
	cost := int64(math.Round((hopPrice - math.Log(confidence)) * costUnit))
	return max(1, cost)<<hopBits | 1
}

const (
	hopBits = 16
	hopMask = 1<<hopBits - 1
	far     = math.MaxInt64 / 4 // larger than any weight; the sum of two does not overflow
)

// Tables returns the names of all tables, sorted.
func (g *Graph) Tables() []string { return slices.Clone(g.names) }

// Components returns the groups of tables that are connected by any number of
// joins. Each group is sorted, and the groups are sorted by their first table.
func (g *Graph) Components() [][]string {
	all := make([]int32, len(g.names))
	for v := range all {
		all[v] = int32(v)
	}
	return g.group(all)
}

// group splits sorted tables into groups that are connected.
func (g *Graph) group(tables []int32) [][]string {
	var out [][]string
	index := map[int32]int{}
	for _, v := range tables {
		c := g.component[v]
		if _, ok := index[c]; !ok {
			index[c] = len(out)
			out = append(out, nil)
		}
		out[index[c]] = append(out[index[c]], g.names[v])
	}
	return out
}

// lookup finds tables by name. The error has one problem for each unknown name.
func (g *Graph) lookup(names ...string) ([]int32, error) {
	ids := make([]int32, len(names))
	var problems []refusal.Problem
	for i, name := range names {
		id, ok := g.id(name)
		if !ok {
			problems = append(problems, unknownName(name, g.names, len(problems) < maxHints, "table"))
		}
		ids[i] = id
	}
	if problems != nil {
		return nil, &refusal.Error{Package: "joinpath", Problems: problems}
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
