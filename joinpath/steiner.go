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
}

const (
	alwaysExact = 8   // terminals that are solved exactly at any cost
	mostExact   = 20  // terminals that are solved exactly if that takes
	exactWork   = 2e8 // at most this many steps
)

// steiner finds the cheapest trees that contain all terminals. These are sorted,
// different and connected.
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
	d := newDreyfus(g, terminals)
	if len(terminals) > alwaysExact && d.work() > exactWork {
		return g.mehlhorn(terminals), nil
	}
	if err := d.solve(ctx); err != nil {
		return forest{}, err
	}
	return d.trees(g.opt.MaxPlans), nil
}

// dreyfus is the dynamic programme of Dreyfus and Wagner (The Steiner problem in
// graphs, Networks 1, 1971) in the form of Erickson, Monma and Veinott. The
// cheapest tree that contains a set of terminals and a table v consists either of
// two such trees for parts of the set, which meet in v, or of an edge from v and
// such a tree for the table at its other end. The last terminal is the root and
// is in no set.
//
// Tables that cannot be in a tree as cheap as a known one are left out. The
// others get new numbers.
type dreyfus struct {
	g     *Graph
	tabs  []int32   // by new number: the table's number in the graph
	links [][]arc   // by new number: edges to other such tables, parallel ones too
	roots []int32   // the terminals, in new numbers
	far   [][]int64 // by terminal: the distance to each table
	cost  [][]int64 // by set: the cost of the cheapest tree with each table
	bound int64     // an upper bound of the cost of a cheapest tree
	queue queue
}

func newDreyfus(g *Graph, terminals []int32) *dreyfus {
	d := &dreyfus{g: g}
	whole := make([][]int64, len(terminals))
	for i, t := range terminals {
		whole[i] = d.distances(t)
	}
	d.bound = spanning(whole, terminals)
	number := slices.Repeat([]int32{none}, len(g.names))
	for v := range int32(len(g.names)) {
		if d.useful(v, whole, terminals) {
			number[v] = int32(len(d.tabs))
			d.tabs = append(d.tabs, v)
		}
	}
	for i, t := range terminals {
		d.roots = append(d.roots, number[t])
		near := make([]int64, len(d.tabs))
		for n, v := range d.tabs {
			near[n] = whole[i][v]
		}
		d.far = append(d.far, near)
	}
	for _, v := range d.tabs {
		var links []arc
		for _, x := range g.all[v] {
			if number[x.to] != none {
				links = append(links, arc{number[x.to], x.edge, x.weight >> hopBits})
			}
		}
		d.links = append(d.links, links)
	}
	return d
}

// distances returns the distance of each table, by Dijkstra's algorithm.
func (d *dreyfus) distances(from int32) []int64 {
	dist := slices.Repeat([]int64{far}, len(d.g.names))
	dist[from] = 0
	d.queue = append(d.queue[:0], reached{distance: 0, table: from})
	for len(d.queue) > 0 {
		at := d.queue.pop()
		if at.distance > dist[at.table] {
			continue
		}
		for _, x := range d.g.best[at.table] {
			if c := at.distance + x.weight>>hopBits; c < dist[x.to] {
				dist[x.to] = c
				d.queue.push(reached{distance: c, table: x.to})
			}
		}
	}
	return dist
}

// spanning returns the cost of a minimum spanning tree of the terminals'
// distances. The cheapest tree does not cost more.
func spanning(dist [][]int64, terminals []int32) (cost int64) {
	nearest := slices.Repeat([]int64{far}, len(terminals))
	nearest[0] = 0
	done := make([]bool, len(terminals))
	for range terminals {
		next := none
		for i := range terminals {
			if !done[i] && (next == none || nearest[i] < nearest[next]) {
				next = i
			}
		}
		done[next] = true
		cost += nearest[next]
		for i, t := range terminals {
			if !done[i] {
				nearest[i] = min(nearest[i], dist[next][t])
			}
		}
	}
	return cost
}

// useful reports whether a table can be in a tree that costs no more than the
// bound: a tree that contains three tables costs at least half of the round trip
// between them.
func (d *dreyfus) useful(v int32, dist [][]int64, terminals []int32) bool {
	for i := range dist {
		for j, t := range terminals[:i] {
			if dist[i][v]+dist[j][v]+dist[i][t] > 2*d.bound {
				return false
			}
		}
	}
	return true
}

// work estimates the number of steps of solve.
func (d *dreyfus) work() float64 {
	sets, splits, links := 1.0, 0.5, 0
	for range len(d.roots) - 1 {
		sets *= 2
		splits *= 3
	}
	for _, l := range d.links {
		links += len(l)
	}
	const pop = 8 // a step through the queue takes as long as several splits
	return splits*float64(len(d.tabs)) + sets*pop*float64(links)
}

// all returns the set of all terminals except the root.
func (d *dreyfus) all() int { return 1<<(len(d.roots)-1) - 1 }

func (d *dreyfus) solve(ctx context.Context) error {
	d.cost = make([][]int64, d.all()+1)
	for i := range len(d.roots) - 1 {
		d.cost[1<<i] = d.far[i]
	}
	for set := 3; set <= d.all(); set++ {
		if set&(set-1) == 0 {
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		cost := slices.Repeat([]int64{far}, len(d.tabs))
		low := set & -set
		for part := (set - 1) & set; part > 0; part = (part - 1) & set {
			if part&low == 0 {
				continue
			}
			a, b := d.cost[part], d.cost[set^part]
			for v := range cost {
				cost[v] = min(cost[v], a[v]+b[v])
			}
		}
		d.cost[set] = cost
		d.spread(set, cost)
	}
	return nil
}

// spread extends the trees of a set along edges, as far as they can be part of a
// cheapest tree.
func (d *dreyfus) spread(set int, cost []int64) {
	d.queue = d.queue[:0]
	for v := range int32(len(cost)) {
		if d.hopeful(set, v, cost[v]) {
			d.queue.push(reached{distance: cost[v], table: v})
		} else {
			cost[v] = far
		}
	}
	for len(d.queue) > 0 {
		at := d.queue.pop()
		if at.distance > cost[at.table] {
			continue
		}
		for _, x := range d.links[at.table] {
			if c := at.distance + x.weight; c < cost[x.to] && d.hopeful(set, x.to, c) {
				cost[x.to] = c
				d.queue.push(reached{distance: c, table: x.to})
			}
		}
	}
}

// hopeful reports whether a tree that contains a set of terminals and v can reach
// the farthest of the other terminals without exceeding the bound.
func (d *dreyfus) hopeful(set int, v int32, cost int64) bool {
	if cost > d.bound {
		return false
	}
	for rest := (d.all() ^ set) | 1<<(len(d.roots)-1); rest > 0; rest &= rest - 1 {
		if cost+d.far[bits.TrailingZeros(uint(rest))][v] > d.bound {
			return false
		}
	}
	return true
}
