package joinpath

import (
	"cmp"
	"slices"
)

// mehlhorn connects any number of terminals by a tree that costs less than twice
// the cheapest one (K. Mehlhorn, A faster approximation algorithm for the Steiner
// problem in graphs, Information Processing Letters 27, 1988). Every table is
// assigned to its nearest terminal; the cheapest paths between tables of
// different terminals then form a minimum spanning tree. The cost is that of one
// run of Dijkstra's algorithm and a sort.
func (g *Graph) mehlhorn(terminals []int32) forest {
	n := len(g.names)
	distance := slices.Repeat([]int64{far}, n)
	owner := slices.Repeat([]int32{none}, n)
	back := slices.Repeat([]arc{{to: none}}, n) // towards the owner
	var q queue
	for _, t := range terminals {
		distance[t], owner[t] = 0, t
		q.push(reached{distance: 0, at: t})
	}
	for len(q) > 0 {
		at := q.pop()
		if at.distance > distance[at.at] {
			continue
		}
		for _, x := range g.best[at.at] {
			if c := at.distance + costOf(at.at, x, terminals); c < distance[x.to] {
				distance[x.to], owner[x.to] = c, owner[at.at]
				back[x.to] = arc{to: at.at, edge: x.edge}
				q.push(reached{distance: c, at: x.to})
			}
		}
	}

	type bridge struct {
		cost       int64
		edge, a, b int32
	}
	var bridges []bridge
	for v := range int32(n) {
		for _, x := range g.best[v] {
			if v < x.to && owner[v] != owner[x.to] {
				bridges = append(bridges, bridge{distance[v] + costOf(v, x, terminals) + distance[x.to], x.edge, v, x.to})
			}
		}
	}
	slices.SortFunc(bridges, func(x, y bridge) int {
		return cmp.Or(cmp.Compare(x.cost, y.cost), cmp.Compare(x.edge, y.edge))
	})

	leader := make([]int32, n)
	for v := range leader {
		leader[v] = int32(v)
	}
	find := func(v int32) int32 {
		for leader[v] != v {
			leader[v] = leader[leader[v]]
			v = leader[v]
		}
		return v
	}
	taken := make([]bool, n) // tables whose path to the owner is in the tree
	var tree []int32
	for _, b := range bridges {
		x, y := find(owner[b.a]), find(owner[b.b])
		if x == y {
			continue
		}
		leader[x] = y
		tree = append(tree, b.edge)
		for _, v := range []int32{b.a, b.b} {
			for ; back[v].to != none && !taken[v]; v = back[v].to {
				taken[v] = true
				tree = append(tree, back[v].edge)
			}
		}
	}
	slices.Sort(tree)
	return forest{trees: [][]int32{tree}, approximate: true}
}
