package joinpath

import (
	"cmp"
	"fmt"
	"slices"
)

// mostPaths bounds the k of [Graph.Paths].
const mostPaths = 1000

// ShortestPath returns the cheapest chain of joins from one table to another,
// of at most [Options.MaxHops] joins. Of chains that cost the same, the one with
// fewest joins, then the one whose tables come first in the alphabet, then the
// one whose relationships do. A table and itself gives a plan without joins.
//
// The error is an [*Error] of kind [ErrUnknownTable], [ErrNoPath] where the hop
// limit is in the way, or [ErrDisconnected], which matches [ErrNoPath] too.
func (g *Graph) ShortestPath(from, to string) (Plan, error) {
	a, b, err := g.ends(from, to)
	if err != nil {
		return Plan{}, err
	}
	key := [2]int32{a, b}
	plan, known := g.paths.get(key)
	if !known {
		if a == b {
			plan = g.chain(a, nil)
		} else {
			var room [8]arc
			s := g.borrow()
			path, ok := s.find(g, a, b, g.opt.MaxHops, room[:0])
			g.release(s)
			if ok {
				plan = g.chain(a, path)
			}
		}
		g.paths.put(key, plan)
	}
	if plan.tree == nil {
		return Plan{}, g.noPath(a, b)
	}
	return plan, nil
}

// Paths returns the k cheapest chains of joins from one table to another, best
// first, in the order that [Graph.ShortestPath] defines: fewer where there are
// no more. No chain visits a table twice. Chains that differ only in which of
// two relationships joins a pair of tables are different. k is from 1 to 1000.
//
// Errors are those of ShortestPath, and [ErrArgument] for another k.
func (g *Graph) Paths(from, to string, k int) ([]Plan, error) {
	if k < 1 || k > mostPaths {
		return nil, &Error{Err: ErrArgument, Detail: fmt.Sprintf("k is %d, not 1 to %d", k, mostPaths)}
	}
	a, b, err := g.ends(from, to)
	if err != nil {
		return nil, err
	}
	if a == b {
		return []Plan{g.chain(a, nil)}, nil
	}
	s := g.borrow()
	defer g.release(s)
	routes := s.best(g, a, b, g.opt.MaxHops, k)
	if len(routes) == 0 {
		return nil, g.noPath(a, b)
	}
	plans := make([]Plan, len(routes))
	for i, r := range routes {
		plans[i] = g.chain(a, r.path)
	}
	return plans, nil
}

// ends looks up two tables; it is apart from lookup to stay off the heap.
func (g *Graph) ends(from, to string) (a, b int32, err error) {
	a, okA := g.id(from)
	b, okB := g.id(to)
	if !okA || !okB {
		_, err = g.lookup(from, to)
	}
	return a, b, err
}

func (g *Graph) noPath(a, b int32) error {
	names := []string{g.names[a], g.names[b]}
	if g.component[a] != g.component[b] {
		return g.disconnected([][]string{names[:1:1], names[1:]})
	}
	return &Error{Err: ErrNoPath, Tables: names,
		Detail: fmt.Sprintf("none within %d hops; Options.MaxHops allows more", g.opt.MaxHops)}
}

// disconnected names what can be joined, and tells of relationships that were too
// unsure: one without a confidence is easily written.
func (g *Graph) disconnected(groups [][]string) error {
	e := &Error{Err: ErrDisconnected, Components: groups}
	if g.unsure > 0 {
		e.Detail = fmt.Sprintf("%d relationships are below Options.MinConfidence, which is %v", g.unsure, g.opt.MinConfidence)
	}
	return e
}

// route is a path and the hop at which it left the one it was derived from.
type route struct {
	path   []arc
	weight int64
	left   int
}

// best finds the k lightest paths without a loop: Yen's algorithm (Management
// Science 17, 1971) with Lawler's rule, by which no path is found twice. Each
// path found is left at each of its hops, by no edge that a path found earlier
// took there.
func (s *search) best(g *Graph, from, to int32, hops, k int) []route {
	path, ok := s.find(g, from, to, hops, nil)
	if !ok {
		return nil
	}
	found := []route{{path, weigh(path), 0}}
	var open []route // sorted
	for len(found) < k {
		last := found[len(found)-1]
		at := from
		for hop := range last.path {
			if hop >= last.left {
				s.closed = closedAt(s.closed[:0], found, last.path[:hop])
				path, ok := s.find(g, at, to, hops-hop, slices.Clone(last.path[:hop]))
				if ok {
					r := route{path, weigh(path), hop}
					i, _ := slices.BinarySearchFunc(open, r, compareRoutes)
					open = slices.Insert(open, i, r)
					open = open[:min(len(open), k-len(found))]
				}
			}
			s.blocked[at] = true
			at = last.path[hop].to
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

// closedAt lists the edges by which known paths go on after a prefix.
func closedAt(closed []int32, found []route, prefix []arc) []int32 {
	for _, r := range found {
		if len(r.path) > len(prefix) && slices.Equal(r.path[:len(prefix)], prefix) {
			closed = append(closed, r.path[len(prefix)].edge)
		}
	}
	return closed
}

func weigh(path []arc) (weight int64) {
	for _, x := range path {
		weight += x.weight
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
