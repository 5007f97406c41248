package joinpath

import "slices"

// search finds the lightest path between two tables with a limited number of
// hops. It holds the memory that is used by one search after another.
//
// Because of the limit the cheapest path to a table may be too long to be part of
// the answer, while a more expensive, shorter one is not. So the search works in
// layers, one for each hop, like the algorithm of Bellman and Ford, and keeps the
// improvements of each table layer by layer. It begins at the end of the path, and drops
// what is heavier than the best path so far. The path is then followed from its beginning,
// by the weight that is left at each table, so that ties do not depend on the order in
// which tables were found.
type search struct {
	labels []label
	layers []int32  // index of the first label of each layer, and of the end
	newest []int32  // by place, its last label or none
	asked  [2]int32 // the tables for which a path is looked for
}

// next returns the place to which an arc leads, and what it costs more than its weight.
func (s *search) next(p place, x arc) (place, int64) {
	to, price := p.next(x)
	if x.turn&aside != 0 {
		price += asideOf(p.table(), x, s.asked[:]) * asideWeight
	}
	return to, price
}

// label records that a place was reached with a weight, which includes the hops.
type label struct {
	weight int64
	place  place
	older  int32 // the place's label with fewer hops, or none
}

func (s *search) begin(at place) {
	for _, l := range s.labels {
		s.newest[l.place] = none
	}
	s.labels = append(s.labels[:0], label{0, at, none})
	s.layers = append(s.layers[:0], 0, 1)
	s.newest[at] = 0
}

// reach adds a label unless the place was reached with no more weight before, or the
// table so that every way on is cheaper.
func (s *search) reach(at place, weight int64) {
	i := s.newest[at]
	if i != none && s.labels[i].weight <= weight {
		return
	}
	if at.shared() {
		if j := s.newest[at^1]; j != none && s.labels[j].weight < weight {
			return
		}
	}
	if i >= s.layers[len(s.layers)-1] { // reached in this layer already
		s.labels[i].weight = weight
		return
	}
	s.newest[at] = int32(len(s.labels))
	s.labels = append(s.labels, label{weight, at, i})
}

// at returns the weight of a place's label with exactly hops hops, or far.
func (s *search) at(p place, hops int) int64 {
	for i := s.newest[p]; i != none; i = s.labels[i].older {
		switch n := int(s.labels[i].weight & hopMask); {
		case n == hops:
			return s.labels[i].weight
		case n < hops:
			return far
		}
	}
	return far
}

// rest returns the weight of the lightest way on from a place to the end of the path, with
// exactly hops hops.
func (s *search) rest(p place, hops int) int64 {
	apart, meets := p&^1, p|1
	return min(s.at(apart, hops), s.at(meets, hops)+meeting(p, meets))
}

// find returns the lightest path from a table to another one. Among paths of the same
// weight it takes the one whose tables come first, then the one whose edges do. It returns
// false if no path has at most hops hops.
func (s *search) find(g *Graph, start, to int32, hops int) ([]arc, bool) {
	from := placeAt(start, false)
	s.begin(placeAt(to, false))
	lightest := int64(far)
	for layer := range hops {
		if layer > 0 {
			s.expand(g, layer, start, lightest)
		}
		if s.layers[layer] == s.layers[layer+1] {
			break
		}
		for _, x := range g.best[start] {
			next, price := s.next(from, x)
			lightest = min(lightest, x.weight+price+s.rest(next, layer))
		}
	}
	if lightest == far {
		return nil, false
	}
	return s.edges(g, from, s.tables(g, from, lightest), lightest), true
}

// expand adds a layer of places that are on the way from the start. It does not enter the
// start, which is at least one hop away from each.
func (s *search) expand(g *Graph, layer int, start int32, lightest int64) {
	for i := s.layers[layer-1]; i < s.layers[layer]; i++ {
		l := s.labels[i]
		if l.weight+2*g.least > lightest {
			continue
		}
		for _, x := range g.best[l.place.table()] {
			next, price := s.next(l.place, x)
			if weight := l.weight + x.weight + price; weight+g.least <= lightest && x.to != start {
				s.reach(next, weight)
			}
		}
	}
	s.layers = append(s.layers, int32(len(s.labels)))
}

// ways are the weights with which a table was reached, by whether its row is shared.
type ways [2]int64

// tables returns the tables of the first of the lightest paths, without the start.
func (s *search) tables(g *Graph, from place, lightest int64) []int32 {
	hops := int(lightest & hopMask)
	path := make([]int32, 0, hops)
	at := from.table()
	reached := ways{far, far}
	reached[from&1] = 0
	for hop := 1; hop <= hops; hop++ {
		next := int32(none)
		var then ways
		for _, x := range g.best[at] {
			if x.to == from.table() || next != none && x.to > next {
				continue
			}
			for i, weight := range reached {
				p, price := s.next(placeAt(at, false)|place(i), x)
				if weight += x.weight + price; weight+s.rest(p, hops-hop) != lightest {
					continue
				}
				if x.to != next {
					next, then = x.to, ways{far, far}
				}
				then[p&1] = min(then[p&1], weight)
			}
		}
		at, reached = next, then
		path = append(path, at)
	}
	return path
}

// edges returns the first edges that join the tables with the given weight.
func (s *search) edges(g *Graph, from place, tables []int32, weight int64) (path []arc) {
	at := from
	for i, table := range tables {
		first := arc{edge: none}
		for _, x := range g.all.between(at.table(), table) {
			if first.edge != none && x.edge > first.edge {
				continue
			}
			next, price := s.next(at, x)
			if s.lightest(g, next, tables[i+1:])+x.weight+price == weight {
				first = x
			}
		}
		next, price := s.next(at, first)
		at, weight = next, weight-first.weight-price
		path = append(path, first)
	}
	return path
}

// lightest returns the weight of the lightest path from a place through the tables.
func (s *search) lightest(g *Graph, from place, tables []int32) int64 {
	reached := ways{far, far}
	reached[from&1] = 0
	at := from.table()
	for _, table := range tables {
		then := ways{far, far}
		for _, x := range g.best.between(at, table) {
			for i, weight := range reached {
				p, price := s.next(placeAt(at, false)|place(i), x)
				then[p&1] = min(then[p&1], weight+x.weight+price)
			}
		}
		at, reached = table, then
	}
	return min(reached[0], reached[1])
}

// borrow returns a search; release takes it back.
func (g *Graph) borrow() *search {
	if s, ok := g.scratch.Get().(*search); ok {
		return s
	}
	return &search{newest: slices.Repeat([]int32{none}, 2*len(g.names))}
}

func (g *Graph) release(s *search) { g.scratch.Put(s) }
