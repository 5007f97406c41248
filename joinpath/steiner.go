package joinpath

import (
	"context"
	"math/bits"
	"slices"
)

// forest is the result of a Steiner tree problem: trees as sorted lists of edges.
type forest struct {
	trees       [][]int32
	more        bool
	approximate bool
	priced      bool // shared rows count
}

const (
	alwaysExact = 8   // terminals that are solved exactly at any cost
	mostExact   = 20  // terminals that are solved exactly if that takes
	exactWork   = 2e8 // at most this many steps
)

// steiner finds the cheapest trees that contain all terminals. These are sorted,
// different and connected.
//
// Rows of a terminal may be shared: a company with its employees and its customers is what
// was asked. So the trees with the cheapest joins come first, and only if each shares rows
// of another table the trees are found in whose cost that counts.
func (g *Graph) steiner(ctx context.Context, terminals []int32) (forest, error) {
	if err := ctx.Err(); err != nil {
		return forest{}, err
	}
	if len(terminals) == 1 {
		return forest{trees: [][]int32{nil}}, nil
	}
	if len(terminals) > mostExact {
		return g.mehlhorn(terminals), nil
	}
	found, err := g.exact(ctx, terminals, false)
	if err != nil || found.approximate {
		return found, err
	}
	found.trees = slices.DeleteFunc(found.trees, func(tree []int32) bool { return len(g.sharedIn(tree, terminals)) > 0 })
	if len(found.trees) > 0 {
		return found, nil
	}
	found, err = g.exact(ctx, terminals, true)
	found.priced = true
	return found, err
}

// exact finds the cheapest trees, with or without the price of shared rows.
func (g *Graph) exact(ctx context.Context, terminals []int32, priced bool) (forest, error) {
	d := newDreyfus(g, terminals, priced)
	for {
		if len(terminals) > alwaysExact && d.work() > exactWork {
			return g.mehlhorn(terminals), nil
		}
		found, err := d.solve(ctx)
		if err != nil {
			return forest{}, err
		}
		if found {
			return d.trees(g.opt.MaxPlans), nil
		}
		d.limit(d.bound + d.bound/2)
	}
}

// dreyfus is the dynamic programme of Dreyfus and Wagner (The Steiner problem in
// graphs, Networks 1, 1971) in the form of Erickson, Monma and Veinott. The
// cheapest tree that contains a set of terminals and a place consists either of two such
// trees for parts of the set, which meet there, or of an edge from there and such a tree
// for the place at its other end. The last terminal is the root and is in no set.
//
// Tables that cannot be in a tree as cheap as a known one are left out. The
// others get new numbers.
type dreyfus struct {
	g     *Graph
	tabs  []int32   // by new number: the table's number in the graph
	news  []int32   // by the table's number in the graph: the new one, or none
	roots []int32   // the terminals, in new numbers
	far   [][]int64 // by terminal: the distance to each place
	near  [][]int64 // by terminal: what a tree at a place has to cost more at least
	cost  [][]int64 // by set: the cost of the cheapest tree with each place
	bound int64     // trees that cost more are not looked for
	most  []int64   // by place: what a tree of the current set may cost there
	apart [][]int64 // by two terminals: their distance
	queue queue

	priced    bool // shared rows cost something
	terminals []int32
	whole     [][]int64 // far, of all tables of the graph
}

func newDreyfus(g *Graph, terminals []int32, priced bool) *dreyfus {
	d := &dreyfus{g: g, priced: priced, terminals: terminals, whole: make([][]int64, len(terminals))}
	for i, t := range terminals {
		d.whole[i] = d.distances(t)
	}
	for i := range terminals {
		row := make([]int64, len(terminals))
		for j, t := range terminals {
			row[j] = d.between(i, t)
		}
		d.apart = append(d.apart, row)
	}
	bound := d.spanning()
	if priced {
		bound += bound / 3 // the paths can share rows where they meet
	}
	d.limit(bound)
	return d
}

// spanning returns the cost of a minimum spanning tree of the distances of the terminals.
// The cheapest tree that contains them seldom costs more.
func (d *dreyfus) spanning() (cost int64) {
	nearest := slices.Clone(d.apart[0])
	for range d.terminals[1:] {
		next := none
		for i, c := range nearest {
			if c > 0 && (next == none || c < nearest[next]) {
				next = i
			}
		}
		cost += nearest[next]
		for i, c := range d.apart[next] {
			nearest[i] = min(nearest[i], c) // 0 for a terminal in the tree
		}
	}
	return cost
}

// limit sets the bound, and leaves out the tables that it makes useless.
func (d *dreyfus) limit(bound int64) {
	d.bound = bound
	d.tabs, d.roots = d.tabs[:0], d.roots[:0]
	d.news = slices.Repeat([]int32{none}, len(d.g.names))
	for v := range int32(len(d.g.names)) {
		if d.useful(v) {
			d.news[v] = int32(len(d.tabs))
			d.tabs = append(d.tabs, v)
		}
	}
	d.far, d.near = make([][]int64, len(d.terminals)), make([][]int64, len(d.terminals))
	places := 2 * len(d.tabs)
	d.most = make([]int64, places)
	room := make([]int64, 2*places*len(d.terminals))
	for i, t := range d.terminals {
		d.roots = append(d.roots, d.news[t])
		d.far[i], d.near[i], room = room[:places], room[places:2*places], room[2*places:]
		for n, v := range d.tabs {
			apart, shared := d.whole[i][2*v], d.whole[i][2*v+1]
			d.far[i][2*n], d.far[i][2*n+1] = apart, shared
			d.near[i][2*n], d.near[i][2*n+1] = min(apart, shared), min(apart, shared+price)
		}
	}
}

// arc returns an arc from a table with the cost as its weight.
func (d *dreyfus) arc(from int32, x arc) arc {
	x.weight = costOf(from, x, d.terminals)
	if !d.priced {
		x.turn = 0
	}
	return x
}

// step returns the place to which an arc leads, and the cost.
func step(at place, x arc) (place, int64) {
	next, turns := at.next(x)
	return next, x.weight + turns>>hopBits
}

// dominated reports whether the other place of the table is reached so much cheaper that
// each way on is cheaper from there.
func dominated(costs []int64, at place, cost int64) bool {
	if at.shared() {
		return costs[at^1] < cost
	}
	return costs[at^1]+price < cost
}

// distances returns the distance of each place, by Dijkstra's algorithm. The arcs that cost
// a turn are followed late, when most of the tables have been reached for less.
func (d *dreyfus) distances(from int32) []int64 {
	dist := slices.Repeat([]int64{far}, 2*len(d.g.names))
	dist[placeAt(from, false)] = 0
	d.queue = append(d.queue[:0], reached{distance: 0, at: int32(placeAt(from, false))})
	for len(d.queue) > 0 {
		first := d.queue.pop()
		at, late := place(first.at), first.at < 0
		base := first.distance
		if late {
			at, base = ^at, base-price
		}
		if base > dist[at] {
			continue
		}
		turns := false
		for _, x := range d.g.best[at.table()] {
			x = d.arc(at.table(), x)
			if turn := x.turn&fans != 0 && at.shared(); turn != late {
				turns = turns || turn
				continue
			}
			next, c := step(at, x)
			if c += base; c < dist[next] && !dominated(dist, next, c) {
				dist[next] = c
				d.queue.push(reached{distance: c, at: int32(next)})
			}
		}
		if turns {
			d.queue.push(reached{distance: base + price, at: int32(^at)})
		}
	}
	return dist
}

// between returns the distance of a terminal and a table.
func (d *dreyfus) between(terminal int, table int32) int64 {
	return between(d.whole[terminal], table)
}

// between returns the distance of a table, given those of its places.
func between(dist []int64, table int32) int64 {
	return min(dist[2*table], dist[2*table+1])
}

// useful reports whether a table can be in a tree that costs no more than the
// bound: a tree that contains three tables costs at least half of the round trip
// between them.
func (d *dreyfus) useful(v int32) bool {
	for i := range d.terminals {
		for j, t := range d.terminals[:i] {
			if d.between(i, v)+d.between(j, v)+d.between(i, t) > 2*d.bound {
				return false
			}
		}
	}
	return true
}

// work estimates the number of steps of solve.
func (d *dreyfus) work() float64 {
	sets, splits, arcs := 1.0, 0.5, 0
	for range len(d.roots) - 1 {
		sets *= 2
		splits *= 3
	}
	for _, table := range d.tabs {
		arcs += len(d.g.best[table])
	}
	const pop = 8 // a step through the queue takes as long as several splits
	return 2 * (splits*float64(len(d.tabs)) + sets*pop*float64(arcs))
}

// all returns the set of all terminals except the root.
func (d *dreyfus) all() int { return 1<<(len(d.roots)-1) - 1 }

// solve reports whether there is a tree within the bound.
func (d *dreyfus) solve(ctx context.Context) (found bool, err error) {
	for _, root := range d.roots {
		if root == none {
			return false, nil
		}
	}
	d.cost = make([][]int64, d.all()+1)
	for i := range len(d.roots) - 1 {
		d.cost[1<<i] = d.far[i]
	}
	for set := 3; set <= d.all(); set++ {
		if set&(set-1) == 0 {
			continue
		}
		if err := ctx.Err(); err != nil {
			return false, err
		}
		cost := slices.Repeat([]int64{far}, 2*len(d.tabs))
		low := set & -set
		for part := (set - 1) & set; part > 0; part = (part - 1) & set {
			if part&low == 0 {
				continue
			}
			a, b := d.cost[part], d.cost[set^part]
			for v := 0; v < len(cost); v += 2 {
				apart, shared := v, v+1
				cost[apart] = min(cost[apart], a[apart]+b[apart])
				if !d.priced {
					continue // no place is shared
				}
				cost[shared] = min(cost[shared], a[shared]+b[apart], a[apart]+b[shared], a[shared]+b[shared]+price)
			}
		}
		d.cost[set] = cost
		d.tighten(set)
		d.allow(set)
		d.spread(cost)
	}
	root := placeAt(d.roots[len(d.roots)-1], false)
	cheapest := min(d.cost[d.all()][root], d.cost[d.all()][root|1])
	return cheapest <= d.bound, nil
}

// spread extends the trees of a set along edges, as far as they can be part of a
// cheapest tree.
func (d *dreyfus) spread(cost []int64) {
	d.queue = d.queue[:0]
	for p := range int32(len(cost)) {
		if cost[p] <= d.most[p] && !dominated(cost, place(p), cost[p]) {
			d.queue.push(reached{distance: cost[p], at: p})
		} else {
			cost[p] = far
		}
	}
	for len(d.queue) > 0 {
		at := d.queue.pop()
		if at.distance > cost[at.at] {
			continue
		}
		table := d.tabs[place(at.at).table()]
		for _, x := range d.g.best[table] {
			to := d.news[x.to]
			if to == none {
				continue
			}
			apart, least := placeAt(to, false), at.distance+x.weight>>hopBits
			if least > d.most[apart] || least > cost[apart] {
				continue
			}
			x = d.arc(table, x)
			x.to = to
			next, c := step(place(at.at), x)
			if c += at.distance; c <= d.most[next] && c < cost[next] && !dominated(cost, next, c) {
				cost[next] = c
				d.queue.push(reached{distance: c, at: int32(next)})
			}
		}
	}
}

// tighten lowers the bound to what a tree of a set costs with a path from its place to each
// other terminal. At most one of these branches may share a row, so that none has a price.
func (d *dreyfus) tighten(set int) {
	cost := d.cost[set]
	rest := d.all() ^ set | 1<<(len(d.roots)-1)
	for v := 0; v < len(cost); v += 2 {
		total, saved := cost[v], max(0, cost[v]-cost[v+1])
		for others := rest; others > 0 && total-saved < d.bound; others &= others - 1 {
			far := d.far[bits.TrailingZeros(uint(others))]
			total += far[v]
			saved = max(saved, far[v]-far[v+1])
		}
		d.bound = min(d.bound, total-saved)
	}
}

// allow computes what a tree of a set may cost at each place so that it can still reach the
// other terminals within the bound. With two of them it costs at least half of the round trip
// from the place to both and back.
func (d *dreyfus) allow(set int) {
	rest := d.all() ^ set | 1<<(len(d.roots)-1)
	for at := range d.most {
		farthest := bits.TrailingZeros(uint(rest))
		for others := rest & (rest - 1); others > 0; others &= others - 1 {
			if i := bits.TrailingZeros(uint(others)); d.near[i][at] > d.near[farthest][at] {
				farthest = i
			}
		}
		lacking := 2 * d.near[farthest][at]
		for others := rest &^ (1 << farthest); others > 0; others &= others - 1 {
			i := bits.TrailingZeros(uint(others))
			lacking = max(lacking, d.near[farthest][at]+d.near[i][at]+d.apart[farthest][i])
		}
		d.most[at] = d.bound - (lacking+1)/2
	}
}
