package joinpath

import "slices"

// search finds the lightest path between two tables with a limited number of
// hops. It holds the memory that is used by one search after another.
//
// Because of the limit the cheapest path to a table may be too long to be part of
// the answer, while a more expensive, shorter one is not. So the search works in
// layers, one for each hop, like the algorithm of Bellman and Ford, and keeps the
// improvements of each table layer by layer. It searches from both ends, half of
// the hops from each, which visits 2*degree^(hops/2) tables instead of
// degree^hops, and drops what is heavier than the best path so far. Ties are
// resolved by comparing all lightest paths, so that the answer does not depend on
// the order in which they were found.
type search struct {
	forward, backward half
	sets              [][]int32 // tables of the lightest paths, by hop
	blocked           []bool    // tables that are not allowed in the path
	closed            []int32   // edges that are not allowed as the first one
}

// label records that a table was reached with a weight, which includes the hops.
type label struct {
	weight int64
	table  int32
	older  int32 // the table's label with fewer hops, or none
}

// half is the search from one end.
type half struct {
	labels []label
	layers []int32 // index of the first label of each layer, and of the end
	newest []int32 // by table, its last label or none
}

func newSearch(tables int) *search {
	s := &search{blocked: make([]bool, tables)}
	for _, h := range []*half{&s.forward, &s.backward} {
		h.newest = slices.Repeat([]int32{none}, tables)
	}
	return s
}

func (h *half) begin(table int32) {
	for _, l := range h.labels {
		h.newest[l.table] = none
	}
	h.labels = append(h.labels[:0], label{0, table, none})
	h.layers = append(h.layers[:0], 0, 1)
	h.newest[table] = 0
}

// reach adds a label unless the table was reached with no more weight before. It
// reports whether it did.
func (h *half) reach(table int32, weight int64) bool {
	i := h.newest[table]
	if i != none && h.labels[i].weight <= weight {
		return false
	}
	if i >= h.layers[len(h.layers)-1] { // reached in this layer already
		h.labels[i].weight = weight
		return true
	}
	h.newest[table] = int32(len(h.labels))
	h.labels = append(h.labels, label{weight, table, i})
	return true
}

func (h *half) endLayer() { h.layers = append(h.layers, int32(len(h.labels))) }

// layer returns the labels with exactly hops hops.
func (h *half) layer(hops int) []label {
	if hops+1 >= len(h.layers) {
		return nil
	}
	return h.labels[h.layers[hops]:h.layers[hops+1]]
}

// at returns the weight of a table's label with exactly hops hops, or far.
func (h *half) at(table int32, hops int) int64 {
	for i := h.newest[table]; i != none; i = h.labels[i].older {
		switch n := int(h.labels[i].weight & hopMask); {
		case n == hops:
			return h.labels[i].weight
		case n < hops:
			return far
		}
	}
	return far
}

// find appends the lightest path from one table to another to path. Among paths
// of the same weight it takes the one whose tables come first, then the one whose
// edges do. It returns false if no path has at most hops hops.
func (s *search) find(g *Graph, from, to int32, hops int, path []arc) ([]arc, bool) {
	s.forward.begin(from)
	s.backward.begin(to)
	// Every lightest path splits into a first part of at most a hops and a
	// second of at most b.
	a, b := (hops+1)/2, hops/2
	lightest := int64(far)
	for layer := 1; layer <= a; layer++ {
		if layer == 1 {
			s.firstLayer(g, from, &lightest)
		} else {
			s.expand(g, &s.forward, &s.backward, layer, none, &lightest)
		}
		if layer <= b {
			s.expand(g, &s.backward, &s.forward, layer, from, &lightest)
		}
		if len(s.forward.layer(layer)) == 0 && len(s.backward.layer(layer)) == 0 {
			break
		}
	}
	if lightest == far {
		return path, false
	}
	return s.trace(g, lightest, b, path), true
}

// firstLayer adds the tables next to the start, each by its cheapest edge that is
// not closed.
func (s *search) firstLayer(g *Graph, from int32, lightest *int64) {
	arcs := g.best[from]
	if len(s.closed) > 0 {
		arcs = g.all[from]
	}
	last := int32(none) // reached by its first open edge: later ones are not cheaper
	for _, x := range arcs {
		if x.to != last && !s.blocked[x.to] && !slices.Contains(s.closed, x.edge) {
			s.label(&s.forward, &s.backward, x.to, x.weight, lightest)
			last = x.to
		}
	}
	s.forward.endLayer()
}

// expand adds a layer. It does not enter the table avoid, at which the path
// begins: only firstLayer knows which edges are allowed there.
func (s *search) expand(g *Graph, h, other *half, layer int, avoid int32, lightest *int64) {
	for _, l := range h.layer(layer - 1) {
		for _, x := range g.best[l.table] {
			if x.to != avoid && !s.blocked[x.to] {
				s.label(h, other, x.to, l.weight+x.weight, lightest)
			}
		}
	}
	h.endLayer()
}

func (s *search) label(h, other *half, table int32, weight int64, lightest *int64) {
	if weight > *lightest || !h.reach(table, weight) {
		return
	}
	if i := other.newest[table]; i != none {
		*lightest = min(*lightest, weight+other.labels[i].weight)
	}
}

// trace appends the first of the lightest paths to path.
func (s *search) trace(g *Graph, lightest int64, backHops int, path []arc) []arc {
	hops := int(lightest & hopMask)
	middle := max(1, hops-backHops)
	for len(s.sets) <= middle {
		s.sets = append(s.sets, nil)
	}
	// The tables in which the halves of lightest paths meet, then the tables
	// before them on such paths.
	s.sets[middle] = s.sets[middle][:0]
	for _, l := range s.forward.layer(middle) {
		if l.weight+s.backward.at(l.table, hops-middle) == lightest {
			s.sets[middle] = append(s.sets[middle], l.table)
		}
	}
	for hop := middle; hop > 1; hop-- {
		before := s.sets[hop-1][:0]
		for _, v := range s.sets[hop] {
			for _, x := range g.best[v] {
				if s.forward.at(x.to, hop-1)+x.weight == s.forward.at(v, hop) {
					before = append(before, x.to)
				}
			}
		}
		slices.Sort(before)
		s.sets[hop-1] = slices.Compact(before)
	}
	first := slices.Min(s.sets[1])
	x := s.opening(g, first)
	path = append(path, x)
	for hop := 2; hop <= hops; hop++ {
		if hop <= middle {
			x = s.nextBefore(g, x.to, hop)
		} else {
			x = s.nextAfter(g, x.to, hops-hop)
		}
		path = append(path, x)
	}
	return path
}

// opening returns the first edge to a table that is not closed.
func (s *search) opening(g *Graph, to int32) arc {
	from := s.forward.labels[0].table
	arcs := g.all.between(from, to)
	return arcs[slices.IndexFunc(arcs, func(x arc) bool { return !slices.Contains(s.closed, x.edge) })]
}

func (s *search) nextBefore(g *Graph, v int32, hop int) arc {
	next := arc{to: none}
	for _, u := range s.sets[hop] {
		if next.to != none && next.to < u {
			continue
		}
		if x := g.best.between(v, u); len(x) == 1 && s.forward.at(v, hop-1)+x[0].weight == s.forward.at(u, hop) {
			next = x[0]
		}
	}
	return next
}

func (s *search) nextAfter(g *Graph, v int32, left int) arc {
	rest := s.backward.at(v, left+1)
	for _, x := range g.best[v] {
		if x.weight+s.backward.at(x.to, left) == rest {
			return x
		}
	}
	return arc{to: none}
}

// borrow returns a search; release takes it back.
func (g *Graph) borrow() *search {
	if s, ok := g.scratch.Get().(*search); ok {
		return s
	}
	return newSearch(len(g.names))
}

func (g *Graph) release(s *search) {
	s.closed = s.closed[:0]
	g.scratch.Put(s)
}
