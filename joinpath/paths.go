package joinpath

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/qedkit/qed/refusal"
)

// mostPaths bounds the k of [Graph.Paths].
const mostPaths = 1000

// ShortestPath returns the cheapest chain of at most [Options.MaxHops] joins from
// one table to another. Among chains of the same cost it returns the one with
// the fewest joins, then the one whose tables come first alphabetically, then
// the one whose relationships do. From a table to itself the plan has no joins.
//
// The error is a [*refusal.Error] of code [ErrUnknownTable], [ErrNoPath] if every
// chain is longer than MaxHops, or [ErrDisconnected], which matches [ErrNoPath]
// as well.
func (g *Graph) ShortestPath(from, to string) (Plan, error) {
	a, b, err := g.ends(from, to)
	if err != nil {
		return Plan{}, err
	}
	key := [2]int32{a, b}
	plan, known := g.paths.Get(key)
	if !known {
		if a == b {
			plan = g.chainPlan(a, nil)
		} else {
			s := g.borrow()
			s.asked = [2]int32{a, b}
			path, ok := s.find(g, placeAt(a, false), b, g.opt.MaxHops, nil)
			g.release(s)
			if ok {
				plan = g.chainPlan(a, path)
			}
		}
		g.paths.Add(key, plan)
	}
	if plan.tree == nil {
		return Plan{}, g.noPath(a, b)
	}
	return plan, nil
}

// Paths returns the k cheapest chains of joins from one table to another, or all
// of them if there are fewer, in the order that [Graph.ShortestPath] defines. No
// chain contains a table twice. Two chains that use different relationships
// between the same tables are different. k is between 1 and 1000.
//
// The errors are those of ShortestPath, and [ErrArgument] for another k.
func (g *Graph) Paths(from, to string, k int) ([]Plan, error) {
	if k < 1 || k > mostPaths {
		return nil, refuse(ErrArgument, "k is %d, not between 1 and %d", k, mostPaths)
	}
	a, b, err := g.ends(from, to)
	if err != nil {
		return nil, err
	}
	if a == b {
		return []Plan{g.chainPlan(a, nil)}, nil
	}
	s := g.borrow()
	defer g.release(s)
	routes := s.best(g, a, b, g.opt.MaxHops, k)
	if len(routes) == 0 {
		return nil, g.noPath(a, b)
	}
	plans := make([]Plan, len(routes))
	for i, r := range routes {
		plans[i] = g.chainPlan(a, r.path)
	}
	return plans, nil
}

// ends looks up two tables. Unlike lookup it does not allocate.
func (g *Graph) ends(from, to string) (a, b int32, err error) {
	a, okA := g.id(from)
	b, okB := g.id(to)
	if !okA || !okB {
		_, err = g.lookup(from, to)
	}
	return a, b, err
}

func (g *Graph) noPath(a, b int32) error {
	if g.component[a] != g.component[b] {
		return g.disconnected([][]string{{g.names[a]}, {g.names[b]}})
	}
	return refuse(ErrNoPath, "no path of at most %d joins between %q and %q; Options.MaxHops is the limit",
		g.opt.MaxHops, g.names[a], g.names[b])
}

// disconnected lists the groups of connected tables. It mentions relationships
// that were ignored, because a relationship without a confidence is a common
// mistake.
func (g *Graph) disconnected(groups [][]string) error {
	var b strings.Builder
	b.WriteString("no joins connect these groups of tables: ")
	for i, group := range groups[:min(len(groups), maxQuoted)] {
		if i > 0 {
			b.WriteString(" | ")
		}
		b.WriteString(quoteNames(group))
	}
	if more := len(groups) - maxQuoted; more > 0 {
		fmt.Fprintf(&b, " | and %d more", more)
	}
	if g.unsure > 0 {
		fmt.Fprintf(&b, "; %d relationships are below Options.MinConfidence, which is %v", g.unsure, g.opt.MinConfidence)
	}
	return &refusal.Error{
		Package:  "joinpath",
		Problems: []refusal.Problem{{Code: ErrDisconnected, Message: b.String()}},
		Err:      ErrNoPath,
	}
}

// route is a path, and the hop at which it leaves the path that it was derived
// from.
type route struct {
	path   []arc
	weight int64
	left   int
}

// best finds the k lightest paths without a loop, by Yen's algorithm (Finding the
// K shortest loopless paths in a network, Management Science 17, 1971) with
// Lawler's rule, so that no path is found twice. Each path found is left at each
// of its hops, by an edge that no path found earlier took there.
func (s *search) best(g *Graph, from, to int32, hops, k int) []route {
	start := placeAt(from, false)
	s.asked = [2]int32{from, to}
	path, ok := s.find(g, start, to, hops, nil)
	if !ok {
		return nil
	}
	found := []route{{path, s.weigh(start, path), 0}}
	var open []route // sorted
	for len(found) < k {
		last := found[len(found)-1]
		at := start
		for hop, x := range last.path {
			if hop >= last.left {
				s.closed = closedAt(s.closed[:0], found, last.path[:hop])
				path, ok := s.find(g, at, to, hops-hop, slices.Clone(last.path[:hop]))
				if ok {
					r := route{path, s.weigh(start, path), hop}
					i, _ := slices.BinarySearchFunc(open, r, compareRoutes)
					open = slices.Insert(open, i, r)
					open = open[:min(len(open), k-len(found))]
				}
			}
			s.blocked[at.table()] = true
			at, _ = at.next(x)
		}
		s.blocked[from] = false
		for _, x := range last.path {
			s.blocked[x.to] = false
		}
		if len(open) == 0 {
			break
		}
		found = append(found, open[0])
		open = slices.Delete(open, 0, 1)
	}
	return found
}

// closedAt appends the edges by which known paths continue after a prefix.
func closedAt(closed []int32, found []route, prefix []arc) []int32 {
	for _, r := range found {
		if len(r.path) > len(prefix) && slices.Equal(r.path[:len(prefix)], prefix) {
			closed = append(closed, r.path[len(prefix)].edge)
		}
	}
	return closed
}

func (s *search) weigh(at place, path []arc) (weight int64) {
	for _, x := range path {
		next, price := s.next(at, x)
		weight += x.weight + price
		at = next
	}
	return weight
}

func compareRoutes(a, b route) int {
	return cmp.Or(
		cmp.Compare(a.weight, b.weight),
		slices.CompareFunc(a.path, b.path, func(x, y arc) int { return cmp.Compare(x.to, y.to) }),
		slices.CompareFunc(a.path, b.path, func(x, y arc) int { return cmp.Compare(x.edge, y.edge) }),
	)
}
