package joinpath

import "slices"

// spanning makes a tree that contains the terminals of the paths of a minimum spanning tree
// of their distances. It returns the cost of these paths. The cheapest tree seldom costs
// more, and never more than the tree, whose paths can share rows where they meet.
func (d *dreyfus) spanning() (cost int64) {
	nearest := slices.Repeat([]int64{far}, len(d.terminals))
	parent := make([]int, len(d.terminals))
	nearest[0] = 0
	done := make([]bool, len(d.terminals))
	d.tree = &spanned{g: d.g, leader: map[int32]int32{}}
	for range d.terminals {
		next := none
		for i := range d.terminals {
			if !done[i] && (next == none || nearest[i] < nearest[next]) {
				next = i
			}
		}
		done[next] = true
		cost += nearest[next]
		d.addPath(d.whole[parent[next]], d.terminals[parent[next]], d.terminals[next])
		for i := range d.terminals {
			if c := d.between(next, d.terminals[i]); !done[i] && c < nearest[i] {
				nearest[i], parent[i] = c, next
			}
		}
	}
	return cost
}

// addPath adds the cheapest path between two terminals to the tree, given the distances
// from the first.
func (d *dreyfus) addPath(dist []int64, from, to int32) {
	at := placeAt(to, false)
	if dist[at|1] < dist[at] {
		at |= 1
	}
	for at != placeAt(from, false) {
		at = d.before(dist, at)
	}
}

// before adds the last edge of the cheapest path to a place, and returns the place before.
func (d *dreyfus) before(dist []int64, at place) place {
	for _, x := range d.g.best[at.table()] {
		back := d.arc(at.table(), x)
		back.to, back.turn = at.table(), back.turn.mirrored()
		for _, p := range [2]place{placeAt(x.to, false), placeAt(x.to, true)} {
			if next, c := step(p, back); next == at && dist[p]+c == dist[at] {
				d.tree.add(x.edge)
				return p
			}
		}
	}
	panic("joinpath: a table was reached by no edge")
}

// spanned is a tree that grows by paths.
type spanned struct {
	g      *Graph
	leader map[int32]int32
	edges  []int32
}

// add adds an edge, unless it would close a loop.
func (s *spanned) add(edge int32) {
	e := &s.g.edges[edge]
	if a, b := s.find(e.from), s.find(e.to); a != b {
		s.leader[a] = b
		s.edges = append(s.edges, edge)
	}
}

func (s *spanned) find(v int32) int32 {
	for {
		next, ok := s.leader[v]
		if !ok {
			return v
		}
		v = next
	}
}

// cost returns the cost of the tree without the branches that lead to no terminal.
func (s *spanned) cost(terminals []int32) int64 {
	for {
		used := map[int32]int{}
		for _, t := range terminals {
			used[t] = 2
		}
		for _, i := range s.edges {
			used[s.g.edges[i].from]++
			used[s.g.edges[i].to]++
		}
		before := len(s.edges)
		s.edges = slices.DeleteFunc(s.edges, func(i int32) bool {
			return used[s.g.edges[i].from] < 2 || used[s.g.edges[i].to] < 2
		})
		if len(s.edges) == before {
			break
		}
	}
	var cost int64
	for _, i := range s.edges {
		e := &s.g.edges[i]
		cost += costOf(e.from, e.arc(), terminals)
	}
	return cost + int64(len(s.g.sharedIn(s.edges, nil)))*price
}
