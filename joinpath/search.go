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
	sets              [][]place // places of the lightest paths, by hop
	asked             [2]int32  // the tables for which a path is looked for
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

// half is the search from one end.
type half struct {
	labels []label
	layers []int32 // index of the first label of each layer, and of the end
	newest []int32 // by place, its last label or none
}

func newSearch(tables int) *search {
	s := &search{}
	for _, h := range []*half{&s.forward, &s.backward} {
		h.newest = slices.Repeat([]int32{none}, 2*tables)
	}
	return s
}

func (h *half) begin(at place) {
	for _, l := range h.labels {
		h.newest[l.place] = none
	}
	h.labels = append(h.labels[:0], label{0, at, none})
	h.layers = append(h.layers[:0], 0, 1)
	h.newest[at] = 0
}

// reach adds a label unless the place was reached with no more weight before, or the
// table so that every way on is cheaper. It reports whether it did.
func (h *half) reach(at place, weight int64) bool {
	i := h.newest[at]
	if i != none && h.labels[i].weight <= weight {
		return false
	}
	if at.shared() {
		if j := h.newest[at^1]; j != none && h.labels[j].weight < weight {
			return false
		}
	}
	if i >= h.layers[len(h.layers)-1] { // reached in this layer already
		h.labels[i].weight = weight
		return true
	}
	h.newest[at] = int32(len(h.labels))
	h.labels = append(h.labels, label{weight, at, i})
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

// at returns the weight of a place's label with exactly hops hops, or far.
func (h *half) at(p place, hops int) int64 {
	for i := h.newest[p]; i != none; i = h.labels[i].older {
		switch n := int(h.labels[i].weight & hopMask); {
		case n == hops:
			return h.labels[i].weight
		case n < hops:
			return far
		}
	}
	return far
}

// rest returns the weight of the lightest way on from a place, with exactly hops hops, as
// the half that comes from the other end knows it.
func (h *half) rest(p place, hops int) int64 {
	apart, meets := p&^1, p|1
	return min(h.at(apart, hops), h.at(meets, hops)+meeting(p, meets))
}

// find returns the lightest path from a table to another one. Among paths of the same
// weight it takes the one whose tables come first, then the one whose edges do. It returns
// false if no path has at most hops hops.
func (s *search) find(g *Graph, start, to int32, hops int) ([]arc, bool) {
	from := placeAt(start, false)
	s.forward.begin(from)
	s.backward.begin(placeAt(to, false))
	// A lightest path splits into a first part of at most a hops and a second of at most
	// b, which has as many hops or one more.
	a := max(1, hops/2)
	b := hops - a
	lightest := int64(far)
	s.expand(g, &s.forward, &s.backward, 1, 0, from.table(), &lightest)
	for layer := 1; layer <= b; layer++ {
		s.expand(g, &s.backward, &s.forward, layer, max(1, layer-1), from.table(), &lightest)
		if layer > 1 && layer <= a {
			s.expand(g, &s.forward, &s.backward, layer, layer, from.table(), &lightest)
		}
		if len(s.forward.layer(layer)) == 0 && len(s.backward.layer(layer)) == 0 {
			break
		}
	}
	if lightest == far {
		return nil, false
	}
	return s.edges(g, from, s.tables(g, from, lightest), lightest), true
}

// expand adds a layer of places from which a lightest path has at least more hops to go.
// It does not enter the table at which the path begins.
func (s *search) expand(g *Graph, h, other *half, layer, more int, begin int32, lightest *int64) {
	rest := int64(more) * g.least
	for _, l := range h.layer(layer - 1) {
		if l.weight+g.least+rest > *lightest {
			continue
		}
		for _, x := range g.best[l.place.table()] {
			next, price := s.next(l.place, x)
			weight := l.weight + x.weight + price
			if weight+rest <= *lightest && x.to != begin {
				s.label(h, other, next, weight, lightest)
			}
		}
	}
	h.endLayer()
}

func (s *search) label(h, other *half, at place, weight int64, lightest *int64) {
	if !h.reach(at, weight) {
		return
	}
	if i := other.newest[at&^1]; i != none {
		*lightest = min(*lightest, weight+other.labels[i].weight)
	}
	if i := other.newest[at|1]; i != none {
		*lightest = min(*lightest, weight+meeting(at, at|1)+other.labels[i].weight)
	}
}

// ways are the weights with which a table was reached, by whether its row is shared.
type ways [2]int64

// tables returns the tables of the first of the lightest paths, without the start.
func (s *search) tables(g *Graph, from place, lightest int64) []int32 {
	hops := int(lightest & hopMask)
	middle := max(1, hops/2)
	s.meet(g, lightest, middle)
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
				if weight += x.weight + price; weight >= far || !s.leads(p, weight, hop, middle, lightest) {
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

// leads reports whether a place that was reached with a weight is on a lightest path.
func (s *search) leads(p place, weight int64, hop, middle int, lightest int64) bool {
	if hop > middle {
		return weight+s.backward.rest(p, int(lightest&hopMask)-hop) == lightest
	}
	return weight == s.forward.at(p, hop) && slices.Contains(s.sets[hop], p)
}

// meet collects the places in which the halves of lightest paths meet, then the places
// before them on such paths.
func (s *search) meet(g *Graph, lightest int64, middle int) {
	for len(s.sets) <= middle {
		s.sets = append(s.sets, nil)
	}
	s.sets[middle] = s.sets[middle][:0]
	for _, l := range s.forward.layer(middle) {
		if l.weight+s.backward.rest(l.place, int(lightest&hopMask)-middle) == lightest {
			s.sets[middle] = append(s.sets[middle], l.place)
		}
	}
	for hop := middle; hop > 1; hop-- {
		before := s.sets[hop-1][:0]
		for _, p := range s.sets[hop] {
			for _, x := range g.best[p.table()] {
				back := arc{to: p.table(), weight: x.weight, turn: x.turn.mirrored()}
				for _, q := range [2]place{placeAt(x.to, false), placeAt(x.to, true)} {
					next, price := s.next(q, back)
					if weight := s.forward.at(q, hop-1); next == p && weight < far && weight+x.weight+price == s.forward.at(p, hop) {
						before = append(before, q)
					}
				}
			}
		}
		slices.Sort(before)
		s.sets[hop-1] = slices.Compact(before)
	}
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
	return newSearch(len(g.names))
}

func (g *Graph) release(s *search) { g.scratch.Put(s) }
